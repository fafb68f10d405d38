"""Solver sle: the system of linear equations over joints (BS06 sections 4.5 and 4.6).

All joints of a mechanism without loops make up one system

    A λ = b,   A_jk = Σ_i G_j,i M_i⁻¹ G_k,iᵀ  over the bodies i that j and k share

with a row for every degree of freedom they remove. A is sparse, but dense among joints that meet
in one body. It is factorised once per stage by SuperLU, with a pattern and an order that are found
once per scene. A closed loop is broken at a joint, and the joints that break them are a second
system; both are solved in turns in one loop until the errors of all joints vanish
(docs/algorithm.md, 32).

As in the paper there is no warm start and no other matrix than A(t). The step itself is that of
every solver, driven from Python: kernels do the rest (sle_kernels.py).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import SuperLU, splu

from impulse_core.geometry.rotations import conjugated, rotated
from impulse_core.joints.table import ROTATION_ROWS, TRANSLATION_ROWS
from impulse_core.methods.sle_kernels import (
    add_work,
    count_step,
    find_directions,
    predicted_errors,
    push,
    remaining_velocities,
    take_prediction,
)
from impulse_core.model import Model, State, Tally, Workspace, restore_state
from impulse_core.model.status import COMPLETED, LINE, OPEN, STOPPED, TOO_FAR
from impulse_core.step.dividing import Plan, halving_step, note_most, restore_totals
from impulse_core.types import Floats, Ints

__all__ = ["JointSystems", "forests", "load_kernels", "prepare", "take_step"]

MOST_CORRECTIONS = 50  # of one system, per stage. Reaching it is a failure.
MOST_ROUNDS = 2000  # through several systems
STALLS_ALLOWED = 8  # rounds in which the error may fail to fall
LEAST_GAIN = 0.999  # to this fraction of the smallest so far


def forests(model: Model) -> list[list[int]]:
    """Joints without loops, then those that close loops of them, and so on while any are left.

    All bodies that are not dynamic count as one, the world. Joints are taken in their order.
    """
    remaining = list(range(len(model.joints)))
    found: list[list[int]] = []
    while remaining:
        parent = list(range(model.dynamic + 1))

        def root(body: int, parent: list[int] = parent) -> int:
            body = min(body, model.dynamic)
            while parent[body] != body:
                parent[body] = parent[parent[body]]
                body = parent[body]
            return body

        forest: list[int] = []
        closing: list[int] = []
        for joint in remaining:
            a, b = root(int(model.joints["body1"][joint])), root(int(model.joints["body2"][joint]))
            (closing if a == b else forest).append(joint)
            parent[a] = b
        found.append(forest)
        remaining = closing
    return found


class _System:
    """A = G M⁻¹ Gᵀ of some joints: its pattern, its order of elimination and its factor."""

    def __init__(self, model: Model, joints: list[int]) -> None:
        used = _used_rows(model)
        mine = np.zeros_like(used)
        mine[joints] = used[joints]
        number = np.full(used.shape, -1, dtype=np.int64)  # of each row of each joint in A
        number[mine] = np.arange(mine.sum())
        self.rows = mine
        first, first_side, second, second_side = _pairs(model, joints)
        self._first, self._second = (first, first_side), (second, second_side)
        row = np.broadcast_to(number[first][:, :, None], (len(first), 6, 6))
        column = np.broadcast_to(number[second][:, None, :], (len(first), 6, 6))
        self._kept = (row >= 0) & (column >= 0)
        row, column = row[self._kept], column[self._kept]
        self._place = _fill_reducing_order(row, column, int(mine.sum()))
        self._lay_out(self._place[row], self._place[column])
        self._factor: SuperLU | None = None

    def _lay_out(self, row: Ints, column: Ints) -> None:
        """Where each product of two rows goes in the compressed columns of A."""
        size = len(self._place)
        entries, self._slot = np.unique(column * size + row, return_inverse=True)
        self._entry_row = (entries % size).astype(np.int32)
        counts = np.bincount(entries // size, minlength=size)
        self._column_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    def factorise(self, gradient: Floats, weighted: Floats) -> None:
        """Factorise A of these G and G M⁻¹, shapes (m, 2, 6, 6): joint, side, row, (v, ω)."""
        blocks = weighted[self._first] @ gradient[self._second].transpose(0, 2, 1)
        data = np.bincount(self._slot, blocks[self._kept], len(self._entry_row))
        size = len(self._place)
        matrix = csc_array((data, self._entry_row, self._column_start), shape=(size, size))
        self._factor = splu(
            matrix,
            permc_spec="NATURAL",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

    def solve(self, right_side: Floats, impulse: Floats) -> None:
        """λ of A λ = right_side into impulse, shapes (m, 6), zero at other joints."""
        assert self._factor is not None
        ordered = np.empty(len(self._place))
        ordered[self._place] = right_side[self.rows]
        impulse[:] = 0.0
        impulse[self.rows] = self._factor.solve(ordered)[self._place]


def _used_rows(model: Model) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Which of the six rows of each joint remove a degree of freedom, shape (m, 6)."""
    used = np.zeros((len(model.joints), 6), dtype=bool)
    for j in range(len(used)):
        used[j, : TRANSLATION_ROWS[int(model.joints["translation_part"][j])]] = True
        used[j, 3 : 3 + ROTATION_ROWS[int(model.joints["rotation_part"][j])]] = True
    return used


def _pairs(model: Model, joints: list[int]) -> tuple[Ints, Ints, Ints, Ints]:
    """Every two sides of joints that meet in a dynamic body: joint, side, joint, side."""
    meeting: dict[int, list[tuple[int, int]]] = {}
    for joint in joints:
        for side, body in enumerate(
            (int(model.joints["body1"][joint]), int(model.joints["body2"][joint]))
        ):
            if body < model.dynamic:
                meeting.setdefault(body, []).append((joint, side))
    pairs = [(*a, *b) for sides in meeting.values() for a in sides for b in sides]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 4)
    return table[:, 0], table[:, 1], table[:, 2], table[:, 3]


def _fill_reducing_order(row: Ints, column: Ints, size: int) -> Ints:
    """Place of each row in an order with little fill: minimum degree on the pattern of A."""
    dominant = np.where(row == column, 100.0 * size, 1.0)  # any values that factorise
    pattern = csc_array((dominant, (row, column)), shape=(size, size))
    factor = splu(pattern, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    return np.asarray(factor.perm_c, dtype=np.int64)


class JointSystems:
    """What solver sle keeps beside the workspace: one system per forest of joints."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.systems = [_System(model, joints) for joints in forests(model)]

    def factorise(self, state: State, work: Workspace) -> None:
        """Factorise all systems with the directions in work."""
        gradient = self._gradient(work)
        weighted = gradient.copy()
        for side, body in enumerate((self.model.joints["body1"], self.model.joints["body2"])):
            q = state.bodies["orientation"][body][:, None, :]
            turned = rotated(conjugated(q), gradient[:, side, :, 3:])
            turned *= self.model.bodies["inverse_inertia"][body][:, None, :]
            weighted[:, side, :, 3:] = rotated(q, turned)
            weighted[:, side, :, :3] *= self.model.bodies["inverse_mass"][body][:, None, None]
        for system in self.systems:
            system.factorise(gradient, weighted)

    def _gradient(self, work: Workspace) -> Floats:
        """G of every joint and side, shape (m, 2, 6, 6), columns v and ω in world axes."""
        joints = len(self.model.joints)
        G = np.zeros((joints, 2, 6, 6))
        normals = work.now.joints["translation_rows"].reshape(joints, 3, 3)
        axes = work.now.joints["rotation_rows"].reshape(joints, 3, 3)
        for side, sign, arm in (
            (0, -1.0, work.now.joints["arm1"]),
            (1, 1.0, work.now.joints["arm2"]),
        ):
            G[:, side, :3, :3] = sign * normals
            G[:, side, :3, 3:] = sign * np.cross(arm[:, None, :], normals)
            G[:, side, 3:, 3:] = sign * axes
        return G


def take_step(
    model: Model, systems: JointSystems, state: State, plan: Plan, work: Workspace, tally: Tally
) -> bool:
    """One step of a plan, in halves where it does not converge; False at the floor."""
    totals = tally.totals[0]
    corrections, velocity_corrections = totals.corrections, totals.velocity_corrections
    if not _halving_step(_impulse_step, _save, _restore, model, systems, state, plan, work, tally):
        return False
    note_most(totals, corrections, velocity_corrections)
    count_step(model, state, work, tally)
    return True


def load_kernels(
    model: Model, systems: JointSystems, state: State, work: Workspace, tally: Tally
) -> None:
    """Call every kernel once on scratch, so that no compilation is timed as a step."""
    prepare(model, systems, state, work)
    take_step(model, systems, state, Plan(1e-9, 1, -1, np.ones(1), np.inf), work, tally)
    restore_totals(work, tally)  # as where a step is divided


# The function the kernel was made of; without compilation it is the function itself.
_halving_step: Callable[..., bool] = getattr(halving_step, "py_func", halving_step)


def _save(state: State, work: Workspace) -> None:
    restore_state(work.saved, state)


def _restore(model: Model, systems: JointSystems, state: State, work: Workspace) -> None:
    restore_state(state, work.saved)
    prepare(model, systems, state, work)


def prepare(model: Model, systems: JointSystems, state: State, work: Workspace) -> None:
    """Directions, angular velocities and factors at the present state."""
    find_directions(model, state, work)
    systems.factorise(state, work)


def _impulse_step(
    model: Model,
    systems: JointSystems,
    state: State,
    h: float,
    tolerance: float,
    work: Workspace,
    tally: Tally,
) -> int:
    """Advance a consistent state by h: COMPLETED, or why not."""
    power = push(model, state, h, work)
    status = _correct_joints(model, systems, state, h, tolerance, work, tally)
    if status != COMPLETED:
        return status
    if not take_prediction(model, state, h, work, tally):
        return LINE
    systems.factorise(state, work)
    _correct_velocities(model, systems, state, h, tolerance, work, tally)
    add_work(model, state, h, power, work, tally)
    return COMPLETED


def _correct_joints(
    model: Model,
    systems: JointSystems,
    state: State,
    h: float,
    tolerance: float,
    work: Workspace,
    tally: Tally,
) -> int:
    """Find impulses at t that satisfy every joint at t+h, and leave the prediction in work:
    COMPLETED, or why not.
    """
    work.impulse[:] = 0.0
    stalls = _Stalls()
    several = len(systems.systems) > 1
    for _ in range(MOST_ROUNDS if several else MOST_CORRECTIONS):
        shift, turn, error, joint = predicted_errors(model, state, h, work, tally)
        if work.stop[0]:
            return STOPPED
        if tally.failure[0].body >= 0:
            return TOO_FAR
        work.impulse[:] = 0.0
        if error <= tolerance:
            tally.totals[0].translation_error = max(tally.totals[0].translation_error, shift)
            tally.totals[0].rotation_error = max(tally.totals[0].rotation_error, turn)
            return COMPLETED
        tally.failure[0].joint = joint
        tally.failure[0].error = error
        if stalls.too_many(error):
            return OPEN
        for k, system in enumerate(systems.systems):
            if k:
                predicted_errors(model, state, h, work, tally)
            system.solve(work.error / -h, work.impulse)
        tally.totals[0].corrections += 1
    return OPEN


def _correct_velocities(
    model: Model,
    systems: JointSystems,
    state: State,
    h: float,
    tolerance: float,
    work: Workspace,
    tally: Tally,
) -> None:
    """Remove relative velocities along the constraint directions.

    One solution of one system is exact. With several they are solved in turns until the velocities
    are below the tolerance per second, or no longer fall.
    """
    state.joints["multiplier"] = 0.0
    state.clock[0].multiplier_step = h
    work.impulse[:] = 0.0
    rate = remaining_velocities(model, state, work)
    stalls = _Stalls()
    several = len(systems.systems) > 1
    for round_ in range(MOST_ROUNDS if several else 1):
        if not systems.systems or (round_ and (rate <= tolerance or stalls.too_many(rate))):
            break
        for system in systems.systems:
            system.solve(-work.error, work.impulse)
            state.joints["multiplier"] += work.impulse
            rate = remaining_velocities(model, state, work)
        tally.totals[0].velocity_corrections += 1


class _Stalls:
    """Counts the rounds that did not reduce an error."""

    def __init__(self) -> None:
        self._smallest = np.inf
        self._count = 0

    def too_many(self, error: float) -> bool:
        """Whether this error, too, is hardly below the smallest so far, or beyond all measure."""
        if not (error < LEAST_GAIN * self._smallest):
            self._count += 1
        self._smallest = min(self._smallest, error)
        return self._count > STALLS_ALLOWED or not (error < 1e6)
