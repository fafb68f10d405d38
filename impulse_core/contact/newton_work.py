"""Scratch of Newton's method for one island of n contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.types import Floats, Ints

__all__ = ["MOST_DENSE", "NewtonWork", "new_newton_work"]

MOST_DENSE = 48  # contacts of an island with machines that are solved for in this way
_ROOM = 1 << 18  # numbers of a banded matrix

# Columns of NewtonWork.mark.
CONTACT = 0  # row of a contact
LINK1 = 1  # next contact of its body 1, as 2 k + side for the k-th contact, -1 at the end
LINK2 = 2
MARKS = 3

# Columns of NewtonWork.row.
TRIAL = 0  # impulse p [N s]
RATE = 3  # relative velocity u with it [m/s]
CHANGE = 6  # Newton step of p
PUSH = 9  # of u
STIFFNESS = 12  # K of Δp = g - K Δu [kg], nine numbers
LOAD = 21  # g [N s]
BEST = 24  # p and u of the best iterate so far, six numbers
COLUMNS = 30


class NewtonWork(NamedTuple):
    """Room for an island of all contacts, if its matrix is a narrow band."""

    mark: Ints
    """CONTACT, LINK1, LINK2, shape (n, MARKS)."""
    row: Floats
    """TRIAL, RATE, …, shape (n, COLUMNS)."""
    matrix: Floats
    """The linear system, row after row."""
    right: Floats
    """Its right-hand side and solution."""
    answer: Floats
    """W: answer of each contact of machines to impulses at all of them [1/kg], shape (3d, 3d)."""


def new_newton_work(contacts: int, bodies: int) -> NewtonWork:
    """For so many contacts and bodies of a scene."""
    d = 3 * MOST_DENSE
    return NewtonWork(
        mark=np.zeros((contacts, MARKS), dtype=np.int64),
        row=np.zeros((contacts, COLUMNS)),
        matrix=np.zeros(_ROOM),
        right=np.zeros(max(6 * bodies, d)),
        answer=np.zeros((d, d)),
    )
