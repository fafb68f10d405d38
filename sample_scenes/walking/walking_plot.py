"""The walking machine seen from the side, for where there is no Blender to render it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np

from impulse_core.geometry.rotations import rotated
from impulse_core.recording import load_recording
from impulse_schema import Geometry, load_scene

matplotlib.use("Agg")
from matplotlib import pyplot

CIRCLE = np.linspace(0.0, 2 * np.pi, 33)


def draw(scene_file: Path, animation: Path, frames: Sequence[int], picture: Path) -> None:
    """Draw the bodies at some frames, counted from 1, and the way of a foot."""
    scene = load_scene(scene_file)
    recording = load_recording(animation)
    figure, axes = pyplot.subplots(figsize=(10, 3.2))
    for number, frame in enumerate(frames):
        index = min(frame - 1, len(recording.times) - 1)
        for body in scene.bodies:
            if body.motion == "static":
                continue
            column = recording.body_names.index(body.name)
            far = body.position[1] > 0.0
            for solid in body.geometry:
                points = rotated(recording.orientations[index, column], _outline(solid))
                points = points + recording.positions[index, column]
                axes.plot(points[:, 0], points[:, 2], color=f"C{number}", alpha=0.4 if far else 1.0)
        axes.plot([], [], color=f"C{number}", label=f"t = {recording.times[index]:.2f} s")
    axes.axhline(0.0, color="0.4")
    axes.set(xlabel="x in m", ylabel="z in m", aspect="equal")
    axes.legend(loc="upper right", ncols=len(frames))
    axes.set_ylim(-0.05, 1.15)
    figure.tight_layout()
    figure.savefig(picture, dpi=100)


def _outline(solid: Geometry) -> np.ndarray:
    """Points (P, 3) of a solid's outline seen along y, in the frame of its body."""
    if solid.shape == "box":
        x, _, z = np.array(solid.size) / 2
        outline = np.array([(-x, 0, -z), (x, 0, -z), (x, 0, z), (-x, 0, z), (-x, 0, -z)])
    else:
        ring = solid.radius * np.stack([np.cos(CIRCLE), 0 * CIRCLE, np.sin(CIRCLE)], axis=1)
        return ring + np.array(solid.position)
    return rotated(np.array(solid.orientation), outline) + np.array(solid.position)
