"""Collects frames during a run and turns them into a Recording with its report."""

from __future__ import annotations

import math
import time as clock
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

__all__ = ["FrameError", "Recorder", "fill_frame", "recorded_parts"]


_SECONDS_OF_A_CHUNK = 1.0  # of frames that a killed run may lose


class FrameError(ArithmeticError):
    """A frame whose numbers have grown beyond what can be represented."""

    def __init__(self, time: float, hint: str = "") -> None:
        self.time = time
        super().__init__(
            f"at t = {time:.6g} s the energy is no longer a finite number; masses, velocities or"
            f" loads are too large{hint}"
        )


def fill_frame(frame: np.void, engine: Engine, time: float, clearances: Clearances) -> None:
    """Let a frame hold the present state of an engine.

    Raises:
        FrameError: Its numbers are beyond what can be represented.
    """
    state, work = engine.state, engine.work
    kinetic, potential, linear, angular = observe(engine.model, state, work)
    if not np.isfinite([kinetic, potential, *linear, *angular]).all():
        raise FrameError(time, explicit_servo_hint(engine.compiled.scene))
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

    Where there is a file that grows, frames go there once a second.
    """

    def __init__(
        self,
        compiled: CompiledScene,
        options: Options,
        engine: Engine,
        kernels_before: int,
        *,
        run_key: str = "",
        file: GrowingFile | None = None,
    ) -> None:
        self.compiled = compiled
        self.options = options
        self.engine = engine
        self.start_seconds = 0.0
        self._kernels_before = kernels_before
        self._run_key = run_key
        self._file = file
        self._kept_frames = 0  # that are in the file
        self._kept_events = 0
        self._kept_at = -math.inf  # when
        self.events: list[dict[str, Any]] = []
        self._count = 0
        self._clearances = Clearances(compiled)
        frames = len(frame_times(options.duration, options.fps, options.step))
        record, size = (
            frame_record(compiled.model, len(self._clearances.names)),
            frame_bytes(engine.model, len(compiled.body_names), len(self._clearances.names)),
        )
        try:
            self._frames = np.empty(frames, dtype=record)
            # held back for ``recording``, so that there is memory for it; costs none until used
            self._reserve: NDArray[np.uint8] | None = np.empty(
                frames * (size - record.itemsize), dtype=np.uint8
            )
        except MemoryError:
            raise OptionError(
                f"{frames} frames of this scene take {1e-9 * frames * size:.2g} GB, which this"
                " machine does not give; record fewer frames per second or simulate a shorter time."
            ) from None
        self._contact_bodies = GrowingRows(3, np.int64)
        self._contact_vectors = GrowingRows(9, float)

    def add_frame(self, time: float) -> None:
        """Record the engine's present state."""
        fill_frame(self._frames[self._count], self.engine, time, self._clearances)
        if self.options.record_contacts:
            self._add_contacts()
        self._count += 1
        self._keep(_SECONDS_OF_A_CHUNK)

    def _keep(self, seconds: float) -> None:
        """Write the frames that are not in the file yet, if the last were so long ago [s]."""
        if self._file is None or self._file.problem:
            return
        new = self._frames[self._kept_frames : self._count]
        if clock.monotonic() - self._kept_at < seconds and new.nbytes < LARGEST_CHUNK:
            return
        if len(new):
            events = self._events()
            diagnostics = {"run_key": self._run_key}
            parts = self._parts(self._kept_frames)
            new_events = events[self._kept_events :]
            self._file.add(RecordingData(**parts, events=new_events, diagnostics=diagnostics))
            self._kept_frames, self._kept_events = self._count, len(events)
        self._kept_at = clock.monotonic()

    def end_file(self, recording: Recording) -> None:
        """Write what is left to write of a run's recording to the file that grows."""
        if self._file is not None:
            self._keep(0.0)
            self._file.end(recording)

    def _add_contacts(self) -> None:
        points = self.engine.runner.contact_points(self.engine.state)
        if points is not None:
            number = np.full(len(points.body1), self._count)
            bodies = np.stack([number, points.body1, points.body2], axis=1)
            vectors = np.concatenate([points.point, points.normal, points.force], axis=1)
            self._contact_vectors.add(vectors)
            self._contact_bodies.add(bodies)

    def recording(self, *, complete: bool, interrupted: bool = False) -> Recording:
        """Everything so far."""
        self._reserve = None
        diagnostics = without_infinities(self._report())
        diagnostics["interrupted"] = interrupted
        return Recording(
            **self._parts(), complete=complete, events=self._events(), diagnostics=diagnostics
        )

    def _parts(self, first: int = 0) -> dict[str, Any]:
        """The frames from one on, and what they are of."""
        frames, start = self._frames[first : self._count], self._frames[: min(self._count, 1)]
        parts = recorded_parts(self.compiled, self.options, frames, start, self._clearances.names)
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
        start, stop = np.searchsorted(bodies[:, 0], [first, self._count])  # of whole frames
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
            "run_key": self._run_key,
            "warnings": self._warnings(),
        }

    def _warnings(self) -> list[str]:
        """What the user should know beside the numbers."""
        energy = self._frames["energy"][: self._count, 0]
        return [
            *self.compiled.warnings,
            *(
                f"body '{name}' has nothing that it may touch, so its clearance is not recorded"
                for name in self._clearances.alone
            ),
            *run_warnings(self.engine, float(energy.max(initial=0.0))),
            *damping_warnings(self.compiled, self.options.step),
            *self._file_warnings(),
        ]

    def _file_warnings(self) -> list[str]:
        """What became of the file that grows."""
        if self._file is None:
            return []
        return [*self._file.notes, *filter(None, [self._file.problem])]
