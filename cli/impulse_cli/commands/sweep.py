"""``impulse sweep``: a scene simulated with many values of its parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from impulse_cli.exit_codes import GOOD, SIMULATION_FAILED
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
    from impulse_cli.studies import Outcome


@click.command()
@click.argument("scene", type=FILE)
@vary_option
@click.option(
    "--measure",
    metavar="EXPR",
    multiple=True,
    required=True,
    help="A number of each run: arithmetic of what is below recording, report or the scene; may be"
    " repeated.",
)
@folder_option
@click.option("--grid", is_flag=True, help="Run every combination; so it is by default.")
@click.option(
    "--sobol",
    "sobol_points",
    metavar="N",
    type=click.IntRange(min=1),
    help="Run N points that fill the ranges evenly (LOW:HIGH), for many parameters.",
)
@click.option(
    "--table",
    "table_file",
    metavar="CSV",
    type=FILE,
    help="Run the lines of a table, whose first line names paths.",
)
@seed_option
@click.option("--recordings", is_flag=True, help="Keep the recording of each run as .npz.")
@workers_option
@cluster_option
@allow_outside_option
def sweep(
    scene: Path,
    output: Path,
    measure: tuple[str, ...],
    grid: bool,
    allow_outside: bool,
    **options: Any,
) -> int:
    """Simulate SCENE with many values of its parameters, and measure each run.

    The results are FOLDER/table.parquet, with a row for each run, and figure.png. What is known
    already is not computed again: after Ctrl-C, a failure or with more values the same command
    goes on. A run that fails is a row with its message.

    \b
    A measure names values by paths:
      recording.bodies[torso].position[-1].x     the last frame; x, y, z or length of a vector
      recording.joints[knee].drive_torque[max]   over all frames; also min, mean
      report.energy_j.work_of_motors             what --report of "impulse run" holds
      bodies[torso].mass                         of the scene

    \b
    Examples:
      impulse sweep leg.xml --vary 'joints[servo].motors[0].proportional=1e3:5e4:log:20' \\
        --measure 'recording.bodies[shank].position[-1].z' -o gains
      impulse sweep walker.xml --vary 'materials[rock].static_friction=0.1:1' \\
        --vary 'joints[*-servo].motors[0].derivative=1:50:log' --sobol 256 \\
        --measure 'recording.bodies[torso].position[-1].x' -o friction --workers 8
      impulse sweep leg.xml --table params.csv --measure report.step_count -o runs \\
        --cluster tcp://10.0.0.1:8786
    """
    if grid and (options["sobol_points"] is not None or options["table_file"] is not None):
        raise click.UsageError("--grid, --sobol and --table exclude each other; give one.")
    from impulse_cli.studies import sweep as run_sweep
    from impulse_cli.studies.cluster import require_extra
    from impulse_cli.studies.watching import watched
    from impulse_core import load_scene

    require_extra()
    loaded = load_scene(scene, allow_outside=allow_outside)
    with watched(output) as counter:
        outcome = run_sweep(loaded, measures=measure, output=output, watcher=counter, **options)
    if counter.compiled:
        complain(f"Workers had to compile {counter.compiled} kernels.")
    return _summary(outcome, _figure(output, outcome, measure))


def _figure(output: Path, outcome: Outcome, measures: tuple[str, ...]) -> list[Path]:
    """Measures over the one number that was varied, or lines across all that was."""
    from impulse_cli.studies.figures import curves, parallel
    from impulse_cli.studies.runs import DONE
    from impulse_core.recording import write_atomically

    done = [row for row in outcome.rows if row.status == DONE]
    if not done:
        return []
    paths, texts = [*done[0].values], [*done[0].measures]
    texts = [text for text in texts if text in {measure.strip() for measure in measures}]
    only = done[0].values[paths[0]]
    is_curve = len(paths) == 1 and isinstance(only, (int, float))
    path = output / "figure.png"
    write_atomically(
        path, curves(done, paths[0], texts) if is_curve else parallel(done, paths, texts)
    )
    return [path]


def _summary(outcome: Outcome, figures: list[Path]) -> int:
    """Say what there is; a sweep is good if any run was."""
    failed = [row for row in outcome.rows if row.message]
    for message in list(dict.fromkeys(row.message for row in failed))[:3]:
        count = sum(row.message == message for row in failed)
        complain(f"{count} run{'s' if count > 1 else ''} failed: {message}")
    total = len(outcome.rows)
    counts = f"{total} runs, {outcome.computed} computed now, {len(failed)} failed"
    say(f"wrote {', '.join(map(str, [outcome.table, *figures]))}: {counts}")
    return SIMULATION_FAILED if len(failed) == total else GOOD
