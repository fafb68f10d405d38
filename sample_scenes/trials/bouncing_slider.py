"""A mass on a rail that bounces on the rail's lower end for ever."""

from __future__ import annotations

from impulse_schema import Body, Geometry, Joint, Limit, Scene, Settings

HEIGHT = 1.0  # m


def bouncing_slider() -> Scene:
    """Dropped from HEIGHT above a stop with restitution 1."""
    sled = Body(
        name="sled",
        position=(0.0, 0.0, HEIGHT),
        mass=2.0,
        inertia=(0.02, 0.02, 0.02),
        geometry=[Geometry(role="visual", shape="box", size=(0.2, 0.2, 0.2))],
    )
    rail = Joint(
        name="rail",
        type="slider",
        body2="sled",
        anchor=sled.position,
        axis=(0.0, 0.0, 1.0),
        limits=[Limit(lower=-HEIGHT, restitution=1.0)],
    )
    return Scene(
        version=1,
        name="bouncing-slider",
        description="A mass on a vertical rail falls onto its stop and bounces without loss.",
        settings=Settings(step=0.01, duration=9.0, time_of_impact=True),
        bodies=[sled],
        joints=[rail],
    )
