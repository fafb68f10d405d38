"""Which bodies move joints as they turn."""

from __future__ import annotations

import numpy as np

from impulse_core.joints.table import COMMON_AXIS, NO_PART
from impulse_core.types import Floats, Ints, Records

__all__ = ["turning_bodies"]

_SAME = 1e-6  # rad, and of a body's radius of gyration: what a file with six digits may miss


def turning_bodies(bodies: Records, joints: Records, gyration: Floats) -> Ints:
    """1 for each body with a joint that moves as the body turns, shape (b,).

    A rotor does not: its axis of symmetry is held by the world, and what else is joined to it lies
    on that axis. Its free motion is exact, however fast it turns. Where the axis itself can tilt, a
    fast rotor nutates within a step, and the motion of what carries it is wrong.

    Args:
        bodies: Body records, shape (b,).
        joints: Joint records, shape (m,).
        gyration: Radii of gyration [m], shape (b,).
    """
    world = len(bodies) - 1
    ends = np.concatenate([joints["body1"], joints["body2"]])
    partners = np.concatenate([joints["body2"], joints["body1"]])
    points, axes = (
        np.concatenate([joints[f"{what}1"], joints[f"{what}2"]]) for what in ("anchor", "axis")
    )
    parts = np.tile(joints["rotation_part"], 2)
    marks = (np.bincount(ends, minlength=len(bodies)) > 0) & (bodies["mass"] > 0.0)
    order = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[order], np.arange(len(bodies) + 1))
    on_world = marks[ends] & (parts == COMMON_AXIS) & (partners == world)
    for end in np.flatnonzero(on_world):
        i, a = ends[end], axes[end]
        held = order[starts[i] : starts[i + 1]]
        off = np.linalg.norm(np.cross(points[held], a), axis=1).max()
        tilts = np.linalg.norm(np.cross(axes[held[parts[held] != NO_PART]], a), axis=1)
        if off <= _SAME * gyration[i] and tilts.max() <= _SAME and _symmetric(bodies[i], a):
            marks[i] = False
    return marks.astype(np.int64)


def _symmetric(body: np.void, a: Floats) -> bool:
    """Whether the moments of a body are the same about all axes across a."""
    moments, axis = body["inertia"], int(body["symmetry_axis"])
    return bool(np.ptp(moments) == 0.0 or (axis >= 0 and 1.0 - abs(a[axis]) <= _SAME**2))
