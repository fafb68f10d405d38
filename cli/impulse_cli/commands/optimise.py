"""``impulse optimise``: the values of a scene's parameters with which it does best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from impulse_cli.exit_codes import GOOD, SIMULATION_FAILED
from impulse_cli.mesh_files import copy_meshes
from impulse_cli.parameters import (
    FILE,
    allow_outside_option,
    cluster_option,
    folder_option,
    seed_option,
    vary_option,
    workers_option,
)
from impulse_cli.terminal import complain, say

if TYPE_CHECKING:
    from impulse_cli.studies import Found
    from impulse_schema import Scene

_MOST_SCENES = 20
_OBJECTIVE = "A measure, as those of 'impulse sweep', to be as {}; may be repeated."


@click.command()
@click.argument("scene", type=FILE)
@vary_option
@click.option("--maximise", metavar="EXPR", multiple=True, help=_OBJECTIVE.format("great"))
@click.option("--minimise", metavar="EXPR", multiple=True, help=_OBJECTIVE.format("small"))
@folder_option
@click.option(
    "--trials",
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    default=100,
    show_default=True,
    help="Runs in all, those of earlier calls counted.",
)
@click.option(
    "--sampler",
    type=click.Choice(("cmaes", "tpe")),
    help="CMA-ES for one objective over two ranges or more (the default there), TPE for anything.",
)
@click.option(
    "--batch",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=8,
    show_default=True,
    help="Runs that are chosen at once: as many workers have work. Trials depend on it.",
)
@seed_option
@click.option(
    "--storage",
    metavar="URL",
    help="Database for the trials, as postgresql://user@host/name; default SQLite in the folder.",
)
@workers_option
@cluster_option
@allow_outside_option
def optimise(scene: Path, output: Path, allow_outside: bool, **options: Any) -> int:
    """Search for the values with which SCENE does best.

    The results are FOLDER/best.xml, the scene with the best values (of several objectives
    best-1.xml and so on, of which none is beaten in all of them), table.parquet with a row for the
    scene as it stands and one for each trial, convergence.png and parallel.png. After Ctrl-C the
    same command goes on; the same seed gives the same trials on any number of workers.

    \b
    Examples:
      impulse optimise walker.xml --vary 'joints[*-servo].motors[0].proportional=50:500:log' \\
        --vary 'bodies[torso].mass=2:8' --trials 500 -o gait \\
        --maximise 'recording.bodies[torso].position[-1].x / report.energy_j.work_of_motors'
    """
    from impulse_cli.studies import optimise as search
    from impulse_cli.studies.cluster import require_extra
    from impulse_cli.studies.watching import watched
    from impulse_core import load_scene

    require_extra()
    loaded = load_scene(scene, allow_outside=allow_outside)
    with watched(output) as counter:
        found = search(loaded, output=output, watcher=counter, **options)
    written = [found.table, *_write_scenes(loaded, scene, output, found)]
    if found.best:
        written += _write_figures(output, found)
    _summary(found)
    say(f"wrote {', '.join(map(str, written))}")
    return GOOD if found.best else SIMULATION_FAILED


def _write_scenes(loaded: Scene, source: Path, output: Path, found: Found) -> list[Path]:
    """The scene with the best values, or those of which none beats the others."""
    from impulse_core import set_parameters
    from impulse_schema import save_scene

    one = len(found.objectives) == 1
    paths = []
    for number, row in enumerate(found.best[:_MOST_SCENES], start=1):
        path = output / ("best.xml" if one else f"best-{number}.xml")
        changed = set_parameters(loaded, row.values)
        paths += [path, *copy_meshes(changed, source.parent, output)]
        save_scene(changed, path)
    return list(dict.fromkeys(paths))


def _write_figures(output: Path, found: Found) -> list[Path]:
    from impulse_cli.studies.figures import convergence, parallel
    from impulse_core.recording import write_atomically

    rows, texts = found.rows, found.objectives
    figures = {
        "convergence.png": convergence(rows, found.start, texts, found.maximised),
        "parallel.png": parallel(rows, [*found.best[0].values], texts),
    }
    for name, data in figures.items():
        write_atomically(output / name, data)
    return [output / name for name in figures]


def _summary(found: Found) -> None:
    """Say how much better the best is than the start, and with which values."""
    failed = [row for row in found.rows if row.message]
    if failed:
        complain(f"{len(failed)} of {len(found.rows)} trials failed, as: {failed[0].message}")
    if found.start.message:
        complain(f"The scene as it stands failed: {found.start.message}")
    for row in found.best[:_MOST_SCENES]:
        for text in found.objectives:
            start = found.start.measures.get(text)
            before = "" if start is None else f"; at the start {start:.6g}"
            say(f"{text} = {row.measures[text]:.6g}{before}")
        for path, value in row.values.items():
            say(f"  {path} = {value:.6g}" if isinstance(value, float) else f"  {path} = {value}")
    say(f"{len(found.rows)} trials, {found.computed} runs computed now")
