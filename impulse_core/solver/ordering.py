"""Elimination order of the joint matrix and the static layout of its blocks.

The saddle matrix [M Gᵀ; G -E] has one or two 3×3 pivots per body and per joint. Its order is
found once:

1. *Peel.* As long as a body has a single joint left, eliminate it and then that joint. This is
   "a body, then the joint to its parent, leaves first" (Baraff 1996): a tree has no fill at all.
2. *The rest* (bodies on closed loops or under a coupling): minimum degree, under the rule that
   every dynamic body comes before its joints. Then the pivots of redundant rows, and only theirs,
   are of the size of round-off: a row is dropped for what the rows before it hold, not for an
   order that is bad.

A coupling is a joint of all the bodies of its terms.

Plain Python over sets: it runs once per scene, linear for trees.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from itertools import pairwise

import numpy as np

from impulse_core.joints.table import (
    NO_PART,
    ROTATION_ROWS,
    SWING,
    TRANSLATION_AXIS,
    TRANSLATION_ROWS,
)
from impulse_core.model import BodyPlace, JointPlace, Model, Structure
from impulse_core.types import Floats, Ints, Records, new_records

__all__ = ["elimination_order", "plan_structure"]

PIVOT_FLOOR = 1e-10
"""Scalar pivots below this share of diag(A) belong to rows that repeat others."""
_MOST_GROWTH = 10.0  # of round-off, from which on a weaker row of a joint comes later

# A vertex of the body-joint graph is ("b", body row) or ("j", joint number), coded as integers.


def _joint_neighbours(model: Model) -> tuple[list[set[int]], list[list[int]]]:
    """Joints of each dynamic body, dynamic bodies of each joint."""
    bodies = model.dynamic
    joints_of: list[set[int]] = [set() for _ in range(bodies)]
    bodies_of = [
        [body for body in pair if body < bodies]
        for pair in zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True)
    ]
    for coupling, terms in zip(model.couplings.joint, _terms(model), strict=True):
        joints = model.couplings.terms["joint"][terms].tolist()
        bodies_of[coupling] = sorted({body for joint in joints for body in bodies_of[joint]})
    parts = model.joints["rotation_part"] == SWING
    for joint, ends in enumerate(bodies_of):
        for body in () if parts[joint] else ends:
            joints_of[body].add(joint)
    return joints_of, bodies_of


def _terms(model: Model) -> list[slice]:
    first = model.couplings.first_term.tolist()
    return [slice(a, b) for a, b in pairwise(first)]


def elimination_order(model: Model) -> tuple[list[tuple[str, int]], set[int]]:
    """Bodies and joints in elimination order, and the joints on or between closed loops."""
    joints_of, bodies_of = _joint_neighbours(model)
    parts = _parts(model)
    order: list[tuple[str, int]] = []
    waiting = [body for body in range(len(joints_of)) if len(joints_of[body]) <= 1]
    waiting.reverse()
    done = [False] * len(joints_of)
    while waiting:
        body = waiting.pop()
        if done[body]:
            continue
        done[body] = True
        order.append(("body", body))
        for joint in joints_of[body]:
            order.append(("joint", joint))
            for other in bodies_of[joint]:
                if other != body and not done[other]:
                    joints_of[other].discard(joint)
                    if len(joints_of[other]) <= 1:
                        waiting.append(other)
        joints_of[body] = set()
    rest = [body for body, finished in enumerate(done) if not finished]
    looped = {joint for body in rest for joint in joints_of[body]}
    order.extend(_minimum_degree(rest, joints_of, bodies_of))
    looped |= {part for joint in looped for part in parts.get(joint, ())}
    return [node for kind, k in order for node in _with_parts(kind, k, parts)], looped


def _parts(model: Model) -> dict[int, list[int]]:
    """Joints that carry further axes of another between the same bodies, by that joint: they close
    no loop with it, and come right after it.
    """
    parts: dict[int, list[int]] = {}
    for joint in np.flatnonzero(model.joints["rotation_part"] == SWING).tolist():
        parts.setdefault(int(model.joints["owner"][joint]), []).append(joint)
    return parts


def _with_parts(kind: str, k: int, parts: dict[int, list[int]]) -> list[tuple[str, int]]:
    return [(kind, k), *((kind, part) for part in (parts.get(k, ()) if kind == "joint" else ()))]


def _minimum_degree(
    bodies: list[int], joints_of: list[set[int]], bodies_of: list[list[int]]
) -> list[tuple[str, int]]:
    """Order of what is left on loops: smallest degree first, every body before its joints."""
    neighbours: dict[tuple[str, int], set[tuple[str, int]]] = defaultdict(set)
    for body in bodies:
        for joint in joints_of[body]:
            neighbours["body", body].add(("joint", joint))
            neighbours["joint", joint].add(("body", body))
    bodies_left = {
        joint: sum(1 for body in bodies_of[joint] if ("body", body) in neighbours)
        for kind, joint in list(neighbours)
        if kind == "joint"
    }
    heap = [(len(neighbours[vertex]), vertex) for vertex in neighbours if vertex[0] == "body"]
    heapq.heapify(heap)
    gone: set[tuple[str, int]] = set()
    order = []
    while heap:
        degree, vertex = heapq.heappop(heap)
        if vertex in gone:
            continue
        around = neighbours[vertex]
        if degree != len(around):  # the entry is stale: its degree has changed since
            heapq.heappush(heap, (len(around), vertex))
            continue
        gone.add(vertex)
        order.append(vertex)
        for other in around:
            neighbours[other] |= around
            neighbours[other] -= {vertex, other}
        for other in around:
            if vertex[0] == "body" and other[0] == "joint":
                bodies_left[other[1]] -= 1
            if other[0] == "body" or bodies_left[other[1]] == 0:
                heapq.heappush(heap, (len(neighbours[other]), other))
    return order


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


def plan_structure(model: Model) -> Structure:
    """Number the nodes, find the fill, and lay out every block of the factorisation."""
    order, looped = elimination_order(model)
    bodies, joints = model.dynamic, len(model.joints)
    linear = np.full(bodies, -1, dtype=np.int64)
    angular = np.full(bodies, -1, dtype=np.int64)
    translation = np.full(joints, -1, dtype=np.int64)
    rotation = np.full(joints, -1, dtype=np.int64)
    layout = _Layout()
    for kind, index in order:
        if kind == "body":
            linear[index], angular[index] = layout.new_node(), layout.new_node()
        else:
            if model.joints["translation_part"][index] != NO_PART:
                translation[index] = layout.new_node()
            if model.joints["rotation_part"][index] != NO_PART:
                rotation[index] = layout.new_node()

    couplings = _joint_couplings(model, linear, angular, translation, rotation)
    for joint_node, body_node in (pair for row in couplings for pair in row if pair is not None):
        layout.couple(joint_node, body_node)
    terms = _term_couplings(model, linear, angular, translation)
    for coupling_node, body_node in (pair for row in terms for pair in row if pair is not None):
        layout.couple(coupling_node, body_node)
    columns = layout.eliminate_all()
    return _lay_out(
        model, columns, couplings, terms, looped, linear, angular, translation, rotation
    )


Coupling = tuple[int, int] | None


def _joint_couplings(
    model: Model, linear: Ints, angular: Ints, translation: Ints, rotation: Ints
) -> list[list[Coupling]]:
    """For each joint the six (joint node, body node) pairs of JointPlace.block."""
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


def _term_couplings(
    model: Model, linear: Ints, angular: Ints, translation: Ints
) -> list[list[Coupling]]:
    """For each term the four (coupling's node, body node) pairs of Structure.coupling_block."""
    couplings = model.couplings
    table: list[list[Coupling]] = []
    for coupling, terms in zip(couplings.joint, _terms(model), strict=True):
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


def _lay_out(
    model: Model,
    columns: list[list[int]],
    couplings: list[list[Coupling]],
    terms: list[list[Coupling]],
    looped: set[int],
    linear: Ints,
    angular: Ints,
    translation: Ints,
    rotation: Ints,
) -> Structure:
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
        pivot_floor=_pivot_floor(nodes, joint_places["row_scale"], looped, translation, rotation),
        most_growth=_MOST_GROWTH,
        coupling_block=_coupling_blocks(terms, block_of),
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


def _coupling_blocks(terms: list[list[Coupling]], block_of: dict[tuple[int, int], int]) -> Ints:
    """Blocks of the terms of couplings, shape (t, 4), -1 for those they do not have."""
    blocks = np.full((len(terms), 4), -1, dtype=np.int64)
    for k, pairs in enumerate(terms):
        for side, pair in enumerate(pairs):
            if pair is not None:
                blocks[k, side] = block_of[pair]
    return blocks


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
    """The diagonal of G M⁻¹ Gᵀ if all bodies turned about their softest axes."""
    softest = model.bodies["inverse_inertia"].max(axis=1)
    scale = np.empty((len(model.joints), 6))
    for j, (i1, i2) in enumerate(zip(model.joints["body1"], model.joints["body2"], strict=True)):
        arms = (
            np.linalg.norm(model.joints["anchor1"][j]) ** 2,
            np.linalg.norm(model.joints["anchor2"][j]) ** 2,
        )
        scale[j, :3] = sum(
            model.bodies["inverse_mass"][i] + arm * softest[i]
            for i, arm in zip((i1, i2), arms, strict=True)
        )
        scale[j, 3:] = softest[i1] + softest[i2]
    for coupling, terms in zip(model.couplings.joint, _terms(model), strict=True):
        rows = scale[model.couplings.terms["joint"][terms], model.couplings.terms["row"][terms]]
        scale[coupling] = model.couplings.terms["coefficient"][terms] ** 2 @ rows
    return scale


def _pivot_floor(
    nodes: int, scale: Floats, looped: set[int], translation: Ints, rotation: Ints
) -> Floats:
    floor = np.zeros((nodes, 3))
    for j in looped:
        for node, rows in ((translation[j], slice(0, 3)), (rotation[j], slice(3, 6))):
            if node >= 0:
                floor[node] = PIVOT_FLOOR * scale[j, rows]
    return floor
