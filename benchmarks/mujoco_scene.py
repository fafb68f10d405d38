"""A scene as a MuJoCo model, so that the same motion can be timed side by side.

Bodies hang on each other by joints in minimal coordinates. Those joints of a graph with loops
that a spanning tree leaves over become ``connect`` equality constraints.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.geometry.rotations import conjugated, multiplied, rotated
from impulse_core.types import Floats

__all__ = [
    "Attachment",
    "LoopStiffness",
    "mjcf",
    "spanning_tree",
    "start",
    "with_contact",
    "world_row",
]


@dataclass(frozen=True)
class LoopStiffness:
    """How hard MuJoCo pulls a loop together.

    Attributes:
        reference: ``solref``; two negative numbers are stiffness [1/s²] and damping [1/s].
        impedance: ``solimp``.
    """

    reference: tuple[float, ...] = (0.02, 1.0)
    impedance: tuple[float, ...] = (0.9, 0.95, 0.001, 0.5, 2.0)


@dataclass(frozen=True)
class Attachment:
    """A joint of the spanning tree.

    Attributes:
        joint: Its row in the model.
        parent: Row of the body above, that of the world for the first.
        child: Row of the body below.
        forward: Whether the body above is the joint's first body.
    """

    joint: int
    parent: int
    child: int
    forward: bool


def spanning_tree(scene: CompiledScene) -> tuple[list[Attachment], list[int]]:
    """Joints from the world outwards, parents before children, and those that close loops."""
    model, world = scene.model, world_row(scene)
    meeting: dict[int, list[int]] = {}
    for j, bodies in enumerate(zip(model.joints["body1"], model.joints["body2"], strict=True)):
        for body in bodies:
            meeting.setdefault(int(body), []).append(j)
    tree, reached, used = [], {world}, set()
    waiting = deque([world])
    while waiting:
        parent = waiting.popleft()
        for j in meeting.get(parent, []):
            ends = int(model.joints["body1"][j]), int(model.joints["body2"][j])
            child = ends[1] if ends[0] == parent else ends[0]
            if child not in reached:
                tree.append(Attachment(j, parent, child, forward=ends[0] == parent))
                reached.add(child)
                used.add(j)
                waiting.append(child)
    return tree, [j for j in range(len(model.joints)) if j not in used]


def mjcf(
    scene: CompiledScene,
    *,
    step: float,
    integrator: str = "Euler",
    loops: LoopStiffness | None = None,
) -> str:
    """MJCF of a scene of dynamic bodies on ball joints and hinges.

    A loop is closed by one point. For a planar loop of hinges that is enough: the hinges of the
    tree keep it in its plane.

    Args:
        scene: Compiled; its bodies are named by their rows.
        step: Time step [s].
        integrator: "Euler", "implicitfast" or "RK4".
        loops: How loops are closed; MuJoCo's default if None.

    Raises:
        ValueError: The scene has other joints.
    """
    root = ET.Element("mujoco")
    ET.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
    option = ET.SubElement(root, "option", timestep=repr(step), integrator=integrator)
    option.set("gravity", _text(scene.model.gravity))
    ET.SubElement(option, "flag", contact="disable", energy="disable")
    worldbody = ET.SubElement(root, "worldbody")
    elements = {world_row(scene): worldbody}
    tree, closing = spanning_tree(scene)
    for attachment in tree:
        above = elements[attachment.parent]
        elements[attachment.child] = _add_body(above, scene, attachment)
    for row in range(scene.model.dynamic):
        if row not in elements:
            elements[row] = _add_free_body(worldbody, scene, row)
    equality = ET.SubElement(root, "equality")
    for j in closing:
        _add_loop(equality, scene, j, loops or LoopStiffness())
    return ET.tostring(root, encoding="unicode")


def with_contact(text: str, scene: CompiledScene, solver: str) -> str:
    """MJCF with boxes on planes that touch, with MuJoCo's defaults but elliptic friction cones.

    MuJoCo takes the larger coefficient of two geometries; that of a pair with the plane is written
    to the box, and none to the plane.

    Args:
        text: From ``mjcf``.
        scene: The same.
        solver: "Newton" or "CG".

    Raises:
        ValueError: The scene has other shapes.
    """
    root = ET.fromstring(text)
    option = _found(root, "option")
    option.set("cone", "elliptic")
    option.set("solver", solver)
    option.remove(_found(option, "flag"))
    bodies = {body.get("name"): body for body in root.iter("body")}
    materials = {material.name: material for material in scene.scene.materials}
    pairs = {pair.material2: pair for pair in scene.scene.material_pairs}
    for body, row, origin, axes in zip(
        scene.scene.bodies, scene.body_row, scene.origin, scene.axes, strict=True
    ):
        above = bodies.get(str(row), _found(root, "worldbody"))
        for shape in body.geometry:
            if shape.shape not in {"box", "plane"}:
                raise ValueError(f"shape {shape.shape} is not exported")
            geom = ET.SubElement(above, "geom", type=shape.shape, condim="3")
            geom.set("pos", _text(origin + rotated(axes, np.array(shape.position))))
            geom.set("quat", _text(multiplied(axes, np.array(shape.orientation))))
            if shape.shape == "plane":
                geom.set("size", "0 0 1")
                geom.set("friction", "0 0 0")
            else:
                rule = pairs.get(shape.material) or materials[shape.material]
                geom.set("size", _text(0.5 * np.array(shape.size)))
                geom.set("friction", _text((rule.static_friction, 0.0, 0.0)))
    return ET.tostring(root, encoding="unicode")


def _found(above: ET.Element, name: str) -> ET.Element:
    element = above.find(name)
    if element is None:
        raise ValueError(f"no {name}")
    return element


def _add_body(above: ET.Element, scene: CompiledScene, at: Attachment) -> ET.Element:
    """Add a body in its parent's frame, with its joint."""
    kind = scene.scene.joints[at.joint].type
    if kind not in {"ball", "hinge"}:
        raise ValueError(f"joint type {kind} is not exported")
    (position, orientation), (place, turn) = _pose(scene, at.parent), _pose(scene, at.child)
    back = conjugated(orientation)
    element = _body(above, scene, at.child, rotated(back, place - position), multiplied(back, turn))
    joint = ET.SubElement(element, "joint", type=kind)
    for key in ("armature", "damping"):
        joint.set(key, repr(float(getattr(scene.scene.joints[at.joint], key))))
    joint.set(
        "pos",
        _text(
            (scene.model.joints["anchor2"] if at.forward else scene.model.joints["anchor1"])[
                at.joint
            ]
        ),
    )
    if kind == "hinge":
        joint.set("axis", _text(rotated(conjugated(turn), _axis(scene, at))))
    return element


def _add_free_body(world: ET.Element, scene: CompiledScene, row: int) -> ET.Element:
    element = _body(world, scene, row, *_pose(scene, row))
    ET.SubElement(element, "freejoint")
    return element


def _body(
    above: ET.Element, scene: CompiledScene, row: int, position: Floats, orientation: Floats
) -> ET.Element:
    element = ET.SubElement(above, "body", name=str(row))
    element.set("pos", _text(position))
    element.set("quat", _text(orientation))
    inertial = ET.SubElement(element, "inertial", pos="0 0 0")
    inertial.set("mass", repr(float(scene.model.bodies["mass"][row])))
    inertial.set("diaginertia", _text(scene.model.bodies["inertia"][row]))
    return element


def _add_loop(equality: ET.Element, scene: CompiledScene, j: int, stiffness: LoopStiffness) -> None:
    """Close a loop at the joint's point; MuJoCo wants a body first, the world second."""
    model, world = scene.model, world_row(scene)
    sides = [
        (int(model.joints["body1"][j]), model.joints["anchor1"][j]),
        (int(model.joints["body2"][j]), model.joints["anchor2"][j]),
    ]
    sides.sort(key=lambda side: side[0] == world)
    (first, anchor), (second, _) = sides
    connect = ET.SubElement(equality, "connect", body1=str(first), anchor=_text(anchor))
    if second != world:
        connect.set("body2", str(second))
    connect.set("solref", _text(stiffness.reference))
    connect.set("solimp", _text(stiffness.impedance))


def start(mujoco: Any, model: Any, data: Any, scene: CompiledScene) -> None:
    """Set MuJoCo's velocities to those of the start state; its poses are those of the model."""
    tree, _ = spanning_tree(scene)
    velocity = _angular_velocities(scene)
    for at in tree:
        relative = velocity[at.child] - velocity[at.parent]
        joint = model.body(str(at.child)).jntadr[0]
        first = model.jnt_dofadr[joint]
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE:
            data.qvel[first] = relative @ _axis(scene, at)
        else:
            turn = scene.state.bodies["orientation"][at.child]
            data.qvel[first : first + 3] = rotated(conjugated(turn), relative)
    attached = {at.child for at in tree}
    for row in set(range(scene.model.dynamic)) - attached:
        first = model.body(str(row)).dofadr[0]
        turn = scene.state.bodies["orientation"][row]
        data.qvel[first : first + 3] = scene.state.bodies["velocity"][row]
        data.qvel[first + 3 : first + 6] = rotated(conjugated(turn), velocity[row])


def world_row(scene: CompiledScene) -> int:
    """The last row of the model."""
    return len(scene.model.bodies) - 1


def _angular_velocities(scene: CompiledScene) -> Floats:
    """Of all rows in the world frame [rad/s], shape (n+1, 3)."""
    q = scene.state.bodies["orientation"]
    body = rotated(conjugated(q), scene.state.bodies["angular_momentum"])
    return rotated(q, scene.model.bodies["inverse_inertia"] * body)


def _axis(scene: CompiledScene, at: Attachment) -> Floats:
    """Axis of a hinge in the world."""
    first = int(scene.model.joints["body1"][at.joint])
    return rotated(scene.state.bodies["orientation"][first], scene.model.joints["axis1"][at.joint])


def _pose(scene: CompiledScene, row: int) -> tuple[Floats, Floats]:
    return scene.state.bodies["position"][row], scene.state.bodies["orientation"][row]


def _text(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values, dtype=float).ravel())
