"""Impulse scene files: models, XML and JSON, checks and messages."""

from impulse_schema.checks import check_scene, expand_parts
from impulse_schema.checks.meshes import resolve_mesh_path, source_path
from impulse_schema.checks.names import joint_names
from impulse_schema.constants import numbers_for
from impulse_schema.expressions import Expression, ExpressionError, parse_expression
from impulse_schema.files import load_scene, save_scene
from impulse_schema.json_schema import json_schema
from impulse_schema.json_writer import scene_to_json
from impulse_schema.models import (
    FREE_AXES,
    Body,
    CollisionFilter,
    CollisionGroupRule,
    CollisionPair,
    Constant,
    CouplingTerm,
    Curve,
    Element,
    Friction,
    Geometry,
    Joint,
    Keyframe,
    Limit,
    Load,
    Material,
    MaterialPair,
    Mesh,
    Motor,
    Part,
    Scene,
    Settings,
    Spring,
    SpringDamper,
    Use,
)
from impulse_schema.problems import Problem, SceneError, problem_at
from impulse_schema.xml_writer import scene_to_xml
from impulse_schema.xsd import xsd

__all__ = [
    "FREE_AXES",
    "Body",
    "CollisionFilter",
    "CollisionGroupRule",
    "CollisionPair",
    "Constant",
    "CouplingTerm",
    "Curve",
    "Element",
    "Expression",
    "ExpressionError",
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
    "Part",
    "Problem",
    "Scene",
    "SceneError",
    "Settings",
    "Spring",
    "SpringDamper",
    "Use",
    "check_scene",
    "expand_parts",
    "joint_names",
    "json_schema",
    "load_scene",
    "numbers_for",
    "parse_expression",
    "problem_at",
    "resolve_mesh_path",
    "save_scene",
    "scene_to_json",
    "scene_to_xml",
    "source_path",
    "xsd",
]
