"""Parts of a step that are not believed: contacts created energy, or bodies were flung."""

from __future__ import annotations

import math

from impulse_core.contact.account import energy_between
from impulse_core.contact.passivity import energy_created
from impulse_core.contact.restitution import NEWTON
from impulse_core.jit import inner_kernel
from impulse_core.model.status import COMPLETED, CREATED
from impulse_core.observables.invariants import most_pushing

__all__ = ["flings", "judge", "name_missed", "name_unsettled"]

_FLUNG = (
    4.0  # times the usual energy: bodies that fell for two steps have four times that after one
)


@inner_kernel
def judge(contact, model, h, work, tally):
    """CREATED, with their bodies, where contacts created energy in a part against their laws. h is
    the length of the whole stage.
    """
    if not contact.suspect[0]:
        return COMPLETED
    contacts = contact.contacts
    created, guilty = energy_created(model, contacts, h, work)
    if guilty >= 0 and contact.law != NEWTON:
        tally.failure[0].energy = created
        _name(contact, guilty, tally)
        return CREATED
    tally.totals[0].created += created
    return COMPLETED


@inner_kernel
def name_unsettled(contact, tally):
    """Name the bodies of the contact whose law is farthest from what it says."""
    if contact is None:
        return
    row, worst = contact.contacts.row, 0
    for c in range(contact.contacts.used[0]):
        if row[c].lacking > row[worst].lacking:
            worst = c
    _name(contact, worst, tally)


@inner_kernel
def name_missed(contact, added, tally):
    """Name the bodies of a point that a second look found, so many of which it ``added``: what
    could not be added is left behind all contacts.
    """
    missed = len(contact.contacts.row) - 1
    if added > 0:
        for c in range(contact.contacts.used[0]):
            if contact.contacts.row[c].least > -math.inf:
                missed = c
    _name(contact, missed, tally)


@inner_kernel
def _name(contact, c, tally):
    """Name the bodies of contact c."""
    mark, failure = contact.contacts.mark[c], tally.failure[0]
    failure.bodies[0] = contact.shapes.owner[mark.shape1]
    failure.bodies[1] = contact.shapes.owner[mark.shape2]


@inner_kernel
def flings(contact, model, state, work, tally):
    """Whether bodies had far more kinetic energy between the halves of a part that ends than is
    usual; the one with most of it, and the joint that pushes it most, are then named.

    Where bodies are wedged a step that is too long finds them beyond, where they cannot have gone:
    impulses throw and catch them within it. Overlaps that are taken back move bodies as well.
    """
    between, usual, body = energy_between(model, tally.totals[0], work)
    if not between > _FLUNG * usual:
        return False
    row, deepest, mass = contact.contacts.row, 0.0, 0.0
    for c in range(contact.contacts.used[0]):
        deepest = max(deepest, -row[c].gap)
    for i in range(model.dynamic):
        mass += model.bodies[i].mass
    usual += 0.5 * mass * (contact.recovery * deepest) ** 2
    if not between > _FLUNG * usual:
        return False
    failure = tally.failure[0]
    failure.energy, failure.body = between, body
    failure.joint = most_pushing(model, state.joints.multiplier, body)
    return True
