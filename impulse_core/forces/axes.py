"""Free axes of joints: coordinates, velocities, and the rows that carry their force laws.

An axis is one scalar row of its joint, beside the constraint rows: the direction a of a hinge or
slider, or the line between the points of a spring. Its coordinate s is an angle [rad], continuous
over full turns, or a displacement [m]; both are zero at the start pose. Of a spring between two
points it is the length, or one component of B - A where the spring has no rest length.

The row is part of every joint system. With the compliance E of the active piece of its force law
on the diagonal and the residual of that law on the right-hand side (docs/algorithm.md, 33), a
solver need not know that it is not a constraint.
"""

from __future__ import annotations

from impulse_core.algebra import Vec3, norm, quat_of, rotate, vec3_of
from impulse_core.forces.force_law import active_piece
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import apply_impulses
from impulse_core.joints.coordinates import cross_angle, distance_along, swing_of, turned_angle
from impulse_core.joints.swing import swung_elsewhere
from impulse_core.joints.table import (
    CONSTANT_ANGLE,
    FIRST_ROTATION,
    LENGTH,
    OFFSET,
    ROTATION_AXIS,
    SWING,
    SWING_AXIS,
    TURNING,
)
from impulse_core.joints.turning import turned_since
from impulse_core.model import FREE_COMPLIANCE

SAME, OTHER_PIECE, OTHER_MATRIX = 0, 1, 2

GIVE = 1e-5
"""Compliance of a vertical piece, relative to the inverse mass along its axis, where loops may hold
the axis as well: no row repeats others then, and those that would share the load as near as can be
to how they began. It weighs the change of an impulse, so that the law that is met in the end has
none of it."""

_GIVE_TO_CONTACTS = 1e-3
"""The same where bodies touch. Feet that stick and contradict each other by δ push with δ over it,
so it is as large as still brings what is left of a residual down a thousandfold with each round;
with less from the start, contacts look for impulses at which no axis would stick any more. It falls
where rounds gain too little (``less_give``): where the two bodies of a joint are light beside what
moves with them, what their vertical piece gives is much beside the machine's inverse mass."""

_SLOW = 0.1  # of a residual: what a round leaves at most where vertical pieces need not give less
_LESS = _SLOW * _SLOW  # of what they gave
_LEAST_GIVE = 1e-8  # relative to the inverse mass along an axis: what gives less is left as it is
_LAW_PRECISION = 100.0  # laws are met to this fraction of the tolerance: forces' errors add up
_ROUND_OFF = 1e-15  # of the terms of a law: after many turns no smaller error can be told from zero


@inner_kernel
def axis_position(model, k, poses, near):
    """Coordinate of axis k at these poses; of all equal angles the one nearest to ``near``."""
    j, row = model.axes[k].joint, model.axes[k].row
    if model.joints[j].rotation_part == TURNING:
        return near  # which poses do not tell
    if model.joints[j].rotation_part == CONSTANT_ANGLE:
        return cross_angle(model, j, row, poses, near)
    if model.joints[j].rotation_part == SWING and row == SWING_AXIS:
        return swing_of(model, j, poses)
    if row == ROTATION_AXIS:
        return turned_angle(model, j, poses, near)
    part = model.joints[j].translation_part
    if part == LENGTH:
        return norm(_between_points(model, j, poses))
    if part == OFFSET:
        r = _between_points(model, j, poses)
        return r.x if row == 0 else (r.y if row == 1 else r.z)
    return distance_along(model, j, poses) - model.axes[k].offset


@inner_kernel
def _between_points(model, j, poses):
    """B - A of joint j, world frame."""
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    A = vec3_of(poses[i1].position) + rotate(
        quat_of(poses[i1].orientation), vec3_of(model.joints[j].anchor1)
    )
    B = vec3_of(poses[i2].position) + rotate(
        quat_of(poses[i2].orientation), vec3_of(model.joints[j].anchor2)
    )
    return B - A


@kernel
def measure_axes(model, state):
    """Coordinates of all axes at the present poses, into the state."""
    for k in range(len(model.axes)):
        near = state.axes[k].position
        state.axes[k].position = axis_position(model, k, state.bodies, near)


@inner_kernel
def read_axes(model, rows, values):
    """Gather the axis rows of a joint array (m, 6) into values (k,)."""
    for k in range(len(model.axes)):
        values[k] = rows[model.axes[k].joint, model.axes[k].row]


@inner_kernel
def _take_piece(model, state, k, vertical, value, slope, compliance, slack, work):
    """Make a piece the active one of axis k; how it differs from the one before."""
    change = SAME
    if work.axes[k].vertical != vertical or work.axes[k].piece[0] != value:
        change = OTHER_PIECE
    work.axes[k].vertical = vertical
    work.axes[k].piece[0] = value
    work.axes[k].piece[1] = slope
    j, row = model.axes[k].joint, model.axes[k].row
    if abs(work.compliance[j, row] - compliance) > slack * compliance:
        work.compliance[j, row] = compliance
        state.axes[k].compliance = compliance
        change = OTHER_MATRIX
    return change


@inner_kernel
def _compliance(vertical, slope, h, w, give):
    """E of a piece: with p = p0 - κ x and Δx = h w Δp, (w + E) Δp = -e/h for E = 1/(κ h) and
    e = E h (p - p0 + κ x); on a vertical piece e = x - x0 and E = 0, or a little.
    """
    if vertical:
        return give
    softest = FREE_COMPLIANCE * w
    return 1.0 / (slope * h) if abs(slope * h * softest) > 1.0 else softest


@inner_kernel
def give_of_axes(structure, contact):
    """Compliance of vertical pieces, relative to the inverse mass along their axis."""
    give = GIVE if structure.has_loops else 0.0
    if contact is not None:
        give = _GIVE_TO_CONTACTS
    return give


@inlined_kernel
def less_give(give, residual, previous, enough):
    """What vertical pieces give in the next round: less where the last one, from a residual
    ``previous``, gained little, or the next would have to gain much, to leave ``enough``. In the
    first look of a half no round has been.
    """
    slow = previous < 1e300 and residual > max(enough, min(_SLOW * previous, enough / _SLOW))
    return _LESS * give if slow and give > _LEAST_GIVE else give


@inner_kernel
def axis_errors(model, state, x, h, slack, give, first, work, error):
    """Choose the active piece of every law at x (k,) and work.axes.impulse; residuals into error.

    In the ``first`` look of a half joints have not answered, so that impulses, which have acted
    before, tell more than x: they count as if the two bodies of the joint moved alone.

    x are the coordinates at the end of the stage, or with h = 1 the velocities there. A compliance
    that changes by less than ``slack`` of it is left as it is in the matrix; ``give`` is that of
    vertical pieces, relative to the inverse mass. Returns the largest residual in metres, its
    axis, and what changed with the pieces: SAME, OTHER_PIECE, or OTHER_MATRIX where a compliance
    did, so that the matrix has to be factorised again.
    """
    worst = 0.0
    worst_axis = -1
    change = SAME
    for k in range(len(model.axes)):
        w = model.axes[k].inverse_mass_behind
        p = work.axes[k].impulse
        rho = abs(h) * (model.axes[k].inverse_mass if first else w)
        vertical, value, slope = active_piece(work.laws[k], x[k] - rho * p, rho)
        compliance = _compliance(vertical, slope, h, w, give * w)
        change = max(
            change, _take_piece(model, state, k, vertical, value, slope, compliance, slack, work)
        )
        j, row = model.axes[k].joint, model.axes[k].row
        residual, size = _residual(vertical, value, slope, x[k], p, h * w)
        error[j, row] = residual if vertical else work.compliance[j, row] * h * residual
        size *= model.axes[k].length
        if not (size <= worst):
            worst = size if size == size else 1e300
            worst_axis = k
    return worst, worst_axis, change


@inner_kernel
def release_axes(model, state, work):
    """Let nothing but rotors act along the axes, from the present velocities along them on.

    Those are in work.axes.rate; what ``rotor_errors`` asks for then acts at once.
    """
    for k in range(len(model.axes)):
        state.axes[k].compliance = rotor_compliance(model, k)
        work.axes[k].impulse = 0.0


@inner_kernel
def rotor_compliance(model, k):
    """E of axis k where nothing but its rotor acts, if it has one."""
    a, compliance = model.axes[k].armature, FREE_COMPLIANCE * model.axes[k].inverse_mass
    return 1.0 / a if a * compliance > 1.0 else compliance


@inner_kernel
def rotor_errors(model, work):
    """Errors of axes with rotors, of which work.error has the velocities: u - u0 + p/a."""
    for k in range(len(model.axes)):
        a, stage = model.axes[k].armature, work.axes[k]
        if a > 0.0:
            work.error[model.axes[k].joint, model.axes[k].row] += stage.impulse / a - stage.rate


@inner_kernel
def _residual(vertical, value, slope, x, p, rho):
    """What x or p lacks to a piece of a law, and its size as a change of x."""
    if vertical:
        return x - value, abs(x - value)
    residual = p - value + slope * x
    if abs(residual) <= _ROUND_OFF * (abs(p) + abs(value) + abs(slope * x)):
        return residual, 0.0
    return residual, _LAW_PRECISION * abs(residual * rho / (1.0 + slope * rho))


@inner_kernel
def largest_residual(model, h, work):
    """The largest residual in metres of the laws at work.axes.at and work.axes.impulse."""
    worst = 0.0
    for k in range(len(model.axes)):
        x, p, rho = work.axes[k].at, work.axes[k].impulse, h * model.axes[k].inverse_mass_behind
        vertical, value, slope = active_piece(work.laws[k], x - rho * p, rho)
        _, size = _residual(vertical, value, slope, x, p, rho)
        size *= model.axes[k].length
        if not (size <= worst):
            worst = size if size == size else 1e300
    return worst


@inner_kernel
def softened_pieces(model, state, h, give, work, error):
    """As axis_errors for the laws p ∈ P(x + E h (p - p_a)) with E = give w and the impulse p_a in
    work.axes.anchor, x in work.axes.at. Returns what changed with the pieces.

    Such a law is a function, and where it is met with p = p_a the exact one is.
    """
    change = SAME
    for k in range(len(model.axes)):
        stage, w = work.axes[k], model.axes[k].inverse_mass_behind
        soft = give * w
        j, row = model.axes[k].joint, model.axes[k].row
        z = stage.at - h * soft * stage.anchor
        vertical, value, slope = active_piece(work.laws[k], z, h * soft)
        compliance = _compliance(vertical, slope, h, w, soft)
        if not vertical:
            compliance += soft
        change = max(
            change, _take_piece(model, state, k, vertical, value, slope, compliance, 0.0, work)
        )
        if vertical:
            error[j, row] = stage.at - value + h * soft * (stage.impulse - stage.anchor)
        else:
            met = (value - slope * z) / (1.0 + slope * h * soft)
            error[j, row] = compliance * h * (stage.impulse - met)
    return change


@inner_kernel
def softened_impulse(law, x, anchor, give):
    """The p of the law p ∈ P(x + give (p - anchor))."""
    z = x - give * anchor
    vertical, value, slope = active_piece(law, z, give)
    if vertical:
        return anchor + (value - x) / give
    return (value - slope * z) / (1.0 + slope * give)


@inner_kernel
def add_axis_impulses(model, work):
    """Add the solution in work.impulse to the impulses of the axes."""
    for k in range(len(model.axes)):
        work.axes[k].impulse += work.impulse[model.axes[k].joint, model.axes[k].row]


@inner_kernel
def start_velocities(model, state, multiplier, scale, work):
    """Begin a velocity correction with impulses that have acted before: along the axes those in
    work.axes.impulse, of the joints, and at rest of axes too, scale times multiplier (m, 6). Laws
    that are evaluated before the joints have reacted would be on the wrong piece.
    """
    for j in range(len(model.joints)):
        for row in range(6):
            state.joints[j].multiplier[row] = scale * multiplier[j, row]
    for k in range(len(model.axes)):
        j, row = model.axes[k].joint, model.axes[k].row
        if work.still[0]:
            work.axes[k].impulse = state.joints[j].multiplier[row]
        work.axes[k].begun = work.axes[k].impulse
        if not work.resting[j]:
            state.joints[j].multiplier[row] = work.axes[k].impulse
    for j in range(len(model.joints)):
        for row in range(6):
            acts = 0.0 if work.resting[j] else 1.0
            work.impulse[j, row] = acts * state.joints[j].multiplier[row]
    apply_impulses(model, work.impulse, state, work)


@inner_kernel
def predict_axes(model, state, h, work):
    """Coordinates at the poses predicted for h later, into work.axes.next: of all equal angles that
    nearest to where the present rate leads.

    Returns the joint of a swing that leaves its cone on another side than that on which it is, so
    that its row does not lead back; -1 if there is none.
    """
    astray = -1
    for k in range(len(model.axes)):
        near = state.axes[k].position + h * work.axes[k].rate
        if model.joints[model.axes[k].joint].rotation_part == TURNING:
            work.axes[k].next = state.axes[k].position + _turned(model, state, k, h, work)
        else:
            work.axes[k].next = axis_position(model, k, work.next, near)
            if _leaves_elsewhere(model, k, state, work):
                astray = model.axes[k].joint
    return astray


@inner_kernel
def _leaves_elsewhere(model, k, state, work):
    j = model.axes[k].joint
    if model.joints[j].rotation_part != SWING or model.axes[k].row != SWING_AXIS:
        return False
    if work.axes[k].next <= model.axes[k].upper:
        return False
    return swung_elsewhere(model, j, state.bodies, work.next)


@inner_kernel
def _turned(model, state, k, h, work):
    """By how much the bodies of axis k turn about it [rad], by poses and prediction."""
    row = model.axes[k].row - FIRST_ROTATION
    first = k - row  # of the three axes of its joint
    expected = h * Vec3(work.axes[first].rate, work.axes[first + 1].rate, work.axes[first + 2].rate)
    v = turned_since(model, model.axes[k].joint, state.bodies, work.next, expected)
    return v.x if row == 0 else (v.y if row == 1 else v.z)
