"""Mesh files: solids and scraps as OBJ, STL and PLY, right and damaged."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tests.fuzz import odd
from tests.fuzz.damage import damaged

Point = tuple[float, float, float]


class Faces(NamedTuple):
    """A surface as it is to be written."""

    vertices: list[Point]
    faces: list[list[int]]


_CUBE = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
_TETRA = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]


def mesh_file(rng: Random) -> tuple[str, bytes]:
    """Suffix and content of a file; every fourth one is as it should be."""
    surface = _surface(rng)
    chance = rng.random()
    if 0.25 < chance < 0.7:
        surface = _spoiled(rng, surface)
    suffix, write = rng.choice(_WRITERS)
    data = write(rng, surface)
    if chance > 0.55:
        data = damaged(rng, data)
    if rng.random() < 0.03:
        suffix = rng.choice((".obj", ".stl", ".ply"))
    return suffix, data


def plain_files() -> dict[str, bytes]:
    """Files that scenes refer to: two solids, a surface that is open, and one without a place."""
    tetra = Faces([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], _TETRA)
    cube = Faces(_corners(1.0, 1.0, 1.0), _CUBE)
    rng = Random(0)
    return {
        "tetra.obj": _obj(rng, tetra),
        "cube.stl": _stl_binary(rng, cube),
        "open.ply": _ply_text(rng, Faces(tetra.vertices, _TETRA[:3])),
        "nan.obj": b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    }


# --------------------------------------------------------------------------------------
# Surfaces
# --------------------------------------------------------------------------------------


def _surface(rng: Random) -> Faces:
    size = rng.choice((1.0, 1.0, 1.0, 1e-3, 1e3, abs(odd.number(rng)) or 1.0))
    kind = rng.choice(("cube", "cube", "tetra", "sphere", "prism", "hollow", "two", "cloud"))
    if kind == "cube":
        thin = rng.choice((1.0, 1.0, 1e-3, 1e-9, 0.0))
        return Faces(_corners(size, size, size * thin), _CUBE)
    if kind == "tetra":
        points = [(0.0, 0.0, 0.0), (size, 0.0, 0.0), (0.0, size, 0.0), (0.0, 0.0, size)]
        return Faces(points, _TETRA)
    if kind == "sphere":
        return _ring_solid(size, rng.randint(3, 8), rng.randint(2, 5))
    if kind == "prism":
        return _ring_solid(size, rng.choice((3, 5, 30)), 2)
    if kind == "cloud":
        points = [tuple(rng.gauss(0, size) for _ in range(3)) for _ in range(rng.randint(3, 30))]
        count = rng.randint(1, 40)
        faces = [
            [rng.randrange(len(points)) for _ in range(rng.choice((3, 3, 4)))] for _ in range(count)
        ]
        return Faces(points, faces)  # type: ignore[arg-type]  # of three each
    outer, inner = _corners(size, size, size), _corners(size / 2, size / 2, size / 2)
    turned = [face[::-1] for face in _CUBE] if kind == "hollow" else _CUBE
    shift = 0.0 if kind == "hollow" else rng.choice((0.25, 0.75, 1.0, 3.0)) * size
    inner = [(x + shift, y, z) for x, y, z in inner]
    return Faces(outer + inner, _CUBE + [[i + 8 for i in face] for face in turned])


def _corners(x: float, y: float, z: float) -> list[Point]:
    return [(i * x / 2, j * y / 2, k * z / 2) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]


def _ring_solid(size: float, around: int, rings: int) -> Faces:
    """Rings of points one above the other, with a polygon at either end."""
    points = []
    for ring in range(rings):
        height = (ring + 0.5) / rings * math.pi
        for k in range(around):
            turn = 2 * math.pi * k / around
            radius = size * math.sin(height)
            points.append(
                (radius * math.cos(turn), radius * math.sin(turn), -size * math.cos(height))
            )
    faces = [list(range(around))[::-1], [(rings - 1) * around + k for k in range(around)]]
    for ring in range(rings - 1):
        for k in range(around):
            a, b = ring * around + k, ring * around + (k + 1) % around
            faces.append([a, b, b + around, a + around])
    return Faces(points, faces)


def _spoiled(rng: Random, surface: Faces) -> Faces:
    """The surface with something wrong in its numbers."""
    vertices, faces = list(surface.vertices), [list(face) for face in surface.faces]
    for _ in range(rng.choice((1, 1, 2, 5))):
        face = rng.choice(faces)
        change = rng.randrange(9)
        if change == 0:
            face[rng.randrange(len(face))] = rng.choice((-1, len(vertices), 10**9, 2**31, 2**63))
        elif change == 1:
            face.append(rng.choice(face))
        elif change == 2:
            face.reverse()
        elif change == 3 and len(faces) > 1:
            faces.remove(face)
        elif change == 4:
            faces.append(list(face))
        elif change == 5:
            del face[rng.randrange(len(face)) :]
            face.extend([rng.randrange(len(vertices))] * rng.choice((0, 1, 2, 3)))
            if not face:
                face.append(0)
        elif change == 6:
            point = list(vertices[rng.randrange(len(vertices))])
            point[rng.randrange(3)] = odd.number(rng)
            vertices[rng.randrange(len(vertices))] = tuple(point)  # type: ignore[assignment]
        elif change == 7:
            vertices[rng.randrange(len(vertices))] = rng.choice(vertices)
        else:
            bad = rng.choice((math.nan, math.inf, -math.inf))
            vertices[rng.randrange(len(vertices))] = (bad, 0.0, 0.0)
    return Faces(vertices, faces)


# --------------------------------------------------------------------------------------
# Formats
# --------------------------------------------------------------------------------------


def _obj(rng: Random, surface: Faces) -> bytes:
    corner = rng.choice(("{0}", "{0}", "{0}/{0}", "{0}//{0}", "{0}/1/{0}", "-{0}"))
    lines = ["v " + " ".join(_real(x) for x in point) for point in surface.vertices]
    lines += ["f " + " ".join(corner.format(i + 1) for i in face) for face in surface.faces]
    if rng.random() < 0.2:
        more = ("vn 0 0 1", "vt 0 0", "o é", "g a b", "usemtl x", "s off", "l 1 2", "# é", "\\", "")
        lines.insert(rng.randint(0, len(lines)), rng.choice(more))
    return (rng.choice(("\n", "\n", "\r\n", " \n")).join(lines) + "\n").encode()


def _real(x: float) -> str:
    return repr(float(x))


def _triangles(surface: Faces) -> list[list[Point]]:
    """Fans; of vertices there are."""
    points, last = surface.vertices, len(surface.vertices) - 1
    fans = [[f[0], f[k], f[k + 1]] for f in surface.faces for k in range(1, len(f) - 1)]
    return [[points[min(max(i, 0), last)] for i in fan] for fan in fans]


def _stl_text(rng: Random, surface: Faces) -> bytes:
    lines = [f"solid {odd.text(rng)}" if rng.random() < 0.1 else "solid a"]
    for triangle in _triangles(surface):
        lines += ["facet normal 0 0 1", " outer loop"]
        lines += ["  vertex " + " ".join(_real(x) for x in point) for point in triangle]
        lines += [" endloop", "endfacet"]
    return "\n".join([*lines, "endsolid a", ""]).encode("utf-8", "surrogatepass")


def _stl_binary(rng: Random, surface: Faces) -> bytes:
    triangles = _triangles(surface)
    count = len(triangles)
    if rng.random() < 0.1:
        count = rng.choice((0, 1, count + 1, 2**31, 2**32 - 1))
    header = rng.choice((b"", b"binary", b"solid a")).ljust(80, rng.choice((b"\0", b" ")))
    records = [
        struct.pack("<12f", 0, 0, 1, *(_single(x) for point in triangle for x in point))
        + struct.pack("<H", rng.choice((0, 0, 65535)))
        for triangle in triangles
    ]
    return header + struct.pack("<I", count) + b"".join(records)


def _single(x: float) -> float:
    """What fits into 32 bits."""
    return math.copysign(math.inf, x) if abs(x) > 3.4e38 else x


_INTEGERS = {
    "char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "int32": "i"
}  # fmt: skip


def _ply_header(rng: Random, surface: Faces, form: str, real: str, count: str, index: str) -> bytes:
    vertices, faces = len(surface.vertices), len(surface.faces)
    if rng.random() < 0.1:
        vertices = rng.choice((0, 1, vertices + 1, vertices - 1, 10**6, 10**9, 10**15))
    if rng.random() < 0.1:
        faces = rng.choice((0, 1, faces + 1, faces - 1, 10**6, 10**9, 10**15))
    lines = ["ply", f"format {form} 1.0", f"element vertex {vertices}"]
    lines += [f"property {real} {axis}" for axis in "xyz"]
    lines += [f"element face {faces}", f"property list {count} {index} vertex_indices"]
    if rng.random() < 0.1:
        more = (
            "comment é",
            "obj_info a",
            "property uchar red",
            "element edge 5",
            "element a 10",
            "",
        )
        lines.insert(rng.randint(0, len(lines)), rng.choice(more))
    if rng.random() < 0.05:
        lines.insert(rng.randint(0, len(lines)), rng.choice(lines))
    return ("\n".join([*lines, "end_header"]) + "\n").encode()


def _ply_text(rng: Random, surface: Faces) -> bytes:
    header = _ply_header(rng, surface, "ascii", "double", "uchar", "int")
    lines = [" ".join(_real(x) for x in point) for point in surface.vertices]
    lines += [" ".join(str(i) for i in [len(face), *face]) for face in surface.faces]
    return header + ("\n".join(lines) + "\n").encode()


def _ply_binary(rng: Random, surface: Faces) -> bytes:
    form, order = rng.choice((("binary_little_endian", "<"), ("binary_big_endian", ">")))
    real, code = rng.choice((("double", "d"), ("float", "f")))
    count, index = (
        rng.choice(("uchar", "uchar", "char", "int", "uint")),
        rng.choice(list(_INTEGERS)),
    )
    body = bytearray()
    for point in surface.vertices:
        body += struct.pack(order + 3 * code, *((_single(x) if code == "f" else x) for x in point))
    for face in surface.faces:
        body += _integers(order, count, [len(face)]) + _integers(order, index, face)
    return _ply_header(rng, surface, form, real, count, index) + bytes(body)


def _integers(order: str, kind: str, values: list[int]) -> bytes:
    """Whole numbers, of which the lowest bits are kept."""
    code = _INTEGERS[kind]
    size = struct.calcsize(order + code)
    little = order == "<"
    mask = (1 << 8 * size) - 1
    return b"".join((v & mask).to_bytes(size, "little" if little else "big") for v in values)


_WRITERS: tuple[tuple[str, Callable[[Random, Faces], bytes]], ...] = (
    (".obj", _obj),
    (".obj", _obj),
    (".stl", _stl_text),
    (".stl", _stl_binary),
    (".ply", _ply_text),
    (".ply", _ply_binary),
    (".ply", _ply_binary),
)
