"""``simulate``: a scene in, a recording out."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from impulse_core.compile import Scene, compile_scene
from impulse_core.recording import GrowingFile, Recording
from impulse_core.simulation.interrupts import HeldSignals
from impulse_core.simulation.options import assembles, choose_options, choose_threads
from impulse_core.simulation.run_keys import run_key
from impulse_core.simulation.running import Progress, Run, Started

if TYPE_CHECKING:
    from impulse_core.simulation.snapshots import Control

__all__ = ["simulate"]


def simulate(
    scene: Scene,
    *,
    duration: float | None = None,
    step: float | None = None,
    fps: float | None = None,
    method: str | None = None,
    solver: str | None = None,
    tolerance: float | None = None,
    budget_ms: float | None = None,
    budget_corrections: int | None = None,
    time_of_impact: bool | None = None,
    contacts: bool | None = None,
    assemble: bool | None = None,
    control: Control | None = None,
    threads: int = 1,
    progress: Callable[[Progress], None] | None = None,
    file: GrowingFile | str | os.PathLike[str] | None = None,
) -> Recording:
    """Simulate a scene. Arguments win over the scene's settings, those over the defaults.

    Args:
        scene: From ``load_scene`` or built from the schema's models.
        duration: Simulated time [s].
        step: Length of a step [s].
        fps: Recorded frames per second [1/s].
        method: "imp2", "imp4", "imp6", "imp8", "imp10", "lmvd8", or for comparison "lm4", "lmbs4",
            "lmv4", "lmvd4" and "gc4" (docs/algorithm.md, section 7).
        solver: "direct", or "sle" and "iterative" of the papers (docs/design/solvers.md).
        tolerance: Largest joint error accepted after a step [m].
        budget_ms: Time that solver "iterative" may take for a step [ms]; the result depends on it.
        budget_corrections: The same as a number of corrections of single joints, with one result
            everywhere. Two for each joint and stage are made whatever the budget.
        time_of_impact: Whether steps are divided where bodies meet and axes reach limits.
        contacts: Whether the recording holds the contact points of each frame.
        assemble: Move bodies until joints close and axes lie within their limits, and let bodies
            come apart that overlap; the report says how far each was moved. False does not.
        control: Called once before each step with the time [s] and a ``Snapshot``; returns targets
            of motors by joint, or by (joint, number of the motor), in the units of the scene file.
        threads: Most threads, for hundreds of contacts; the result does not depend on it.
        progress: Called now and then, at least once a frame.
        file: An .imprec file for the frames, readable while it grows: a run that is killed loses
            its last second. Where it cannot be written any more a warning of the report says so.

    Returns:
        The recording. After Ctrl-C it holds the frames so far, with ``complete`` False and
        ``diagnostics["interrupted"]`` True.

    Raises:
        SceneError: The scene cannot be simulated.
        OptionError: An argument cannot be used.
        TargetError: The controller names no motor of the scene, or a target that is no number.
        RecordingError: ``file`` cannot be written, before anything is computed.
        SimulationError: The simulation failed; its ``recording`` holds the frames so far.
    """
    given: dict[str, Any] = {"duration": duration, "step": step, "fps": fps, "method": method,
        "solver": solver, "tolerance": tolerance, "budget_ms": budget_ms,
        "budget_corrections": budget_corrections, "time_of_impact": time_of_impact,
        "contacts": contacts}  # fmt: skip
    return _simulated(scene, given, assemble, control, threads, progress, file)


def _simulated(
    scene: Scene,
    given: dict[str, Any],
    assemble: bool | None,
    control: Control | None,
    threads: int,
    progress: Callable[[Progress], None] | None,
    file: GrowingFile | str | os.PathLike[str] | None,
) -> Recording:
    """What ``simulate`` does; ``given``: the arguments that ``choose_options`` takes."""
    from impulse_core.simulation.recorder import Keeping

    shared_by = choose_threads(threads)
    started = Started.now()
    growing = GrowingFile(file) if isinstance(file, (str, os.PathLike)) else file
    with HeldSignals() as signals:
        with signals.acting_at_once():
            compiled = compile_scene(scene, assemble=assemble)
            options = choose_options(compiled, **given, threads=shared_by)
            # of a function there is no key
            key = "" if control else run_key(scene, {**given, "assemble": assemble})
            pulls = assembles(scene, assemble)
            run = Run(compiled, options, progress, started, pulls, Keeping(key, growing))
            if control is not None:
                run.let_control(control)
        return run.execute(signals)
