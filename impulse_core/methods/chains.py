"""Which scenes GC4 can express: one planar chain of links that hangs from the world.

Either point masses on rods (distance joints at the centres of mass, the papers' pendulums) or
rigid bodies on parallel hinges. The coordinates are one angle per link in the plane of motion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.geometry.products import dot, length, product
from impulse_core.geometry.rotations import rotated
from impulse_core.joints.table import COMMON_AXIS, DISTANCE, NO_PART, POINT_POINT
from impulse_core.model import Model, State
from impulse_core.types import Floats, Ints, by_address

__all__ = ["Chain", "NotAChainError", "plan_chain"]

_PLANAR = 1e-9  # of the scene's size, per second for velocities: beyond it motion is not planar


class NotAChainError(ValueError):
    """The scene is not a planar chain; the message says what is in the way."""


@by_address
class Chain(NamedTuple):
    """A planar chain of L links, from the top; vectors (x, y) lie in the plane of motion.

    Link k turns by the angle θ_k from its own axes: for hinges those of the start, for rods the
    first direction of the plane.
    """

    body: Ints
    """Body row of each link, shape (L,)."""
    hinged: int
    """1 if the links are bodies on hinges, 0 if they are rods between point masses."""
    fixed: Floats
    """Where the chain hangs [m], shape (3,), world frame."""
    plane: Floats
    """Rows x, y and normal of the plane of motion, shape (3, 3), world frame."""
    to_mass: Floats
    """From the upper joint to the centre of mass [m], link axes, shape (L, 2)."""
    to_next: Floats
    """From the upper joint to the lower joint [m], link axes, shape (L, 2)."""
    offset: Floats
    """Height of the centre of mass above the plane [m], shape (L,)."""
    orientation: Floats
    """Orientation of each body at θ = 0, quaternions, shape (L, 4)."""
    mass: Floats
    """Mass of each link [kg], shape (L,)."""
    below: Floats
    """Mass of all links below each [kg], shape (L,)."""
    static_moment: Floats
    """m c + μ n, μ the mass below: first moment about the upper joint [kg m], shape (L, 2)."""
    moment: Floats
    """J + m c² + μ n²: diagonal of the mass matrix [kg m²], shape (L,)."""


def plan_chain(model: Model, state: State) -> Chain:
    """Find the chain in a scene.

    Raises:
        NotAChainError: The scene is something else; the message names what.
    """
    joints, bodies = _walk(model)
    hinged = _kind(model)
    uppers, lowers = _joint_points(model, joints, bodies)
    q = state.bodies["orientation"][bodies]
    if hinged:
        to_mass, to_next = rotated(q, -uppers), rotated(q, lowers - uppers)
        normal = _common_normal(model, joints, state)
    else:
        if np.any(uppers) or np.any(lowers):
            raise NotAChainError("a rod is not fixed at the centre of mass of a body")
        if np.any(state.bodies["angular_momentum"][bodies]):
            raise NotAChainError("a point mass spins")
        to_mass = to_next = np.stack(
            [model.joints["length"][joints], np.zeros(len(joints))], axis=1
        )
        normal = _plane_of_motion(model, state, _top(model, joints[0]), bodies)
        _check_loads(model, normal)
    x = _across(normal)
    plane = np.stack([x, np.cross(normal, x), normal])
    offset = np.zeros(len(bodies))
    if hinged:
        spans = np.cumsum(product(to_next, normal))
        offset = product(to_mass, normal) + np.concatenate([[0.0], spans[:-1]])
        to_mass, to_next = product(to_mass, plane[:2].T), product(to_next, plane[:2].T)
    mass = model.bodies["mass"][bodies]
    below = np.cumsum(mass[::-1])[::-1] - mass
    about_normal = np.zeros(len(bodies))
    if hinged:
        inverse = np.array([1.0, -1.0, -1.0, -1.0])
        about_normal = (rotated(q * inverse, normal) ** 2 * model.bodies["inertia"][bodies]).sum(
            axis=1
        )
    return Chain(
        body=bodies,
        hinged=int(hinged),
        fixed=_top(model, joints[0]),
        plane=plane,
        to_mass=np.ascontiguousarray(to_mass),
        to_next=np.ascontiguousarray(to_next),
        offset=offset,
        orientation=q.copy(),
        mass=mass,
        below=below,
        static_moment=mass[:, None] * to_mass + below[:, None] * to_next,
        moment=about_normal + mass * (to_mass**2).sum(axis=1) + below * (to_next**2).sum(axis=1),
    )


def _walk(model: Model) -> tuple[Ints, Ints]:
    """Joints and bodies from the world downwards."""
    if len(model.bodies) != model.dynamic + 1:
        raise NotAChainError("a body is kinematic")
    ends: list[list[int]] = [[] for _ in model.bodies["mass"]]
    for j, pair in enumerate(
        zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True)
    ):
        for body in pair:
            ends[body].append(j)
    world = model.dynamic
    if len(ends[world]) != 1:
        raise NotAChainError(f"{len(ends[world])} joints hold it on the world")
    if len(model.joints) != model.dynamic:
        raise NotAChainError(f"{model.dynamic} bodies have {len(model.joints)} joints")
    joints, bodies = [ends[world][0]], list[int]()
    while True:
        upper = joints[-1]
        above = bodies[-1] if bodies else world
        body = int(
            model.joints["body2"][upper]
            if model.joints["body1"][upper] == above
            else model.joints["body1"][upper]
        )
        bodies.append(body)
        lower = [j for j in ends[body] if j != upper]
        if not lower:
            break
        if len(lower) > 1:
            raise NotAChainError("it branches")
        joints += lower
    if len(bodies) != model.dynamic:
        raise NotAChainError("a body does not hang from the others")
    return np.array(joints), np.array(bodies)


def _kind(model: Model) -> bool:
    """Whether all joints are hinges; False if all are rods."""
    hinges = (model.joints["translation_part"] == POINT_POINT) & (
        model.joints["rotation_part"] == COMMON_AXIS
    )
    rods = (model.joints["translation_part"] == DISTANCE) & (
        model.joints["rotation_part"] == NO_PART
    )
    if not (hinges.all() or rods.all()):
        raise NotAChainError("its joints are neither all of type distance nor all of type hinge")
    return bool(hinges.all())


def _joint_points(model: Model, joints: Ints, bodies: Ints) -> tuple[Floats, Floats]:
    """Upper and lower joint of each body in its frame [m]; that of the last is its upper one."""
    uppers = np.zeros((len(bodies), 3))
    lowers = np.zeros((len(bodies), 3))
    for k, (joint, body) in enumerate(zip(joints, bodies, strict=True)):
        uppers[k] = _anchor(model, joint, body)
        lowers[k] = _anchor(model, joints[k + 1], body) if k + 1 < len(joints) else uppers[k]
    return uppers, lowers


def _anchor(model: Model, joint: int, body: int) -> Floats:
    anchors = (
        model.joints["anchor1"] if model.joints["body1"][joint] == body else model.joints["anchor2"]
    )
    point: Floats = anchors[joint]
    return point


def _top(model: Model, joint: int) -> Floats:
    """Where the chain hangs; the world's frame is the world frame."""
    return _anchor(model, joint, model.dynamic).copy()


def _common_normal(model: Model, joints: Ints, state: State) -> Floats:
    """The axis that all hinges share, unit vector in the world."""
    axes = rotated(
        state.bodies["orientation"][model.joints["body1"][joints]], model.joints["axis1"][joints]
    )
    parallel = np.abs(axes @ axes[0])
    if not np.all(parallel >= 1.0 - _PLANAR):
        raise NotAChainError("its hinges are not parallel")
    normal: Floats = axes[0]
    return normal


def _plane_of_motion(model: Model, state: State, top: Floats, bodies: Ints) -> Floats:
    """Unit normal of the plane that holds all rods, velocities and gravity."""
    reach = np.vstack(
        [state.bodies["position"][bodies] - top, state.bodies["velocity"][bodies], model.gravity]
    )
    _, sizes, directions = np.linalg.svd(reach)
    if len(sizes) == 3 and sizes[2] > _PLANAR * max(sizes[0], model.size):
        raise NotAChainError("it does not move in one plane")
    normal: Floats = directions[2]
    return normal


def _check_loads(model: Model, normal: Floats) -> None:
    """Loads must push point masses within the plane."""
    turning = np.any(model.loads["torque"]) or np.any(model.loads["point"])
    if (
        turning
        or np.any(model.loads["in_body_axes"])
        or np.any(model.loads["reaction"] < model.dynamic)
    ):
        raise NotAChainError("a load turns a point mass or follows it")
    if np.any(
        np.abs(model.loads["force"] @ normal) > _PLANAR * np.abs(model.loads["force"]).sum(axis=1)
    ):
        raise NotAChainError("a load pushes out of the plane of motion")


def _across(normal: Floats) -> Floats:
    """A unit vector in the plane."""
    axis = np.zeros(3)
    axis[np.argmin(np.abs(normal))] = 1.0
    across = axis - normal * dot(axis, normal)
    unit: Floats = across / length(across)
    return unit
