"""Meshes that collide: as convex polyhedra, as parts of them, or as ground."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impulse_core.collision.convex_parts import PartsError, convex_parts
from impulse_core.collision.cores import (
    Core,
    CoreError,
    convexity_defect,
    core_tables,
    hull_core,
)
from impulse_core.collision.ground import Ground
from impulse_core.compile.bodies import MassSource
from impulse_core.compile.problems import BAD_SHAPE, NO_PARTS, NOT_CONVEX, ProblemList
from impulse_core.geometry import MassPropertiesError, PolygonMesh, check_mesh
from impulse_schema.models import Body

__all__ = ["CollisionMeshes"]

Path = tuple[str | int, ...]


@dataclass
class CollisionMeshes:
    """Makes the shapes of each mesh once, and reports what keeps it from colliding."""

    source: MassSource
    _hulls: dict[str, Core | str] = field(default_factory=dict)
    _convex: dict[str, Core | str] = field(default_factory=dict)
    _parts: dict[str, list[Core] | str] = field(default_factory=dict)

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
            self._hulls[name] = self._hull_of(polygons)
        found = self._hulls[name]
        if isinstance(found, str):
            self.problems.add(path, BAD_SHAPE, f"mesh '{name}': {found}")
            return []
        return [found]

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
            self._convex[name] = self._convex_of(polygons)
        found = self._convex[name]
        if isinstance(found, Core):
            return [found]
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

    def _hull_of(self, polygons: PolygonMesh) -> Core | str:
        try:
            return hull_core(polygons.vertices)
        except (CoreError, MassPropertiesError) as error:
            return str(error)

    def _convex_of(self, polygons: PolygonMesh) -> Core | str:
        if any(defect.fatal for defect in check_mesh(polygons)):
            return "its surface is not closed"
        defect = convexity_defect(polygons)
        try:
            return core_tables(polygons)
        except CoreError:
            place = ", ".join(f"{value:.4g}" for value in defect.place)
            return (
                f"vertex {defect.vertex} at ({place}) lies {defect.amount:.3g} m above the plane of"
                f" face {defect.face}"
            )

    def _split(self, name: str, path: Path, polygons: PolygonMesh) -> list[Core]:
        if name not in self._parts:
            try:
                self._parts[name] = [hull_core(points) for points in convex_parts(polygons)]
            except (PartsError, CoreError, MassPropertiesError) as error:
                self._parts[name] = str(error)
        found = self._parts[name]
        if isinstance(found, str):
            self.problems.add(
                (*path, "decompose"), NO_PARTS, f"mesh '{name}' cannot be split: {found}"
            )
            return []
        return found

    def _ground(self, name: str, path: Path, polygons: PolygonMesh) -> list[Ground]:
        usable = np.all(np.isfinite(polygons.vertices)) and len(polygons.corners) > 0
        if (
            usable
            and polygons.corners.min() >= 0
            and polygons.corners.max() < len(polygons.vertices)
        ):
            ground = Ground.of_mesh(polygons)
            if len(ground.corners):
                return [ground]
        self.problems.add(path, BAD_SHAPE, f"the mesh '{name}' has no face that could be touched")
        return []
