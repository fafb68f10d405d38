"""Bodies as the contact response sees them: those that joints hold count as immovable."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import cross, mat3_in, put_vec3_in, vec3_in
from impulse_core.jit import inlined_kernel
from impulse_core.model import Model
from impulse_core.types import Floats, Ints

__all__ = ["Movers", "new_movers", "push_mover"]

# Columns of Movers.mark.
JOINTED = 0  # 1 for bodies that a joint holds
MOVER = 1  # row that stands for all that moves with a body, the world's if nothing moves it
STIRRED = 2  # sweep in which a mover was last moved noticeably, -1 for the world
ISLAND = 3  # towards the mover that stands for all that contacts connect with this one
HEAD = 4  # first active contact of the island that a mover stands for, -1 if none
NUMBER = 5  # active contacts of that island
MACHINE = 6  # 1 if some of them are on jointed bodies
UNSOLVED = 7  # 1 if one of them breaks its law by more than it may
PLACE = 8  # of a body among those of the island that is being solved for
LINK = 9  # first contact of a body in that island, as 2 k + side for its k-th contact
ORDER = 10  # body at a place
MARKS = 11

# Columns of Movers.row.
VELOCITY = 0  # [m/s]
SPIN = 3  # angular velocity [rad/s], world frame
INVERSE_MASS = 6  # [1/kg]
INVERSE_INERTIA = 7  # world frame [1/(kg m²)], nine numbers
COLUMNS = 16


class Movers(NamedTuple):
    """What impulses at contacts move, a row for each of b bodies, the world last."""

    mark: Ints
    """JOINTED, MOVER, …, shape (b, MARKS)."""
    row: Floats
    """VELOCITY, SPIN, …, shape (b, COLUMNS)."""


def new_movers(model: Model) -> Movers:
    """For the bodies and joints of a model."""
    bodies = len(model.bodies)
    mark = np.zeros((bodies, MARKS), dtype=np.int64)
    mark[model.joints["body1"], JOINTED] = 1
    mark[model.joints["body2"], JOINTED] = 1
    mark[model.dynamic :, JOINTED] = 0
    mark[:, MOVER] = _movers(model)
    row = np.zeros((bodies, COLUMNS))
    row[:, INVERSE_MASS] = np.where(mark[:, JOINTED] == 1, 0.0, model.bodies["inverse_mass"])
    return Movers(mark, row)


def _movers(model: Model) -> Ints:
    """Row that stands for all bodies that joints connect with each body; the world's if nothing
    moves it.
    """
    world = len(model.bodies) - 1
    mover = np.arange(len(model.bodies))
    mover[model.dynamic :] = world
    inner = [
        pair
        for pair in zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True)
        if max(pair) < model.dynamic
    ]
    if inner:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ends = np.array(inner).T
        size = (model.dynamic, model.dynamic)
        graph = coo_array((np.ones(len(inner)), (ends[0], ends[1])), shape=size)
        _, label = connected_components(graph, directed=False)
        _, first = np.unique(label, return_index=True)
        mover[: model.dynamic] = first[label]
    return mover.astype(np.int64)


@inlined_kernel
def push_mover(row, i, p, arm):  # type: ignore[no-untyped-def]
    """Let body i, that no joint holds, answer the impulse p at ``arm`` from its centre."""
    put_vec3_in(row, i, VELOCITY, vec3_in(row, i, VELOCITY) + p * row[i, INVERSE_MASS])
    spin = vec3_in(row, i, SPIN) + mat3_in(row, i, INVERSE_INERTIA) @ cross(arm, p)
    put_vec3_in(row, i, SPIN, spin)
