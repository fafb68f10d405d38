"""Rings: some that roll down a slope, and a chain of rings that hang through each other."""

from __future__ import annotations

import math

from solids import GRAVITY, Quaternion, friction, ground, on_slope

from impulse_schema import Body, Geometry, Scene, Settings

SLOPE = math.radians(4.0)
OUTER = 0.3  # m, radius on which they roll
TUBES = (0.015, 0.05, 0.1, 0.14)  # m, radii
SPEED = 1.2  # m/s at the start, at which an upright ring keeps upright
RUBBER = 1100.0  # kg/m³
CHAIN_RADIUS, CHAIN_TUBE = 0.05, 0.008  # m, of the links' circles and tubes
LINKS = 8
SWING = 1.2  # rad/s of the chain about its uppermost link
STEEL = 7800.0  # kg/m³
LEAN = math.radians(12.0)  # away from the others


def rolling_rings() -> Scene:
    """Four rings roll straight down, one leans and rolls a curve, one falls flat."""
    upright = (math.cos(math.pi / 4), math.sin(math.pi / 4), 0.0, 0.0)
    racing = [
        _ring(f"ring-{k}", tube, 0.8 * k, OUTER, upright, SPEED) for k, tube in enumerate(TUBES)
    ]
    half = math.pi / 4 + LEAN / 2
    leaning = (math.cos(half), math.sin(half), 0.0, 0.0)
    tube = TUBES[1]
    height = (OUTER - tube) * math.cos(LEAN) + tube
    falling = _ring("falling", tube, 0.8 * len(TUBES), 4 * tube, (1.0, 0.0, 0.0, 0.0), 0.0)
    return Scene(
        version="1.1",
        name="rolling-rings",
        description="Four rings of one size roll down a slope, the thicker ones faster; a fifth"
        " leans and rolls a curve, a sixth falls flat and stays.",
        settings=Settings(step=0.005, duration=3.0),
        materials=[friction("rubber", 0.8)],
        bodies=[
            ground("rubber", slope=SLOPE),
            *racing,
            _ring("leaning", tube, -0.8, height, leaning, SPEED),
            falling,
        ],
    )


def _ring(
    name: str, tube: float, across: float, above: float, orientation: Quaternion, speed: float
) -> Body:
    """A ring that starts at a place of the slope, rolling down it."""
    c, s = math.cos(SLOPE), math.sin(SLOPE)
    return Body(
        name=name,
        position=on_slope(SLOPE, 0.0, across, above),
        orientation=orientation,
        velocity=(speed * c, 0.0, -speed * s),
        angular_velocity=(0.0, speed / OUTER, 0.0),
        geometry=[
            Geometry(
                shape="torus",
                major_radius=OUTER - tube,
                minor_radius=tube,
                density=RUBBER,
                material="rubber",
            )
        ],
    )


def ring_chain() -> Scene:
    """The uppermost link is held; each of the others hangs in the one above it, turned by 90°."""
    distance = 2 * (CHAIN_RADIUS - CHAIN_TUBE)
    half = math.sqrt(0.5)
    links = [
        Body(
            name=f"link-{k}",
            motion="static" if k == 0 else "dynamic",
            position=(0.0, 0.0, -distance * k),
            orientation=(half, half, 0.0, 0.0) if k % 2 == 0 else (half, 0.0, half, 0.0),
            velocity=(SWING * distance * k, 0.0, 0.0),
            angular_velocity=(0.0, -SWING, 0.0) if k else (0.0, 0.0, 0.0),
            geometry=[
                Geometry(
                    shape="torus",
                    major_radius=CHAIN_RADIUS,
                    minor_radius=CHAIN_TUBE,
                    density=STEEL,
                    material="steel",
                )
            ],
        )
        for k in range(LINKS)
    ]
    return Scene(
        version="1.1",
        name="ring-chain",
        description="A chain of eight steel rings that hang through each other, by contact alone,"
        " swings to and fro.",
        settings=Settings(step=0.002, duration=4.0),
        materials=[friction("steel", 0.3)],
        bodies=links,
    )


def way_of(tube: float, t: float) -> float:
    """How far a ring has rolled down after t seconds [m].

    m a = m g sin α - f and J a/ρ = f ρ with J = m (R² + ¾ r²), ρ = R + r the radius it rolls on.
    """
    turning = ((OUTER - tube) ** 2 + 0.75 * tube**2) / OUTER**2
    return SPEED * t + 0.5 * GRAVITY * math.sin(SLOPE) / (1 + turning) * t * t
