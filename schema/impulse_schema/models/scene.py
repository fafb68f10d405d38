"""The scene itself and its collision filter."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, PrivateAttr

from impulse_schema.models.bodies import Body, Load, SpringDamper
from impulse_schema.models.element import Element, Name, Paragraphs, meta
from impulse_schema.models.geometry import Material, MaterialPair, Mesh
from impulse_schema.models.joints import Joint
from impulse_schema.models.settings import Settings
from impulse_schema.source import Source

Version = Literal[1, "1.1", "1.2"]
"""Versions of the file format that can be read, in their order."""

NEWEST_VERSION: Version = get_args(Version)[-1]


def _in_memory(_version: Version) -> Version:
    """Files are written with the version that they need, whatever was read."""
    return 1


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

    default: bool = Field(default=True, description="Whether bodies no rule mentions can touch.")
    pairs: list[CollisionPair] = Field(
        default_factory=list,
        description="Rules for two bodies.",
        json_schema_extra=meta(xml_tag="pair"),
    )
    groups: list[CollisionGroupRule] = Field(
        default_factory=list,
        description="Rules for two groups.",
        json_schema_extra=meta(xml_tag="group"),
    )


class Scene(Element):
    """A scene: settings, materials, meshes, bodies, loads, joints, collision filter."""

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
    bodies: list[Body] = Field(
        default_factory=list, description="Rigid bodies.", json_schema_extra=meta(xml_tag="body")
    )
    loads: list[Load] = Field(
        default_factory=list,
        description="Forces and torques.",
        json_schema_extra=meta(xml_tag="load"),
    )
    joints: list[Joint] = Field(
        default_factory=list, description="Joints.", json_schema_extra=meta(xml_tag="joint")
    )
    springs: list[SpringDamper] = Field(
        default_factory=list,
        description="Springs between points of two bodies.",
        json_schema_extra=meta(xml_tag="spring"),
    )
    collision_filter: CollisionFilter | None = Field(
        default=None, description="Which bodies can touch.", json_schema_extra=meta(xml_child=True)
    )
