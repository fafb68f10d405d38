"""What the contact response keeps beside the contacts: how bodies answer impulses.

What a body that no joint holds answers to an impulse is 1/m and J⁻¹; what a jointed one answers
depends on all bodies of its machine, so that the answers of jointed bodies at all their contacts
are kept as one dense matrix (docs/algorithm.md, section 11). Kernels take small tuples: every array
of a tuple that is passed costs compile time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.collision.broad import Sweep
from impulse_core.collision.contacts import Contacts, Found, Memory
from impulse_core.collision.shapes import Shapes
from impulse_core.contact.events import ContactEvents
from impulse_core.contact.movers import Movers
from impulse_core.contact.newton_work import NewtonWork
from impulse_core.contact.sleep import Sleep
from impulse_core.jit import inlined_kernel
from impulse_core.model import Directions, Model, State, Structure
from impulse_core.types import Floats, Ints

__all__ = [
    "ContactSetup",
    "Joined",
    "Motion",
    "Probe",
    "motion_of",
    "new_joined",
    "probes_of",
]


class Motion(NamedTuple):
    """Bodies and their prediction; fields as in Model, State and Workspace."""

    dynamic: int
    inverse_mass: Floats
    inverse_inertia: Floats
    gravity: Floats
    position: Floats
    orientation: Floats
    velocity: Floats
    angular_momentum: Floats
    angular_velocity: Floats
    next_position: Floats
    next_orientation: Floats
    kinematic_work: Floats


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
    probe_velocity: Floats
    """Answer of all bodies to an impulse [m/s], shape (b, 3)."""
    probe_momentum: Floats
    """The same, angular momentum [kg m²/s], shape (b, 3)."""
    probe_spin: Floats
    """The same, angular velocity [rad/s], shape (b, 3)."""
    probe_rate: Floats
    """Velocities along joint rows, shape (m, 6)."""
    probe_impulse: Floats
    """Impulses of joints, shape (m, 6)."""
    probe_work: Floats
    """Shape (1,)."""


class Probe(NamedTuple):
    """What of a workspace the joints' answer to an impulse needs; fields as in ``Workspace``."""

    angular_velocity: Floats
    now: Directions
    impulse: Floats
    block: Floats
    right_side: Floats
    kinematic_work: Floats


class ContactSetup(NamedTuple):
    """Everything a step with contacts needs beside Model, State and Workspace."""

    structure: Structure
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
    residual: Floats
    """Largest violation of the law of a contact that a step left [m], shape (1,)."""
    events: ContactEvents
    divided: Ints
    """1 within a step of which parts are done, and how many events there were before it, shape
    (2,)."""
    figures: Floats
    """Contacts that bore an impulse, over all steps; most of them in one step; deepest overlap of
    any two bodies [m]; how often steps were divided; steps with more impacts than parts. Shape
    (5,)."""
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


def new_joined(model: Model, structure: Structure, rows: int) -> Joined:
    """Room for a number of contacts on jointed bodies."""
    bodies, joints = len(model.bodies), len(model.joints)
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
        probe_velocity=np.zeros((bodies, 3)),
        probe_momentum=np.zeros((bodies, 3)),
        probe_spin=np.zeros((bodies, 3)),
        probe_rate=np.zeros((joints, 6)),
        probe_impulse=np.zeros((joints, 6)),
        probe_work=np.zeros(1),
    )


@inlined_kernel
def motion_of(model, state, work):  # type: ignore[no-untyped-def]
    """The arrays of the bodies alone."""
    return Motion(
        dynamic=model.dynamic,
        inverse_mass=model.bodies.inverse_mass,
        inverse_inertia=model.bodies.inverse_inertia,
        gravity=model.gravity,
        position=state.position,
        orientation=state.orientation,
        velocity=state.velocity,
        angular_momentum=state.angular_momentum,
        angular_velocity=work.angular_velocity,
        next_position=work.next_position,
        next_orientation=work.next_orientation,
        kinematic_work=work.kinematic_work,
    )


@inlined_kernel
def probes_of(joined, state, work):  # type: ignore[no-untyped-def]
    """State and workspace with the same poses and matrix, and velocities of their own."""
    probe = State(
        position=state.position,
        orientation=state.orientation,
        velocity=joined.probe_velocity,
        angular_momentum=joined.probe_momentum,
        multiplier=state.multiplier,
        multiplier_step=state.multiplier_step,
        axis_position=state.axis_position,
        motor_integral=state.motor_integral,
        time=state.time,
        spin=state.spin,
        interval=state.interval,
        term_position=state.term_position,
    )
    probe_work = Probe(
        angular_velocity=joined.probe_spin,
        now=work.now,
        impulse=joined.probe_impulse,
        block=work.block,
        right_side=work.right_side,
        kinematic_work=joined.probe_work,
    )
    return probe, probe_work
