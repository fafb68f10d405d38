"""Model: what is constant of a machine.

Model, State and Workspace are named tuples of arrays of records, handed to kernels by address
(types.py). Body rows 0 … n-1 are the dynamic bodies, then come k kinematic ones, and **the last
row is the world** (infinite mass, at rest), so that a joint to the world needs no branch anywhere:
b = n+k+1 rows. The *body frame* of a dynamic body sits at the centre of mass along the principal
axes, that of a kinematic one at the user's origin (docs/conventions.md).
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.model.paths import Paths
from impulse_core.model.signals import Signals
from impulse_core.types import Floats, Ints, Records, by_address, f8, i8, quat, record, vec3

__all__ = [
    "FLOW_EXACT",
    "FLOW_RK4",
    "FREE_COMPLIANCE",
    "TAYLOR_ORDER",
    "Axis",
    "Body",
    "CountedAngle",
    "Couplings",
    "Joint",
    "Load",
    "Model",
    "Term",
]

FLOW_EXACT = 0
FLOW_RK4 = 1

TAYLOR_ORDER = 30

FREE_COMPLIANCE = 1e12
"""Compliance of an axis on which nothing acts, relative to its inverse mass."""


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


@by_address
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
    moves_joints: i8
    """1 where a joint moves as it turns."""


@record
class Joint:
    """What is constant of a joint."""

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
    rotation_axes: i8
    """How many the rotational node carries, in its last rows."""
    break_force: f8
    """Reaction force at which the joint breaks [N], inf if never."""
    break_torque: f8
    """Reaction torque at which it breaks [N m], inf if never."""
    owner: i8
    """The joint that this one is part of and breaks with; mostly itself."""


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
    signal: i8
    """Signal that is the factor of both over time; -1 if they are constant."""


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
    """Inverse mass along the axis of the two bodies, their joint and its rotor alone
    [1/kg | 1/(kg m²)]."""
    inverse_mass_behind: f8
    """The same with the machine behind them, other axes free, at the start pose, where bodies may
    touch (step/axis_masses.py); else the same."""
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
    speed: f8
    """Largest speed of the coordinate [m/s | rad/s], inf if there is no such limit."""
    armature: f8
    """Inertia of the rotor that turns or moves with the coordinate [kg | kg m²]."""
    symmetric: i8
    """1 where springs, dampers and servos act alike in both directions of time, as the stages of a
    composition must; 0 where what is stiff and damped is taken out at once."""
    motor_kind: i8
    """NO_MOTOR, VELOCITY_MOTOR, IMPLICIT_SERVO, EXPLICIT_SERVO or FORCE_MOTOR."""
    motor_gain: vec3
    """Proportional, integral and derivative gain of a servo."""
    motor_limit: f8
    """Largest force or torque of the motor [N | N m], inf if unlimited."""
    motor_back: f8
    """The same in the negative direction, as a size."""
    motor_target: i8
    """Signal that is the target of the motor."""


@record
class CountedAngle:
    """An angle about the axis of a joint."""

    joint: i8
    """Number of the joint."""
    row: i8
    """Row among its six (joints/table.py)."""


@by_address
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
    counted: Records
    """Angles along which nothing acts (CountedAngle), shape (r,): their full turns are counted for
    the recording alone."""
    couplings: Couplings
    """Relations between joint coordinates."""
    coupled: int | None
    """1, or None if there are no couplings: kernels are then compiled without them."""

    loads: Records
    """Forces and torques from outside (Load), shape (l,)."""
    timed: int | None
    """1, or None if no load changes with time, nothing acts along an axis, no joint breaks and
    there are no couplings: kernels are then compiled without functions of time. More kinds of
    models would be more kernels to compile and to ship."""
    paths: Paths
    """Motion of the kinematic bodies."""
