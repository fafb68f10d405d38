"""Mesh files: OBJ, STL (text and binary) and PLY (text and binary), polygons kept as they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import numpy as np

from impulse_core.geometry.files.error import MeshFileError
from impulse_core.geometry.files.obj import parse_obj
from impulse_core.geometry.files.ply import parse_ply
from impulse_core.geometry.files.stl import parse_stl
from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.recording import read_regular_file

__all__ = ["LARGEST_FILE", "MeshFileError", "read_mesh"]

LARGEST_FILE = 2**31  # [bytes]; a million triangles take 10 to 270 MB, depending on the format

_PARSERS: dict[str, Callable[[bytes], PolygonMesh]] = {
    ".obj": parse_obj,
    ".stl": parse_stl,
    ".ply": parse_ply,
}


def read_mesh(path: str | PathLike[str], scale: float = 1.0) -> PolygonMesh:
    """Read a polygon mesh; the suffix .obj, .stl or .ply says what is in the file.

    Normals, texture coordinates, colours, groups and materials are ignored. STL has no shared
    vertices: those at exactly the same place become one.

    Args:
        path: the file, at most 2 GiB.
        scale: factor from the file's unit of length to metres, positive.

    Raises:
        MeshFileError: the file cannot be read, is of another kind, too large, cut off, or does
            not say what its format asks for; with file, line (text formats) and what is wrong.
        ValueError: a scale that is not a positive number.
    """
    if not (0.0 < scale < math.inf):
        raise ValueError(f"scale is {scale:g}; it must be a positive number.")
    path = Path(path)
    try:
        parse = _PARSERS.get(path.suffix.lower())
        if parse is None:
            raise MeshFileError(
                f"is of an unknown kind ({path.suffix or 'no suffix'}); write .obj, .stl or .ply."
            )
        mesh = parse(_read_bytes(path))
        if mesh.face_count == 0:
            raise MeshFileError("has no faces.")
    except MeshFileError as error:
        raise MeshFileError(error.reason, line=error.line, path=path) from None
    # check_mesh names vertices that are infinite, or no numbers: a signalling NaN is invalid here
    with np.errstate(over="ignore", invalid="ignore"):
        return PolygonMesh(mesh.vertices * scale, mesh.corners, mesh.offsets)


def _read_bytes(path: Path) -> bytes:
    try:
        data = read_regular_file(path, LARGEST_FILE)
    except OSError as error:
        raise MeshFileError(f"cannot be read: {(error.strerror or str(error)).lower()}.") from None
    if not data.strip():
        raise MeshFileError("is empty.")
    return data
