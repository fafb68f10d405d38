# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes for the solids of bodies, such that the export finds the same solids in them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from impulse_schema import Scene, SceneError, resolve_mesh_path
from impulse_schema.models import Body, Geometry, Mesh

from ..convert import Floats, length_to_blender
from ..export.shapes import MESH_SHAPES
from ..properties.assignment import set_values
from .colours import Painter
from .objects import Maker
from .outlines import Outline, outline_of
from .report import ImportReport, ImportSceneError

IDENTITY = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


class Surface(NamedTuple):
    """Polygons as three flat arrays, in metres."""

    points: Floats  # (V, 3)
    corners: NDArray[np.int64]  # (K,)
    offsets: NDArray[np.int64]  # (F + 1,)


def read_meshes(scene: Scene) -> dict[str, Surface]:
    """The meshes of a scene by their names, mirrored and scaled as it says.

    Raises ImportSceneError where a file cannot be read.
    """
    return {mesh.name: _surface(scene, mesh) for mesh in scene.meshes}


def _surface(scene: Scene, mesh: Mesh) -> Surface:
    if mesh.file is None:
        points = np.array(mesh.vertices, float).reshape(-1, 3) * mesh.scale
        faces = mesh.faces or []
        corners, offsets = _flat(faces)
    else:
        from impulse_core.geometry.files import MeshFileError, read_mesh

        try:
            path: Path = resolve_mesh_path(scene, mesh)
            found = read_mesh(path, mesh.scale)
        except SceneError as error:
            raise ImportSceneError(str(error)) from error
        except MeshFileError as error:
            raise ImportSceneError(f"The mesh {mesh.name}: {error}") from error
        points, corners, offsets = found.vertices, found.corners, found.offsets
    if mesh.mirror != "none":
        points = points * [-1.0 if axis == mesh.mirror else 1.0 for axis in "xyz"]
        starts, ends = offsets[:-1], offsets[1:]
        # Corner k of the face from a to b becomes corner a + b - 1 - k.
        corners = corners[np.repeat(starts + ends - 1, ends - starts) - np.arange(len(corners))]
    return Surface(points, corners, offsets)


def _flat(faces: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    sizes = [len(face) for face in faces]
    corners = np.array([corner for face in faces for corner in face], np.int64)
    return corners, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


class SolidMaker:
    """Gives bodies their solids; equal meshes of the file are one mesh of Blender."""

    def __init__(
        self, maker: Maker, surfaces: dict[str, Surface], plane: float, report: ImportReport
    ) -> None:
        """``plane`` is the edge of what stands for a plane [m]."""
        self._maker = maker
        self._surfaces = surfaces
        self._plane = plane
        self._report = report
        self._made: dict[str, bpy.types.Mesh] = {}
        self._painter = Painter()

    def body_mesh(self, body: Body) -> tuple[bpy.types.Mesh | None, Geometry | None]:
        """The solid that is the body's own mesh: one in the frame of the body; None for none."""
        for solid in body.geometry:
            if (solid.position, solid.orientation) == IDENTITY:
                return self._painted(solid, body.name, body), solid
        return None, None

    def add(self, body: Body, obj: bpy.types.Object, own: Geometry | None) -> None:
        """Tag the body's own mesh, and add an object for each of its other solids."""
        if own is not None:
            self._tag(obj, own)
        for solid in body.geometry:
            if solid is own:
                continue
            name = solid.name or f"{body.name} {solid.shape.replace('_', ' ')}"
            child = self._maker.make(
                name,
                self._painted(solid, name, body),
                solid.position,
                solid.orientation,
                parent=obj,
            )
            child.impulse.kind = "GEOMETRY"
            self._tag(child, solid)

    def _tag(self, obj: bpy.types.Object, solid: Geometry) -> None:
        set_values(obj.impulse.geometry, solid)
        if solid.role == "collision":
            obj.display_type = "WIRE"
            obj.hide_render = True

    def _painted(self, solid: Geometry, name: str, body: Body) -> bpy.types.Mesh:
        mesh = self._mesh(solid, name)
        self._painter.paint(mesh, body.name, is_static=body.motion == "static")
        return mesh

    def _mesh(self, solid: Geometry, name: str) -> bpy.types.Mesh:
        if solid.shape not in MESH_SHAPES or solid.mesh is None:
            return new_mesh(name, outline_of(solid, self._plane), self._maker.metres)
        if solid.mesh not in self._made:
            self._made[solid.mesh] = self._from_file(solid.mesh)
        return self._made[solid.mesh]

    def _from_file(self, name: str) -> bpy.types.Mesh:
        surface = self._surfaces[name]
        data = bpy.data.meshes.new(name)
        sizes = np.diff(surface.offsets)
        data.vertices.add(len(surface.points))
        data.vertices.foreach_set("co", _single(surface.points, self._maker.metres))
        data.loops.add(len(surface.corners))
        data.loops.foreach_set("vertex_index", surface.corners.astype(np.int32))
        data.polygons.add(len(sizes))
        data.polygons.foreach_set("loop_start", surface.offsets[:-1].astype(np.int32))
        data.update(calc_edges=True)
        if data.validate():
            self._report.notes.append(
                f"The mesh {name} has faces that Blender cannot hold, such as two with the same"
                " corners; they were left out."
            )
        return data


def new_mesh(name: str, outline: Outline, metres: float) -> bpy.types.Mesh:
    """A mesh of Blender from points in metres."""
    data = bpy.data.meshes.new(name)
    points = _single(outline.points, metres).reshape(-1, 3).tolist()
    data.from_pydata(points, [], outline.faces)
    if outline.smooth:
        data.polygons.foreach_set("use_smooth", np.ones(len(outline.faces), bool))
    return data


def _single(points: Floats, metres: float) -> NDArray[np.float32]:
    return length_to_blender(points, metres).astype(np.float32).ravel()
