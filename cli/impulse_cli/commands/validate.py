"""``impulse validate``: every problem of a scene at once."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from impulse_cli.exit_codes import GOOD, WRONG_INPUT
from impulse_cli.parameters import FILE, allow_outside_option, json_option
from impulse_cli.terminal import say, say_json

if TYPE_CHECKING:
    from impulse_schema import Problem


@click.command()
@click.argument("scenes", metavar="SCENE...", nargs=-1, required=True, type=FILE)
@json_option
@allow_outside_option
@click.option(
    "--start",
    is_flag=True,
    help="Prepare the first step as well, which finds bodies that overlap and joints that cannot"
    " be closed. Compiles the simulator's kernels, once.",
)
def validate(scenes: tuple[Path, ...], as_json: bool, allow_outside: bool, start: bool) -> int:
    """Check scene files and list everything that is wrong with them.

    Each line says where (file:line:column), which element, what is wrong, and what to write
    instead. The exit code is 0 if all files are good and 1 otherwise.

    \b
    Example:
      impulse validate crane.xml
      impulse validate --json sample_scenes/*/*.xml
    """
    found = {scene: _problems(scene, allow_outside, start) for scene in scenes}
    if as_json:
        say_json(_as_data(found))
    else:
        _print(found)
    return WRONG_INPUT if any(found.values()) else GOOD


def _problems(path: Path, allow_outside: bool, start: bool) -> list[Problem]:
    import impulse_core
    from impulse_schema import SceneError

    try:
        scene = impulse_core.load_scene(path, allow_outside=allow_outside)
        return list(impulse_core.check(scene, start=start))
    except SceneError as error:
        return error.problems


def _print(found: dict[Path, list[Problem]]) -> None:
    for path, problems in found.items():
        for problem in problems:
            say(str(problem))
        if not problems:
            say(f"{path}: good")
        else:
            count = sum(problem.count for problem in problems)
            say(f"{path}: {count} problem{'s' if count > 1 else ''}")


def _as_data(found: dict[Path, list[Problem]]) -> dict[str, Any]:
    """{"valid", "files": [{"file", "valid", "problems": [{"code", "file", "line", …}]}]}

    Of more than a hundred problems of a file, the last of its list has the "count" of the others.
    """
    files = [
        {
            "file": str(path),
            "valid": not problems,
            "problems": [dataclasses.asdict(problem) for problem in problems],
        }
        for path, problems in found.items()
    ]
    return {"valid": not any(found.values()), "files": files}
