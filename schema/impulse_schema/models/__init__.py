"""The scene, version 1: every element of the file as a pydantic model.

These models are the one source of truth: the XML and JSON codecs, the XSD, the JSON
Schema, the reference page and the enum tables of the Blender add-on are derived from them.

Conventions (docs/conventions.md): SI units, z up, right-handed; quaternions ``(w, x, y, z)``
turn body axes into world axes; angles in radians (a key that ends in ``_deg`` is read as
degrees). The pose of a body is the pose of the *user's object origin*; where its centre of
mass and principal axes lie is computed from its geometry or given explicitly.

A field carries its unit in ``json_schema_extra["unit"]`` and its meaning in ``description``.
A list field names the XML tag of its items in ``json_schema_extra["xml_tag"]``, a single child
element is marked ``xml_child``, numbers or text inside a child element ``xml_text``; every other
field is an XML attribute.
"""

from impulse_schema.models.bodies import Body, Keyframe, Load, SpringDamper
from impulse_schema.models.constants import Constant
from impulse_schema.models.curves import Curve
from impulse_schema.models.element import AngleElement, Element
from impulse_schema.models.geometry import Geometry, Material, MaterialPair, Mesh, Shape
from impulse_schema.models.joints import (
    FREE_AXES,
    LIMITED_AXES,
    TIED_AXES,
    CouplingTerm,
    Freedom,
    Friction,
    Joint,
    JointType,
    Limit,
    LimitedFreedom,
    Motor,
    Spring,
)
from impulse_schema.models.parts import Part, Use
from impulse_schema.models.rules import CollisionFilter, CollisionGroupRule, CollisionPair
from impulse_schema.models.scene import NEWEST_VERSION, Scene, Version
from impulse_schema.models.settings import Method, Settings, Solver

__all__ = [
    "FREE_AXES",
    "LIMITED_AXES",
    "NEWEST_VERSION",
    "TIED_AXES",
    "AngleElement",
    "Body",
    "CollisionFilter",
    "CollisionGroupRule",
    "CollisionPair",
    "Constant",
    "CouplingTerm",
    "Curve",
    "Element",
    "Freedom",
    "Friction",
    "Geometry",
    "Joint",
    "JointType",
    "Keyframe",
    "Limit",
    "LimitedFreedom",
    "Load",
    "Material",
    "MaterialPair",
    "Mesh",
    "Method",
    "Motor",
    "Part",
    "Scene",
    "Settings",
    "Shape",
    "Solver",
    "Spring",
    "SpringDamper",
    "Use",
    "Version",
]
