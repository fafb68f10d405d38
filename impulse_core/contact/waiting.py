"""Contacts of machines that stay open in the first half of a step, and wait outside its system.

Where hands, legs and covers lie near each other, a machine has many more points that could close
within a step than close. Each of them would be a row of the Delassus operator and of Newton's
method, which cost as the square and the third power of their number. Points that bore nothing wait,
and those that a prediction closes join: the half goes on with them.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, set_vec3, vec3_of
from impulse_core.collision.geometry import contact_geometry
from impulse_core.contact.islands import root_of
from impulse_core.contact.time_of_impact import is_left_open
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["join_closing", "note_meeting", "waits"]


@inner_kernel
def waits(contacts, solver_bodies, c, slack):
    """Whether contact c waits in a first half: it is between bodies that joints or nothing move,
    bore nothing in the last step, and has a gap of more than the slack [m].
    """
    row, mark = contacts.row[c], contacts.mark[c]
    if not row.gap > slack:
        return False
    if _moves_alone(solver_bodies, mark.body1) or _moves_alone(solver_bodies, mark.body2):
        return False
    return _is_idle(row)


@inlined_kernel
def _moves_alone(solver_bodies, i):
    """Whether body i moves, and no joint holds it."""
    return solver_bodies.row[i].inverse_mass > 0.0


@inlined_kernel
def _is_idle(row):
    """Whether a contact (ContactRow) bore no impulse in either half of the last step, and begins
    with none.
    """
    first, second, begun = vec3_of(row.first), vec3_of(row.second), vec3_of(row.impulse)
    return first == ZERO3 and second == ZERO3 and begun == ZERO3


@inner_kernel
def note_meeting(contacts, solver_bodies):
    """Islands meet what waits for them as well."""
    row, mark, solver_body = contacts.row, contacts.mark, solver_bodies.mark
    for c in range(contacts.used[0]):
        if not mark[c].active and not is_left_open(row[c]):
            for i in (mark[c].body1, mark[c].body2):
                root = root_of(solver_bodies, i)
                solver_body[root].meets = min(solver_body[root].meets, mark[c].meets)


@inner_kernel
def join_closing(contacts, states):
    """Let contacts join that wait and are closed at the predicted poses; whether any do.

    What is left open for an impact within the step has a target that no prediction reaches.
    """
    row, mark, joined = contacts.row, contacts.mark, False
    for c in range(contacts.used[0]):
        if mark[c].active or is_left_open(row[c]):
            continue
        _, _, _, gap = contact_geometry(contacts, c, states)
        if not (gap >= row[c].target):
            mark[c].active = 1
            set_vec3(row[c].start, ZERO3)
            set_vec3(row[c].given, ZERO3)
            joined = True
    return joined
