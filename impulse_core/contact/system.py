"""What the contact response keeps beside the contacts: how bodies answer impulses.

What a body that no joint holds answers to an impulse is 1/m and J⁻¹; what a jointed one answers
depends on all bodies of its machine, so that the answers of jointed bodies at all their contacts
are kept as one dense matrix (docs/algorithm.md, section 11).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.collision.contacts import Contacts, Found, Memory
from impulse_core.collision.shapes import Shapes
from impulse_core.collision.sweep import Sweep
from impulse_core.contact.events import ContactEvents
from impulse_core.contact.movers import Movers
from impulse_core.contact.newton_work import NewtonWork
from impulse_core.contact.sleep import Sleep
from impulse_core.jit import inlined_kernel
from impulse_core.model import State, Structure, Workspace
from impulse_core.types import Floats, Ints, Records, by_address

__all__ = [
    "ContactSetup",
    "Joined",
    "Motion",
    "motion_of",
    "new_joined",
]


class Motion(NamedTuple):
    """Bodies and their prediction; fields as in Model, State and Workspace."""

    dynamic: int
    bodies: Records
    """What is constant of them (Body)."""
    gravity: Floats
    states: Records
    """Where they are and how they move (BodyState)."""
    angular_velocity: Floats
    next: Records
    """Their prediction (Pose)."""
    kinematic_work: Floats


@by_address
class Joined(NamedTuple):
    """Active contacts on jointed bodies, at most k of them."""

    used: Ints
    """How many there are, shape (1,)."""
    contact: Ints
    """Their rows, shape (k,)."""
    rolls: Ints
    """1 if any of them has rolling resistance, shape (1,)."""
    velocity: Floats
    """Part of jointed bodies in the relative velocities [m/s], shape (k, 3)."""
    spin: Floats
    """Their part in the relative angular velocities [rad/s], shape (k, 3)."""
    answer: Floats
    """Answer of jointed bodies at one point to an impulse at another [1/kg], shape (3k, 3k)."""
    spin_answer: Floats
    """Answer of those to impulses; transposed, of velocities to torque impulses [1/(kg m)], shape
    (3k, 3k); only where something rolls."""
    turn_answer: Floats
    """Answer of those to torque impulses [1/(kg m²)], shape (3k, 3k); only for what rolls."""
    node_wanted: Ints
    """1 for the nodes of the joint matrix that such an answer needs, shape (K,)."""
    node: Ints
    """Those nodes, shape (K,)."""
    column: Floats
    """Three solutions of the saddle system at each node, one a column, shape (K, 9)."""
    probe: State
    """Answer of all bodies to an impulse, at their poses; all but ``bodies`` is the run's."""
    probe_work: Workspace
    """The run's, with angular velocities of their own."""
    probe_rate: Floats
    """Velocities along joint rows, shape (m, 6)."""


@by_address
class ContactSetup(NamedTuple):
    """Everything a step with contacts needs beside Model, State and Workspace."""

    shapes: Shapes
    sweep: Sweep
    found: Found
    contacts: Contacts
    memory: Memory
    earlier: Memory
    """What was remembered at the start of a step that is divided; no room if none is."""
    movers: Movers
    sleep: Sleep
    joined: Joined
    newton: NewtonWork
    needed: Ints
    """Rows that a step wanted but did not have: contacts, those on jointed bodies, and pairs; 0
    where there was room. Shape (3,)."""
    events: ContactEvents
    closed: Ints
    """1 where what meets in a part is stopped in its first half, as without division;
    shape (1,)."""
    hit: Ints
    """1 where a contact was hit in this part, shape (1,)."""
    divided: Ints
    """1 within a step of which parts are done, and how many events there were before it, shape
    (2,)."""
    accuracy: float
    """Violation to which contacts are solved [m]."""
    coarse: float
    """The same of those in large islands [m]."""
    slack: float
    """Gap or overlap of bodies at rest that is left as it is [m]."""
    recovery: float
    """Part of an overlap that is taken back in a step."""
    rounds: int
    """Most looks ahead and velocity corrections for the sake of contacts in a step."""
    law: int
    """POISSON or NEWTON: what impacts give back."""
    meets: bool
    """Whether parts of steps end where bodies meet."""
    sleeps: bool
    """Whether bodies that rest may sleep."""


def new_joined(structure: Structure, state: State, work: Workspace, rows: int) -> Joined:
    """Room for a number of contacts on jointed bodies."""
    nodes = len(structure.column_start) - 1
    return Joined(
        used=np.zeros(1, dtype=np.int64),
        contact=np.zeros(rows, dtype=np.int64),
        rolls=np.zeros(1, dtype=np.int64),
        velocity=np.zeros((rows, 3)),
        spin=np.zeros((rows, 3)),
        answer=np.zeros((3 * rows, 3 * rows)),
        spin_answer=np.zeros((3 * rows, 3 * rows)),
        turn_answer=np.zeros((3 * rows, 3 * rows)),
        node_wanted=np.zeros(nodes, dtype=np.int64),
        node=np.zeros(nodes, dtype=np.int64),
        column=np.zeros((nodes, 9)),
        probe=state._replace(bodies=state.bodies.copy()),
        probe_work=work._replace(angular_velocity=np.zeros_like(work.angular_velocity)),
        probe_rate=np.zeros_like(work.impulse),
    )


@inlined_kernel
def motion_of(model, state, work):  # type: ignore[no-untyped-def]
    """The arrays of the bodies alone."""
    return Motion(
        dynamic=model.dynamic,
        bodies=model.bodies,
        gravity=model.gravity,
        states=state.bodies,
        angular_velocity=work.angular_velocity,
        next=work.next,
        kinematic_work=work.kinematic_work,
    )
