"""What contacts did in a step, found from copies of what the kernels keep of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.rotations import crossed_rows
from impulse_core.methods.runners import ContactPoints
from impulse_core.types import Floats, Ints, Records

__all__ = ["ContactCopy", "copied_rows"]


def copied_rows(rows: Records, chosen: NDArray[np.bool_]) -> Records:
    """A copy of some rows by bytes, since NumPy copies records field by field."""
    if not len(rows):
        return rows.copy()
    return rows.view((np.void, rows.dtype.itemsize))[chosen].view(rows.dtype)


class _Acting(NamedTuple):
    """Points of contact, also of bodies that sleep, and what acts on the second body there."""

    shape1: Ints
    shape2: Ints
    point: Floats
    normal: Floats
    force: Floats
    torque: Floats


class ContactCopy(NamedTuple):
    """What contact points are found from, copied after a step: rows of contacts and what is
    remembered of them, and the same of bodies that sleep.
    """

    row: Records
    mark: Records
    remembered: Records
    step: float
    """Length of the part of a step that they are of [s], 0 where none is known."""
    frozen: Records
    frozen_row: Records
    owner: Ints
    """Body of the scene of each shape."""
    body: Ints
    """Row of the body of each shape."""
    position: Floats

    def points(self) -> ContactPoints:
        """The points that bore a force, also of bodies that sleep."""
        shape1, shape2, point, normal, force, _ = self._acting()
        # in the order of pairs, as if nobody slept
        order = np.lexsort((np.maximum(shape1, shape2), np.minimum(shape1, shape2)))
        kept = order[np.einsum("ck,ck->c", force, normal)[order] > 0.0]
        return ContactPoints(
            self.owner[shape1[kept]],
            self.owner[shape2[kept]],
            point[kept],
            normal[kept],
            force[kept],
        )

    def loads(self) -> Floats:
        """Forces on all bodies [N], and torques about their centres of mass [N m], shape (b, 6)."""
        acting, found = self._acting(), np.zeros((len(self.position), 6))
        for shape, sign in ((acting.shape1, -1.0), (acting.shape2, 1.0)):
            body = self.body[shape]
            arm = acting.point - self.position[body]
            torque = acting.torque + crossed_rows(arm, acting.force)
            np.add.at(found, body, sign * np.concatenate([acting.force, torque], axis=1))
        return found

    def _acting(self) -> _Acting:
        row, mark, h = self.row, self.mark, self.step or 1.0
        shape1 = np.concatenate([mark["shape1"], self.frozen["shape1"]])
        arm = np.concatenate([row["arm1"], self.frozen["arm1"]])
        # what is remembered leaves out impacts that were met, which are no forces
        force, torque = (
            np.concatenate(
                [_sum_of_halves(self.remembered, *of) / h, _sum_of_halves(self.frozen_row, *of)]
            )
            for of in (("first", "second"), ("roll_first", "roll_second"))
        )
        return _Acting(
            shape1,
            np.concatenate([mark["shape2"], self.frozen["shape2"]]),
            self.position[self.body[shape1]] + arm,
            np.concatenate([row["normal"], self.frozen["normal"]]),
            force,
            torque,
        )


def _sum_of_halves(rows: Records, first: str, second: str) -> Floats:
    """Impulses of both halves of a step, or what acts at contacts that are frozen."""
    both: Floats = rows[first] + rows[second]
    return both
