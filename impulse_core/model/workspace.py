"""Workspace: scratch of a step. Filled with anything between two steps, no bit of them changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.model.model import TAYLOR_ORDER, Model
from impulse_core.model.state import State, copy_state
from impulse_core.model.structure import Structure
from impulse_core.model.tally import Totals
from impulse_core.types import (
    Floats,
    Ints,
    Records,
    by_address,
    f8,
    i8,
    mat3,
    new_blocks,
    new_records,
    new_zeros,
    pair,
    quat,
    record,
    vec3,
)

__all__ = [
    "Account",
    "AxisStage",
    "Directions",
    "ForceLaw",
    "JointDirections",
    "Momenta",
    "Pose",
    "Reaction",
    "TermDirections",
    "TermStage",
    "Workspace",
    "new_workspace",
]


@record
class Pose:
    """Where a body is; world frame."""

    position: vec3
    """Centre of mass [m]."""
    orientation: quat
    """Body frame to world frame, quaternion w x y z."""


@record
class Momenta:
    """How a body moves; world frame."""

    velocity: vec3
    """[m/s]."""
    angular_momentum: vec3
    """[kg m²/s]."""


@record
class Account:
    """What the impulses at a body take out and create (contact/account.py)."""

    velocity: vec3
    """Before the impulses of a half [m/s]."""
    angular_momentum: vec3
    """The same [kg m²/s]."""
    angular_velocity: vec3
    """The same [rad/s]."""
    taken: f8
    """½ ΔvᵀM Δv of the halves so far [J]."""
    met: f8
    """Kinetic energies before and after them [J]."""
    outside: f8
    """Of these, that before the first half and that after the second, without rotors [J]."""
    between: f8
    """That after the first half and that before the second, likewise [J]."""
    created: f8
    """Σ p·U of what only resists [J], in the group that the body stands for."""
    returned: f8
    """Σ p·U of what gives back, less what that took on its way [J]; the same."""
    worked: f8
    """Σ p·½(u⁻+u⁺) [J]; the same."""
    swing: f8
    """Σ m (g h)² [J] of the bodies of the group."""
    group: i8
    """Towards the body that stands for all that exchange impulses with this one."""


@record
class ForceLaw:
    """The force law p(x) of an axis in half a stage (forces/force_law.py)."""

    lower: f8
    """Least x, -inf if there is none."""
    upper: f8
    """Largest x, inf if there is none."""
    friction_at: f8
    """x_f."""
    friction: f8
    """F_f, 0 without friction."""
    drive_at: f8
    """x_d."""
    drive: f8
    """F_d, 0 without a velocity motor."""
    drive_back: f8
    """F_d in the negative direction."""
    servo: f8
    """p_s."""
    servo_slope: f8
    """κ_s."""
    servo_bound: f8
    """F_s."""
    servo_back: f8
    """F_s in the negative direction."""
    passive: f8
    """p_b."""
    passive_slope: f8
    """κ_b."""


@record
class AxisStage:
    """What a stage finds out about an axis."""

    impulse: f8
    """Impulse along the axis in this half of the stage [N s | N m s]."""
    vertical: i8
    """1 where the active piece of the law gives the coordinate or velocity, 0 where the impulse."""
    piece: pair
    """That value, or p0 and κ of p = p0 - κ x."""
    open: i8
    """1 where the lower limit does not act in the first half, since the part ends where it is
    reached; -1 the same of the upper one; else 0."""
    next: f8
    """Predicted coordinate [m | rad]."""
    start: f8
    """Coordinate at the start of the stage [m | rad]."""
    rate: f8
    """Velocity before the impulses of the first half [m/s | rad/s]."""
    next_rate: f8
    """The same before loads and impulses of the second half."""
    after: f8
    """Velocity after the impulses of a half [m/s | rad/s]."""
    spring: f8
    """Impulse of springs and dampers in this half at x = 0 [N s | N m s]."""
    spring_slope: f8
    """By how much it falls with x."""
    rotor: f8
    """The same of the rotor."""
    rotor_slope: f8
    """The same."""
    rotor_momentum: f8
    """Momentum of the rotor along the axis, after the impulses that are settled [N s | N m s]."""
    rotor_impulse: f8
    """What of it the rotor gave in the last half that is settled [N s | N m s]."""
    at: f8
    """Argument of the law on the way to where it is met (step/descent.py)."""
    way: f8
    """How a whole Newton step changes that."""
    begun: f8
    """Impulse with which this half began [N s | N m s]."""
    anchor: f8
    """Impulse about which the law is softened [N s | N m s]."""
    spring_share: f8
    """σ of springs and dampers."""
    motor_share: f8
    """σ of a servo."""
    motor_from: f8
    """Target of the motor at the start of the stage."""
    motor_to: f8
    """Target at its end."""


@record
class JointDirections:
    """Constraint directions of a joint at one set of poses; world frame."""

    arm1: vec3
    """From the centre of mass of body 1 to the joint point [m]."""
    arm2: vec3
    """From the centre of mass of body 2 to the joint point [m]."""
    translation_rows: mat3
    """Directions of the translational rows, row by row."""
    rotation_rows: mat3
    """Directions of the rotational rows, row by row."""


@record
class TermDirections:
    """The same of a term of a coupling."""

    axis: vec3
    """Axis of its joint."""
    arm1: vec3
    """From the centre of mass of body 1 to point B of a displacement's joint [m]."""
    arm2: vec3
    """The same from body 2."""


@record
class TermStage:
    """What a stage finds out about a term of a coupling."""

    near: f8
    """Estimate of the coordinate at the prediction [m | rad]: an angle is the nearest one."""
    next: f8
    """Coordinate at the prediction [m | rad]."""


@record
class Reaction:
    """What a joint does to its second body; world frame."""

    force: vec3
    """At the joint point [N]."""
    torque: vec3
    """[N m]."""


@by_address
class Directions(NamedTuple):
    """Constraint directions of all joints at one set of poses."""

    joints: Records
    """Of all joints (JointDirections), shape (m,)."""
    terms: Records
    """Of the terms of couplings (TermDirections), shape (t,)."""


@by_address
class Workspace(NamedTuple):
    """Scratch of a step; nothing here outlives it."""

    next: Records
    """Predicted poses (Pose), shape (b,)."""
    angular_velocity: Floats
    """Angular velocities [rad/s], shape (b, 3), world frame."""
    now: Directions
    """Directions at the present poses, along which impulses act."""
    then: Directions
    """Directions at the predicted poses, for Newton corrections."""
    error: Floats
    """Joint errors d at the prediction [m | rad], shape (m, 6)."""
    impulse: Floats
    """Solution of the joint system, shape (m, 6)."""
    resting: Ints
    """1 for joints of machines that sleep or nap, which are left as they are, shape (m,)."""
    compliance: Floats
    """E of each joint row, shape (m, 6): 0 in constraint rows, 1 in padding; in axis rows that of
    the active piece of the force law."""
    regularisation: Floats
    """What is added to E relative to Structure.row_scale, shape (1,): 0 unless a singular pose
    needs it."""
    dropped: Ints
    """Rows of each node that the factorisation of block dropped, as bits, shape (K,)."""
    loose: Ints
    """Rows of each node that are loose (JointState.loose), as bits, shape (K,)."""
    laws: Records
    """Force law of each axis in this half of the stage (ForceLaw), shape (a,)."""
    axes: Records
    """What a stage finds out about each axis (AxisStage), shape (a,)."""
    worst_axis: Ints
    """Axis whose law was met worst at the last iteration, -1 if joints were worse, shape (1,)."""
    reactions: Records
    """What joints do to bodies (Reaction), shape (m,)."""
    kinematic_work: Floats
    """Work of kinematic bodies on the others in the present stage [J], shape (1,)."""
    terms: Records
    """What a stage finds out about the terms of couplings (TermStage), shape (t,)."""
    stage: Records
    """Motion at the start of the stage (Momenta), shape (b,)."""
    block: Floats
    """Blocks of the factorised joint matrix (algebra/padded.py), shape (K+E, 12)."""
    factored: Ints
    """1 while that is of the directions and compliances here, shape (1,); else it has to be found
    anew where it is needed."""
    still: Ints
    """1 in a stage of a machine with axes and without contacts that begins at rest, to within the
    tolerance, shape (1,)."""
    scaled: Floats
    """A block of it, shape (1, 12)."""
    newton_lower: Floats
    """Diagonal and lower blocks of the factorised Newton matrix, shape (K+E, 12)."""
    newton_upper: Floats
    """Its upper blocks, transposed, each under the number of the lower one, shape (K+E, 12)."""
    right_side: Floats
    """Right-hand side and solution by node, as padded vectors, shape (K, 4)."""
    series: Floats
    """Taylor coefficients of one body's rotation, shape (TAYLOR_ORDER+1, 7)."""
    account: Records
    """What impulses take out and create (Account), shape (b,)."""
    stop: Ints
    """1 once a signal wants the call to end soon, shape (1,); set while a kernel runs."""
    fits: Floats
    """1.0 while directions, factor and angular velocities here are those of the state, shape (1,);
    anything else makes the next step find them anew."""
    saved: State
    """The state at the start of the step, for repeating it in halves."""
    totals: Records
    """The totals there (Totals), shape (1,)."""
    part: Records
    """Motion at the start of a part of a stage (Momenta), shape (b,)."""
    kept_multiplier: Floats
    """Impulses of joints in a second half, kept while an impact is solved for, shape (m, 6)."""
    stack: Floats
    """Values of an expression in the making, e at most, and their derivatives, shape (2 * e,)."""
    load_power: Floats
    """Power of the loads before they act in this half [W], shape (1,)."""
    load_factor: Floats
    """What force and torque of each load that changes are multiplied by now, shape (l,)."""


def _new_directions(joints: int, terms: int) -> Directions:
    return Directions(
        joints=new_records(JointDirections, joints), terms=new_records(TermDirections, terms)
    )


def new_workspace(model: Model, structure: Structure, state: State) -> Workspace:
    """Scratch arrays that fit the model."""
    rows = len(model.bodies)
    joints, terms = len(model.joints), len(model.couplings.terms)
    nodes = len(structure.column_start) - 1
    axes = len(model.axes)
    compliance = structure.joints["padding"].copy()
    compliance[model.axes["joint"], model.axes["row"]] = state.axes["compliance"]
    predicted = new_records(Pose, rows)
    for field in ("position", "orientation"):  # the world's are never written
        predicted[field] = state.bodies[field]
    return Workspace(
        stop=np.zeros(1, dtype=np.int64),
        fits=np.zeros(1),
        next=predicted,
        angular_velocity=np.zeros((rows, 3)),
        now=_new_directions(joints, terms),
        then=_new_directions(joints, terms),
        error=np.zeros((joints, 6)),
        impulse=np.zeros((joints, 6)),
        kept_multiplier=np.zeros((joints, 6)),
        resting=np.zeros(joints, dtype=np.int64),
        compliance=compliance,
        regularisation=np.zeros(1),
        dropped=np.zeros(nodes, dtype=np.int64),
        loose=np.zeros(nodes, dtype=np.int64),
        laws=new_records(ForceLaw, axes),
        axes=new_records(AxisStage, axes),
        worst_axis=np.full(1, -1, dtype=np.int64),
        reactions=new_records(Reaction, joints),
        kinematic_work=np.zeros(1),
        terms=new_records(TermStage, terms),
        stage=new_records(Momenta, rows),
        factored=np.zeros(1, dtype=np.int64),
        still=np.zeros(1, dtype=np.int64),
        scaled=new_blocks(1),
        block=new_blocks(nodes + len(structure.entry_row)),
        newton_lower=new_blocks(nodes + len(structure.entry_row)),
        newton_upper=new_blocks(nodes + len(structure.entry_row)),
        right_side=new_zeros(4 * nodes).reshape(nodes, 4),
        series=np.zeros((TAYLOR_ORDER + 1, 7)),
        account=new_records(Account, rows),
        saved=copy_state(state),
        totals=new_records(Totals, 1),
        part=new_records(Momenta, rows),
        stack=np.zeros(2 * model.signals.depth),
        load_power=np.zeros(1),
        load_factor=np.zeros(len(model.loads)),
    )
