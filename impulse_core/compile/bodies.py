"""Mass properties of the bodies of a scene, from their solids or as given."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impulse_core.compile.primitives import PRIMITIVES, given
from impulse_core.compile.problems import MESH_DEFECT, MESH_FILE, NO_MASS, ProblemList
from impulse_core.geometry import (
    MassProperties,
    MassPropertiesError,
    MeshDefect,
    MeshFileError,
    PolygonMesh,
    check_mesh,
    combine,
    convex_hull,
    polyhedron_mass_properties,
    read_mesh,
)
from impulse_core.geometry.rotations import quaternion_to_matrix
from impulse_schema import Scene, SceneError, resolve_mesh_path
from impulse_schema.bounds import beyond
from impulse_schema.models import Body, Geometry, Mesh

__all__ = ["MassSource", "body_mass_properties", "mass_solids"]

Path = tuple[str | int, ...]


@dataclass
class MassSource:
    """Reads each mesh of a scene and makes its hull once, and reports its defects once: problems
    or warnings.
    """

    scene: Scene
    problems: ProblemList
    warnings: list[str] = field(default_factory=list)
    _unit_density: dict[tuple[str, bool], MassProperties | None] = field(default_factory=dict)
    _polygons: dict[str, PolygonMesh | None] = field(default_factory=dict)
    _hulls: dict[str, PolygonMesh | None] = field(default_factory=dict)
    _defects: dict[str, list[MeshDefect]] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for index, mesh in enumerate(self.scene.meshes):
            self._numbers.setdefault(mesh.name, index)

    def of_mesh(self, name: str, *, hull: bool) -> MassProperties | None:
        """Mass properties at density one of a mesh or its convex hull; None if it has none."""
        key = (name, hull)
        if key not in self._unit_density:
            self._unit_density[key] = self._integrate(name, hull)
        return self._unit_density[key]

    def _integrate(self, name: str, hull: bool) -> MassProperties | None:
        index = self.index_of(name)
        polygons = self.hull(name) if hull else self.polygons(name)
        if polygons is None:
            return None
        defects = [] if hull else self.defects(name)
        for defect in defects:
            if defect.fatal:
                self.problems.add(("meshes", index), MESH_DEFECT, f"mesh '{name}': {defect}")
            else:
                self.warnings.append(f"mesh '{name}': {defect}")
        if any(defect.fatal for defect in defects):
            return None
        return polyhedron_mass_properties(polygons)

    def hull(self, name: str) -> PolygonMesh | None:
        """The convex hull of the vertices of a mesh [m]; None if the mesh cannot be read.

        Raises:
            MassPropertiesError: The vertices lie in one plane.
        """
        if name not in self._hulls:
            polygons = self.polygons(name)
            self._hulls[name] = None if polygons is None else convex_hull(polygons.vertices)
        return self._hulls[name]

    def index_of(self, name: str) -> int:
        """Number of a mesh of the scene."""
        return self._numbers[name]

    def polygons(self, name: str) -> PolygonMesh | None:
        """The polygons of a mesh [m]; None after reporting why they cannot be read."""
        if name not in self._polygons:
            index = self.index_of(name)
            self._polygons[name] = self._read(index, self.scene.meshes[index])
        return self._polygons[name]

    def mirror_axis(self, name: str) -> int | None:
        """The axis that a mesh is mirrored along (0, 1, 2), if it is."""
        return mirror_axis(self.scene.meshes[self.index_of(name)])

    def defects(self, name: str) -> list[MeshDefect]:
        """What check_mesh finds in a mesh that can be read."""
        if name not in self._defects:
            polygons = self.polygons(name)
            self._defects[name] = [] if polygons is None else check_mesh(polygons)
        return self._defects[name]

    def _read(self, index: int, mesh: Mesh) -> PolygonMesh | None:
        try:
            polygons = self._scaled(mesh)
        except SceneError as error:
            self.problems.extend(error.problems)
            return None
        except (MeshFileError, OSError) as error:
            self.problems.add(("meshes", index, "file"), MESH_FILE, str(error))
            return None
        furthest = float(np.abs(polygons.vertices).max(initial=0.0))
        if message := beyond(furthest, "m", "any"):
            self.problems.add(
                ("meshes", index),
                MESH_DEFECT,
                f"mesh '{mesh.name}' has a coordinate of {furthest:g} m, and it {message}",
                "Look at its unit of length and at scale",
            )
            return None
        return polygons

    def _scaled(self, mesh: Mesh) -> PolygonMesh:
        """The polygons of a mesh [m]."""
        if mesh.file is not None:
            polygons = read_mesh(resolve_mesh_path(self.scene, mesh), mesh.scale)
        else:
            vertices = np.array(mesh.vertices, dtype=float) * mesh.scale
            polygons = PolygonMesh.from_faces(vertices, mesh.faces or [])
        axis = mirror_axis(mesh)
        return polygons if axis is None else polygons.mirrored(axis)


def mirror_axis(mesh: Mesh) -> int | None:
    """The axis that a mesh is mirrored along (0, 1, 2), if it is."""
    return None if mesh.mirror == "none" else "xyz".index(mesh.mirror)


def mass_solids(body: Body) -> list[tuple[int, Geometry]]:
    """The solids that make up the mass: those that collide, or else the visual ones."""
    numbered = list(enumerate(body.geometry))
    return [(k, g) for k, g in numbered if g.role != "visual"] or numbered


def body_mass_properties(source: MassSource, index: int) -> MassProperties | None:
    """Mass properties of body ``index``, frame of its origin; None after reporting why not."""
    body = source.scene.bodies[index]
    path: Path = ("bodies", index)
    try:
        if body.inertia is not None:
            return _explicit(body)
        parts = _solids_at_density(source, index)
        if parts is None:
            return None
        properties = combine(parts)
        if body.mass is not None:
            properties = properties.scaled_to_mass(body.mass)
        if body.center_of_mass is not None:
            return MassProperties(
                properties.mass,
                properties.volume,
                np.array(body.center_of_mass),
                properties.inertia,
            )
        return properties
    except MassPropertiesError as error:
        source.problems.add(path, NO_MASS, f"body '{body.name}': {error}")
        return None


def _explicit(body: Body) -> MassProperties:
    numbers = given(body.inertia)
    xx, yy, zz = numbers[:3]
    xy, xz, yz = numbers[3:] if len(numbers) == 6 else (0.0, 0.0, 0.0)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    center = np.array(body.center_of_mass or (0.0, 0.0, 0.0))
    return MassProperties(given(body.mass), 0.0, center, inertia)


def _solids_at_density(source: MassSource, index: int) -> list[MassProperties] | None:
    """The placed solids; with a given total mass, densities only weigh them against each other."""
    body = source.scene.bodies[index]
    materials = {material.name: material for material in source.scene.materials}
    parts: list[MassProperties] = []
    for k, solid in mass_solids(body):
        path: Path = ("bodies", index, "geometry", k)
        material = materials.get(solid.material or "")
        density = solid.density or body.density or (material.density if material else None)
        if density is None and body.mass is None:
            source.problems.add(
                path,
                NO_MASS,
                f"body '{body.name}' has neither a mass nor a density for this {solid.shape}",
                "Give the body mass or density, or the solid a material with a density",
            )
            return None
        if solid.shape in ("plane", "height_field"):
            source.problems.add(
                path,
                NO_MASS,
                f"a {solid.shape.replace('_', ' ')} has no volume to take the mass of dynamic body"
                f" '{body.name}' from",
                "Make the body static, or give it mass and inertia",
            )
            return None
        at_unit_density = (
            source.of_mesh(given(solid.mesh), hull=solid.shape == "convex_hull")
            if solid.shape in ("mesh", "convex_hull")
            else given(PRIMITIVES[solid.shape].mass)(solid)
        )
        if at_unit_density is None:
            return None
        placed = at_unit_density.transformed(
            quaternion_to_matrix(np.array(solid.orientation)), solid.position
        )
        parts.append(placed.scaled_to_mass(placed.mass * (density or 1.0)))
    return parts
