"""The impulses with which contacts begin a half of a step: those of the step before."""

from __future__ import annotations

from impulse_core.algebra import ZERO3, dot, norm, set_vec3, vec3_of
from impulse_core.jit import inner_kernel

__all__ = ["begin_anew", "guess_force", "let_go", "start_from"]


@inner_kernel
def guess_force(contacts, solver_bodies, c, slow):
    """Friction that holds at contact c in this part, and the force with which it begins.

    It is the static one where bodies do not slide, though their impulse may be as large as kinetic
    friction: points of one face share its load in more than one way. Below a ``slow`` velocity
    [m/s] they do not; of large islands, which leave more, impulses within the cone tell as well.
    """
    row, mark = contacts.row[c], contacts.mark[c]
    n, u = vec3_of(row.normal), vec3_of(row.before)
    if mark.sticking or norm(u - n * dot(n, u)) <= slow:
        row.friction = row.static
    row.min_impulse = 0.0
    mark.impacting = 0
    if solver_bodies.mark[mark.body1].jointed or solver_bodies.mark[mark.body2].jointed:
        # nearer in time, as for joints
        set_vec3(row.first, vec3_of(row.second))
        if row.resists > 0.0:
            set_vec3(row.roll_first, vec3_of(row.roll_second))
    else:
        # their mean is the force: corrections of one half by the other would be repeated,
        # and stacks that are not quite solved for would sway ever more
        force = 0.5 * (vec3_of(row.first) + vec3_of(row.second))
        set_vec3(row.first, force)
        set_vec3(row.second, force)


@inner_kernel
def start_from(contact, guess, turn_guess, share):
    """Begin with the share of an impulse at a contact that has not acted yet, kept within its cone,
    and where it resists turning with that of a torque impulse.
    """
    n, p = vec3_of(contact.normal), vec3_of(guess) * share
    p_n = max(0.0, dot(n, p))
    across = p - n * dot(n, p)
    size = norm(across)
    if size > contact.friction * p_n:
        across = across * (contact.friction * p_n / size)
    set_vec3(contact.impulse, n * p_n + across)
    set_vec3(contact.applied, ZERO3)
    if contact.resists > 0.0:
        set_vec3(contact.torque, vec3_of(turn_guess) * share if p_n > 0.0 else ZERO3)
        set_vec3(contact.torque_applied, ZERO3)


@inner_kernel
def let_go(contact):
    """Take away the impulses that a contact (ContactRow) begins with."""
    set_vec3(contact.impulse, ZERO3)
    if contact.resists > 0.0:
        set_vec3(contact.torque, ZERO3)


@inner_kernel
def begin_anew(contacts, scale):
    """Begin a first half with first guesses times a scale: as they are, or none. None has acted."""
    row = contacts.row
    for c in range(contacts.used[0]):
        start_from(row[c], row[c].first, row[c].roll_first, scale)
