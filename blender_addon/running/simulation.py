# SPDX-License-Identifier: GPL-3.0-or-later
"""Export, simulate, and take in the motion: the parts of what Simulate does, as plain functions.

A scene that was simulated before, with the same simulator, is not simulated again.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import bpy

from impulse_schema.models import Scene

from .. import preferences
from ..export import scene_export
from ..export.work import Pause, Work, at_one_go
from ..issues import Issue
from ..playback.keyframes import Report
from ..simulator import places, runner
from ..simulator.store import Store, key_of
from .live import LiveRun


@dataclass
class Simulation:
    """What was started: the run, the scene as it was exported, and what was found in it.

    ``copies`` are where the user wants scene and animation besides, None for nowhere; ``key`` is
    what the result is kept as, '' where it is not.
    """

    run: LiveRun
    scene: Scene
    issues: list[Issue]
    path: Path
    command: list[str]
    store: Store
    key: str = ""
    copies: Path | None = None
    is_from_cache: bool = False

    def conclude(self) -> Report | None:
        """Finish the keys, keep the recording; None where there was no frame."""
        scene, run = self.run.scene, self.run
        if scene is None:
            return None
        recording = run.recording
        if run.child is not None and run.error is None and run.child.is_complete and self.key:
            recording = run.recording = self.store.keep(self.key, recording)
        if self.copies is not None and recording.exists():
            shutil.copyfile(recording, self.copies / f"{self.path.stem}.anim.imprec")
        run.show_first(scene)
        if not run.keys.frame_count:
            return None
        return run.keys.finish(scene, fit_range=scene.impulse.settings.fit_range)

    def discard(self) -> None:
        """Remove the folder of the run."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


def start(context: bpy.types.Context, directory: str = "", *, is_live: bool = False) -> Simulation:
    """Export the scene and start its simulation, or find it done.

    Scene and animation are also put into ``directory``, if one is given. Raises ExportError,
    RunError, and OSError where ``directory`` cannot be written.
    """
    return at_one_go(starting(context, directory, is_live=is_live))


def starting(
    context: bpy.types.Context, directory: str = "", *, is_live: bool = False
) -> Work[Simulation]:
    """``start``, piece by piece."""
    command = runner.find_command(preferences.command(context))
    store = places.store()
    folder = store.new_run()
    try:
        return (yield from _started(context, command, store, folder, directory, is_live))
    except BaseException:  # also where the work is given up
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _started(
    context: bpy.types.Context,
    command: list[str],
    store: Store,
    folder: Path,
    directory: str,
    is_live: bool,
) -> Work[Simulation]:
    copies = Path(bpy.path.abspath(directory)).absolute() if directory else None
    stem = Path(bpy.data.filepath).stem or "untitled"
    path = folder / (f"{stem}.xml" if copies else "scene.xml")
    built = yield from scene_export.building(context, played=True)
    yield from scene_export.writing(built, path)
    assert built.scene is not None
    if copies is not None:
        for file in folder.iterdir():
            shutil.copyfile(file, copies / file.name)
    yield Pause("starting", 1.0, is_read=True)
    options = run_options(context.scene, built.scene)
    key = key_of(path, options) if command[0] == sys.executable else ""
    recording = store.find(key) if key else None
    child = None
    if recording is None:
        child = runner.Run(command, path, folder / "motion.imprec", options)
        recording = child.animation
    run = LiveRun(context.scene, recording, child, is_live=is_live)
    return Simulation(
        run, built.scene, built.issues, path, command, store, key, copies, child is None
    )


def run_options(scene: bpy.types.Scene, exported: Scene) -> tuple[str, ...]:
    """Options of the run: for its results the contacts of machines are recorded.

    That changes no bit of the motion.
    """
    fixed = any(body.motion != "dynamic" for body in exported.bodies)
    is_machine = bool(exported.joints) and fixed
    return ("--contacts",) if scene.impulse.use_results and is_machine else ()


def end_text(report: Report, scene: bpy.types.Scene, simulation: Simulation) -> str:
    """What to say of a run that brought frames."""
    text = str(report)
    if simulation.is_from_cache:
        text += ", from the cache, as nothing was changed"
    if simulation.run.is_stopped:
        text += "; stopped"
    last = simulation.run.keys.last_frame
    if last is not None and last > scene.frame_end + 0.5:
        text += f"; the motion goes on to frame {last:.0f}, the scene ends at {scene.frame_end}"
    return text
