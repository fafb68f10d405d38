"""Energy and momentum of a state, and the running tally of a simulation."""

from __future__ import annotations

from typing import NamedTuple, get_type_hints

import numpy as np

from impulse_core.algebra import Vec3, cross, dot, norm, quat_at, rotate, vec3_at, vec3_of
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.constraints import angular_velocities
from impulse_core.joints.coordinates import turned_angle
from impulse_core.joints.elements import spring_energy
from impulse_core.types import Floats, Ints

__all__ = [
    "CLOSED",
    "LAW",
    "LAW_RATE",
    "LINE",
    "RATE",
    "Tally",
    "new_tally",
    "observe",
    "tally_start",
    "tally_step",
]

CLOSED, LAW, RATE, LAW_RATE, LINE = 0, 1, 2, 3, 4
"""What failed (Tally.failed_what): to close the joints at the end of a step, a force law about the
coordinate there, the joints' or a law's velocity, a distance joint whose line turns too far."""

_STEPS_BY_RATES = 8  # after which an angle is read from the poses


class Tally(NamedTuple):
    """Sums and extremes over all steps so far; every field has shape (1,) unless said."""

    steps: Ints
    """Completed steps."""
    corrections: Ints
    """Joint corrections: evaluations of a prediction that needed one, over all steps."""
    most_corrections: Ints
    """Largest number of corrections in one step."""
    velocity_corrections: Ints
    """Velocity corrections, over all steps."""
    most_velocity_corrections: Ints
    """Largest number of velocity corrections in one step."""
    impulses: Ints
    """Impulses computed for single joints, over all steps; counted by the iterative solver."""
    most_impulses: Ints
    """Largest number of such impulses in one step."""
    cut_steps: Ints
    """Steps that a budget ended."""
    largest_step_error: Floats
    """Largest joint error after any stage, rotations weighed by body length [m]; the same."""
    step_error_sum: Floats
    """Σ largest joint error after a stage of the step [m]; counted by the iterative solver."""
    halvings: Ints
    """How often a step was repeated in halves."""
    translation_error: Floats
    """Largest translational joint error after any stage [m]."""
    rotation_error: Floats
    """Largest rotational joint error after any stage [rad]."""
    fastest: Floats
    """Largest angular velocity of a body after any step [rad/s]."""
    most_kinetic: Floats
    """Largest kinetic energy after any step [J]."""
    unresolved: Floats
    """What the joint tolerance leaves, entries as in accuracy.py, shape (5,)."""
    unresolved_joint: Ints
    """Joints of the stage that left most, and of the largest correction, shape (2,)."""
    work: Floats
    """Work done by loads [J]."""
    kinematic_work: Floats
    """Work done by kinematic bodies on the others [J]."""
    motor_work: Floats
    """Work done by motors [J]."""
    dissipated: Floats
    """Energy taken out by dampers, friction and limits [J]."""
    created: Floats
    """Energy that contacts created against their laws [J]."""
    start_energy: Floats
    """Total energy at the start [J]."""
    energy: Floats
    """Total energy after the last step less the work W of loads, kinematic bodies and motors, plus
    what was dissipated [J]."""
    largest_drift: Floats
    """max |E - E0 - W| [J]."""
    drift_sum: Floats
    """Σ |E - E0 - W| [J]."""
    increment_sum: Floats
    """Σ |ΔE - ΔW| [J]."""
    start_momentum: Floats
    """Linear and angular momentum at the start, shape (6,), about the world origin."""
    momentum_drift: Floats
    """Largest change of linear [N s] and angular [N m s] momentum, shape (2,)."""
    broken: Ints
    """Number of joints that broke so far."""
    broken_joint: Ints
    """Joints in the order in which they broke, shape (m,)."""
    broken_load: Floats
    """Time [s], force [N] and torque [N m] at which each of them broke, shape (m, 3)."""
    turned: Floats
    """Angle [rad], its rate [rad/s] and the time of both [s] of each of Model.counted_joint,
    shape (r, 3). Angles go on over full turns."""
    failed_joint: Ints
    """Joint that did not converge, -1 if none."""
    failed_what: Ints
    """What failed: CLOSED, LAW, RATE, LAW_RATE or LINE."""
    failed_error: Floats
    """Its error when the step was given up [m], of RATE [m/s]; that of laws is in the workspace."""
    failed_energy: Floats
    """Energy that contacts created in the step that was given up [J], 0 if joints failed."""
    failed_bodies: Ints
    """Bodies of the scene at the contact that created most of it, shape (2,)."""
    failed_time: Floats
    """How far into the failed step its last part began, and the length of that [s], shape (2,)."""
    failed_body: Ints
    """Body that would have turned too far (free_motion/flow.py), -1 if that was not the reason."""


def new_tally(joints: int = 0, counted: int = 0) -> Tally:
    """A tally of nothing yet, for a model with so many joints that may break, and so many whose
    turns are counted.
    """
    counters = {name for name, kind in get_type_hints(Tally).items() if kind == Ints}
    shapes: dict[str, int | tuple[int, int]] = {
        "start_momentum": 6,
        "momentum_drift": 2,
        "failed_bodies": 2,
        "failed_time": 2,
        "unresolved": 5,
        "unresolved_joint": 2,
        "broken_joint": joints,
        "broken_load": (joints, 3),
        "turned": (counted, 3),
    }
    return Tally(
        **{
            field: np.zeros(shapes.get(field, 1), dtype=np.int64 if field in counters else float)
            for field in Tally._fields
        }
    )


@inner_kernel
def energies(model, state, work):
    """Kinetic and potential energy [J], zero potential at the world origin.

    ½ m v² + ½ L·ω, and -m g·C with the springs; needs work.angular_velocity at the present state.
    """
    g = Vec3(model.gravity[0], model.gravity[1], model.gravity[2])
    kinetic = 0.0
    potential = 0.0
    for i in range(model.dynamic):
        v = vec3_at(state.velocity, i)
        w = vec3_at(work.angular_velocity, i)
        kinetic += 0.5 * model.bodies[i].mass * dot(v, v)
        kinetic += 0.5 * dot(vec3_at(state.angular_momentum, i), w)
        potential -= model.bodies[i].mass * dot(g, vec3_at(state.position, i))
    return kinetic, potential + spring_energy(model, state)


@inner_kernel
def momenta(model, state):
    """Total linear [N s] and angular [N m s] momentum about the world origin."""
    P = Vec3(0.0, 0.0, 0.0)
    L = Vec3(0.0, 0.0, 0.0)
    for i in range(model.dynamic):
        p = vec3_at(state.velocity, i) * model.bodies[i].mass
        P = P + p
        L = L + cross(vec3_at(state.position, i), p) + vec3_at(state.angular_momentum, i)
    return P, L


@kernel
def observe(model, state, work):
    """Kinetic and potential energy [J], linear and angular momentum of the present state."""
    angular_velocities(model, state, work)  # a look ahead may have left others there
    kinetic, potential = energies(model, state, work)
    P, L = momenta(model, state)
    return kinetic, potential, P, L


@inner_kernel
def tally_start(model, state, work, tally):
    """Remember the invariants of the first consistent state."""
    kinetic, potential = energies(model, state, work)
    tally.start_energy[0] = kinetic + potential
    tally.energy[0] = kinetic + potential
    P, L = momenta(model, state)
    start = tally.start_momentum
    start[0], start[1], start[2] = P.x, P.y, P.z
    start[3], start[4], start[5] = L.x, L.y, L.z
    for k in range(len(tally.turned)):
        j = model.counted_joint[k]
        tally.turned[k, 0] = turned_angle(model, j, state.orientation, 0.0)
        tally.turned[k, 1] = _turning_rate(model, j, state, work)
        tally.turned[k, 2] = state.time[0]


@inner_kernel
def tally_step(model, state, work, tally):
    """Add a completed step."""
    kinetic, potential = energies(model, state, work)
    tally.most_kinetic[0] = max(tally.most_kinetic[0], kinetic)
    work_done = tally.work[0] + tally.kinematic_work[0] + tally.motor_work[0] - tally.dissipated[0]
    energy = kinetic + potential - work_done
    drift = abs(energy - tally.start_energy[0])
    tally.increment_sum[0] += abs(energy - tally.energy[0])
    tally.energy[0] = energy
    tally.drift_sum[0] += drift
    if not (drift <= tally.largest_drift[0]):
        tally.largest_drift[0] = drift
    for i in range(model.dynamic):
        tally.fastest[0] = max(tally.fastest[0], norm(vec3_at(work.angular_velocity, i)))
    P, L = momenta(model, state)
    start = tally.start_momentum
    dP = norm(P - Vec3(start[0], start[1], start[2]))
    dL = norm(L - Vec3(start[3], start[4], start[5]))
    tally.momentum_drift[0] = max(tally.momentum_drift[0], dP)
    tally.momentum_drift[1] = max(tally.momentum_drift[1], dL)
    tally.steps[0] += 1
    _count_turns(model, state, work, tally)


@inner_kernel
def _count_turns(model, state, work, tally):
    """Follow the angles of joints on which nothing acts by their rates; from time to time exactly,
    before their small errors can add up to half a turn.
    """
    exactly = tally.steps[0] % _STEPS_BY_RATES == 0
    for k in range(len(tally.turned)):
        j = model.counted_joint[k]
        rate = _turning_rate(model, j, state, work)
        since = state.time[0] - tally.turned[k, 2]
        angle = tally.turned[k, 0] + 0.5 * since * (tally.turned[k, 1] + rate)
        if exactly:
            angle = turned_angle(model, j, state.orientation, angle)
        tally.turned[k, 0] = angle
        tally.turned[k, 1] = rate
        tally.turned[k, 2] = state.time[0]


@inner_kernel
def _turning_rate(model, j, state, work):
    """a·(ω2 - ω1) of joint j [rad/s]; needs work.angular_velocity."""
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    a = vec3_of(model.joints[j].axis1)
    u = vec3_at(work.angular_velocity, i2) - vec3_at(work.angular_velocity, i1)
    return dot(rotate(quat_at(state.orientation, i1), a), u)
