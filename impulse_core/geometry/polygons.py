"""Kernels that look at one polygon at a time: its plane, its size, the volume below it."""

from __future__ import annotations

import numpy as np

from impulse_core.algebra import ZERO3, cross, dot, norm, vec3_at
from impulse_core.jit import array_kernel

__all__ = ["PLANE_TO_ROUND_OFF", "plane_of", "polygon_table"]

# A polygon whose corners leave its mean plane by more than this part of its size is not planar
# to round-off, and is integrated as a fan of triangles around its mean corner.
PLANE_TO_ROUND_OFF = 1e-11


@array_kernel
def plane_of(vertices, corners, start, end):
    """Mean corner, area vector, size and deviation of the polygon corners[start:end].

    The area vector (Newell) has the length of the area and the direction of the normal, for
    polygons that are not convex too. Size: twice the largest distance of a corner from the mean
    corner. Deviation: largest distance of a corner from the plane through the mean corner.
    """
    mean = ZERO3
    if end == start:
        return mean, ZERO3, 0.0, 0.0
    first = vec3_at(vertices, corners[start])
    for k in range(start, end):
        mean = mean + (vec3_at(vertices, corners[k]) - first)
    mean = first + mean * (1.0 / (end - start))
    area = ZERO3
    radius = 0.0
    previous = vec3_at(vertices, corners[end - 1]) - mean
    for k in range(start, end):
        current = vec3_at(vertices, corners[k]) - mean
        area = area + 0.5 * cross(previous, current)
        radius = max(radius, norm(current))
        previous = current
    deviation = 0.0
    if end - start > 3 and norm(area) > 0.0:
        normal = area * (1.0 / norm(area))
        for k in range(start, end):
            deviation = max(deviation, abs(dot(normal, vec3_at(vertices, corners[k]) - mean)))
    return mean, area, 2.0 * radius, deviation


@array_kernel
def polygon_table(vertices, corners, offsets):
    """Area [m^2], size [m], deviation [m] and volume of the cone to the origin [m^3] of each face.

    The volumes of the faces of a closed surface add up to its volume (divergence theorem); a
    polygon that is not planar counts as a fan around its mean corner.
    """
    count = len(offsets) - 1
    areas = np.empty(count)
    sizes = np.empty(count)
    deviations = np.empty(count)
    volumes = np.empty(count)
    for f in range(count):
        mean, area, sizes[f], deviations[f] = plane_of(
            vertices, corners, offsets[f], offsets[f + 1]
        )
        areas[f] = norm(area)
        volumes[f] = dot(mean, area) / 3.0
    return areas, sizes, deviations, volumes
