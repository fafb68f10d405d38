"""A machine that the tests of the page look at."""

from __future__ import annotations

from impulse_schema import Body, Geometry, Joint, Motor, Scene, Settings


def swing() -> Scene:
    """A large box on a hinge above it, which hangs still, with a motor that does nothing yet."""
    box = Geometry(shape="box", size=(1.0, 1.0, 1.0))
    motor = Motor(kind="force", target=0.0)
    hinge = Joint(
        type="hinge", name="pin", body2="box", anchor=(0, 0, 1.5), axis=(1, 0, 0), motors=[motor]
    )
    return Scene(
        version=1,
        name="swing",
        settings=Settings(step=0.01),
        bodies=[Body(name="box", mass=2.0, geometry=[box])],
        joints=[hinge],
    )


def glider(speed: float) -> Scene:
    """A large box that flies along y, without weight, at a speed [m/s]."""
    box = Geometry(shape="box", size=(1.0, 1.0, 1.0))
    body = Body(name="box", mass=2.0, geometry=[box], velocity=(0.0, speed, 0.0))
    return Scene(version=1, name="glider", settings=Settings(gravity=(0, 0, 0)), bodies=[body])
