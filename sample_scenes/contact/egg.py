"""An egg that spins: it rises from lying to standing."""

from __future__ import annotations

import math

from solids import friction, ground

from impulse_schema import Body, Geometry, Scene, Settings

LENGTH, THICKNESS = 0.06, 0.045  # m, full axes
MASS = 0.06  # kg
SPIN = 150.0  # rad/s, about the vertical
TILT = math.radians(2.0)  # of the long axis at the start
FRICTION = 0.08


def rotating_egg() -> Scene:
    """A homogeneous spheroid as long and thick as an egg, lying but for two degrees.

    It slips where it touches the ground, and the friction there turns its long axis upright: as
    long as it spins fast, the product of its angular momentum and the height of its centre stays
    nearly the same, so that spin is traded for height (Moffatt and Shimomura, Nature 416, 2002).
    """
    half_angle = (math.pi / 2 - TILT) / 2
    egg = Body(
        name="egg",
        position=(0.0, 0.0, height(math.pi / 2 - TILT)),
        orientation=(math.cos(half_angle), 0.0, math.sin(half_angle), 0.0),
        angular_velocity=(0.0, 0.0, SPIN),
        mass=MASS,
        geometry=[
            Geometry(shape="ellipsoid", size=(THICKNESS, THICKNESS, LENGTH), material="shell")
        ],
    )
    return Scene(
        version=1,
        name="rotating-egg",
        description="An egg that lies on its side and spins fast rises until it stands upright.",
        settings=Settings(step=0.0005, duration=4.0),
        materials=[friction("shell", FRICTION)],
        bodies=[ground("shell"), egg],
    )


def height(angle: float) -> float:
    """Of the centre above the ground [m], the long axis off the vertical by an angle [rad]."""
    return 0.5 * math.hypot(LENGTH * math.cos(angle), THICKNESS * math.sin(angle))
