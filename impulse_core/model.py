"""Model, State, Workspace: what is constant, what varies, what is scratch.

All three are named tuples of arrays, which Numba passes to kernels without boxing. Body rows
0 … n-1 are the dynamic bodies, then come k kinematic ones, and **the last row is the world**
(infinite mass, at rest), so that a joint to the world needs no branch anywhere: b = n+k+1 rows.
The *body frame* of a dynamic body sits at the centre of mass along the principal axes, that of a
kinematic one at the user's origin (docs/conventions.md); K is the number of 3×3 pivots of the
joint matrix, E its number of off-diagonal blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from impulse_core.types import (
    Floats,
    Ints,
    Records,
    f8,
    i8,
    mat3,
    new_records,
    pair,
    quat,
    record,
    six,
    six_i8,
    vec3,
)

if TYPE_CHECKING:
    from impulse_core.free_motion.paths import Paths
    from impulse_core.signals.table import Signals

__all__ = [
    "FLOW_EXACT",
    "FLOW_RK4",
    "Axis",
    "AxisStage",
    "Body",
    "BodyPlace",
    "Couplings",
    "Directions",
    "ForceLaw",
    "Joint",
    "JointPlace",
    "Load",
    "Model",
    "Reaction",
    "State",
    "Structure",
    "Term",
    "Workspace",
    "copy_state",
    "new_workspace",
    "put_state",
]

FLOW_EXACT = 0
FLOW_RK4 = 1

TAYLOR_ORDER = 30

SOFTEST = 1e12
"""Compliance of an axis on which nothing acts, relative to its inverse mass."""


@record
class BodyPlace:
    """Where a body is in the joint matrix."""

    linear_node: i8
    """Node of its linear part."""
    angular_node: i8
    """Node of its angular part."""


@record
class JointPlace:
    """Where the rows of a joint are in the joint matrix, and of what size."""

    translation_node: i8
    """Node of the translational rows, -1 if it has none."""
    rotation_node: i8
    """Node of the rotational rows, -1 if it has none."""
    block: six_i8
    """Blocks of (T, lin 1), (T, ang 1), (T, lin 2), (T, ang 2), (R, ang 1), (R, ang 2); -1 where
    that side is the world or the rows do not exist."""
    transposed: six_i8
    """1 where the body comes after the joint, so that Gᵀ is stored."""
    padding: six
    """1 in the rows that only fill a node up to three, 0 in constraint rows."""
    row_scale: six
    """Size of the diagonal of A in each row [1/kg | 1/(kg m²)]."""


class Structure(NamedTuple):
    """Where each block of the joint matrix lives, fixed once (solver/ordering.py).

    A *node* is one 3×3 pivot: the linear or angular momentum of a body, or the translational or
    rotational rows of a joint (padded to three). Nodes are numbered in elimination order.
    Block k < K is the diagonal of node k, block K + e the off-diagonal entry e.
    """

    bodies: Records
    """Places of the dynamic bodies (BodyPlace), shape (n,)."""
    joints: Records
    """Places and sizes of the rows of joints (JointPlace), shape (m,)."""
    column_start: Ints
    """Entries of column k are column_start[k] … column_start[k+1]-1, shape (K+1,)."""
    entry_row: Ints
    """Row node of each entry, always later in the order than its column, shape (E,)."""
    target_start: Ints
    """First target of column k, shape (K,); entry pair (a, b ≤ a) adds a(a+1)/2 + b."""
    target: Ints
    """Block that each pair of a column's entries updates."""
    fill_block: Ints
    """Blocks that start as zero in every factorisation."""
    solve_node: Ints
    """Nodes a solve has to visit: all but those of bodies that carry no joint beneath them."""
    pivot_floor: Floats
    """Scalar pivots below this belong to rows that repeat others, shape (K, 3); 0 in nodes of
    bodies and of joints on no loop, where that cannot be."""
    coupling_block: Ints
    """Blocks of each term's coupling with the linear and angular parts of body 1 and of body 2; -1
    where that is the world, or the linear part of an angle, shape (t, 4)."""
    has_loops: int
    """1 if the joints close loops, else 0."""


@record
class Term:
    """One term c s of a coupling."""

    joint: i8
    """Joint whose coordinate s is."""
    row: i8
    """TRANSLATION_AXIS or ROTATION_AXIS (joints/table.py)."""
    coefficient: f8
    """Factor c of the coordinate."""
    offset: f8
    """a·(B - A) at the start pose [m]; 0 for angles."""


class Couplings(NamedTuple):
    """Linear relations Σ cₖ sₖ = c₀ between joint coordinates: q of them with t terms in all."""

    joint: Ints
    """Joint number of each coupling, shape (q,)."""
    constant: Floats
    """c₀, shape (q,)."""
    weight: Floats
    """Metres that an error of one means, so that one tolerance serves all rows, shape (q,)."""
    first_term: Ints
    """Terms of coupling c are first_term[c] … first_term[c+1]-1, shape (q+1,)."""
    terms: Records
    """Terms of all couplings, one coupling after the other (Term), shape (t,)."""


@record
class Body:
    """What is constant of a body."""

    mass: f8
    """[kg]; 0 for others than dynamic bodies."""
    inverse_mass: f8
    """1/mass [1/kg]; 0 for others than dynamic bodies."""
    inertia: vec3
    """Principal moments [kg m²], body frame; 0 for others than dynamic bodies."""
    inverse_inertia: vec3
    """1/inertia; 0 for others."""
    symmetry_axis: i8
    """Body axis 0, 1 or 2 about which two moments are equal, -1 if all differ."""


@record
class Joint:
    """What is constant of a joint, until it breaks."""

    body1: i8
    """Row of the first body."""
    body2: i8
    """Row of the second body."""
    translation_part: i8
    """Translational constraint part (joints/table.py)."""
    rotation_part: i8
    """Rotational constraint part."""
    anchor1: vec3
    """Joint point A of body 1 [m], frame of body 1."""
    anchor2: vec3
    """Joint point B of body 2 [m], frame of body 2."""
    axis1: vec3
    """Unit axis a of body 1, frame of body 1."""
    across_b: vec3
    """Unit vector b across it, the same frame."""
    across_c: vec3
    """Unit vector c = a × b."""
    axis2: vec3
    """Unit axis of body 2, frame of body 2."""
    relative_orientation: quat
    """Q0 = q1⁻¹ ∘ q2, to be kept by fixed rotations."""
    length: f8
    """Distance to be kept by distance joints [m]."""
    angle: f8
    """Angle between the axes to be kept by constant angles [rad]."""
    body_length: f8
    """Weight of a rotational error [m/rad], so that one tolerance serves all rows."""
    has_translation_axis: i8
    """1 where the translational node carries an axis row."""
    has_rotation_axis: i8
    """1 where the rotational node carries one."""
    break_force: f8
    """Reaction force at which the joint breaks [N], inf if never."""
    break_torque: f8
    """Reaction torque at which it breaks [N m], inf if never."""


@record
class Load:
    """A force and a torque on a body."""

    body: i8
    """Row of the body it acts on."""
    reaction: i8
    """Row of the body that takes the opposite."""
    force: vec3
    """[N]."""
    torque: vec3
    """[N m]."""
    point: vec3
    """Point of attack [m], body frame."""
    in_body_axes: i8
    """1 where force and torque are given in the *user's* body axes."""
    axes: quat
    """User's body axes to body frame."""


@record
class Axis:
    """What is constant of a joint's free axis on which something acts."""

    joint: i8
    """Number of the joint."""
    row: i8
    """Row among the six of the joint (joints/table.py)."""
    offset: f8
    """What a·(B-A) is at the start pose [m]."""
    inverse_mass: f8
    """Inverse mass along the axis of the two bodies and their joint alone [1/kg | 1/(kg m²)]."""
    length: f8
    """Weight of the coordinate [m/rad], 1 for displacements."""
    stiffness: f8
    """Sum of the springs [N/m | N m/rad]."""
    damping: f8
    """Sum of the dampers [N s/m | N m s/rad]."""
    rest: f8
    """Coordinate at which the springs together are without force [m | rad]."""
    friction: f8
    """Dry friction [N | N m]."""
    lower: f8
    """Smallest coordinate [m | rad], -inf if there is no limit."""
    upper: f8
    """Largest coordinate [m | rad], inf if there is no limit."""
    restitution: f8
    """Restitution at the limits."""
    motor_kind: i8
    """NO_MOTOR, VELOCITY_MOTOR, IMPLICIT_SERVO or EXPLICIT_SERVO."""
    motor_gain: vec3
    """Proportional, integral and derivative gain of a servo."""
    motor_limit: f8
    """Largest force or torque of the motor [N | N m], inf if unlimited."""
    motor_target: i8
    """Signal that is the target of the motor."""


@record
class ForceLaw:
    """The force law p(x) of an axis in half a stage (joints/force_law.py)."""

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
    servo: f8
    """p_s."""
    servo_slope: f8
    """κ_s."""
    servo_bound: f8
    """F_s."""
    passive: f8
    """p_b."""
    passive_slope: f8
    """κ_b."""


@record
class AxisStage:
    """What a stage finds out about an axis; nothing here but the force outlives it."""

    impulse: f8
    """Impulse along the axis in this half of the stage [N s | N m s]."""
    vertical: i8
    """1 where the active piece of the law gives the coordinate or velocity, 0 where the impulse."""
    piece: pair
    """That value, or p0 and κ of p = p0 - κ x."""
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
    force: f8
    """Mean force over the last stage [N | N m]."""
    spring_share: f8
    """σ of springs and dampers."""
    motor_share: f8
    """σ of a servo."""
    motor_from: f8
    """Target of the motor at the start of the stage."""
    motor_to: f8
    """Target at its end."""


class Model(NamedTuple):
    """The constant data of a scene."""

    dynamic: int
    """Number n of dynamic bodies."""
    bodies: Records
    """Dynamic bodies, then kinematic ones, then the world (Body), shape (b,)."""
    gravity: Floats
    """Gravitational acceleration [m/s²], shape (3,), world frame."""
    size: float
    """Size of the scene [m]."""
    flow: int
    """FLOW_EXACT or FLOW_RK4: how a free body turns."""

    joints: Records
    """Joints, and springs between two points after them (Joint), shape (m,)."""
    axes: Records
    """What acts along each free axis (Axis), shape (a,)."""
    signals: Signals
    """Functions of time."""
    counted_joint: Ints
    """Joints that turn about an axis on which nothing acts, shape (r,): their full turns are
    counted for the recording alone."""
    couplings: Couplings
    """Relations between joint coordinates."""
    coupled: int | None
    """1, or None if there are no couplings: kernels are then compiled without them."""

    loads: Records
    """Forces and torques from outside (Load), shape (l,)."""
    paths: Paths
    """Motion of the kinematic bodies."""


class State(NamedTuple):
    """What a step changes."""

    position: Floats
    """Centres of mass [m], shape (b, 3), world frame."""
    orientation: Floats
    """Body frame to world frame, quaternions w x y z, shape (b, 4)."""
    velocity: Floats
    """Velocities of the centres of mass [m/s], shape (b, 3), world frame."""
    angular_momentum: Floats
    """About the own centre of mass [kg m²/s], shape (b, 3), world frame. Free motion leaves it
    exactly constant, which is why it is kept instead of the angular velocity."""
    multiplier: Floats
    """Impulses of the last velocity correction [N s | N m s], shape (m, 6): the warm start."""
    multiplier_step: Floats
    """Length of the stage those belong to [s], shape (1,)."""
    axis_position: Floats
    """Coordinates of the axes [m | rad], shape (a,)."""
    motor_integral: Floats
    """Integrated errors of servos [m s | rad s], shape (a,)."""
    time: Floats
    """Time of this state [s], shape (1,)."""
    spin: Floats
    """Angular velocities of the kinematic bodies [rad/s], shape (k, 3), world frame."""
    interval: Ints
    """Interval of Model.paths in which each kinematic body is, shape (k,)."""
    term_position: Floats
    """Coordinates of the terms of couplings [m | rad], shape (t,): angles go on over full turns."""


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


class Directions(NamedTuple):
    """Constraint directions of all joints at one set of poses."""

    joints: Records
    """Of all joints (JointDirections), shape (m,)."""
    terms: Records
    """Of the terms of couplings (TermDirections), shape (t,)."""


class Workspace(NamedTuple):
    """Scratch of a step; nothing here outlives it."""

    next_position: Floats
    """Predicted centres of mass, shape (b, 3)."""
    next_orientation: Floats
    """Predicted orientations, shape (b, 4)."""
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
    compliance: Floats
    """E of each joint row, shape (m, 6): 0 in constraint rows, 1 in padding; in axis rows that of
    the active piece of the force law."""
    regularisation: Floats
    """What is added to E relative to Structure.row_scale, shape (1,): 0 unless a singular pose
    needs it."""
    dropped: Ints
    """How many rows of each node the factorisation of block dropped, shape (K,)."""
    laws: Records
    """Force law of each axis in this half of the stage (ForceLaw), shape (a,)."""
    axes: Records
    """What a stage finds out about each axis (AxisStage), shape (a,)."""
    worst_axis: Ints
    """Axis whose law was met worst at the last look, -1 if joints were worse, shape (1,)."""
    reactions: Records
    """What joints do to bodies (Reaction), shape (m,)."""
    may_break: Ints
    """1 while joints may break, 0 where the step only looks ahead, shape (1,)."""
    kinematic_work: Floats
    """Work of kinematic bodies on the others in the present stage [J], shape (1,)."""
    terms: Records
    """What a stage finds out about the terms of couplings (TermStage), shape (t,)."""
    stage_velocity: Floats
    """Velocities at the start of the stage, shape (b, 3)."""
    stage_angular_momentum: Floats
    """Angular momenta at the start of the stage, shape (b, 3)."""
    block: Floats
    """Blocks of the factorised joint matrix, shape (K+E, 9)."""
    newton_lower: Floats
    """Diagonal and lower blocks of the factorised Newton matrix, shape (K+E, 9)."""
    newton_upper: Floats
    """Its upper blocks, each under the number of the lower block it mirrors, shape (K+E, 9)."""
    right_side: Floats
    """Right-hand side and solution by node, shape (K, 3)."""
    series: Floats
    """Taylor coefficients of one body's rotation, shape (TAYLOR_ORDER+1, 7)."""
    account: Floats
    """What impulses take out and create (passivity.py), shape (b, 14)."""
    group: Ints
    """Towards the body that stands for all that exchange impulses with one, shape (b,)."""
    stop: Ints
    """1 once a signal wants the call to end soon, shape (1,); set while a kernel runs."""
    progress: Ints
    """How much of the step under way is done, in parts of its finest division, shape (1,): 0 but
    where ``stop`` ended a call within a step."""
    load_active: Ints
    """1 for loads that act during this step, shape (l,)."""
    saved: State
    """The state at the start of the step, for repeating it in halves."""


def copy_state(state: State) -> State:
    """An independent copy."""
    return State._make(array.copy() for array in state)


def put_state(state: State, values: State) -> None:
    """Overwrite the arrays of ``state`` in place."""
    for array, value in zip(state, values, strict=True):
        array[:] = value


def _start_compliance(model: Model, structure: Structure) -> Floats:
    """E where nothing acts on any axis."""
    compliance = structure.joints["padding"].copy()
    axes = model.axes
    compliance[axes["joint"], axes["row"]] = SOFTEST * axes["inverse_mass"]
    return compliance


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
    return Workspace(
        stop=np.zeros(1, dtype=np.int64),
        progress=np.zeros(1, dtype=np.int64),
        next_position=state.position.copy(),
        next_orientation=state.orientation.copy(),
        angular_velocity=np.zeros((rows, 3)),
        now=_new_directions(joints, terms),
        then=_new_directions(joints, terms),
        error=np.zeros((joints, 6)),
        impulse=np.zeros((joints, 6)),
        compliance=_start_compliance(model, structure),
        regularisation=np.zeros(1),
        dropped=np.zeros(nodes, dtype=np.int64),
        laws=new_records(ForceLaw, axes),
        axes=new_records(AxisStage, axes),
        worst_axis=np.full(1, -1, dtype=np.int64),
        reactions=new_records(Reaction, joints),
        may_break=np.zeros(1, dtype=np.int64),
        kinematic_work=np.zeros(1),
        terms=new_records(TermStage, terms),
        stage_velocity=np.zeros((rows, 3)),
        stage_angular_momentum=np.zeros((rows, 3)),
        block=np.zeros((nodes + len(structure.entry_row), 9)),
        newton_lower=np.zeros((nodes + len(structure.entry_row), 9)),
        newton_upper=np.zeros((nodes + len(structure.entry_row), 9)),
        right_side=np.zeros((nodes, 3)),
        series=np.zeros((TAYLOR_ORDER + 1, 7)),
        account=np.zeros((rows, 14)),
        group=np.zeros(rows, dtype=np.int64),
        load_active=np.zeros(len(model.loads), dtype=np.int64),
        saved=copy_state(state),
    )
