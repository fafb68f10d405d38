# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a curve, all at once."""

import bpy
import numpy as np
from numpy.typing import NDArray

LINEAR = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value


def write_keys(curve: bpy.types.FCurve, points: NDArray[np.float32]) -> None:
    """Let the linear keys of a curve be those of frames and values (F, 2)."""
    keys = curve.keyframe_points
    keys.add(len(points) - len(keys))
    keys.foreach_set("co", points.ravel())
    keys.foreach_set("interpolation", np.full(len(points), LINEAR, np.int32))
    curve.update()


def key_array(curve: bpy.types.FCurve) -> NDArray[np.float32]:
    """Frames and values (K, 2) of a curve's keys."""
    points = np.empty(len(curve.keyframe_points) * 2, np.float32)
    curve.keyframe_points.foreach_get("co", points)
    return points.reshape(-1, 2)
