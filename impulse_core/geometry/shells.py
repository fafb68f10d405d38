"""Kernels about shells, the connected parts of a surface: which are there, which holds which."""

from __future__ import annotations

import math

import numpy as np

from impulse_core.algebra import cross, dot, norm, vec3_at
from impulse_core.jit import array_kernel

__all__ = ["shell_boxes", "shells_of_faces", "winding_number"]


@array_kernel
def shells_of_faces(vertex_count, corners, offsets):
    """Shell number of each face, shape (F,), and how many shells there are.

    Faces that share a vertex belong to one shell. Shells are numbered by their first face.
    Union-find over the vertices, with path halving.
    """
    parent = np.arange(vertex_count)
    for f in range(len(offsets) - 1):
        for k in range(offsets[f] + 1, offsets[f + 1]):
            root1 = _root(parent, corners[k - 1])
            root2 = _root(parent, corners[k])
            if root1 < root2:
                parent[root2] = root1
            else:
                parent[root1] = root2
    number_of_root = np.full(vertex_count, -1)
    shells = np.full(len(offsets) - 1, -1)
    count = 0
    for f in range(len(offsets) - 1):
        if offsets[f] == offsets[f + 1]:
            continue
        root = _root(parent, corners[offsets[f]])
        if number_of_root[root] < 0:
            number_of_root[root] = count
            count += 1
        shells[f] = number_of_root[root]
    return shells, count


@array_kernel
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@array_kernel
def shell_boxes(vertices, corners, offsets, shells, count):
    """Lower and upper corners of the bounding boxes of the shells, each of shape (count, 3)."""
    lower = np.full((count, 3), np.inf)
    upper = np.full((count, 3), -np.inf)
    for f in range(len(offsets) - 1):
        for k in range(offsets[f], offsets[f + 1]):
            for axis in range(3):
                x = vertices[corners[k], axis]
                lower[shells[f], axis] = min(lower[shells[f], axis], x)
                upper[shells[f], axis] = max(upper[shells[f], axis], x)
    return lower, upper


@array_kernel
def winding_number(point, vertices, corners, offsets, faces):
    """How often the given faces of a closed surface wind around a point (near an integer).

    Sum of the solid angles of the faces, cut into triangles, over 4 pi: 0 outside, 1 inside, -1
    inside a shell that faces inwards.

    Source: A. van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle", IEEE Transactions
    on Biomedical Engineering 30(2), 1983, equation (8).
    """
    total = 0.0
    for f in faces:
        start = offsets[f]
        for k in range(start + 2, offsets[f + 1]):
            a = vec3_at(vertices, corners[start]) - point
            b = vec3_at(vertices, corners[k - 1]) - point
            c = vec3_at(vertices, corners[k]) - point
            la, lb, lc = norm(a), norm(b), norm(c)
            along = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
            total += 2.0 * math.atan2(dot(a, cross(b, c)), along)
    return total / (4.0 * math.pi)
