"""Random scenes of solids, and their distances from support functions alone."""

from __future__ import annotations

import numpy as np

from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import multiplied, rotated
from impulse_schema.models import Body, Geometry, Mesh, Scene, Settings

__all__ = [
    "KINDS",
    "WEDGE",
    "at_time",
    "compiled",
    "nearest",
    "random_body",
    "scene_of",
    "support",
]

KINDS = ("box", "sphere", "ellipsoid", "cylinder", "cone", "capsule", "convex_hull")
WEDGE = np.array([[0, 0, 0], [1, 0, 0], [0, 0.5, 0], [0, 0, 0.7], [0.9, 0.1, 0.2]], dtype=float)
_MESH = Mesh(name="wedge", vertices=WEDGE.tolist(), faces=[[0, 1, 2]])


def scene_of(bodies, gravity=(0.0, 0.0, -9.81), meshes=(), **more) -> Scene:
    """A scene of these bodies."""
    settings = Settings(gravity=gravity)
    return Scene(version=1, settings=settings, bodies=list(bodies), meshes=[_MESH, *meshes], **more)


def compiled(bodies, **more):
    """Model, state and shapes of a scene of these bodies, and all the rest."""
    return compile_scene(scene_of(bodies, **more))


def random_solid(rng, kind) -> Geometry:
    """A solid of this kind, of any size and place on its body."""
    sizes = {
        "box": {"size": tuple(rng.uniform(0.1, 1.0, 3))},
        "sphere": {"radius": rng.uniform(0.1, 0.6)},
        "ellipsoid": {"size": tuple(rng.uniform(0.1, 1.0, 3))},
        "convex_hull": {"mesh": "wedge"},
    }
    round_solid = {"radius": rng.uniform(0.1, 0.5), "height": rng.uniform(0.1, 1.0)}
    return Geometry(
        shape=kind,
        position=tuple(rng.normal(0.0, 0.2, 3)),
        orientation=turn(rng),
        rounding=rng.choice([0.0, 0.05]),
        **sizes.get(kind, round_solid),
    )


def turn(rng):
    """A random rotation."""
    q = rng.normal(size=4)
    return tuple(q / np.linalg.norm(q))


def random_body(rng, name, kinds=KINDS, spread=2.0, speed=0.0, spin=0.0, motion="dynamic") -> Body:
    """A body of one or two solids somewhere, that flies and spins if it is dynamic."""
    solids = [random_solid(rng, rng.choice(kinds)) for _ in range(rng.integers(1, 3))]
    moving = {
        "density": 1.0,
        "velocity": tuple(rng.normal(0.0, speed, 3)),
        "angular_velocity": tuple(rng.normal(0.0, spin, 3)),
    }
    return Body(
        name=name,
        motion=motion,
        position=tuple(rng.uniform(-spread, spread, 3)),
        orientation=turn(rng),
        geometry=solids,
        **(moving if motion == "dynamic" else {}),
    )


def support(solid, mesh, direction):
    """Point of a solid furthest in a direction, in the solid's own axes."""
    d = np.asarray(direction, dtype=float)
    unit = d / np.linalg.norm(d)
    if solid.shape == "box":
        point = np.sign(d) * np.array(solid.size) / 2
    elif solid.shape == "sphere":
        point = solid.radius * unit
    elif solid.shape == "ellipsoid":
        e = np.array(solid.size) / 2
        point = e * e * d / np.linalg.norm(e * d)
    elif solid.shape == "capsule":
        point = solid.radius * unit + [0, 0, np.sign(d[2]) * solid.height / 2]
    elif solid.shape in {"cylinder", "cone"}:
        across = np.hypot(d[0], d[1])
        rim = solid.radius * np.array([d[0], d[1], 0]) / across if across > 0 else np.zeros(3)
        ends = [rim - [0, 0, solid.height / 2]]
        ends.append((rim if solid.shape == "cylinder" else 0 * rim) + [0, 0, solid.height / 2])
        point = max(ends, key=lambda end: end @ d)
    else:
        point = mesh[np.argmax(mesh @ d)]
    return point + solid.rounding * unit


def nearest(support1, support2, rounds=60, far=np.inf):
    """A vector from a point of one convex set to a point of another, as short as it gets, and a
    lower bound of their distance (Gilbert 1966); a rough one if they are further apart than
    ``far``.
    """
    v = support1(np.array([1.0, 0.0, 0.0])) - support2(np.array([-1.0, 0.0, 0.0]))
    lower = 0.0
    for _ in range(rounds):
        length = np.linalg.norm(v)
        if length < 1e-12:
            return np.zeros(3), 0.0
        w = support1(-v) - support2(v)
        lower = max(lower, v @ w / length)
        along = w - v
        size = along @ along
        if size == 0.0 or length - lower < 1e-9 or lower > far:
            break
        v = v + min(1.0, max(0.0, -(v @ along) / size)) * along
    return -v, lower


def at_time(body, time, gravity, mass_properties, parts=16):
    """Pose of a body's origin after free motion, by the classical Runge-Kutta method."""
    if body.motion != "dynamic":
        return np.array(body.position), np.array(body.orientation)
    q = np.array(body.orientation)
    q = q / np.linalg.norm(q)
    I, arm = mass_properties.inertia, mass_properties.center_of_mass
    C = np.array(body.position) + rotated(q, arm)
    C = C + time * np.array(body.velocity) + 0.5 * time**2 * np.array(gravity)
    conjugate = np.array([1.0, -1.0, -1.0, -1.0])
    L = rotated(q, I @ rotated(q * conjugate, np.array(body.angular_velocity)))

    def rate(q):
        q = q / np.linalg.norm(q)
        w = rotated(q, np.linalg.solve(I, rotated(q * conjugate, L)))
        return 0.5 * multiplied(np.array([0.0, *w]), q)

    h = time / parts
    for _ in range(parts if time else 0):
        a = rate(q)
        b = rate(q + h / 2 * a)
        c = rate(q + h / 2 * b)
        d = rate(q + h * c)
        q = q + h / 6 * (a + 2 * b + 2 * c + d)
    q = q / np.linalg.norm(q)
    return C - rotated(q, arm), q
