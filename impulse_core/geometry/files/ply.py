"""PLY: the header, then vertices and polygons from text or from either binary form.

Source: G. Turk, "The PLY Polygon File Format", Stanford University, 1994.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.files.error import MeshFileError
from impulse_core.geometry.files.ply_lists import read_lists
from impulse_core.geometry.files.text import (
    quoted,
    require_known_vertices,
    split_lines,
    table,
    whole_numbers,
)
from impulse_core.geometry.mesh import PolygonMesh

__all__ = ["parse_ply"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_BYTE_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_LONGEST_HEADER = 1000  # lines


@dataclass(frozen=True)
class _Property:
    name: str
    type: str  # NumPy's name, without byte order
    count_type: str | None = None  # of a list


@dataclass(frozen=True)
class _Element:
    name: str
    count: int
    properties: list[_Property] = field(default_factory=list)

    @property
    def has_lists(self) -> bool:
        return any(entry.count_type for entry in self.properties)


@dataclass(frozen=True)
class _Header:
    byte_order: str
    elements: list[_Element]
    lines: int
    size: int  # [bytes]


def parse_ply(data: bytes) -> PolygonMesh:
    """Mesh from the bytes of a PLY file; raises ``MeshFileError``, with the line in text files."""
    header = _parse_header(data)
    vertex = _require(header, "vertex")
    face = _require(header, "face")
    for axis in "xyz":
        if axis not in [entry.name for entry in vertex.properties]:
            raise MeshFileError(f"the vertices have no property {axis}.")
    if vertex.has_lists:
        raise MeshFileError("the vertices have a list property, which is not supported.")
    indices = _index_property(face)
    if header.byte_order:
        return _parse_binary(data, header, indices)
    return _parse_text(data, header, indices)


# ---------------------------------------------------------------------------------------
# Header
# ---------------------------------------------------------------------------------------


def _parse_header(data: bytes) -> _Header:
    if data[:3] != b"ply" or data[3:4] not in (b"\n", b"\r"):
        raise MeshFileError("does not begin with the line 'ply'.", line=1)
    byte_order: str | None = None
    elements: list[_Element] = []
    position = 0
    for line in range(1, _LONGEST_HEADER + 1):
        end = data.find(b"\n", position)
        if end < 0:
            break
        text = data[position:end]
        position = end + 1
        words = text.decode("ascii", errors="replace").split()
        match words:
            case ["ply"] if line == 1:
                pass
            case [] | ["comment" | "obj_info", *_]:
                pass
            case ["format", form, "1.0"] if form in _BYTE_ORDERS:
                byte_order = _BYTE_ORDERS[form]
            case ["element", name, count] if count.isdecimal() and len(count) < 16:
                elements.append(_Element(name, int(count)))
            case ["property", *_] if elements and (entry := _property(words)):
                if entry.name in [other.name for other in elements[-1].properties]:
                    raise MeshFileError(f"property {entry.name} is there twice.", line=line)
                elements[-1].properties.append(entry)
            case ["end_header"]:
                if byte_order is None:
                    raise MeshFileError("the header has no line 'format'.", line=line)
                return _Header(byte_order, elements, line, position)
            case _:
                raise MeshFileError(f"{quoted(text)} is not a PLY header line.", line=line)
    raise MeshFileError("the header has no end: 'end_header' is missing.")


def _property(words: list[str]) -> _Property | None:
    match words[1:]:
        case ["list", count_type, item_type, name] if (
            _TYPES.get(count_type, "f")[0] in "iu" and item_type in _TYPES
        ):
            return _Property(name, _TYPES[item_type], _TYPES[count_type])
        case [type_, name] if type_ in _TYPES:
            return _Property(name, _TYPES[type_])
    return None


def _require(header: _Header, name: str) -> _Element:
    found = [element for element in header.elements if element.name == name]
    if len(found) != 1:
        raise MeshFileError(f"the header has {len(found)} elements '{name}'; one is needed.")
    return found[0]


def _index_property(face: _Element) -> int:
    """Which property of the faces lists their vertex numbers."""
    for number, entry in enumerate(face.properties):
        if entry.name in ("vertex_indices", "vertex_index") and entry.count_type:
            if entry.type.startswith("f"):
                raise MeshFileError("the vertex numbers of the faces are not integers.")
            return number
    raise MeshFileError("the faces have no list property vertex_indices.")


# ---------------------------------------------------------------------------------------
# Binary
# ---------------------------------------------------------------------------------------


def _parse_binary(data: bytes, header: _Header, indices: int) -> PolygonMesh:
    order = header.byte_order
    position = header.size
    vertices = np.zeros((0, 3))
    corners = np.zeros(0, dtype=np.int64)
    counts = np.zeros(0, dtype=np.int64)
    for element in header.elements:
        if element.has_lists:
            layout = [
                (order + entry.type, order + entry.count_type if entry.count_type else "")
                for entry in element.properties
            ]
            wanted = indices if element.name == "face" else None
            lists = read_lists(data, position, element.count, layout, wanted)
            if lists is None:
                _cut_off(element)
            position = lists.end
            if element.name == "face":
                corners, counts = lists.items, lists.counts
            continue
        record = np.dtype([(entry.name, order + entry.type) for entry in element.properties])
        end = position + element.count * record.itemsize
        if end > len(data):
            _cut_off(element)
        if element.name == "vertex":
            rows = np.frombuffer(data, record, element.count, position)
            with np.errstate(invalid="ignore"):  # a damaged file may hold a signalling NaN
                vertices = np.stack([rows[axis].astype(np.float64) for axis in "xyz"], axis=1)
        position = end
    if position != len(data):
        raise MeshFileError(
            f"{len(data) - position} bytes are left over after the last element: the counts in the"
            " header are wrong."
        )
    offsets = np.concatenate([[0], np.cumsum(counts)])
    require_known_vertices(corners, offsets, len(vertices))
    return PolygonMesh(vertices, corners, offsets)


def _cut_off(element: _Element) -> NoReturn:
    raise MeshFileError(
        f"the file ends before all of the {element.count} '{element.name}' elements its header"
        " announces, or their list lengths are damaged."
    )


# ---------------------------------------------------------------------------------------
# Text
# ---------------------------------------------------------------------------------------


def _parse_text(data: bytes, header: _Header, indices: int) -> PolygonMesh:
    lines = split_lines(data[header.size :])
    filled = [i for i, line in enumerate(lines) if line]
    first_line = header.lines + 1
    expected = sum(element.count for element in header.elements if element.properties)
    if len(filled) != expected:
        raise MeshFileError(
            f"the header announces {expected} lines of data, but there are {len(filled)}.",
            line=first_line + (filled[-1] if filled else 0),
        )
    vertices = np.zeros((0, 3))
    offsets = np.zeros(1, dtype=np.int64)
    corners = np.zeros(0, dtype=np.int64)
    face_at: list[int] = []
    for element in header.elements:
        if not element.properties:
            continue
        at, filled = filled[: element.count], filled[element.count :]
        if element.name == "vertex":
            names = [entry.name for entry in element.properties]
            columns = [names.index(axis) for axis in "xyz"]
            vertices = table(lines, at, 0, len(names), first_line)[:, columns]
        elif element.name == "face":
            face_at = at
            corners, offsets = _text_faces(lines, at, element, indices, first_line)
    require_known_vertices(corners, offsets, len(vertices), lambda i: face_at[i] + first_line)
    return PolygonMesh(vertices, corners, offsets)


def _text_faces(
    lines: list[bytes], at: list[int], face: _Element, indices: int, first_line: int
) -> tuple[Ints, Ints]:
    offsets = np.zeros(len(at) + 1, dtype=np.int64)
    words: list[bytes] = []
    for number, i in enumerate(at):
        corners = _text_list(lines[i].split(), face, indices)
        if corners is None:
            raise MeshFileError(
                f"{quoted(lines[i])} is not a face: the number of corners, then as many vertices.",
                line=first_line + i,
            )
        words += corners
        offsets[number + 1] = len(words)
    numbers = whole_numbers(words, len(words))
    if numbers is None:
        for i in at:
            corners = _text_list(lines[i].split(), face, indices) or []
            if whole_numbers(corners, len(corners)) is None:
                raise MeshFileError(
                    f"{quoted(lines[i])} has a corner that is not a vertex number.",
                    line=first_line + i,
                )
        raise AssertionError("no face line is at fault")
    return numbers, offsets


def _text_list(words: list[bytes], face: _Element, indices: int) -> list[bytes] | None:
    """The words of one list property of a line, or None if the line is too short for it."""
    position = 0
    for number, entry in enumerate(face.properties):
        if entry.count_type is None:
            position += 1
            continue
        if position >= len(words) or not words[position].isdigit() or len(words[position]) > 9:
            return None
        count = int(words[position])
        items = words[position + 1 : position + 1 + count]
        if len(items) < count:
            return None
        if number == indices:
            return items
        position += 1 + count
    return None
