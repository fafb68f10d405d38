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
from typing import Any

from impulse_core.checkpoints import StateFileError, read_bytes
from impulse_core.compile import CompiledScene, Scene, compile_scene
from impulse_core.model.options import Options
from impulse_core.recording import GROWING, GrowingFile, Recording, RecordingError, check_output
from impulse_core.recording.files import check_suffix
from impulse_core.recording.partial import read_outline
from impulse_core.simulation.interrupts import HeldSignals
from impulse_core.simulation.options import OptionError, choose_options
from impulse_core.simulation.recorder import Keeping
from impulse_core.simulation.run_keys import run_key
from impulse_core.simulation.running import Progress, Run, SimulationError, Started
from impulse_core.simulation.written import Written

__all__ = ["CHECKPOINT", "simulate_to_file"]

CHECKPOINT = ".checkpoint"
"""What follows the name of a recording in that of its checkpoint."""


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

    The memory that is used does not grow with the duration, and what is written can be read at any
    time. A run that was killed goes on with ``resume`` and ends with the same bits as if it had
    never been.

    Args:
        scene: From ``load_scene`` or built from the schema's models.
        path: The .imprec file.
        every: Only every so manieth frame is recorded.
        bodies: Patterns, as of a shell, of the names of bodies whose poses are recorded; all if
            empty. The quantities of joints are recorded in any case.
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
        SimulationError: The simulation failed, or its frames could not be written any more; its
            ``written`` says what the file holds.
    """
    if threads < 1:
        raise OptionError(f"threads is {threads}; it must be at least 1.")
    if every < 1:
        raise OptionError(f"every is {every}; it must be at least 1.")
    if checkpoint is not None and not checkpoint > 0.0:
        raise OptionError(f"checkpoint is {checkpoint:g} s; it must be more than 0.")
    check_suffix(path, (GROWING,))
    started = Started.now()
    with HeldSignals() as signals:
        with signals.acting_at_once():
            compiled = compile_scene(scene, assemble=assemble)
            chosen = choose_options(compiled, **options)
            chosen = replace(chosen, fps=chosen.fps / every)
            numbers = _chosen_bodies(compiled, chosen, bodies)
            given = {**options, "assemble": assemble, "fps": chosen.fps}
            what: dict[str, Any] = {} if numbers is None else {"bodies": numbers}
            what |= {"float32": True} if float32 else {}
            key = run_key(scene, given, recorded=what)
            long = _LongRun(Path(path), key, "float32" if float32 else "float64", checkpoint)
            if resume and (done := long.whole()) is not None:
                return done
            file = long.file(resume=resume)
            keeping = Keeping(key, file, streams=True, bodies=numbers)
            shifts = scene.settings.assemble == "all" if assemble is None else assemble
            run = Run(compiled, chosen, progress, started, shifts, keeping)
            long.attach(run)
        return long.execute(signals)


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

    def __init__(self, path: Path, key: str, numbers: str, seconds: float | None) -> None:
        self._path, self._key, self._numbers = path, key, numbers
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
        outline = read_outline(self._path)
        if outline.diagnostics.get("run_key") != self._key:
            raise RecordingError(
                "holds another run: of another scene, with other options or by another release."
                " Give it the same ones, or choose another name.",
                file=str(self._path),
            )
        if not outline.complete:
            return None
        return Written(
            path=self._path,
            complete=True,
            frame_count=outline.frame_count,
            end=outline.end,
            body_names=outline.body_names,
            step=outline.step,
            method=outline.method,
            diagnostics=outline.diagnostics,
            was_there=True,
        )

    def file(self, *, resume: bool) -> GrowingFile:
        """Where the frames go: a new file, or that of the run that is resumed."""
        if resume and self._state.exists():
            self._note = json.loads(read_bytes(self._state, "note"))
            if self._note["run_key"] != self._key:
                raise StateFileError(
                    "is of a run with other options, of another scene or by another release; give"
                    " the same ones, or choose another output.",
                    str(self._state),
                )
            place = self._note["recorder"]["file"]
            return GrowingFile.resumed(self._path, place, numbers=self._numbers)
        if self._state.exists():
            raise RecordingError(
                f"has a checkpoint of a run that did not end, {self._state}; go on with it"
                " (resume), or remove it to begin anew.",
                file=str(self._path),
            )
        if self._seconds is not None:
            check_output(self._state)
        return GrowingFile(self._path, numbers=self._numbers)

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
            error.written = self._written(error.recording)
            raise
        written, file = self._written(recording), self._run.recorder.keeping.file
        assert file is not None
        if file.problem:
            unwritten = SimulationError(file.problem, recording)
            unwritten.written = written
            raise unwritten
        if recording.complete:
            self._state.unlink(missing_ok=True)
        return written

    def _written(self, recording: Recording) -> Written:
        recorder = self._run.recorder
        return Written(
            path=self._path,
            complete=recording.complete,
            frame_count=recorder.count,
            end=recorder.last,
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
        except StateFileError as error:
            run.recorder.notes[:] = [f"the last checkpoint could not be written: {error}"]
        self._saved_at = time.monotonic()
