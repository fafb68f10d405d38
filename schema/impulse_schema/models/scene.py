"""The scene itself."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, PrivateAttr

from impulse_schema.models.constants import Constant
from impulse_schema.models.element import Element, Name, Paragraphs, meta
from impulse_schema.models.geometry import Material, MaterialPair, Mesh
from impulse_schema.models.parts import Bodies, Joints, Loads, Part, Springs, Use
from impulse_schema.models.rules import CollisionFilter
from impulse_schema.models.settings import Settings
from impulse_schema.source import Source

Version = Literal[1, "1.1", "1.2", "1.3"]
"""Versions of the file format that can be read, in their order."""

NEWEST_VERSION: Version = get_args(Version)[-1]


def _in_memory(_version: Version) -> Version:
    """Files are written with the version that they need, whatever was read."""
    return 1


class Scene(Element):
    """A scene: settings, materials, meshes, parts, bodies, loads, joints, collision filter.

    When a scene is read, each use is replaced by its copy of a part.
    """

    # Where it was read from, for the positions in error messages; lost positions do no harm.
    _source: Source | None = PrivateAttr(None)

    version: Annotated[Version, AfterValidator(_in_memory)] = Field(
        description="Version of the file format: 1, or 1.N for what came later, in JSON in quotes."
    )
    name: Name | None = Field(default=None, description="Title of the scene.")
    description: Paragraphs | None = Field(
        default=None, description="What the scene shows.", json_schema_extra=meta(xml_text=True)
    )
    settings: Settings = Field(
        default_factory=Settings,
        description="How the scene is simulated.",
        json_schema_extra=meta(xml_child=True),
    )
    constants: list[Constant] = Field(
        default_factory=list,
        description="Numbers that expressions of motors name.",
        json_schema_extra=meta(xml_tag="constant"),
    )
    materials: list[Material] = Field(
        default_factory=list, description="Materials.", json_schema_extra=meta(xml_tag="material")
    )
    material_pairs: list[MaterialPair] = Field(
        default_factory=list,
        description="Contact coefficients of pairs of materials.",
        json_schema_extra=meta(xml_tag="material_pair"),
    )
    meshes: list[Mesh] = Field(
        default_factory=list,
        description="Meshes that geometry refers to.",
        json_schema_extra=meta(xml_tag="mesh"),
    )
    parts: list[Part] = Field(
        default_factory=list,
        description="What is written once and used more than once, or mirrored.",
        json_schema_extra=meta(xml_tag="part"),
    )
    bodies: Bodies = Field(default_factory=list)
    uses: list[Use] = Field(
        default_factory=list,
        description="Copies of parts. They follow the bodies, loads, joints and springs of the"
        " scene, in their order.",
        json_schema_extra=meta(xml_tag="use"),
    )
    loads: Loads = Field(default_factory=list)
    joints: Joints = Field(default_factory=list)
    springs: Springs = Field(default_factory=list)
    collision_filter: CollisionFilter | None = Field(
        default=None, description="Which bodies can touch.", json_schema_extra=meta(xml_child=True)
    )
