"""One joint after another: the rounds of the iterative solver (docs/algorithm.md, 31).

Every joint has a 6×6 matrix of its own, whose inverse is kept. A joint is looked at again only
after a body of it has moved, and joints are visited in their order and back again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import (
    Mat3,
    cross,
    inverse_symmetric,
    mat3_at,
    mat3_of,
    put_mat3,
    quat_of,
    rotation_matrix,
    similarity,
    times_transposed,
    transposed_times,
    vec3_of,
)
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import joint_directions
from impulse_core.joints.table import NO_PART
from impulse_core.model import Model, Structure
from impulse_core.solver.direct import moment_rows, transposed
from impulse_core.types import Floats, Ints, by_address

__all__ = [
    "REFUSED",
    "SATISFIED",
    "SPENT",
    "STALLED",
    "UNLIMITED",
    "Bounds",
    "Sweeps",
    "in_turn",
    "new_sweeps",
    "prepare_joints",
]

UNLIMITED = 2**62  # corrections
MOST_SWEEPS = 20_000  # per half of a stage. Reaching it in positions is a failure.
SWEEPS_TO_GAIN = 32  # in as many sweeps the worst error must fall, or they are given up
LEAST_GAIN = 0.999  # to this fraction

# How it ended: every joint holds, the budget is spent, a body would turn too far, or the errors
# fall no more.
SATISFIED, SPENT, REFUSED, STALLED = 0, 1, 2, 3


class Bounds(NamedTuple):
    """Between what joints are corrected one after another."""

    divisor: float
    """What an error is divided by: the time in which it is to vanish [s], 1 for velocities."""
    enough: float
    """Error up to which a joint is left as it is [m], [m/s]."""
    pull: float
    """Most of an error that one impulse removes [m], [m/s]."""
    hopeless: float
    """Error from which on they are given up [m], [m/s]."""
    most: int
    """Corrections that may be made after the first round."""


@by_address
class Sweeps(NamedTuple):
    """What the iterative solver keeps beside the workspace."""

    padding: Floats
    """1 in rows that only fill a part up to three, 0 in constraint rows, shape (m, 6)."""
    translation_inverse: Floats
    """Inverse of each joint's A over its translational rows, shape (m, 9)."""
    coupling: Floats
    """That inverse times A of translational by rotational rows, shape (m, 9)."""
    rotation_inverse: Floats
    """Inverse of the Schur complement over the rotational rows, shape (m, 9)."""
    inverse_inertia: Floats
    """J⁻¹ of each body in world axes [1/(kg m²)], shape (b, 9)."""
    half_impulse: Floats
    """Sum of the impulses of the first half of a stage, where joints are open, shape (m, 6)."""
    rough: Ints
    """1 while joints are open beyond the tolerance, shape (1,)."""
    moved: Ints
    """Number of the last correction that moved each body, shape (b,)."""
    looked: Ints
    """Number of the last correction each joint has seen, shape (m,)."""
    limit: Ints
    """Most corrections of a step, shape (1,)."""
    left: Ints
    """How many of them are left, shape (1,)."""
    path: Floats
    """Σ |γ| h of the step [s], by which stages share the limit, shape (1,)."""
    spare: Floats
    """Corrections the present stage may make after its first round, shape (1,)."""
    cut: Ints
    """1 where the limit ended a correction of this step, shape (1,)."""
    step_error: Floats
    """Largest joint error after a stage of this step [m], shape (1,)."""


def new_sweeps(model: Model, structure: Structure) -> Sweeps:
    """Scratch arrays that fit the model, without a limit."""
    rows, joints = len(model.bodies), len(model.joints)
    return Sweeps(
        padding=structure.joints["padding"].copy(),
        translation_inverse=np.zeros((joints, 9)),
        coupling=np.zeros((joints, 9)),
        rotation_inverse=np.zeros((joints, 9)),
        inverse_inertia=np.zeros((rows, 9)),
        half_impulse=np.zeros((joints, 6)),
        rough=np.zeros(1, dtype=np.int64),
        moved=np.zeros(rows, dtype=np.int64),
        looked=np.zeros(joints, dtype=np.int64),
        limit=np.full(1, UNLIMITED, dtype=np.int64),
        left=np.zeros(1, dtype=np.int64),
        path=np.zeros(1),
        spare=np.zeros(1),
        cut=np.zeros(1, dtype=np.int64),
        step_error=np.zeros(1),
    )


@inlined_kernel
def in_turn(error, push, model, sweeps, state, bounds, work, tally):
    """Correct one joint after another: how it ended, corrections made, rounds that were followed
    by another one or ended by a stall.

    error(model, state, j, work) measures joint j: both parts of its error, and their size.
    push(model, sweeps, state, i, impulse, torque, divisor, work) changes momenta of body i;
    False where it would turn too far.
    """
    _look_again(model, sweeps)
    made = 0
    previous = 1e300
    for sweep in range(MOST_SWEEPS):
        worst, made, body = _round(
            error, push, model, sweeps, state, sweep, bounds, made, work, tally
        )
        if body >= 0:
            tally.failure[0].body = body
            return REFUSED, made, sweep
        if worst == 0.0:
            return SATISFIED, made, sweep
        if work.stop[0]:
            return STALLED, made, sweep
        if made >= bounds.most:
            return SPENT, made, sweep
        if not (worst < bounds.hopeless):
            return STALLED, made, sweep
        if sweep % SWEEPS_TO_GAIN == 0:
            if not (worst < LEAST_GAIN * previous):
                return STALLED, made, sweep + 1
            previous = worst
    return STALLED, made, MOST_SWEEPS


@inlined_kernel
def _round(error, push, model, sweeps, state, sweep, bounds, made, work, tally):
    """Visit every joint once: the worst error, corrections made so far, and -1 or the body that
    would turn too far.
    """
    joints = len(model.joints)
    worst = 0.0
    for visit in range(joints):
        j = joints - 1 - visit if sweep % 2 else visit
        i1, i2 = model.joints[j].body1, model.joints[j].body2
        if sweeps.looked[j] >= max(sweeps.moved[i1], sweeps.moved[i2]):
            continue
        sweeps.looked[j] = made + 1
        T, R, size = error(model, state, j, work)
        if size <= bounds.enough:
            continue
        if not (size <= worst):
            worst = size
        if made >= bounds.most and sweep > 0:
            break
        share = min(1.0, bounds.pull / size) / -bounds.divisor
        p, l = _solve_joint(sweeps, j, share * T, share * R)
        _add(work.impulse, j, p, l)
        p = transposed_times(mat3_of(work.now.joints[j].translation_rows), p)
        l = transposed_times(mat3_of(work.now.joints[j].rotation_rows), l)
        made += 1
        for side in range(2):
            i = i2 if side else i1
            if i >= model.dynamic:
                continue
            sign = 1.0 if side else -1.0
            arm = vec3_of(work.now.joints[j].arm2 if side else work.now.joints[j].arm1)
            torque = sign * (cross(arm, p) + l)
            if not push(model, sweeps, state, i, sign * p, torque, bounds.divisor, work):
                tally.failure[0].joint, tally.failure[0].error = j, size
                return worst, made, i
            sweeps.moved[i] = made + 1
    return worst, made, -1


@kernel
def _solve_joint(sweeps, j, T, R):
    """Both parts of λ with A_j λ = (T, R), by the Schur complement of the rotational rows."""
    coupling = mat3_at(sweeps.coupling, j)
    r = mat3_at(sweeps.rotation_inverse, j) @ (R - transposed_times(coupling, T))
    return mat3_at(sweeps.translation_inverse, j) @ T - coupling @ r, r


@kernel
def _add(impulse, j, p, l):
    impulse[j, 0] += p.x
    impulse[j, 1] += p.y
    impulse[j, 2] += p.z
    impulse[j, 3] += l.x
    impulse[j, 4] += l.y
    impulse[j, 5] += l.z


@inner_kernel
def _look_again(model, sweeps):
    """Forget what joints have seen."""
    for i in range(len(model.bodies)):
        sweeps.moved[i] = 1 if i < model.dynamic else 0
    for j in range(len(model.joints)):
        sweeps.looked[j] = 0


@inner_kernel
def prepare_joints(model, sweeps, state, work):
    """Directions, inertia in world axes, and the inverse of every joint's matrix."""
    joint_directions(model, state.bodies, work.now)
    for i in range(model.dynamic):
        R = rotation_matrix(quat_of(state.bodies[i].orientation))
        put_mat3(sweeps.inverse_inertia, i, similarity(R, vec3_of(model.bodies[i].inverse_inertia)))
    zero = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(model.dynamic, len(model.bodies)):
        put_mat3(sweeps.inverse_inertia, i, zero)
    E = sweeps.padding
    for j in range(len(model.joints)):
        P = (
            mat3_of(work.now.joints[j].translation_rows)
            if model.joints[j].translation_part != NO_PART
            else zero
        )
        Q = (
            mat3_of(work.now.joints[j].rotation_rows)
            if model.joints[j].rotation_part != NO_PART
            else zero
        )
        T = Mat3(E[j, 0], 0.0, 0.0, 0.0, E[j, 1], 0.0, 0.0, 0.0, E[j, 2])
        C = zero
        R = Mat3(E[j, 3], 0.0, 0.0, 0.0, E[j, 4], 0.0, 0.0, 0.0, E[j, 5])
        for side in range(2):
            i = model.joints[j].body2 if side else model.joints[j].body1
            J = mat3_at(sweeps.inverse_inertia, i)
            W = moment_rows(
                vec3_of(work.now.joints[j].arm2 if side else work.now.joints[j].arm1), P
            )
            WJ = W @ J
            T = T + times_transposed(P, P) * model.bodies[i].inverse_mass + times_transposed(WJ, W)
            C = C + times_transposed(WJ, Q)
            R = R + times_transposed(Q @ J, Q)
        inverse = inverse_symmetric(T)
        coupling = inverse @ C
        put_mat3(sweeps.translation_inverse, j, inverse)
        put_mat3(sweeps.coupling, j, coupling)
        put_mat3(sweeps.rotation_inverse, j, inverse_symmetric(R - transposed(C) @ coupling))
