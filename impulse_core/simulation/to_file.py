"""``simulate_to_file``: long runs, whose frames go to disk and which survive being killed.

Every so many seconds the frames so far and then the whole state are made safe on the disk. A run
that was killed is resumed from the last state: what its file holds behind it is cut off, and
computed again to the same bits.
"""

from __future__ import annotations

import fnmatch
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from impulse_core.checkpoints import StateFileError, read_bytes
from impulse_core.compile import CompiledScene, Scene, compile_scene
from impulse_core.model.options import Options
from impulse_core.recording import GROWING, GrowingFile, Recording, RecordingError, check_output
from impulse_core.recording.data import RecordingData
from impulse_core.recording.files import check_suffix
from impulse_core.recording.partial import read_last
from impulse_core.simulation.interrupts import HeldSignals
from impulse_core.simulation.options import OptionError, assembles, choose_options, choose_threads
from impulse_core.simulation.recorder import Keeping
from impulse_core.simulation.run_keys import run_key
from impulse_core.simulation.running import Progress, Run, SimulationError, Started
from impulse_core.simulation.written import Written

__all__ = ["CHECKPOINT", "simulate_to_file"]

CHECKPOINT = ".checkpoint"
"""What follows the name of a recording in that of its checkpoint."""


class _Recorded(NamedTuple):
    """What is recorded of a run, if not all of it."""

    bodies: list[int] | None
    float32: bool

    def facts(self) -> dict[str, Any]:
        """For the key of the run, which is that of ``simulate`` where all is recorded."""
        facts: dict[str, Any] = {} if self.bodies is None else {"bodies": self.bodies}
        return facts | ({"float32": True} if self.float32 else {})


def simulate_to_file(
    scene: Scene,
    path: str | os.PathLike[str],
    *,
    every: int = 1,
    bodies: Sequence[str] = (),
    float32: bool = False,
    checkpoint: float | None = None,
    resume: bool = False,
    assemble: bool | None = None,
    threads: int = 1,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Written:
    """Simulate a scene like ``simulate``, with the frames in a file instead of in memory.

    The memory that is used does not grow with the duration; what is written can be read at once.

    Args:
        scene: From ``load_scene`` or built from the schema's models.
        path: The .imprec file.
        every: Only every so manieth frame is recorded.
        bodies: Patterns, as of a shell, of names of bodies whose poses are recorded; all if empty.
        float32: Record numbers, but for times, with 7 digits instead of 16: half the size.
        checkpoint: Make the run safe after every so many seconds of computing [s], in a file beside
            ``path`` with the ending .imprec.checkpoint, which is removed at the end.
        resume: Go on from the checkpoint of a run of the same scene with the same options. Where
            there is none the run begins; where the file holds the whole run nothing is done.
        assemble: As in ``simulate``.
        threads: As in ``simulate``.
        progress: As in ``simulate``.
        options: Further options of ``simulate``: duration, step, fps, method, solver, tolerance,
            budget_ms, budget_corrections, time_of_impact, contacts.

    Returns:
        What is in the file. After Ctrl-C ``complete`` is False.

    Raises:
        SceneError: The scene cannot be simulated.
        OptionError: An argument cannot be used.
        RecordingError: The file cannot be written, or is not that of a run to be resumed.
        StateFileError: The checkpoint cannot be read, or is of another scene or other options.
        SimulationError: It failed or could write no further; ``written`` says what the file holds.
    """
    _check(path, every, checkpoint)
    started = Started.now()
    with HeldSignals() as signals:
        with signals.acting_at_once():
            compiled = compile_scene(scene, assemble=assemble)
            chosen = choose_options(compiled, **options, threads=choose_threads(threads))
            chosen = replace(chosen, fps=chosen.fps / every)
            what = _Recorded(_chosen_bodies(compiled, chosen, bodies), float32)
            given = {**options, "assemble": assemble, "fps": chosen.fps}
            long = _LongRun(Path(path), run_key(scene, given, recorded=what.facts()), checkpoint)
            if resume and (done := long.whole()) is not None:
                return done
            keeping = long.keeping(what, resume=resume)
            pulls = assembles(scene, assemble)
            long.attach(Run(compiled, chosen, progress, started, pulls, keeping))
        return long.execute(signals)


def _check(path: str | os.PathLike[str], every: int, checkpoint: float | None) -> None:
    check_suffix(path, (GROWING,))
    if every < 1:
        raise OptionError(f"every is {every}; it must be at least 1.")
    if checkpoint is not None and not checkpoint > 0.0:
        raise OptionError(f"checkpoint is {checkpoint:g} s; it must be more than 0.")


def _chosen_bodies(
    compiled: CompiledScene, options: Options, patterns: Sequence[str]
) -> list[int] | None:
    """Numbers of the bodies that are recorded; None for all."""
    if not patterns:
        return None
    names = compiled.body_names
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise OptionError(
                f"bodies: no body is called '{pattern}'; there are {', '.join(names[:20])}."
            )
    if options.record_contacts:
        raise OptionError(
            "contacts are between bodies of which some are not recorded; record all bodies, or no"
            " contacts."
        )
    return [
        number
        for number, name in enumerate(names)
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]


class _LongRun:
    """A run and the two files that belong to it."""

    def __init__(self, path: Path, key: str, seconds: float | None) -> None:
        self._path, self._key = path, key
        self._state = path.with_name(path.name + CHECKPOINT)
        self._seconds = seconds
        self._saved_at = time.monotonic()
        self._note: dict[str, Any] | None = None

    def whole(self) -> Written | None:
        """What the file holds, if that is the whole run; None if not.

        Raises:
            RecordingError: It holds another run.
        """
        if self._state.exists() or not self._path.exists():
            return None
        frames, last = read_last(self._path, Recording)
        if last.diagnostics.get("run_key") != self._key:
            raise RecordingError(
                "holds another run: of another scene, with other options or by another release."
                " Give it the same ones, or choose another name.",
                file=str(self._path),
            )
        end = float(last.times[-1])
        return replace(self._written(last, frames, end), was_there=True) if last.complete else None

    def keeping(self, what: _Recorded, *, resume: bool) -> Keeping:
        """Where the frames go: to a new file, or to that of the run that is resumed."""
        file = self._file("float32" if what.float32 else "float64", resume=resume)
        return Keeping(self._key, file, streams=True, bodies=what.bodies)

    def _file(self, numbers: str, *, resume: bool) -> GrowingFile:
        if resume and self._state.exists():
            self._note = self._read_note()
            if self._note.get("run_key") != self._key:
                raise StateFileError(
                    "is of a run with other options, of another scene or by another release; give"
                    " the same ones, or choose another output.",
                    str(self._state),
                )
            place = self._note["recorder"]["file"]
            return GrowingFile.resumed(self._path, place, numbers=numbers)
        if self._state.exists():
            raise RecordingError(
                f"has a checkpoint of a run that did not end, {self._state}; go on with it"
                " (resume), or remove it to begin anew.",
                file=str(self._path),
            )
        if self._seconds is not None:
            check_output(self._state)
        return GrowingFile(self._path, numbers=numbers)

    def _read_note(self) -> dict[str, Any]:
        try:
            note = json.loads(read_bytes(self._state, "note"))
        except ValueError:
            note = None
        if not isinstance(note, dict):
            raise StateFileError("is not the checkpoint of a run to a file.", str(self._state))
        return note

    def attach(self, run: Run) -> None:
        """Let a run begin where it was, and make it safe now and then."""
        self._run = run
        if self._note is not None:
            run.resume_by(self._restore)
        if self._seconds is not None:
            run.after_segments(self._make_safe)

    def execute(self, signals: HeldSignals) -> Written:
        """Follow the run to its end."""
        try:
            recording = self._run.execute(signals)
        except SimulationError as error:
            error.written = self._of_run(error.recording)
            raise
        written, file = self._of_run(recording), self._run.recorder.keeping.file
        assert file is not None
        if file.problem:
            unwritten = SimulationError(file.problem, recording)
            unwritten.written = written
            raise unwritten
        if recording.complete:
            self._state.unlink(missing_ok=True)
        return written

    def _of_run(self, recording: Recording) -> Written:
        recorder = self._run.recorder
        return self._written(recording, recorder.count, recorder.last)

    def _written(self, recording: RecordingData, frames: int, end: float) -> Written:
        return Written(
            path=self._path,
            complete=recording.complete,
            frame_count=frames,
            end=end,
            body_names=recording.body_names,
            step=recording.step,
            method=recording.method,
            diagnostics=recording.diagnostics,
        )

    def _restore(self) -> tuple[float, int]:
        assert self._note is not None
        run = self._run
        run.engine.load(self._state)
        run.engine.times.restore(self._note["times"])
        run.recorder.resume(self._note["recorder"])
        end, behind = self._note["behind"]
        return end, behind

    def _make_safe(self) -> None:
        """Write a checkpoint, if the last was so long ago."""
        assert self._seconds is not None
        if time.monotonic() - self._saved_at < self._seconds:
            return
        run = self._run
        recorder = run.recorder.saved()
        note = {
            "run_key": self._key,
            "behind": run.behind,
            "times": run.engine.times.saved(),
            "recorder": recorder,
        }
        try:
            run.engine.save(self._state, json.dumps(note).encode())
            run.recorder.notes.clear()
        except StateFileError as error:
            run.recorder.notes[:] = [f"the last checkpoint could not be written: {error}"]
        self._saved_at = time.monotonic()
