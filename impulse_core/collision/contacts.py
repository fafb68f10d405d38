"""Contact points: of one pair of shapes as they are found, and of the whole scene in a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.model import Floats, Ints

__all__ = [
    "CACHE_NUMBERS",
    "LINE_LINE",
    "LINE_POINT",
    "MOST_CORNERS",
    "MOST_POINTS",
    "PLANE_ELLIPSOID",
    "PLANE_POINT",
    "PLANE_RIM",
    "POINT_POINT",
    "Contacts",
    "Found",
    "new_contacts",
    "new_found",
]

PLANE_POINT = 0
POINT_POINT = 1
LINE_POINT = 2
LINE_LINE = 3
PLANE_ELLIPSOID = 4
PLANE_RIM = 5

MOST_POINTS = 8  # of one pair of shapes
MOST_CORNERS = 128  # of a contact polygon before it is reduced
CACHE_NUMBERS = 4  # integers that the closest features of a pair are remembered by


class Found(NamedTuple):
    """Contact points of one pair of shapes, at most MOST_POINTS of them.

    "Body 1" is that of the first shape of the pair, or of the second where ``swapped``.
    """

    kind: Ints
    """PLANE_POINT, POINT_POINT, …: how the gap follows from the poses, shape (p,)."""
    swapped: Ints
    """1 where body 1 of the row is that of the pair's second shape, shape (p,)."""
    feature: Ints
    """What tells the point from others of the pair, the same from step to step, shape (p,)."""
    point1: Floats
    """Point on the core of body 1 [m], shape (p, 3), body-1 frame."""
    point2: Floats
    """Point on the core of body 2 [m], shape (p, 3), body-2 frame."""
    axis1: Floats
    """Normal of the plane towards body 2, or direction of the line, shape (p, 3), body-1 frame."""
    axis2: Floats
    """Direction of the line, or axis of the rim, shape (p, 3), body-2 frame."""
    rim: Floats
    """Radius of a rim [m], shape (p,)."""
    gap: Floats
    """Distance of the two surfaces [m], negative where they overlap, shape (p,)."""
    polygon: Floats
    """Scratch: corners and heights of contact polygons, shape (2, MOST_CORNERS, 4)."""
    polygon_source: Ints
    """Scratch: name of each of these corners and of the edge after it, (2, MOST_CORNERS, 2)."""


class Contacts(NamedTuple):
    """All contact points of a step, c rows of which the first used[0] are in use.

    Rows of the step before are kept in the second half of a pair of these, for their impulses.
    """

    used: Ints
    """Rows in use, shape (1,)."""
    body1: Ints
    body2: Ints
    shape1: Ints
    shape2: Ints
    kind: Ints
    feature: Ints
    point1: Floats
    point2: Floats
    axis1: Floats
    axis2: Floats
    rim: Floats
    gap: Floats
    """Gap at the start of the step [m], shape (c,)."""
    sticking: Ints
    """1 where the bodies do not slide on each other, shape (c,)."""
    first_impulse: Floats
    """Impulse on body 2 at the start of the step [N s], shape (c, 3), world frame."""
    second_impulse: Floats
    """Impulse on body 2 at its end [N s], shape (c, 3), world frame."""
    slip: Floats
    """Displacement left over from sticking [m], shape (c, 3), world frame."""
    roll: Floats
    """Impulse of the rolling resistance on body 2 [N m s], both halves, shape (c, 6)."""


def new_found() -> Found:
    """Room for the points of one pair."""
    p = MOST_POINTS
    return Found(
        kind=np.zeros(p, dtype=np.int64),
        swapped=np.zeros(p, dtype=np.int64),
        feature=np.zeros(p, dtype=np.int64),
        point1=np.zeros((p, 3)),
        point2=np.zeros((p, 3)),
        axis1=np.zeros((p, 3)),
        axis2=np.zeros((p, 3)),
        rim=np.zeros(p),
        gap=np.zeros(p),
        polygon=np.zeros((2, MOST_CORNERS, 4)),
        polygon_source=np.zeros((2, MOST_CORNERS, 2), dtype=np.int64),
    )


def new_contacts(rows: int) -> Contacts:
    """Room for a number of contact points."""

    def ints() -> Ints:
        return np.zeros(rows, dtype=np.int64)

    def vectors() -> Floats:
        return np.zeros((rows, 3))

    return Contacts(
        used=np.zeros(1, dtype=np.int64),
        body1=ints(),
        body2=ints(),
        shape1=ints(),
        shape2=ints(),
        kind=ints(),
        feature=ints(),
        point1=vectors(),
        point2=vectors(),
        axis1=vectors(),
        axis2=vectors(),
        rim=np.zeros(rows),
        gap=np.zeros(rows),
        sticking=ints(),
        first_impulse=vectors(),
        second_impulse=vectors(),
        slip=vectors(),
        roll=np.zeros((rows, 6)),
    )
