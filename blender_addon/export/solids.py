# SPDX-License-Identifier: GPL-3.0-or-later
"""The solids of bodies, and the meshes they share."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from impulse_schema.models import Geometry

from ..convert import (
    SINGLE_NOISE,
    Placement,
    decimals,
    is_sheared,
    length_to_scene,
    quaternion_to_scene,
    rotation_to_quaternion,
    tidy,
)
from ..issues import Defect
from ..properties.schema_properties import values_of
from .collect import Tagged, placement_of
from .meshes import Polygons, evaluated_polygons
from .shapes import (
    LOOSE_FIT,
    MESH_SHAPES,
    Fit,
    ShapeError,
    fit_shape,
    height_field,
    looseness,
)
from .surfaces import ground_defect, solid_defect


class SolidExporter:
    """Turns geometry objects into solids; equal meshes (linked duplicates) are written once."""

    def __init__(self, context: bpy.types.Context, metres: float) -> None:
        self._depsgraph = context.evaluated_depsgraph_get()
        self._metres = metres
        self._names: dict[bytes, str] = {}
        self.meshes: dict[str, Polygons] = {}

    def solids(self, body: bpy.types.Object, tagged: Tagged) -> list[dict[str, Any]]:
        """Solids of a body: its own mesh, if it takes part, then its geometry objects."""
        members = list(tagged.geometry.get(body.name, ()))
        if body.impulse.body.own_geometry and body.type != "EMPTY":
            members.insert(0, body)
        frame = placement_of(body)
        found = []
        for obj in members:
            try:
                found.append(self._solid(obj, body, frame, tagged))
            except ShapeError as error:
                tagged.report(obj, Defect(str(error), error.code, body.name))
        return found

    def mesh_data(self, inline_faces: int) -> list[dict[str, Any]]:
        """The meshes for the scene; of one too large to be inline a single face stands in."""
        return [
            {"name": name, "vertices": decimals(mesh.vertices), "faces": mesh.faces()}
            if mesh.face_count <= inline_faces
            else {"name": name, "vertices": decimals(mesh.vertices[:3]), "faces": [[0, 1, 2]]}
            for name, mesh in self.meshes.items()
        ]

    def _solid(
        self, obj: bpy.types.Object, body: bpy.types.Object, frame: Placement, tagged: Tagged
    ) -> dict[str, Any]:
        placement = placement_of(obj)
        values = values_of(obj.impulse.geometry, Geometry)
        values["name"] = obj.name
        shape = values["shape"]
        points = self._points(obj, placement)
        fit = Fit(np.zeros(3))
        if shape in MESH_SHAPES:
            values["mesh"] = self._mesh(obj, self._checked(obj, body, points, tagged))
        elif is_sheared(placement.stretch):
            raise ShapeError(f"is sheared and cannot be a {shape}; use the shape mesh")
        elif shape == "height_field":
            size, values["heights"], centre = height_field(self._required(points))
            fit = Fit(centre)
            values["size"] = tuple(decimals(size))
        elif shape != "plane":
            points = self._required(points)
            fit = fit_shape(shape, points, placement.stretch)
            for key, value in fit.sizes.items():
                number = decimals(value)
                values[key] = tuple(number) if isinstance(number, list) else number
            self._report_loose(obj, shape, looseness(fit, points), tagged)
        values.update(self._pose(placement, fit, frame))
        return values

    def _points(self, obj: bpy.types.Object, placement: Placement) -> Polygons | None:
        """Mesh of an object in its rigid axes, in metres: scale, reflection and shear baked in."""
        polygons = evaluated_polygons(obj, self._depsgraph)
        if polygons is None:
            return None
        return polygons.transformed(length_to_scene(placement.stretch, self._metres))

    def _required(self, polygons: Polygons | None) -> Polygons:
        if polygons is None:
            raise ShapeError("has no faces to make a solid from; give it a mesh", "B131")
        return polygons

    def _checked(
        self, obj: bpy.types.Object, body: bpy.types.Object, points: Polygons | None, tagged: Tagged
    ) -> Polygons:
        """The mesh of an object, after a look at whether it encloses what it stands for."""
        polygons = self._required(points)
        if obj.impulse.geometry.shape != "mesh":
            return polygons
        if body.impulse.body.motion == "static":
            up = placement_of(obj).rotation[2]
            if defect := ground_defect(polygons, up):
                tagged.report(obj, defect, "WARNING")
        elif defect := solid_defect(polygons):
            tagged.report(obj, defect)
        return polygons

    def _mesh(self, obj: bpy.types.Object, polygons: Polygons) -> str:
        """Name of the scene's mesh with these polygons, a new one if there is none yet."""
        if polygons.digest not in self._names:
            self._names[polygons.digest] = obj.name
            single = polygons.vertices.astype(np.float32).astype(float)
            self.meshes[obj.name] = Polygons(single, polygons.corners, polygons.offsets)
        return self._names[polygons.digest]

    def _pose(self, placement: Placement, fit: Fit, frame: Placement) -> dict[str, Any]:
        """Pose of a solid in the frame of its body; its fit is in metres in the object's axes."""
        offset = length_to_scene(placement.translation - frame.translation, self._metres)
        position = frame.rotation.T @ (offset + placement.rotation @ fit.centre)
        # The difference of two world positions is as noisy as the larger of them.
        reach = np.abs([*length_to_scene(placement.translation, self._metres), *position]).max()
        position = tidy(position, SINGLE_NOISE * float(reach))
        turn = rotation_to_quaternion(frame.rotation.T @ placement.rotation @ fit.turn)
        return {
            "position": tuple(decimals(position)),
            "orientation": quaternion_to_scene(tidy(turn, SINGLE_NOISE)),
        }

    def _report_loose(
        self, obj: bpy.types.Object, shape: str, ratio: float, tagged: Tagged
    ) -> None:
        if ratio > LOOSE_FIT:
            text = (
                f"is wrapped in a {shape} of {ratio:.2f} times its volume; mass and contact are"
                f" those of the {shape}"
            )
            tagged.report(obj, Defect(text, "B138"), "WARNING")
