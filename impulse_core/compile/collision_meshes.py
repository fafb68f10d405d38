"""Meshes that collide: as convex polyhedra, as parts of them, or as ground."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impulse_core.collision.convex_parts import PartsError, convex_parts
from impulse_core.collision.ground import Ground, triangles_of
from impulse_core.collision.large_hulls import LargeHull, large_convexity_defect, large_hull
from impulse_core.collision.polyhedra import (
    Core,
    CoreError,
    convexity_defect,
    core_of_hull,
)
from impulse_core.compile.bodies import MassSource
from impulse_core.compile.primitives import given
from impulse_core.compile.problems import BAD_SHAPE, NO_PARTS, NOT_CONVEX, ProblemList
from impulse_core.geometry import (
    MassPropertiesError,
    PolygonMesh,
    convex_hull,
    polyhedron_mass_properties,
)
from impulse_core.types import Floats
from impulse_schema.models import Body

__all__ = ["CollisionMeshes"]

Path = tuple[str | int, ...]

_FEW_FACES = 2000  # that are compared with all vertices
_MANY_FACES = 20_000  # that are worth a warning
_CONVEX = 1e-5  # part of the extent by which a mesh may be dented, as in cores.core_tables


@dataclass
class CollisionMeshes:
    """Makes the shapes of each mesh once, and reports what keeps it from colliding."""

    source: MassSource
    _hulls: dict[str, LargeHull | str] = field(default_factory=dict)
    _convex: dict[str, LargeHull | str] = field(default_factory=dict)
    _parts: dict[str, list[Core] | str] = field(default_factory=dict)
    _grounds: dict[str, list[Ground]] = field(default_factory=dict)

    @property
    def problems(self) -> ProblemList:
        """Where problems are reported."""
        return self.source.problems

    def hull(self, name: str, path: Path) -> list[Core]:
        """The convex hull of a mesh; nothing after reporting why there is none."""
        if name not in self._hulls:
            polygons = self.source.polygons(name)
            if polygons is None:
                return []
            self._hulls[name] = self._hull_of(name, polygons)
            self._warn_of_many_faces(name, polygons, self._hulls[name])
        found = self._hulls[name]
        if isinstance(found, str):
            self.problems.add(path, BAD_SHAPE, f"mesh '{name}': {found}")
            return []
        return [found.core]

    def solid(
        self, name: str, path: Path, body: Body, decompose: bool, moves: bool
    ) -> list[Core] | list[Ground]:
        """A mesh as it is; nothing after reporting why that cannot be.

        A mesh that is not convex is ground where the body stands still and it is not to be split.
        """
        polygons = self.source.polygons(name)
        if polygons is None or (moves and self.source.of_mesh(name, hull=False) is None):
            return []
        if name not in self._convex:
            closed = not any(defect.fatal for defect in self.source.defects(name))
            self._convex[name] = (
                self._convex_of(name, polygons) if closed else "its surface is not closed"
            )
            self._warn_of_many_faces(name, polygons, self._convex[name])
        found = self._convex[name]
        if isinstance(found, LargeHull):
            return [found.core]
        if decompose:
            return self._split(name, path, polygons)
        if not moves:
            return self._ground(name, path, polygons)
        self.problems.add(
            path,
            NOT_CONVEX,
            f"the collision mesh '{name}' of the {body.motion} body '{body.name}' is not convex:"
            f" {found}",
            'Write shape="convex_hull" to collide with its hull, decompose="true" to split it into'
            ' convex parts, or give the body several convex solids with role="collision" and this'
            ' one role="visual"',
        )
        return []

    def _warn_of_many_faces(self, name: str, polygons: PolygonMesh, found: LargeHull | str) -> None:
        """Say how large a mesh is that a simple hull would serve as well."""
        if polygons.face_count <= _MANY_FACES or not isinstance(found, LargeHull):
            return
        corners = f"{len(found.core.vertices)} corners"
        self.source.warnings.append(
            f"the collision mesh '{name}' has {polygons.face_count} faces; it collides as a hull of"
            + (f" {corners}" if found.inside == 0.0 else "")
            + (
                f" its outermost {corners}, which lies up to about {found.inside:.2g} m inside it"
                if found.inside > 0.0
                else ""
            )
            + '. Better give the body a simplified hull with role="collision" and this mesh with'
            ' role="visual"'
        )

    def _split(self, name: str, path: Path, polygons: PolygonMesh) -> list[Core]:
        if name not in self._parts:
            try:
                hulls = [convex_hull(points) for points in self._convex_parts(name, polygons)]
                self._parts[name] = [core_of_hull(hull) for hull in hulls]
            except (PartsError, CoreError, MassPropertiesError) as error:
                self._parts[name] = str(error)
            else:
                volumes = [polyhedron_mass_properties(hull).volume for hull in hulls]
                whole = polyhedron_mass_properties(polygons).volume
                self.source.warnings.append(
                    f"the collision mesh '{name}' is split into {len(hulls)} convex parts, whose"
                    f" volumes add up to {sum(volumes) / whole:.4g} times its own"
                )
        found = self._parts[name]
        if isinstance(found, str):
            self.problems.add(
                (*path, "decompose"), NO_PARTS, f"mesh '{name}' cannot be split: {found}"
            )
            return []
        return found

    def _convex_parts(self, name: str, polygons: PolygonMesh) -> list[Floats]:
        """Corners of the convex parts of a mesh; those of a mirror image are the mirror images."""
        axis = self.source.mirror_axis(name)
        if axis is None:
            return convex_parts(polygons)
        sign = np.where(np.arange(3) == axis, -1.0, 1.0)
        return [points * sign for points in convex_parts(polygons.mirrored(axis))]

    def _ground(self, name: str, path: Path, polygons: PolygonMesh) -> list[Ground]:
        if name not in self._grounds:
            corners, count = polygons.corners, len(polygons.vertices)
            usable = len(corners) > 0 and corners.min() >= 0 and corners.max() < count
            usable = usable and bool(np.all(np.isfinite(polygons.vertices)))
            ground = Ground.of_mesh(polygons) if usable else None
            self._grounds[name] = [ground] if ground and len(ground.corners) else []
        if not self._grounds[name]:
            message = f"the mesh '{name}' has no face that could be touched"
            self.problems.add(path, BAD_SHAPE, message)
        return self._grounds[name]

    def _hull_of(self, name: str, polygons: PolygonMesh) -> LargeHull | str:
        """Core of the hull of a mesh, or why it has none."""
        try:
            if polygons.face_count <= _MANY_FACES:
                return LargeHull(core_of_hull(given(self.source.hull(name))), 0.0)
            return large_hull(polygons.vertices[np.unique(polygons.corners)])
        except (CoreError, MassPropertiesError) as error:
            return str(error)

    def _convex_of(self, name: str, polygons: PolygonMesh) -> LargeHull | str:
        """Core of a closed mesh that is convex, or what sticks out above which face."""
        few = polygons.face_count <= _FEW_FACES
        if few:
            defect = convexity_defect(polygons)
        else:
            defect = large_convexity_defect(polygons.vertices, triangles_of(polygons))
        corners = polygons.vertices[np.unique(polygons.corners)]
        extent = float(np.max(corners.max(axis=0) - corners.min(axis=0)))
        if defect.amount <= _CONVEX * extent:
            return self._hull_of(name, polygons)
        place = ", ".join(f"{value:.4g}" for value in defect.place)
        face = f"face {defect.face}" if few else "another face"
        return (
            f"vertex {defect.vertex} at ({place}) lies {defect.amount:.3g} m above the plane of"
            f" {face}"
        )
