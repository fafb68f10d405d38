"""By how much impulses and errors break the laws of a contact."""

from __future__ import annotations

import math

from impulse_core.algebra import ZERO3, dot, norm, vec3_of
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["inverse_mass_of", "turns_on", "violations"]

_ON_CONE = 1e-9  # relative distance from the border of the cone at which a contact slides
_ROUND_OFF = 1e-12  # relative, of what an impact gives back


@inner_kernel
def inverse_mass_of(contacts, c, motion):
    """Inverse mass of the bodies of contact c [1/kg]: no impulse there moves them less."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    return motion.bodies[i1].inverse_mass + motion.bodies[i2].inverse_mass


@inner_kernel
def violations(contacts, c, lacking, slid, unit, scale):
    """The violation of contact c by its errors, as velocities over a unit [s], and what that is
    without what it gives way.
    """
    row = contacts.row[c]
    n, p = vec3_of(row.normal), vec3_of(row.impulse)
    violated = _violation(n, p, lacking, slid, row.friction, row.min_impulse, scale)
    if contacts.mark[c].delassus_row < 0:
        return violated, violated
    given = vec3_of(row.given) * unit
    lacking += dot(n, given)
    slid = slid + given - n * dot(n, given)
    return violated, _violation(n, p, lacking, slid, row.friction, row.min_impulse, scale)


@inner_kernel
def _violation(n, p, lacking, slid, friction, min_impulse, scale):
    """By how much an impulse and its errors break the law, in the unit of the errors; 1e300 where
    that is not a number.

    An impulse where there should be none counts as what it does, scale times the impulse, where
    that is less.
    """
    p_n = dot(n, p)
    if not (abs(lacking) <= 1e300):
        return 1e300
    if p_n <= min_impulse * (1.0 + _ROUND_OFF):
        normal = max(0.0, -lacking)
        if p_n == 0.0:
            return normal
    else:
        normal = max(-lacking, min(lacking, (p_n - min_impulse) * scale))
    if friction == 0.0:
        return normal
    most = 2.0 * friction * p_n * scale
    across = p - n * p_n
    size = norm(across)
    if size < friction * p_n * (1.0 - _ON_CONE):
        return max(normal, min(norm(slid), most))
    along = dot(slid, across) / size
    if along > 0.0:  # friction drives the sliding
        return max(normal, min(norm(slid), most))
    return max(normal, min(norm(slid - across * (along / size)), most))


@inner_kernel
def turns_on(contacts, c, motion, p, turned, unit):
    """By how much a turning over a unit [s] breaks the laws of rolling resistance and torsional
    friction, as the way at the longer arm.

    As with friction, it counts as what their torques do at most where that is less.
    """
    row = contacts.row
    n, t = vec3_of(row[c].normal), vec3_of(row[c].torque)
    p_n = dot(n, p)
    if p_n <= 0.0:
        return 0.0
    spun = dot(n, turned)
    rolled = turned - n * spun
    if row[c].torsion > 0.0:
        along = dot(n, t)
        t = t - n * along
        spun, beyond = _spins_on(spun, along, row[c].torsion * p_n)
    else:
        spun, beyond = 0.0, 0.0
    limit, size = row[c].rolling * p_n, norm(t)
    if limit <= 0.0:
        rolled = ZERO3
    elif size >= limit * (1.0 - _ON_CONE):
        along = dot(rolled, t) / size
        if along <= 0.0:
            rolled = rolled - t * (along / size)
    easily = 2.0 * unit * _most_inverse_inertia(contacts, c, motion)
    rolled_by = min(norm(rolled), easily * limit)
    spun_by = min(abs(spun), easily * row[c].torsion * p_n)
    arm = _longer_arm(contacts, c, motion)
    way = math.hypot(rolled_by, spun_by) * arm
    scale = unit * inverse_mass_of(contacts, c, motion)
    return max(way, beyond * scale / arm) if beyond > 0.0 else way


@inlined_kernel
def _most_inverse_inertia(contacts, c, motion):
    """The most that a torque impulse at contact c turns its bodies by [1/(kg m²)]."""
    total = 0.0
    for i in (contacts.mark[c].body1, contacts.mark[c].body2):
        J = motion.bodies[i].inverse_inertia
        total += max(J[0], J[1], J[2])
    return total


@inner_kernel
def _spins_on(spun, along, most):
    """The part of a spin that torsional friction should have stopped, and by how much its torque
    ``along`` the normal is more than it may be.
    """
    if abs(along) >= most * (1.0 - _ON_CONE) and spun * along <= 0.0:
        spun = 0.0
    return spun, max(abs(along) - most * (1.0 + _ON_CONE), 0.0)


@inner_kernel
def _longer_arm(contacts, c, motion):
    """Of contact c from the centres of the bodies that move [m]."""
    row = contacts.row
    arm = 0.0
    if motion.bodies[contacts.mark[c].body1].inverse_mass > 0.0:
        arm = norm(vec3_of(row[c].arm1))
    if motion.bodies[contacts.mark[c].body2].inverse_mass > 0.0:
        arm = max(arm, norm(vec3_of(row[c].arm2)))
    return arm
