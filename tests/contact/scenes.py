"""Scenes of a few solids that touch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from impulse_schema import Scene
from impulse_schema.models import (
    Body,
    Friction,
    Geometry,
    Joint,
    Keyframe,
    Material,
    Mesh,
    Motor,
    Settings,
)


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


def rubbing_hinge(
    name: str,
    bodies: tuple[str, str],
    anchor: tuple[float, float, float],
    axis: tuple[float, float, float],
    *,
    stiffness: float,
    damping: float,
    friction: float,
    target: float = 0.0,
) -> Joint:
    """A hinge with dry friction [N m] and a servo [N m/rad, N m s/rad] that holds it [rad]."""
    servo = Motor(kind="servo", proportional=stiffness, derivative=damping, target=target)
    return Joint(
        name=name,
        type="hinge",
        body1=bodies[0],
        body2=bodies[1],
        anchor=anchor,
        axis=axis,
        motors=[servo],
        frictions=[Friction(force=friction)],
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


def rubber(restitution: float, friction: float = 0.0) -> Material:
    """That bounces."""
    return Material(
        name="rubber",
        static_friction=friction,
        kinetic_friction=friction,
        restitution=restitution,
    )


def crowd(count: int = 40, z: float = 0.7) -> list[Body]:
    """Balls far from all else and each other, which make it worth while to divide few bodies."""
    return [
        ball(f"crowd-{k}", (2.0 * (k % 7), 100.0 + 2.0 * (k // 7), z + 0.05 * k), material="rubber")
        for k in range(count)
    ]


def fan(
    count: int,
    *,
    thickness: float = 0.0075,
    height: float = 0.05,
    pitch: float = 0.025,
    density: float = 1200.0,
    friction: float = 0.3,
    **settings: Any,
) -> Scene:
    """Dominoes that have fallen: each leans on the next with its whole face, the last on nothing.

    At the angle θ from upright the faces of two at the pitch a are a cos θ apart, their thickness.
    """
    wood = Material(name="wood", static_friction=friction, kinetic_friction=friction)
    cosine = thickness / pitch
    sine = math.sqrt(1.0 - cosine * cosine)
    half = 0.5 * math.acos(cosine)
    box = Geometry(shape="box", size=(thickness, 0.5 * height, height), material="wood")
    x = 0.5 * (height * sine - thickness * cosine)
    z = 0.5 * (height * cosine + thickness * sine)
    dominoes = [
        Body(
            name=f"domino-{k}",
            position=(pitch * k + x, 0.0, z),
            orientation=(math.cos(half), 0.0, math.sin(half), 0.0),
            density=density,
            geometry=[box],
        )
        for k in range(count)
    ]
    return scene(*dominoes, materials=(wood,), **settings)


def box(
    name: str,
    position: tuple[float, float, float],
    mass: float,
    size: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> Body:
    """Of any size."""
    solid = Geometry(shape="box", size=size)
    return Body(name=name, mass=mass, position=position, geometry=[solid])


def table_top(*heights: tuple[float, float]) -> Body:
    """Of 2 m and 0.2 m thickness, with its centre at heights [m] at times [s]."""
    return Body(
        name="table",
        motion="kinematic",
        position=(0.0, 0.0, heights[0][1]),
        geometry=[Geometry(shape="box", size=(2.0, 2.0, 0.2))],
        keyframes=[Keyframe(time=time, position=(0.0, 0.0, z)) for time, z in heights],
    )


def drawn_pile(
    name: str, place: tuple[float, float], random: np.random.Generator, spin: float = 0.3
) -> list[Body]:
    """One to four boxes, balls and cylinders that fall onto each other, 2 m wide."""
    bodies, z = [], 0.0
    for k in range(random.integers(1, 5)):
        x, y, height = random.uniform(0.3, 0.6, 3)
        shapes = (
            Geometry(shape="box", size=(2 * x, 2 * y, height)),
            Geometry(shape="sphere", radius=0.5 * height),
            Geometry(shape="cylinder", radius=x, height=height),
        )
        z += height + 0.02
        bodies.append(
            Body(
                name=f"{name}-{k}",
                mass=float(20.0 ** random.uniform()),
                position=(*(place + random.normal(scale=0.02, size=2)), z - 0.5 * height),
                angular_velocity=tuple(random.normal(scale=spin, size=3).tolist()),
                geometry=[shapes[random.choice(3, p=(0.6, 0.15, 0.25))]],
            )
        )
    return bodies


def drawn_piles(count: int, seed: int) -> Scene:
    """So many of them, 4 m apart."""
    random = np.random.default_rng(seed)
    side = math.ceil(math.sqrt(count))
    places = [(4.0 * (k % side), 4.0 * (k // side)) for k in range(count)]
    piles = [drawn_pile(f"{k}", place, random) for k, place in enumerate(places)]
    return scene(*(body for pile in piles for body in pile))


def wall(length: int, height: int, seed: int) -> Scene:
    """Bricks upon bricks, each upon two, of masses from 1 to 30 kg, a little above each other."""
    random = np.random.default_rng(seed)
    bodies = [
        box(
            f"brick-{row}-{k}",
            (1.01 * k + 0.25 * (row % 2), 0.0, 0.5 + 1.0001 * row),
            float(30.0 ** random.uniform()),
        )
        for row in range(height)
        for k in range(length)
    ]
    return scene(*bodies)


def bricks(side: int, gap: float, mass: float, turned: int | None = None, **settings) -> Scene:
    """Cubes side by side, all edges of which are parallel, that fall; some turn, by a seed."""
    made = scene(
        *(
            box(f"cube-{x}-{y}-{z}", (x * (1 + gap), y * (1 + gap), 0.8 + z * (1 + gap)), mass)
            for z in range(side)
            for y in range(side)
            for x in range(side)
        ),
        **settings,
    )
    if turned is not None:
        random = np.random.default_rng(turned)
        for body in made.bodies[1:]:
            body.angular_velocity = tuple(0.5 * random.normal(size=3) * (random.random(3) < 0.3))
    return made


def turned(random: np.random.Generator) -> tuple[float, ...]:
    """Any orientation."""
    q = random.normal(size=4)
    return tuple(map(float, q / np.linalg.norm(q)))


def solid(random: np.random.Generator, size: float, material: str) -> Geometry:
    """A solid of any shape with measures of 0.3 to 0.8 of a size [m]."""
    kinds = solids_of(*map(float, size * random.uniform(0.3, 0.8, 3)))
    shape = str(random.choice(list(kinds)))
    return Geometry.model_validate({"shape": shape, "material": material, **kinds[shape]})


def solids_of(a: float, b: float, c: float) -> dict[str, dict[str, Any]]:
    """Shapes by three measures [m]."""
    return {
        "box": {"size": (a, b, c)},
        "sphere": {"radius": 0.5 * a},
        "cylinder": {"radius": 0.5 * a, "height": b},
        "capsule": {"radius": 0.3 * a, "height": 0.5 * b},
        "cone": {"radius": 0.5 * a, "height": b},
        "ellipsoid": {"size": (a, b, c)},
    }


def bowl(name: str, radius: float, depth: float, below: float, sides: int) -> Mesh:
    """A bowl whose rim is sharper than a right angle: a cone within an upright outer side. Its pit
    is at the origin.
    """
    turn = [2.0 * math.pi * k / sides for k in range(sides)]
    ring = [(radius * math.cos(a), radius * math.sin(a)) for a in turn]
    vertices = [(x, y, depth) for x, y in ring] + [(x, y, -below) for x, y in ring]
    vertices += [(0.0, 0.0, 0.0), (0.0, 0.0, -below)]
    faces = []
    for k in range(sides):
        n = (k + 1) % sides
        faces += [
            [k, n, 2 * sides],
            [sides + k, sides + n, n, k],
            [sides + n, sides + k, 2 * sides + 1],
        ]
    return Mesh(name=name, vertices=vertices, faces=faces)
