"""``impulse convert``: scenes from XML to JSON and back, animations between all formats."""

from __future__ import annotations

from pathlib import Path

import click

from impulse_cli.mesh_files import copy_meshes
from impulse_cli.outputs import check_outputs
from impulse_cli.parameters import FILE, allow_outside_option, positive
from impulse_cli.recordings import frames_of
from impulse_cli.terminal import say

_OF_ANIMATIONS = {".npz", ".imprec"}  # only; .json may be either


@click.command()
@click.argument("source", metavar="IN", type=FILE)
@click.argument("output", metavar="OUT", type=FILE)
@allow_outside_option
@click.option(
    "--expand-parts",
    is_flag=True,
    help="Write a copy in place of every use of a part, and no parts.",
)
@click.option(
    "--start", metavar="S", type=positive("s"), help="Of an animation: from this time on [s]."
)
@click.option("--end", metavar="S", type=positive("s"), help="And up to this time [s].")
def convert(
    source: Path,
    output: Path,
    allow_outside: bool,
    expand_parts: bool,
    start: float | None,
    end: float | None,
) -> None:
    """Write the scene or the animation IN as OUT; the endings say which format.

    A scene is .xml or .json. Both hold the same model, so nothing is lost on the way, but comments
    in an XML file; parts and their uses stay what they are. The scene is checked first; mesh files
    go along if OUT lies in another folder.

    An animation is .json, .npz or .imprec; an .imprec that a killed run left is read as far as it
    was written. Where only a part of an .imprec is wanted, only that is read, so it may be of any
    size. OUT is replaced only by a whole new file.

    \b
    Examples:
      impulse convert crane.xml crane.json
      impulse convert crane.imprec crane.npz
      impulse convert week.imprec hour.npz --start 3600 --end 7200
    """
    if {source.suffix.lower(), output.suffix.lower()} & _OF_ANIMATIONS:
        _convert_animation(source, output, start or 0.0, end)
    elif start is not None or end is not None:
        raise click.UsageError("--start and --end are for animations in .npz or .imprec.")
    else:
        _convert_scene(source, output, allow_outside, keep_parts=not expand_parts)


def _convert_animation(source: Path, output: Path, start: float, end: float | None) -> None:
    from impulse_core.recording import SUFFIXES, load_recording

    check_outputs([output], inputs=[source], suffixes=SUFFIXES)
    recording = load_recording(source, start=start, end=end)
    recording.save(output)
    say(f"wrote {output}: {frames_of(recording)}")


def _convert_scene(scene: Path, output: Path, allow_outside: bool, *, keep_parts: bool) -> None:
    from impulse_schema import load_scene, save_scene

    check_outputs([output], inputs=[scene], suffixes=(".xml", ".json"))
    loaded = load_scene(scene, allow_outside=allow_outside, keep_parts=keep_parts)
    copied = copy_meshes(loaded, scene.parent, output.parent)
    save_scene(loaded, output)
    say(f"wrote {', '.join(str(path) for path in [output, *copied])}")
