"""Which bodies can touch."""

from __future__ import annotations

from pydantic import Field

from impulse_schema.models.element import Element, Name, meta


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
