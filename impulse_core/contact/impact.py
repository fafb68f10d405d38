"""Impacts: which contacts were hit, and what they give back.

By Poisson's hypothesis each contact that was hit returns e times the impulse of its compression.
A body that arrives within a step is stopped at its end, so the compression also counts what gravity
would have added after the contact; the part s of it is that of the arrival itself,

    s = v_a / |u + a h|,   v_a² = u² - 2 a gap                     (docs/algorithm.md, section 11)

with u the velocity along the normal at the start of the step and a the acceleration of free motion.
"""

from __future__ import annotations

import math

from impulse_core.algebra import (
    dot,
    mat3_of,
    norm,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.contact.rows import relative_velocity
from impulse_core.jit import inner_kernel

__all__ = [
    "NEWTON",
    "POISSON",
    "arrive_now",
    "find_arrivals",
    "give_back",
    "impact_threshold",
]

POISSON = 0
NEWTON = 1

_SLOW = 2.0  # times g h: what gravity alone does to a body that rests is no impact


@inner_kernel
def impact_threshold(motion, h, accuracy):
    """Change of a velocity within a step [m/s] above which it is an impact."""
    g = norm(vec3_at(motion.gravity.reshape(1, 3), 0))
    return max(_SLOW * g * h, accuracy / h)


@inner_kernel
def find_arrivals(contacts, motion, h):
    """Velocities of arrival of all contacts at the start of a step, from their gaps and motion."""
    row, mark = contacts.row, contacts.mark
    g = vec3_at(motion.gravity.reshape(1, 3), 0)
    for c in range(contacts.used[0]):
        n = vec3_of(row[c].normal)
        u = dot(n, vec3_of(row[c].before))
        a = 0.0
        if mark[c].body2 < motion.dynamic:
            a += dot(n, g)
        if mark[c].body1 < motion.dynamic:
            a -= dot(n, g)
        last = u + a * h
        square = u * u - 2.0 * a * max(row[c].gap, 0.0)
        row[c].arrival = math.sqrt(square) if square > 0.0 and last < 0.0 else 0.0
        row[c].rebound = min(1.0, row[c].arrival / -last) if last < 0.0 else 0.0


@inner_kernel
def arrive_now(contacts, motion):
    """Velocities of arrival where bodies meet at this very moment, so that gravity adds nothing."""
    row = contacts.row
    for c in range(contacts.used[0]):
        u = dot(vec3_of(row[c].normal), relative_velocity(contacts, c, motion))
        row[c].arrival = max(0.0, -u)
        row[c].rebound = 1.0


@inner_kernel
def give_back(contacts, threshold, law):
    """Add what contacts return that were hit in this step; returns whether any was.

    A contact was hit if its impulse of the whole step exceeds that of the step before by more than
    the threshold [m/s], what slow motion needs.
    """
    row = contacts.row
    hit = False
    for c in range(contacts.used[0]):
        e = row[c].restitution
        if e == 0.0 or not contacts.mark[c].active:
            continue
        n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
        p_n = dot(n, p)
        sudden = p_n + dot(n, vec3_of(row[c].first)) - row[c].earlier
        if sudden * dot(n, mat3_of(row[c].block) @ n) <= threshold:
            continue
        hit = True
        if law == NEWTON:
            set_vec3(row[c].offset, n * (-e * row[c].arrival))
        else:
            more = e * row[c].rebound * sudden
            set_vec3(row[c].impulse, p + n * more)
            row[c].floor = p_n + more
    return hit
