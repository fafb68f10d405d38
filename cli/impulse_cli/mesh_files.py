"""Mesh files go along with a scene that is written into another folder."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from impulse_schema import Scene

__all__ = ["copy_meshes"]


def copy_meshes(
    scene: Scene,
    source: Path,
    target: Path,
    *,
    replace: bool = False,
    remedy: str = "write into another folder",
) -> list[Path]:
    """Copy the mesh files of ``scene`` to the same places under another folder.

    Paths that lead out of the folder mean the same file from anywhere, or are refused on saving.

    Args:
        scene: The scene whose meshes are copied.
        source: The folder of its file.
        target: The folder it is written into.
        replace: Whether other files may be replaced.
        remedy: What to do where they may not.

    Returns:
        The files that were written; those that were there already are not among them.

    Raises:
        RecordingError: If another file is in the way; nothing has been copied then.
    """
    from impulse_core.geometry.files import LARGEST_FILE
    from impulse_core.recording import RecordingError, read_regular_file, write_atomically

    wanted: dict[Path, bytes] = {}
    for name in {mesh.file for mesh in scene.meshes if mesh.file is not None}:
        path = PurePath(name)
        if path.is_absolute() or ".." in path.parts or source.resolve() == target.resolve():
            continue
        try:
            content = read_regular_file(source / path, LARGEST_FILE)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise RecordingError(f"cannot be read: {reason}.", file=str(source / path)) from None
        copy = target / path
        if not copy.exists():
            wanted[copy] = content
        elif not copy.is_file() or copy.read_bytes() != content:
            if not replace:
                raise RecordingError(
                    f"is in the way of the scene's mesh file of that name; {remedy}.",
                    file=str(copy),
                )
            wanted[copy] = content
    for copy, content in wanted.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(copy, content)
    return sorted(wanted)
