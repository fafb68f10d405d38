"""``impulse example``: the sample scenes, to try and to learn from."""

from __future__ import annotations

import shutil
import sys
from itertools import groupby
from pathlib import Path

import click

from impulse_cli.outputs import check_outputs
from impulse_cli.parameters import FILE
from impulse_cli.terminal import say


@click.command()
@click.argument("name", required=False)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=FILE,
    help="Where to write it, as .xml or .json.  [default: NAME.xml]",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
def example(name: str | None, output: Path | None, force: bool) -> None:
    """Write the sample scene NAME as a file, to run it, change it and learn from it.

    Without NAME this lists the samples, each with what it shows. Mesh files go along. A file that
    is there stays as it is, unless --force says otherwise.

    \b
    Example:
      impulse example
      impulse example four-bar
      impulse run four-bar.xml -o four-bar.json
    """
    from impulse_cli.samples import sample_scenes

    scenes = sample_scenes()
    if name is not None:
        _write(_known(name, scenes), output or Path(f"{name}.xml"), force)
    elif output is not None or force:
        raise click.UsageError("Name the sample to write; impulse example lists them.")
    else:
        _list(scenes)


def _list(scenes: dict[str, Path]) -> None:
    from impulse_cli.samples import summary

    column = max(map(len, scenes))
    for folder, members in groupby(scenes.items(), lambda member: member[1].parent.name):
        say(f"{folder}:")
        for name, file in members:
            say(_fitted(f"  {name:{column}}  {summary(file)}"))


def _fitted(line: str) -> str:
    """``line``, cut at the edge of a terminal; a program gets it whole."""
    if not sys.stdout.isatty():
        return line
    width = shutil.get_terminal_size().columns
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def _known(name: str, scenes: dict[str, Path]) -> Path:
    if name in scenes:
        return scenes[name]
    from impulse_schema.suggest import did_you_mean

    hint = did_you_mean(name, scenes) or "impulse example lists them."
    raise click.UsageError(f"There is no sample scene '{name}'. {hint}")


def _write(sample: Path, output: Path, force: bool) -> None:
    from impulse_cli.mesh_files import copy_meshes
    from impulse_core.recording import RecordingError, write_atomically
    from impulse_schema import load_scene, save_scene

    check_outputs([output], inputs=[sample], suffixes=(".xml", ".json"))
    if output.exists() and not force:
        raise RecordingError(
            "is there already; choose another name with -o, or replace it with --force.",
            file=str(output),
        )
    scene = load_scene(sample, keep_parts=True)
    remedy = "write into another folder with -o, or replace it with --force"
    copied = copy_meshes(scene, sample.parent, output.parent, replace=force, remedy=remedy)
    if output.suffix.lower() == ".xml":
        write_atomically(output, sample.read_bytes())
    else:
        save_scene(scene, output)
    say(f"wrote {', '.join(str(path) for path in [output, *copied])}")
