"""Free motion of all bodies over h: where they would be without any joint.

    C⁺ = C + h v + ½ h² g,   v⁺ = v + h g                                    (docs/algorithm.md, 1)

Constant gravity is in the flow, exactly, and nowhere else. The rotation is exact (closed form
for symmetric tops, Taylor series to round-off otherwise) or one Runge-Kutta step.

The series is the only rotation whose work grows with the turn. A prediction is therefore refused
where a body would turn further than MOST_TURN, or MORE_TURN further than with the angular momentum
it began the step with: impulses that do that are no step towards a solution, since the directions
along which they act were those of another pose. A shorter step asks for less of both.
"""

from __future__ import annotations

from impulse_core.algebra import quat_of, set_quat, set_vec3, vec3_at, vec3_of
from impulse_core.free_motion.kinematic import drive, predict_kinematic
from impulse_core.free_motion.runge_kutta import turn_by_runge_kutta
from impulse_core.free_motion.symmetric_top import turn_symmetric_top
from impulse_core.free_motion.taylor import most_turn, turn_by_taylor_series
from impulse_core.jit import inner_kernel
from impulse_core.model import FLOW_RK4

MOST_TURN = 1e4  # rad in one prediction of a body without symmetry: 15 ms of work
MORE_TURN = 100.0  # rad in one prediction that impulses may add to that: 0.15 ms


@inner_kernel
def turned(model, q, angular_momentum, i, h, series):
    """Orientation of body i after free motion over h from orientation q."""
    axis = model.bodies[i].symmetry_axis
    if model.flow == FLOW_RK4:
        return turn_by_runge_kutta(
            q,
            angular_momentum,
            vec3_of(model.bodies[i].inertia),
            vec3_of(model.bodies[i].inverse_inertia),
            h,
        )
    if axis >= 0:
        transverse = 1 if axis == 0 else 0
        return turn_symmetric_top(
            q,
            angular_momentum,
            model.bodies[i].inverse_inertia[axis],
            model.bodies[i].inverse_inertia[transverse],
            axis,
            h,
        )
    return turn_by_taylor_series(
        q,
        angular_momentum,
        vec3_of(model.bodies[i].inertia),
        vec3_of(model.bodies[i].inverse_inertia),
        h,
        series,
    )


@inner_kernel
def turns_too_far(model, angular_momentum, i, h, work):
    """Whether the rotation of body i over h is more work than a step may ask for, or nobody waits
    for it any more. work.saved is the state with which the step began.
    """
    if model.bodies[i].symmetry_axis >= 0 or model.flow == FLOW_RK4:
        return False
    inverse_inertia = vec3_of(model.bodies[i].inverse_inertia)
    turn = most_turn(angular_momentum, inverse_inertia, h)
    if turn <= MORE_TURN:
        return False
    own = most_turn(vec3_of(work.saved.bodies[i].angular_momentum), inverse_inertia, h)
    return work.stop[0] != 0 or not (turn <= min(own + MORE_TURN, MOST_TURN))


@inner_kernel
def predict(model, state, h, work):
    """Write the poses after h into work.next_position and work.next_orientation.

    Dynamic bodies move freely, kinematic ones as prescribed. Returns -1, or the first body that
    would turn too far; the prediction is then not complete.
    """
    for i in range(model.dynamic):
        if not predict_body(model, state, i, h, work.series, work):
            return i
    predict_kinematic(model, state, h, work)
    return -1


@inner_kernel
def predict_body(model, state, i, h, series, work):
    """The same of one body that moves freely; False if it would turn too far. series: scratch."""
    half_gravity = vec3_at(model.gravity.reshape(1, 3), 0) * (0.5 * h * h)
    C = vec3_of(state.bodies[i].position)
    v = vec3_of(state.bodies[i].velocity)
    set_vec3(work.next[i].position, C + h * v + half_gravity)
    L = vec3_of(state.bodies[i].angular_momentum)
    if turns_too_far(model, L, i, h, work):
        return False
    q = turned(model, quat_of(state.bodies[i].orientation), L, i, h, series)
    set_quat(work.next[i].orientation, q)
    return True


@inner_kernel
def advance(model, state, h, work):
    """Take the predicted poses as the new ones and let gravity act on the velocities.

    Kinematic bodies get the velocities prescribed for the time of state plus h.
    """
    dv = vec3_at(model.gravity.reshape(1, 3), 0) * h
    for i in range(len(model.bodies)):
        set_vec3(state.bodies[i].position, vec3_of(work.next[i].position))
        set_quat(state.bodies[i].orientation, quat_of(work.next[i].orientation))
    for i in range(model.dynamic):
        set_vec3(state.bodies[i].velocity, vec3_of(state.bodies[i].velocity) + dv)
    drive(model, state, state.clock[0].time + h, work)
