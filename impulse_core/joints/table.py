"""The catalogue: which constraint parts make up a joint type.

A joint has at most one part that removes translations and one that removes rotations, and may tie
what these leave free by a coupling of its own; a new type is one row here. Types without a row are
refused by name when a scene is compiled.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "AXIS_ROWS",
    "COMMON_AXIS",
    "CONSTANT_ANGLE",
    "COUPLING",
    "DAMPED_ROWS",
    "DISTANCE",
    "EXPLICIT_SERVO",
    "FIRST_ROTATION",
    "FIXED_ROTATION",
    "FORCE_MOTOR",
    "IMPLICIT_SERVO",
    "JOINT_PARTS",
    "LENGTH",
    "NO_MOTOR",
    "NO_PART",
    "OFFSET",
    "POINT_LINE",
    "POINT_PLANE",
    "POINT_POINT",
    "ROTATION_AXIS",
    "ROTATION_ROWS",
    "SECOND_ROTATION_AXIS",
    "SWING",
    "SWING_AXIS",
    "TRANSLATION_AXIS",
    "TRANSLATION_ROWS",
    "TURNING",
    "TWIST_AXIS",
    "VELOCITY_MOTOR",
    "JointParts",
    "parts_of",
]

NO_PART = 0

POINT_POINT = 1
DISTANCE = 2
POINT_LINE = 3
POINT_PLANE = 4
# These constrain nothing; they carry the axes of springs between two points.
LENGTH = 5
OFFSET = 6
COUPLING = 7  # its row stands among the translational ones, but acts on the bodies of its terms

FIXED_ROTATION = 1
COMMON_AXIS = 2
CONSTANT_ANGLE = 3
TURNING = 4  # constrains nothing; carries the axes of a damped ball joint
SWING = 5  # constrains nothing; carries the axes of a ball joint with limits, beside its own row

TRANSLATION_ROWS = {
    NO_PART: 0,
    POINT_POINT: 3,
    DISTANCE: 1,
    POINT_LINE: 2,
    POINT_PLANE: 1,
    LENGTH: 0,
    OFFSET: 0,
    COUPLING: 1,
}
ROTATION_ROWS = {
    NO_PART: 0,
    FIXED_ROTATION: 3,
    COMMON_AXIS: 2,
    CONSTANT_ANGLE: 1,
    TURNING: 0,
    SWING: 0,
}

FIRST_ROTATION = 3  # of the six rows of a joint
TRANSLATION_AXIS = 2
ROTATION_AXIS = 5
SECOND_ROTATION_AXIS = 4  # of a universal joint: that of body 2
SWING_AXIS, TWIST_AXIS = 4, 5  # of a ball joint
AXIS_ROWS = {
    "translation": TRANSLATION_AXIS,
    "rotation": ROTATION_AXIS,
    "swing": SWING_AXIS,
    "twist": TWIST_AXIS,
}
"""Row of a joint, among its six, that a free axis takes: the third of its part, which is not
constrained."""
DAMPED_ROWS = {"ball": (3, 4, 5), "universal": (4, 5)}
"""Rows about which joints turn that have no free axis of their own, but may be damped."""

NO_MOTOR = 0
VELOCITY_MOTOR = 1
IMPLICIT_SERVO = 2
EXPLICIT_SERVO = 3
FORCE_MOTOR = 4


class JointParts(NamedTuple):
    """Constraint parts of a joint type."""

    translation: int
    rotation: int
    tied: bool = False  # whether a coupling of its own ties the axes that the parts leave free

    @property
    def rows(self) -> int:
        """Degrees of freedom the joint removes."""
        return TRANSLATION_ROWS[self.translation] + ROTATION_ROWS[self.rotation] + self.tied


JOINT_PARTS = {
    "ball": JointParts(POINT_POINT, NO_PART),
    "hinge": JointParts(POINT_POINT, COMMON_AXIS),
    "universal": JointParts(POINT_POINT, CONSTANT_ANGLE),
    "fixed": JointParts(POINT_POINT, FIXED_ROTATION),
    "slider": JointParts(POINT_LINE, FIXED_ROTATION),
    "cylindrical": JointParts(POINT_LINE, COMMON_AXIS),
    "screw": JointParts(POINT_LINE, COMMON_AXIS, tied=True),
    "point-on-line": JointParts(POINT_LINE, NO_PART),
    "point-on-plane": JointParts(POINT_PLANE, NO_PART),
    "planar": JointParts(POINT_PLANE, COMMON_AXIS),
    "distance": JointParts(DISTANCE, NO_PART),
    "orientation": JointParts(NO_PART, FIXED_ROTATION),
    "parallel-axes": JointParts(NO_PART, COMMON_AXIS),
}
"""Joint types between two bodies."""


def parts_of(joint_type: str) -> JointParts:
    """Parts of any joint type, couplings included."""
    return JointParts(COUPLING, NO_PART) if joint_type == "coupling" else JOINT_PARTS[joint_type]
