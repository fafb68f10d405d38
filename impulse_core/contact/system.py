"""The contact solver's data beside the contacts: bodies, Delassus operator, options.

A body that no joint holds has an inverse mass 1/m and inertia J⁻¹ of its own. An impulse on a
jointed one moves its whole articulation: the Delassus operator of all contacts on jointed bodies
is one dense matrix (docs/algorithm.md, section 11).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.collision.contacts import Contacts, Found, Staged
from impulse_core.collision.memory import Memory
from impulse_core.collision.shapes import Shapes
from impulse_core.collision.sweep import Sweep
from impulse_core.contact.batches import Batches
from impulse_core.contact.events import ContactEvents
from impulse_core.contact.newton_work import NewtonWork, new_newton_work
from impulse_core.contact.sleep import Sleep
from impulse_core.contact.solver_bodies import SolverBodies
from impulse_core.jit import inlined_kernel
from impulse_core.jit.lanes import LANES
from impulse_core.jit.team import Team
from impulse_core.model import TAYLOR_ORDER, State, Structure, Workspace
from impulse_core.types import Floats, Ints, Records, by_address, new_blocks

__all__ = [
    "ContactSetup",
    "Delassus",
    "IslandWork",
    "Motion",
    "motion_of",
    "motion_with",
    "new_delassus",
    "new_island_work",
]


class Motion(NamedTuple):
    """Bodies and their prediction; fields as in Model, State and Workspace."""

    dynamic: int
    bodies: Records
    """Their constants (Body)."""
    gravity: Floats
    states: Records
    """Their poses and momenta (BodyState)."""
    angular_velocity: Floats
    next: Records
    """Their prediction (Pose)."""
    kinematic_work: Floats


@by_address
class Delassus(NamedTuple):
    """Delassus operator of the active contacts on jointed bodies, at most k of them."""

    used: Ints
    """Their number, shape (1,)."""
    known: Ints
    """1 if the operator has been found for them, shape (1,)."""
    contact: Ints
    """Their rows, shape (k,)."""
    rolls: Ints
    """1 if any of them resists turning, shape (1,)."""
    velocity: Floats
    """Part of jointed bodies in the relative velocities [m/s], shape (k, 3)."""
    angular_velocity: Floats
    """Their part in the relative angular velocities [rad/s], shape (k, 3)."""
    linear: Floats
    """Velocities at each point by impulses at each [1/kg], with what they give way (give.py), shape
    (3k, 3k)."""
    gives: Ints
    """1 if there is any such part, shape (1,)."""
    give: Floats
    """It, K, shape (3k, 3k)."""
    scale: Floats
    """Root of the inverse masses of the bodies alone [1/√kg], shape (3k,)."""
    basis: Floats
    """Of the range of the operator over these, as rows that fill lanes, shape (3k, 4⌈3k/4⌉)."""
    left: Floats
    """What is left of its diagonal, shape (3k,)."""
    pivot: Ints
    """Which of its columns each of the basis was found from, shape (3k,)."""
    mixed: Floats
    """Angular velocities by impulses; transposed, velocities by torque impulses [1/(kg m)], shape
    (3k, 3k); only where something resists."""
    angular: Floats
    """Angular velocities by torque impulses [1/(kg m²)], shape (3k, 3k); only for what resists."""
    body: Ints
    """Jointed bodies with contacts, shape (b,)."""
    head: Ints
    """First contact of each of them, 2 k for the k-th of the contacts or 2 k + 1 if it is that
    one's second body; shape (b,)."""
    next: Ints
    """The one after it, for the first and the second body of each contact, -1 at the end, shape
    (k, 2)."""
    path_start: Ints
    """Where the path of each body begins in what follows, shape (b+1,)."""
    node: Ints
    """Nodes of the joint matrix on the paths from the bodies to the root, shape (p,)."""
    kept: Floats
    """L⁻¹ b at those for unit impulses b on the body, and for unit torque impulses, three of each
    as rows of a padded block, shape (2, p, 12)."""
    owner: Ints
    """The last body on whose path a node is, -1 if it is on none, shape (K,)."""
    column: Floats
    """D⁻¹ L⁻¹ b of that body at its nodes likewise, shape (2, K, 12)."""
    response: Floats
    """Velocities of a body by impulses on another, as padded blocks, shape (4, 12)."""
    probe: State
    """Velocities of all bodies by contact impulses alone; all but ``bodies`` is the run's."""
    probe_work: Workspace
    """The run's, with angular velocities of their own."""
    probe_rate: Floats
    """Velocities along joint rows, shape (m, 6)."""


@by_address
class IslandWork(NamedTuple):
    """Scratch of a thread that solves islands."""

    newton: NewtonWork
    series: Floats
    """As in Workspace."""
    worked: Floats
    """Work of kinematic bodies on an island [J], shape (1,)."""


@by_address
class ContactSetup(NamedTuple):
    """Everything a step with contacts needs beside Model, State and Workspace."""

    shapes: Shapes
    sweep: Sweep
    found: Found
    staged: Staged
    contacts: Contacts
    memory: Memory
    earlier: Memory
    """Memory at the start of a step that is divided; no room if none is."""
    solver_bodies: SolverBodies
    sleep: Sleep
    delassus: Delassus
    own: IslandWork
    """Of the thread that takes steps."""
    batches: Batches
    team: Team
    """Threads that share the passes over contacts."""
    needed: Ints
    """Rows that a step wanted but did not have: contacts, those on jointed bodies, and pairs; 0
    where there was room. Shape (3,)."""
    events: ContactEvents
    closed: Ints
    """1 where what meets in a part is stopped in its first half, as without division;
    shape (1,)."""
    again: Ints
    """1 where a first half is solved again with more points, from the impulses found so far; shape
    (1,)."""
    hit: Ints
    """1 where a contact was hit in this part, shape (1,)."""
    suspect: Ints
    """1 where a contact may have created energy in this part, shape (1,)."""
    divided: Ints
    """1 within a step of which parts are done, and how many events there were before it, shape
    (2,)."""
    accuracy: float
    """Violation to which contacts are solved in a step [m]."""
    fine: float
    """The same as a velocity [m/s]: what is left of a step before a frame, or a part of one that is
    divided, is not solved worse for it."""
    coarse: float
    """That of large islands [m/s]."""
    slow: float
    """Velocity up to which bodies do not slide on each other: by the tolerance in a step [m/s]."""
    slack: float
    """Gap or penetration of bodies at rest that is left as it is [m]."""
    recovery: float
    """Part of a penetration that is taken back in a time [1/s]: a part of a step that is divided
    does not push harder for it."""
    rounds: int
    """Most iterations of either solve for the sake of contacts in a step; twice as many where more
    than ``most_left`` is left, four times as many before a stage is divided for large islands."""
    most_left: float
    """Overlap at t+h for which a stage is solved again: with points that were missed, or in halves,
    for three times as much in large islands [m]."""
    finest: float
    """Length of a stage that is not divided for it any more [s]; for points that cannot be added
    the quarter of that."""
    law: int
    """POISSON or NEWTON: the law of restitution."""
    time_of_impact: bool
    """Whether parts of steps end where bodies meet."""
    sleeps: bool
    """Whether bodies that rest may sleep."""


def new_island_work(contacts: int, bodies: int) -> IslandWork:
    """For so many contacts and bodies of a scene."""
    return IslandWork(
        newton=new_newton_work(contacts, bodies),
        series=np.zeros((TAYLOR_ORDER + 1, 7)),
        worked=np.zeros(1),
    )


def new_delassus(structure: Structure, state: State, work: Workspace, rows: int) -> Delassus:
    """Room for a number of contacts on jointed bodies."""
    nodes = len(structure.column_start) - 1
    bodies = min(2 * rows, len(structure.bodies))
    paths = bodies * _longest_path(structure)
    return Delassus(
        used=np.zeros(1, dtype=np.int64),
        contact=np.zeros(rows, dtype=np.int64),
        known=np.zeros(1, dtype=np.int64),
        rolls=np.zeros(1, dtype=np.int64),
        velocity=np.zeros((rows, 3)),
        angular_velocity=np.zeros((rows, 3)),
        linear=np.zeros((3 * rows, 3 * rows)),
        mixed=np.zeros((3 * rows, 3 * rows)),
        angular=np.zeros((3 * rows, 3 * rows)),
        gives=np.zeros(1, dtype=np.int64),
        give=np.zeros((3 * rows, 3 * rows)),
        scale=np.zeros(3 * rows),
        basis=np.zeros((3 * rows, -(-3 * rows // LANES) * LANES)),
        left=np.zeros(3 * rows),
        pivot=np.zeros(3 * rows, dtype=np.int64),
        body=np.zeros(bodies, dtype=np.int64),
        head=np.zeros(bodies, dtype=np.int64),
        next=np.zeros((rows, 2), dtype=np.int64),
        path_start=np.zeros(bodies + 1, dtype=np.int64),
        node=np.zeros(paths, dtype=np.int64),
        kept=new_blocks(2, paths),
        owner=np.zeros(nodes, dtype=np.int64),
        column=new_blocks(2, nodes),
        response=new_blocks(4),
        probe=state._replace(bodies=state.bodies.copy()),
        probe_work=work._replace(angular_velocity=np.zeros_like(work.angular_velocity)),
        probe_rate=np.zeros_like(work.impulse),
    )


def _longest_path(structure: Structure) -> int:
    """No body has more nodes on its path to the root of the elimination tree."""
    start, parent = structure.column_start.tolist(), structure.entry_row
    nodes = len(start) - 1
    length = np.ones(nodes + 1, dtype=np.int64)
    for n in range(nodes - 1, -1, -1):
        if start[n] < start[n + 1]:
            length[n] += length[parent[start[n]]]
    places = structure.bodies
    both = length[places["linear_node"]] + length[places["angular_node"]]
    return min(int(both.max(initial=0)), nodes)


@inlined_kernel
def motion_of(model, state, work):  # type: ignore[no-untyped-def]
    """The arrays of the bodies alone."""
    return motion_with(model, state, work, work.kinematic_work)


@inlined_kernel
def motion_with(model, state, work, kinematic_work):  # type: ignore[no-untyped-def]
    """The same, with a place of its own for the work of kinematic bodies."""
    return Motion(
        dynamic=model.dynamic,
        bodies=model.bodies,
        gravity=model.gravity,
        states=state.bodies,
        angular_velocity=work.angular_velocity,
        next=work.next,
        kinematic_work=kinematic_work,
    )
