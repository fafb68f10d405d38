"""STL, text and binary: loose triangles, whose equal vertices become one.

Source: 3D Systems, StereoLithography Interface Specification, 1989.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.files.error import MeshFileError
from impulse_core.geometry.files.text import quoted, split_lines, table
from impulse_core.geometry.mesh import PolygonMesh

__all__ = ["parse_stl"]

_HEADER_BYTES = 84  # 80 of free text, then the number of triangles
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
# First words of the lines of one triangle, and enough of them to tell them apart.
_FACET = ("facet normal", "outer loop", "vertex", "vertex", "vertex", "endloop", "endfacet")
_LETTERS = 6
_BETWEEN = (b"", b"solid", b"solid ", b"solid\t", b"endsol")


def parse_stl(data: bytes) -> PolygonMesh:
    """Mesh from the bytes of an STL file; raises ``MeshFileError``.

    A file is binary if its length is what its triangle count asks for (text files begin with
    "solid", but so do many binary ones).
    """
    from impulse_core.geometry.weld import weld

    count = int.from_bytes(data[80:_HEADER_BYTES], "little")
    expected = _HEADER_BYTES + _RECORD.itemsize * count
    if len(data) >= _HEADER_BYTES and len(data) == expected:
        records = np.frombuffer(data, _RECORD, count, _HEADER_BYTES)
        with np.errstate(invalid="ignore"):  # a damaged file may hold a signalling NaN
            points = records["corners"].astype(np.float64)
    elif data[:5].lower() == b"solid" and b"\0" not in data:
        points = _parse_text(data)
    elif len(data) < _HEADER_BYTES:
        raise MeshFileError(
            f"is neither text STL (that begins with 'solid') nor binary STL (its {len(data)} bytes"
            f" do not hold the header of {_HEADER_BYTES})."
        )
    else:
        raise MeshFileError(
            f"has {len(data)} bytes, but its header announces {count} triangles, which take"
            f" {expected}: it is cut off or damaged."
        )
    vertices, corners = weld(points.reshape(-1, 3))
    return PolygonMesh.from_rows(vertices, corners.reshape(-1, 3))


def _parse_text(data: bytes) -> NDArray[np.float64]:
    lines = split_lines(data)
    words = [line[:_LETTERS].lower() for line in lines]
    last = max(i for i, word in enumerate(words) if word)
    at = [i for i, word in enumerate(words) if word not in _BETWEEN]
    for step, expected in enumerate(_FACET):
        letters = expected[:_LETTERS].encode()
        wrong = [i for i in at[step :: len(_FACET)] if words[i] != letters]
        if wrong:
            raise _order_fault(lines, words, at)
    if len(at) % len(_FACET) or words[last] != b"endsol":
        raise MeshFileError("the file ends in the middle: 'endsolid' is missing.", line=last + 1)
    vertex_at = sorted(at[2 :: len(_FACET)] + at[3 :: len(_FACET)] + at[4 :: len(_FACET)])
    return table(lines, vertex_at, 1, 3)


def _order_fault(lines: list[bytes], words: list[bytes], at: list[int]) -> MeshFileError:
    """Slow second look, for the first line out of order."""
    for step, i in enumerate(at):
        expected = _FACET[step % len(_FACET)]
        if words[i] != expected[:_LETTERS].encode():
            return MeshFileError(
                f"{quoted(lines[i])} stands where '{expected}' belongs.", line=i + 1
            )
    raise AssertionError("all lines are in order")
