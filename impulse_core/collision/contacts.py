"""Contact points: of one pair of shapes as they are found, and of the whole scene in a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.model.tasks import CONTACTS, PAIRS
from impulse_core.types import (
    Floats,
    Ints,
    Records,
    by_address,
    f8,
    i8,
    mat3,
    new_records,
    new_zeros,
    quat,
    record,
    vec3,
)

PLANE_POINT = 0
POINT_POINT = 1
LINE_POINT = 2  # of a rounded edge, from end to end
LINE_LINE = 3
PLANE_ELLIPSOID = 4
PLANE_RIM = 5
EDGE_EDGE = 6  # sharp ones, whose gap is that of their lines

MOST_POINTS = 8  # of one pair of shapes
BLOCK = 64  # points that a thread makes room for at a time
MOST_CORNERS = 128  # of a contact polygon before it is reduced
CACHE_NUMBERS = 4  # integers that the closest features of a pair are remembered by

# What is noted of a contact, a cache line: what a pass finds of it, and what it did in a part of a
# step.
FOUND, ALSO = 0, 1
ACTED, BORE, EXTRA, RETURNED, WORKED = 2, 3, 4, 5, 6
ISLAND = 2  # of a chunk of contacts
_NOTED = 8


@record
class FoundPoint:
    """A contact point of a pair of shapes. "Body 1" is that of the first shape, or of the second
    where ``swapped``.
    """

    kind: i8
    """PLANE_POINT, POINT_POINT, …: how the gap follows from the poses."""
    swapped: i8
    """1 where body 1 is that of the pair's second shape."""
    feature: i8
    """Name of the point among those of the pair, the same from step to step."""
    point1: vec3
    """Point on the core of body 1 [m], body-1 frame."""
    point2: vec3
    """Point on the core of body 2 [m], body-2 frame."""
    axis1: vec3
    """Normal of the plane towards body 2, direction of the edge, or the whole edge from point 1,
    body-1 frame."""
    axis2: vec3
    """Direction of the edge, the whole edge from point 2, or axis of the rim, body-2 frame."""
    rim: f8
    """Radius of a rim [m]."""
    gap: f8
    """Distance of the two surfaces [m], negative where they overlap."""
    round1: f8
    """Radius of the surface of body 1 about its core there, besides its rounding: along the side of
    a cylinder, whose core then is its axis [m]."""
    round2: f8
    """The same of body 2."""


@by_address
class Found(NamedTuple):
    """Contact points of one pair of shapes, at most MOST_POINTS of them."""

    point: Records
    """FoundPoint, shape (p,)."""
    polygon: Floats
    """Scratch: corners and heights of contact polygons, shape (2, MOST_CORNERS, 4)."""
    polygon_source: Ints
    """Scratch: name of each of these corners and of the edge after it, (2, MOST_CORNERS, 2)."""
    cache: Ints
    """Scratch: by what the features of a new pair are remembered, shape (CACHE_NUMBERS,)."""


@by_address
class Staged(NamedTuple):
    """Contact points of all pairs, at most p, before they are put into the order of the contacts:
    each thread takes a block of points at a time.
    """

    used: Ints
    """Points in blocks that are taken, shape (1,)."""
    point: Records
    """FoundPoint, shape (q,)."""
    first: Ints
    """First point of each pair, shape (p,)."""
    number: Ints
    """How many it has; -1 for pairs that are not staged, since points depend on each other, or one
    thread is alone. Shape (p,)."""
    row: Ints
    """Contact that its first point becomes, shape (p,)."""


@record
class ContactMark:
    """Which bodies and features meet at a contact point, and how it stands: the first cache line is
    what iterations read.
    """

    body1: i8
    """Row of the first body."""
    body2: i8
    """Row of the second body."""
    kind: i8
    """PLANE_POINT, POINT_POINT, …."""
    active: i8
    """1 for points that can bear an impulse in this half of the step; those that wait
    (contact/waiting.py) cannot yet."""
    next: i8
    """Next contact of the same island, -1 at its end."""
    delassus_row: i8
    """Row in the Delassus operator of the points on jointed bodies, -1 for others."""
    held: f8
    """Until when it is held by what it bore, as a part of this part of the step; 0 where it is not.
    """
    violated: i8
    """1 where its law was broken by more than it may be at the last iteration."""
    pair: i8
    """Key of the pair of shapes."""
    feature: i8
    """Name of the point among those of the pair."""
    shape1: i8
    """Shape of the first body."""
    shape2: i8
    """Shape of the second body."""
    sticking: i8
    """1 where its impulse was within its cone at the end of the last step."""
    steady: i8
    """1 where its impulses of the last step are forces (contact/held.py, ``is_force``)."""
    meets: f8
    """When its island first meets something, as a part of this part of the step; infinite if it
    does not."""
    impacting: i8
    """1 where bodies meet within this part of the step (contact/time_of_impact.py)."""


@record
class ContactRow:
    """The numbers of a contact point. World frame unless said; impulses act on body 2.

    A step looks at all contacts some twenty times, and most of that is waiting for memory: what is
    read together lies in one cache line, eight numbers, and what few contacts need lies at the end.
    The lines are an impulse and its cone; arms and gap; what iterations change; two of geometry;
    its points and lever arms; impulses of the step before; velocities at the start. A record is an
    odd number of lines, so that the first ones of all lie in all sets of the caches.
    """

    normal: vec3
    """Unit, from body 1 to body 2."""
    impulse: vec3
    """In this half of the step [N s]."""
    friction: f8
    """Coulomb coefficient that holds in this step."""
    min_impulse: f8
    """Minimum normal impulse [N s]: what an impact gives back."""
    arm1: vec3
    """From the centre of body 1 to the contact [m]."""
    arm2: vec3
    """From the centre of body 2 to it [m]."""
    target: f8
    """Gap to reach [m]."""
    gap: f8
    """At the present poses [m]."""
    offset: vec3
    """Velocity that the law is about, less the relative velocity of the bodies [m/s]."""
    applied: vec3
    """Part of the impulse that the bodies have received [N s]."""
    resists: f8
    """The longer of both lever arms [m], 0 where nothing resists turning."""
    lacking: f8
    """Violation of its law at the last iteration, without what it gives way [m], in the second half
    [m/s]."""
    point1: vec3
    """On the core of body 1 [m], body-1 frame."""
    point2: vec3
    """On the core of body 2 [m], body-2 frame."""
    axis1: vec3
    """Normal of the plane, direction of the edge or whole edge, body-1 frame."""
    axis2: vec3
    """Direction of the edge, whole edge or axis of the rim, body-2 frame."""
    radius1: f8
    """Rounding of the first shape [m]."""
    radius2: f8
    """Rounding of the second [m]."""
    static: f8
    """Static Coulomb coefficient of the pair of materials."""
    restitution: f8
    """Of the pair of materials."""
    core1: vec3
    """Point on the core of body 1 [m]."""
    core2: vec3
    """Point on the core of body 2 [m]."""
    rolling: f8
    """Lever arm of the rolling resistance [m]."""
    torsion: f8
    """Lever arm of the torsional friction [m]."""
    first: vec3
    """Impulse at the start of the step [N s]."""
    second: vec3
    """Impulse at its end [N s]."""
    earlier: f8
    """Normal impulse of the step before [N s]."""
    least: f8
    """Least gap to reach: of points found at the end of the step, that of their pair at its start
    [m]."""
    before: vec3
    """Relative velocity before the impulses of this half [m/s]."""
    begun: vec3
    """Impulse with which the first half began [N s]."""
    approach_velocity: f8
    """Velocity at which the bodies meet [m/s], 0 where they do not."""
    rebound: f8
    """That over the velocity at the end of the step; of points found there, of what stops them."""
    start: vec3
    """Impulse with which this half began [N s]."""
    given: vec3
    """What it gives way to the change since (contact/give.py) [m/s]."""
    torque: vec3
    """Impulse of rolling resistance and torsional friction in this half [N m s]."""
    torque_applied: vec3
    """Part of the torque that the bodies have received."""
    turn_offset: vec3
    """As offset, for the relative angular velocity [rad/s]."""
    turn_before: vec3
    """Relative angular velocity before the impulses of this half [rad/s]."""
    roll_first: vec3
    """Torque at the start of the step [N m s]."""
    roll_second: vec3
    """The same at its end."""
    block: mat3
    """Diagonal block W of the Delassus operator [1/kg]."""
    block_inverse: mat3
    """Its inverse [kg]."""
    before_sweep: vec3
    """Impulse before the last sweep [N s]."""
    search: vec3
    """Direction of the sweeps so far [N s]."""
    rim: f8
    """Radius of a rim [m]."""
    lowest: vec3
    """Which point of a rim or ellipsoid was lowest when it was found, as a unit vector: across the
    axis of the rim, or of the unit sphere that the ellipsoid is made of; body-2 frame. Zero before
    it is known, and of other kinds."""
    frame: quat
    """Axes of an ellipsoid to the frame of body 2; axis2 has its half axes."""


@record
class Push:
    """What is new of the impulses of a contact, and what it does to its two bodies."""

    impulse: vec3
    """On body 2, and its opposite on body 1 [N s]."""
    turn: vec3
    """Torque impulse on body 2 of what resists turning, and its opposite on body 1 [N m s]."""
    torque1: vec3
    """Torque impulse of the impulse about the centre of mass of body 1 [N m s]."""
    torque2: vec3
    """The same of body 2."""
    body1: i8
    """Row of the first body."""
    body2: i8
    """Row of the second body."""


@by_address
class Contacts(NamedTuple):
    """All contact points of a step, c rows of which the first used[0] are in use.

    A point is one row of numbers, so that what is read together lies together.
    """

    used: Ints
    """Rows in use, shape (1,)."""
    mark: Records
    """Of each (ContactMark), shape (c,)."""
    row: Records
    """Of each (ContactRow), shape (c,)."""
    guessed: Floats
    """What was left of the stage when first guesses were made with the points [s], 0 where none
    are; shape (1,)."""
    push: Records
    """What new impulses do (Push), where threads share that: those of each CONTACTS that follow
    each other from the row of the first of these on; shape (c,), or none for one thread."""
    chunk: Floats
    """What a pass puts together of each CONTACTS of them that follow each other (FOUND, ALSO), and
    the island that all are of which it looked at, -1 if they are of several, -2 if it looked at
    none (ISLAND); shape (c / CONTACTS, 8)."""
    noted: Floats
    """What a pass finds of each, until that of all is put together (FOUND, ALSO), and what it did
    in a part of a step: whether it carried an impulse in either half (ACTED), ``bears`` (BORE), and
    its work [J]: on what the law is about, beyond its accuracy (EXTRA), the same of an impact, less
    what that took on its way (RETURNED), and ½ p·(u⁻ + u⁺) of both halves (WORKED); shape (c, 8).
    """


def new_found() -> Found:
    """Room for the points of one pair."""
    return Found(
        point=new_records(FoundPoint, MOST_POINTS),
        polygon=np.zeros((2, MOST_CORNERS, 4)),
        polygon_source=np.zeros((2, MOST_CORNERS, 2), dtype=np.int64),
        cache=np.zeros(CACHE_NUMBERS, dtype=np.int64),
    )


def new_staged(contacts: int, pairs: int, threads: int) -> Staged:
    """Room for the points of so many contacts and pairs: each share of pairs may leave a block of
    points unused, and each block the points of a pair. One thread alone stages none.
    """
    points = contacts + contacts // 4 + BLOCK // PAIRS * pairs + 2 * BLOCK if threads > 1 else 0
    return Staged(
        used=np.zeros(1, dtype=np.int64),
        point=new_records(FoundPoint, points),
        first=np.zeros(pairs, dtype=np.int64),
        number=np.zeros(pairs, dtype=np.int64),
        row=np.zeros(pairs, dtype=np.int64),
    )


def new_contacts(rows: int, threads: int = 1) -> Contacts:
    """Room for a number of contact points. One thread alone puts no impulses down."""
    chunks = (rows + CONTACTS - 1) // CONTACTS
    return Contacts(
        used=np.zeros(1, dtype=np.int64),
        mark=new_records(ContactMark, rows),
        row=new_records(ContactRow, rows),
        guessed=np.zeros(1),
        push=new_records(Push, rows if threads > 1 else 0),
        chunk=new_zeros(chunks * _NOTED).reshape(chunks, _NOTED),
        noted=new_zeros(rows * _NOTED).reshape(rows, _NOTED),
    )
