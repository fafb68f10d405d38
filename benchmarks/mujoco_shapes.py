"""The collision geometry of a scene as MuJoCo has it."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.compile.contact_rules import material_fields
from impulse_core.geometry.rotations import multiplied, rotated
from impulse_schema.models import Geometry, Scene

__all__ = ["with_contact"]


class Friction(NamedTuple):
    """Of a material with all those of lower priority."""

    sliding: float
    rolling: float
    priority: int


def with_contact(text: str, scene: CompiledScene, solver: str = "Newton") -> str:
    """MJCF with boxes, spheres, ellipsoids, capsules, cylinders and planes that touch.

    MuJoCo's defaults but elliptic friction cones.

    Args:
        text: From ``mjcf``.
        scene: The same.
        solver: "Newton" or "CG".

    Raises:
        ValueError: The scene has other shapes, groups of bodies that may not touch, or friction
            that no priorities of materials give.
    """
    root = ET.fromstring(text)
    option = _found(root, "option")
    option.set("cone", "elliptic")
    option.set("solver", solver)
    option.remove(_found(option, "flag"))
    elements = {body.get("name"): body for body in root.iter("body")}
    coefficients = _coefficients(scene.scene)
    for body, row, origin, axes in zip(
        scene.scene.bodies, scene.body_row, scene.origin, scene.axes, strict=True
    ):
        above = elements.get(str(row), _found(root, "worldbody"))
        for shape in body.geometry:
            if shape.role != "visual":
                geom = _geom(above, shape, coefficients[shape.material])
                geom.set("pos", _text(origin + rotated(axes, np.array(shape.position))))
                geom.set("quat", _text(multiplied(axes, np.array(shape.orientation))))
    contact = ET.SubElement(root, "contact")
    for one, other in _excluded(scene.scene):
        names = [_name(elements, scene, body) for body in (one, other)]
        ET.SubElement(contact, "exclude", body1=names[0], body2=names[1])
    return ET.tostring(root, encoding="unicode")


def _found(above: ET.Element, name: str) -> ET.Element:
    element = above.find(name)
    if element is None:
        raise ValueError(f"no {name}")
    return element


def _name(elements: dict[str | None, ET.Element], scene: CompiledScene, body: str) -> str:
    row = str(scene.body_row[scene.body_names.index(body)])
    return row if row in elements else "world"


def _geom(above: ET.Element, shape: Geometry, friction: Friction) -> ET.Element:
    geom = ET.SubElement(above, "geom", type=shape.shape, condim="6" if friction.rolling else "3")
    geom.set("friction", _text((friction.sliding, 0.0, friction.rolling)))
    geom.set("priority", str(friction.priority))
    if shape.shape == "plane":
        geom.set("size", "0 0 1")
    elif shape.shape in {"box", "ellipsoid"}:
        geom.set("size", _text(0.5 * np.array(shape.size)))
    elif shape.shape == "sphere":
        geom.set("size", _text(shape.radius))
    elif shape.shape in {"capsule", "cylinder"}:
        geom.set("size", _text((shape.radius, 0.5 * (shape.height or 0.0))))
    else:
        raise ValueError(f"shape {shape.shape} is not exported")
    return geom


def _coefficients(scene: Scene) -> dict[str | None, Friction]:
    """Friction of each material. Of two that touch, MuJoCo takes that of higher priority: so each
    has one pair of coefficients with all those below it.
    """
    below = list(
        dict.fromkeys(
            shape.material
            for body in scene.bodies
            for shape in body.geometry
            if shape.role != "visual"
        )
    )
    tables = material_fields(scene)
    numbers = {material.name: k for k, material in enumerate(scene.materials)}
    chosen: dict[str | None, Friction] = {}
    while below:
        for name in below:
            k = numbers.get(name or "", -1)
            partners = [
                numbers.get(other or "", -1)
                for other in below
                if _moves(scene, name) or _moves(scene, other)
            ]
            sliding = {float(tables["static_friction"][k, other]) for other in partners}
            rolling = {float(tables["rolling_friction"][k, other]) for other in partners}
            if len(sliding) <= 1 and len(rolling) <= 1:
                chosen[name] = Friction(
                    max(sliding, default=0.0), max(rolling, default=0.0), len(below)
                )
                below.remove(name)
                break
        else:
            raise ValueError(f"no priorities give the friction of {', '.join(map(str, below))}")
    return chosen


def _moves(scene: Scene, material: str | None) -> bool:
    return any(
        body.motion == "dynamic"
        for body in scene.bodies
        for shape in body.geometry
        if shape.material == material
    )


def _excluded(scene: Scene) -> list[tuple[str, str]]:
    """Pairs of bodies that may not touch."""
    rules = scene.collision_filter
    if rules and (rules.groups or not rules.default):
        raise ValueError("groups of bodies are not exported")
    bodies = {body.name for body in scene.bodies}
    joined = {
        (joint.body1, joint.body2)
        for joint in scene.joints
        if not joint.collide and {joint.body1, joint.body2} <= bodies
    }
    denied = (
        {(pair.body1, pair.body2) for pair in rules.pairs if not pair.collide} if rules else set()
    )
    return sorted(joined | denied)


def _text(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values, dtype=float).ravel())
