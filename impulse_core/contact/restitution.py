"""Restitution: the impulses that contacts return which were hit.

By Poisson's hypothesis each contact that was hit returns e times the impulse of its compression.
A body that arrives within a step is stopped at its end, so the compression also counts what gravity
would have added after the contact; the part s of it is that of the approach velocity itself,

    s = v_a / |u + a h|,   v_a² = u² - 2 a gap                     (docs/algorithm.md, section 11)

with u the velocity along the normal at the start of the step and a the acceleration of free motion.
"""

from __future__ import annotations

import math

from impulse_core.algebra import (
    dot,
    norm,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.contact.held import holds_at_end
from impulse_core.contact.jacobian import normal_inverse_mass, relative_velocity
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "LEAST_MEETING",
    "NEWTON",
    "POISSON",
    "approach_velocities_now",
    "count_meeting_now",
    "find_approach_velocity",
    "impact_threshold",
    "restitution_impulses",
]

POISSON = 0
NEWTON = 1

LEAST_MEETING = 0.25  # of the threshold of impacts, ½ g h: what leaves as slowly is back in h

_SLOW = 2.0  # times g h: what gravity alone does to a body that rests is no impact


@inner_kernel
def impact_threshold(motion, h, accuracy):
    """Change of a velocity within a step [m/s] above which it is an impact."""
    g = norm(vec3_at(motion.gravity.reshape(1, 3), 0))
    return max(_SLOW * g * h, accuracy / h)


@inner_kernel
def find_approach_velocity(contacts, c, motion, h):
    """Approach velocity of contact c at the start of a step, from its gap and motion, unless it was
    found where the first half led, by which its velocity is known.
    """
    row, mark = contacts.row[c], contacts.mark[c]
    if row.least > -math.inf:
        return
    g = vec3_at(motion.gravity.reshape(1, 3), 0)
    n = vec3_of(row.normal)
    u = dot(n, vec3_of(row.before))
    a = 0.0
    if mark.body2 < motion.dynamic:
        a += dot(n, g)
    if mark.body1 < motion.dynamic:
        a -= dot(n, g)
    last = u + a * h
    square = u * u - 2.0 * a * max(row.gap, 0.0)
    row.approach_velocity = math.sqrt(square) if square > 0.0 and last < 0.0 else 0.0
    row.rebound = min(1.0, row.approach_velocity / -last) if last < 0.0 else 0.0


@inner_kernel
def count_meeting_now(contacts, at_impact):
    """Number of contacts that give something back and whose bodies may meet at t+h."""
    count = 0
    for c in range(contacts.used[0]):
        if _meets_now(contacts, c, at_impact):
            count += 1
    return count


@inner_kernel
def approach_velocities_now(contacts, motion, at_impact):
    """Approach velocities of bodies that meet at this very moment, so that gravity adds nothing:
    of all where a part of a step ends at an impact, else where a contact closes at t+h that had no
    impulse in the first half. Needs the angular velocities.
    """
    row = contacts.row
    for c in range(contacts.used[0]):
        if _meets_now(contacts, c, at_impact):
            u = dot(vec3_of(row[c].normal), relative_velocity(contacts, c, motion))
            row[c].approach_velocity = max(0.0, -u)
            row[c].rebound = 1.0


@inlined_kernel
def _meets_now(contacts, c, at_impact):
    """Whether contact c gives something back, and any impulse of it is due to a meeting at t+h."""
    row = contacts.row[c]
    if row.restitution == 0.0 or not contacts.mark[c].active:
        return False
    return at_impact or not (row.first[0] != 0.0 or row.first[1] != 0.0 or row.first[2] != 0.0)


@inner_kernel
def restitution_impulses(contacts, solver_bodies, threshold, law):
    """Add the impulses of restitution of this step; returns whether any contact was hit.

    A contact was hit if its impulse of the whole step exceeds that of the step before by more than
    slow motion needs, the threshold [m/s], or LEAST_MEETING of that where its bodies are known to
    meet.
    """
    row = contacts.row
    hit = False
    for c in range(contacts.used[0]):
        e = row[c].restitution
        if e == 0.0 or not contacts.mark[c].active:
            continue
        n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
        p_n = dot(n, p)
        held = holds_at_end(contacts.mark[c]) * dot(n, vec3_of(row[c].second))
        sudden = p_n + held + dot(n, vec3_of(row[c].first)) - row[c].earlier
        slowest = threshold * (LEAST_MEETING if contacts.mark[c].impacting else 1.0)
        if sudden * normal_inverse_mass(contacts, solver_bodies, c) <= slowest:
            continue
        hit = True
        if law == NEWTON:
            set_vec3(row[c].offset, n * (-e * row[c].approach_velocity))
        else:
            more = e * row[c].rebound * sudden
            set_vec3(row[c].impulse, p + n * more)
            row[c].min_impulse = p_n + more
    return hit
