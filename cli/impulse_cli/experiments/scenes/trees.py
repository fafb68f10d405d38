"""Trees and hubs of bars on ball joints, of any size, as scenes.

The 127-body ones are samples; benchmarks build the others from the same functions.
"""

from __future__ import annotations

import math

from impulse_schema import Body, Geometry, Joint, Load, Scene, Settings

ROOT_LENGTH = 1.5**6  # m; the bars of a tree shrink evenly from this to 1 m
THICKNESS = 0.2  # m
DENSITY = 600.0  # kg/m³
GAP = 0.1  # m, from a ball joint to the face of either bar: joints lie 0.3 m above the next bar
QUARTER_TURN = (math.sqrt(0.5), math.sqrt(0.5))  # cos and sin of half of 90 degrees


def tree(bodies: int) -> Scene:
    """A hanging mobile: a complete binary tree of bars, each across the one above.

    During the first second a torque on the root body, 0.5 rad/s² times the moment of inertia of
    everything else gathered at the root's ends, turns it, and a little of it tilts it.

    Args:
        bodies: 31, 63, 127, 255, … : one less than a power of two.
    """
    depth = (bodies + 1).bit_length() - 2
    if bodies != 2 ** (depth + 1) - 1 or depth < 1:
        raise ValueError(f"a binary tree has 3, 7, 15, 31 … bodies, not {bodies}")
    centers = [(0.0, 0.0, -0.3)]
    joints = [Joint(type="ball", body1="world", body2="b0", anchor=(0.0, 0.0, 0.0))]
    solids = [_bar("b0", ROOT_LENGTH, centers[0], (1.0, 0.0, 0.0, 0.0))]
    for k in range(1, bodies):
        above = (k - 1) // 2
        level = (k + 1).bit_length() - 1
        reach = 0.5 * _length(level - 1, depth) * (1.0 if k % 2 else -1.0)
        x, y, z = centers[above]
        anchor = (x + reach, y, z) if level % 2 else (x, y + reach, z)
        centers.append((anchor[0], anchor[1], anchor[2] - 0.3))
        c, s = QUARTER_TURN
        turned = (c, 0.0, 0.0, s) if level % 2 else (1.0, 0.0, 0.0, 0.0)
        solids.append(_bar(f"b{k}", _length(level, depth), centers[k], turned))
        joints.append(Joint(type="ball", body1=f"b{above}", body2=f"b{k}", anchor=anchor))
    masses = [body.mass or 0.0 for body in solids]
    gathered = masses[0] * ROOT_LENGTH**2 / 12 + (sum(masses) - masses[0]) * (ROOT_LENGTH / 2) ** 2
    torque = 0.5 * gathered
    return Scene(
        version=1,
        name=f"tree-{bodies}",
        description=f"Hanging mobile: binary tree of {bodies} bars on ball joints. A torque on the"
        " root turns and tilts it during the first second, then it moves freely.",
        settings=Settings(step=0.01, duration=10.0, tolerance=1e-6),
        bodies=solids,
        joints=joints,
        loads=[Load(body="b0", torque=(0.1 * torque, 0.05 * torque, torque), until=1.0)],
    )


def slow_tree(bodies: int) -> Scene:
    """The tree with a tenth of its torque, which steps of 1/30 s can follow."""
    scene = tree(bodies)
    for load in scene.loads:
        x, y, z = load.torque
        load.torque = (0.1 * x, 0.1 * y, 0.1 * z)
    return scene


def whirling_tree(bodies: int, spin: float) -> Scene:
    """The mobile without its torque, started turning as a whole about the vertical [rad/s].

    Nothing but ball joints holds the bars in their places, so they are flung outwards.
    """
    scene = tree(bodies)
    scene.name, scene.loads = f"whirling-tree-{bodies}", []
    scene.description = f"The mobile of {bodies} bars, started at {spin:g} rad/s."
    for body in scene.bodies:
        x, y, _ = body.position
        body.velocity, body.angular_velocity = (-spin * y, spin * x, 0.0), (0.0, 0.0, spin)
    return scene


def hub(bodies: int, *, plate_density: float = DENSITY) -> Scene:
    """A square plate on a ball joint with bars on ball joints all over its lower face.

    The bars are spread evenly along a golden-angle spiral. A torque turns and tilts the plate
    during the first second with about 0.5 rad/s².

    Args:
        bodies: The plate and its bars.
        plate_density: Of the plate [kg/m³]; at that of the bars the plate of 127 bodies is 1.4
            times as heavy as all its bars.
    """
    radius, edge, bars = 3.0, 6.0, bodies - 1
    plate = Geometry(role="visual", shape="box", size=(edge, edge, THICKNESS))
    mass = plate_density * edge * edge * THICKNESS
    solids = [
        Body(
            name="root",
            position=(0.0, 0.0, -0.3),
            mass=mass,
            inertia=_box_inertia(mass, (edge, edge, THICKNESS)),
            geometry=[plate],
        )
    ]
    joints = [Joint(type="ball", body1="world", body2="root", anchor=(0.0, 0.0, 0.0))]
    gathered = mass * edge**2 / 6
    golden = math.pi * (3.0 - math.sqrt(5.0))
    for k in range(1, bodies):
        r = radius * math.sqrt((k - 0.5) / bars)
        x, y = r * math.cos(k * golden), r * math.sin(k * golden)
        c, s = QUARTER_TURN
        bar = _bar(f"b{k}", 1.0, (x, y, -0.9), (c, 0.0, s, 0.0))
        solids.append(bar)
        joints.append(Joint(type="ball", body1="root", body2=f"b{k}", anchor=(x, y, -0.4)))
        gathered += (bar.mass or 0.0) * r * r
    torque = 0.5 * gathered
    return Scene(
        version=1,
        name=f"hub-{bodies}",
        description=f"{bars} bars on ball joints under one plate that hangs on the world. A torque"
        " on the plate turns and tilts it during the first second, then it moves freely.",
        settings=Settings(step=0.01, duration=10.0, tolerance=1e-6),
        bodies=solids,
        joints=joints,
        loads=[Load(body="root", torque=(0.05 * torque, 0.02 * torque, torque), until=1.0)],
    )


def _length(level: int, depth: int) -> float:
    return math.pow(ROOT_LENGTH, 1 - level / depth)


def _bar(
    name: str,
    length: float,
    center: tuple[float, float, float],
    orientation: tuple[float, float, float, float],
) -> Body:
    """A square bar along its own x axis, body frame at its centre."""
    size = (length, THICKNESS, THICKNESS)
    mass = DENSITY * length * THICKNESS * THICKNESS
    return Body(
        name=name,
        position=center,
        orientation=orientation,
        mass=mass,
        inertia=_box_inertia(mass, size),
        geometry=[Geometry(role="visual", shape="box", size=size)],
    )


def _box_inertia(mass: float, size: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = size
    return (
        mass / 12 * (y * y + z * z),
        mass / 12 * (x * x + z * z),
        mass / 12 * (x * x + y * y),
    )
