"""One run of a study: a scene with other values, simulated and measured. Workers call this."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.measures import Measure
from impulse_core import (
    OptionError,
    ParameterError,
    Progress,
    Recording,
    RecordingError,
    SceneError,
    SimulationError,
    run_key,
    set_parameters,
    simulate,
)
from impulse_schema import Scene

__all__ = ["DONE", "FAILED", "LOST", "Row", "Study", "key_of", "probe", "run_one"]

DONE = "done"
FAILED = "failed"
LOST = "lost"
"""What a run may end as: with its measures, with a message, or with its worker."""


@dataclass(frozen=True)
class Study:
    """What all runs of a sweep or a search have in common.

    Attributes:
        scene: That which is varied.
        measures: What is computed of each run.
        with_recordings: Whether each run hands back its recording.
    """

    scene: Scene
    measures: tuple[Measure, ...]
    with_recordings: bool = False


@dataclass
class Row:
    """What is kept of a run.

    Attributes:
        key: Name of the run by its content.
        status: DONE, FAILED or LOST.
        message: Why it failed; "" where it did not.
        values: What was changed of the scene, by path.
        measures: The numbers measured, by their text; empty where it failed.
        state_sha256: Digest of the state at the end; "" where none was reached.
        steps: Completed steps.
        processor_seconds: Processor time of the thread that ran it [s].
        kernels_compiled: How many kernels had to be compiled for it.
        recording: The .npz file of its frames; empty where it was not asked for.
    """

    key: str
    status: str
    message: str
    values: dict[str, Any]
    measures: dict[str, float]
    state_sha256: str = ""
    steps: int = 0
    processor_seconds: float = 0.0
    kernels_compiled: int = 0
    recording: bytes = b""


def key_of(base: str, values: dict[str, Any]) -> str:
    """Name of a run: a digest of the scene's ``run_key`` and of what is changed in it."""
    text = json.dumps([base, sorted(values.items())], allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def run_one(study: Study, key: str, values: dict[str, Any]) -> Row:
    """Simulate and measure; what a scene does wrong is a row with its message.

    Raises:
        MemoryError: There is not enough of it here; elsewhere there may be.
    """
    began = time.thread_time()
    row = Row(key, FAILED, "", values, {})
    recording = None
    try:
        scene = set_parameters(study.scene, values)
        recording = simulate(scene)
        row.measures = {measure.text: measure(recording, scene) for measure in study.measures}
        row.status = DONE
    except SimulationError as error:
        row.message, recording = str(error), error.recording
    except SceneError as error:
        row.message = " ".join(str(problem) for problem in error.problems)
    except (StudyError, ParameterError, OptionError, RecordingError) as error:
        row.message, row.measures = str(error), {}
    if recording is not None:
        row.state_sha256 = recording.diagnostics["state_sha256"]
        row.steps = recording.diagnostics["step_count"]
        row.kernels_compiled = recording.diagnostics["kernels_compiled"]
        row.recording = _file_of(recording) if study.with_recordings else b""
    row.processor_seconds = time.thread_time() - began
    return row


def probe(study: Study, progress: Callable[[Progress], None] | None = None) -> str:
    """The ``run_key`` of the scene as it stands, after a single step of it that shows whether all
    measures exist. Kernels are compiled here, once for all workers of this computer.

    Raises:
        SceneError: The scene cannot be simulated.
        StudyError: A measure names nothing, or no number.
    """
    scene = study.scene
    step = scene.settings.step
    try:
        recording = simulate(scene, duration=min(step, scene.settings.duration), progress=progress)
    except SimulationError as error:
        recording = error.recording
    if recording.frame_count:
        for measure in study.measures:
            measure.check(recording, scene)
    return run_key(scene)


def _file_of(recording: Recording) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recording.npz"
        recording.save(path)
        return path.read_bytes()
