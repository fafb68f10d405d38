"""Forces that hold bodies until an impact within the step.

Where bodies meet at t + σh, contacts that bore until then did so for the part σ of the step even if
the impact opens them. Constant forces F from t to t + σh do what these impulses of both halves do,

    p₀ = (2σ - σ²) ½hF    at t        p₀ = σ² ½hF    at t+h        (docs/algorithm.md, 78)

They act beside the impulses that the laws are about. Without them a body that is hit had lost all
that its weight does in the step, an error of first order in h of each impact.
"""

from __future__ import annotations

import math

from impulse_core.algebra import dot, set_vec3, vec3_of
from impulse_core.contact.guesses import start_from
from impulse_core.contact.jacobian import own_block
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "AT_END",
    "add_held",
    "held_work",
    "hold_at_impact",
    "hold_until_impact",
    "holds_at_end",
    "holds_at_start",
    "is_force",
    "moment_of_meeting",
    "start_beside",
]

AT_END = 1.0  # when bodies meet that do so where a part of a step ends


@inner_kernel
def moment_of_meeting(contact, h, threshold):
    """When free motion closes a contact (ContactRow) faster than the threshold [m/s], as a part of
    h; infinite if it does not. Needs the approach velocity.
    """
    v = contact.approach_velocity
    if v <= threshold:
        return math.inf
    # the lesser root of gap + u s + ½ a s², where the velocity is -v
    u = dot(vec3_of(contact.normal), vec3_of(contact.before))
    part = 2.0 * max(contact.gap, 0.0) / ((v - u) * h)
    return part if part < AT_END else math.inf


@inner_kernel
def hold_until_impact(contacts, solver_bodies):
    """Let the contacts of each island that meets something in a first half begin beside what is
    held: the forces of the last step (``is_force``).
    """
    row, mark, solver_body = contacts.row, contacts.mark, solver_bodies.mark
    for i in range(len(solver_body) - 1):
        if not solver_body[i].meets < AT_END:
            continue
        c = solver_body[i].head
        while c >= 0:
            mark[c].meets = solver_body[i].meets
            mark[c].held = mark[c].meets if mark[c].steady else 0.0
            start_beside(row[c], row[c].begun, row[c].roll_first, holds_at_start(mark[c]))
            c = mark[c].next


@inner_kernel
def hold_at_impact(contacts, solver_bodies):
    """The same in the second half of a part that ends where bodies meet: forces of its first half
    hold until then.
    """
    row, mark, solver_body = contacts.row, contacts.mark, solver_bodies.mark
    for i in range(len(solver_body) - 1):
        if solver_body[i].meets != AT_END:
            continue
        c = solver_body[i].head
        while c >= 0:
            mark[c].held = 0.0 if mark[c].impacting else 1.0
            set_vec3(row[c].second, vec3_of(row[c].first))
            if row[c].resists > 0.0:
                set_vec3(row[c].roll_second, vec3_of(row[c].roll_first))
            start_beside(row[c], row[c].second, row[c].roll_second, holds_at_end(mark[c]))
            c = mark[c].next


@inner_kernel
def is_force(contacts, solver_bodies, c, threshold):
    """Whether what contact c bore in this part is a force: its island met nothing, and it grew by
    no more than slow motion needs, the threshold [m/s].
    """
    row, mark, bodies = contacts.row[c], contacts.mark[c], solver_bodies.row
    if mark.meets <= AT_END:
        return False
    n = vec3_of(row.normal)
    sudden = dot(n, vec3_of(row.first) + vec3_of(row.impulse)) - row.earlier
    if sudden <= 0.0:
        return True
    alone = bodies[mark.body1].inverse_mass_alone + bodies[mark.body2].inverse_mass_alone
    return sudden * max(alone, dot(n, own_block(contacts, solver_bodies, c) @ n)) <= threshold


@inlined_kernel
def holds_at_start(mark):
    """Part of the half step at t for which a contact (ContactMark) is held."""
    return mark.held * (2.0 - mark.held)


@inlined_kernel
def holds_at_end(mark):
    """The same of the half step at t+h."""
    return mark.held * mark.held


@inner_kernel
def start_beside(contact, force, turning, part):
    """Begin with the rest of an impulse, and a torque impulse, of which a part is held; that acts
    with the first of what the contact (ContactRow) bears.
    """
    start_from(contact, force, turning, 1.0 - part)
    if part > 0.0:
        set_vec3(contact.applied, vec3_of(force) * -part)
        if contact.resists > 0.0:
            set_vec3(contact.torque_applied, vec3_of(turning) * -part)


@inner_kernel
def add_held(contact, force, turning, part):
    """Add what was held to the impulses of a contact (ContactRow): all that acted."""
    if part > 0.0:
        set_vec3(contact.impulse, vec3_of(contact.impulse) + vec3_of(force) * part)
        if contact.resists > 0.0:
            set_vec3(contact.torque, vec3_of(contact.torque) + vec3_of(turning) * part)


@inlined_kernel
def held_work(contact, force, turning, part, u, w):
    """½ p₀·(u⁻ + u⁺) of what is held, and the same of turning [J]."""
    if part == 0.0:
        return 0.0
    work = dot(vec3_of(force), u + vec3_of(contact.before))
    if contact.resists > 0.0:
        work += dot(vec3_of(turning), w + vec3_of(contact.turn_before))
    return 0.5 * part * work
