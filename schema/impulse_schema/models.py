"""The scene, version 1: every element of the file as a pydantic model.

These models are the one source of truth: the XML and JSON codecs, the XSD, the JSON
Schema, the reference page and the enum tables of the Blender add-on are derived from them.

Conventions (docs/conventions.md): SI units, z up, right-handed; quaternions ``(w, x, y, z)``
turn body axes into world axes; angles in radians (a key that ends in ``_deg`` is read as
degrees). The pose of a body is the pose of the *user's object origin*; where its centre of
mass and principal axes lie is computed from its geometry or given explicitly.

A field carries its unit in ``json_schema_extra["unit"]`` and its meaning in ``description``.
A list field names the XML tag of its items in ``json_schema_extra["xml_tag"]``; every other
field is an XML attribute unless ``xml_text`` marks it as a child element holding numbers.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "Body",
    "CollisionFilter",
    "CollisionGroupRule",
    "CollisionPair",
    "CouplingTerm",
    "Curve",
    "Friction",
    "Geometry",
    "Joint",
    "Keyframe",
    "Limit",
    "Load",
    "Material",
    "MaterialPair",
    "Mesh",
    "Motor",
    "Scene",
    "Settings",
    "Spring",
    "SpringDamper",
]


def _meta(unit: str | None = None, **extra: Any) -> dict[str, Any]:
    """``json_schema_extra`` of a field: its unit and how XML writes it."""
    if unit is not None:
        extra["unit"] = unit
    return extra


Name = Annotated[str, Field(min_length=1, max_length=255)]
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Element(BaseModel):
    """An element of the scene file: unknown keys, NaN and infinity are errors."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, validate_assignment=True)


# --------------------------------------------------------------------------------------
# Settings, materials, meshes
# --------------------------------------------------------------------------------------

Method = Literal[
    "imp2", "imp4", "imp6", "imp8", "imp10", "lm4", "lmbs4", "lmv4", "lmvd4", "gc4"
]
Solver = Literal["direct", "sle", "iterative"]


class Settings(Element):
    """How the scene is simulated unless the command line says otherwise."""

    gravity: Vector = Field(
        (0.0, 0.0, -9.81), description="Gravitational acceleration, world axes.",
        json_schema_extra=_meta("m/s^2"),
    )
    step: Positive = Field(
        0.01, description="Length of one simulation step.", json_schema_extra=_meta("s")
    )
    duration: Positive = Field(
        10.0, description="Simulated time.", json_schema_extra=_meta("s")
    )
    fps: Positive = Field(
        25.0, description="Recorded frames per second.", json_schema_extra=_meta("1/s")
    )
    method: Method = Field(
        "imp2",
        description="Integration method: imp2 is the impulse step, imp4 to imp10 are its symmetric"
        " compositions; the others are comparison methods.",
    )
    solver: Solver = Field("direct", description="How the linear system of the joints is solved.")
    tolerance: Positive | None = Field(
        None,
        description="Largest joint error accepted after a step. Default 1e-6 for order 2, 1e-9 for"
        " order 4, 1e-12 above, times the scene's size where that exceeds one metre.",
        json_schema_extra=_meta("m"),
    )
    free_motion: Literal["exact", "rk4"] = Field(
        "exact",
        description="Rotation between joint impulses: exact (closed form or Taylor series to"
        " round-off), or one classical Runge-Kutta step as in the papers (order 2 only).",
    )


class Material(Element):
    """A named material: density for the mass, coefficients for contact."""

    name: Name = Field(description="Unique among materials.")
    density: Positive | None = Field(
        None, description="Mass per volume.", json_schema_extra=_meta("kg/m^3")
    )
    static_friction: NonNegative = Field(
        0.5, description="Coulomb coefficient of a contact that sticks."
    )
    kinetic_friction: NonNegative = Field(
        0.5, description="Coulomb coefficient of a contact that slides."
    )
    rolling_friction: NonNegative = Field(
        0.0, description="Lever arm of the rolling resistance.", json_schema_extra=_meta("m")
    )
    restitution: float = Field(
        0.0, ge=0, le=1, description="Coefficient of restitution of an impact."
    )


class MaterialPair(Element):
    """Contact coefficients of two materials that touch; replaces the mean of the two."""

    material1: Name = Field(description="Name of a material.")
    material2: Name = Field(description="Name of a material.")
    static_friction: NonNegative | None = Field(None, description="Coulomb coefficient, sticking.")
    kinetic_friction: NonNegative | None = Field(None, description="Coulomb coefficient, sliding.")
    rolling_friction: NonNegative | None = Field(
        None, description="Lever arm of the rolling resistance.", json_schema_extra=_meta("m")
    )
    restitution: float | None = Field(
        None, ge=0, le=1, description="Coefficient of restitution."
    )


class Mesh(Element):
    """A closed polygon mesh, inline or in a file (obj, stl, ply) beside the scene."""

    name: Name = Field(description="Unique among meshes.")
    file: str | None = Field(
        None, description="Path relative to the scene's folder, which it may not leave."
    )
    scale: Positive = Field(
        1.0, description="Factor from the file's length unit to metres (0.001 for millimetres)."
    )
    vertices: list[Vector] | None = Field(
        None, description="Corner points, mesh frame.", json_schema_extra=_meta("m", xml_text=True)
    )
    faces: list[list[Annotated[int, Field(ge=0)]]] | None = Field(
        None,
        description="Polygons as vertex numbers from 0, counter-clockwise seen from outside.",
        json_schema_extra=_meta(xml_text=True),
    )


# --------------------------------------------------------------------------------------
# Bodies
# --------------------------------------------------------------------------------------

Shape = Literal[
    "box", "sphere", "cylinder", "capsule", "cone", "mesh", "convex_hull", "plane", "height_field"
]


class Geometry(Element):
    """One solid of a body, placed in the frame of the body's origin."""

    name: Name | None = Field(None, description="Free text that names the solid in messages.")
    role: Literal["visual", "collision", "both"] = Field(
        "both", description="Whether the solid is drawn, collides, or both."
    )
    shape: Shape = Field(description="Kind of solid; cylinder, capsule and cone stand along z.")
    position: Vector = Field(
        (0.0, 0.0, 0.0), description="Origin of the shape, body frame.",
        json_schema_extra=_meta("m"),
    )
    orientation: Quaternion = Field(
        (1.0, 0.0, 0.0, 0.0), description="Shape axes to body axes, (w, x, y, z), unit length."
    )
    size: tuple[Positive, Positive, Positive] | None = Field(
        None, description="Full edge lengths of a box; extent of a height field.",
        json_schema_extra=_meta("m"),
    )
    radius: Positive | None = Field(
        None, description="Of a sphere, cylinder, capsule or cone.", json_schema_extra=_meta("m")
    )
    height: Positive | None = Field(
        None,
        description="Of a cylinder or cone; of a capsule without its two caps.",
        json_schema_extra=_meta("m"),
    )
    mesh: Name | None = Field(None, description="Name of the mesh (shape mesh or convex_hull).")
    heights: list[list[float]] | None = Field(
        None,
        description="Rows of a height field, first row at -y, evenly spaced over size x and y.",
        json_schema_extra=_meta("m", xml_text=True),
    )
    rounding: NonNegative = Field(
        0.0, description="Radius swept around the solid for collision.",
        json_schema_extra=_meta("m"),
    )
    decompose: bool = Field(
        False, description="Split a non-convex collision mesh into convex parts."
    )
    material: Name | None = Field(None, description="Name of a material.")
    density: Positive | None = Field(
        None,
        description="Overrides the density of the material and of the body.",
        json_schema_extra=_meta("kg/m^3"),
    )


class Keyframe(Element):
    """A pose of a kinematic body at a time."""

    time: float = Field(description="Time of the pose.", json_schema_extra=_meta("s"))
    position: Vector = Field(
        description="Origin of the body, world frame.", json_schema_extra=_meta("m")
    )
    orientation: Quaternion = Field(
        (1.0, 0.0, 0.0, 0.0), description="Body axes to world axes, (w, x, y, z), unit length."
    )


class Body(Element):
    """A rigid body: dynamic, kinematic (moves as its keyframes say) or static.

    Mass comes from exactly one of: ``density`` (or the materials' densities) with geometry,
    ``mass`` with geometry, or ``mass`` with ``inertia`` (and ``center_of_mass``).
    Solids with role collision or both make up the mass; a body that has only visual
    geometry takes its mass from that.
    """

    name: Name = Field(description="Unique among bodies; 'world' is reserved.")
    motion: Literal["dynamic", "kinematic", "static"] = Field(
        "dynamic", description="Whether forces, keyframes or nothing move the body."
    )
    position: Vector = Field(
        (0.0, 0.0, 0.0), description="Body origin at the start, world frame.",
        json_schema_extra=_meta("m"),
    )
    orientation: Quaternion = Field(
        (1.0, 0.0, 0.0, 0.0),
        description="Body axes to world axes at the start, (w, x, y, z), unit length.",
    )
    velocity: Vector = Field(
        (0.0, 0.0, 0.0),
        description="Velocity of the centre of mass at the start, world axes.",
        json_schema_extra=_meta("m/s"),
    )
    angular_velocity: Vector = Field(
        (0.0, 0.0, 0.0),
        description="Angular velocity at the start, world axes.",
        json_schema_extra=_meta("rad/s", angle=True),
    )
    mass: Positive | None = Field(None, description="Mass.", json_schema_extra=_meta("kg"))
    density: Positive | None = Field(
        None,
        description="Mass per volume of solids that name none themselves.",
        json_schema_extra=_meta("kg/m^3"),
    )
    center_of_mass: Vector | None = Field(
        None, description="Centre of mass, body frame; default the origin.",
        json_schema_extra=_meta("m"),
    )
    inertia: Vector | tuple[float, float, float, float, float, float] | None = Field(
        None,
        description="About the centre of mass, body axes: Ixx Iyy Izz, or Ixx Iyy Izz Ixy Ixz Iyz"
        " (tensor elements, so Ixy = -integral of x y dm).",
        json_schema_extra=_meta("kg m^2"),
    )
    collision_group: Name | None = Field(
        None, description="Group the collision filter refers to."
    )
    geometry: list[Geometry] = Field(
        default_factory=list, description="Solids of the body.",
        json_schema_extra=_meta(xml_tag="geometry"),
    )
    keyframes: list[Keyframe] = Field(
        default_factory=list, description="Poses of a kinematic body, times ascending.",
        json_schema_extra=_meta(xml_tag="keyframe"),
    )


class Load(Element):
    """A force or torque on a body during a time window."""

    name: Name | None = Field(None, description="Free text that names the load in messages.")
    body: Name = Field(description="Name of a dynamic body.")
    force: Vector = Field(
        (0.0, 0.0, 0.0), description="Force.", json_schema_extra=_meta("N")
    )
    torque: Vector = Field(
        (0.0, 0.0, 0.0), description="Free torque.", json_schema_extra=_meta("N m")
    )
    axes: Literal["world", "body"] = Field(
        "world", description="Axes in which force and torque are given."
    )
    point: Vector | None = Field(
        None,
        description="Point of the body where the force acts, body frame; default its centre of"
        " mass.",
        json_schema_extra=_meta("m"),
    )
    reaction_body: Name = Field(
        "world", description="Body that takes the opposite force at the same point; 'world' for none."
    )
    from_: NonNegative = Field(
        0.0, alias="from", description="Time at which the load begins.",
        json_schema_extra=_meta("s"),
    )
    until: Positive | None = Field(
        None, description="Time at which the load ends; default never.",
        json_schema_extra=_meta("s"),
    )

    model_config = ConfigDict(
        extra="forbid", allow_inf_nan=False, validate_assignment=True, populate_by_name=True
    )


# --------------------------------------------------------------------------------------
# Joints
# --------------------------------------------------------------------------------------

Freedom = Literal["rotation", "translation"]


class Curve(Element):
    """A sampled function of time."""

    times: list[float] = Field(
        min_length=2, description="Ascending sample times.", json_schema_extra=_meta("s")
    )
    values: list[float] = Field(min_length=2, description="Value at each sample time.")
    interpolation: Literal["step", "linear", "cubic"] = Field(
        "linear", description="Between samples; constant before the first and after the last."
    )
    repeat: bool = Field(False, description="Start over after the last sample.")


class Motor(Element):
    """Drives a free axis: a velocity, or a position by a servo with PID gains.

    The target is exactly one of ``target``, ``curve`` and ``expression``.
    """

    kind: Literal["velocity", "servo"] = Field(description="What the target prescribes.")
    freedom: Freedom | None = Field(
        None, description="Which free axis of a cylindrical joint; elsewhere there is only one."
    )
    target: float | None = Field(
        None, description="Constant target: rad, m, rad/s or m/s.",
        json_schema_extra=_meta(angle=True),
    )
    expression: str | None = Field(
        None, description="Target as arithmetic of the time t, as in '0.5*sin(2*pi*t)'."
    )
    curve: Curve | None = Field(
        None, description="Sampled target.", json_schema_extra=_meta(xml_child=True)
    )
    proportional: NonNegative = Field(
        0.0, description="Servo gain on the position error: N m/rad or N/m."
    )
    derivative: NonNegative = Field(
        0.0, description="Servo gain on the velocity error: N m s/rad or N s/m."
    )
    integral: NonNegative = Field(
        0.0, description="Servo gain on the integrated position error: N m/(rad s) or N/(m s)."
    )
    explicit: bool = Field(
        False, description="Evaluate the gains explicitly, as the papers do; stiff gains then diverge."
    )
    max_force: Positive | None = Field(
        None, description="Largest force or torque of the motor: N or N m."
    )


class Limit(Element):
    """Bounds of the coordinate of a free axis; the start pose is zero."""

    freedom: Freedom | None = Field(None, description="Which free axis of a cylindrical joint.")
    lower: float | None = Field(
        None, description="Smallest coordinate: rad or m.", json_schema_extra=_meta(angle=True)
    )
    upper: float | None = Field(
        None, description="Largest coordinate: rad or m.", json_schema_extra=_meta(angle=True)
    )
    restitution: float = Field(0.0, ge=0, le=1, description="Bounce at the bounds.")


class Spring(Element):
    """Spring and damper on a free axis."""

    freedom: Freedom | None = Field(None, description="Which free axis of a cylindrical joint.")
    stiffness: NonNegative = Field(0.0, description="N m/rad or N/m.")
    damping: NonNegative = Field(0.0, description="N m s/rad or N s/m.")
    rest: float = Field(
        0.0, description="Coordinate without spring force: rad or m.",
        json_schema_extra=_meta(angle=True),
    )


class Friction(Element):
    """Dry friction on a free axis."""

    freedom: Freedom | None = Field(None, description="Which free axis of a cylindrical joint.")
    force: NonNegative = Field(description="Friction force or torque: N or N m.")


class CouplingTerm(Element):
    """One joint coordinate of a coupling."""

    joint: Name = Field(description="Name of a joint with a free axis.")
    coefficient: float = Field(description="Factor of its coordinate (1, 1/m where it is a length).")
    freedom: Freedom | None = Field(None, description="Which free axis of a cylindrical joint.")


JointType = Literal[
    "ball",
    "hinge",
    "universal",
    "fixed",
    "slider",
    "cylindrical",
    "point-on-line",
    "point-on-plane",
    "planar",
    "parallel-axes",
    "orientation",
    "distance",
    "coupling",
]


class Joint(Element):
    """A joint between two bodies, or a body and the world.

    Anchors and axes are given in world coordinates of the start pose. ``anchor`` holds for both
    bodies unless ``anchor2`` places body 2's point elsewhere (a distance joint needs both; any
    other joint whose anchors differ is pulled together before the first step). ``axis`` holds
    for both bodies unless ``axis2`` gives body 2's own (a universal joint's second axis).
    """

    name: Name | None = Field(None, description="Unique among joints; default joint-1, joint-2 …")
    type: JointType = Field(description="Type of the joint (docs/algorithm.md, catalogue).")
    body1: Name = Field("world", description="Name of a body, or 'world'.")
    body2: Name = Field("world", description="Name of a body, or 'world'.")
    anchor: Vector | None = Field(
        None, description="Joint point, world frame of the start pose.",
        json_schema_extra=_meta("m"),
    )
    anchor2: Vector | None = Field(
        None, description="Joint point of body 2 where it differs from anchor.",
        json_schema_extra=_meta("m"),
    )
    axis: Vector | None = Field(
        None,
        description="Axis of a hinge, slider, cylindrical or universal joint, direction of a"
        " point-on-line joint, normal of a plane; any length but zero.",
    )
    axis2: Vector | None = Field(
        None, description="Axis of body 2 where it differs from axis."
    )
    length: Positive | None = Field(
        None, description="Of a distance joint; default the distance of its anchors.",
        json_schema_extra=_meta("m"),
    )
    collide: bool = Field(False, description="Whether the two bodies can touch each other.")
    break_force: Positive | None = Field(
        None, description="Reaction force at which the joint breaks.", json_schema_extra=_meta("N")
    )
    break_torque: Positive | None = Field(
        None, description="Reaction torque at which the joint breaks.",
        json_schema_extra=_meta("N m"),
    )
    constant: float = Field(0.0, description="Right-hand side of a coupling.")
    motors: list[Motor] = Field(
        default_factory=list, description="Motors on free axes.",
        json_schema_extra=_meta(xml_tag="motor"),
    )
    limits: list[Limit] = Field(
        default_factory=list, description="Bounds of free axes.",
        json_schema_extra=_meta(xml_tag="limit"),
    )
    springs: list[Spring] = Field(
        default_factory=list, description="Springs and dampers on free axes.",
        json_schema_extra=_meta(xml_tag="spring"),
    )
    frictions: list[Friction] = Field(
        default_factory=list, description="Dry friction on free axes.",
        json_schema_extra=_meta(xml_tag="friction"),
    )
    terms: list[CouplingTerm] = Field(
        default_factory=list, description="Joint coordinates of a coupling.",
        json_schema_extra=_meta(xml_tag="term"),
    )


class SpringDamper(Element):
    """A spring and damper between a point of one body and a point of another."""

    name: Name | None = Field(None, description="Free text that names the spring in messages.")
    body1: Name = Field("world", description="Name of a body, or 'world'.")
    body2: Name = Field("world", description="Name of a body, or 'world'.")
    anchor: Vector = Field(
        description="Point of body 1, world frame of the start pose.",
        json_schema_extra=_meta("m"),
    )
    anchor2: Vector = Field(
        description="Point of body 2, world frame of the start pose.",
        json_schema_extra=_meta("m"),
    )
    stiffness: NonNegative = Field(0.0, description="Stiffness.", json_schema_extra=_meta("N/m"))
    damping: NonNegative = Field(0.0, description="Damping.", json_schema_extra=_meta("N s/m"))
    rest_length: NonNegative | None = Field(
        None, description="Length without force; default the length at the start.",
        json_schema_extra=_meta("m"),
    )


# --------------------------------------------------------------------------------------
# Collision filter, scene
# --------------------------------------------------------------------------------------


class CollisionPair(Element):
    """Whether two bodies can touch."""

    body1: Name = Field(description="Name of a body.")
    body2: Name = Field(description="Name of a body.")
    collide: bool = Field(description="true to allow, false to deny.")


class CollisionGroupRule(Element):
    """Whether the bodies of two groups can touch."""

    group1: Name = Field(description="Name of a collision group.")
    group2: Name = Field(description="Name of a collision group.")
    collide: bool = Field(description="true to allow, false to deny.")


class CollisionFilter(Element):
    """Which bodies can touch. A pair wins over a group rule, that over the default."""

    default: bool = Field(True, description="Whether bodies no rule mentions can touch.")
    pairs: list[CollisionPair] = Field(
        default_factory=list, description="Rules for two bodies.",
        json_schema_extra=_meta(xml_tag="pair"),
    )
    groups: list[CollisionGroupRule] = Field(
        default_factory=list, description="Rules for two groups.",
        json_schema_extra=_meta(xml_tag="group"),
    )


class Scene(Element):
    """A scene: settings, materials, meshes, bodies, loads, joints, collision filter."""

    version: Literal[1] = Field(description="Version of the file format.")
    name: Name | None = Field(None, description="Title of the scene.")
    description: str | None = Field(
        None, description="What the scene shows.", json_schema_extra=_meta(xml_text=True)
    )
    settings: Settings = Field(
        default_factory=Settings, description="How the scene is simulated.",
        json_schema_extra=_meta(xml_child=True),
    )
    materials: list[Material] = Field(
        default_factory=list, description="Materials.", json_schema_extra=_meta(xml_tag="material")
    )
    material_pairs: list[MaterialPair] = Field(
        default_factory=list, description="Contact coefficients of pairs of materials.",
        json_schema_extra=_meta(xml_tag="material_pair"),
    )
    meshes: list[Mesh] = Field(
        default_factory=list, description="Meshes that geometry refers to.",
        json_schema_extra=_meta(xml_tag="mesh"),
    )
    bodies: list[Body] = Field(
        default_factory=list, description="Rigid bodies.", json_schema_extra=_meta(xml_tag="body")
    )
    loads: list[Load] = Field(
        default_factory=list, description="Forces and torques.",
        json_schema_extra=_meta(xml_tag="load"),
    )
    joints: list[Joint] = Field(
        default_factory=list, description="Joints.", json_schema_extra=_meta(xml_tag="joint")
    )
    springs: list[SpringDamper] = Field(
        default_factory=list, description="Springs between points of two bodies.",
        json_schema_extra=_meta(xml_tag="spring"),
    )
    collision_filter: CollisionFilter | None = Field(
        None, description="Which bodies can touch.", json_schema_extra=_meta(xml_child=True)
    )
