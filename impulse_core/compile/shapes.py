"""``compile_shapes``: the collision geometry of a scene as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from impulse_core.collision.ground import Ground, stack_grounds
from impulse_core.collision.polyhedra import Core, empty_core, stacked, with_axes
from impulse_core.collision.shapes import (
    CONE,
    CYLINDER,
    ELLIPSOID,
    GROUND,
    PLANE,
    POLYHEDRON,
    TORUS,
    TRIANGLE,
    Shapes,
)
from impulse_core.compile.bodies import MassSource
from impulse_core.compile.collision_meshes import CollisionMeshes
from impulse_core.compile.contact_rules import can_touch, filter_fields, material_fields
from impulse_core.compile.primitives import PRIMITIVES, Part, UnfitSolidError, given
from impulse_core.compile.problems import BAD_SHAPE
from impulse_core.geometry.products import length
from impulse_core.geometry.rotations import multiplied, quaternion_to_matrix, rotated
from impulse_core.types import Floats, Ints
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry

__all__ = ["Solids", "colliding_solids", "compile_shapes"]

Path = tuple[str | int, ...]


@dataclass
class _Placed:
    """One shape in the frame of its row of the model."""

    part: Part
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
    return array / length(array)


def _place(part: Part, row: int, owner: int, material: int, at: Floats, frame: Floats) -> _Placed:
    """A part of a solid that stands at a place of its row's frame."""
    center = at + rotated(frame, part.center)
    core = part.core.moved(quaternion_to_matrix(frame), at)
    reach = _reach(part, core, center)
    if part.ground is not None:
        part.ground = part.ground.moved(quaternion_to_matrix(frame), at)
        center, part.extent = part.ground.middle, part.ground.half_size
        frame = np.array([1.0, 0.0, 0.0, 0.0])
        reach = length(part.extent) + part.radius
    return _Placed(part, row, owner, material, center, frame, core, reach)


def _reach(part: Part, core: Core, center: Floats) -> float:
    """Radius of a ball around ``center`` that holds a shape with its rounding [m]."""
    extent = part.extent
    if part.kind == PLANE:
        return np.inf
    if part.kind == POLYHEDRON:
        return float(np.linalg.norm(core.vertices - center, axis=1).max()) + part.radius
    if part.kind == ELLIPSOID:
        return float(extent.max()) + part.radius
    if part.kind == GROUND:
        return length(extent) + part.radius
    if part.kind in (CYLINDER, CONE):
        return float(np.hypot(extent[0], extent[2])) + part.radius
    if part.kind == TORUS:
        return float(extent[1]) + part.radius
    raise NotImplementedError(f"kind {part.kind} of shape")


def _axis(cylinder: _Placed) -> Floats:
    """Both ends of the axis of a cylinder in its place [m], shape (2, 3)."""
    half = rotated(cylinder.frame, np.array([0.0, 0.0, cylinder.part.extent[2]]))
    return np.array([cylinder.center - half, cylinder.center + half])


def _capsules(torus: _Placed) -> list[_Placed]:
    """The capsules of a torus in their places, none of other shapes."""
    ring = torus.part.ring
    if ring is None:
        return []
    return [
        _place(
            ring.capsule,
            torus.row,
            torus.owner,
            torus.material,
            torus.center + rotated(torus.frame, middle),
            multiplied(torus.frame, turn),
        )
        for middle, turn in zip(ring.middles, ring.turns, strict=True)
    ]


# ---------------------------------------------------------------------------------------
# Shapes of solids
# ---------------------------------------------------------------------------------------


def _of_heights(solid: Geometry) -> Ground:
    """A height field whose cells are divided along one diagonal or the other."""
    size, heights = given(solid.size), given(solid.heights)
    if solid.diagonal == "rising":
        return Ground.of_heights(size, heights)
    return Ground.of_heights(size, [row[::-1] for row in heights]).mirrored()


def _parts(meshes: CollisionMeshes, body: Body, solid: Geometry, path: Path) -> Iterator[Part]:
    """The shapes of one solid; none after reporting why not."""
    if solid.shape == "height_field":
        if body.motion != "static":
            meshes.problems.add(
                path,
                BAD_SHAPE,
                f"a height field is ground, and the body '{body.name}' moves",
                'Write motion="static", or give the solid role="visual" and others for collision',
            )
            return
        yield _ground(_of_heights(solid), solid)
    elif solid.shape == "convex_hull":
        for core in meshes.hull(given(solid.mesh), path):
            yield _polyhedron(core, solid)
    elif solid.shape == "mesh":
        moves = body.motion != "static"
        surface = meshes.solid(given(solid.mesh), path, body, solid.decompose, moves)
        for part in surface:
            if isinstance(part, Ground):
                yield _ground(part, solid)
            else:
                yield _polyhedron(part, solid)
    else:
        try:
            yield PRIMITIVES[solid.shape].part(solid)
        except UnfitSolidError as error:
            meshes.problems.add(path, BAD_SHAPE, *error.args)


def _polyhedron(core: Core, solid: Geometry) -> Part:
    low, high = core.vertices.min(axis=0), core.vertices.max(axis=0)
    return Part(POLYHEDRON, core, 0.5 * (high - low), solid.rounding, 0.5 * (low + high))


def _ground(ground: Ground, solid: Geometry) -> Part:
    return Part(GROUND, empty_core(), ground.half_size, solid.rounding, ground.middle, ground)


# ---------------------------------------------------------------------------------------
# Arrays
# ---------------------------------------------------------------------------------------


def _stack(placed: list[_Placed], materials: dict[str, Any], rules: dict[str, Any]) -> Shapes:
    """All shapes in one: those that are sought, the capsules of tori, the triangles of grounds."""
    sought = len(placed)
    rings = [_capsules(p) for p in placed]
    grounds = [(s, p.part.ground) for s, p in enumerate(placed) if p.part.ground is not None]
    placed = placed + [capsule for ring in rings for capsule in ring]
    ground = stack_grounds(grounds, len(placed))
    of_triangle = ground.owner  # the GROUND shape that each triangle belongs to
    features = ground.append_to(stacked([p.core for p in placed]))
    round_sides = [s for s, p in enumerate(placed) if p.part.kind == CYLINDER]
    axis_edge = np.full(len(placed), -1)
    axis_edge[round_sides] = len(features["edge_vertex"]) + np.arange(len(round_sides))
    features = with_axes(features, np.array([_axis(placed[s]) for s in round_sides]))
    none = np.full(len(of_triangle), -1)
    torus = [-1] * sought + [s for s, ring in enumerate(rings) for _ in ring]

    def ints(values: list[int], of_triangles: Ints) -> Ints:
        return np.concatenate([np.array(values, dtype=np.int64), of_triangles])

    radius = np.array([p.part.radius for p in placed])
    body = np.array([p.row for p in placed], dtype=np.int64)
    owner = np.array([p.owner for p in placed], dtype=np.int64)
    material = np.array([p.material for p in placed], dtype=np.int64)
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (len(of_triangle), 1))
    return Shapes(
        sought=sought,
        boxed=len(placed),
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
        uneven=np.concatenate([[p.core.uneven for p in placed], np.zeros(len(of_triangle))]),
        axis_edge=np.concatenate([axis_edge, none]),
        torus=ints(torus, none),
        material=np.concatenate([material, material[of_triangle]]),
        ring_start=sought + np.cumsum([0, *[len(ring) for ring in rings]]),
        **features,
        **ground.grid,
        **materials,
        **rules,
    )
