"""Parts: what is written once and placed as often as one likes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from impulse_schema.models.bodies import Body, Load, SpringDamper
from impulse_schema.models.element import Element, Name, Quaternion, Vector, meta
from impulse_schema.models.joints import Joint
from impulse_schema.models.rules import CollisionPair

Bodies = Annotated[
    list[Body], Field(description="Rigid bodies.", json_schema_extra=meta(xml_tag="body"))
]
Loads = Annotated[
    list[Load], Field(description="Forces and torques.", json_schema_extra=meta(xml_tag="load"))
]
Joints = Annotated[
    list[Joint], Field(description="Joints.", json_schema_extra=meta(xml_tag="joint"))
]
Springs = Annotated[
    list[SpringDamper],
    Field(
        description="Springs between points of two bodies.",
        json_schema_extra=meta(xml_tag="spring"),
    ),
]

Mirror = Literal["none", "x", "y", "z"]


class Use(Element):
    """A copy of a part, placed: mirrored first, then turned, then moved.

    Its elements are called ``NAME.ELEMENT`` outside: the body ``foot`` of the use ``left`` is
    ``left.foot``. A copy that is mirrored is the mirror image, at the start and for ever: each of
    its joints has the coordinate, and so the motors, limits and springs, of the joint that it is
    the image of. Only the slide of a cylindrical joint or a screw counts in the other direction,
    with the numbers of what acts along it turned round (docs/conventions.md, Mirror images).
    """

    part: Name = Field(description="Name of a part.")
    name: Name = Field(description="Unique among the uses beside it; begins the names of its copy.")
    position: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="Where the part's origin is placed.",
        json_schema_extra=meta("m"),
    )
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0),
        description="Part axes to the axes that it is placed in, (w, x, y, z), unit length.",
    )
    mirror: Mirror = Field(
        default="none",
        description="Whether the copy is a mirror image: across the plane through the part's origin"
        " at right angles to this axis of the part, before it is turned.",
    )
    phase: float = Field(
        default=0.0,
        description="Added to the phase of each joint of the copy that has motors, and of each load"
        " that has an expression.",
    )


class Part(Element):
    """Bodies, joints and what acts on them, written once and placed by each ``<use>``.

    All that is said of the world frame holds for the frame of the part. A part is closed: its
    elements name each other and the world, and materials and meshes of the scene. A joint that
    holds it to something else stands where it is used. A part can use other parts. Collision
    groups are those of the scene.
    """

    name: Name = Field(description="Unique among parts.")
    bodies: Bodies = Field(default_factory=list)
    uses: list[Use] = Field(
        default_factory=list,
        description="Other parts, placed in the frame of this one.",
        json_schema_extra=meta(xml_tag="use"),
    )
    loads: Loads = Field(default_factory=list)
    joints: Joints = Field(default_factory=list)
    springs: Springs = Field(default_factory=list)
    pairs: list[CollisionPair] = Field(
        default_factory=list,
        description="Which two of its bodies can touch; joined to those of the collision filter.",
        json_schema_extra=meta(xml_tag="pair"),
    )
