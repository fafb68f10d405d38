"""Joints and what acts on their free axes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from impulse_schema.models.curves import Curve
from impulse_schema.models.element import (
    AngleElement,
    Element,
    Line,
    Name,
    NonNegative,
    Positive,
    Vector,
    meta,
)

Freedom = Literal["rotation", "translation"]
LimitedFreedom = Literal["rotation", "translation", "swing", "twist"]

_WHICH_AXIS = "Which free axis of a cylindrical joint, or of a screw (default rotation)."


class Motor(AngleElement):
    """Drives a free axis: a velocity, a position by a servo with PID gains, or a force.

    The target is exactly one of ``target``, ``curve`` and ``expression``.
    """

    kind: Literal["velocity", "servo", "force"] = Field(
        description="What the target prescribes: velocity, position (servo), or force and torque."
    )
    freedom: Freedom | None = Field(
        default=None,
        description="Which free axis of a cylindrical joint, or of a screw, which else is driven by"
        " its rotation; elsewhere there is only one.",
    )
    target: float | None = Field(
        default=None,
        description="Constant target; of a force motor in N or N m.",
        json_schema_extra=meta("rad, m, rad/s or m/s", angle=True),
    )
    expression: Line | None = Field(
        default=None,
        description="Target as arithmetic of the time t, as in '0.5*sin(2*pi*t)'; may name"
        " the constants of the scene and the phase of the joint.",
    )
    curve: Curve | None = Field(
        default=None, description="Sampled target.", json_schema_extra=meta(xml_child=True)
    )
    proportional: NonNegative = Field(
        default=0.0,
        description="Servo gain on the position error.",
        json_schema_extra=meta("N m/rad or N/m"),
    )
    derivative: NonNegative = Field(
        default=0.0,
        description="Servo gain on the velocity error.",
        json_schema_extra=meta("N m s/rad or N s/m"),
    )
    integral: NonNegative = Field(
        default=0.0,
        description="Servo gain on the integrated position error.",
        json_schema_extra=meta("N m/(rad s) or N/(m s)"),
    )
    explicit: bool = Field(
        default=False,
        description="Evaluate the gains explicitly, as the papers do; stiff gains then diverge.",
    )
    max_force: NonNegative | None = Field(
        default=None,
        description="Largest force or torque of the motor, in either direction unless min_force is"
        " given; default unlimited.",
        json_schema_extra=meta("N or N m"),
    )
    min_force: float | None = Field(
        default=None,
        description="Force or torque in the negative direction that the motor has at most, zero or"
        " negative, beside max_force; default -max_force.",
        json_schema_extra=meta("N or N m"),
    )


class Limit(AngleElement):
    """Bounds of the coordinate of a free axis, whose start pose is zero, and of its velocity.

    A ball joint may be limited in its ``swing``, the angle between ``axis`` and ``axis2``, which
    has an upper bound of 1 to 179 degrees and no other, so that ``axis2`` stays in a cone about
    ``axis``; and then in its ``twist``, the angle about them that the swing leaves, which is zero
    at the start pose.
    """

    freedom: LimitedFreedom | None = Field(
        default=None,
        description="Which free axis of a cylindrical joint, or of a screw (default rotation); of a"
        " ball joint swing or twist.",
    )
    lower: float | None = Field(
        default=None,
        description="Smallest coordinate.",
        json_schema_extra=meta("rad or m", angle=True),
    )
    upper: float | None = Field(
        default=None,
        description="Largest coordinate.",
        json_schema_extra=meta("rad or m", angle=True),
    )
    restitution: float = Field(default=0.0, ge=0, le=1, description="Bounce at the bounds.")
    max_velocity: Positive | None = Field(
        default=None,
        description="Largest speed of the coordinate, in either direction.",
        json_schema_extra=meta("rad/s or m/s", angle=True),
    )


class Spring(AngleElement):
    """Spring and damper on a free axis."""

    freedom: Freedom | None = Field(default=None, description=_WHICH_AXIS)
    stiffness: NonNegative = Field(
        default=0.0, description="Stiffness.", json_schema_extra=meta("N m/rad or N/m")
    )
    damping: NonNegative = Field(
        default=0.0, description="Damping.", json_schema_extra=meta("N m s/rad or N s/m")
    )
    rest: float = Field(
        default=0.0,
        description="Coordinate without spring force.",
        json_schema_extra=meta("rad or m", angle=True),
    )


class Friction(Element):
    """Dry friction on a free axis."""

    freedom: Freedom | None = Field(default=None, description=_WHICH_AXIS)
    force: NonNegative = Field(
        description="Friction force or torque.", json_schema_extra=meta("N or N m")
    )


class CouplingTerm(Element):
    """One joint coordinate of a coupling."""

    joint: Name = Field(description="Name of a joint with a free axis.")
    coefficient: float = Field(
        description="Factor of its coordinate (1, 1/m where it is a length)."
    )
    freedom: Freedom | None = Field(default=None, description=_WHICH_AXIS)


JointType = Literal[
    "ball",
    "hinge",
    "universal",
    "fixed",
    "slider",
    "cylindrical",
    "screw",
    "point-on-line",
    "point-on-plane",
    "planar",
    "parallel-axes",
    "orientation",
    "distance",
    "coupling",
]


# The free axes that motors, limits, springs, frictions and couplings can act on.
FREE_AXES: dict[JointType, tuple[Freedom, ...]] = {
    "hinge": ("rotation",),
    "slider": ("translation",),
    "cylindrical": ("rotation", "translation"),
    "screw": ("rotation", "translation"),
}

# What limits alone can act on.
LIMITED_AXES: dict[JointType, tuple[LimitedFreedom, ...]] = {"ball": ("swing", "twist")}

# Joint types whose two free axes move together: what names neither acts on the first.
TIED_AXES: frozenset[JointType] = frozenset({"screw"})


class Joint(Element):
    """A joint between two bodies, or a body and the world.

    Anchors and axes are given in world coordinates of the start pose. ``anchor`` holds for both
    bodies unless ``anchor2`` places body 2's point elsewhere (a distance joint needs both; any
    other joint whose anchors differ is pulled together before the first step). ``axis`` holds
    for both bodies unless ``axis2`` gives body 2's own. A universal joint has two axes, which
    keep the angle of the start pose: a right one if it is that to within two degrees.
    """

    name: Name | None = Field(
        default=None, description="Unique among joints; default joint-1, joint-2 …"
    )
    type: JointType = Field(
        description="Which motion the joint leaves free (docs/algorithm.md, catalogue)."
    )
    body1: Name = Field(default="world", description="Name of a body, or 'world'.")
    body2: Name = Field(default="world", description="Name of a body, or 'world'.")
    anchor: Vector | None = Field(
        default=None,
        description="Joint point, world frame of the start pose.",
        json_schema_extra=meta("m"),
    )
    anchor2: Vector | None = Field(
        default=None,
        description="Joint point of body 2 where it differs from anchor.",
        json_schema_extra=meta("m"),
    )
    axis: Vector | None = Field(
        default=None,
        description="Axis of a hinge, slider, cylindrical, screw or universal joint, direction of a"
        " point-on-line joint, normal of a plane, axis of the cone in which the limit of a ball"
        " joint holds axis2; any length but zero.",
    )
    axis2: Vector | None = Field(
        default=None,
        description="Axis of body 2 where it differs from axis; of a universal joint its second"
        " axis, at least one degree from the line of the first.",
    )
    length: Positive | None = Field(
        default=None,
        description="Of a distance joint; default the distance of its anchors.",
        json_schema_extra=meta("m"),
    )
    min_length: Positive | None = Field(
        default=None,
        description="Of a distance joint with a range, in place of length: its anchors come no"
        " nearer.",
        json_schema_extra=meta("m"),
    )
    max_length: Positive | None = Field(
        default=None,
        description="Of a distance joint with a range, as a rope: its anchors go no farther apart.",
        json_schema_extra=meta("m"),
    )
    pitch: float | None = Field(
        default=None,
        description="How far body 2 of a screw moves along axis in one turn about it; negative for"
        " a left-handed thread.",
        json_schema_extra=meta("m"),
    )
    collide: bool = Field(default=False, description="Whether the two bodies can touch each other.")
    break_force: Positive | None = Field(
        default=None,
        description="Reaction force at which the joint breaks.",
        json_schema_extra=meta("N"),
    )
    break_torque: Positive | None = Field(
        default=None,
        description="Reaction torque at which the joint breaks.",
        json_schema_extra=meta("N m"),
    )
    constant: float = Field(
        default=0.0,
        description="Right-hand side of a coupling: of its terms' coefficients times coordinates.",
    )
    armature: NonNegative = Field(
        default=0.0,
        description="Inertia of a rotor that turns with the joint's coordinate, as a motor behind a"
        " gear does: its own times the square of the gear's ratio. Of a slider a mass [kg]; of a"
        " cylindrical joint or a screw about the axis. It resists the change of the coordinate's"
        " rate on both bodies, has no weight, and counts in the kinetic energy.",
        json_schema_extra=meta("kg m^2"),
    )
    phase: float = Field(
        default=0.0,
        description="What phase stands for in the expressions of its motors, as in"
        " '0.5*sin(2*pi*(t/period + phase))', by custom as a part of the period.",
    )
    damping: NonNegative = Field(
        default=0.0,
        description="Of a ball joint: torque against the turning of its bodies against each other,"
        " by their relative angular velocity. Of a universal joint: about each of its axes, by the"
        " rate of its angle. Free axes are damped by a spring.",
        json_schema_extra=meta("N m s/rad"),
    )
    motors: list[Motor] = Field(
        default_factory=list,
        description="Motors on free axes.",
        json_schema_extra=meta(xml_tag="motor"),
    )
    limits: list[Limit] = Field(
        default_factory=list,
        description="Bounds of free axes.",
        json_schema_extra=meta(xml_tag="limit"),
    )
    springs: list[Spring] = Field(
        default_factory=list,
        description="Springs and dampers on free axes.",
        json_schema_extra=meta(xml_tag="spring"),
    )
    frictions: list[Friction] = Field(
        default_factory=list,
        description="Dry friction on free axes.",
        json_schema_extra=meta(xml_tag="friction"),
    )
    terms: list[CouplingTerm] = Field(
        default_factory=list,
        description="Joint coordinates of a coupling.",
        json_schema_extra=meta(xml_tag="term"),
    )
