"""The catalogue: which constraint parts make up a joint type.

A joint has at most one part that removes translations and one that removes rotations; a new type
is one row here. Types without a row are refused by name when a scene is compiled.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "COMMON_AXIS",
    "DISTANCE",
    "FIXED_ROTATION",
    "JOINT_PARTS",
    "NO_PART",
    "POINT_POINT",
    "ROTATION_ROWS",
    "TRANSLATION_ROWS",
    "JointParts",
]

NO_PART = 0

POINT_POINT = 1
DISTANCE = 2

FIXED_ROTATION = 1
COMMON_AXIS = 2

TRANSLATION_ROWS = {NO_PART: 0, POINT_POINT: 3, DISTANCE: 1}
ROTATION_ROWS = {NO_PART: 0, FIXED_ROTATION: 3, COMMON_AXIS: 2}


class JointParts(NamedTuple):
    """Constraint parts of a joint type."""

    translation: int
    rotation: int

    @property
    def rows(self) -> int:
        """Degrees of freedom the joint removes."""
        return TRANSLATION_ROWS[self.translation] + ROTATION_ROWS[self.rotation]


JOINT_PARTS = {
    "ball": JointParts(POINT_POINT, NO_PART),
    "hinge": JointParts(POINT_POINT, COMMON_AXIS),
    "fixed": JointParts(POINT_POINT, FIXED_ROTATION),
    "distance": JointParts(DISTANCE, NO_PART),
    "orientation": JointParts(NO_PART, FIXED_ROTATION),
    "parallel-axes": JointParts(NO_PART, COMMON_AXIS),
}
