"""Small groups of bodies that go through a step by themselves, so that only they are divided.

Bodies whose swept boxes meet within a step are of one group; groups have nothing to do with each
other. Where bodies meet in a step, each small group in which they do is taken to a scene of its own
(``Apart``), which goes through the step in parts, and is brought back at its end. All others take
the step without them. So an impact costs what its group does, however many bodies there are.

What a group does is believed if it stays where its boxes had it, or reaches nothing else beyond
them (``_strays``); else it is left with the others. If any of these come near it in a later part of
the step, which its impacts divide, the step is taken anew with all of them (``reached``).
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.algebra import quat_of, set_quat, set_vec3, vec3_of
from impulse_core.collision.contacts import Contacts
from impulse_core.collision.memory import Memory, copy_memory_point
from impulse_core.contact.islands import SMALL
from impulse_core.contact.system import ContactSetup
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import angular_velocity
from impulse_core.model import Model, State, Structure, Workspace
from impulse_core.types import Floats, Ints, Records, by_address

__all__ = [
    "MOST_APART",
    "Apart",
    "body_of_key",
    "bring_back",
    "dynamic_body",
    "forget",
    "part_from",
    "put_at_end",
    "reached",
    "touched",
    "violation_of_others",
]

MOST_APART = 8  # bodies of a group


@by_address
class Apart(NamedTuple):
    """A scene of up to MOST_APART bodies, which has the kinematic bodies and shapes of the whole
    one, and what groups of that did in it: b bodies of the whole scene, n of which are dynamic.
    """

    model: Model
    structure: Structure
    state: State
    contact: ContactSetup
    work: Workspace
    nobody: Records
    """What a body of the small scene is that no body of the group needs (Body), shape (1,)."""

    open: Ints
    """1 where groups may be taken in this step, -1 where others came near those that were, shape
    (1,)."""
    taken: Ints
    """How many bodies were, shape (1,)."""
    group: Ints
    """Body that stands for all of a group, shape (n,)."""
    number: Ints
    """How many bodies the group has that a body stands for, shape (n,)."""
    bars: Ints
    """1 for such a body if its group cannot be taken, shape (n,)."""
    meets: Ints
    """1 for such a body if bodies of its group meet, and the group is taken, shape (n,)."""
    moment: Floats
    """When they first do, as a part of the step, shape (n,)."""
    moments: Floats
    """Those of all groups, shape (n,)."""
    body: Ints
    """The first body of the group that each body stands for, and the one after each, shape
    (2, n)."""
    pair: Ints
    """The first pair of shapes of each group, -1 if there is none, shape (n,)."""
    next_pair: Ints
    """The one after each pair, shape (p,)."""
    point: Ints
    """The first remembered point of each group, -1 if there is none, shape (n,)."""
    next_point: Ints
    """The one after each point, shape (c,)."""
    slot: Ints
    """Which body of the small scene a body is, shape (n,)."""
    grounds: Ints
    """Shapes of kind GROUND."""
    around: Floats
    """The box within which each shape has pairs with all triangles [m], shape (s, 6)."""
    first_shape: Ints
    """Shapes of body i with a box are shape[first_shape[i]] … shape[first_shape[i+1]-1], shape
    (n+1,)."""
    shape: Ints
    end: Records
    """Where bodies that were taken are at the end (BodyState), shape (n,)."""
    contacts: Contacts
    """Their contacts at the end."""
    memory: Memory
    """What is remembered of these, with forces in place of impulses."""
    order: Ints
    """Their numbers, ascending by the pairs of shapes, shape (k,)."""
    totals: Records
    """The totals before a group is tried (Totals), shape (1,)."""


@inner_kernel
def dynamic_body(model, i1, i2):
    """The one of two bodies that is dynamic, the first if both are."""
    return i1 if i1 < model.dynamic else i2


@inner_kernel
def body_of_key(model, body, key):
    """A dynamic body of a pair of shapes."""
    return dynamic_body(model, body[key >> 32], body[key & 0xFFFFFFFF])


@inner_kernel
def part_from(model, contact, apart):
    """Take the groups that were kept out of the whole scene: their contacts, and what is remembered
    of them. Their bodies go on freely there, and touch nothing.
    """
    contacts, memory, body = contact.contacts, contact.memory, contact.shapes.body
    kept = 0
    for c in range(contacts.used[0]):
        i = dynamic_body(model, contacts.mark[c].body1, contacts.mark[c].body2)
        if not is_taken(model, apart, i):
            contacts.mark[kept], contacts.row[kept] = contacts.mark[c], contacts.row[c]
            kept += 1
    contacts.used[0] = kept
    kept = 0
    for m in range(memory.used[0]):
        if not is_taken(model, apart, body_of_key(model, body, memory.mark[m].pair)):
            copy_memory_point(memory, m, memory, kept, 1.0)
            kept += 1
    memory.used[0] = kept
    for i in range(model.dynamic):
        if is_taken(model, apart, i):
            contact.sleep.still[i] = 1


@inner_kernel
def is_taken(model, apart, i):
    """Whether body i is of a group that was taken."""
    return i < model.dynamic and apart.meets[apart.group[i]] == 1


@inner_kernel
def reached(model, contact, apart):
    """Whether bodies that were not taken come near one that was within what is left of a step: they
    share a pair.
    """
    sweep, body = contact.sweep, contact.shapes.body
    for k in range(sweep.pair_count[0]):
        a, b = body[sweep.pair_first[k]], body[sweep.pair_second[k]]
        if max(a, b) < model.dynamic and is_taken(model, apart, a) != is_taken(model, apart, b):
            return True
    return False


@inner_kernel
def touched(model, contact, apart):
    """Whether a contact is one of a body that was taken: others go where they were not expected."""
    mark = contact.contacts.mark
    for c in range(contact.contacts.used[0]):
        if is_taken(model, apart, mark[c].body1) or is_taken(model, apart, mark[c].body2):
            return True
    return False


@inner_kernel
def violation_of_others(model, contact, apart):
    """Largest violation that small islands leave of bodies that were not taken [m]."""
    solver_bodies, worst = contact.solver_bodies, 0.0
    for k in range(solver_bodies.counted[SMALL]):
        i = solver_bodies.small[k]
        if not is_taken(model, apart, i):
            worst = max(worst, solver_bodies.row[i].violation)
    return worst


@inner_kernel
def put_at_end(model, apart, work):
    """Have bodies that were taken where they are at the end of the step, for others to be looked
    at there.
    """
    for i in range(model.dynamic):
        if is_taken(model, apart, i):
            set_vec3(work.next[i].position, vec3_of(apart.end[i].position))
            set_quat(work.next[i].orientation, quat_of(apart.end[i].orientation))


@inner_kernel
def forget(contact, apart):
    """Have nobody taken, as at the start of a step."""
    if apart.taken[0] > 0:
        for s in range(len(contact.sweep.kept)):
            contact.sweep.kept[s] = 0
    apart.taken[0] = 0


@inner_kernel
def bring_back(model, contact, apart, state, work, totals):
    """Bring groups that were taken back at the end of a step, with their contacts; False without
    room for those.
    """
    contacts, memory, pool = contact.contacts, contact.memory, apart.contacts
    total = contacts.used[0] + pool.used[0]
    if total > len(contacts.row):
        contact.needed[0] = total
        return False
    for i in range(model.dynamic):
        if is_taken(model, apart, i):
            state.bodies[i] = apart.end[i]
            angular_velocity(model, state, i, work)
            contact.sleep.still[i], contact.sleep.rested[i] = 0, 0.0
    c, p = contacts.used[0] - 1, pool.used[0] - 1
    for place in range(total - 1, -1, -1):  # from the end, so that nothing is overwritten
        if p < 0:
            break
        of = apart.order[p]
        if c >= 0 and contacts.mark[c].pair > pool.mark[of].pair:
            contacts.mark[place], contacts.row[place] = contacts.mark[c], contacts.row[c]
            copy_memory_point(memory, c, memory, place, 1.0)
            c -= 1
        else:
            contacts.mark[place], contacts.row[place] = pool.mark[of], pool.row[of]
            copy_memory_point(apart.memory, of, memory, place, memory.step[0])
            p -= 1
    contacts.used[0] = memory.used[0] = total
    bearing = contact.sleep.number[1]
    for m in range(total):
        bearing += memory.mark[m].bore
    totals.most_bearing = max(totals.most_bearing, bearing)
    return True
