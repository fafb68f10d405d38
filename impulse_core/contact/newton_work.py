"""Scratch of Newton's method for one island of n contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.contact.elimination import room_of
from impulse_core.types import (
    Floats,
    Ints,
    Records,
    by_address,
    f8,
    i8,
    mat3,
    new_records,
    pair_i8,
    record,
    vec3,
)

__all__ = [
    "MOST_BODIES",
    "MOST_DENSE",
    "MOST_WORK",
    "NewtonMark",
    "NewtonRow",
    "NewtonWork",
    "new_newton_work",
]

MOST_DENSE = 48  # contacts of an articulated island that is solved for over these
MOST_WORK = 4_000_000  # products in a step over bodies or motions
MOST_BODIES = int(MOST_WORK ** (1 / 3) / 6)  # for which that is enough, whichever touch
_MOST_MOTIONS = int(MOST_WORK ** (1 / 3))  # each of which at least one impulse makes
_ROOM = 1 << 18  # numbers of a matrix, and more where a dense one needs it


@record
class NewtonMark:
    """A contact of the island, or what resists turning at one."""

    contact: i8
    """Its row."""
    place: i8
    """Which contact of the list that is."""
    column: i8
    """Which of those it is whose impulses depend on each other in a step, -1 for others."""
    links: pair_i8
    """Next contacts of its bodies, as 2 k + side for the k-th contact, -1 at the end."""
    places: pair_i8
    """First rows of its bodies in the system over bodies, negative for those that are fixed."""


@record
class NewtonRow:
    """Iterate and Newton step of a contact; of what resists turning torque impulses in N m s and
    relative angular velocities in rad/s.
    """

    trial: vec3
    """Impulse p [N s]."""
    rate: vec3
    """Relative velocity u with it [m/s]."""
    change: vec3
    """Newton step of p."""
    push: vec3
    """The same of u."""
    normal: vec3
    """Of the contact."""
    inverse: f8
    """Mean diagonal of the block W of a contact [1/kg]; of what resists turning [1/(kg m²)]."""
    gives: f8
    """What the contact gives way to an impulse that changes [1/kg] (give.py)."""
    friction: f8
    """Of the contact."""
    min_impulse: f8
    """Of the contact [N s]."""
    rolling: f8
    """Lever arm of what resists turning across the normal [m]."""
    torsion: f8
    """The same about it."""
    arm: vec3
    """From the centre of its second body, of the first where that is fixed, to the contact [m]."""
    apart: vec3
    """From the centre of its first body to that of the second [m]."""
    stiffness: mat3
    """K of Δp = g - K Δu [kg]; of an articulated island A of A Δu + B Δp = f."""
    load: vec3
    """g [N s]; f [m/s]."""
    softness: mat3
    """By how much g is less for each Δp that the proximal term leaves open; B [1/kg]."""
    coupling: mat3
    """E of Δt = g - K Δω - E Δp, where the force of its contact bounds what resists turning [m];
    C of A Δω + B Δt + C Δp = f [1/(kg m)]."""
    best_trial: vec3
    """p of the best iterate so far."""
    best_rate: vec3
    """Its u."""
    begun: vec3
    """Impulse or torque impulse that it began with."""


@by_address
class NewtonWork(NamedTuple):
    """Room for an island of all contacts, if its matrix is a narrow band."""

    mark: Records
    """NewtonMark of all contacts of an island, then of what resists turning at them."""
    row: Records
    """NewtonRow of the same."""
    matrix: Floats
    """The linear system, row after row; of an articulated island its factors are kept behind it."""
    right: Floats
    """Its right-hand side and solution."""
    delassus: Floats
    """Delassus operator W of an articulated island [1/kg], shape (3d, 3d)."""
    pivot: Ints
    """Row that was exchanged with each as it was eliminated."""
    motions: Floats
    """Motions at the contacts of an articulated island (motions.py)."""
    order: Ints
    """Body at each place, shape (b,)."""


def new_newton_work(contacts: int, bodies: int) -> NewtonWork:
    """For so many contacts and bodies of a scene."""
    d = 6 * MOST_DENSE
    rows = max(2 * contacts, 2 * MOST_DENSE)
    return NewtonWork(
        mark=new_records(NewtonMark, rows),
        row=new_records(NewtonRow, rows),
        matrix=np.zeros(max(_ROOM, room_of(d))),
        right=np.zeros(max(6 * bodies, d, _MOST_MOTIONS)),
        delassus=np.zeros((d, d)),
        motions=np.zeros(2 * _ROOM),
        pivot=np.zeros(max(d, _MOST_MOTIONS), dtype=np.int64),
        order=np.zeros(bodies, dtype=np.int64),
    )
