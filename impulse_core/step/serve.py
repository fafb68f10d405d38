"""What threads of a team do while the first one takes steps: items of its tasks (jit/team.py)."""

from __future__ import annotations

from impulse_core.collision.detect import find_points, keep_points
from impulse_core.contact.batch_sweeps import extrapolate, sweep_shares
from impulse_core.contact.batches import fill_batches, read_batches, write_batches
from impulse_core.contact.impulses import act_on_bodies, gather_pushes
from impulse_core.contact.passivity import close_second
from impulse_core.contact.residuals import velocities_of_chunk, ways_of_chunk
from impulse_core.contact.system import motion_of
from impulse_core.jit import inner_kernel, kernel
from impulse_core.jit.team import note_done, take, waits_for_task
from impulse_core.model.tasks import (
    ACT,
    BEGIN_FIRST,
    BEGIN_POINTS,
    BEGIN_SECOND,
    CLOSE_FIRST,
    CLOSE_SECOND,
    FILL,
    FIND_POINTS,
    GATHER,
    GO_ON,
    KEEP_POINTS,
    PREDICT,
    READ,
    SAVE_MARKS,
    SAVE_POINTS,
    SETTLE_WAYS,
    SWEEP,
    VELOCITIES,
    WAYS,
    WRITE,
)
from impulse_core.step.passes import (
    begin_first,
    begin_points,
    begin_second,
    close_first,
    save_marks,
    save_points,
    search_of,
)
from impulse_core.step.small_islands import predict_bodies, settle_islands

__all__ = ["serve"]


@kernel
def serve(model, contact, found, own, state, work, thread):
    """Do items of all tasks until the team is closed; the thread's number, from 1 on. found: points
    of one pair, and own: scratch for islands, which are its own.
    """
    team = contact.team
    while waits_for_task(team):
        while True:
            begin, end, task = take(team, thread)
            if begin == end:
                break
            if task <= WRITE:
                _do_batches(contact, thread, task, begin, end)
            elif task >= SETTLE_WAYS:
                settle_islands(contact, own, model, state, task == SETTLE_WAYS, work, begin, end)
            elif task >= FIND_POINTS:
                _do_pairs(contact, model, found, state, task, begin, end)
            elif task == PREDICT:
                h = team.number[0]
                predict_bodies(contact, model, state, own.series, h, work, begin, end)
            else:
                _do_contacts(contact, motion_of(model, state, work), task, begin, end)
            note_done(team)
    return thread


@inner_kernel
def _do_batches(contact, thread, task, begin, end):
    """Some items of a task of batches."""
    contacts, solver_bodies, batches = contact.contacts, contact.solver_bodies, contact.batches
    beta, island = contact.team.number[0], int(contact.team.number[1])
    if task == SWEEP:
        sweep_shares(batches, contact.team, thread, island, beta, begin, end)
    elif task == GO_ON:
        extrapolate(batches, beta, begin, end)
    elif task == FILL:
        fill_batches(contacts, solver_bodies, batches, island, begin, end)
    elif task == READ:
        read_batches(contacts, solver_bodies, batches, island, begin, end)
    elif task == WRITE:
        write_batches(contacts, batches, island, begin, end)


@inner_kernel
def _do_pairs(contact, model, found, state, task, begin, end):
    """Some pairs of a task."""
    search, h = search_of(contact), contact.team.number[0]
    if task == FIND_POINTS:
        margin = contact.team.number[1]
        find_points(model, search, found, state, contact.sleep.still, h, margin, begin, end)
    elif task == KEEP_POINTS:
        keep_points(search, h, begin, end)


@inner_kernel
def _do_contacts(contact, motion, task, begin, end):
    """Some contacts of a task."""
    contacts, solver_bodies = contact.contacts, contact.solver_bodies
    x, y, z = contact.team.number[0], contact.team.number[1], contact.team.number[2]
    if task == WAYS:
        ways_of_chunk(contacts, solver_bodies, motion, x, y, z > 0.0, begin, end)
    elif task == VELOCITIES:
        velocities_of_chunk(contacts, solver_bodies, motion, y, z > 0.0, begin, end)
    elif task == CLOSE_SECOND:
        close_second(contacts, solver_bodies, motion, x, y, begin, end)
    elif task == BEGIN_POINTS:
        begin_points(contact, motion, x, y, z > 0.0, begin, end)
    elif task == BEGIN_FIRST:
        begin_first(contact, motion, x, begin, end)
    elif task == CLOSE_FIRST:
        close_first(contact, motion, x, begin, end)
    elif task == BEGIN_SECOND:
        begin_second(contact, motion, x > 0.0, y, z, begin, end)
    elif task == SAVE_POINTS:
        save_points(contact, x > 0.0, y, begin, end)
    elif task == SAVE_MARKS:
        save_marks(contact, begin, end)
    elif task == GATHER:
        gather_pushes(contacts, begin, end)
    elif task == ACT:
        act_on_bodies(contacts, motion, begin, end)
