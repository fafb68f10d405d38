# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons of an object as Blender shows it: modifiers applied, n-gons kept where they are flat."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..convert import SINGLE_NOISE, Floats

# A corner farther from its polygon's plane than this, relative to the polygon's size, bends it;
# what single precision does to the coordinates does not.
PLANARITY_TOLERANCE = 1e-6
# Corners of faces that are kept in memory between two exports, with what was found of them.
MOST_CORNERS = 10_000_000


@dataclass(frozen=True)
class Polygons:
    """A polygon mesh: face f has corners[offsets[f]:offsets[f + 1]], counter-clockwise outside."""

    vertices: Floats  # (V, 3)
    corners: NDArray[np.int64]  # (K,) vertex numbers
    offsets: NDArray[np.int64]  # (F + 1,)

    @cached_property
    def skin(self) -> Skin:
        """What its edges and its volume say about it; the same in every placement."""
        return _skin_of(self)

    @cached_property
    def digest(self) -> bytes:
        """Equal for equal meshes, counted in single precision."""
        parts = (self.vertices.astype(np.float32), self.corners, self.offsets)
        return hashlib.sha256(b"|".join(part.tobytes() for part in parts)).digest()

    @property
    def face_count(self) -> int:
        return len(self.offsets) - 1

    def faces(self) -> list[list[int]]:
        corners = self.corners.tolist()
        bounds = self.offsets.tolist()
        return [corners[a:b] for a, b in pairwise(bounds)]

    def transformed(self, linear: Floats) -> Polygons:
        """Vertices through a 3x3 matrix; faces turned over where the matrix is a reflection."""
        if np.array_equal(linear, np.eye(3)):
            return self
        corners = self.corners
        if np.linalg.det(linear) < 0:
            starts, ends = self.offsets[:-1], self.offsets[1:]
            # Corner k of the face from a to b becomes corner a + b - 1 - k.
            sums = np.repeat(starts + ends - 1, ends - starts)
            corners = corners[sums - np.arange(len(sums))]
        result = Polygons(self.vertices @ linear.T, corners, self.offsets)
        result.__dict__["skin"] = self.skin
        return result


@dataclass(frozen=True)
class Skin:
    """How many edges of a mesh have no second face, at how many faces point opposite ways, and how
    many of these have more than two; ``inside_out`` is of closed meshes only.
    """

    open_edges: int = 0
    odd_edges: int = 0
    crowded_edges: int = 0
    inside_out: bool = False


def _skin_of(polygons: Polygons) -> Skin:
    tails, heads = polygons.corners, polygons.corners[following_corners(polygons)]
    count = len(polygons.vertices)
    forward, backward = np.sort(tails * count + heads), np.sort(heads * count + tails)
    if np.array_equal(forward, backward) and bool(np.all(forward[1:] != forward[:-1])):
        return Skin(inside_out=signed_volume(polygons) < 0)
    directed, times = np.unique(forward, return_counts=True)
    either = np.minimum(tails, heads) * count + np.maximum(tails, heads)
    return Skin(
        open_edges=int((~np.isin(directed, backward)).sum()),
        odd_edges=int((times > 1).sum()),
        crowded_edges=int((np.unique(either, return_counts=True)[1] > 2).sum()),
    )


class Kept:
    """Meshes as they were read last, by what Blender said of them, so that they are looked at once.

    As soon as they are more than some hundred megabytes, they are forgotten.
    """

    meshes: ClassVar[dict[bytes, Polygons]] = {}
    corners = 0

    @classmethod
    def keep(cls, key: bytes, polygons: Polygons) -> None:
        cls.corners += len(polygons.corners)
        if cls.corners > MOST_CORNERS:
            cls.meshes.clear()
            cls.corners = len(polygons.corners)
        cls.meshes[key] = polygons


class Raw(NamedTuple):
    """A mesh as Blender holds it, in arrays; nothing else of Blender is needed to go on with it."""

    vertices: NDArray[np.float32]  # (V, 3)
    corners: NDArray[np.int32]  # (K,) vertex numbers
    sizes: NDArray[np.int64]  # (F,) corners of each face
    triangles: NDArray[np.int32] | None  # (T, 3) vertex numbers; None where all faces are triangles
    owners: NDArray[np.int32] | None  # (T,) the face of each triangle


def raw_mesh(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Raw | None:
    """Mesh of an object with its modifiers, in its own coordinates; None where it has no faces."""
    evaluated = obj.evaluated_get(depsgraph)
    try:
        mesh = evaluated.to_mesh()
    except RuntimeError:  # an Empty, a camera, a light
        return None
    try:
        return _read(mesh) if len(mesh.polygons) else None
    finally:
        evaluated.to_mesh_clear()


def _read(mesh: bpy.types.Mesh) -> Raw:
    """Through arrays that Blender copies in one go; its faces it would hand out one by one."""
    vertices = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", vertices.ravel())
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
    count = len(mesh.polygons)
    if len(corners) == 3 * count:
        return Raw(vertices, corners, np.full(count, 3), None, None)
    mesh.calc_loop_triangles()
    owners = np.empty(len(mesh.loop_triangles), np.int32)
    mesh.loop_triangle_polygons.foreach_get("value", owners)
    places = np.empty(3 * len(owners), np.int32)
    mesh.loop_triangles.foreach_get("loops", places)
    sizes = np.bincount(owners, minlength=count) + 2  # a face of n corners has n - 2 triangles
    return Raw(vertices, corners, sizes, corners[places].reshape(-1, 3), owners)


def polygons_of(raw: Raw) -> Polygons:
    """The polygons of a mesh that was read.

    Vertices that no face uses are left out. Polygons that are not flat are triangulated as
    Blender draws them.
    """
    parts = (raw.vertices, raw.corners, raw.sizes)
    key = hashlib.sha256(b"|".join(part.tobytes() for part in parts)).digest()
    if key not in Kept.meshes:
        offsets = np.concatenate([[0], np.cumsum(raw.sizes)])
        polygons = Polygons(raw.vertices.astype(float), raw.corners.astype(np.int64), offsets)
        Kept.keep(key, _closed(_without_unused(_flattened(polygons, raw))))
    return Kept.meshes[key]


def _flattened(polygons: Polygons, raw: Raw) -> Polygons:
    """Polygons with the bent ones replaced by Blender's triangles of them."""
    if raw.triangles is None:
        return polygons
    bent = (raw.sizes > 3) & ~is_flat(polygons)
    if not bent.any():
        return polygons
    extra = raw.triangles[bent[raw.owners]].astype(np.int64)
    kept = polygons.corners[np.repeat(~bent, raw.sizes)]
    counts = np.concatenate([raw.sizes[~bent], np.full(len(extra), 3)])
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Polygons(polygons.vertices, np.concatenate([kept, extra.ravel()]), offsets)


def is_flat(polygons: Polygons) -> NDArray[np.bool_]:
    """For each polygon, whether its corners lie in one plane (shape (F,))."""
    starts, ends = polygons.offsets[:-1], polygons.offsets[1:]
    sizes = ends - starts
    points = polygons.vertices[polygons.corners]
    owner = np.repeat(np.arange(len(starts)), sizes)
    centres = np.add.reduceat(points, starts) / sizes[:, None]
    arms = points - centres[owner]
    # Newell's normal: half the sum of the cross products of neighbouring corners.
    normals = np.add.reduceat(np.cross(arms, arms[following_corners(polygons)]), starts)
    lengths = np.linalg.norm(normals, axis=1)
    normals /= np.where(lengths > 0, lengths, 1.0)[:, None]
    heights = np.abs(np.einsum("ki,ki->k", arms, normals[owner]))
    reach = np.maximum.reduceat(np.linalg.norm(arms, axis=1), starts)
    noise = SINGLE_NOISE * float(np.abs(polygons.vertices).max())
    return np.maximum.reduceat(heights, starts) <= PLANARITY_TOLERANCE * reach + noise


def is_flat_sheet(polygons: Polygons) -> bool:
    """Whether all vertices lie in one plane."""
    points = polygons.vertices - polygons.vertices.mean(axis=0)
    spread = np.linalg.svd(points, compute_uv=False)
    return bool(len(spread) < 3 or spread[2] <= PLANARITY_TOLERANCE * spread[0])


def _closed(polygons: Polygons) -> Polygons:
    """A mesh that is open only where corners at the same place are not joined, with these joined;
    others as they are.
    """
    if not polygons.skin.open_edges:
        return polygons
    points = polygons.vertices + 0.0  # of two zeros one
    order = np.lexsort(points.T[::-1])
    first = np.append(True, (np.diff(points[order], axis=0) != 0.0).any(axis=1))
    numbers = np.empty(len(points), np.int64)
    numbers[order] = np.cumsum(first) - 1
    joined = Polygons(points[order[first]], numbers[polygons.corners], polygons.offsets)
    return polygons if joined.skin.open_edges or joined.skin.odd_edges else joined


def _without_unused(polygons: Polygons) -> Polygons:
    used = np.zeros(len(polygons.vertices), bool)
    used[polygons.corners] = True
    if used.all():
        return polygons
    numbers = np.cumsum(used) - 1
    return Polygons(polygons.vertices[used], numbers[polygons.corners], polygons.offsets)


def following_corners(polygons: Polygons) -> NDArray[np.int64]:
    """For each corner, the number of the next one of its face (shape (K,))."""
    following = np.arange(len(polygons.corners)) + 1
    following[polygons.offsets[1:] - 1] = polygons.offsets[:-1]
    return following


def signed_volume(polygons: Polygons) -> float:
    """Volume enclosed by a closed mesh, negative where its faces point inwards."""
    sizes = np.diff(polygons.offsets)
    first = polygons.vertices[np.repeat(polygons.corners[polygons.offsets[:-1]], sizes)]
    here = polygons.vertices[polygons.corners]
    there = here[following_corners(polygons)]
    return float(np.einsum("ki,ki->", first, np.cross(here, there)) / 6.0)


def write_ply(path: Path, polygons: Polygons) -> None:
    """Write a binary PLY file. Raises OSError."""
    sizes = np.diff(polygons.offsets)
    count = np.dtype("u1" if sizes.max() < 256 else "<u4")
    header = (
        "ply\nformat binary_little_endian 1.0\n"
        f"element vertex {len(polygons.vertices)}\n"
        "property float x\nproperty float y\nproperty float z\n"
        f"element face {polygons.face_count}\n"
        f"property list {'uchar' if count.itemsize == 1 else 'uint'} int vertex_indices\n"
        "end_header\n"
    )
    with path.open("wb") as file:
        file.write(header.encode("ascii"))
        file.write(polygons.vertices.astype("<f4").tobytes())
        file.write(_face_bytes(polygons, count))


def _face_bytes(polygons: Polygons, count: np.dtype[Any]) -> bytes:
    """The faces of a PLY file: of each the number of corners, then these."""
    sizes, width = np.diff(polygons.offsets), count.itemsize
    corners = polygons.corners.astype("<i4")
    # Where the numbers of corners and the corners begin [bytes].
    heads = 4 * polygons.offsets[:-1] + width * np.arange(len(sizes))
    places = np.arange(len(corners)) * 4 + width * np.repeat(np.arange(1, len(sizes) + 1), sizes)
    data = np.empty(4 * len(corners) + width * len(sizes), np.uint8)
    data[heads[:, None] + np.arange(width)] = sizes.astype(count)[:, None].view(np.uint8)
    data[places[:, None] + np.arange(4)] = corners[:, None].view(np.uint8)
    return data.tobytes()
