"""Convex hull of points, as a mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from impulse_core.geometry.mass_properties import MassPropertiesError
from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.geometry.polyhedron import LARGEST_COORDINATE
from impulse_core.geometry.rotations import crossed_rows

__all__ = ["convex_hull"]


def convex_hull(points: ArrayLike) -> PolygonMesh:
    """Convex hull as triangles that face outwards; vertices are the hull's corners only.

    Args:
        points: [m], shape (N, 3).

    Raises:
        MassPropertiesError: fewer than four points, a point out of bounds, or all points
            in one plane: there is no solid.

    Source: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull Algorithm for Convex Hulls",
    ACM Transactions on Mathematical Software 22(4), 1996, as in SciPy.
    """
    from scipy.spatial import ConvexHull, QhullError  # heavy: only when a hull is asked for

    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    if not (np.abs(points) <= LARGEST_COORDINATE).all():  # Qhull would end the program
        raise MassPropertiesError(
            f"A point is not finite or beyond {LARGEST_COORDINATE:g} m, so there is no convex hull."
        )
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        raise MassPropertiesError(
            f"The {len(points)} points lie in one plane (or are fewer than four): their convex hull"
            " is no solid."
        ) from None
    triangles = hull.simplices.astype(np.int64)
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    inwards = np.einsum("fi,fi->f", crossed_rows(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inwards] = triangles[inwards, ::-1]
    used = np.zeros(len(points), dtype=bool)
    used[triangles] = True
    numbers = used.cumsum() - 1
    return PolygonMesh.from_rows(points[used], numbers[triangles])
