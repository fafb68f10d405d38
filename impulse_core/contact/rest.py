"""Which bodies rest, so that their island may nap or sleep (sleep.py)."""

from __future__ import annotations

import math

from impulse_core.algebra import (
    ZERO3,
    Quat,
    Vec3,
    conjugate,
    dot,
    norm,
    put_vec3,
    quat_of,
    vec3_at,
    vec3_of,
)
from impulse_core.contact.events import bears
from impulse_core.contact.islands import root_of
from impulse_core.forces.signals.signals import is_steady
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel
from impulse_core.joints.coordinates import rotor_energy
from impulse_core.joints.table import NO_MOTOR

__all__ = ["count_rest", "fall_asleep", "slack_at_rest"]

_SLOW = 1e-3  # m/s, of any point of a body that rests
_LONG = 0.5  # s that all bodies of an island must have rested
_ASTRAY = 2.0  # times as far as it came on, the way in a step that is one to and fro
_OF_JOINTS = 4.0  # times the tolerance: by how much joints from foot to foot may be open together
_NAP = 16  # steps, of which an island at rest costs one; more would save less than they hide

# What is known of an island that may rest, a bit each.
_BORNE = 1  # by something that does not move
_HELD_AWAKE = 2  # by what acts on it
_RESTLESS = 4  # a body has not rested long enough to sleep
_LIVELY = 8  # a body moves by more than a nap may hide
_HUNG = 16  # by a joint, on something that does not move


@inlined_kernel
def slack_at_rest(mark, solver_bodies, c, tolerance):
    """The gap of contact c that is left as it is at rest [m]: that of a machine.

    Feet that stick and joints that rub hold each other, so that what closes the gap at one foot
    opens that at another. To ask for it in each stage makes a machine creep for ever.
    """
    i1, i2 = mark[c].body1, mark[c].body2
    jointed = solver_bodies.mark[i1].jointed or solver_bodies.mark[i2].jointed
    return _OF_JOINTS * tolerance if jointed else 0.0


@deferred_kernel("boolean")
def count_rest(model, state, sleep, sleeps, fine, h, work):
    """Add a step of length h to the time for which slow bodies have rested; returns whether any
    that is awake may nap, or sleep where bodies do. Needs the angular velocities; work.saved is the
    state with which the step began.

    A body is quiet where, at a velocity that changes in each step as it did in the last, it moves
    in a nap by no more than its steps may leave: ``fine`` [m/s] is what contacts may lack. What
    goes to and fro in turn comes on by less than in either step.
    """
    ready = False
    for i in range(model.dynamic):
        if sleep.asleep[i]:
            continue
        v = norm(vec3_of(state.bodies[i].velocity))
        v += norm(vec3_at(work.angular_velocity, i)) * sleep.size[i]
        way, on = _ways(sleep, i, state.bodies[i], work.saved.bodies[i])
        sleep.strayed[i] = way if way > _ASTRAY * on else 0.0
        sleep.rested[i] = sleep.rested[i] + h if max(v, way / h) <= _SLOW else 0.0
        v = max(v, on / h)
        still = v + _NAP * (v + sleep.speed[i]) <= fine and way <= fine * h
        sleep.quiet[i] = 1 if still and sleep.rested[i] >= _NAP * h else 0
        sleep.speed[i] = v
        ready = ready or sleep.quiet[i] == 1 or (sleeps and sleep.rested[i] >= _LONG)
    return ready


@inner_kernel
def _ways(sleep, i, body, before):
    """How far the farthest point of body i has come since before the step, at most, and how far it
    came on, which is half of what the last two steps did together [m] (82). What it did in this
    step is kept. Gaps that are taken back move bodies without a velocity.
    """
    q, r = quat_of(body.orientation), quat_of(before.orientation)
    along = q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z
    side = 1.0 if along >= 0.0 else -1.0
    d = vec3_of(body.position) - vec3_of(before.position)
    change = Quat(q.w - side * r.w, q.x - side * r.x, q.y - side * r.y, q.z - side * r.z)
    turn = change * conjugate(r)
    t = Vec3(turn.x, turn.y, turn.z) * (2.0 * side)
    came = sleep.came[i]
    last, last_turn = Vec3(came[0], came[1], came[2]), Vec3(came[3], came[4], came[5])
    came[0], came[1], came[2] = d.x, d.y, d.z
    came[3], came[4], came[5] = t.x, t.y, t.z
    on = 0.5 * (norm(d + last) + norm(t + last_turn) * sleep.size[i])
    return norm(d) + norm(t) * sleep.size[i], on


@deferred_kernel("int64", "float64")
def fall_asleep(model, contacts, solver_bodies, state, sleep, sleeps, tolerance, h, work):
    """Let islands that rest fall asleep after a step of length h, if bodies may, or else nap:
    those of the contacts that were active at its end.

    Returns how many bodies do, and the kinetic energy that they lose [J].
    """
    _judge_islands(model, contacts, solver_bodies, state, sleep, tolerance)
    verdict, t = sleep.verdict, state.clock[0].time
    count, lost = 0, 0.0
    for k in range(len(model.axes)):
        joint = model.joints[model.axes[k].joint]
        i = min(joint.body1, joint.body2)
        if not sleep.asleep[i] and sleeps and _may_sleep(verdict[root_of(solver_bodies, i)]):
            lost += rotor_energy(model, k, state, work)
    for i in range(model.dynamic):
        root = root_of(solver_bodies, i)
        known = verdict[root]
        if sleep.asleep[i] or known & _HELD_AWAKE:
            continue
        long = sleeps and _may_sleep(known)
        if not long and (known & _LIVELY or not known & _BORNE):
            continue
        v, w = vec3_of(state.bodies[i].velocity), vec3_at(work.angular_velocity, i)
        L = vec3_of(state.bodies[i].angular_momentum)
        if long:
            lost += 0.5 * model.bodies[i].mass * dot(v, v) + 0.5 * dot(L, w)
            v, L = ZERO3, ZERO3
        put_vec3(sleep.velocity, i, v)
        put_vec3(sleep.angular_momentum, i, L)
        sleep.asleep[i], sleep.island[i] = 1, root
        sleep.until[i] = math.inf if long else t + (_NAP - 0.5) * h
        sleep.rested[i] += _NAP * h
        count += 1
    sleep.number[0] += count
    return count, lost


@inner_kernel
def _may_sleep(known):
    """Whether an island may sleep, and not only nap."""
    return known & (_BORNE | _HUNG) != 0 and known & (_HELD_AWAKE | _RESTLESS) == 0


@inner_kernel
def _judge_islands(model, contacts, solver_bodies, state, sleep, tolerance):
    """Find out what bears each island, what holds it awake, and how its bodies move."""
    row, mark, verdict = contacts.row, contacts.mark, sleep.verdict
    for i in range(model.dynamic):
        verdict[i] = 0
    for c in range(contacts.used[0]):
        if not mark[c].active:
            continue
        for side in range(2):
            i = mark[c].body2 if side else mark[c].body1
            other = mark[c].body1 if side else mark[c].body2
            if i >= model.dynamic:
                continue
            root = root_of(solver_bodies, i)
            if other >= model.dynamic and bears(row, c):
                verdict[root] |= _BORNE
            moves = other >= model.dynamic and not sleep.still[other]
            slack = slack_at_rest(mark, solver_bodies, c, tolerance)
            if moves or row[c].gap < -(slack + tolerance):  # what overlaps comes apart
                verdict[root] |= _HELD_AWAKE
    _judge_joints(model, solver_bodies, state, sleep)
    for k in range(len(model.loads)):
        if state.loads[k].active:
            for side in range(2):
                i = model.loads[k].reaction if side else model.loads[k].body
                if i < model.dynamic:
                    verdict[root_of(solver_bodies, i)] |= _HELD_AWAKE
    for i in range(model.dynamic):
        root = root_of(solver_bodies, i)
        if sleep.rested[i] < _LONG:
            verdict[root] |= _RESTLESS
        if not sleep.quiet[i]:
            verdict[root] |= _LIVELY


@inner_kernel
def _judge_joints(model, solver_bodies, state, sleep):
    """Add what joints say of their islands: whether they hang on something, and whether that moves
    or motors may move them.
    """
    verdict, t = sleep.verdict, state.clock[0].time
    for j in range(len(model.joints)):
        i1, i2 = model.joints[j].body1, model.joints[j].body2
        if max(i1, i2) >= model.dynamic and min(i1, i2) < model.dynamic:
            still = sleep.still[max(i1, i2)]
            verdict[root_of(solver_bodies, min(i1, i2))] |= _HUNG if still else _HELD_AWAKE
    for k in range(len(model.axes)):
        axis = model.axes[k]
        if axis.motor_kind == NO_MOTOR:
            continue
        if axis.motor_gain[1] != 0.0 or not is_steady(model.signals, axis.motor_target, t):
            joint = model.joints[axis.joint]
            verdict[root_of(solver_bodies, min(joint.body1, joint.body2))] |= _HELD_AWAKE
