"""``convex_parts``: a mesh that is not convex as convex parts, by CoACD.

Source: X. Wei, M. Liu, Z. Ling, H. Su, "Approximate Convex Decomposition for 3D Meshes with
Collision-Aware Concavity and Tree Search", ACM Transactions on Graphics 41(4), 2022.
"""

from __future__ import annotations

import numpy as np

from impulse_core.collision.ground import triangles_of
from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.types import Floats

__all__ = ["PartsError", "convex_parts"]

_SEED = 0  # of the search: the same parts in every run


class PartsError(ValueError):
    """A mesh cannot be split; the message says why and what to do."""


def convex_parts(mesh: PolygonMesh) -> list[Floats]:
    """Corners [m] of convex parts, each of shape (V, 3), that make up a closed mesh.

    Raises:
        PartsError: CoACD is not installed, or finds no parts.
    """
    try:
        import coacd
    except ImportError:
        raise PartsError(
            "the package coacd is not installed; run pip install 'impulse-dynamics[decompose]'"
        ) from None
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, triangles_of(mesh)), seed=_SEED)
    if not parts:
        raise PartsError("CoACD finds no convex parts in it; check its surface")
    return [np.asarray(vertices, dtype=np.float64) for vertices, _ in parts]
