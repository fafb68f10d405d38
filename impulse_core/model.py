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
from numpy.typing import NDArray

from impulse_core.joints.law_columns import LAW_NUMBERS

if TYPE_CHECKING:
    from impulse_core.free_motion.paths import Paths
    from impulse_core.signals.table import Signals

__all__ = [
    "FLOW_EXACT",
    "FLOW_RK4",
    "Couplings",
    "Directions",
    "Floats",
    "Ints",
    "Model",
    "State",
    "Structure",
    "Workspace",
    "copy_state",
    "new_workspace",
    "put_state",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FLOW_EXACT = 0
FLOW_RK4 = 1

TAYLOR_ORDER = 30

SOFTEST = 1e12
"""Compliance of an axis on which nothing acts, relative to its inverse mass."""


class Structure(NamedTuple):
    """Where each block of the joint matrix lives, fixed once (solver/ordering.py).

    A *node* is one 3×3 pivot: the linear or angular momentum of a body, or the translational or
    rotational rows of a joint (padded to three). Nodes are numbered in elimination order.
    Block k < K is the diagonal of node k, block K + e the off-diagonal entry e.
    """

    linear_node: Ints
    """Node of each dynamic body's linear part, shape (n,)."""
    angular_node: Ints
    """Node of each dynamic body's angular part, shape (n,)."""
    translation_node: Ints
    """Node of each joint's translational rows, -1 if it has none, shape (m,)."""
    rotation_node: Ints
    """Node of each joint's rotational rows, -1 if it has none, shape (m,)."""
    column_start: Ints
    """Entries of column k are column_start[k] … column_start[k+1]-1, shape (K+1,)."""
    entry_row: Ints
    """Row node of each entry, always later in the order than its column, shape (E,)."""
    target_start: Ints
    """First target of column k, shape (K,); entry pair (a, b ≤ a) adds a(a+1)/2 + b."""
    target: Ints
    """Block that each pair of a column's entries updates."""
    joint_block: Ints
    """Blocks of (T, lin 1), (T, ang 1), (T, lin 2), (T, ang 2), (R, ang 1), (R, ang 2); -1 where
    that side is the world or the rows do not exist, shape (m, 6)."""
    joint_block_transposed: Ints
    """1 where the body comes after the joint, so that Gᵀ is stored, shape (m, 6)."""
    fill_block: Ints
    """Blocks that start as zero in every factorisation."""
    solve_node: Ints
    """Nodes a solve has to visit: all but those of bodies that carry no joint beneath them."""
    padding: Floats
    """1 in the rows that only fill a node up to three, 0 in constraint rows, shape (m, 6)."""
    row_scale: Floats
    """Size of the diagonal of A in each joint row [1/kg | 1/(kg m²)], shape (m, 6)."""
    pivot_floor: Floats
    """Scalar pivots below this belong to rows that repeat others, shape (K, 3); 0 in nodes of
    bodies and of joints on no loop, where that cannot be."""
    coupling_block: Ints
    """Blocks of each term's coupling with the linear and angular parts of body 1 and of body 2; -1
    where that is the world, or the linear part of an angle, shape (t, 4)."""
    has_loops: int
    """1 if the joints close loops, else 0."""


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
    term_joint: Ints
    """Joint whose coordinate s is, shape (t,)."""
    term_row: Ints
    """TRANSLATION_AXIS or ROTATION_AXIS (joints/table.py), shape (t,)."""
    coefficient: Floats
    """Factor c of the coordinate, shape (t,)."""
    term_offset: Floats
    """a·(B - A) at the start pose [m], shape (t,); 0 for angles."""


class Model(NamedTuple):
    """The constant data of a scene."""

    dynamic: int
    """Number n of dynamic bodies."""
    mass: Floats
    """Mass [kg], shape (b,); 0 for others than dynamic bodies."""
    inverse_mass: Floats
    """1/mass [1/kg], shape (b,); 0 for others than dynamic bodies."""
    inertia: Floats
    """Principal moments of inertia [kg m²], shape (b, 3), body frame; 0 for others."""
    inverse_inertia: Floats
    """1/inertia, shape (b, 3); 0 for others."""
    symmetry_axis: Ints
    """Body axis 0, 1 or 2 about which two moments are equal, -1 if all differ, shape (b,)."""
    gravity: Floats
    """Gravitational acceleration [m/s²], shape (3,), world frame."""
    size: float
    """Size of the scene [m]."""
    flow: int
    """FLOW_EXACT or FLOW_RK4: how a free body turns."""

    body1: Ints
    """Row of each joint's first body, shape (m,)."""
    body2: Ints
    """Row of each joint's second body, shape (m,)."""
    translation_part: Ints
    """Translational constraint part of each joint (joints/table.py), shape (m,)."""
    rotation_part: Ints
    """Rotational constraint part of each joint, shape (m,)."""
    anchor1: Floats
    """Joint point A of body 1 [m], shape (m, 3), frame of body 1."""
    anchor2: Floats
    """Joint point B of body 2 [m], shape (m, 3), frame of body 2."""
    frame1: Floats
    """Rows a, b, c: the joint axis and two unit vectors across it, shape (m, 9), body 1 frame."""
    axis2: Floats
    """Unit axis of body 2, shape (m, 3), frame of body 2."""
    relative_orientation: Floats
    """Q0 = q1⁻¹ ∘ q2 to be kept by fixed rotations, shape (m, 4)."""
    length: Floats
    """Distance to be kept by distance joints [m], shape (m,)."""
    angle: Floats
    """Angle between the axes to be kept by constant angles [rad], shape (m,)."""
    body_length: Floats
    """Weight of a rotational error [m/rad], so that one tolerance serves all rows, shape (m,)."""

    has_axis: Ints
    """1 where a joint's translational or rotational node carries an axis row, shape (m, 2)."""
    break_force: Floats
    """Reaction force at which each joint breaks [N], inf if never, shape (m,)."""
    break_torque: Floats
    """Reaction torque at which each joint breaks [N m], inf if never, shape (m,)."""

    axis_joint: Ints
    """Joint of each axis on which something acts, shape (a,)."""
    axis_row: Ints
    """Its row among the six of the joint (joints/table.py), shape (a,)."""
    axis_offset: Floats
    """What a·(B-A) is at the start pose [m], shape (a,)."""
    axis_inverse_mass: Floats
    """Inverse mass along the axis of the two bodies and their joint alone [1/kg | 1/(kg m²)],
    shape (a,)."""
    axis_length: Floats
    """Weight of its coordinate [m/rad], 1 for displacements, shape (a,)."""
    axis_stiffness: Floats
    """Sum of the springs [N/m | N m/rad], shape (a,)."""
    axis_damping: Floats
    """Sum of the dampers [N s/m | N m s/rad], shape (a,)."""
    axis_rest: Floats
    """Coordinate at which the springs together are without force [m | rad], shape (a,)."""
    axis_friction: Floats
    """Dry friction [N | N m], shape (a,)."""
    axis_lower: Floats
    """Smallest coordinate [m | rad], -inf if there is no limit, shape (a,)."""
    axis_upper: Floats
    """Largest coordinate [m | rad], inf if there is no limit, shape (a,)."""
    axis_restitution: Floats
    """Restitution at the limits, shape (a,)."""
    motor_kind: Ints
    """NO_MOTOR, VELOCITY_MOTOR, IMPLICIT_SERVO or EXPLICIT_SERVO, shape (a,)."""
    motor_gain: Floats
    """Proportional, integral and derivative gain of servos, shape (a, 3)."""
    motor_limit: Floats
    """Largest force or torque of a motor [N | N m], inf if unlimited, shape (a,)."""
    motor_target: Ints
    """Signal that is the target of each motor, shape (a,)."""
    signals: Signals
    """Functions of time."""
    counted_joint: Ints
    """Joints that turn about an axis on which nothing acts, shape (r,): their full turns are
    counted for the recording alone."""
    couplings: Couplings
    """Relations between joint coordinates."""
    coupled: int | None
    """1, or None if there are no couplings: kernels are then compiled without them."""

    load_body: Ints
    """Row of the body each load acts on, shape (l,)."""
    load_reaction: Ints
    """Row of the body that takes the opposite load, shape (l,)."""
    load_force: Floats
    """Force [N], shape (l, 3)."""
    load_torque: Floats
    """Torque [N m], shape (l, 3)."""
    load_point: Floats
    """Point of attack [m], shape (l, 3), body frame."""
    load_in_body_axes: Ints
    """1 where force and torque are given in the *user's* body axes, shape (l,)."""
    load_axes: Floats
    """User's body axes to body frame, shape (l, 4), quaternion."""

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


class Directions(NamedTuple):
    """Constraint directions of all joints at one set of poses; world frame."""

    arm1: Floats
    """From the centre of mass of body 1 to the joint point [m], shape (m, 3)."""
    arm2: Floats
    """From the centre of mass of body 2 to the joint point [m], shape (m, 3)."""
    translation_rows: Floats
    """Directions of the translational rows, row by row, shape (m, 9)."""
    rotation_rows: Floats
    """Directions of the rotational rows, row by row, shape (m, 9)."""
    term_axis: Floats
    """Joint axes of the terms of couplings, shape (t, 3)."""
    term_arm1: Floats
    """From the centre of mass of body 1 to point B of a displacement's joint [m], shape (t, 3)."""
    term_arm2: Floats
    """The same from body 2."""


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
    axis_law: Floats
    """Force law of each axis in this half of the stage (joints/force_law.py), shape (a, 11)."""
    axis_impulse: Floats
    """Impulse along each axis in this half of the stage [N s | N m s], shape (a,)."""
    axis_vertical: Ints
    """1 where the active piece gives the coordinate or velocity, 0 where the impulse."""
    axis_piece: Floats
    """That value, or p0 and κ of p = p0 - κ x, shape (a, 2)."""
    worst_axis: Ints
    """Axis whose law was met worst at the last look, -1 if joints were worse, shape (1,)."""
    axis_next: Floats
    """Predicted coordinates [m | rad], shape (a,)."""
    axis_start: Floats
    """Coordinates at the start of the stage [m | rad], shape (a,)."""
    axis_rate: Floats
    """Velocities along the axes before the impulses of the first half [m/s | rad/s], shape (a,)."""
    axis_next_rate: Floats
    """The same before loads and impulses of the second half, shape (a,)."""
    axis_after: Floats
    """Velocities along the axes after the impulses of a half [m/s | rad/s], shape (a,)."""
    axis_force: Floats
    """Mean force along the axes over the last stage [N | N m], shape (a,)."""
    reaction_force: Floats
    """Force of each joint on body 2 at its joint point [N], shape (m, 3), world frame."""
    reaction_torque: Floats
    """Torque of each joint on body 2 [N m], shape (m, 3), world frame."""
    spring_share: Floats
    """σ of springs and dampers, shape (a,)."""
    motor_share: Floats
    """σ of servos, shape (a,)."""
    motor_from: Floats
    """Targets at the start of the stage, shape (a,)."""
    motor_to: Floats
    """Targets at its end, shape (a,)."""
    may_break: Ints
    """1 while joints may break, 0 where the step only looks ahead, shape (1,)."""
    kinematic_work: Floats
    """Work of kinematic bodies on the others in the present stage [J], shape (1,)."""
    term_near: Floats
    """Estimates of the coordinates at the prediction, shape (t,): an angle is the nearest one."""
    term_next: Floats
    """Coordinates at the prediction [m | rad], shape (t,)."""
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
    compliance = structure.padding.copy()
    compliance[model.axis_joint, model.axis_row] = SOFTEST * model.axis_inverse_mass
    return compliance


def _new_directions(joints: int, terms: int) -> Directions:
    return Directions(
        arm1=np.zeros((joints, 3)),
        arm2=np.zeros((joints, 3)),
        translation_rows=np.zeros((joints, 9)),
        rotation_rows=np.zeros((joints, 9)),
        term_axis=np.zeros((terms, 3)),
        term_arm1=np.zeros((terms, 3)),
        term_arm2=np.zeros((terms, 3)),
    )


def new_workspace(model: Model, structure: Structure, state: State) -> Workspace:
    """Scratch arrays that fit the model."""
    rows = len(model.mass)
    joints, terms = len(model.body1), len(model.couplings.term_joint)
    nodes = len(structure.column_start) - 1
    axes = len(model.axis_joint)
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
        axis_law=np.zeros((axes, LAW_NUMBERS)),
        axis_impulse=np.zeros(axes),
        axis_vertical=np.zeros(axes, dtype=np.int64),
        axis_piece=np.zeros((axes, 2)),
        worst_axis=np.full(1, -1, dtype=np.int64),
        axis_next=np.zeros(axes),
        axis_start=np.zeros(axes),
        axis_rate=np.zeros(axes),
        axis_next_rate=np.zeros(axes),
        axis_after=np.zeros(axes),
        axis_force=np.zeros(axes),
        reaction_force=np.zeros((joints, 3)),
        reaction_torque=np.zeros((joints, 3)),
        spring_share=np.zeros(axes),
        motor_share=np.zeros(axes),
        motor_from=np.zeros(axes),
        motor_to=np.zeros(axes),
        may_break=np.zeros(1, dtype=np.int64),
        kinematic_work=np.zeros(1),
        term_near=np.zeros(terms),
        term_next=np.zeros(terms),
        stage_velocity=np.zeros((rows, 3)),
        stage_angular_momentum=np.zeros((rows, 3)),
        block=np.zeros((nodes + len(structure.entry_row), 9)),
        newton_lower=np.zeros((nodes + len(structure.entry_row), 9)),
        newton_upper=np.zeros((nodes + len(structure.entry_row), 9)),
        right_side=np.zeros((nodes, 3)),
        series=np.zeros((TAYLOR_ORDER + 1, 7)),
        account=np.zeros((rows, 14)),
        group=np.zeros(rows, dtype=np.int64),
        load_active=np.zeros(len(model.load_body), dtype=np.int64),
        saved=copy_state(state),
    )
