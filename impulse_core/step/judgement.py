"""Parts of a step that are not believed: contacts created energy, or bodies were flung."""

from __future__ import annotations

from impulse_core.contact.account import flung
from impulse_core.contact.passivity import energy_created
from impulse_core.contact.restitution import NEWTON
from impulse_core.jit import inner_kernel
from impulse_core.model.status import COMPLETED, CREATED
from impulse_core.observables.invariants import most_pushing

__all__ = ["flings", "judge"]


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
        failure, mark = tally.failure[0], contacts.mark[guilty]
        failure.energy = created
        failure.bodies[0] = contact.shapes.owner[mark.shape1]
        failure.bodies[1] = contact.shapes.owner[mark.shape2]
        return CREATED
    tally.totals[0].created += created
    return COMPLETED


@inner_kernel
def flings(contact, model, state, work, tally):
    """Whether bodies were flung within a part that ends; the one that was most, and the joint that
    pushes it most, are then named. Needs the angular velocities.
    """
    row, deepest = contact.contacts.row, 0.0
    for c in range(contact.contacts.used[0]):
        deepest = max(deepest, -row[c].gap)
    body, energy = flung(model, state, contact.recovery * deepest, tally.totals[0], work)
    if body < 0:
        return False
    failure = tally.failure[0]
    failure.energy, failure.body = energy, body
    failure.joint = most_pushing(model, state.joints.multiplier, body)
    return True
