"""Pushing bodies with a click and pulling them with the mouse, while they are simulated."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from impulse_cli.viewer.acting import Tell, by_user
from impulse_core.geometry.rotations import conjugated, rotated

if TYPE_CHECKING:
    from impulse_cli.viewer.bodies import Pick
    from impulse_cli.viewer.live import LiveSource
    from impulse_cli.viewer.stage import Stage

__all__ = ["Pushing"]

Triple = tuple[float, float, float]


class _Held(NamedTuple):
    """A point of a body [m], body frame, and the place of the page [m] that pulls it."""

    body: str
    point: Triple
    place: Triple


class Pushing:
    """What the mouse does to the bodies of a stage.

    Args:
        stage: Whose bodies can be clicked and dragged.
        source: What simulates them.
        impulse: How hard a click pushes [N s].
        tell: Where it is said what went wrong.
    """

    def __init__(
        self, stage: Stage, source: LiveSource, impulse: Callable[[], float], tell: Tell
    ) -> None:
        self._stage, self._source, self._impulse = stage, source, impulse
        self._held: dict[int, _Held] = {}
        self._offset = stage.offset
        self._lock = threading.Lock()  # nothing is pulled after its release
        for handle, _ in stage.bodies.handles:
            handle.on_click(by_user(self._click, tell))
            handle.on_drag(_in_order(by_user(self._drag, tell)))

    def _picked(self, event: Any, origin: Any, direction: Any) -> Pick | None:
        frame = self._source.frame()
        return self._stage.bodies.pick(
            event.target,
            event.instance_index,
            np.array(origin) + self._stage.offset,
            np.array(direction),
            (frame.positions, frame.orientations),
        )

    def _click(self, event: Any) -> None:
        pick = self._picked(event, event.ray_origin, event.ray_direction)
        if pick is not None and self._moves(pick.body):
            push = _triple(self._impulse() * pick.direction)
            self._source.push(self._name(pick.body), push, self._in_body(pick.body, pick.point))

    def _drag(self, event: Any) -> None:
        body = int(self._stage.bodies.body_of(event.target, event.instance_index))
        if not self._moves(body):
            return
        name, place = self._name(body), _triple(event.end_position)
        with self._lock:
            if event.phase == "end":  # also where the browser went away
                self._held.pop(event.client_id, None)
                self._source.release(name)
                return
            held = self._held.get(event.client_id)
            if event.phase == "start":
                grabbed = np.array(event.start_position) + self._stage.offset
                held = _Held(name, self._in_body(body, grabbed), place)
            if held is not None:
                self._held[event.client_id] = held._replace(place=place)
                self._pull(self._held[event.client_id])

    def keep_up(self) -> None:
        """Pull towards the same places of the page, where a followed body has moved the page on."""
        with self._lock:
            offset = self._stage.offset
            if not np.array_equal(offset, self._offset):
                self._offset = offset
                for held in self._held.values():
                    self._pull(held)

    def _pull(self, held: _Held) -> None:
        target = _triple(np.array(held.place) + self._stage.offset)
        self._source.pull(held.body, held.point, target)

    def _moves(self, body: int) -> bool:
        return self._stage.scene.bodies[body].motion == "dynamic"

    def _name(self, body: int) -> str:
        return self._stage.scene.bodies[body].name

    def _in_body(self, body: int, point: Any) -> Triple:
        """A point of the world now [m] in the frame of a body."""
        frame = self._source.frame()
        back = conjugated(frame.orientations[body])
        return _triple(rotated(back, np.asarray(point) - frame.positions[body]))


def _triple(vector: Any) -> Triple:
    x, y, z = (float(component) for component in vector)
    return x, y, z


def _in_order(act: Callable[[Any], None]) -> Callable[[Any], Any]:
    """A callback that viser calls in the order of events, as it calls coroutines alone."""

    async def run(event: Any) -> None:
        act(event)

    return run
