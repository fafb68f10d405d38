"""Contact points: of one pair of shapes as they are found, and of the whole scene in a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.jit import inner_kernel
from impulse_core.types import Floats, Ints

PLANE_POINT = 0
POINT_POINT = 1
LINE_POINT = 2
LINE_LINE = 3
PLANE_ELLIPSOID = 4
PLANE_RIM = 5
EDGE_EDGE = 6

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


# Columns of Contacts.mark.
PAIR = 0  # key of the pair of shapes
FEATURE = 1  # what tells the point from others of the pair
BODY1 = 2
BODY2 = 3
SHAPE1 = 4
SHAPE2 = 5
KIND = 6
STICKING = 7  # 1 where the bodies did not slide on each other at the end of the last step
ACTIVE = 8  # 1 for points that can bear an impulse in this half of the step
JOINED = 9  # number among the active points on jointed bodies, -1 for others
NEXT = 10  # next contact of the same island, -1 at its end
MEETING = 11  # 1 where bodies meet within this part of the step (contact/meeting.py)
VIOLATED = 12  # 1 where its law was broken by more than it may be at the last look
MARKS = 13

# Columns of Contacts.row. World frame unless said; impulses act on body 2.
NORMAL = 0  # unit, from body 1 to body 2
ARM1 = 3  # from the centre of body 1 to the contact [m]
ARM2 = 6
OFFSET = 9  # what the relative velocity of the bodies lacks to what the law is about [m/s]
IMPULSE = 12  # in this half of the step [N s]
BLOCK = 15  # answer W of the point to its own impulse [1/kg], nine numbers
BLOCK_INVERSE = 24
FRICTION = 33  # Coulomb coefficient that holds in this step
FLOOR = 34  # least normal impulse [N s]: what an impact gives back
ROLLING = 35  # lever arm of the rolling resistance [m]
TORQUE = 36  # impulse of the rolling resistance in this half [N m s]
TURN_OFFSET = 39  # as OFFSET, for the relative angular velocity [rad/s]
APPLIED = 42  # part of IMPULSE that the bodies have received
TORQUE_APPLIED = 45
CORE1 = 48  # points on the cores [m]
CORE2 = 51
BEFORE = 54  # relative velocity before the impulses of this half [m/s]
TURN_BEFORE = 57  # relative angular velocity before them [rad/s]
GAP = 60  # at the present poses [m]
TARGET = 61  # gap to reach [m]
EARLIER = 62  # normal impulse of the step before [N s]
ARRIVAL = 63  # velocity at which the bodies meet [m/s], 0 where they do not
REBOUND = 64  # that over the velocity at the end of the step
POINT1 = 65  # on the core of body 1 [m], body-1 frame
POINT2 = 68  # on the core of body 2 [m], body-2 frame
AXIS1 = 71  # normal of the plane or direction of the line, body-1 frame
AXIS2 = 74  # direction of the line or axis of the rim, body-2 frame
RIM = 77  # radius of a rim [m]
RADIUS1 = 78  # rounding of the shapes [m]
RADIUS2 = 79
FRAME = 80  # axes of an ellipsoid to the frame of body 2, a quaternion; AXIS2 has its half axes
STATIC = 84  # Coulomb coefficients of the pair of materials
KINETIC = 85
RESTITUTION = 86
FIRST = 87  # impulse at the start of the step [N s]
SECOND = 90  # impulse at its end [N s]
ROLL = 93  # impulses of the rolling resistance in both halves [N m s], six numbers
BEFORE_SWEEP = 99  # impulse before the last sweep [N s]
SEARCH = 102  # direction of the sweeps so far [N s]
BEGUN = 105  # impulse with which the first half began [N s]
LACKING = 108  # by how much its law was broken at the last look [m], in the second half [m/s]
EXTRA = 109  # work of its impulses on what the law is about, beyond its accuracy [J]
RETURN = 110  # the same of an impact, less what that took on its way [J]
WORK = 111  # ½ p·(u⁻ + u⁺) of both halves [J]
COLUMNS = 112

# Columns of Memory.row, which are those of Contacts.row from FIRST on.
MEMORY_COLUMNS = 12
MEMORY_MARKS = 4


class Contacts(NamedTuple):
    """All contact points of a step, c rows of which the first used[0] are in use.

    A point is one row of numbers, so that what is read together lies together.
    """

    used: Ints
    """Rows in use, shape (1,)."""
    mark: Ints
    """PAIR, FEATURE, BODY1, …, shape (c, MARKS)."""
    row: Floats
    """NORMAL, ARM1, ARM2, …, shape (c, COLUMNS)."""


class Memory(NamedTuple):
    """What contact points were left with at the end of the last step, or part of one."""

    step: Floats
    """Its length [s], shape (1,)."""
    used: Ints
    """Rows in use, shape (1,)."""
    mark: Ints
    """PAIR, FEATURE, STICKING, and 1 for points that bore an impulse, shape (c, MEMORY_MARKS)."""
    multiplier: Floats
    """Impulses of joints and axes in its second half [N s | N m s], shape (m, 6)."""
    row: Floats
    """FIRST, SECOND, ROLL, shape (c, MEMORY_COLUMNS)."""


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
    return Contacts(
        used=np.zeros(1, dtype=np.int64),
        mark=np.zeros((rows, MARKS), dtype=np.int64),
        row=np.zeros((rows, COLUMNS)),
    )


def new_memory(rows: int, joints: int) -> Memory:
    """Room to remember a number of contact points, in a scene with so many joints."""
    return Memory(
        step=np.zeros(1),
        used=np.zeros(1, dtype=np.int64),
        mark=np.zeros((rows, MEMORY_MARKS), dtype=np.int64),
        multiplier=np.zeros((joints, 6)),
        row=np.zeros((rows, MEMORY_COLUMNS)),
    )


@inner_kernel
def copy_memory(source, target):  # type: ignore[no-untyped-def]
    """Let another memory hold the same."""
    target.step[0] = source.step[0]
    target.used[0] = source.used[0]
    for c in range(source.used[0]):
        for k in range(MEMORY_MARKS):
            target.mark[c, k] = source.mark[c, k]
        for k in range(MEMORY_COLUMNS):
            target.row[c, k] = source.row[c, k]
    for j in range(len(source.multiplier)):
        for k in range(6):
            target.multiplier[j, k] = source.multiplier[j, k]
