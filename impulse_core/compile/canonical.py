"""A scene as plain values: all that its motion depends on, and nothing of how it was written."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import impulse_schema
from impulse_core.recording import RecordingError, read_regular_file
from impulse_schema import Scene, expand_parts, resolve_mesh_path

__all__ = ["canonical_scene", "source_digest"]

_LARGEST_MESH = 2**33  # [B], far above what is loaded


def canonical_scene(scene: Scene) -> dict[str, Any]:
    """Every field of every element by name, defaults included, mesh files by their content.

    Parts are expanded. Left out are the description, and paths of files.

    Raises:
        SceneError: A mesh file is missing, or anything is wrong with a scene that has parts.
        RecordingError: A mesh file cannot be read.
    """
    scene = expand_parts(scene)
    content: dict[str, Any] = scene.model_dump(warnings=False)
    del content["description"]
    for mesh, values in zip(scene.meshes, content["meshes"], strict=True):
        if mesh.file is not None:
            path = resolve_mesh_path(scene, mesh)
            try:
                data = read_regular_file(path, _LARGEST_MESH)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise RecordingError(f"cannot be read: {reason}.", file=str(path)) from None
            values["file"] = [path.suffix.lower(), hashlib.sha256(data).hexdigest()]
    return content


@cache
def source_digest() -> str:
    """SHA-256 over all sources that a result can depend on: those of the core and of the schema."""
    hashed = hashlib.sha256()
    for package in (Path(__file__).parents[1], Path(impulse_schema.__file__).parent):
        for source in sorted(package.rglob("*.py")):
            hashed.update(f"{source.relative_to(package).as_posix()}\n".encode())
            hashed.update(hashlib.sha256(source.read_bytes()).digest())
    return hashed.hexdigest()
