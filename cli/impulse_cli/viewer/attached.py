"""Lines whose ends ride on bodies: joints, axes, limits, springs, centres of mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.rotations import conjugated, rotated

if TYPE_CHECKING:
    import viser

    from impulse_schema import Scene

__all__ = ["AttachedLines", "Sketch"]

Floats = NDArray[np.float64]
Vector = Sequence[float] | Floats


@dataclass
class Sketch:
    """Lines at the start pose, in world coordinates; each end belongs to a body.

    Attributes:
        scene: Whose bodies they are; "world" is one more.
        owners: Numbers of the bodies of both ends.
        points: Both ends [m], world frame of the start pose.
        colours: Of each line.
    """

    scene: Scene
    owners: list[tuple[int, int]] = field(default_factory=list)
    points: list[tuple[Vector, Vector]] = field(default_factory=list)
    colours: list[tuple[int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers = {body.name: k for k, body in enumerate(self.scene.bodies)}

    def line(
        self, body1: str, point1: Vector, body2: str, point2: Vector, colour: tuple[int, int, int]
    ) -> None:
        """A line between points of two bodies, which may be one."""
        world = len(self._numbers)
        self.owners.append((self._numbers.get(body1, world), self._numbers.get(body2, world)))
        self.points.append((point1, point2))
        self.colours.append(colour)

    def path(self, body: str, points: Sequence[Vector], colour: tuple[int, int, int]) -> None:
        """Lines from point to point of one body."""
        for start, end in pairwise(points):
            self.line(body, start, body, end, colour)

    def cross(self, body: str, point: Vector, size: float, colour: tuple[int, int, int]) -> None:
        """Three short lines through a point."""
        for axis in np.eye(3):
            start, end = np.asarray(point) - size * axis, np.asarray(point) + size * axis
            self.line(body, start, body, end, colour)


class AttachedLines:
    """A sketch that is drawn, and moves with its bodies."""

    def __init__(
        self,
        server: viser.ViserServer,
        name: str,
        sketch: Sketch,
        *,
        pixels: float = 2.0,
        visible: bool = False,
    ) -> None:
        bodies = sketch.scene.bodies
        self._owners = np.array(sketch.owners, dtype=np.int64).reshape(-1, 2)
        positions = np.array([*(body.position for body in bodies), (0, 0, 0)], dtype=float)
        turns = np.array([*(body.orientation for body in bodies), (1, 0, 0, 0)], dtype=float)
        points = np.array(sketch.points, dtype=float).reshape(-1, 2, 3)
        self._local = rotated(conjugated(turns[self._owners]), points - positions[self._owners])
        self._is_drawn = visible
        self._handle: Any = server.scene.add_line_segments(
            name,
            points.astype(np.float32),
            np.repeat(np.array(sketch.colours, dtype=np.uint8).reshape(-1, 1, 3), 2, axis=1),
            thickness=pixels,
            thickness_units="screen",
            visible=visible,
        )

    def show(self, visible: bool) -> None:
        """Show or hide them."""
        self._is_drawn = visible
        self._handle.visible = visible

    def move(self, positions: Floats, orientations: Floats) -> None:
        """Follow the bodies; hidden lines stay where they are."""
        if not self._is_drawn or not len(self._owners):
            return
        places = np.vstack([positions, np.zeros((1, 3))])[self._owners]
        turns = np.vstack([orientations, [(1.0, 0.0, 0.0, 0.0)]])[self._owners]
        self._handle.points = (places + rotated(turns, self._local)).astype(np.float32)
