"""The static layout of the joint matrix: which block lies where, and what its elimination changes.

The saddle matrix [M Gᵀ; G -E] has one or two 3×3 pivots per body and per joint, in the order of
ordering.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.joints.table import NO_PART, ROTATION_ROWS, TRANSLATION_AXIS, TRANSLATION_ROWS
from impulse_core.model import BodyPlace, JointPlace, Model, Structure
from impulse_core.solver.blocks import Vertex
from impulse_core.solver.ordering import elimination_order, slices_of_terms
from impulse_core.types import Floats, Ints, Records, new_records

__all__ = ["plan_structure"]

PIVOT_FLOOR = 1e-10
"""Scalar pivots below this share of diag(A) belong to rows that repeat others."""
_WORTH = 0.5  # of the updates: what joints that hang on one body have to save, being less exact
_MOST_GROWTH = 10.0  # of round-off, from which on a weaker row of a joint comes later


class _Layout:
    """Collects nodes, their couplings and the fill while the order is played through."""

    def __init__(self) -> None:
        self.count = 0
        self.later: list[set[int]] = []  # later nodes coupled to each node

    def new_node(self) -> int:
        self.later.append(set())
        self.count += 1
        return self.count - 1

    def couple(self, a: int, b: int) -> None:
        self.later[min(a, b)].add(max(a, b))

    def eliminate_all(self) -> list[list[int]]:
        """Rows of each column, fill included, ascending."""
        columns = []
        for node in range(self.count):
            rows = sorted(self.later[node])
            for position, row in enumerate(rows):
                self.later[row].update(rows[position + 1 :])
            columns.append(rows)
        return columns


class _Nodes(NamedTuple):
    """Numbers of the nodes of bodies and joints, -1 for those they do not have."""

    linear: Ints
    angular: Ints
    translation: Ints
    rotation: Ints


Coupling = tuple[int, int] | None


class _Plan(NamedTuple):
    """One order, played through."""

    looped: set[int]
    nodes: _Nodes
    couplings: list[list[Coupling]]
    terms: list[list[Coupling]]
    columns: list[list[int]]

    @property
    def updates(self) -> int:
        """How many blocks its factorisation changes."""
        return sum(len(rows) * (len(rows) + 1) // 2 for rows in self.columns)


def plan_structure(model: Model) -> Structure:
    """Number the nodes, find the fill, and lay out every block of the factorisation."""
    plan = _plan(model, may_hang=False)
    if plan.looped:
        hanging = _plan(model, may_hang=True)
        if hanging.updates < _WORTH * plan.updates:
            plan = hanging
    return _lay_out(model, plan)


def _plan(model: Model, *, may_hang: bool) -> _Plan:
    order, looped = elimination_order(model, may_hang=may_hang)
    layout = _Layout()
    nodes = _number_nodes(model, order, layout)
    couplings, terms = _joint_couplings(model, nodes), _term_couplings(model, nodes)
    for pair in (pair for row in (*couplings, *terms) for pair in row if pair is not None):
        layout.couple(*pair)
    return _Plan(looped, nodes, couplings, terms, layout.eliminate_all())


def _number_nodes(model: Model, order: list[Vertex], layout: _Layout) -> _Nodes:
    bodies, joints = model.dynamic, len(model.joints)
    nodes = _Nodes(*(np.full(n, -1, dtype=np.int64) for n in (bodies, bodies, joints, joints)))
    for kind, index in order:
        if kind == "body":
            nodes.linear[index], nodes.angular[index] = layout.new_node(), layout.new_node()
            continue
        if model.joints["translation_part"][index] != NO_PART:
            nodes.translation[index] = layout.new_node()
        if model.joints["rotation_part"][index] != NO_PART:
            nodes.rotation[index] = layout.new_node()
    return nodes


def _joint_couplings(model: Model, nodes: _Nodes) -> list[list[Coupling]]:
    """For each joint the six (joint node, body node) pairs of JointPlace.block."""
    linear, angular, translation, rotation = nodes
    bodies = len(linear)
    table: list[list[Coupling]] = []
    for j in range(len(translation)):
        row: list[Coupling] = []
        for body in (int(model.joints["body1"][j]), int(model.joints["body2"][j])):
            for joint_node, node_of in ((translation[j], linear), (translation[j], angular)):
                present = joint_node >= 0 and body < bodies
                row.append((int(joint_node), int(node_of[body])) if present else None)
        for body in (int(model.joints["body1"][j]), int(model.joints["body2"][j])):
            present = rotation[j] >= 0 and body < bodies
            row.append((int(rotation[j]), int(angular[body])) if present else None)
        table.append(row)
    return table


def _term_couplings(model: Model, nodes: _Nodes) -> list[list[Coupling]]:
    """For each term the four (coupling's node, body node) pairs of Structure.coupling_block."""
    couplings = model.couplings
    linear, angular, translation, _ = nodes
    table: list[list[Coupling]] = []
    for coupling, terms in zip(couplings.joint, slices_of_terms(model), strict=True):
        node = int(translation[coupling])
        for joint, row in zip(
            couplings.terms["joint"][terms], couplings.terms["row"][terms], strict=True
        ):
            pairs: list[Coupling] = []
            for body in (model.joints["body1"][joint], model.joints["body2"][joint]):
                moves = body < len(linear)
                along = moves and row == TRANSLATION_AXIS
                pairs.append((node, int(linear[body])) if along else None)
                pairs.append((node, int(angular[body])) if moves else None)
            table.append(pairs)
    return table


def _lay_out(model: Model, plan: _Plan) -> Structure:
    looped, (linear, angular, translation, rotation), couplings, terms, columns = plan
    nodes = len(columns)
    column_start = np.zeros(nodes + 1, dtype=np.int64)
    column_start[1:] = np.cumsum([len(rows) for rows in columns])
    block_of = {
        (row, column): nodes + int(column_start[column]) + k
        for column, rows in enumerate(columns)
        for k, row in enumerate(rows)
    }
    target_start, target = _targets(columns, block_of)
    joint_places = new_records(JointPlace, len(couplings))
    joint_places["translation_node"], joint_places["rotation_node"] = translation, rotation
    joint_places["padding"], joint_places["row_scale"] = _padding(model), _row_scale(model)
    _place_blocks(joint_places, couplings, block_of)
    body_places = new_records(BodyPlace, len(linear))
    body_places["linear_node"], body_places["angular_node"] = linear, angular
    coupling_block, coupling_transposed = _coupling_blocks(terms, block_of)
    # blocks of couplings are summed over their terms, so they start as zero like fill
    assembled = set(joint_places["block"][joint_places["block"] >= 0].tolist())
    blocks = range(nodes, nodes + int(column_start[-1]))
    body_nodes = set(linear.tolist()) | set(angular.tolist())
    reached = {row for rows in columns for row in rows}
    visit = [node for node in range(nodes) if node in reached or node not in body_nodes]
    return Structure(
        bodies=body_places,
        joints=joint_places,
        column_start=column_start,
        entry_row=np.array([row for rows in columns for row in rows], dtype=np.int64),
        target_start=target_start,
        target=target,
        fill_block=np.array([k for k in blocks if k not in assembled], dtype=np.int64),
        solve_node=np.array(visit, dtype=np.int64),
        pivot_floor=_pivot_floor(model, plan),
        most_growth=_MOST_GROWTH,
        coupling_block=coupling_block,
        coupling_transposed=coupling_transposed,
        has_loops=int(bool(looped)),
    )


def _targets(columns: list[list[int]], block_of: dict[tuple[int, int], int]) -> tuple[Ints, Ints]:
    """Where the targets of each column begin, and the blocks that its elimination changes."""
    start = np.zeros(len(columns), dtype=np.int64)
    targets: list[int] = []
    for column, rows in enumerate(columns):
        start[column] = len(targets)
        for a, row in enumerate(rows):
            targets.extend(block_of[row, earlier] for earlier in rows[:a])
            targets.append(row)
    return start, np.array(targets, dtype=np.int64)


def _place_blocks(
    places: Records, couplings: list[list[Coupling]], block_of: dict[tuple[int, int], int]
) -> None:
    """Fill the blocks of joints (JointPlace), -1 for those they do not have."""
    block, transposed = places["block"], places["transposed"]
    block[:] = -1
    for j, pairs in enumerate(couplings):
        for k, pair in enumerate(pairs):
            if pair is not None:
                joint_node, body_node = pair
                transposed[j, k] = body_node > joint_node
                block[j, k] = block_of[max(pair), min(pair)]


def _coupling_blocks(
    terms: list[list[Coupling]], block_of: dict[tuple[int, int], int]
) -> tuple[Ints, Ints]:
    """Blocks of the terms of couplings, -1 for those they do not have, and which of them are
    transposed, shapes (t, 4).
    """
    blocks = np.full((len(terms), 4), -1, dtype=np.int64)
    transposed = np.zeros((len(terms), 4), dtype=np.int64)
    for k, pairs in enumerate(terms):
        for side, pair in enumerate(pairs):
            if pair is not None:
                coupling_node, body_node = pair
                transposed[k, side] = body_node > coupling_node
                blocks[k, side] = block_of[max(pair), min(pair)]
    return blocks, transposed


def _padding(model: Model) -> Floats:
    """1 in the rows beyond those that the joint's parts have."""
    padding = np.ones((len(model.joints), 6))
    parts = zip(
        model.joints["translation_part"].tolist(),
        model.joints["rotation_part"].tolist(),
        strict=True,
    )
    for j, (translation, rotation) in enumerate(parts):
        padding[j, : TRANSLATION_ROWS[translation]] = 0.0
        padding[j, 3 : 3 + ROTATION_ROWS[rotation]] = 0.0
    return padding


def _row_scale(model: Model) -> Floats:
    """The diagonal of G M⁻¹ Gᵀ if all bodies turned about their softest axes, shape (m, 6)."""
    everything = np.zeros(len(model.bodies), dtype=np.int64)
    return _scale_by(model, everything, np.ones(len(model.joints), dtype=np.int64))


def _scale_by(model: Model, place: Ints, end: Ints) -> Floats:
    """The same by those bodies of each joint alone whose place is before its end."""
    softest = model.bodies["inverse_inertia"].max(axis=1)
    own = np.empty((len(model.joints), 2, 6))  # by either body
    for side, (body, anchor) in enumerate((("body1", "anchor1"), ("body2", "anchor2"))):
        i = model.joints[body]
        arm = np.linalg.norm(model.joints[anchor], axis=1)
        own[:, side, :3] = (model.bodies["inverse_mass"][i] + arm**2 * softest[i])[:, None]
        own[:, side, 3:] = softest[i][:, None]
    ends = np.stack([model.joints["body1"], model.joints["body2"]], axis=1)
    scale: Floats = (own * (place[ends] < end[:, None])[:, :, None]).sum(axis=1)
    for coupling, terms in zip(model.couplings.joint, slices_of_terms(model), strict=True):
        joint = model.couplings.terms["joint"][terms]
        rows = own[joint, :, model.couplings.terms["row"][terms]]
        rows = (rows * (place[ends[joint]] < end[coupling])).sum(axis=1)
        scale[coupling] = model.couplings.terms["coefficient"][terms] ** 2 @ rows
    return scale


def _pivot_floor(model: Model, plan: _Plan) -> Floats:
    """Below what scalar pivots of joints on loops count as zero: what these are made of are the
    bodies that come before them.
    """
    _, angular, translation, rotation = plan.nodes
    place = np.full(len(model.bodies), -1, dtype=np.int64)
    place[: len(angular)] = angular
    scale = _scale_by(model, place, np.maximum(translation, rotation))
    floor = np.zeros((len(plan.columns), 3))
    for j in plan.looped:
        for node, rows in ((translation[j], slice(0, 3)), (rotation[j], slice(3, 6))):
            if node >= 0:
                floor[node] = PIVOT_FLOOR * scale[j, rows]
    return floor
