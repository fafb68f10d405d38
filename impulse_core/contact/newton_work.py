"""Scratch of Newton's method for one island of n contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.types import (
    Floats,
    Records,
    by_address,
    i8,
    mat3,
    new_records,
    pair_i8,
    record,
    vec3,
)

__all__ = ["MOST_DENSE", "NewtonMark", "NewtonRow", "NewtonWork", "new_newton_work"]

MOST_DENSE = 48  # contacts of an articulated island that is solved for in this way
_ROOM = 1 << 18  # numbers of a banded matrix


@record
class NewtonMark:
    """A contact of the island."""

    contact: i8
    """Its row."""
    links: pair_i8
    """Next contacts of its bodies, as 2 k + side for the k-th contact, -1 at the end."""


@record
class NewtonRow:
    """Iterate and Newton step of a contact."""

    trial: vec3
    """Impulse p [N s]."""
    rate: vec3
    """Relative velocity u with it [m/s]."""
    change: vec3
    """Newton step of p."""
    push: vec3
    """The same of u."""
    stiffness: mat3
    """K of Δp = g - K Δu [kg]."""
    load: vec3
    """g [N s]."""
    best_trial: vec3
    """p of the best iterate so far."""
    best_rate: vec3
    """Its u."""


@by_address
class NewtonWork(NamedTuple):
    """Room for an island of all contacts, if its matrix is a narrow band."""

    mark: Records
    """NewtonMark, shape (n,)."""
    row: Records
    """NewtonRow, shape (n,)."""
    matrix: Floats
    """The linear system, row after row."""
    right: Floats
    """Its right-hand side and solution."""
    delassus: Floats
    """Delassus operator W of an articulated island [1/kg], shape (3d, 3d)."""


def new_newton_work(contacts: int, bodies: int) -> NewtonWork:
    """For so many contacts and bodies of a scene."""
    d = 3 * MOST_DENSE
    return NewtonWork(
        mark=new_records(NewtonMark, contacts),
        row=new_records(NewtonRow, contacts),
        matrix=np.zeros(_ROOM),
        right=np.zeros(max(6 * bodies, d)),
        delassus=np.zeros((d, d)),
    )
