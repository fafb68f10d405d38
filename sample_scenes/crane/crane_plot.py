# SPDX-License-Identifier: GPL-3.0-or-later
"""The crane's motion as a line drawing, for where there is no Blender to render it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np

from impulse_core.geometry import read_mesh
from impulse_core.recording import Recording, load_recording
from impulse_schema import Geometry, Joint, Scene, load_scene, resolve_mesh_path

matplotlib.use("Agg")
from matplotlib import pyplot
from mpl_toolkits.mplot3d.art3d import Line3DCollection

COLOURS = {"base": "0.45", "turret": "#d9690a", "jib": "#d9690a", "load": "#1565a5"}


def draw(scene_file: Path, animation: Path, frames: Sequence[int], picture: Path) -> None:
    """Draw the bodies at some frames, counted from 1, side by side."""
    scene = load_scene(scene_file)
    recording = load_recording(animation)
    lines = {body.name: _body_lines(scene, body.geometry) for body in scene.bodies}
    ropes = [_rope(recording, joint) for joint in scene.joints if joint.type == "distance"]
    figure = pyplot.figure(figsize=(10, 8))
    for number, frame in enumerate(frames, start=1):
        axes = figure.add_subplot(2, 2, number, projection="3d")
        index = min(frame - 1, len(recording.times) - 1)
        axes.set_title(f"t = {recording.times[index]:.2f} s")
        _draw_frame(axes, recording, index, lines, ropes)
    figure.tight_layout()
    figure.savefig(picture, dpi=100)


def _draw_frame(
    axes, recording: Recording, index: int, lines: dict[str, np.ndarray], ropes: list[np.ndarray]
) -> None:
    for column, name in enumerate(recording.body_names):
        rotation = _rotation(recording.orientations[index, column])
        placed = lines[name] @ rotation.T + recording.positions[index, column]
        colour = COLOURS.get(name, "0.2")
        axes.add_collection3d(Line3DCollection(placed, colors=colour, linewidths=0.5))
    for rope in ropes:
        axes.plot(*rope[index].T, color="0.2", linewidth=1.0)
    axes.set(xlim=(-5, 7), ylim=(-6, 6), zlim=(0, 9))
    axes.set_box_aspect((12, 12, 9), zoom=1.25)
    axes.view_init(elev=12, azim=-65)


def _rope(recording: Recording, joint: Joint) -> np.ndarray:
    """Both ends (F, 2, 3) of a distance joint, which are fixed points of its bodies."""
    ends = []
    for body, anchor in ((joint.body1, joint.anchor), (joint.body2, joint.anchor2)):
        column = list(recording.body_names).index(body)
        positions = recording.positions[:, column]
        rotations = np.array([_rotation(q) for q in recording.orientations[:, column]])
        arm = rotations[0].T @ (np.array(anchor) - positions[0])
        ends.append(positions + rotations @ arm)
    return np.stack(ends, axis=1)


def _body_lines(scene: Scene, solids: Sequence[Geometry]) -> np.ndarray:
    """Edges (E, 2, 3) of a body's solids in its own frame."""
    visible = [solid for solid in solids if solid.role != "collision"]
    parts = [_solid_lines(scene, solid) for solid in visible]
    return np.concatenate([part for part in parts if len(part)] or [np.zeros((0, 2, 3))])


def _solid_lines(scene: Scene, solid: Geometry) -> np.ndarray:
    if solid.shape == "mesh":
        edges = _mesh_lines(scene, solid.mesh)
    elif solid.shape == "box":
        edges = _box_lines(np.array(solid.size))
    elif solid.shape == "cylinder":
        edges = _cylinder_lines(solid.radius, solid.height)
    else:
        raise ValueError(f"no drawing of the shape {solid.shape}")
    return edges @ _rotation(np.array(solid.orientation)).T + np.array(solid.position)


def _mesh_lines(scene: Scene, name: str | None) -> np.ndarray:
    mesh = next(mesh for mesh in scene.meshes if mesh.name == name)
    if mesh.file is None:
        vertices, faces = np.array(mesh.vertices), mesh.faces or []
    else:
        polygons = read_mesh(resolve_mesh_path(scene, mesh), mesh.scale)
        vertices = polygons.vertices
        faces = np.split(polygons.corners, polygons.offsets[1:-1])
    edges = {
        tuple(sorted(pair))
        for face in faces
        for pair in zip(face, [*face[1:], face[0]], strict=True)
    }
    return vertices[np.array(sorted(edges))]


def _box_lines(size: np.ndarray) -> np.ndarray:
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    pairs = [(a, b) for a in range(8) for b in range(a) if np.abs(signs[a] - signs[b]).sum() == 2]
    return (signs * size / 2)[np.array(pairs)]


def _cylinder_lines(radius: float, height: float) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, 17)
    circle = np.stack([radius * np.cos(angles), radius * np.sin(angles), 0 * angles], axis=1)
    rings = [circle + np.array((0, 0, z)) for z in (-height / 2, height / 2)]
    around = [np.stack([ring[:-1], ring[1:]], axis=1) for ring in rings]
    return np.concatenate([*around, np.stack(rings, axis=1)[:-1:4]])


def _rotation(quaternion: np.ndarray) -> np.ndarray:
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
