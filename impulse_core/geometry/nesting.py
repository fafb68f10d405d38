"""Which shells a closed surface consists of, and how deep each lies inside others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.geometry.shells import shell_boxes, shells_of_faces, winding_number

__all__ = ["Shells", "find_shells"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# One shell lies in another if this many of its vertices do, spread evenly over it.
_PROBES = 8


@dataclass(frozen=True, eq=False)
class Shells:
    """Connected parts of a closed surface.

    Attributes:
        of_face: shell number of each face, shape (F,); -1 for a face without corners.
        volumes: signed volume of each shell [m^3], negative where it faces inwards, shape (S,).
        depths: number of other shells that hold the shell, shape (S,). A solid has an even
            depth, a cavity an odd one.
    """

    of_face: Ints
    volumes: Floats
    depths: Ints

    def faces_of(self, shell: int) -> Ints:
        """Numbers of the faces of one shell."""
        return np.flatnonzero(self.of_face == shell)


def find_shells(mesh: PolygonMesh, face_volumes: Floats) -> Shells:
    """Shells of a closed surface; ``face_volumes`` as ``polygon_table`` gives them, shape (F,)."""
    of_face, count = shells_of_faces(len(mesh.vertices), mesh.corners, mesh.offsets)
    known = of_face >= 0
    volumes = np.bincount(of_face[known], weights=face_volumes[known], minlength=count)
    shells = Shells(of_face, volumes.astype(np.float64), np.zeros(count, dtype=np.int64))
    if count > 1:
        _measure_depths(mesh, shells)
    return shells


def _measure_depths(mesh: PolygonMesh, shells: Shells) -> None:
    count = len(shells.volumes)
    lower, upper = shell_boxes(mesh.vertices, mesh.corners, mesh.offsets, shells.of_face, count)
    order = np.argsort(shells.of_face, kind="stable")
    bounds = np.searchsorted(shells.of_face[order], np.arange(count + 1))
    for inner in range(count):
        box_holds = np.all((lower <= lower[inner]) & (upper[inner] <= upper), axis=1)
        box_holds[inner] = False
        candidates = np.flatnonzero(box_holds)
        if len(candidates) == 0:
            continue
        probes = _probes(mesh, order[bounds[inner] : bounds[inner + 1]])
        for outer in candidates:
            faces = order[bounds[outer] : bounds[outer + 1]]
            shells.depths[inner] += all(_is_inside(mesh, point, faces) for point in probes)


def _probes(mesh: PolygonMesh, faces: Ints) -> Floats:
    """Some vertices of a shell, spread over its faces."""
    filled = faces[mesh.offsets[faces] < mesh.offsets[faces + 1]]
    chosen = filled[:: max(1, len(filled) // _PROBES)][:_PROBES]
    points: Floats = mesh.vertices[mesh.corners[mesh.offsets[chosen]]]
    return points


def _is_inside(mesh: PolygonMesh, point: Floats, faces: Ints) -> bool:
    from impulse_core.algebra import Vec3

    at = Vec3(*point.tolist())
    winding = winding_number(at, mesh.vertices, mesh.corners, mesh.offsets, faces)
    return bool(abs(round(winding)) == 1)
