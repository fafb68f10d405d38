"""Bodies, the loads on them and the springs between them."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from impulse_schema.models.curves import Curve
from impulse_schema.models.element import (
    AngleElement,
    Element,
    Line,
    Name,
    NonNegative,
    Positive,
    Quaternion,
    SymmetricTensor,
    Vector,
    meta,
)
from impulse_schema.models.geometry import Geometry


class Keyframe(Element):
    """A pose of a kinematic body at a time."""

    time: float = Field(description="Time of the pose.", json_schema_extra=meta("s"))
    position: Vector = Field(
        description="Origin of the body, world frame.", json_schema_extra=meta("m")
    )
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0),
        description="Body axes to world axes, (w, x, y, z), unit length.",
    )


class Body(AngleElement):
    """A rigid body: dynamic, kinematic (moves as its keyframes say) or static.

    Mass comes from exactly one of: ``density`` (or the materials' densities) with geometry,
    ``mass`` with geometry, or ``mass`` with ``inertia`` (and ``center_of_mass``).
    Solids with role collision or both make up the mass; a body that has only visual
    geometry takes its mass from that.
    """

    name: Name = Field(description="Unique among bodies; 'world' is reserved.")
    motion: Literal["dynamic", "kinematic", "static"] = Field(
        default="dynamic", description="Whether forces, keyframes or nothing move the body."
    )
    position: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="Body origin at the start, world frame.",
        json_schema_extra=meta("m"),
    )
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0),
        description="Body axes to world axes at the start, (w, x, y, z), unit length.",
    )
    velocity: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="Velocity of the centre of mass at the start, world axes.",
        json_schema_extra=meta("m/s"),
    )
    angular_velocity: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="Angular velocity at the start, world axes.",
        json_schema_extra=meta("rad/s", angle=True),
    )
    mass: Positive | None = Field(default=None, description="Mass.", json_schema_extra=meta("kg"))
    density: Positive | None = Field(
        default=None,
        description="Mass per volume of solids that name none themselves; overrides materials.",
        json_schema_extra=meta("kg/m^3"),
    )
    center_of_mass: Vector | None = Field(
        default=None,
        description="Centre of mass, body frame; default the origin.",
        json_schema_extra=meta("m"),
    )
    inertia: Vector | SymmetricTensor | None = Field(
        default=None,
        description="About the centre of mass, body axes: Ixx Iyy Izz, or Ixx Iyy Izz Ixy Ixz Iyz"
        " (tensor elements, so Ixy = -integral of x y dm).",
        json_schema_extra=meta("kg m^2"),
    )
    record_clearance: bool = Field(
        default=False,
        description="Whether its least distance to any body that it may touch is recorded at every"
        " frame, negative where they overlap.",
    )
    collision_group: Name | None = Field(
        default=None, description="Group the collision filter refers to."
    )
    keyframe_interpolation: Literal["linear", "cubic"] = Field(
        default="linear",
        description="Motion between keyframes: even, or by splines with continuous velocity that"
        " start and end at rest.",
    )
    geometry: list[Geometry] = Field(
        default_factory=list,
        description="Solids of the body.",
        json_schema_extra=meta(xml_tag="geometry"),
    )
    keyframes: list[Keyframe] = Field(
        default_factory=list,
        description="Poses of a kinematic body, times ascending; the first also holds before its"
        " time and the last after it. They say where the body starts: it needs no pose itself.",
        json_schema_extra=meta(xml_tag="keyframe"),
    )


class Load(Element):
    """A force or torque on a body during a time window.

    It is constant, or force and torque are multiplied by one factor that changes over time: a
    ``curve`` or an ``expression``.
    """

    name: Name | None = Field(
        default=None, description="Free text that names the load in messages."
    )
    body: Name = Field(description="Name of a dynamic body.")
    force: Vector = Field(
        default=(0.0, 0.0, 0.0), description="Force.", json_schema_extra=meta("N")
    )
    torque: Vector = Field(
        default=(0.0, 0.0, 0.0), description="Free torque.", json_schema_extra=meta("N m")
    )
    expression: Line | None = Field(
        default=None,
        description="Factor of force and torque as arithmetic of the time t, as in 'sin(2*pi*t)';"
        " may name the constants of the scene and the phase of the load.",
    )
    curve: Curve | None = Field(
        default=None,
        description="Sampled factor of force and torque.",
        json_schema_extra=meta(xml_child=True),
    )
    phase: float = Field(
        default=0.0,
        description="What phase stands for in its expression, as in 'sin(2*pi*(t/period + phase))',"
        " by custom as a part of the period.",
    )
    axes: Literal["world", "body"] = Field(
        default="world", description="Axes in which force and torque are given."
    )
    point: Vector | None = Field(
        default=None,
        description="Point of the body where the force acts, body frame; default its centre of"
        " mass.",
        json_schema_extra=meta("m"),
    )
    reaction_body: Name = Field(
        default="world",
        description="Body that takes the opposite force at the same point; 'world' for none.",
    )
    from_: NonNegative = Field(
        default=0.0,
        alias="from",
        description="Time at which the load begins.",
        json_schema_extra=meta("s"),
    )
    until: Positive | None = Field(
        default=None,
        description="Time at which the load ends; default never.",
        json_schema_extra=meta("s"),
    )

    model_config = ConfigDict(populate_by_name=True)


class SpringDamper(Element):
    """A spring and damper between a point of one body and a point of another."""

    name: Name | None = Field(
        default=None, description="Free text that names the spring in messages."
    )
    body1: Name = Field(default="world", description="Name of a body, or 'world'.")
    body2: Name = Field(default="world", description="Name of a body, or 'world'.")
    anchor: Vector = Field(
        description="Point of body 1, world frame of the start pose.",
        json_schema_extra=meta("m"),
    )
    anchor2: Vector = Field(
        description="Point of body 2, world frame of the start pose.",
        json_schema_extra=meta("m"),
    )
    stiffness: NonNegative = Field(
        default=0.0, description="Stiffness.", json_schema_extra=meta("N/m")
    )
    damping: NonNegative = Field(
        default=0.0, description="Damping.", json_schema_extra=meta("N s/m")
    )
    rest_length: NonNegative | None = Field(
        default=None,
        description="Length without force; default the length at the start.",
        json_schema_extra=meta("m"),
    )
