"""From a file to what the page shows of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import impulse_core
from impulse_cli.viewer.player import Player, stand_in
from impulse_core.recording import SUFFIXES, RecordingError, load_recording

if TYPE_CHECKING:
    from impulse_cli.viewer.source import Source
    from impulse_core import Recording
    from impulse_schema import Scene

__all__ = ["is_animation", "open_scene"]

_SCENES = (".xml", ".json")


def open_scene(
    path: Path, scene_file: Path | None, *, allow_outside: bool, speed: float, paused: bool
) -> tuple[Scene, Callable[[], Source]]:
    """A scene that can be drawn at once, and what makes a source of it, which may take a while.

    Args:
        path: A scene or an animation.
        scene_file: How the bodies of an animation look, if that is known.
        allow_outside: Whether files of meshes may lie anywhere.
        speed: Times real time.
        paused: Whether it waits to be played.

    Raises:
        SceneError, RecordingError: A file cannot be used.
    """
    if not is_animation(path):
        if scene_file is not None:
            raise RecordingError("is no animation, so --scene has no meaning.", file=str(path))
        scene = impulse_core.load_scene(path, allow_outside=allow_outside)

        def simulated() -> Source:
            from impulse_cli.viewer.live import LiveSource

            return LiveSource(scene, speed=speed, paused=paused)

        return scene, simulated
    recording = load_recording(path)
    if recording.frame_count == 0:
        raise RecordingError("has no frames to show.", file=str(path))
    found = _scene_of(recording, path, scene_file, allow_outside)
    player = Player(recording, found or stand_in(recording), speed=speed, paused=paused)
    return player.scene, lambda: player


def is_animation(path: Path) -> bool:
    """Whether a file is a recording and no scene; both may be JSON."""
    if path.suffix.lower() not in SUFFIXES:
        return False
    if path.suffix.lower() != ".json":
        return True
    with path.open("rb") as file:
        return b'"impulse-animation"' in file.read(4096)


def _scene_of(
    recording: Recording, path: Path, scene_file: Path | None, allow_outside: bool
) -> Scene | None:
    """The scene whose bodies the recording has; None if nothing is found beside it."""
    found = scene_file or _beside(recording, path)
    if found is None:
        return None
    scene = impulse_core.load_scene(found, allow_outside=allow_outside)
    recorded = set(recording.body_names)
    if [name for name in _names(scene) if name in recorded] != list(recording.body_names):
        raise RecordingError(
            f"has other bodies than {found}; name the scene it was made of with --scene.",
            file=str(path),
        )
    return scene if len(recorded) == len(scene.bodies) else _with_bodies(scene, recorded)


def _names(scene: Scene) -> list[str]:
    return [body.name for body in scene.bodies]


def _with_bodies(scene: Scene, chosen: set[str]) -> Scene:
    """A scene of some of its bodies, of which the others were not recorded, to look at."""
    gone = set(_names(scene)) - chosen
    changes = {
        "bodies": [body for body in scene.bodies if body.name in chosen],
        "loads": [load for load in scene.loads if load.body in chosen],
        "joints": [
            joint
            for joint in scene.joints
            if not joint.terms and joint.body1 not in gone and joint.body2 not in gone
        ],
        "springs": [s for s in scene.springs if s.body1 not in gone and s.body2 not in gone],
        "collision_filter": None,
    }
    return scene.model_copy(update=changes)


def _beside(recording: Recording, path: Path) -> Path | None:
    """The file in the same folder whose checksum the recording holds."""
    if not recording.scene_sha256:
        return None
    candidates = (
        file
        for file in sorted(path.resolve().parent.iterdir())
        if file.suffix.lower() in _SCENES and file.is_file() and file != path.resolve()
    )
    for file in candidates:
        if hashlib.sha256(file.read_bytes()).hexdigest() == recording.scene_sha256:
            return file
    return None
