"""Time of impact within a step, and parts of steps that end there (Bender, Finkenzeller and
Schmitt 2005: the step is undone and repeated up to the first contact).

A part of a step is first tried over all that is left of the step. Contacts that it had to stop
suddenly meet within it: they are taken out of the first half of the part, which is tried again,
shorter, until the first of them has no gap at its end,

    g(s) = g + u s + c s²,   c from the gap at the end of the last trial (docs/algorithm.md, 57)

so that the impact acts at that very moment, in the second half. Bodies that turn may touch with
features that did not seem near: where they overlap at the end of a part, half of it is tried.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from impulse_core.algebra import dot, norm, quat_of, set_vec3, vec3_at, vec3_of
from impulse_core.collision.geometry import contact_geometry
from impulse_core.collision.memory import copy_impulses
from impulse_core.collision.narrow import collide
from impulse_core.contact.guesses import let_go
from impulse_core.contact.jacobian import normal_inverse_mass
from impulse_core.contact.restitution import LEAST_MEETING
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = [
    "FINEST_JOINTED",
    "MOST_PARTS",
    "Found",
    "Trial",
    "end_of_gap",
    "find_impacts",
    "first_trial",
    "half_of",
    "is_left_open",
    "is_short",
    "leave_open",
    "next_trial",
    "penetrates_anew",
    "rescale",
    "restore_velocities",
    "save_velocities",
]

MOST_PARTS = 1024  # of a step, as of halves; what meets after so many is stopped at its end

_MOST_TRIALS = 32  # of one part
_MET = 0.01  # of the contacts' accuracy, the gap at which bodies have met
_RESOLUTION = 2.0**-40  # of the step, to which the moment is sought at most
_FINEST = 2.0**-24  # of the step, the least part
FINEST_JOINTED = 2.0**-10  # the same with joints, whose errors are corrected within a part
_TURNED = 0.01  # rad in a part, from which on other features may touch than seemed near
_PENETRATION = 10.0  # tolerances that they may penetrate by
_LEAST_HALVED = 2.0**-6  # of the step, the least part that is halved because of that
_FAR = 1e6  # m below any gap: the target of a contact that is left open


class Trial(NamedTuple):
    """A length that a part of a step was tried with, or will be."""

    part: float
    """[s]"""
    longest: float
    """All that is left of the step, or what overlaps leave of that [s]."""
    low: float
    """Longest part at whose end nothing had met yet [s]."""
    high: float
    """Shortest one after that [s], or the longest."""
    number: int
    """Number of lengths tried before."""
    closed: bool
    """Whether what meets is stopped in the first half as without division."""


class Found(NamedTuple):
    """What meets within a part that was tried."""

    fresh: int
    """Number of what had to be stopped, and is left open from now on."""
    least: float
    """The least gap [m] of what was left open; infinite where nothing was."""
    first: float
    """When the first of all has no gap [s]; infinite where nothing meets."""


@inner_kernel
def first_trial(left):
    """All that is left of the step [s]."""
    return Trial(left, left, 0.0, left, 0, False)


@inner_kernel
def half_of(tried):
    """The first half of what was tried."""
    half = 0.5 * tried.part
    return Trial(half, half, 0.0, half, 0, False)


@inner_kernel
def is_short(part, h):
    """Whether the impulses in a part of a step of length h [s] are too small to tell forces."""
    return part < FINEST_JOINTED * h


@inner_kernel
def next_trial(found, tried, left, h, joints, accuracy, tolerance):
    """The trial that follows a part with what was found to meet in it.

    Returns whether it must be tried again, whether it ends where bodies meet, and the next trial.
    Impacts nearer to either end of what is left than the least part do not divide it: they are
    stopped at the end of a part of that length, or of all that is left. With joints they are left
    to a least part at the end, since what stops bodies a whole part ahead does work on joints.
    """
    finest = h * (FINEST_JOINTED if joints > 0 else _FINEST)
    rest = Trial(left, left, tried.low, tried.high, tried.number + 1, True)
    if joints > 0 and left > 2.0 * finest:
        rest = Trial(left - finest, left - finest, 0.0, left - finest, tried.number + 1, False)
    part, longest = tried.part, tried.longest
    low, high, number = tried.low, tried.high, tried.number + 1
    if tried.closed:
        return False, False, tried
    fresh, least, first = found
    if number == _MOST_TRIALS:
        return False, least <= tolerance, tried
    if fresh == 0:
        if part == longest and least > _MET * accuracy:  # nothing meets, or not in this part
            return False, False, tried
        met = abs(least) <= _MET * accuracy or high - low <= _RESOLUTION * h
        if met and (part == left or left - part >= finest):
            return False, True, tried
        if met:
            return True, False, rest
    if fresh == 0 and least > 0.0:
        low = part
    else:
        high = part
    if not (low < first < high):
        first = 0.5 * (low + high)
    if number + 1 == _MOST_TRIALS and low > 0.0:
        first = low
    if first < finest:
        return True, False, Trial(min(finest, left), longest, low, high, number, True)
    if low > left - finest:
        return True, False, rest
    return True, False, Trial(first, longest, low, high, number, False)


@inner_kernel
def find_impacts(contacts, solver_bodies, motion, part, threshold, accuracy, tolerance):
    """Which contacts meet within a part [s] that was tried, and when.

    New ones had to be stopped, as from the gap that they would have had otherwise: they are marked.
    What is open meets unless it comes so slowly that it would be back within a step; what touches
    must come faster than the threshold of impacts [m/s]. What touches already and neither comes nor
    goes is pushed by others, and meets nothing. Nor does a point that a second look found and whose
    plane is overlapped already: another one parted its bodies then; or what overlaps and comes
    apart: whatever short part is tried, it overlaps at its end.
    """
    row, mark = contacts.row, contacts.mark
    fresh, least, first = 0, math.inf, math.inf
    for c in range(contacts.used[0]):
        n, gap = vec3_of(row[c].normal), row[c].gap
        u = dot(n, vec3_of(row[c].before))
        if mark[c].impacting:
            _, _, _, after = contact_geometry(contacts, c, motion.next)
            least = min(least, after)
            curvature = (after - gap - u * part) / (part * part)
        else:
            sudden = dot(n, vec3_of(row[c].impulse)) - max(0.0, dot(n, vec3_of(row[c].first)))
            pushed = gap <= tolerance and (abs(u) <= threshold or row[c].least > -math.inf)
            comes_apart = gap < -_MET * accuracy and u > 0.0
            if sudden <= 0.0 or pushed or comes_apart:
                continue
            after = -sudden * normal_inverse_mass(contacts, solver_bodies, c) * part
            curvature = (after - gap - u * part) / (part * part)
            square = u * u - 4.0 * curvature * gap
            slowest = threshold * (LEAST_MEETING if gap > tolerance else 1.0)
            if not (after < -accuracy and square > slowest * slowest):
                continue
            mark[c].impacting = 1
            fresh += 1
        first = min(first, end_of_gap(gap, u, curvature))
    return Found(fresh, least, first)


@deferred_kernel("boolean")
def penetrates_anew(shapes, sweep, found, contacts, motion, still, tried, h, tolerance):
    """Whether shapes that turn overlap at the end of a part of a step of length h [s] that was
    tried, and more than at its start. Pairs of bodies of which neither moves, by still (b,), are
    left out.
    """
    part = tried.part
    if tried.closed or part <= _LEAST_HALVED * h:
        return False
    c = 0
    for k in range(sweep.pair_count[0]):
        s1, s2 = sweep.pair_first[k], sweep.pair_second[k]
        i1, i2 = shapes.body[s1], shapes.body[s2]
        if still[i1] and still[i2]:
            continue
        key = (s1 << 32) + s2
        deepest = 0.0
        while c < contacts.used[0] and contacts.mark[c].pair <= key:
            if contacts.mark[c].pair == key:
                deepest = min(deepest, contacts.row[c].gap)
            c += 1
        w = vec3_at(motion.angular_velocity, i2) - vec3_at(motion.angular_velocity, i1)
        if norm(w) * part <= _TURNED:
            continue
        pose1 = (vec3_of(motion.next[i1].position), quat_of(motion.next[i1].orientation))
        pose2 = (vec3_of(motion.next[i2].position), quat_of(motion.next[i2].orientation))
        count = collide(shapes, s1, s2, pose1, pose2, 0.0, sweep.cache[k], found)
        for point in range(count):
            if found.point[point].gap < deepest - _PENETRATION * tolerance:
                return True
    return False


@inner_kernel
def leave_open(contacts, c):
    """Take contact c out of the first half of a part within which its bodies meet."""
    row = contacts.row[c]
    contacts.mark[c].active = 0
    row.target = -_FAR
    let_go(row)


@inlined_kernel
def is_left_open(row):
    """Whether a contact (ContactRow) is left open in a first half, wherever that leads."""
    return row.target == -_FAR


@inner_kernel
def end_of_gap(gap, u, curvature):
    """Least s > 0 at which gap + u s + curvature s² falls to zero, infinite if it never does."""
    square = u * u - 4.0 * curvature * gap
    if square < 0.0:
        return math.inf
    if u < 0.0:
        return 2.0 * gap / (math.sqrt(square) - u)
    if curvature >= 0.0:
        return math.inf
    return -(u + math.sqrt(square)) / (2.0 * curvature)


@inner_kernel
def rescale(contacts, factor):
    """Make first guesses, and gaps to reach, fit a part that is so many times as long."""
    row, mark = contacts.row, contacts.mark
    for c in range(contacts.used[0]):
        copy_impulses(row[c], row[c], factor, row[c].resists > 0.0)
        gap = row[c].gap
        if mark[c].impacting:
            row[c].target = min(gap, 0.0)
        elif row[c].target != 0.0 or gap < 0.0:  # what overlaps comes apart as fast
            row[c].target = gap + (row[c].target - gap) * factor


@inner_kernel
def save_velocities(state, work):
    """Keep the velocities with which a part begins."""
    for i in range(len(state.bodies)):
        set_vec3(work.part[i].velocity, vec3_of(state.bodies[i].velocity))
        set_vec3(work.part[i].angular_momentum, vec3_of(state.bodies[i].angular_momentum))


@inner_kernel
def restore_velocities(state, work):
    """Return to the velocities with which a part begins."""
    for i in range(len(state.bodies)):
        set_vec3(state.bodies[i].velocity, vec3_of(work.part[i].velocity))
        set_vec3(state.bodies[i].angular_momentum, vec3_of(work.part[i].angular_momentum))
    work.kinematic_work[0] = 0.0
