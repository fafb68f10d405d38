"""A stage of bodies that may touch.

Bodies that rest nap, and may sleep: a filter around the step, which leaves them where they are.
Groups of bodies that meet may go through the stage by themselves, and are brought back at its end.
"""

from __future__ import annotations

from impulse_core.collision.memory import copy_memory
from impulse_core.contact.apart import bring_back, forget
from impulse_core.contact.events import sort_events
from impulse_core.contact.frozen import freeze
from impulse_core.contact.rest import count_rest, fall_asleep
from impulse_core.contact.sleep import find_still, nothing_moves, put_to_rest
from impulse_core.free_motion.kinematic import drive
from impulse_core.jit import inner_kernel
from impulse_core.model.copies import copy_into
from impulse_core.model.status import COMPLETED, NO_ROOM
from impulse_core.step.dividing import restore_totals
from impulse_core.step.fitting import resume
from impulse_core.step.parts import advance_in_parts

__all__ = ["contact_stage", "restore_memory"]


@inner_kernel
def contact_stage(model, structure, contact, apart, state, h, tolerance, work, tally):
    """Advance a consistent state by h: COMPLETED, or why not."""
    if not _has_room_for_sleepers(contact):
        return NO_ROOM
    find_still(model, state, contact.sleep, h, work)
    if nothing_moves(model, contact.sleep):
        _pass(model, contact, state, h, work, tally)
        return COMPLETED
    if apart is not None:
        forget(contact, apart)
        apart.open[0] = 1
    begun, status, again = contact.events.number[0], COMPLETED, True
    while again:
        again = False
        status = advance_in_parts(
            model, structure, contact, apart, state, h, tolerance, work, tally
        )
        if apart is not None and apart.open[0] < 0:
            _go_back(model, structure, contact, apart, state, h, work, tally)
            again = True
    if status != COMPLETED:
        return status
    if apart is not None and apart.taken[0] > 0:
        if not bring_back(model, contact, apart, state, work, tally.totals[0]):
            return NO_ROOM
        sort_events(contact.events, begun)
        forget(contact, apart)
    contact.divided[0], contact.divided[1] = 0, 0
    _fall_asleep(model, contact, state, h, tolerance, work, tally)
    return COMPLETED


@inner_kernel
def _go_back(model, structure, contact, apart, state, h, work, tally):
    """Return to the start of a stage of length h, which then is taken by all bodies together."""
    restore_memory(contact)
    restore_totals(work, tally)
    copy_into(work.saved, state)
    resume(model, structure, state, work)
    find_still(model, state, contact.sleep, h, work)
    forget(contact, apart)
    apart.open[0] = 0


@inner_kernel
def _pass(model, contact, state, h, work, tally):
    """Let a stage of length h pass in which nothing moves."""
    state.clock[0].time += h
    drive(model, state, state.clock[0].time, work)
    contact.contacts.used[0] = 0
    bearing, totals = contact.sleep.number[1], tally.totals[0]
    totals.bearing += bearing
    totals.most_bearing = max(totals.most_bearing, bearing)


@inner_kernel
def restore_memory(contact):
    """Restore the memory of contacts where parts of a failed stage have changed it."""
    if contact is None:
        return
    if contact.divided[0]:
        copy_memory(contact.earlier, contact.memory)
        contact.events.number[0] = min(contact.events.number[0], contact.divided[1])
        contact.divided[0] = 0


@inner_kernel
def _has_room_for_sleepers(contact):
    """Whether all contacts that there is room for may freeze in this step: once they are known it
    is too late to take the step again.
    """
    frozen = contact.sleep.frozen
    if frozen.used[0] + len(contact.contacts.row) <= len(frozen.row):
        return True
    contact.needed[0] = frozen.used[0]
    return False


@inner_kernel
def _fall_asleep(model, contact, state, h, tolerance, work, tally):
    """Let islands that rest nap, or fall asleep where they have done so long enough."""
    sleep, contacts, sleeps = contact.sleep, contact.contacts, contact.sleeps
    if not count_rest(model, state, sleep, sleeps, contact.fine, h, work):
        return
    count, lost = fall_asleep(
        model, contacts, contact.solver_bodies, state, sleep, sleeps, tolerance, h, work
    )
    if count > 0:
        tally.totals[0].dissipated += lost
        put_to_rest(model, state, sleep, work)
        freeze(contact.shapes.body, sleep, contact.memory, contacts)
