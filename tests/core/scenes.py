"""Scenes built in Python that several tests share."""

from __future__ import annotations

import math

import numpy as np

from impulse_schema.models import Body, Geometry, Joint, Load, Scene, Settings
from tests.references import heavy_top as top

__all__ = [
    "box",
    "chain",
    "double_pendulum",
    "four_bar",
    "free_body",
    "heavy_top",
    "mixed_pendulum",
    "pendulum",
    "random_tree",
    "rods",
    "scene_of",
]

NO_GRAVITY = (0.0, 0.0, 0.0)


def scene_of(bodies, joints=(), loads=(), gravity=(0.0, 0.0, -9.81), **settings) -> Scene:
    """A scene of these parts."""
    return Scene(
        version=1,
        name="test",
        settings=Settings(gravity=gravity, **settings),
        bodies=list(bodies),
        joints=list(joints),
        loads=list(loads),
    )


def box(
    name: str, position, size=(0.1, 0.2, 0.4), mass: float = 1.0, role="visual", **more
) -> Body:
    """A box whose three moments differ; others pass through it unless its role says otherwise."""
    return Body(
        name=name,
        position=tuple(map(float, position)),
        mass=mass,
        geometry=[Geometry(shape="box", size=size, role=role)],
        **more,
    )


def pendulum(start_degrees: float = -90.0) -> Scene:
    """The papers' pendulum: a point mass of 1 kg on a distance joint of 1 m, gravity along -y."""
    angle = math.radians(start_degrees)
    # exact where the papers' angle is: sin(-90°) is -1, cos(-90°) should be 0
    place = (math.sin(angle), -math.cos(angle) if start_degrees % 90.0 else 0.0, 0.0)
    return scene_of(
        [Body(name="bob", position=place, mass=1.0, inertia=(0.1, 0.1, 0.1))],
        [
            Joint(
                name="rod",
                type="distance",
                body2="bob",
                anchor=(0.0, 0.0, 0.0),
                anchor2=place,
                length=1.0,
            )
        ],
        gravity=(0.0, -9.81, 0.0),
    )


def heavy_top() -> Scene:
    """The heavy top: explicit inertia, ball joint, object origin at the fixed point."""
    w = np.array(top.ANGULAR_VELOCITY)
    return scene_of(
        [
            Body(
                name="top",
                mass=top.MASS,
                inertia=top.INERTIA,
                center_of_mass=top.CENTER,
                velocity=tuple(np.cross(w, top.CENTER)),
                angular_velocity=top.ANGULAR_VELOCITY,
            )
        ],
        [Joint(name="tip", type="ball", body2="top", anchor=(0.0, 0.0, 0.0))],
        gravity=top.GRAVITY,
    )


def free_body(moments, angular_velocity, orientation=(1.0, 0.0, 0.0, 0.0)) -> Scene:
    """One body without gravity; angular velocity in the world."""
    return scene_of(
        [
            Body(
                name="body",
                mass=2.0,
                inertia=tuple(moments),
                orientation=tuple(orientation),
                angular_velocity=tuple(angular_velocity),
            )
        ],
        gravity=NO_GRAVITY,
    )


def rods(count: int, tilt: float = 0.0) -> list[Body]:
    """Bars of 1 m hanging end to end from the origin, the first end turned by tilt about y [rad].

    Their moments all differ, so their rotation is by Taylor series.
    """
    down = np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    turn = (math.cos(tilt / 2.0), 0.0, -math.sin(tilt / 2.0), 0.0)
    return [
        box(f"rod-{k}", (k + 0.5) * down, (0.1, 0.2, 1.0), orientation=turn) for k in range(count)
    ]


def chain(count: int, types, tilt: float = 1.0, axis=(0.0, 1.0, 0.0), **settings) -> Scene:
    """Bars hung from the world one below the other, tilted; types of joints from the top."""
    down = np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    names = ["world", *(f"rod-{k}" for k in range(count))]
    joints = [
        Joint(
            name=f"joint-{k}",
            type=types[k],
            body1=names[k],
            body2=names[k + 1],
            anchor=tuple(k * down),
            axis=axis if types[k] == "hinge" else None,
        )
        for k in range(count)
    ]
    return scene_of(rods(count, tilt), joints, **settings)


def double_pendulum(**settings) -> Scene:
    """Two bars on ball joints, swinging and turning in space."""
    scene = chain(2, ["ball", "ball"], **settings)
    scene.bodies[1].angular_velocity = (0.4, -0.3, 1.1)
    scene.bodies[1].velocity = (0.0, 0.55, 0.2)
    return scene


def mixed_pendulum(**settings) -> Scene:
    """A hinge, a ball joint and a fixed joint: chaotic, with every kind of rotational part."""
    scene = chain(3, ["hinge", "ball", "fixed"], axis=(0.3, 1.0, 0.2), **settings)
    scene.bodies[0].angular_velocity = (0.6, 2.0, 0.4)
    return scene


def four_bar(height: float = 1.0, width: float = 1.5) -> Scene:
    """Two upright cranks and a coupler on four parallel hinges: planar, three rows redundant."""
    bars = [
        box("left", (0.0, 0.0, height / 2.0), (0.1, 0.1, height)),
        box("coupler", (width / 2.0, 0.0, height), (width, 0.1, 0.1)),
        box("right", (width, 0.0, height / 2.0), (0.1, 0.1, height)),
    ]
    pins = [
        ("world", "left", (0.0, 0.0, 0.0)),
        ("left", "coupler", (0.0, 0.0, height)),
        ("coupler", "right", (width, 0.0, height)),
        ("right", "world", (width, 0.0, 0.0)),
    ]
    return scene_of(bars, [_pin(k, *pin) for k, pin in enumerate(pins)])


def _pin(k: int, body1: str, body2: str, anchor) -> Joint:
    return Joint(
        name=f"pin-{k}",
        type="hinge",
        body1=body1,
        body2=body2,
        anchor=anchor,
        axis=(0.0, 1.0, 0.0),
    )


TREE_TYPES = ("ball", "hinge", "fixed", "universal", "slider", "cylindrical", "distance")


def random_tree(rng: np.random.Generator, count: int, types=TREE_TYPES, **settings) -> Scene:
    """Turned boxes, each on a joint to one placed before it or to the world."""
    bodies, joints = [], []
    for k in range(count):
        parent = int(rng.integers(-1, k)) if k else -1
        base = np.zeros(3) if parent < 0 else np.array(bodies[parent].position)
        arm = rng.normal(size=3)
        arm *= rng.uniform(0.5, 1.0) / np.linalg.norm(arm)
        q = rng.normal(size=4)
        mass = float(10.0 ** rng.uniform(-0.5, 0.5))
        turn = tuple(q / np.linalg.norm(q))
        bodies.append(box(f"b{k}", base + arm, (0.2, 0.3, 0.5), mass, orientation=turn))
        kind = str(rng.choice(types))
        joints.append(_random_joint(rng, kind, k, parent, base, arm))
    return scene_of(bodies, joints, **settings)


def _random_joint(rng, kind: str, k: int, parent: int, base, arm) -> Joint:
    axis, other = None, None
    if kind in ("hinge", "universal", "slider", "cylindrical"):
        axis = rng.normal(size=3)
    if kind == "universal":
        other = np.cross(axis, rng.normal(size=3))
    return Joint(
        name=f"j{k}",
        type=kind,
        body1="world" if parent < 0 else f"b{parent}",
        body2=f"b{k}",
        anchor=tuple(base + 0.4 * arm),
        anchor2=tuple(base + 0.9 * arm) if kind == "distance" else None,
        axis=None if axis is None else tuple(axis),
        axis2=None if other is None else tuple(other),
    )


def push(body: str, **more) -> Load:
    """A load that never ends, unless told."""
    return Load(body=body, **more)
