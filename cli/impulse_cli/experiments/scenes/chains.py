"""Chains of bars on ball joints, as scenes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from impulse_schema import Body, Geometry, Joint, Scene, Settings

THICKNESS = 0.1  # m
DENSITY = 600.0  # kg/m³

Point = tuple[float, float, float]


def hanging_chain(links: int = 20, length: float = 0.25) -> Scene:
    """A chain held at one end, let go while it lies straight out along x."""
    points = [(k * length, 0.0, 0.0) for k in range(links + 1)]
    bodies, joints = _bars(points, thickness=0.05)
    return Scene(
        version=1,
        name="hanging-chain",
        description=f"{links} links of {length:g} m on ball joints, one end fixed; let go while it"
        " lies straight out.",
        settings=Settings(step=0.005, duration=5.0),
        bodies=bodies,
        joints=joints,
    )


def chain_with_both_ends_fixed(links: int = 8, span: float = 5.0) -> Scene:
    """Bars of 1 m along a horizontal arc between two fixed points: a closed loop."""
    points = _arc(links, span)
    bodies, joints = _bars(points, thickness=THICKNESS)
    joints.append(Joint(type="ball", body1="world", body2=bodies[-1].name, anchor=points[-1]))
    return Scene(
        version=1,
        name=f"chain-{links}-loop",
        description=f"{links} bars of 1 m on ball joints, both ends fixed to the world, fall from a"
        " horizontal arc.",
        settings=Settings(step=0.01, duration=10.0),
        bodies=bodies,
        joints=joints,
    )


def uneven_chain(masses: Sequence[float], swing: float = 0.5) -> Scene:
    """A chain of 1 m bars of very different masses, let go straight but not plumb.

    All bars have the same size, so their inertias differ like their masses. Every other joint is a
    hinge about y. The bars lie along x, and gravity leans from there towards -z.

    Args:
        masses: Of the bars [kg], the one at the fixed end first.
        swing: Angle between chain and gravity at the start [rad].
    """
    points = [(float(k), 0.0, 0.0) for k in range(len(masses) + 1)]
    bodies, joints = _bars(points, thickness=THICKNESS)
    for body, mass in zip(bodies, masses, strict=True):
        assert body.mass is not None
        assert body.inertia is not None
        x, y, z = (float(mass / body.mass * moment) for moment in body.inertia[:3])
        body.mass, body.inertia = float(mass), (x, y, z)
    for joint in joints[1::2]:
        joint.type, joint.axis = "hinge", (0.0, 1.0, 0.0)
    return Scene(
        version=1,
        name=f"uneven-chain-{len(masses)}",
        description="Bars of very different masses in a chain.",
        settings=Settings(
            duration=10.0, gravity=(9.81 * math.cos(swing), 0.0, -9.81 * math.sin(swing))
        ),
        bodies=bodies,
        joints=joints,
    )


def _bars(points: list[Point], *, thickness: float) -> tuple[list[Body], list[Joint]]:
    """A square bar from each point to the next, and the ball joints but the last one's far end."""
    bodies, joints = [], []
    for k, (start, end) in enumerate(itertools.pairwise(points)):
        length = math.dist(start, end)
        heading = math.atan2(end[1] - start[1], end[0] - start[0])
        mass = DENSITY * length * thickness**2
        across = mass / 12 * (length**2 + thickness**2)
        bodies.append(
            Body(
                name=f"b{k}",
                position=((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, 0.0),
                orientation=(math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)),
                mass=mass,
                inertia=(mass / 6 * thickness**2, across, across),
                geometry=[
                    Geometry(role="visual", shape="box", size=(length, thickness, thickness))
                ],
            )
        )
        before = "world" if k == 0 else f"b{k - 1}"
        joints.append(Joint(type="ball", body1=before, body2=f"b{k}", anchor=start))
    return bodies, joints


def _arc(links: int, span: float) -> list[Point]:
    """Corners of a regular polyline of unit edges from (0, 0, 0) to (span, 0, 0), on a circle.

    Chord n·φ of a circle of radius R with unit chords: 2 R sin(φ/2) = 1, 2 R sin(nφ/2) = span.
    """
    low, high = 1e-9, 2 * math.pi / links
    for _ in range(200):
        middle = (low + high) / 2
        if math.sin(links * middle / 2) / math.sin(middle / 2) > span:
            low = middle
        else:
            high = middle
    turn = (low + high) / 2
    radius = 0.5 / math.sin(turn / 2)
    start = math.pi / 2 + links * turn / 2
    center_y = -radius * math.sin(start)
    return [
        (
            span / 2 + radius * math.cos(start - k * turn),
            center_y + radius * math.sin(start - k * turn),
            0.0,
        )
        for k in range(links + 1)
    ]
