"""A scene of bodies on ball joints as a MuJoCo model, for timing the same motion side by side."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from impulse_core.rotations import conjugated, multiplied, rotated
from impulse_schema import Body, Joint, Scene


def mjcf(scene: Scene, *, integrator: str = "Euler") -> str:
    """MJCF of a tree of dynamic bodies with explicit inertia on ball joints.

    Args:
        scene: Every joint is a ball joint from the body above (or the world) to the one below.
        integrator: "Euler" or "RK4".

    Raises:
        ValueError: The scene has other joints, loops, or bodies without explicit inertia.
    """
    bodies = {body.name: body for body in scene.bodies}
    below: dict[str, list[Joint]] = {}
    for joint in scene.joints:
        if joint.type != "ball":
            raise ValueError(f"joint type {joint.type} is not exported")
        below.setdefault(joint.body1, []).append(joint)
    if len({joint.body2 for joint in scene.joints}) != len(scene.joints):
        raise ValueError("the joints close loops")
    root = ET.Element("mujoco")
    ET.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
    option = ET.SubElement(root, "option", timestep=repr(scene.settings.step))
    option.set("gravity", _text(scene.settings.gravity))
    option.set("integrator", integrator)
    ET.SubElement(option, "flag", contact="disable", energy="disable")
    world = ET.SubElement(root, "worldbody")
    waiting = [(joint, world, None) for joint in below.get("world", [])]
    while waiting:
        joint, parent_element, parent = waiting.pop()
        body = bodies[joint.body2]
        element = _add_body(parent_element, parent, body, joint)
        waiting += [(child, element, body) for child in below.get(body.name, [])]
    return ET.tostring(root, encoding="unicode")


def _add_body(element: ET.Element, parent: Body | None, body: Body, joint: Joint) -> ET.Element:
    """Add a body in its parent's frame, with a ball joint at the anchor."""
    if body.inertia is None or body.mass is None or joint.anchor is None:
        raise ValueError(f"body {body.name} has no explicit inertia")
    position, orientation = np.array(body.position), np.array(body.orientation)
    local = rotated(conjugated(orientation), np.array(joint.anchor) - position)
    if parent is not None:
        back = conjugated(np.array(parent.orientation))
        position = rotated(back, position - np.array(parent.position))
        orientation = multiplied(back, orientation)
    child = ET.SubElement(element, "body", name=body.name)
    child.set("pos", _text(position))
    child.set("quat", _text(orientation))
    ET.SubElement(child, "joint", type="ball", pos=_text(local), armature="0", damping="0")
    ET.SubElement(
        child,
        "inertial",
        pos="0 0 0",
        mass=repr(body.mass),
        diaginertia=_text(body.inertia[:3]),
    )
    return child


def _text(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values, dtype=float))
