"""``PolygonMesh``: vertices and polygons of any number of corners, as three flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impulse_core.geometry.products import product

__all__ = ["PolygonMesh"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PolygonMesh:
    """A surface of polygons, counter-clockwise seen from outside.

    Attributes:
        vertices: corner points [m], shape (V, 3), mesh frame.
        corners: vertex numbers (from 0) of all polygons one after the other, shape (K,).
        offsets: polygon i has the corners ``corners[offsets[i]:offsets[i + 1]]``; shape (F + 1,).

    The arrays are read-only. The constructor raises ``ValueError`` where they do not fit
    together; whether the numbers make a solid is what ``check_mesh`` says.
    """

    vertices: Floats
    corners: Ints
    offsets: Ints

    def __post_init__(self) -> None:
        vertices = _read_only(self.vertices, np.float64)
        corners = _read_only(self.corners, np.int64)
        offsets = _read_only(self.offsets, np.int64)
        if vertices.ndim != 2 or vertices.shape[1] != 3:
            raise ValueError(f"vertices must have the shape (V, 3), not {vertices.shape}.")
        if corners.ndim != 1 or offsets.ndim != 1:
            raise ValueError("corners and offsets must be one-dimensional arrays.")
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(corners):
            raise ValueError("offsets must begin with 0 and end with the number of corners.")
        if (offsets[1:] < offsets[:-1]).any():
            raise ValueError("offsets must not descend.")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "corners", corners)
        object.__setattr__(self, "offsets", offsets)

    @classmethod
    def from_faces(cls, vertices: ArrayLike, faces: Iterable[Sequence[int]]) -> PolygonMesh:
        """Mesh from vertices, shape (V, 3), and one list of vertex numbers per polygon."""
        faces = list(faces)
        offsets = np.zeros(len(faces) + 1, dtype=np.int64)
        np.cumsum([len(face) for face in faces], out=offsets[1:])
        corners = np.array([corner for face in faces for corner in face], dtype=np.int64)
        return cls(np.asarray(vertices, dtype=np.float64).reshape(-1, 3), corners, offsets)

    @classmethod
    def from_rows(cls, vertices: ArrayLike, rows: ArrayLike) -> PolygonMesh:
        """Mesh whose polygons all have n corners: ``rows`` has the shape (F, n)."""
        rows = np.asarray(rows, dtype=np.int64)
        face_count, corner_count = rows.shape
        offsets = np.arange(face_count + 1, dtype=np.int64) * corner_count
        return cls(np.asarray(vertices, dtype=np.float64), rows.reshape(-1), offsets)

    def mirrored(self, axis: int) -> PolygonMesh:
        """The mirror image across the plane through the origin at right angles to an axis, 0 to 2.

        Each polygon begins with the vertex that it began with and goes round the other way, so that
        one that is not flat is divided into the images of its triangles.
        """
        vertices = self.vertices.copy()
        vertices[:, axis] = 0.0 - vertices[:, axis]
        first = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        count = np.repeat(np.diff(self.offsets), np.diff(self.offsets))
        back = first + (first - np.arange(len(self.corners))) % np.maximum(count, 1)
        return PolygonMesh(vertices, self.corners[back], self.offsets)

    @property
    def face_count(self) -> int:
        """Number of polygons F."""
        return len(self.offsets) - 1

    def face(self, number: int) -> Ints:
        """Vertex numbers of one polygon."""
        return self.corners[self.offsets[number] : self.offsets[number + 1]]

    def faces(self) -> list[list[int]]:
        """All polygons as lists of vertex numbers."""
        return (
            [part.tolist() for part in np.split(self.corners, self.offsets[1:-1])]
            if (self.face_count)
            else []
        )

    def flipped(self) -> PolygonMesh:
        """The same surface with every polygon turned around: inside becomes outside."""
        counts = np.diff(self.offsets)
        first_plus_last = np.repeat(self.offsets[:-1] + self.offsets[1:] - 1, counts)
        mirrored = first_plus_last - np.arange(len(self.corners))
        return PolygonMesh(self.vertices, self.corners[mirrored], self.offsets)

    def transformed(self, matrix: ArrayLike, translation: ArrayLike = (0, 0, 0)) -> PolygonMesh:
        """The mesh with vertices ``matrix @ v + translation``.

        A matrix (3, 3) that mirrors (negative determinant) also turns the polygons around, so
        that outside stays outside.
        """
        matrix = np.asarray(matrix, dtype=np.float64)
        vertices = product(self.vertices, matrix.T) + np.asarray(translation, dtype=np.float64)
        moved = PolygonMesh(vertices, self.corners, self.offsets)
        return moved.flipped() if np.linalg.det(matrix) < 0.0 else moved


def _read_only(values: ArrayLike, dtype: type) -> NDArray[Any]:
    array: NDArray[Any] = np.ascontiguousarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array
