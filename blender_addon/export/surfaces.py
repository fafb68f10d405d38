# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a mesh is the skin of a solid, and if not, what it can still be.

A body that moves needs a solid. Of ground, which stands still, the simulator takes each triangle
for itself and as solid behind its face, so that an open mesh will do.
"""

from __future__ import annotations

import numpy as np

from ..convert import Floats
from ..issues import Defect
from .meshes import Polygons, following_corners, is_flat_sheet

RECALCULATE = "recalculate its normals (Shift N in edit mode)"


def solid_defect(polygons: Polygons) -> Defect | None:
    """What keeps a mesh from being the skin of a solid, and what to do; None where nothing does."""
    skin = polygons.skin
    if skin.crowded_edges:
        return Defect(
            f"has {skin.crowded_edges} edges at which more than two faces meet, so it encloses no"
            " solid; delete inner and doubled faces, or use the shape convex hull",
            "B139",
        )
    if skin.odd_edges:
        return Defect(
            f"has {skin.odd_edges} edges where faces point opposite ways, so it encloses no solid;"
            f" {RECALCULATE}",
            "B134",
        )
    if skin.open_edges:
        text = f"is open along {skin.open_edges} edges, so it encloses no solid; "
        if is_flat_sheet(polygons):
            return Defect(text + "make it static, as ground, or give it a thickness", "B133")
        return Defect(text + "close it, or use the shape convex hull", "B132")
    if skin.inside_out:
        return Defect(f"is inside out, so it encloses no solid; {RECALCULATE}", "B135")
    return None


def ground_defect(polygons: Polygons, up: Floats) -> Defect | None:
    """What may not be meant with a mesh as ground; ``up`` (3,) is upwards in its axes."""
    skin = polygons.skin
    if skin.odd_edges > skin.crowded_edges:
        return Defect(
            f"has {skin.odd_edges} edges where faces point opposite ways; bodies fall through those"
            f" that look down; {RECALCULATE}",
            "B134",
        )
    if skin.open_edges and float(area_vector(polygons) @ up) < 0:
        return Defect(
            "is ground that looks down: what is solid lies behind its faces, here above it; turn"
            " them over (Alt N, Flip, in edit mode)",
            "B136",
        )
    if skin.inside_out:
        return Defect(
            "is inside out: what is solid lies around it, as with a room; if it is meant to be"
            f" solid itself, {RECALCULATE}",
            "B135",
        )
    return None


def area_vector(polygons: Polygons) -> Floats:
    """Sum of the faces' normals times their areas, shape (3,)."""
    here = polygons.vertices[polygons.corners]
    there = here[following_corners(polygons)]
    total: Floats = np.cross(here, there).sum(axis=0) / 2
    return total
