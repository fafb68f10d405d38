"""By how much joints are open: the distance of two points that should be one, or its difference
from a length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.rotations import conjugated, rotated
from impulse_schema import joint_names

if TYPE_CHECKING:
    from impulse_schema import Joint, Scene

__all__ = ["JointErrors"]

Floats = NDArray[np.float64]

_HOLD_A_POINT = ("ball", "hinge", "universal", "fixed")


class _Ends(NamedTuple):
    """Both points of a joint, each in the frame of its body, and the length it keeps."""

    bodies: tuple[int, int]
    points: tuple[Floats, Floats]
    length: float


class JointErrors:
    """Errors of the joints that hold a point or a length; others are not told here.

    Attributes:
        names: Of those joints.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._numbers = {body.name: k for k, body in enumerate(scene.bodies)}
        self._ends = {
            name: self._ends_of(joint)
            for name, joint in zip(joint_names(scene), scene.joints, strict=True)
            if joint.anchor is not None and (joint.type in _HOLD_A_POINT or _keeps_a_length(joint))
        }
        self.names = list(self._ends)

    def _ends_of(self, joint: Joint) -> _Ends:
        assert joint.anchor is not None
        first, second = np.array(joint.anchor), np.array(joint.anchor2 or joint.anchor)
        bodies = tuple(self._numbers.get(name, -1) for name in (joint.body1, joint.body2))
        points = tuple(
            self._in_body(number, point)
            for number, point in zip(bodies, (first, second), strict=True)
        )
        length = 0.0
        if joint.type == "distance":
            length = joint.length or float(np.linalg.norm(second - first))
        return _Ends(bodies, points, length)  # type: ignore[arg-type]

    def _in_body(self, number: int, point: Floats) -> Floats:
        if number < 0:
            return point
        body = self._scene.bodies[number]
        return rotated(conjugated(np.array(body.orientation)), point - np.array(body.position))

    def of(self, joint: str, positions: Floats, orientations: Floats) -> float:
        """The error of a joint [m] where the bodies are at poses of shapes (N, 3) and (N, 4)."""
        ends = self._ends[joint]
        places = [
            point if body < 0 else positions[body] + rotated(orientations[body], point)
            for body, point in zip(ends.bodies, ends.points, strict=True)
        ]
        return abs(float(np.linalg.norm(places[1] - places[0])) - ends.length)


def _keeps_a_length(joint: Joint) -> bool:
    has_range = joint.min_length is not None or joint.max_length is not None
    return joint.type == "distance" and not has_range
