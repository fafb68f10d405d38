"""Frames of a machine that is changed as it runs, and the Recording that they make."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.methods.runners import ContactPoints
from impulse_core.recording import Recording, without_infinities
from impulse_core.simulation.clearance import Clearances
from impulse_core.simulation.frames import frame_record
from impulse_core.simulation.live.machine import LiveMachine
from impulse_core.simulation.recorder import fill_frame, recorded_parts
from impulse_core.simulation.report import figures
from impulse_core.simulation.timeline import same_time

__all__ = ["LiveFrames"]


class _Stretch:
    """Frames between two changes of what a machine is made of."""

    def __init__(self, machine: LiveMachine) -> None:
        self.compiled = machine.engine.compiled
        self.options = machine.engine.options
        self.start = machine.start
        self.clearances = Clearances(self.compiled)
        self.kind = frame_record(self.compiled.model, len(self.clearances.names))
        self.frames: list[NDArray[np.void]] = []
        self.contacts: list[ContactPoints | None] = []

    def parts(self) -> dict[str, Any]:
        """What a recording says of these frames, and contacts with the number of their frame."""
        frames = np.concatenate(self.frames)
        start = np.zeros(1, dtype=self.kind)
        for name in self.start.dtype.names or ():
            if name != "clearance":
                start[name] = self.start[name]
        return recorded_parts(self.compiled, self.options, frames, start, self.clearances.names)


class LiveFrames:
    """The frames of a machine so far; of more than fit the budget [B] the oldest are dropped."""

    def __init__(self, machine: LiveMachine, budget: float) -> None:
        self._machine = machine
        self._budget = budget
        self._bytes = 0
        self._stretches: list[_Stretch] = []
        self._next = 0
        self.add()

    def advance(self, most: int) -> int:
        """Take up to ``most`` steps, not beyond the next frame; how many were taken.

        Raises:
            StepError: A step failed.
            FrameError: A frame cannot be represented.
        """
        machine = self._machine
        h = machine.engine.options.step
        same = same_time(h)
        now, due = machine.time, self._due()
        if due - now < h - same and due > now + same:
            machine.look(due - now, lambda: self.add(due))
        whole = int((self._due() - now) / h + 1e-9)
        taken = machine.advance(max(1, min(most, whole)))
        if taken and abs(machine.time - self._due()) <= same:
            self.add()
        return taken

    def _due(self) -> float:
        return self._next / self._machine.engine.options.fps

    def add(self, time: float | None = None) -> None:
        """Keep the present state as the frame of a time [s], by default of its own."""
        machine = self._machine
        at = machine.time if time is None else time
        if not self._stretches or self._stretches[-1].compiled is not machine.engine.compiled:
            self._stretches.append(_Stretch(machine))
        stretch = self._stretches[-1]
        frame = np.zeros(1, dtype=stretch.kind)
        with machine.answered():
            engine = machine.engine
            fill_frame(frame[0], engine, at, stretch.clearances)
            wanted = engine.options.record_contacts
            points = engine.runner.contact_points(engine.state) if wanted else None
        stretch.frames.append(frame)
        stretch.contacts.append(points)
        self._bytes += frame.nbytes
        self._next = int(np.floor(at * machine.engine.options.fps + 1e-6)) + 1
        while self._bytes > self._budget and len(self._stretches[0].frames) > 1:
            self._bytes -= self._stretches[0].frames.pop(0).nbytes
            self._stretches[0].contacts.pop(0)
            if len(self._stretches[0].frames) == 1 and len(self._stretches) > 1:
                del self._stretches[0]

    def cut(self) -> None:
        """Forget what comes after the present, to which the machine went back."""
        now = self._machine.time + same_time(self._machine.engine.options.step)
        for stretch in self._stretches:
            kept = sum(float(frame["time"][0]) <= now for frame in stretch.frames)
            del stretch.frames[kept:], stretch.contacts[kept:]
        self._stretches = [s for s in self._stretches if s.frames]
        self._bytes = sum(frame.nbytes for s in self._stretches for frame in s.frames)
        fps = self._machine.engine.options.fps
        self._next = int(np.floor(self._machine.time * fps + 1e-6)) + 1
        if not self._stretches:
            self.add()

    def begin_anew(self) -> None:
        """Forget all frames but the present."""
        self._stretches, self._bytes = [], 0
        self.add()

    def recording(self, *, complete: bool, events: list[dict[str, Any]]) -> Recording:
        """All frames. What not all of them have, as coordinates of a joint that was taken out for a
        while, is left out, and a warning says so.
        """
        parts = [stretch.parts() for stretch in self._stretches]
        merged = {**parts[-1]}
        for name in ("times", "positions", "orientations"):
            merged[name] = np.concatenate([part[name] for part in parts])
        left_out: set[str] = set()
        for family in ("joints", "bodies", "energy", "momentum"):
            merged[family] = _merged([part[family] for part in parts], left_out)
        merged["contacts"] = self._contacts()
        with self._machine.answered():
            diagnostics = without_infinities(figures(self._machine.engine))
        diagnostics |= {
            "digest": self._machine.digest(),
            "warnings": [
                f"'{name}' was not there all the time, so it is not recorded"
                for name in sorted(left_out)
            ],
        }
        return Recording(
            **merged,
            complete=complete,
            events=without_infinities([*self._machine.engine.events, *events]),
            diagnostics=diagnostics,
        )

    def _contacts(self) -> dict[str, Any]:
        found = [points for s in self._stretches for points in s.contacts]
        if not any(points is not None for points in found):
            return {}
        counts = [0 if points is None else len(points.body1) for points in found]
        kept = [points for points in found if points is not None]
        return {
            "frame": np.repeat(np.arange(len(found)), counts),
            **{
                name: np.concatenate([getattr(points, name) for points in kept])
                for name in ContactPoints._fields
            },
        }


def _merged(parts: list[dict[str, Any]], left_out: set[str]) -> dict[str, Any]:
    """Quantities one stretch after the other, of those that all have."""
    everywhere = set.intersection(*(set(part) for part in parts))
    left_out |= {name for part in parts for name in part} - everywhere
    merged: dict[str, Any] = {}
    for name in parts[-1]:
        if name not in everywhere:
            continue
        if isinstance(parts[-1][name], dict):
            merged[name] = _merged([part[name] for part in parts], set())
        else:
            merged[name] = np.concatenate([part[name] for part in parts])
    return merged
