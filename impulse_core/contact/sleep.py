"""Sleep: islands of bodies that rest are left out of the steps until something comes near.

An island is all that contacts and joints connect (islands.py). It may rest where something that
does not move bears it, no load and no motor with a changing target acts on it, and nothing overlaps
by more than the tolerance beyond what is left as it is at rest (rest.py). It then keeps its poses
exactly, its contacts are neither detected nor solved, and their forces are kept (frozen.py), as are
the impulses of its joints. It wakes as a whole where a body that is awake, or a kinematic one in
motion, could touch it within the step, or does so as impulses of the step lead it there. Bodies
awake therefore never act on sleeping ones.

- It *naps*, in all scenes and for a few steps, where what it would do in them is less than a look
  at its laws lets pass.
- It *sleeps*, if the scene says that bodies may, until something comes near, when each of its
  bodies has been slow for a while. A machine that joints hold alone sleeps, too, but never naps:
  its laws are met far better than those of contacts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import (
    dot,
    norm,
    quat_of,
    set_quat,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.geometry import contact_geometry
from impulse_core.collision.memory import Memory, new_memory
from impulse_core.collision.shapes import Shapes
from impulse_core.free_motion.kinematic import predict_kinematic
from impulse_core.jit import deferred_kernel, inner_kernel
from impulse_core.joints.constraints import angular_velocity
from impulse_core.model import Model
from impulse_core.types import Floats, Ints, Records, by_address, i8, new_records, record, vec3

__all__ = [
    "FrozenPoint",
    "Sleep",
    "find_still",
    "hold",
    "new_sleep",
    "note_resting",
    "nothing_moves",
    "put_to_rest",
    "wake_reached",
    "wake_touched",
]


@record
class FrozenPoint:
    """Where a contact lies that bodies which sleep bear."""

    shape1: i8
    """Shape of the first body."""
    shape2: i8
    """Shape of the second body."""
    body1: i8
    """Row of the first body."""
    arm1: vec3
    """From the centre of body 1 to the contact [m], world frame."""
    normal: vec3
    """Unit, from body 1 to body 2, world frame."""


@by_address
class Sleep(NamedTuple):
    """Which of b bodies sleep or nap."""

    number: Ints
    """How many do [0], and how many of their contacts bear a force [1], shape (2,)."""
    asleep: Ints
    """1 for bodies that do, shape (b,)."""
    still: Ints
    """1 for bodies that do not move in this step: those that sleep, static ones, and kinematic
    ones that rest. Shape (b,)."""
    island: Ints
    """Body that stands for all that fell asleep with each, shape (b,)."""
    verdict: Ints
    """What is known of the island of each solver body (_BORNE, …), shape (b,)."""
    quiet: Ints
    """1 for bodies that move by no more than a nap may hide, shape (b,)."""
    until: Floats
    """When those that nap wake [s], infinite for those that sleep, shape (b,)."""
    rested: Floats
    """For how long each body has been slow [s], shape (b,)."""
    speed: Floats
    """Of the fastest point of each body at the end of the last step, or as it came on in the last
    two if that is more [m/s], shape (b,)."""
    came: Floats
    """Displacement [m] and rotation vector [rad] of each body in the last step in which it was
    awake, world frame, shape (b, 6)."""
    strayed: Floats
    """How far each body came in the last step if that was to and fro, else zero [m], shape (b,)."""
    velocity: Floats
    """Of the centre of each body that sleeps, as it naps, else zero [m/s], shape (b, 3)."""
    angular_momentum: Floats
    """The same of its spin [kg m²/s], shape (b, 3)."""
    size: Floats
    """Largest distance of a point of each body from its centre of mass [m], shape (b,)."""
    frozen: Memory
    """Contacts of bodies that sleep, with forces in place of impulses."""
    points: Records
    """Where these are (FrozenPoint)."""


def new_sleep(model: Model, shapes: Shapes, rows: int) -> Sleep:
    """Nobody sleeps, with room for so many contacts of those that will."""
    bodies = len(model.bodies)
    size = np.zeros(bodies)
    for s in range(shapes.sought):
        i = shapes.body[s]
        size[i] = max(size[i], np.linalg.norm(shapes.center[s]) + shapes.reach[s])
    return Sleep(
        number=np.zeros(2, dtype=np.int64),
        asleep=np.zeros(bodies, dtype=np.int64),
        still=np.zeros(bodies, dtype=np.int64),
        island=np.zeros(bodies, dtype=np.int64),
        verdict=np.zeros(bodies, dtype=np.int64),
        quiet=np.zeros(bodies, dtype=np.int64),
        until=np.zeros(bodies),
        rested=np.zeros(bodies),
        speed=np.zeros(bodies),
        came=np.zeros((bodies, 6)),
        strayed=np.zeros(bodies),
        velocity=np.zeros((bodies, 3)),
        angular_momentum=np.zeros((bodies, 3)),
        size=size,
        frozen=new_memory(rows, 0),
        points=new_records(FrozenPoint, rows),
    )


@deferred_kernel("none")
def find_still(model, state, sleep, h, work):
    """Find out which bodies do not move in a step of length h, and wake those whose nap is over,
    and those that loads act on.
    """
    t = state.clock[0].time
    for i in range(model.dynamic):
        if sleep.asleep[i] and sleep.until[i] <= t:
            sleep.asleep[i] = 0
            sleep.number[0] -= 1
    for k in range(len(model.loads)):
        if state.loads[k].active:
            _wake(model, sleep, model.loads[k].body)
            _wake(model, sleep, model.loads[k].reaction)
    for i in range(model.dynamic):
        sleep.still[i] = sleep.asleep[i]
    world = len(model.bodies) - 1
    sleep.still[world] = 1
    predict_kinematic(model, state, h, work)
    for i in range(model.dynamic, world):
        C, q = vec3_of(state.bodies[i].position), quat_of(state.bodies[i].orientation)
        there = vec3_of(work.next[i].position)
        turned = quat_of(work.next[i].orientation)
        stays = there.x == C.x and there.y == C.y and there.z == C.z
        same = turned.w == q.w and turned.x == q.x and turned.y == q.y and turned.z == q.z
        sleep.still[i] = 1 if stays and same else 0
    if model.dynamic < world and sleep.number[0] > 0:
        _wake_for_supports(model, sleep)


@inner_kernel
def _wake_for_supports(model, sleep):
    """Wake machines that joints hold to kinematic bodies that move."""
    for j in range(len(model.joints)):
        i1, i2 = model.joints[j].body1, model.joints[j].body2
        if not (sleep.still[i1] and sleep.still[i2]):
            _wake(model, sleep, i1)
            _wake(model, sleep, i2)


@inner_kernel
def nothing_moves(model, sleep):
    """Whether all bodies sleep, or do not move in this step (``find_still``)."""
    if model.dynamic == 0 or sleep.number[0] < model.dynamic:
        return False
    moving = 0
    for i in range(model.dynamic, len(model.bodies)):
        moving += 1 - sleep.still[i]
    return moving == 0


@inner_kernel
def note_resting(model, sleep, work):
    """Note which joints are of machines that sleep."""
    for j in range(len(model.joints)):
        i1, i2 = model.joints[j].body1, model.joints[j].body2
        work.resting[j] = max(sleep.asleep[i1], sleep.asleep[i2])
    couplings = model.couplings
    for c in range(len(couplings.joint)):
        first = couplings.terms[couplings.first_term[c]].joint
        work.resting[couplings.joint[c]] = work.resting[first]


@inner_kernel
def _wake(model, sleep, i):
    """Wake the island of body i."""
    if i < model.dynamic and sleep.asleep[i]:
        island = sleep.island[i]
        for k in range(model.dynamic):
            if sleep.asleep[k] and sleep.island[k] == island:
                sleep.asleep[k] = 0
                sleep.still[k] = 0
                sleep.number[0] -= 1
                sleep.rested[k] = 0.0


@deferred_kernel("boolean")
def wake_touched(model, contacts, sleep, h, tolerance, work):
    """Wake what something that moves could touch in a part of a step of length h; returns whether
    anything was. Needs the angular velocities.
    """
    row, mark = contacts.row, contacts.mark
    g = norm(vec3_at(model.gravity.reshape(1, 3), 0))
    any_woken = False
    for c in range(contacts.used[0]):
        i1, i2 = mark[c].body1, mark[c].body2
        if not (sleep.asleep[i1] or sleep.asleep[i2]):
            continue
        u = dot(vec3_of(row[c].normal), vec3_of(row[c].before))
        turning = vec3_at(work.angular_velocity, i2) - vec3_at(work.angular_velocity, i1)
        w = norm(turning)
        other = i2 if sleep.asleep[i1] else i1
        arm = norm(vec3_of(row[c].arm2 if sleep.asleep[i1] else row[c].arm1))
        # neighbours that rest do not fall, and would wake each other for ever
        a = w * w * arm + (0.0 if sleep.rested[other] > 0.0 else g)
        approach = h * (max(0.0, -u) + 0.5 * h * a)
        if row[c].gap <= tolerance + approach:
            _wake(model, sleep, i1)
            _wake(model, sleep, i2)
            any_woken = True
    return any_woken


@deferred_kernel("boolean")
def wake_reached(model, contacts, sleep, tolerance, work):
    """Wake what bodies that are awake touch at the poses of t+h, where all that sleeps is held;
    returns whether anything was. The impulses of the step led them there, which ``wake_touched``
    does not know.
    """
    mark = contacts.mark
    any_woken = False
    for c in range(contacts.used[0]):
        i1, i2 = mark[c].body1, mark[c].body2
        if sleep.asleep[i1] or sleep.asleep[i2]:
            _, _, _, gap = contact_geometry(contacts, c, work.next)
            if gap <= tolerance:
                _wake(model, sleep, i1)
                _wake(model, sleep, i2)
                any_woken = True
    return any_woken


@deferred_kernel("none")
def hold(model, state, sleep, work):
    """Let bodies that sleep stay where they are in this part of a step."""
    for i in range(model.dynamic):
        if sleep.asleep[i]:
            set_vec3(work.next[i].position, vec3_of(state.bodies[i].position))
            set_quat(work.next[i].orientation, quat_of(state.bodies[i].orientation))


@deferred_kernel("none")
def put_to_rest(model, state, sleep, work):
    """Let bodies that sleep have no velocity, and those that nap theirs: what they rest on takes
    that of gravity.
    """
    for i in range(model.dynamic):
        if sleep.asleep[i]:
            set_vec3(state.bodies[i].velocity, vec3_at(sleep.velocity, i))
            set_vec3(state.bodies[i].angular_momentum, vec3_at(sleep.angular_momentum, i))
            angular_velocity(model, state, i, work)
