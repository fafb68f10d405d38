"""Energy and momentum of a state, and the running tally of a simulation."""

from __future__ import annotations

import math

from impulse_core.algebra import Vec3, cross, dot, norm, set_vec3, vec3_at, vec3_of
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.constraints import angular_velocities
from impulse_core.joints.coordinates import angle_of, angle_rate, rotor_energy
from impulse_core.model.status import COMPLETED, ROSE

__all__ = [
    "MOST_RISE",
    "completes",
    "energies",
    "most_pushing",
    "observe",
    "tally_start",
    "tally_step",
    "weigh",
]

MOST_RISE = 1.0
"""Largest rise of E - W in a step, as a multiple of all energy that was moved before it: steps too
long for a motion are wrong by less, and run on with a warning."""
_MOST_UNDIVIDED = 10.0  # the same of methods that divide no steps, which then end
_SWING = 0.01  # of the energy moved
_STEPS_BY_RATES = 8  # after which an angle is read from the poses


@inner_kernel
def energies(model, state, work):
    """Kinetic and potential energy [J], zero potential at the world origin.

    ½ m v² + ½ L·ω with the rotors, and -m g·C with the springs; needs work.angular_velocity at the
    present state.
    """
    g = Vec3(model.gravity[0], model.gravity[1], model.gravity[2])
    kinetic = 0.0
    potential = 0.0
    for i in range(model.dynamic):
        of_centre, of_turning = _kinetic_energy(model, state, i, work)
        kinetic += of_centre
        kinetic += of_turning
        potential -= model.bodies[i].mass * dot(g, vec3_of(state.bodies[i].position))
    for k in range(len(model.axes)):
        kinetic += rotor_energy(model, k, state, work)
    return kinetic, potential + _spring_energy(model, state)


@inner_kernel
def _kinetic_energy(model, state, i, work):
    """½ m v² and ½ L·ω of body i [J]; needs work.angular_velocity at the present state."""
    v, w = vec3_of(state.bodies[i].velocity), vec3_at(work.angular_velocity, i)
    turning = 0.5 * dot(vec3_of(state.bodies[i].angular_momentum), w)
    return 0.5 * model.bodies[i].mass * dot(v, v), turning


@inner_kernel
def momenta(model, state):
    """Total linear [N s] and angular [N m s] momentum about the world origin."""
    P = Vec3(0.0, 0.0, 0.0)
    L = Vec3(0.0, 0.0, 0.0)
    for i in range(model.dynamic):
        p = vec3_of(state.bodies[i].velocity) * model.bodies[i].mass
        P = P + p
        L = L + cross(vec3_of(state.bodies[i].position), p)
        L = L + vec3_of(state.bodies[i].angular_momentum)
    return P, L


@kernel
def observe(model, state, work):
    """Kinetic and potential energy [J], linear and angular momentum of the present state."""
    angular_velocities(model, state, work)  # a peek may have left others there
    kinetic, potential = energies(model, state, work)
    P, L = momenta(model, state)
    return kinetic, potential, P, L


@inner_kernel
def tally_start(model, state, work, tally):
    """Remember the invariants of the first consistent state."""
    totals = tally.totals[0]
    kinetic, potential = energies(model, state, work)
    totals.start_energy = kinetic + potential
    totals.energy = kinetic + potential
    totals.highest = kinetic + potential
    totals.start_kinetic = kinetic
    P, L = momenta(model, state)
    set_vec3(totals.start_momentum, P)
    set_vec3(totals.start_angular_momentum, L)
    for k in range(len(state.turns)):
        j, row = model.counted[k].joint, model.counted[k].row
        state.turns[k].angle = angle_of(model, j, row, state.bodies, 0.0)
        state.turns[k].rate = angle_rate(model, j, row, state.bodies, work)
        state.turns[k].time = state.clock[0].time


@kernel
def weigh(model, state, work, most, tally):
    """E - W after a part of a step, or a step: COMPLETED, or ROSE where it is above all it was
    before the step by more than what any step may be wrong by, ``most`` times the energy moved so
    far, with the body that has most of it and the joint that pushes that most. Needs the angular
    velocities.
    """
    totals = tally.totals[0]
    kinetic, potential = energies(model, state, work)
    most_rise = most * (totals.start_kinetic + totals.moved) + 0.5 * kinetic + totals.fall
    totals.most_kinetic = max(totals.most_kinetic, kinetic)
    _settle_dissipated(totals)
    work_done = totals.work + totals.kinematic_work + totals.motor_work - totals.settled
    totals.balance = kinetic + potential - work_done
    rise = totals.balance - max(totals.energy, totals.highest)
    if not rise > most_rise:
        return COMPLETED
    failure = tally.failure[0]
    failure.energy = rise
    failure.body = _most_energetic(model, state, work)
    failure.joint = most_pushing(model, state.joints.multiplier, failure.body)
    return ROSE


@inner_kernel
def tally_step(model, state, work, tally):
    """Add a completed step, which was weighed."""
    totals = tally.totals[0]
    energy = totals.balance
    drift = abs(energy - totals.start_energy)
    increment = abs(energy - totals.energy)
    totals.increment_sum += increment
    if not (increment <= totals.largest_increment):
        totals.largest_increment = increment
    totals.highest = max(totals.highest, energy)
    totals.energy = energy
    totals.drift_sum += drift
    if not (drift <= totals.largest_drift):
        totals.largest_drift = drift
    for i in range(model.dynamic):
        if model.bodies[i].moves_joints:
            totals.fastest = max(totals.fastest, norm(vec3_at(work.angular_velocity, i)))
    P, L = momenta(model, state)
    dP, dL = (
        norm(P - vec3_of(totals.start_momentum)),
        norm(L - vec3_of(totals.start_angular_momentum)),
    )
    totals.momentum_drift = max(totals.momentum_drift, dP)
    totals.angular_momentum_drift = max(totals.angular_momentum_drift, dL)
    totals.steps += 1
    _count_turns(model, state, work)


@inner_kernel
def completes(model, state, h, work, tally):
    """Weigh and add a step of length h of a method that divides none; False where its energy rose
    out of nowhere.
    """
    if weigh(model, state, work, _MOST_UNDIVIDED, tally) == ROSE:
        failure = tally.failure[0]
        failure.what, failure.begin, failure.part = ROSE, 0.0, h
        return False
    tally_step(model, state, work, tally)
    return True


@inner_kernel
def _settle_dissipated(totals):
    """What was dissipated, for the balance: a fall of its sum that is more than a swing (passivity)
    is not, since what only takes out cannot give back.
    """
    totals.most_dissipated = max(totals.most_dissipated, totals.dissipated)
    of_drives = abs(totals.kinematic_work) + abs(totals.motor_work)
    moved = totals.most_kinetic + abs(totals.work) + of_drives + totals.most_dissipated
    totals.moved, swing = moved, _SWING * moved
    if totals.noise < math.inf:
        swing += totals.noise
    totals.settled = totals.dissipated
    if totals.dissipated < totals.most_dissipated - swing:
        totals.settled = max(totals.most_dissipated - swing, 0.0)


@inner_kernel
def _most_energetic(model, state, work):
    """Body with the largest kinetic energy; needs the angular velocities."""
    most, body = 0.0, 0
    for i in range(model.dynamic):
        of_centre, of_turning = _kinetic_energy(model, state, i, work)
        if not (of_centre + of_turning <= most):
            most, body = of_centre + of_turning, i
    return body


@inner_kernel
def most_pushing(model, impulse, body):
    """The joint of a body whose impulse is the largest of all, shape (m, 6); -1 if it has none."""
    most, joint = -1.0, -1
    for j in range(len(model.joints)):
        if model.joints[j].body1 == body or model.joints[j].body2 == body:
            push = 0.0
            for row in range(6):
                push += abs(impulse[j, row])
            if push > most:
                most, joint = push, j
    return joint


@inner_kernel
def _count_turns(model, state, work):
    """Follow the angles of joints on which nothing acts by their rates; from time to time exactly,
    before their small errors can add up to half a turn.
    """
    for k in range(len(state.turns)):
        turn, j, row = state.turns[k], model.counted[k].joint, model.counted[k].row
        rate = angle_rate(model, j, row, state.bodies, work)
        since = state.clock[0].time - turn.time
        angle = turn.angle + 0.5 * since * (turn.rate + rate)
        turn.steps += 1
        if turn.steps == _STEPS_BY_RATES:
            angle = angle_of(model, j, row, state.bodies, angle)
            turn.steps = 0
        turn.angle, turn.rate, turn.time = angle, rate, state.clock[0].time


@inner_kernel
def _spring_energy(model, state):
    """Potential energy of all springs [J]: Σ ½ k (s - r)²."""
    energy = 0.0
    for k in range(len(model.axes)):
        axis = model.axes[k]
        stretch = state.axes[k].position - axis.rest
        energy += 0.5 * axis.stiffness * stretch * stretch
    return energy
