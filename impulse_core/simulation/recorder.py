"""Collects frames during a run and turns them into a Recording with its report."""

from __future__ import annotations

import math
import time as clock
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.analysis.numerical_damping import damping_warnings
from impulse_core.compile import CompiledScene
from impulse_core.compile.axes import explicit_servo_hint
from impulse_core.jit.kernel_cache import kernels_compiled
from impulse_core.model.options import Options
from impulse_core.observables.invariants import observe
from impulse_core.recording import GrowingFile, Recording, without_infinities
from impulse_core.recording.chunked_file import LARGEST_CHUNK
from impulse_core.recording.data import RecordingData
from impulse_core.simulation.clearance import Clearances
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.frames import GrowingRows, frame_bytes, frame_record
from impulse_core.simulation.joint_quantities import joint_quantities
from impulse_core.simulation.options import OptionError
from impulse_core.simulation.report import figures
from impulse_core.simulation.run_warnings import run_warnings
from impulse_core.simulation.timeline import frame_times

__all__ = ["FrameError", "Keeping", "Recorder", "fill_frame", "recorded_parts"]


_SECONDS_OF_A_CHUNK = 1.0  # of frames that a killed run may lose


class FrameError(Exception):
    """A frame that cannot be recorded, at a time [s]."""

    def __init__(self, time: float, message: str) -> None:
        self.time = time
        super().__init__(f"at t = {time:.6g} s {message}")


@dataclass(frozen=True)
class Keeping:
    """Where the frames of a run go.

    Attributes:
        run_key: Of the run, or "".
        file: That grows with the run; None if there is none.
        streams: Whether frames leave the memory when they are in the file.
        bodies: Which bodies are recorded, by number; None for all.
    """

    run_key: str = ""
    file: GrowingFile | None = None
    streams: bool = False
    bodies: list[int] | None = None


def fill_frame(frame: np.void, engine: Engine, time: float, clearances: Clearances) -> None:
    """Let a frame hold the present state of an engine.

    Raises:
        FrameError: Its numbers are beyond what can be represented.
    """
    state, work = engine.state, engine.work
    kinetic, potential, linear, angular = observe(engine.model, state, work)
    if not np.isfinite([kinetic, potential, *linear, *angular]).all():
        hint = explicit_servo_hint(engine.compiled.scene)
        raise FrameError(
            time,
            "the energy is no longer a finite number; masses, velocities or loads are too large"
            + hint,
        )
    engine.find_reactions()
    frame["time"] = time
    frame["position"] = state.bodies["position"]
    frame["orientation"] = state.bodies["orientation"]
    frame["term_position"] = state.terms["position"]
    frame["energy"], frame["momentum"] = (kinetic, potential), (linear, angular)
    frame["reaction"][:, 0] = work.reactions["force"]
    frame["reaction"][:, 1] = work.reactions["torque"]
    frame["axis_position"] = state.axes["position"]
    frame["axis_force"] = state.axes["force"]
    frame["clearance"] = clearances.at(state)
    frame["turned"] = state.turns["angle"]


def recorded_parts(
    compiled: CompiledScene,
    options: Options,
    frames: NDArray[np.void],
    start: NDArray[np.void],
    clearances: list[str],
) -> dict[str, Any]:
    """What a recording says of frames, but for contacts.

    Args:
        compiled: The scene.
        options: Those of the run.
        frames: As ``fill_frame`` fills them, shape (F,).
        start: The first of the run, from which coordinates are counted, shape (1,).
        clearances: Names of the bodies whose clearance is recorded.
    """
    positions, orientations = compiled.user_poses(frames["position"], frames["orientation"])
    energy, momentum = frames["energy"], frames["momentum"]
    return {
        "scene": compiled.name,
        "scene_sha256": compiled.sha256,
        "fps": options.fps,
        "step": options.step,
        "method": options.method,
        "solver": options.solver,
        "times": frames["time"],
        "body_names": tuple(compiled.body_names),
        "positions": positions,
        "orientations": orientations,
        "joints": joint_quantities(compiled, frames, start),
        "bodies": {
            name: {"clearance": frames["clearance"][:, k]} for k, name in enumerate(clearances)
        },
        "energy": {
            "kinetic": energy[:, 0],
            "potential": energy[:, 1],
            "total": energy[:, 0] + energy[:, 1],
        },
        "momentum": {"linear": momentum[:, 0], "angular": momentum[:, 1]},
    }


class Recorder:
    """Frames and events of a run, before which so many kernels had been compiled.

    Where there is a file that grows, frames go there once a second, and leave the memory then if
    they are to be streamed.

    Attributes:
        count: Frames so far.
        last: Time of the last [s].
    """

    def __init__(
        self,
        compiled: CompiledScene,
        options: Options,
        engine: Engine,
        kernels_before: int,
        keeping: Keeping,
    ) -> None:
        self.compiled = compiled
        self.options = options
        self.engine = engine
        self.start_seconds = 0.0
        self._kernels_before = kernels_before
        self.keeping = keeping
        self._file = keeping.file
        self._kept_frames = 0  # that are in the file
        self._kept_events = 0
        self._kept_at = -math.inf  # when
        self.events: list[dict[str, Any]] = []
        self.notes: list[str] = []  # for the warnings of the report
        self.count, self.last = 0, 0.0
        self._first = 0  # number of the first frame in memory
        self._most_energy = 0.0  # kinetic [J]
        self._clearances = Clearances(compiled)
        self._make_room()

    def _make_room(self) -> None:
        """For all frames, or for those of a chunk."""
        o = self.options
        frames = len(frame_times(o.duration, o.fps, o.step))
        record, size = (
            frame_record(self.compiled.model, len(self._clearances.names)),
            frame_bytes(
                self.engine.model, len(self.compiled.body_names), len(self._clearances.names)
            ),
        )
        if self.keeping.streams:
            frames = min(frames, LARGEST_CHUNK // record.itemsize + 1)
        try:
            self._start = np.empty(1, dtype=record)  # the first frame of the run
            self._frames = np.empty(frames, dtype=record)
            # held back for ``recording``, so that there is memory for it; costs none until used
            self._reserve: NDArray[np.uint8] | None = np.empty(
                frames * (size - record.itemsize), dtype=np.uint8
            )
        except MemoryError:
            raise OptionError(
                f"{frames} frames of this scene take {1e-9 * frames * size:.2g} GB, which this"
                " machine does not give; record fewer frames per second or simulate a shorter time,"
                " or let the frames go to an .imprec file."
            ) from None
        self._contact_bodies = GrowingRows(3, np.int64)
        self._contact_vectors = GrowingRows(9, float)

    def begin(self) -> None:
        """Look at the engine's state as that at the start, from which coordinates are counted."""
        fill_frame(self._start[0], self.engine, 0.0, self._clearances)

    def add_frame(self, time: float) -> None:
        """Record the engine's present state."""
        frame = self._frames[self.count - self._first]
        fill_frame(frame, self.engine, time, self._clearances)
        if self.count == 0:
            self._start[0] = frame
        if self.options.record_contacts:
            self._add_contacts()
        self.count += 1
        self.last = time
        self._most_energy = max(self._most_energy, float(frame["energy"][0]))
        self._keep(_SECONDS_OF_A_CHUNK)
        self._end_if_unwritten()

    def _end_if_unwritten(self) -> None:
        """Where frames cannot leave the memory, the run is not to go on."""
        if self.keeping.streams and self._file is not None and self._file.problem:
            raise FrameError(
                self.last,
                f"the run ended, as its frames cannot be kept: {self._file.problem}; those that"
                " were written can be read, and a run with checkpoints can be resumed",
            )

    def _keep(self, seconds: float, *, is_synced: bool = False) -> None:
        """Write the frames that are not in the file yet, if the last were so long ago [s]."""
        if self._file is None or self._file.problem:
            return
        new = self._frames[self._kept_frames - self._first : self.count - self._first]
        if clock.monotonic() - self._kept_at < seconds and new.nbytes < LARGEST_CHUNK:
            return
        if len(new):
            events = self._events()
            diagnostics = {"run_key": self.keeping.run_key}
            parts = self._parts(self._kept_frames)
            new_events = events[self._kept_events :]
            part = RecordingData(**parts, events=new_events, diagnostics=diagnostics)
            self._file.add(part, is_synced=is_synced)
            self._kept_frames, self._kept_events = self.count, len(events)
            if self.keeping.streams and not self._file.problem:
                self._let_go()
        self._kept_at = clock.monotonic()

    def _let_go(self) -> None:
        """Forget the frames and events that are in the file."""
        self._first = self.count
        self._contact_bodies.clear()
        self._contact_vectors.clear()
        self.engine.events.clear()
        self.events.clear()
        self._kept_events = 0

    def saved(self) -> dict[str, Any]:
        """What ``resume`` goes on from, as values of JSON, after all frames are in the file."""
        self._keep(0.0, is_synced=True)
        self._end_if_unwritten()
        assert self._file is not None
        return {
            "count": self.count,
            "last": self.last,
            "most_energy": self._most_energy,
            "file": self._file.place(),
        }

    def resume(self, saved: dict[str, Any]) -> None:
        """Go on from what ``saved`` said, with a file that goes on as well."""
        self.count = self._first = self._kept_frames = saved["count"]
        self.last, self._most_energy = saved["last"], saved["most_energy"]

    def end_file(self, recording: Recording) -> None:
        """Write the end of a run's recording to the file that grows."""
        if self._file is not None:
            self._file.end(recording, self._kept_events)

    def _add_contacts(self) -> None:
        points = self.engine.runner.contact_points(self.engine.state)
        if points is not None:
            number = np.full(len(points.body1), self.count)
            bodies = np.stack([number, points.body1, points.body2], axis=1)
            vectors = np.concatenate([points.point, points.normal, points.force], axis=1)
            self._contact_vectors.add(vectors)
            self._contact_bodies.add(bodies)

    def recording(self, *, complete: bool, interrupted: bool = False) -> Recording:
        """Everything so far; of frames that are streamed none, as they are in the file."""
        self._reserve = None
        self._keep(0.0)
        diagnostics = without_infinities(self._report())
        diagnostics["interrupted"] = interrupted
        first = self.count if self.keeping.streams else 0
        return Recording(
            **self._parts(first), complete=complete, events=self._events(), diagnostics=diagnostics
        )

    def _parts(self, first: int) -> dict[str, Any]:
        """The frames from one on, and what they are of."""
        frames = self._frames[first - self._first : self.count - self._first]
        start = self._start[: min(self.count, 1)]
        parts = recorded_parts(self.compiled, self.options, frames, start, self._clearances.names)
        if self.keeping.bodies is not None:
            parts |= _of_bodies(parts, self.keeping.bodies)
        return {**parts, "contacts": self._contact_points(first)}

    def _events(self) -> list[dict[str, Any]]:
        """What happened so far."""
        events: list[dict[str, Any]] = without_infinities([*self.engine.events, *self.events])
        return events

    def _contact_points(self, first: int) -> dict[str, Any]:
        """Recorded contact points of frames from one on, with the frame that each belongs to."""
        if not self.options.record_contacts or self.compiled.shapes is None:
            return {}
        bodies = self._contact_bodies.used()
        start, stop = np.searchsorted(bodies[:, 0], [first, self.count])  # of whole frames
        bodies, vectors = bodies[start:stop], self._contact_vectors.used()[start:stop]
        return {
            "frame": bodies[:, 0],
            "body1": bodies[:, 1],
            "body2": bodies[:, 2],
            "point": vectors[:, :3],
            "normal": vectors[:, 3:6],
            "force": vectors[:, 6:],
        }

    def _report(self) -> dict[str, Any]:
        """The keys of ``impulse run --report`` (docs/files.md)."""
        return figures(self.engine) | {
            "kernels_compiled": kernels_compiled() - self._kernels_before,
            "start_seconds": self.start_seconds,
            "run_key": self.keeping.run_key,
            "warnings": self._warnings(),
        }

    def _warnings(self) -> list[str]:
        """What the user should know beside the numbers."""
        return [
            *self.compiled.warnings,
            *(
                f"body '{name}' has nothing that it may touch, so its clearance is not recorded"
                for name in self._clearances.alone
            ),
            *run_warnings(self.engine, self._most_energy),
            *damping_warnings(self.compiled, self.options.step),
            *self._file_warnings(),
        ]

    def _file_warnings(self) -> list[str]:
        """What became of the files that grow."""
        if self._file is None:
            return []
        return [*self._file.notes, *self.notes, *filter(None, [self._file.problem])]


def _of_bodies(parts: dict[str, Any], chosen: list[int]) -> dict[str, Any]:
    """What recorded parts say of some bodies."""
    names = tuple(parts["body_names"][number] for number in chosen)
    return {
        "body_names": names,
        "positions": parts["positions"][:, chosen],
        "orientations": parts["orientations"][:, chosen],
        "bodies": {name: found for name, found in parts["bodies"].items() if name in names},
    }
