"""Where bodies have been: lines through their last places."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import viser

    from impulse_cli.viewer.source import Frame
    from impulse_schema import Scene

__all__ = ["Trails"]

_PLACES = 150  # of each body
_MOST_BODIES = 100
_BETWEEN = 0.04  # s of simulated time from place to place


class Trails:
    """The last six seconds of the bodies that move; of many bodies the first hundred.

    A jump in time, as when something is rewound, begins them anew.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        name: str,
        scene: Scene,
        colours: list[tuple[int, int, int]],
    ) -> None:
        moving = [k for k, body in enumerate(scene.bodies) if body.motion != "static"]
        self._bodies = np.array(moving[:_MOST_BODIES], dtype=np.int64)
        self._colours = np.array([colours[k] for k in self._bodies], dtype=np.uint8).reshape(-1, 3)
        self._places: deque[NDArray[np.float64]] = deque(maxlen=_PLACES)
        self._time = -np.inf
        self._is_drawn = False
        self._server = server
        self._name = name
        self._handle: Any = None

    def show(self, visible: bool) -> None:
        """Begin to draw them, or remove them."""
        self._is_drawn = visible
        if self._handle is not None:
            self._handle.visible = visible

    def draw(self, frame: Frame) -> None:
        """Go on to a moment."""
        passed = frame.time - self._time
        if 0.0 <= passed < _BETWEEN:
            return
        if not 0.0 <= passed < 1.0:
            self._places.clear()
        self._time = frame.time
        self._places.append(frame.positions[self._bodies])
        if self._is_drawn and len(self._places) > 1:
            places = np.stack(self._places)
            lines = np.stack([places[:-1], places[1:]], axis=2).reshape(-1, 2, 3)
            shades = np.repeat(self._colours[None], len(places) - 1, axis=0).reshape(-1, 1, 3)
            # Colours go with the number of lines, so all of it is sent anew.
            self._handle = self._server.scene.add_line_segments(
                self._name,
                lines.astype(np.float32),
                np.repeat(shades, 2, axis=1),
                thickness=1.5,
                thickness_units="screen",
            )
