"""``impulse convert``: a scene from XML to JSON and back."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from impulse_cli.outputs import check_outputs
from impulse_cli.parameters import FILE, allow_outside_option
from impulse_cli.terminal import say

if TYPE_CHECKING:
    from impulse_schema import Scene


@click.command()
@click.argument("scene", metavar="IN", type=FILE)
@click.argument("output", metavar="OUT", type=FILE)
@allow_outside_option
def convert(scene: Path, output: Path, allow_outside: bool) -> None:
    """Write the scene IN as OUT; the endings .xml and .json say which format.

    Both formats hold the same model, so nothing is lost on the way, but comments in an XML file.
    The scene is checked first; OUT is replaced only by a whole new file. Mesh files go along if
    OUT lies in another folder.

    \b
    Example:
      impulse convert crane.xml crane.json
    """
    from impulse_schema import load_scene, save_scene

    check_outputs([output], inputs=[scene], suffixes=(".xml", ".json"))
    loaded = load_scene(scene, allow_outside=allow_outside)
    copied = _copy_meshes(loaded, scene.parent, output.parent)
    save_scene(loaded, output)
    say(f"wrote {', '.join(str(path) for path in [output, *copied])}")


def _copy_meshes(scene: Scene, source: Path, target: Path) -> list[Path]:
    """Copy the mesh files of ``scene`` to the same places under another folder.

    Paths that lead out of the folder mean the same file from anywhere, or are refused on saving.

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
            raise RecordingError(
                "is in the way of the scene's mesh file of that name; convert into another folder.",
                file=str(copy),
            )
    for copy, content in wanted.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(copy, content)
    return sorted(wanted)
