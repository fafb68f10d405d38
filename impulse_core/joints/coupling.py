"""Couplings: a linear relation between any number of joint coordinates. Removes 1 freedom.

    C = Σ cₖ sₖ - c₀ = 0                                                     (docs/algorithm.md, 38)
    G v = Σ cₖ ṡₖ

where each s (39) is the angle of a hinge or cylindrical joint, continuous over full turns, or the
displacement of a slider or cylindrical joint; both are zero at the start pose. With a the axis of
the joint, carried by its body 1, and B its point of body 2,

    angle:          s = 2 atan2(a·v, w),  (w, v) = q1⁻¹ ∘ q2 ∘ Q0⁻¹,   row (0, -aᵀ | 0, aᵀ)
    displacement:   s = a · (B - A) - s(0),   row (-aᵀ, -((B-C1)×a)ᵀ | aᵀ, ((B-C2)×a)ᵀ)

so every term acts on both bodies of its joint as a motor on that axis would, and momenta are
conserved. The multiplier of a coupling stands in row 0 of its joint.

Functions that take ``coupled`` are compiled as nothing where that is None: scenes without couplings
do not wait for them.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, cross, dot, quat_of, rotate, set_vec3, vec3_at, vec3_of
from impulse_core.jit import inner_kernel
from impulse_core.joints.coordinates import distance_along, turned_angle
from impulse_core.joints.table import ROTATION_AXIS

_ROUND_OFF = 1e-15  # of Σ |cₖ sₖ|: after many turns no smaller error can be told from zero


@inner_kernel
def _coordinate(model, k, poses, near):
    """Coordinate of term k at these poses; of all equal angles the one nearest to ``near``."""
    j = model.couplings.terms[k].joint
    if model.couplings.terms[k].row == ROTATION_AXIS:
        return turned_angle(model, j, poses, near)
    return distance_along(model, j, poses) - model.couplings.terms[k].offset


@inner_kernel
def coupling_errors(model, coupled, poses, near, coordinate, error):
    """Errors of all couplings at these poses, into error (m, 6); coordinates into coordinate (t,).

    Returns the largest error in metres and its joint, -1 if there is none. A NaN makes that
    error infinite.
    """
    if coupled is None:
        return 0.0, -1
    couplings = model.couplings
    worst = 0.0
    worst_joint = -1
    for c in range(len(couplings.joint)):
        d = -couplings.constant[c]
        size = abs(d)
        for k in range(couplings.first_term[c], couplings.first_term[c + 1]):
            s = _coordinate(model, k, poses, near[k])
            coordinate[k] = s
            d += couplings.terms[k].coefficient * s
            size += abs(couplings.terms[k].coefficient * s)
        j = couplings.joint[c]
        error[j, 0], error[j, 1], error[j, 2] = d, 0.0, 0.0
        rest = abs(d) * couplings.weight[c]
        if abs(d) <= _ROUND_OFF * size:
            rest = 0.0
        if not (rest <= worst):  # also true for NaN
            worst = rest if rest == rest else 1e300
            worst_joint = j
    return worst, worst_joint


@inner_kernel
def coupling_directions(model, coupled, poses, directions):
    """Axes and arms of all terms at these poses, into directions."""
    if coupled is None:
        return
    terms = model.couplings.terms
    for k in range(len(terms)):
        j = terms[k].joint
        i1, i2 = model.joints[j].body1, model.joints[j].body2
        a = vec3_of(model.joints[j].axis1)
        set_vec3(directions.terms[k].axis, rotate(quat_of(poses[i1].orientation), a))
        if terms[k].row != ROTATION_AXIS:
            r2 = rotate(quat_of(poses[i2].orientation), vec3_of(model.joints[j].anchor2))
            B = vec3_of(poses[i2].position) + r2
            set_vec3(directions.terms[k].arm1, B - vec3_of(poses[i1].position))
            set_vec3(directions.terms[k].arm2, r2)


@inner_kernel
def term_moments(model, k, directions):
    """What a unit impulse along term k turns: moments about the centres of bodies 1 and 2."""
    a = vec3_of(directions.terms[k].axis)
    if model.couplings.terms[k].row == ROTATION_AXIS:
        return a, a
    return (
        cross(vec3_of(directions.terms[k].arm1), a),
        cross(vec3_of(directions.terms[k].arm2), a),
    )


@inner_kernel
def term_rows(model, k, directions):
    """Row of G of term k: linear and angular part of body 1, then of body 2.

    The linear parts mean nothing for an angle.
    """
    c = model.couplings.terms[k].coefficient
    a = c * vec3_of(directions.terms[k].axis)
    m1, m2 = term_moments(model, k, directions)
    return -a, -c * m1, a, c * m2


@inner_kernel
def push_term(model, k, impulse, state, work):
    """Change the momenta of both bodies by an impulse along the axis of term k."""
    terms = model.couplings.terms
    j = terms[k].joint
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    if terms[k].row != ROTATION_AXIS:
        P = impulse * vec3_of(work.now.terms[k].axis)
        v1 = vec3_of(state.bodies[i1].velocity) - P * model.bodies[i1].inverse_mass
        set_vec3(state.bodies[i1].velocity, v1)
        v2 = vec3_of(state.bodies[i2].velocity) + P * model.bodies[i2].inverse_mass
        set_vec3(state.bodies[i2].velocity, v2)
    m1, m2 = term_moments(model, k, work.now)
    set_vec3(
        state.bodies[i1].angular_momentum, vec3_of(state.bodies[i1].angular_momentum) - impulse * m1
    )
    set_vec3(
        state.bodies[i2].angular_momentum, vec3_of(state.bodies[i2].angular_momentum) + impulse * m2
    )


@inner_kernel
def apply_coupling_impulses(model, coupled, impulse, state, work):
    """Change the momenta by Gᵀλ of all couplings; impulse is λ, shape (m, 6).

    Returns the work of kinematic bodies [J], as apply_impulses counts it.
    """
    if coupled is None:
        return 0.0
    couplings = model.couplings
    work_done = 0.0
    for c in range(len(couplings.joint)):
        p = impulse[couplings.joint[c], 0]
        for k in range(couplings.first_term[c], couplings.first_term[c + 1]):
            push_term(model, k, couplings.terms[k].coefficient * p, state, work)
            work_done += _kinematic_work(model, k, couplings.terms[k].coefficient * p, state, work)
    return work_done


@inner_kernel
def _kinematic_work(model, k, impulse, state, work):
    """Work of kinematic bodies in an impulse along term k [J]."""
    world = len(model.bodies) - 1
    j = model.couplings.terms[k].joint
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    rate = 0.0
    if model.dynamic <= i1 < world or model.dynamic <= i2 < world:
        m1, m2 = term_moments(model, k, work.now)
        along = ZERO3
        if model.couplings.terms[k].row != ROTATION_AXIS:
            along = vec3_of(work.now.terms[k].axis)
        if model.dynamic <= i1 < world:
            rate += dot(along, vec3_of(state.bodies[i1].velocity))
            rate += dot(m1, vec3_at(work.angular_velocity, i1))
        if model.dynamic <= i2 < world:
            rate -= dot(along, vec3_of(state.bodies[i2].velocity))
            rate -= dot(m2, vec3_at(work.angular_velocity, i2))
    return impulse * rate


@inner_kernel
def term_rate(model, k, state, work):
    """ds/dt of term k, with the directions and angular velocities in work."""
    terms = model.couplings.terms
    j = terms[k].joint
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    u = ZERO3
    if terms[k].row != ROTATION_AXIS:
        u = vec3_of(state.bodies[i2].velocity) - vec3_of(state.bodies[i1].velocity)
    m1, m2 = term_moments(model, k, work.now)
    turning = dot(m2, vec3_at(work.angular_velocity, i2))
    turning -= dot(m1, vec3_at(work.angular_velocity, i1))
    return dot(vec3_of(work.now.terms[k].axis), u) + turning


@inner_kernel
def coupling_velocities(model, coupled, state, work, rate):
    """G v of all couplings, into rate (m, 6). Returns the largest in m/s."""
    if coupled is None:
        return 0.0
    couplings = model.couplings
    fastest = 0.0
    for c in range(len(couplings.joint)):
        u = 0.0
        for k in range(couplings.first_term[c], couplings.first_term[c + 1]):
            u += couplings.terms[k].coefficient * term_rate(model, k, state, work)
        j = couplings.joint[c]
        rate[j, 0], rate[j, 1], rate[j, 2] = u, 0.0, 0.0
        fastest = max(fastest, abs(u) * couplings.weight[c])
    return fastest


@inner_kernel
def foresee_coordinates(model, coupled, state, h, work):
    """Where the coordinates will be at t+h if they keep their rates, to know full turns by."""
    if coupled is None:
        return
    for k in range(len(model.couplings.terms)):
        rate = term_rate(model, k, state, work)
        work.terms[k].near = state.terms[k].position + h * rate


@inner_kernel
def accept_coordinates(model, coupled, state, work):
    """The coordinates of the last prediction are those of the state."""
    if coupled is None:
        return
    for k in range(len(model.couplings.terms)):
        state.terms[k].position = work.terms[k].next
