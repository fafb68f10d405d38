"""Wavefront OBJ: the ``v`` and ``f`` lines; everything else is ignored.

Source: Wavefront Technologies, Advanced Visualizer manual, appendix B1 "Object files".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.files.error import MeshFileError
from impulse_core.geometry.files.text import (
    quoted,
    require_known_vertices,
    split_lines,
    table,
    whole_numbers,
)
from impulse_core.geometry.mesh import PolygonMesh

__all__ = ["parse_obj"]

_CONTINUED = re.compile(rb"(?:[^\n]*\\\r?\n)+[^\n]*")


def parse_obj(data: bytes) -> PolygonMesh:
    """Mesh from the bytes of an OBJ file; raises ``MeshFileError`` with the line at fault.

    A corner is ``v``, ``v/vt``, ``v//vn`` or ``v/vt/vn``; numbers count from 1, negative ones
    backwards from the last vertex above the line.
    """
    lines = split_lines(_without_comments(data))
    vertex_at = [i for i, line in enumerate(lines) if line[:2] in (b"v ", b"v\t")]
    face_at = [i for i, line in enumerate(lines) if line[:2] in (b"f ", b"f\t") or line == b"f"]
    vertices = table(lines, vertex_at, 1, 3)
    offsets = np.zeros(len(face_at) + 1, dtype=np.int64)
    np.cumsum([len(lines[i].split()) - 1 for i in face_at], out=offsets[1:])
    numbers = whole_numbers(_corner_words(lines, face_at), int(offsets[-1]))
    if numbers is None or not numbers.all():
        raise _corner_fault(lines, face_at)
    seen = np.repeat(np.searchsorted(vertex_at, face_at), np.diff(offsets))
    corners = np.where(numbers > 0, numbers - 1, seen + numbers)
    require_known_vertices(corners, offsets, len(vertices), lambda face: face_at[face] + 1)
    return PolygonMesh(vertices, corners, offsets)


def _without_comments(data: bytes) -> bytes:
    """Comments removed, and lines joined that a backslash continues; line numbers stay."""
    if b"#" in data:
        data = re.sub(rb"#[^\r\n]*", b"", data)
    if b"\\" in data:
        data = _CONTINUED.sub(_joined, data)
    return data


def _joined(match: re.Match[bytes]) -> bytes:
    parts = re.split(rb"\\\r?\n", match[0])
    return b" ".join(parts) + b"\n" * (len(parts) - 1)


def _corner_words(lines: Sequence[bytes], face_at: Sequence[int]) -> Iterator[bytes]:
    words = chain.from_iterable(lines[i].split()[1:] for i in face_at)
    return (word.partition(b"/")[0] for word in words)


def _corner_fault(lines: Sequence[bytes], face_at: Sequence[int]) -> MeshFileError:
    """Slow second look, for the first face line that is at fault."""
    for i in face_at:
        for word in lines[i].split()[1:]:
            number: NDArray[np.int64] | None = whole_numbers([word.partition(b"/")[0]], 1)
            if number is None or number[0] == 0:
                return MeshFileError(
                    f"{quoted(word)} in {quoted(lines[i])} is not a vertex number (1, 2, … or -1,"
                    " -2, …).",
                    line=i + 1,
                )
    raise AssertionError("no face line is at fault")
