"""By how much impulses and errors break the laws of a contact."""

from __future__ import annotations

from impulse_core.algebra import dot, norm, vec3_of
from impulse_core.contact.law import in_disc, within_arms
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["inverse_mass_of", "law_violation", "turns_on", "violations"]

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
    violated = law_violation(n, p, lacking, slid, row.friction, row.min_impulse, scale)
    if contacts.mark[c].delassus_row < 0:
        return violated, violated
    given = vec3_of(row.given) * unit
    lacking += dot(n, given)
    slid = slid + given - n * dot(n, given)
    return violated, law_violation(n, p, lacking, slid, row.friction, row.min_impulse, scale)


@inner_kernel
def law_violation(n, p, lacking, slid, friction, min_impulse, scale):
    """By how much an impulse and its errors break the law, in the unit of the errors; 1e300 where
    that is not a number.

    An impulse where there should be none counts as what it does, scale times the impulse, where
    that is less; so does one of friction that is missing, ‖p_t - P(p_t - u_t/w)‖ w with w the scale
    and the projection P onto the disc of friction.
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
    across = p - n * p_n
    missing = across - in_disc(across - slid * (1.0 / scale), friction * p_n)
    return max(normal, norm(missing) * scale)


@inner_kernel
def turns_on(contacts, c, motion, p, turned, unit):
    """By how much a turning over a unit [s] breaks the laws of rolling resistance and torsional
    friction, as the way at the longer arm: what the torques would do that are missing, if that is
    less, ‖t - P(t - ω/w)‖ w with the projection P onto what they may be.
    """
    row = contacts.row
    n, t = vec3_of(row[c].normal), vec3_of(row[c].torque)
    p_n = dot(n, p)
    if p_n <= 0.0:
        return 0.0
    w = unit * _most_inverse_inertia(contacts, c, motion)
    rolling, torsion = row[c].rolling * p_n, row[c].torsion * p_n
    missing = t - within_arms(n, t - turned * (1.0 / w), rolling, torsion)
    return norm(missing) * w * _longer_arm(contacts, c, motion)


@inlined_kernel
def _most_inverse_inertia(contacts, c, motion):
    """The most that a torque impulse at contact c turns its bodies by [1/(kg m²)]."""
    total = 1e-300
    for i in (contacts.mark[c].body1, contacts.mark[c].body2):
        J = motion.bodies[i].inverse_inertia
        total += max(J[0], J[1], J[2])
    return total


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
