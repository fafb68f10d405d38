"""``PRIMITIVES``: what each kind of solid with closed forms is made of, one row a shape.

A row has the mass properties and the shape that collides. How a kind of shape is bounded stands in
``_BOUND_OF_KIND`` of collision/sweep.py, how it meets a plane in collision/planes.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

from impulse_core.collision.ground import Ground
from impulse_core.collision.polyhedra import (
    Core,
    box_core,
    cone_core,
    cylinder_core,
    ellipsoid_core,
    empty_core,
    point_core,
    segment_core,
)
from impulse_core.collision.ring import MOST_SIDES, ring_places, ring_radius, ring_sides
from impulse_core.collision.shapes import CONE, CYLINDER, ELLIPSOID, PLANE, POLYHEDRON, TORUS
from impulse_core.geometry import (
    MassProperties,
    box_mass_properties,
    capsule_mass_properties,
    cone_mass_properties,
    cylinder_mass_properties,
    ellipsoid_mass_properties,
    sphere_mass_properties,
    torus_mass_properties,
)
from impulse_core.types import Floats
from impulse_schema.models import Geometry

__all__ = ["PRIMITIVES", "Part", "Primitive", "Ring", "UnfitSolidError", "given"]

_T = TypeVar("_T")


class UnfitSolidError(ValueError):
    """A solid that cannot collide as it is: what is wrong, and what to write instead."""


@dataclass
class Part:
    """One shape in the axes of its solid."""

    kind: int
    core: Core
    extent: Floats  # as in Shapes, shape (3,)
    radius: float
    center: Floats = field(default_factory=lambda: np.zeros(3))
    ground: Ground | None = None
    ring: Ring | None = None


@dataclass
class Ring:
    """The capsules of a torus: one, and where copies of it stand in the axes of the torus."""

    capsule: Part
    middles: Floats  # [m], shape (n, 3)
    turns: Floats  # quaternions, shape (n, 4)


class Primitive(NamedTuple):
    """One kind of solid."""

    part: Callable[[Geometry], Part]
    """The shape that collides; raises UnfitSolidError."""
    mass: Callable[[Geometry], MassProperties] | None
    """Mass properties at density one; None where it has no volume."""


def given(value: _T | None) -> _T:
    """A measure that validation has made sure of."""
    assert value is not None
    return value


# A thousand equal cubes have one core.
_core_of_box = lru_cache(box_core)
_core_of_ellipsoid = lru_cache(ellipsoid_core)
_core_of_cylinder = lru_cache(cylinder_core)
_core_of_cone = lru_cache(cone_core)


def _box(g: Geometry) -> Part:
    size = given(g.size)
    return Part(POLYHEDRON, _core_of_box(size), 0.5 * np.array(size), g.rounding)


def _sphere(g: Geometry) -> Part:
    return Part(POLYHEDRON, point_core(), np.zeros(3), given(g.radius) + g.rounding)


def _ellipsoid(g: Geometry) -> Part:
    x, y, z = given(g.size)
    half_axes = (0.5 * x, 0.5 * y, 0.5 * z)
    return Part(ELLIPSOID, _core_of_ellipsoid(half_axes), np.array(half_axes), g.rounding)


def _cylinder(g: Geometry) -> Part:
    radius, height = given(g.radius), given(g.height)
    extent = np.array([radius, radius, 0.5 * height])
    return Part(CYLINDER, _core_of_cylinder(radius, height), extent, g.rounding)


def _cone(g: Geometry) -> Part:
    radius, height = given(g.radius), given(g.height)
    extent = np.array([radius, radius, 0.5 * height])
    return Part(CONE, _core_of_cone(radius, height), extent, g.rounding)


def _capsule(g: Geometry) -> Part:
    extent = np.array([0.0, 0.0, 0.5 * given(g.height)])
    return Part(POLYHEDRON, segment_core(given(g.height)), extent, given(g.radius) + g.rounding)


def _torus(g: Geometry) -> Part:
    major, minor = given(g.major_radius), given(g.minor_radius)
    sides = ring_sides(major, minor)
    if sides > MOST_SIDES:
        raise UnfitSolidError(
            f"a torus with a major radius of {major / minor:.4g} minor ones collides as a ring of"
            f" {sides} capsules, and may have {MOST_SIDES}",
            'Make it thicker, or give it role="visual" and other solids for collision',
        )
    length, middles, turns = ring_places(major, sides)
    radius = minor + g.rounding
    half = np.array([0.0, 0.0, 0.5 * length])
    ring = Ring(Part(POLYHEDRON, segment_core(length), half, radius), middles, turns)
    extent = np.array([major, ring_radius(major, sides), 0.0])
    return Part(TORUS, empty_core(), extent, radius, ring=ring)


def _plane(g: Geometry) -> Part:
    return Part(PLANE, empty_core(), np.zeros(3), g.rounding)


PRIMITIVES: dict[str, Primitive] = {
    "box": Primitive(_box, lambda g: box_mass_properties(given(g.size))),
    "sphere": Primitive(_sphere, lambda g: sphere_mass_properties(given(g.radius))),
    "ellipsoid": Primitive(_ellipsoid, lambda g: ellipsoid_mass_properties(given(g.size))),
    "cylinder": Primitive(
        _cylinder, lambda g: cylinder_mass_properties(given(g.radius), given(g.height))
    ),
    "capsule": Primitive(
        _capsule, lambda g: capsule_mass_properties(given(g.radius), given(g.height))
    ),
    "cone": Primitive(_cone, lambda g: cone_mass_properties(given(g.radius), given(g.height))),
    "torus": Primitive(
        _torus, lambda g: torus_mass_properties(given(g.major_radius), given(g.minor_radius))
    ),
    "plane": Primitive(_plane, None),
}
"""By the name of the shape in the scene; meshes, hulls and height fields are made by
``CollisionMeshes`` and ``Ground``."""
