"""Scenes of a few solids that touch."""

from __future__ import annotations

from typing import Any

from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Material, Settings


def scene(*bodies: Body, materials: tuple[Material, ...] = (), **settings: Any) -> Scene:
    """Bodies above the plane z = 0."""
    ground = Body(
        name="ground",
        motion="static",
        geometry=[Geometry(shape="plane", material=materials[0].name if materials else None)],
    )
    return Scene(
        version=1,
        settings=Settings(**settings),
        materials=list(materials),
        bodies=[ground, *bodies],
    )


def cube(name: str, z: float = 0.5, **given: Any) -> Body:
    """A cube of 1 m and 1 kg."""
    material = given.pop("material", None)
    position = given.pop("position", (0.0, 0.0, z))
    solid = Geometry(shape="box", size=(1.0, 1.0, 1.0), material=material)
    return Body(name=name, mass=1.0, position=position, geometry=[solid], **given)


def ball(name: str, position: tuple[float, float, float], **given: Any) -> Body:
    """A ball of radius 0.5 m and 1 kg."""
    material = given.pop("material", None)
    solid = Geometry(shape="sphere", radius=0.5, material=material)
    return Body(name=name, mass=1.0, position=position, geometry=[solid], **given)
