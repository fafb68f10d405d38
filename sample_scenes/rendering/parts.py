# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes made of simple shapes: boxes, tubes, lattices, chain links. Lengths in metres."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
import numpy as np

Point = Sequence[float]
Shape = tuple[list[tuple[float, ...]], list[list[int]]]  # vertices, faces

CUBE_FACES = [[0, 1, 3, 2], [2, 3, 7, 6], [6, 7, 5, 4], [4, 5, 1, 0], [2, 6, 4, 0], [7, 3, 1, 5]]


def mesh(name: str, *shapes: Shape) -> bpy.types.Mesh:
    """One mesh out of several closed shapes."""
    vertices: list[tuple[float, ...]] = []
    faces: list[list[int]] = []
    for shape_vertices, shape_faces in shapes:
        first = len(vertices)
        vertices += shape_vertices
        faces += [[first + corner for corner in face] for face in shape_faces]
    data = bpy.data.meshes.new(name)
    data.from_pydata(vertices, [], faces)
    return data


def box(size: Point, centre: Point = (0, 0, 0)) -> Shape:
    """An axis-aligned box."""
    signs = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    vertices = [
        tuple(c + s * length for c, s, length in zip(centre, sign, size, strict=True))
        for sign in signs
    ]
    return vertices, [list(face) for face in CUBE_FACES]


def tube(start: Point, end: Point, radius: float, sides: int = 4) -> Shape:
    """A straight prism from one point to another."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.cross(along, (0, 0, 1) if abs(along[2]) < 0.9 else (1, 0, 0))
    across /= np.linalg.norm(across)
    other = np.cross(along, across)
    angles = 2 * math.pi * (np.arange(sides) + 0.5) / sides
    ring = [radius * (math.cos(a) * across + math.sin(a) * other) for a in angles]
    vertices = [tuple(start + r) for r in ring] + [tuple(end + r) for r in ring]
    walls = [[k, (k + 1) % sides, sides + (k + 1) % sides, sides + k] for k in range(sides)]
    return vertices, [*walls, list(range(sides))[::-1], list(range(sides, 2 * sides))]


def lattice(
    start: Point,
    end: Point,
    width: tuple[float, float],
    bays: int,
    across: tuple[Point, Point],
    bar: float,
) -> list[Shape]:
    """A square truss from ``start`` to ``end``: four chords, frames and diagonals.

    ``width`` is its side at both ends, ``across`` are its two unit cross directions, ``bar`` the
    radius of the chords.
    """
    start, end = np.asarray(start, float), np.asarray(end, float)
    u, v = (np.asarray(direction, float) for direction in across)
    rings = []
    for k in range(bays + 1):
        share = k / bays
        half = (width[0] * (1 - share) + width[1] * share) / 2
        centre = start * (1 - share) + end * share
        rings.append(
            [centre + half * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        )
    bars = [tube(rings[0][c], rings[-1][c], bar) for c in range(4)]
    for k, ring in enumerate(rings):
        bars += [tube(ring[c], ring[(c + 1) % 4], bar * 0.6) for c in range(4)]
        if k < bays:
            after = rings[k + 1]
            bars += [
                tube(ring[(c + k) % 4], after[(c + k + 1) % 4], bar * 0.5) for c in range(0, 4, 2)
            ]
            bars += [
                tube(ring[(c + 1 + k) % 4], after[(c + k) % 4], bar * 0.5) for c in range(1, 4, 2)
            ]
    return bars


def ring(path: np.ndarray, radius: float, sides: int = 6) -> Shape:
    """A closed tube along a closed plane path (N, 3) in the x-z plane."""
    count = len(path)
    tangents = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    side = np.array([0.0, 1.0, 0.0])
    vertices = []
    for point, tangent in zip(path, tangents, strict=True):
        outward = np.cross(tangent, side)
        for k in range(sides):
            angle = 2 * math.pi * k / sides
            vertices.append(
                tuple(point + radius * (math.cos(angle) * outward + math.sin(angle) * side))
            )
    faces = []
    for i in range(count):
        for k in range(sides):
            here, there = i * sides, (i + 1) % count * sides
            faces.append([here + k, there + k, there + (k + 1) % sides, here + (k + 1) % sides])
    return vertices, faces


def chain_link(pitch: float, width: float, radius: float) -> Shape:
    """A chain link in the x-z plane, centred; neighbours hang ``pitch`` apart."""
    bend = width / 2 - radius
    straight = (pitch + 2 * radius) / 2 - bend - radius + radius
    angles = np.linspace(0, math.pi, 6)
    top = [(bend * math.cos(a), 0.0, straight + bend * math.sin(a)) for a in angles]
    bottom = [(-x, 0.0, -z) for x, _, z in top]
    return ring(np.array(top + bottom), radius)


def hook(radius: float, thickness: float) -> Shape:
    """An open hook below the origin, as a bent tube with flat ends."""
    angles = np.linspace(0.5 * math.pi, 2.0 * math.pi + 0.35, 12)
    path = [(0.0, 0.0, 0.0)]
    path += [(radius * math.cos(a), 0.0, radius * (math.sin(a) - 1.6)) for a in angles]
    vertices, sides = [], 6
    for i, point in enumerate(path):
        before, after = np.array(path[max(i - 1, 0)]), np.array(path[min(i + 1, len(path) - 1)])
        tangent = (after - before) / np.linalg.norm(after - before)
        outward = np.cross((0.0, 1.0, 0.0), tangent)
        size = thickness * (1.0 if i < len(path) - 3 else 0.6)
        for k in range(sides):
            angle = 2 * math.pi * k / sides
            offset = size * (
                math.cos(angle) * outward + math.sin(angle) * np.array((0.0, 1.0, 0.0))
            )
            vertices.append(tuple(np.array(point) + offset))
    faces = [
        [
            i * sides + k,
            i * sides + (k + 1) % sides,
            (i + 1) * sides + (k + 1) % sides,
            (i + 1) * sides + k,
        ]
        for i in range(len(path) - 1)
        for k in range(sides)
    ]
    last = (len(path) - 1) * sides
    return vertices, [*faces, list(range(sides))[::-1], list(range(last, last + sides))]


def wheel(radius: float, width: float, spokes: int) -> list[Shape]:
    """A spoked wheel about the z axis."""
    angles = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    rim = np.array([(radius * math.cos(a), 0.0, radius * math.sin(a)) for a in angles])
    vertices, faces = ring(rim, width / 2)
    upright = [(x, -z, y) for x, y, z in vertices]
    bars = []
    for k in range(spokes):
        angle = math.pi * k / spokes
        tip = radius * np.array((math.cos(angle), math.sin(angle), 0.0))
        bars.append(tube(-tip, tip, width / 4, 6))
    return [(upright, faces), *bars]


def ball(radius: float, sides: int, centre: Point = (0, 0, 0)) -> Shape:
    """A sphere of quadrilaterals, with triangles about its poles on the z axis."""
    rings = sides // 2
    vertices = [(0.0, 0.0, radius), (0.0, 0.0, -radius)]
    for i in range(1, rings):
        across, height = radius * math.sin(math.pi * i / rings), math.cos(math.pi * i / rings)
        for k in range(sides):
            turn = 2 * math.pi * k / sides
            vertices.append((across * math.cos(turn), across * math.sin(turn), radius * height))
    faces = []
    last = 2 + (rings - 2) * sides
    for k in range(sides):
        after = (k + 1) % sides
        faces += [[0, 2 + k, 2 + after], [1, last + after, last + k]]
        for start in range(2, last, sides):
            faces.append([start + k, start + sides + k, start + sides + after, start + after])
    return [tuple(c + x for c, x in zip(centre, v, strict=True)) for v in vertices], faces
