"""When two scenes say the same of a machine, though one of them came through Blender.

Names of solids and springs are free text; what is not named by anything may be in any order. A
direction may have any length, a quaternion either sign, a mesh may be written in place and with the
vertices that its faces use. What is not given is what it stands for. Joints and bodies may have
been renamed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from impulse_core.geometry.files import read_mesh
from impulse_schema import Scene, joint_names, resolve_mesh_path
from impulse_schema.models import Body, Geometry, Joint, Mesh

TOLERANCE = 1e-6

Names = dict[str, str]


def differences(
    first: Scene, second: Scene, bodies: Names | None = None, joints: Names | None = None
) -> Iterator[str]:
    """What differs, in words; ``bodies`` and ``joints`` have names of ``second`` by those of
    ``first``.
    """
    one, two = _Plain(first, bodies or {}, joints or {}), _Plain(second, {}, {})
    yield from _compare(one.data(), two.data(), "scene", one.reach)


class _Plain:
    """A scene as nested dicts, normalised."""

    def __init__(self, scene: Scene, bodies: Names, joints: Names) -> None:
        self.scene, self.called, self.joints_called = scene, bodies, joints
        self.meshes = {mesh.name: _mesh(scene, mesh) for mesh in scene.meshes}
        places = [body.position for body in scene.bodies]
        places += [joint.anchor for joint in scene.joints if joint.anchor]
        self.reach = float(max(1.0, np.abs(np.array([(0, 0, 0), *places])).max()))

    def data(self) -> dict[str, Any]:
        scene = self.scene
        rules = scene.collision_filter
        names = joint_names(scene)
        return {
            "settings": scene.settings.model_dump(),
            "description": scene.description,
            "constants": {constant.name: constant.value for constant in scene.constants},
            "materials": {m.name: m.model_dump() for m in scene.materials},
            "material_pairs": [m.model_dump() for m in scene.material_pairs],
            "bodies": {
                self.called.get(body.name, body.name): self.body(body) for body in scene.bodies
            },
            "joints": {
                self.joints_called.get(name, name): self.joint(joint)
                for name, joint in zip(names, scene.joints, strict=True)
            },
            "springs": [self.flat(spring, ("name",)) for spring in scene.springs],
            "loads": [self.flat(load) for load in scene.loads],
            "default": rules is None or rules.default,
            "pairs": [] if rules is None else [self.flat(pair) for pair in rules.pairs],
            "groups": [] if rules is None else [rule.model_dump() for rule in rules.groups],
        }

    def flat(self, element: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
        """The fields of an element, bodies and joints by their names here."""
        values = {k: v for k, v in element.model_dump().items() if k not in without}
        for key in ("body", "body1", "body2", "reaction_body"):
            if key in values:
                values[key] = self.called.get(values[key], values[key])
        if "joint" in values:
            values["joint"] = self.joints_called.get(values["joint"], values["joint"])
        return values

    def body(self, body: Body) -> dict[str, Any]:
        values = self.flat(body, ("name", "geometry", "keyframes"))
        if body.inertia is not None:
            values["inertia"] = (*body.inertia, 0.0, 0.0, 0.0)[:6]
            values["center_of_mass"] = body.center_of_mass or (0.0, 0.0, 0.0)
        if body.keyframes:  # these say where it is
            del values["position"], values["orientation"]
        values["geometry"] = [self.solid(solid) for solid in body.geometry]
        return values

    def solid(self, solid: Geometry) -> dict[str, Any]:
        values = self.flat(solid, ("name",))
        found = [solid.radius, solid.height, solid.major_radius, solid.minor_radius]
        measures = tuple(value or 0.0 for value in found)
        for key in ("radius", "height", "major_radius", "minor_radius"):
            del values[key]
        values["measures"] = measures  # each is as exact as the largest of them
        if solid.mesh is not None:
            values["mesh"] = self.meshes[solid.mesh]
        if solid.shape == "height_field" and solid.size is not None:
            values["size"] = solid.size[:2]  # the heights themselves say how far they extend
        return values

    def joint(self, joint: Joint) -> dict[str, Any]:
        values = self.flat(joint, ("name", "terms"))
        for key in ("axis", "axis2"):
            if values[key] is not None:
                values[key] = tuple(np.array(values[key]) / np.linalg.norm(values[key]))
        if joint.type == "ball" and not joint.limits:
            values |= {"axis": None, "axis2": None}  # which hold nothing
        values["terms"] = [self.flat(term) for term in joint.terms]
        return values


def _mesh(scene: Scene, mesh: Mesh) -> dict[str, Any]:
    if mesh.file is None:
        points = np.array(mesh.vertices) * mesh.scale
        faces = mesh.faces
    else:
        read = read_mesh(resolve_mesh_path(scene, mesh), mesh.scale)
        points = read.vertices
        faces = [
            read.corners[a:b].tolist()
            for a, b in zip(read.offsets[:-1], read.offsets[1:], strict=True)
        ]
    if mesh.mirror != "none":
        points = points * [-1.0 if axis == mesh.mirror else 1.0 for axis in "xyz"]
        faces = [face[::-1] for face in faces]
    used = sorted({corner for face in faces for corner in face})
    number = {corner: i for i, corner in enumerate(used)}
    return {
        "vertices": tuple(points[used].ravel().tolist()),
        "faces": [_turned([number[corner] for corner in face]) for face in faces],
    }


def _turned(face: list[int]) -> str:
    """A face from its smallest corner on."""
    start = face.index(min(face))
    return str(face[start:] + face[:start])


def _compare(a: Any, b: Any, where: str, reach: float) -> Iterator[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            yield f"{where}: {sorted(a.keys() ^ b.keys())}"
        for key in a.keys() & b.keys():
            yield from _compare(a[key], b[key], f"{where}.{key}", reach)
    elif isinstance(a, list) and isinstance(b, list):
        yield from _compare_lists(a, b, where, reach)
    elif _is_numeric(a) and _is_numeric(b):
        if not _close(np.atleast_1d(a), np.atleast_1d(b), where, reach):
            yield f"{where}: {a} and {b}"
    elif a != b:
        yield f"{where}: {a!r} and {b!r}"


def _compare_lists(a: list[Any], b: list[Any], where: str, reach: float) -> Iterator[str]:
    """Each item needs its like; where numbers are listed, their order counts."""
    if len(a) != len(b):
        yield f"{where}: {len(a)} and {len(b)} items"
    elif a and _is_numeric(a[0]):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _compare(x, y, f"{where}[{i}]", reach)
    elif a and isinstance(a[0], str):
        if sorted(a) != sorted(b):
            yield f"{where}: other items"
    else:
        left = list(b)
        for i, item in enumerate(a):
            tried = [list(_compare(item, other, f"{where}[{i}]", reach)) for other in left]
            found = min(range(len(left)), key=lambda k: len(tried[k]))
            yield from tried[found]
            del left[found]


def _is_numeric(value: Any) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(_is_numeric(item) for item in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _close(a: Any, b: Any, where: str, reach: float) -> bool:
    if a.shape != b.shape:
        return False
    if where.endswith("orientation") and a @ b < 0:
        b = -b
    key = where.rpartition(".")[2].partition("[")[0]
    placed = key in ("position", "anchor", "anchor2", "center_of_mass", "point")
    size = max(reach if placed else 0.0, float(np.abs(a).max()))
    return bool(np.abs(a - b).max() <= TOLERANCE * size)
