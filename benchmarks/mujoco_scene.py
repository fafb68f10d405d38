"""A scene as a MuJoCo model, so that the same motion can be timed side by side.

Bodies hang on each other by joints in minimal coordinates. Those joints of a graph with loops
that a spanning tree leaves over become ``connect`` equality constraints, couplings those of joints.
What acts on the joints' axes is in mujoco_axes.py, collision geometry in mujoco_shapes.py.
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
from impulse_schema import FREE_AXES
from mujoco_axes import add_coupling, add_motors, equip

__all__ = [
    "Attachment",
    "LoopStiffness",
    "mjcf",
    "spanning_tree",
    "start",
    "world_row",
]


_JOINTS = {
    "ball": ("ball",),
    "hinge": ("hinge",),
    "slider": ("slide",),
    "cylindrical": ("slide", "hinge"),
    "fixed": (),
}


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


def spanning_tree(scene: CompiledScene) -> tuple[list[Attachment], list[int], list[int]]:
    """Joints from the world outwards, then from the first body of each machine that does not hang
    on it, parents before children; those bodies; and the joints that close loops.
    """
    model, world = scene.model, world_row(scene)
    joints = [j for j, joint in enumerate(scene.scene.joints) if joint.type != "coupling"]
    meeting: dict[int, list[int]] = {}
    for j in joints:
        for body in (model.joints["body1"][j], model.joints["body2"][j]):
            meeting.setdefault(int(body), []).append(j)
    tree, roots, reached, used = [], [], {world}, set()
    for root in (world, *range(model.dynamic)):
        if root != world and root in reached:
            continue
        if root != world:
            roots.append(root)
            reached.add(root)
        waiting = deque([root])
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
    return tree, roots, [j for j in joints if j not in used]


def mjcf(
    scene: CompiledScene,
    *,
    step: float,
    integrator: str = "Euler",
    loops: LoopStiffness | None = None,
) -> str:
    """MJCF of a scene of dynamic bodies on balls, hinges, universal joints, sliders and cylindrical
    joints, and what acts on these.

    A loop is closed by one point. For a planar loop of hinges that is enough: the hinges of the
    tree keep it in its plane.

    Args:
        scene: Compiled; its bodies are named by their rows.
        step: Time step [s].
        integrator: "Euler", "implicitfast" or "RK4".
        loops: How loops are closed; MuJoCo's default if None.

    Raises:
        ValueError: The scene has joints, motors or limits that are not exported.
    """
    if len(scene.model.joints) > len(scene.scene.joints):
        raise ValueError("springs between points are not exported")
    root = ET.Element("mujoco")
    ET.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
    option = ET.SubElement(root, "option", timestep=repr(step), integrator=integrator)
    option.set("gravity", _text(scene.model.gravity))
    ET.SubElement(option, "flag", contact="disable", energy="disable")
    worldbody = ET.SubElement(root, "worldbody")
    elements = {world_row(scene): worldbody}
    tree, roots, closing = spanning_tree(scene)
    for row in roots:
        elements[row] = _add_free_body(worldbody, scene, row)
    for attachment in tree:
        above = elements[attachment.parent]
        elements[attachment.child] = _add_body(above, scene, attachment)
    equality = ET.SubElement(root, "equality")
    for j in closing:
        _add_loop(equality, scene, j, loops or LoopStiffness())
    for joint in scene.scene.joints:
        if joint.type == "coupling":
            add_coupling(equality, scene.scene, joint)
    add_motors(root, scene.scene, scene.joint_names)
    return ET.tostring(root, encoding="unicode")


def _add_body(above: ET.Element, scene: CompiledScene, at: Attachment) -> ET.Element:
    """Add a body in its parent's frame, with its joint."""
    (position, orientation), (place, turn) = _pose(scene, at.parent), _pose(scene, at.child)
    back = conjugated(orientation)
    element = _body(above, scene, at.child, rotated(back, place - position), multiplied(back, turn))
    side = "anchor2" if at.forward else "anchor1"
    joint = scene.scene.joints[at.joint]
    for kind, axis in _axes(scene, at):
        part = ET.SubElement(element, "joint", type=kind)
        part.set("pos", _text(scene.model.joints[side][at.joint]))
        if axis is not None:
            part.set("axis", _text(rotated(conjugated(turn), axis)))
        if joint.type in FREE_AXES:
            name = scene.joint_names[at.joint]
            equip(part, joint, name, "translation" if kind == "slide" else "rotation")
        else:
            part.set("damping", repr(joint.damping))
    return element


def _axes(scene: CompiledScene, at: Attachment) -> list[tuple[str, Floats | None]]:
    """MuJoCo's joints between the two bodies, outwards, with their axes in the world."""
    kind = scene.scene.joints[at.joint].type
    axis = _axis(scene, at)
    if kind == "universal":
        second = int(scene.model.joints["body2"][at.joint])
        turn = scene.state.bodies["orientation"][second]
        other = rotated(turn, scene.model.joints["axis2"][at.joint])
        return [("hinge", axis), ("hinge", other)][:: 1 if at.forward else -1]
    if kind not in _JOINTS:
        raise ValueError(f"joint type {kind} is not exported")
    forward = axis if at.forward else -axis
    return [(part, None if part == "ball" else forward) for part in _JOINTS[kind]]


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
    tree, roots, _ = spanning_tree(scene)
    velocity = _angular_velocities(scene)
    for at in tree:
        _set_rates(mujoco, model, data, scene, at, velocity[at.child] - velocity[at.parent])
    for row in roots:
        first = model.body(str(row)).dofadr[0]
        turn = scene.state.bodies["orientation"][row]
        data.qvel[first : first + 3] = scene.state.bodies["velocity"][row]
        data.qvel[first + 3 : first + 6] = rotated(conjugated(turn), velocity[row])


def _set_rates(
    mujoco: Any, model: Any, data: Any, scene: CompiledScene, at: Attachment, relative: Floats
) -> None:
    """Of the joints between two bodies that turn against each other so [rad/s]."""
    body = model.body(str(at.child))
    joints = range(int(body.jntadr[0]), int(body.jntadr[0] + body.jntnum[0]))
    axes = _axes(scene, at)
    turning = [axis for kind, axis in axes if kind == "hinge" and axis is not None]
    rates = iter(np.linalg.lstsq(np.array(turning).T, relative, rcond=None)[0] if turning else ())
    for joint, (_, axis) in zip(joints, axes, strict=True):
        first = model.jnt_dofadr[joint]
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
            turn = scene.state.bodies["orientation"][at.child]
            data.qvel[first : first + 3] = rotated(conjugated(turn), relative)
        elif model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE:
            data.qvel[first] = next(rates)
        else:
            data.qvel[first] = _parting(scene, at) @ axis


def _parting(scene: CompiledScene, at: Attachment) -> Floats:
    """Velocity of the child against the parent, at the joint's point [m/s]."""
    moves = []
    omega = _angular_velocities(scene)
    joint, state = scene.model.joints[at.joint], scene.state.bodies
    own = joint["anchor2" if at.forward else "anchor1"]
    point = state["position"][at.child] + rotated(state["orientation"][at.child], own)
    for row in (at.child, at.parent):
        lever = point - state["position"][row]
        moves.append(state["velocity"][row] + np.cross(omega[row], lever))
    return np.asarray(moves[0] - moves[1])


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
