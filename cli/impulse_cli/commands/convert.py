"""``impulse convert``: a scene from XML to JSON and back."""

from __future__ import annotations

from pathlib import Path

import click

from impulse_cli.mesh_files import copy_meshes
from impulse_cli.outputs import check_outputs
from impulse_cli.parameters import FILE, allow_outside_option
from impulse_cli.terminal import say


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
    copied = copy_meshes(loaded, scene.parent, output.parent)
    save_scene(loaded, output)
    say(f"wrote {', '.join(str(path) for path in [output, *copied])}")
