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
    marks = np.zeros(len(bodies), dtype=np.int64)
    for i in np.flatnonzero(bodies["mass"] > 0.0):
        sides = [_held_by(joints, i, 1, 2), _held_by(joints, i, 2, 1)]
        points, axes, parts, partners = (np.concatenate(each) for each in zip(*sides, strict=True))
        marks[i] = len(points) > 0
        on_world = np.flatnonzero((parts == COMMON_AXIS) & (partners == len(bodies) - 1))
        if len(on_world) == 0:
            continue
        a = axes[on_world[0]]
        off = np.linalg.norm(np.cross(points, a), axis=1).max()
        tilts = np.linalg.norm(np.cross(axes[parts != NO_PART], a), axis=1)
        if off <= _SAME * gyration[i] and tilts.max() <= _SAME and _symmetric(bodies[i], a):
            marks[i] = 0
    return marks


def _held_by(joints: Records, i: int, own: int, other: int) -> tuple[Floats, Floats, Ints, Ints]:
    """Points and axes in the frame of body i, rotation parts and other bodies of the joints in
    which it is body ``own`` of the two.
    """
    held = joints[joints[f"body{own}"] == i]
    return held[f"anchor{own}"], held[f"axis{own}"], held["rotation_part"], held[f"body{other}"]


def _symmetric(body: np.void, a: Floats) -> bool:
    """Whether the moments of a body are the same about all axes across a."""
    moments, axis = body["inertia"], int(body["symmetry_axis"])
    return bool(np.ptp(moments) == 0.0 or (axis >= 0 and 1.0 - abs(a[axis]) <= _SAME**2))
