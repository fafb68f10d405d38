"""``compile_shapes``: the collision geometry of a scene as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from impulse_core.algebra.rotations import multiplied, quaternion_to_matrix, rotated
from impulse_core.collision.cores import (
    Core,
    box_core,
    cone_core,
    cylinder_core,
    ellipsoid_core,
    empty_core,
    point_core,
    segment_core,
    stacked,
)
from impulse_core.collision.ground import Ground, stack_grounds
from impulse_core.collision.shapes import (
    CONE,
    CYLINDER,
    ELLIPSOID,
    GROUND,
    PLANE,
    POLYHEDRON,
    TRIANGLE,
    Shapes,
)
from impulse_core.compile.bodies import MassSource
from impulse_core.compile.collision_meshes import CollisionMeshes
from impulse_core.compile.contact_rules import can_touch, filter_fields, material_fields
from impulse_core.compile.problems import BAD_SHAPE
from impulse_core.types import Floats, Ints
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry

__all__ = ["Solids", "colliding_solids", "compile_shapes"]

Path = tuple[str | int, ...]


@dataclass
class _Part:
    """One shape in the axes of its solid."""

    kind: int
    core: Core
    extent: Floats  # as in Shapes, shape (3,)
    radius: float
    center: Floats = field(default_factory=lambda: np.zeros(3))
    ground: Ground | None = None


@dataclass
class _Placed:
    """One shape in the frame of its row of the model."""

    part: _Part
    row: int
    owner: int
    material: int
    center: Floats
    frame: Floats
    core: Core
    reach: float


def colliding_solids(body: Body) -> list[tuple[int, Geometry]]:
    """The solids of a body that can touch others, with their numbers."""
    return [(k, solid) for k, solid in enumerate(body.geometry) if solid.role != "visual"]


@dataclass
class Solids:
    """The solids of a scene that can touch others, checked and in their places.

    Their arrays are made when a simulation asks for them: those of a large height field take a
    hundred times the memory of its numbers, and whoever only checks a scene needs none.
    """

    _placed: list[_Placed]
    _materials: dict[str, Any]
    _rules: dict[str, Any]

    @cached_property
    def shapes(self) -> Shapes:
        """The collision geometry as arrays."""
        return _stack(self._placed, self._materials, self._rules)


def compile_shapes(
    scene: Scene, source: MassSource, body_row: Ints, origin: Floats, axes: Floats
) -> Solids | None:
    """Collision geometry of all bodies, or None if no two of them can ever touch.

    Args:
        scene: What to simulate.
        source: Reads the meshes; takes the problems and warnings.
        body_row: Row of the model of each body, shape (N,).
        origin: The user's origin seen from that row [m], shape (N, 3).
        axes: The user's axes seen from that row, quaternions, shape (N, 4).
    """
    rules = filter_fields(scene)
    with_solids = [i for i, body in enumerate(scene.bodies) if colliding_solids(body)]
    colliding = can_touch(scene, with_solids, rules)
    if not colliding:
        return None
    meshes = CollisionMeshes(source)
    materials = {material.name: number for number, material in enumerate(scene.materials)}
    placed = []
    for i in colliding:
        for k, solid in colliding_solids(scene.bodies[i]):
            for part in _parts(meshes, scene.bodies[i], solid, ("bodies", i, "geometry", k)):
                material = materials.get(solid.material or "", len(materials))
                frame = multiplied(axes[i], _unit(solid.orientation))
                at = origin[i] + rotated(axes[i], np.array(solid.position, dtype=float))
                placed.append(_place(part, int(body_row[i]), i, material, at, frame))
    return Solids(placed, material_fields(scene), rules)


def _unit(q: tuple[float, ...]) -> Floats:
    array = np.array(q, dtype=float)
    return array / float(np.linalg.norm(array))


def _place(part: _Part, row: int, owner: int, material: int, at: Floats, frame: Floats) -> _Placed:
    """A part of a solid that stands at a place of its row's frame."""
    center = at + rotated(frame, part.center)
    core = part.core.moved(quaternion_to_matrix(frame), at)
    if part.kind == PLANE:
        reach = np.inf
    elif part.kind == POLYHEDRON:
        distances = np.linalg.norm(core.vertices - center, axis=1)
        reach = float(distances.max()) + part.radius
    elif part.kind == ELLIPSOID:
        reach = float(part.extent.max()) + part.radius
    elif part.kind == GROUND:
        reach = float(np.linalg.norm(part.extent)) + part.radius
    else:
        reach = float(np.hypot(part.extent[0], part.extent[2])) + part.radius
    if part.ground is not None:
        part.ground = part.ground.moved(quaternion_to_matrix(frame), at)
        center, part.extent = part.ground.middle, part.ground.half_size
        frame = np.array([1.0, 0.0, 0.0, 0.0])
        reach = float(np.linalg.norm(part.extent)) + part.radius
    return _Placed(part, row, owner, material, center, frame, core, reach)


# ---------------------------------------------------------------------------------------
# Shapes of solids
# ---------------------------------------------------------------------------------------


def _given(value: Any) -> Any:
    """A measure that validation has made sure of."""
    assert value is not None
    return value


# A thousand equal cubes have one core.
_core_of_box = lru_cache(box_core)
_core_of_ellipsoid = lru_cache(ellipsoid_core)
_core_of_cylinder = lru_cache(cylinder_core)
_core_of_cone = lru_cache(cone_core)


def _box(g: Geometry) -> _Part:
    size = _given(g.size)
    return _Part(POLYHEDRON, _core_of_box(size), 0.5 * np.array(size), g.rounding)


def _sphere(g: Geometry) -> _Part:
    return _Part(POLYHEDRON, point_core(), np.zeros(3), _given(g.radius) + g.rounding)


def _ellipsoid(g: Geometry) -> _Part:
    x, y, z = _given(g.size)
    half_axes = (0.5 * x, 0.5 * y, 0.5 * z)
    return _Part(ELLIPSOID, _core_of_ellipsoid(half_axes), np.array(half_axes), g.rounding)


def _cylinder(g: Geometry) -> _Part:
    radius, height = _given(g.radius), _given(g.height)
    extent = np.array([radius, radius, 0.5 * height])
    return _Part(CYLINDER, _core_of_cylinder(radius, height), extent, g.rounding)


def _cone(g: Geometry) -> _Part:
    radius, height = _given(g.radius), _given(g.height)
    extent = np.array([radius, radius, 0.5 * height])
    return _Part(CONE, _core_of_cone(radius, height), extent, g.rounding)


def _capsule(g: Geometry) -> _Part:
    extent = np.array([0.0, 0.0, 0.5 * _given(g.height)])
    return _Part(POLYHEDRON, segment_core(_given(g.height)), extent, _given(g.radius) + g.rounding)


def _plane(g: Geometry) -> _Part:
    return _Part(PLANE, empty_core(), np.zeros(3), g.rounding)


_PRIMITIVES: dict[str, Callable[[Geometry], _Part]] = {
    "box": _box,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "cylinder": _cylinder,
    "cone": _cone,
    "capsule": _capsule,
    "plane": _plane,
}


def _parts(meshes: CollisionMeshes, body: Body, solid: Geometry, path: Path) -> Iterator[_Part]:
    """The shapes of one solid; none after reporting why not."""
    if solid.shape in _PRIMITIVES:
        yield _PRIMITIVES[solid.shape](solid)
    elif solid.shape == "height_field":
        if body.motion != "static":
            meshes.problems.add(
                path,
                BAD_SHAPE,
                f"a height field is ground, and the body '{body.name}' moves",
                'Write motion="static", or give the solid role="visual" and others for collision',
            )
            return
        yield _ground(Ground.of_heights(_given(solid.size), _given(solid.heights)), solid)
    elif solid.shape == "convex_hull":
        for core in meshes.hull(_given(solid.mesh), path):
            yield _polyhedron(core, solid)
    else:
        moves = body.motion != "static"
        surface = meshes.solid(_given(solid.mesh), path, body, solid.decompose, moves)
        for part in surface:
            if isinstance(part, Ground):
                yield _ground(part, solid)
            else:
                yield _polyhedron(part, solid)


def _polyhedron(core: Core, solid: Geometry) -> _Part:
    low, high = core.vertices.min(axis=0), core.vertices.max(axis=0)
    return _Part(POLYHEDRON, core, 0.5 * (high - low), solid.rounding, 0.5 * (low + high))


def _ground(ground: Ground, solid: Geometry) -> _Part:
    return _Part(GROUND, empty_core(), ground.half_size, solid.rounding, ground.middle, ground)


# ---------------------------------------------------------------------------------------
# Arrays
# ---------------------------------------------------------------------------------------


def _stack(placed: list[_Placed], materials: dict[str, Any], rules: dict[str, Any]) -> Shapes:
    """All shapes in one, the triangles of grounds behind those that are sought."""
    n = len(placed)
    grounds = [(s, p.part.ground) for s, p in enumerate(placed) if p.part.ground is not None]
    ground = stack_grounds(grounds, n)
    of_triangle = ground.owner  # the GROUND shape that each triangle belongs to
    features = ground.append_to(stacked([p.core for p in placed]))

    def ints(values: list[int], of_triangles: Ints) -> Ints:
        return np.concatenate([np.array(values, dtype=np.int64), of_triangles])

    radius = np.array([p.part.radius for p in placed])
    body = np.array([p.row for p in placed], dtype=np.int64)
    owner = np.array([p.owner for p in placed], dtype=np.int64)
    material = np.array([p.material for p in placed], dtype=np.int64)
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (len(of_triangle), 1))
    return Shapes(
        sought=n,
        kind=ints([p.part.kind for p in placed], np.full(len(of_triangle), TRIANGLE)),
        body=np.concatenate([body, body[of_triangle]]),
        owner=np.concatenate([owner, owner[of_triangle]]),
        radius=np.concatenate([radius, radius[of_triangle]]),
        center=np.concatenate([np.array([p.center for p in placed]).reshape(-1, 3), ground.center]),
        frame=np.concatenate([np.array([p.frame for p in placed]).reshape(-1, 4), identity]),
        extent=np.concatenate(
            [np.array([p.part.extent for p in placed]).reshape(-1, 3), ground.extent]
        ),
        reach=np.concatenate(
            [np.array([p.reach for p in placed]), ground.reach + radius[of_triangle]]
        ),
        material=np.concatenate([material, material[of_triangle]]),
        **features,
        **ground.grid,
        **materials,
        **rules,
    )
