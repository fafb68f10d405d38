"""Keyframes of 100 bodies and 1000 frames written into Blender (needs bpy).

    python benchmarks/keyframes.py [--bodies N] [--frames F] [--repeat R]

Prints the seconds of the whole import (matching names, conversion, 7 curves a body) as median of
several, and how far a pose evaluated by Blender is from the recorded one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy

import blender_addon
from blender_addon.convert import quaternion_to_rotation
from blender_addon.playback.keyframes import clear, import_recording


def spinning(bodies: int, frames: int) -> SimpleNamespace:
    """A made-up recording: every body moves on a path and turns about an axis of its own."""
    random = np.random.default_rng(1)
    angles = np.linspace(0, 40, frames)[:, None] * random.uniform(0.5, 1.5, bodies)
    axes = random.normal(size=(bodies, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    quaternions = np.concatenate(
        [np.cos(angles)[..., None], np.sin(angles)[..., None] * axes], axis=-1
    )
    return SimpleNamespace(
        times=np.arange(frames) / 25.0,
        body_names=[f"body {number}" for number in range(bodies)],
        positions=np.cumsum(random.normal(scale=0.01, size=(frames, bodies, 3)), axis=0),
        orientations=quaternions,
    )


def largest_error(recording: SimpleNamespace, frame: int) -> float:
    """Largest difference between Blender's world matrices and the recording at one frame."""
    bpy.context.scene.frame_set(1 + frame)
    errors = []
    for index, name in enumerate(recording.body_names):
        matrix = np.array(bpy.data.objects[name].matrix_world)
        rotation = quaternion_to_rotation(recording.orientations[frame, index])
        errors.append(np.abs(matrix[:3, :3] - rotation).max())
        errors.append(np.abs(matrix[:3, 3] - recording.positions[frame, index]).max())
    return float(max(errors))


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the import of an animation into Blender.")
    parser.add_argument("--bodies", type=int, default=100)
    parser.add_argument("--frames", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    blender_addon.register()
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    bpy.context.scene.render.fps = 25
    recording = spinning(options.bodies, options.frames)
    for name in recording.body_names:
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, None))
    seconds = []
    for _ in range(options.repeat):
        clear(bpy.context.scene.objects)
        began = time.perf_counter()
        import_recording(recording, bpy.context.scene)
        seconds.append(time.perf_counter() - began)
    keys = 7 * options.bodies * options.frames
    print(f"{keys} keys: median {statistics.median(seconds):.3f} s, all {np.round(seconds, 3)}")
    print(f"largest pose error {largest_error(recording, options.frames // 2):.1e}")


if __name__ == "__main__":
    main()
