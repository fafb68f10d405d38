# SPDX-License-Identifier: GPL-3.0-or-later
"""What bodies weigh: mass, centre and inertia that follow from shapes and densities.

The same rules as in the simulator (which solids count, which density wins), on the same solids
that the export writes. Nothing here is called while a panel draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from impulse_core.geometry import mass_properties as mass
from impulse_core.geometry import primitives

from ..convert import Floats, decimals, quaternion_to_rotation
from ..export.collect import Tagged, body_of
from ..export.hulls import hull_polygons
from ..export.meshes import Polygons
from ..export.scene_export import metres_of
from ..export.solids import SolidExporter
from ..export.work import at_one_go

Solid = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Measured:
    """What a body weighs, or why that is not known.

    ``centre`` [m] and ``inertia`` [kg m^2], about the centre, in the rigid axes of the object.
    """

    mass: float = 0.0
    volume: float = 0.0
    centre: Floats | None = None
    inertia: Floats | None = None
    problem: str = ""

    def principal(self) -> list[float]:
        """Principal moments of inertia [kg m^2], ascending."""
        return [] if self.inertia is None else sorted(np.linalg.eigvalsh(self.inertia).tolist())


def measure(context: bpy.types.Context, bodies: Iterable[bpy.types.Object]) -> dict[str, Measured]:
    """What these dynamic bodies weigh, by name."""
    tagged = Tagged()
    for obj in context.view_layer.objects:
        if obj.impulse.kind == "GEOMETRY" and (body := body_of(obj)) is not None:
            tagged.geometry.setdefault(body.name, []).append(obj)
    exporter = SolidExporter(context, metres_of(context.scene))
    materials = context.scene.impulse.materials
    densities = {item.name: item.density for item in materials if item.use_density}
    found = {}
    for body in bodies:
        try:
            found[body.name] = _measure_body(body, exporter, tagged, densities)
        except ValueError as error:  # no solid, no density, a scale of zero, no such body
            found[body.name] = Measured(problem=str(error))
    return found


def _measure_body(
    body: bpy.types.Object, exporter: SolidExporter, tagged: Tagged, densities: dict[str, float]
) -> Measured:
    group = body.impulse.body
    if group.mass_source == "explicit":
        return _explicit(group)
    solids = at_one_go(exporter.solids(body, tagged))
    solids = [solid for solid in solids if solid["role"] != "visual"] or solids
    if not solids:
        raise ValueError("It has no solid.")
    weighing = group.mass_source == "mass"
    own = decimals(group.density) if group.mass_source == "density" else 0.0
    parts = []
    for solid in solids:
        density = solid.get("density") or own or densities.get(solid.get("material", ""), 0.0)
        if not density and not weighing:
            raise ValueError(f"{solid['name']} has no density.")
        part = _at_unit_density(solid, exporter.meshes)
        turn = quaternion_to_rotation(np.array(solid["orientation"]))
        placed = part.transformed(turn, solid["position"])
        parts.append(placed.scaled_to_mass(placed.mass * (density or 1.0)))
    total = mass.combine(parts)
    if weighing:
        total = total.scaled_to_mass(decimals(group.mass))
    return Measured(total.mass, total.volume, total.center_of_mass, total.inertia)


def _explicit(group: Any) -> Measured:
    xx, yy, zz = group.inertia
    xy, xz, yz = group.inertia_products
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    given = mass.MassProperties(group.mass, 0.0, np.array(group.center_of_mass), inertia)
    return Measured(given.mass, 0.0, given.center_of_mass, given.inertia)


_CLOSED_FORMS: dict[str, Callable[[Solid], mass.MassProperties]] = {
    "box": lambda s: primitives.box_mass_properties(s["size"]),
    "ellipsoid": lambda s: primitives.ellipsoid_mass_properties(s["size"]),
    "sphere": lambda s: primitives.sphere_mass_properties(s["radius"]),
    "cylinder": lambda s: primitives.cylinder_mass_properties(s["radius"], s["height"]),
    "capsule": lambda s: primitives.capsule_mass_properties(s["radius"], s["height"]),
    "cone": lambda s: primitives.cone_mass_properties(s["radius"], s["height"]),
    "torus": lambda s: primitives.torus_mass_properties(s["major_radius"], s["minor_radius"]),
}


def _at_unit_density(solid: Solid, meshes: dict[str, Polygons]) -> mass.MassProperties:
    shape = solid["shape"]
    if shape in _CLOSED_FORMS:
        return _CLOSED_FORMS[shape](solid)
    if shape not in ("mesh", "convex_hull"):
        raise ValueError(f"A {shape.replace('_', ' ')} has no volume.")
    polygons: Polygons | None = meshes[solid["mesh"]]
    if shape == "convex_hull":
        polygons = hull_polygons(meshes[solid["mesh"]])
    if polygons is None:
        raise ValueError(f"{solid['name']} is flat and has no hull.")
    return mesh_mass_properties(polygons)


def mesh_mass_properties(polygons: Polygons) -> mass.MassProperties:
    """Mass properties of a closed mesh at density one, exact: a sum over tetrahedra.

    Of the tetrahedron from the origin over a triangle a, b, c with det = a · (b × c) the volume is
    det / 6, the first moment det (a + b + c) / 24 and the second one
    det ((a + b + c)(a + b + c)ᵀ + a aᵀ + b bᵀ + c cᵀ) / 120.
    Raises ValueError where there is no volume.
    """
    middle = polygons.vertices.mean(axis=0)
    corners = _triangles(polygons) - middle
    det = np.linalg.det(corners)
    volume = float(det.sum()) / 6.0
    if volume <= 0.0:
        raise ValueError("Its mesh encloses no volume.")
    sums = corners.sum(axis=1)
    centre = det @ sums / 24.0 / volume
    second = np.einsum("k,ki,kj->ij", det, sums, sums)
    second += np.einsum("k,kni,knj->ij", det, corners, corners)
    second = second / 120.0 - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    inertia = (inertia + inertia.T) / 2.0
    return mass.MassProperties(volume, volume, middle + centre, inertia)


def _triangles(polygons: Polygons) -> Floats:
    """Corners (T, 3, 3) of triangles, each polygon a fan around its first corner."""
    starts, ends = polygons.offsets[:-1], polygons.offsets[1:]
    sizes = ends - starts
    first = np.repeat(polygons.corners[starts], sizes - 2)
    # the corners of a fan: all but the first and the last of their polygon
    inner = np.ones(len(polygons.corners), bool)
    inner[starts] = inner[ends - 1] = False
    second = np.flatnonzero(inner)
    rows = np.stack([first, polygons.corners[second], polygons.corners[second + 1]], axis=1)
    return polygons.vertices[rows]
