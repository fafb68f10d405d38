"""Materials, meshes and the solids that bodies are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from impulse_schema.models.element import (
    Element,
    Line,
    Name,
    NonNegative,
    Positive,
    PositiveVector,
    Quaternion,
    Vector,
    meta,
)

Face = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3)]
HeightRow = Annotated[list[float], Field(min_length=2)]
Shape = Literal[
    "box",
    "sphere",
    "ellipsoid",
    "cylinder",
    "capsule",
    "cone",
    "torus",
    "mesh",
    "convex_hull",
    "plane",
    "height_field",
]


class Material(Element):
    """A named material: density for the mass, coefficients for contact."""

    name: Name = Field(description="Unique among materials.")
    density: Positive | None = Field(
        default=None, description="Mass per volume.", json_schema_extra=meta("kg/m^3")
    )
    static_friction: NonNegative = Field(
        default=0.5, description="Coulomb coefficient of a contact that sticks."
    )
    kinetic_friction: NonNegative | None = Field(
        default=None,
        description="Coulomb coefficient of a contact that slides; default the static one, which it"
        " may not exceed.",
    )
    rolling_friction: NonNegative = Field(
        default=0.0,
        description="Lever arm of the rolling resistance.",
        json_schema_extra=meta("m"),
    )
    torsional_friction: NonNegative = Field(
        default=0.0,
        description="Lever arm of the resistance against spinning about the normal of a contact:"
        " its torque is at most this times the normal force.",
        json_schema_extra=meta("m"),
    )
    restitution: float = Field(
        default=0.0, ge=0, le=1, description="Coefficient of restitution of an impact."
    )


class MaterialPair(Element):
    """Contact coefficients of two materials that touch; replaces the mean of the two."""

    material1: Name = Field(description="Name of a material.")
    material2: Name = Field(description="Name of a material.")
    static_friction: NonNegative | None = Field(
        default=None, description="Coulomb coefficient, sticking."
    )
    kinetic_friction: NonNegative | None = Field(
        default=None,
        description="Coulomb coefficient, sliding; default the static one given here, if any.",
    )
    rolling_friction: NonNegative | None = Field(
        default=None,
        description="Lever arm of the rolling resistance.",
        json_schema_extra=meta("m"),
    )
    torsional_friction: NonNegative | None = Field(
        default=None,
        description="Lever arm of the resistance against spinning about the normal.",
        json_schema_extra=meta("m"),
    )
    restitution: float | None = Field(
        default=None, ge=0, le=1, description="Coefficient of restitution."
    )


class Mesh(Element):
    """A closed polygon mesh, inline or in a file (obj, stl, ply) beside the scene."""

    name: Name = Field(description="Unique among meshes.")
    file: Line | None = Field(
        default=None, description="Path relative to the scene's folder, which it may not leave."
    )
    scale: Positive = Field(
        default=1.0,
        description="Factor from the file's length unit to metres (0.001 for millimetres).",
    )
    mirror: Literal["none", "x", "y", "z"] = Field(
        default="none",
        description="Whether it is the mirror image of its file, or of its vertices and faces,"
        " across the plane through its origin at right angles to this axis.",
    )
    vertices: list[Vector] | None = Field(
        default=None,
        description="Corner points, mesh frame.",
        json_schema_extra=meta("m", xml_text=True),
    )
    faces: list[Face] | None = Field(
        default=None,
        description="Polygons as vertex numbers from 0, counter-clockwise seen from outside.",
        json_schema_extra=meta(xml_text=True),
    )


class Geometry(Element):
    """One solid of a body, placed in the frame of the body's origin."""

    name: Name | None = Field(
        default=None, description="Free text that names the solid in messages."
    )
    role: Literal["visual", "collision", "both"] = Field(
        default="both", description="Whether the solid is drawn, collides, or both."
    )
    shape: Shape = Field(
        description="Kind of solid, centred on its origin; cylinder, capsule and cone stand along z"
        " (a cone's base at -height/2, its apex at +height/2); z is the axis of a torus; a plane is"
        " the half-space below z = 0."
    )
    position: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="Origin of the shape, body frame.",
        json_schema_extra=meta("m"),
    )
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0),
        description="Shape axes to body axes, (w, x, y, z), unit length.",
    )
    size: PositiveVector | None = Field(
        default=None,
        description="Full edge lengths of a box; full axes of an ellipsoid; extent of a height"
        " field.",
        json_schema_extra=meta("m"),
    )
    radius: Positive | None = Field(
        default=None,
        description="Of a sphere, cylinder, capsule or cone.",
        json_schema_extra=meta("m"),
    )
    height: Positive | None = Field(
        default=None,
        description="Of a cylinder or cone; of a capsule without its two caps.",
        json_schema_extra=meta("m"),
    )
    major_radius: Positive | None = Field(
        default=None,
        description="Of a torus: from its middle to the middle of its tube.",
        json_schema_extra=meta("m"),
    )
    minor_radius: Positive | None = Field(
        default=None,
        description="Of a torus: of its tube, smaller than major_radius.",
        json_schema_extra=meta("m"),
    )
    mesh: Name | None = Field(
        default=None, description="Name of the mesh (shape mesh or convex_hull)."
    )
    heights: list[HeightRow] | None = Field(
        default=None,
        description="Rows of a height field, first row at -y, evenly spaced over size x and y.",
        json_schema_extra=meta("m", xml_text=True),
    )
    diagonal: Literal["rising", "falling"] = Field(
        default="rising",
        description="Along which diagonal the cells of a height field are divided into triangles:"
        " from the corner at -x, -y to that at +x, +y, or from +x, -y to -x, +y.",
    )
    rounding: NonNegative = Field(
        default=0.0,
        description="Radius swept around the solid for collision.",
        json_schema_extra=meta("m"),
    )
    decompose: bool = Field(
        default=False, description="Split a non-convex collision mesh into convex parts."
    )
    material: Name | None = Field(default=None, description="Name of a material.")
    density: Positive | None = Field(
        default=None,
        description="Overrides the density of the body, which overrides that of the material.",
        json_schema_extra=meta("kg/m^3"),
    )
