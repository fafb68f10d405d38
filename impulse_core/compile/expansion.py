"""Joints of the scene that stand for several joints of the Model.

A ball joint with limits has a row beside its own that carries its swing and twist, so that it may
be damped as well. A screw is a cylindrical joint whose turn φ and shift s a coupling ties:

    s - p φ / 2π = 0                                                        (docs/algorithm.md, 64)

The Model has first the joints of the scene, then its springs, then these couplings, then the rows
of swings. Users only know the joints that they wrote, so every message about a row of the Model
names its owner.
"""

from __future__ import annotations

import math

import numpy as np

from impulse_core.joints.table import parts_of
from impulse_core.types import Ints
from impulse_schema import CouplingTerm, Joint, Scene, joint_names

__all__ = ["couplings_of", "row_owners", "rows_of_swings"]


def couplings_of(scene: Scene) -> list[tuple[int, Joint]]:
    """All couplings in the order of their rows of the Model: row and relation.

    Those that the user wrote come first, then those of screws.
    """
    written = [(j, joint) for j, joint in enumerate(scene.joints) if joint.type == "coupling"]
    owners = row_owners(scene)
    names = joint_names(scene)
    first = len(scene.joints) + len(scene.springs)
    hidden = [
        (row, _thread(names[owners[row]], scene.joints[owners[row]]))
        for row in range(first, len(owners) - len(_swinging(scene)))
    ]
    return written + hidden


def row_owners(scene: Scene) -> Ints:
    """The row of the Model that the user knows, for each: itself, or the joint it is part of."""
    first = len(scene.joints) + len(scene.springs)
    tied = [j for j, joint in enumerate(scene.joints) if parts_of(joint.type).tied]
    return np.array([*range(first), *tied, *_swinging(scene)], dtype=np.int64)


def rows_of_swings(scene: Scene) -> dict[int, int]:
    """The row of the Model that carries swing and twist of each ball joint that has limits."""
    joints = _swinging(scene)
    first = len(row_owners(scene)) - len(joints)
    return {j: first + k for k, j in enumerate(joints)}


def _swinging(scene: Scene) -> list[int]:
    return [j for j, joint in enumerate(scene.joints) if joint.type == "ball" and joint.limits]


def _thread(name: str, screw: Joint) -> Joint:
    """The coupling of a screw."""
    assert screw.pitch is not None  # the schema's checks refuse screws without one
    terms = [
        CouplingTerm(joint=name, freedom="translation", coefficient=1.0),
        CouplingTerm(joint=name, freedom="rotation", coefficient=-screw.pitch / (2.0 * math.pi)),
    ]
    return Joint(type="coupling", terms=terms)
