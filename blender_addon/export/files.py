# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of an exported scene: itself, and its large meshes beside it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from impulse_schema import save_scene
from impulse_schema.models import Scene

from .meshes import Polygons, write_ply

# Meshes with more faces go to a file of their own.
INLINE_FACES = 1000


def write_scene(scene: Scene, meshes: dict[str, Polygons], path: Path) -> None:
    """Write a scene and, beside it, those of its meshes that are large.

    Everything is written into a folder first and put in place once it is whole, so that a full disk
    leaves the scene of before with its meshes. Raises OSError and SceneError.
    """
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.stem}-") as folder:
        _write(scene, meshes, path, Path(folder))


def _write(scene: Scene, meshes: dict[str, Polygons], path: Path, folder: Path) -> None:
    large = [mesh for mesh in scene.meshes if meshes[mesh.name].face_count > INLINE_FACES]
    names = _file_names(mesh.name for mesh in large)
    for mesh in large:
        mesh.vertices = mesh.faces = None
        mesh.file = f"{path.stem}-{names[mesh.name]}.ply"
        write_ply(folder / mesh.file, meshes[mesh.name])
    save_scene(scene, folder / path.name)
    for written in sorted(folder.iterdir(), key=lambda file: file.name == path.name):
        written.replace(path.parent / written.name)


def _file_names(names: Iterable[str]) -> dict[str, str]:
    """A part of a file name for each name, all different, whatever case a disk knows."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
        taken = {other.casefold() for other in found.values()}
        number = 1
        while f"{plain}{number if number > 1 else ''}".casefold() in taken:
            number += 1
        found[name] = f"{plain}{number if number > 1 else ''}"
    return found
