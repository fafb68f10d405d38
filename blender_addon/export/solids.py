# SPDX-License-Identifier: GPL-3.0-or-later
"""The solids of bodies, and the meshes they share."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

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
from .collect import Tagged
from .meshes import Polygons, Raw, polygons_of, raw_mesh
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
from .work import MANY_CORNERS, Work, beside

Found = tuple[Defect, str]
"""What is to be said of a solid, and how severe it is."""


class Read(NamedTuple):
    """What a solid is made from, with nothing of Blender in it."""

    name: str
    is_ground: bool
    placement: Placement
    values: dict[str, Any]
    raw: Raw | None


class SolidExporter:
    """Turns geometry objects into solids; equal meshes (linked duplicates) are written once."""

    def __init__(self, context: bpy.types.Context, metres: float) -> None:
        self._context = context
        self._metres = metres
        self._names: dict[bytes, str] = {}
        self.meshes: dict[str, Polygons] = {}

    def solids(self, body: bpy.types.Object, tagged: Tagged) -> Work[list[dict[str, Any]]]:
        """Solids of a body: its own mesh, if it takes part, then its geometry objects."""
        members = list(tagged.geometry.get(body.name, ()))
        if body.impulse.body.own_geometry and body.type != "EMPTY":
            members.insert(0, body)
        frame = tagged.placement_of(body)
        found = []
        for obj in members:
            try:
                found.append((yield from self._solid(obj, body, frame, tagged)))
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
    ) -> Work[dict[str, Any]]:
        """What is to be known of Blender is read first; the rest may be computed beside it."""
        read = Read(
            obj.name,
            body.impulse.body.motion == "static",
            tagged.placement_of(obj),
            values_of(obj.impulse.geometry, Geometry),
            raw_mesh(obj, self._context.evaluated_depsgraph_get()),
        )
        made, defects = yield from beside(
            partial(self._made, read, frame),
            f"reading the mesh of {obj.name}",
            large=read.raw is not None and len(read.raw.corners) > MANY_CORNERS,
        )
        for defect, severity in defects:
            tagged.report(obj, defect, severity)
        return made

    def _made(self, read: Read, frame: Placement) -> tuple[dict[str, Any], list[Found]]:
        """A solid, and what is to be said of it. Nothing here is Blender's."""
        placement, values = read.placement, read.values
        values["name"] = read.name
        shape = values["shape"]
        points = self._points(read)
        fit, found = Fit(np.zeros(3)), []
        if shape in MESH_SHAPES:
            polygons = self._required(points)
            found = _doubts(polygons, read) if shape == "mesh" else []
            values["mesh"] = self._mesh(read.name, polygons)
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
            found = _loose(shape, looseness(fit, points))
        values.update(self._pose(placement, fit, frame))
        return values, found

    def _points(self, read: Read) -> Polygons | None:
        """Mesh of an object in its rigid axes, in metres: scale, reflection and shear baked in."""
        if read.raw is None:
            return None
        stretch = length_to_scene(read.placement.stretch, self._metres)
        return polygons_of(read.raw).transformed(stretch)

    def _required(self, polygons: Polygons | None) -> Polygons:
        if polygons is None:
            raise ShapeError("has no faces to make a solid from; give it a mesh", "B131")
        return polygons

    def _mesh(self, name: str, polygons: Polygons) -> str:
        """Name of the scene's mesh with these polygons, a new one if there is none yet."""
        if polygons.digest not in self._names:
            self._names[polygons.digest] = name
            single = polygons.vertices.astype(np.float32).astype(float)
            self.meshes[name] = Polygons(single, polygons.corners, polygons.offsets)
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


def _doubts(polygons: Polygons, read: Read) -> list[Found]:
    """Whether a mesh encloses what it stands for."""
    if read.is_ground:
        defect = ground_defect(polygons, read.placement.rotation[2])
        return [] if defect is None else [(defect, "WARNING")]
    defect = solid_defect(polygons)
    return [] if defect is None else [(defect, "ERROR")]


def _loose(shape: str, ratio: float) -> list[Found]:
    if ratio <= LOOSE_FIT:
        return []
    text = (
        f"is wrapped in a {shape} of {ratio:.2f} times its volume; mass and contact are those of"
        f" the {shape}"
    )
    return [(Defect(text, "B138"), "WARNING")]
