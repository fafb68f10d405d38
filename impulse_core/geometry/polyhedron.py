"""Mass properties of a polyhedron: vertices to a near origin, Mirtich's integrals, inertia."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.mass_properties import MassProperties, MassPropertiesError
from impulse_core.geometry.mesh import PolygonMesh

__all__ = ["LARGEST_COORDINATE", "middle_of", "polyhedron_mass_properties"]

# Moments grow with the fifth power of a length: beyond this [m] they leave the range of a float.
LARGEST_COORDINATE = 1e9
"""[m], the bound of lengths in scenes."""


def polyhedron_mass_properties(mesh: PolygonMesh, density: float = 1.0) -> MassProperties:
    """Mass properties of the solid inside a closed, consistently oriented mesh.

    Polygons with any number of corners, not necessarily convex; several shells, cavities (shells
    that face inwards) included. Exact to round-off for planar polygons; a polygon that is not
    planar counts as the fan of triangles around its mean corner.

    Args:
        mesh: vertices in metres. That the surface is closed is not checked here: use
            ``check_mesh``.
        density: [kg/m^3], positive.

    Raises:
        MassPropertiesError: a density that is not positive, a vertex that is not finite, a face
            that refers to a missing vertex, or integrals no solid can have (an inside-out or
            empty mesh has a volume that is not positive).

    Source: Mirtich 1996 (see ``impulse_core.geometry.mirtich``).
    """
    from impulse_core.geometry.mirtich import volume_integrals  # compiled: only when needed

    if not (0.0 < density < np.inf):
        raise MassPropertiesError(f"The density is {density:g} kg/m^3; it must be positive.")
    _require_usable(mesh)
    middle = middle_of(mesh)
    integrals = volume_integrals(mesh.vertices - middle, mesh.corners, mesh.offsets)
    volume = float(integrals[0])
    if not volume > 0.0:
        raise MassPropertiesError(
            f"The mesh has the volume {volume:g} m^3, which is not positive: it is empty or turned"
            " inside out (flip all faces)."
        )
    center = integrals[1:4] / volume
    return MassProperties(
        density * volume,
        volume,
        middle + center,
        density * _inertia_about_center(volume, center, integrals[4:7], integrals[7:10]),
    )


def middle_of(mesh: PolygonMesh) -> NDArray[np.float64]:
    """Middle of the bounding box of the vertices that faces use [m], shape (3,)."""
    used = np.zeros(len(mesh.vertices), dtype=bool)
    used[mesh.corners] = True
    if not used.any():
        return np.zeros(3)
    points = mesh.vertices[used]
    middle: NDArray[np.float64] = 0.5 * points.min(axis=0) + 0.5 * points.max(axis=0)
    return middle


def _inertia_about_center(
    volume: float,
    center: NDArray[np.float64],
    squares: NDArray[np.float64],
    products: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Inertia of unit density from the second moments, moved to the centre of mass."""
    xx, yy, zz = squares - volume * center * center
    xy, yz, zx = products - volume * center * center[[1, 2, 0]]
    inertia = np.array([[yy + zz, -xy, -zx], [-xy, xx + zz, -yz], [-zx, -yz, xx + yy]])
    return inertia + 0.0  # no negative zeros


def _require_usable(mesh: PolygonMesh) -> None:
    """What the compiled kernel must be able to rely on."""
    corners = mesh.corners
    if len(corners) and (corners.min() < 0 or corners.max() >= len(mesh.vertices)):
        raise MassPropertiesError("A face of the mesh refers to a vertex that does not exist.")
    if not (np.abs(mesh.vertices) <= LARGEST_COORDINATE).all():
        raise MassPropertiesError(
            f"A vertex of the mesh is not finite or beyond {LARGEST_COORDINATE:g} m."
        )
