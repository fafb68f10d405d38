"""Sleep: islands of bodies that rest are left out of the steps until something comes near.

An island is all that contacts connect (islands.py). It falls asleep when each of its bodies has
been slow for a while, it rests on something that does not move, neither joints nor loads act on it,
and nothing overlaps by more than the tolerance. It keeps its poses exactly, its contacts are
neither detected nor solved, and their forces are kept. It wakes as a whole where a body that is
awake, or a kinematic one in motion, could touch it within the step, or does so as impulses of the
step lead it there. Bodies awake therefore never act on sleeping ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import (
    ZERO3,
    dot,
    norm,
    put_vec3,
    quat_of,
    set_quat,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.contacts import (
    Memory,
    copy_memory_point,
    new_memory,
)
from impulse_core.collision.geometry import contact_geometry
from impulse_core.collision.shapes import Shapes
from impulse_core.contact.events import bears
from impulse_core.contact.islands import find_islands, root_of
from impulse_core.free_motion.kinematic import predict_kinematic
from impulse_core.jit import deferred_kernel, inner_kernel
from impulse_core.model import Model
from impulse_core.types import Floats, Ints, by_address

__all__ = [
    "Sleep",
    "count_rest",
    "fall_asleep",
    "find_still",
    "freeze",
    "hold",
    "new_sleep",
    "put_to_rest",
    "thaw",
    "wake_reached",
    "wake_touched",
]

_SLOW = 1e-3  # m/s, of any point of a body that rests
_LONG = 0.5  # s that all bodies of an island must have rested

# What is known of an island that may fall asleep.
_AWAKE = 0
_UNSUPPORTED = 1
_SUPPORTED = 2


@by_address
class Sleep(NamedTuple):
    """Which of b bodies sleep."""

    asleep: Ints
    """1 for bodies that sleep, shape (b,)."""
    still: Ints
    """1 for bodies that do not move in this step: those that sleep, static ones, and kinematic
    ones that rest. 0 for all where none may sleep. Shape (b,)."""
    island: Ints
    """Body that stands for all that fell asleep with each, shape (b,)."""
    verdict: Ints
    """_AWAKE, _UNSUPPORTED or _SUPPORTED of the island of each solver body, shape (b,)."""
    rested: Floats
    """For how long each body has been slow [s], shape (b,)."""
    size: Floats
    """Largest distance of a point of each body from its centre of mass [m], shape (b,)."""
    frozen: Memory
    """Contacts between bodies that sleep, with forces in place of impulses."""


def new_sleep(model: Model, shapes: Shapes, rows: int) -> Sleep:
    """Nobody sleeps, with room for the contacts of those that will."""
    bodies = len(model.bodies)
    size = np.zeros(bodies)
    for s in range(shapes.sought):
        i = shapes.body[s]
        size[i] = max(size[i], np.linalg.norm(shapes.center[s]) + shapes.reach[s])
    return Sleep(
        asleep=np.zeros(bodies, dtype=np.int64),
        still=np.zeros(bodies, dtype=np.int64),
        island=np.zeros(bodies, dtype=np.int64),
        verdict=np.zeros(bodies, dtype=np.int64),
        rested=np.zeros(bodies),
        size=size,
        frozen=new_memory(rows, 0),
    )


@deferred_kernel("none")
def find_still(model, state, sleep, h, work):
    """Find out which bodies do not move in a step of length h, and wake those that loads act on."""
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


@inner_kernel
def _wake(model, sleep, i):
    """Wake the island of body i."""
    if i < model.dynamic and sleep.asleep[i]:
        island = sleep.island[i]
        for k in range(model.dynamic):
            if sleep.asleep[k] and sleep.island[k] == island:
                sleep.asleep[k] = 0
                sleep.still[k] = 0
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
    """Take all velocity from bodies that sleep, as what they rest on takes that of gravity."""
    for i in range(model.dynamic):
        if sleep.asleep[i]:
            set_vec3(state.bodies[i].velocity, ZERO3)
            set_vec3(state.bodies[i].angular_momentum, ZERO3)
            put_vec3(work.angular_velocity, i, ZERO3)


@deferred_kernel("boolean")
def count_rest(model, state, sleep, h, work):
    """Add a step of length h to the time for which slow bodies have rested; returns whether any
    that is awake has rested long enough to sleep. Needs the angular velocities.
    """
    any_long = False
    for i in range(model.dynamic):
        if sleep.asleep[i]:
            continue
        v = norm(vec3_of(state.bodies[i].velocity))
        v += norm(vec3_at(work.angular_velocity, i)) * sleep.size[i]
        sleep.rested[i] = sleep.rested[i] + h if v <= _SLOW else 0.0
        any_long = any_long or sleep.rested[i] >= _LONG
    return any_long


@deferred_kernel("int64", "float64")
def fall_asleep(model, contacts, solver_bodies, state, sleep, tolerance, work):
    """Let islands that rest fall asleep, after a step.

    Returns how many bodies do, and the kinetic energy that they lose [J].
    """
    find_islands(contacts, solver_bodies)
    row, mark, verdict = contacts.row, contacts.mark, sleep.verdict
    for i in range(model.dynamic):
        verdict[i] = _UNSUPPORTED
    for c in range(contacts.used[0]):
        if mark[c].active:
            for side in range(2):
                i = mark[c].body2 if side else mark[c].body1
                other = mark[c].body1 if side else mark[c].body2
                if i < model.dynamic <= other and bears(row, c):
                    verdict[root_of(solver_bodies, i)] = _SUPPORTED
    for c in range(contacts.used[0]):
        if mark[c].active:
            for side in range(2):
                i = mark[c].body2 if side else mark[c].body1
                other = mark[c].body1 if side else mark[c].body2
                moves = i < model.dynamic <= other and not sleep.still[other]
                comes_apart = i < model.dynamic and row[c].gap < -tolerance
                if moves or comes_apart:
                    verdict[root_of(solver_bodies, i)] = _AWAKE
    for k in range(len(model.loads)):
        if state.loads[k].active:
            for side in range(2):
                i = model.loads[k].reaction if side else model.loads[k].body
                if i < model.dynamic:
                    verdict[root_of(solver_bodies, i)] = _AWAKE
    for i in range(model.dynamic):
        if solver_bodies.mark[i].jointed or (sleep.rested[i] < _LONG and not sleep.asleep[i]):
            verdict[root_of(solver_bodies, i)] = _AWAKE
    count, lost = 0, 0.0
    for i in range(model.dynamic):
        root = root_of(solver_bodies, i)
        if not sleep.asleep[i] and verdict[root] == _SUPPORTED:
            v, w = vec3_of(state.bodies[i].velocity), vec3_at(work.angular_velocity, i)
            lost += 0.5 * model.bodies[i].mass * dot(v, v)
            lost += 0.5 * dot(vec3_of(state.bodies[i].angular_momentum), w)
            sleep.asleep[i] = 1
            sleep.island[i] = root
            count += 1
    return count, lost


@deferred_kernel("boolean")
def freeze(shapes_body, sleep, memory, needed):
    """Move the memory of contacts of bodies that sleep to the frozen one; False without room, of
    which needed[0] then tells.
    """
    scale = 1.0 / memory.step[0]
    return _move_rows(shapes_body, sleep.asleep, memory, sleep.frozen, True, scale, needed)


@deferred_kernel("boolean")
def thaw(shapes_body, sleep, memory, needed):
    """Move the memory of contacts of bodies that woke back; as ``freeze``."""
    if sleep.frozen.used[0] == 0:
        return True
    scale = memory.step[0]
    return _move_rows(shapes_body, sleep.asleep, sleep.frozen, memory, False, scale, needed)


@inner_kernel
def _move_rows(shapes_body, asleep, source, target, sleeping, scale, needed):
    """Move rows of bodies that sleep, or of those that do not, from one memory to another, both of
    which ascend by pairs; impulses are multiplied by a scale.
    """
    moving = 0
    for m in range(source.used[0]):
        if _sleeps(shapes_body, asleep, source.mark[m].pair) == sleeping:
            moving += 1
    if moving == 0:
        return True
    total = target.used[0] + moving
    if total > len(target.row):
        needed[0] = total
        return False
    t, s = target.used[0] - 1, source.used[0] - 1
    for place in range(total - 1, -1, -1):  # from the end, so that nothing is overwritten
        while s >= 0 and _sleeps(shapes_body, asleep, source.mark[s].pair) != sleeping:
            s -= 1
        if s >= 0 and (t < 0 or source.mark[s].pair > target.mark[t].pair):
            copy_memory_point(source, s, target, place, scale)
            s -= 1
        else:
            copy_memory_point(target, t, target, place, 1.0)
            t -= 1
    target.used[0] = total
    kept = 0
    for m in range(source.used[0]):
        if _sleeps(shapes_body, asleep, source.mark[m].pair) != sleeping:
            copy_memory_point(source, m, source, kept, 1.0)
            kept += 1
    source.used[0] = kept
    return True


@inner_kernel
def _sleeps(shapes_body, asleep, key):
    """Whether a body of a pair of shapes sleeps."""
    return asleep[shapes_body[key >> 32]] == 1 or asleep[shapes_body[key & 0xFFFFFFFF]] == 1
