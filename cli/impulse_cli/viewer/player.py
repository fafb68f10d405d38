"""A recording that plays."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from impulse_cli.plots.curves import Curve, curves_of, quantities_of
from impulse_cli.viewer.source import NO_CONTACTS, Contacts, Frame
from impulse_core.recording import Recording
from impulse_schema import Body, Geometry, Scene

__all__ = ["Player", "stand_in"]

Floats = NDArray[np.float64]


class Player:
    """Plays a recording by the clock, again from its start when it is over.

    Between two frames bodies are shown in between; stopped, they are where a frame has them.

    Args:
        recording: What is played; it has a frame at least.
        scene: How its bodies look: as many, in the same order.
        speed: Times real time.
        paused: Whether it waits to be played.
        clock: Seconds that go by.
    """

    def __init__(
        self,
        recording: Recording,
        scene: Scene,
        *,
        speed: float = 1.0,
        paused: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.scene = scene
        self.speed = speed
        self.is_paused = paused
        self._recording = recording
        self._clock = clock
        self._time = float(recording.times[0])
        self._since = clock()
        failures = [event for event in recording.events if event["kind"] == "failure"]
        self._shown: tuple[tuple[float, bool], Frame] | None = None
        self._problem = str(failures[-1]["message"]) if failures else ""

    @property
    def span(self) -> tuple[float, float]:
        """First and last time of the recording [s]."""
        return float(self._recording.times[0]), float(self._recording.times[-1])

    def frame(self) -> Frame:
        """The motion at the time that has been reached."""
        now = self._reached()
        if self._shown is not None and self._shown[0] == (now, self.is_paused):
            return self._shown[1]
        frame = self._frame_at(now)
        self._shown = (now, self.is_paused), frame
        return frame

    def _frame_at(self, now: float) -> Frame:
        times = self._recording.times
        before = int(np.clip(np.searchsorted(times, now, side="right") - 1, 0, len(times) - 1))
        after = min(before + 1, len(times) - 1)
        share = 0.0
        if after > before and not self.is_paused:
            share = float((now - times[before]) / (times[after] - times[before]))
        positions, turns = self._recording.positions, self._recording.orientations
        between = (1.0 - share) * turns[before] + share * turns[after]
        between /= np.linalg.norm(between, axis=1, keepdims=True)
        return Frame(
            float(times[before]) if self.is_paused else now,
            (1.0 - share) * positions[before] + share * positions[after],
            between,
            self._contacts(before),
        )

    def _reached(self) -> float:
        now, (first, last) = self._clock(), self.span
        if not self.is_paused:
            self._time += self.speed * (now - self._since)
            if self._time > last:
                self._time = first + (self._time - first) % max(last - first, 1e-9)
        self._since = now
        return self._time

    def _contacts(self, frame: int) -> Contacts:
        contacts = self._recording.contacts
        if not contacts:
            return NO_CONTACTS
        mine = np.flatnonzero(contacts["frame"] == frame)
        return Contacts(
            np.column_stack([contacts["body1"][mine], contacts["body2"][mine]]),
            contacts["point"][mine],
            contacts["normal"][mine],
            contacts["force"][mine],
        )

    def pause(self, paused: bool) -> None:
        """Stop, or go on."""
        self._reached()
        self.is_paused = paused

    def step(self) -> None:
        """Stop at the next frame; after the last comes the first."""
        times = self._recording.times
        after = int(np.searchsorted(times, self._reached(), side="right"))
        self.is_paused = True
        self._time = float(times[after % len(times)])

    def seek(self, time: float) -> None:
        """Show another time [s]."""
        self._reached()
        self._time = float(np.clip(time, *self.span))

    def set_speed(self, speed: float) -> None:
        """Play faster or slower."""
        self._reached()
        self.speed = speed

    def quantities(self) -> list[str]:
        """Everything that the recording holds."""
        return quantities_of(self._recording)

    def names(self, quantity: str) -> list[str]:
        """The joints or bodies that have it."""
        held = self._recording
        if quantity in ("positions", "contact_force"):
            return list(held.body_names)
        return [
            name
            for owners in (held.joints, held.bodies)
            for name, series in owners.items()
            if quantity in series
        ]

    def curves(self, quantity: str, only: Sequence[str]) -> list[Curve]:
        """The curves over the whole recording."""
        return curves_of(self._recording, quantity, only)

    def recording(self) -> Recording:
        """What is played."""
        return self._recording

    def problem(self) -> str:
        """Why the recorded simulation failed."""
        return self._problem

    def close(self) -> None:
        """Nothing runs in the background."""


_SHARE = 0.02  # of the way that all bodies take up


def stand_in(recording: Recording) -> Scene:
    """A scene with a small box for each body, for a recording whose scene is not at hand."""
    extent = np.ptp(recording.positions.reshape(-1, 3), axis=0).max(initial=0.0)
    edge = max(_SHARE * float(extent), 1e-3) if extent > 0.0 else 0.1
    box = Geometry(shape="box", size=(2 * edge, edge, edge / 2))
    bodies = [Body(name=name, mass=1.0, geometry=[box]) for name in recording.body_names]
    return Scene(version=1, name=recording.scene or None, bodies=bodies)
