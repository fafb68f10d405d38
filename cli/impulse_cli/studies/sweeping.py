"""``sweep``: a scene simulated with many values of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from impulse_cli.studies.cluster import Job, Workers, open_workers, require_extra
from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.measures import parse_measures
from impulse_cli.studies.plans import Values, grid, sobol, table
from impulse_cli.studies.ranges import parse_ranges
from impulse_cli.studies.results import Results
from impulse_cli.studies.runs import Row, Study, key_of, probe
from impulse_core import Progress
from impulse_schema import Scene

__all__ = ["Outcome", "Watcher", "complete", "missing_of", "sweep"]


class Watcher:
    """Is told how far a sweep or a search is; a class of yours overrides what it wants to know."""

    def start(self, progress: Progress) -> None:
        """A first step shows whether all measures exist; kernels may be compiled for it."""

    def begin(self, done: int, total: int, dashboard: str) -> None:
        """Workers are there; so many runs of all are known already."""

    def row(self, row: Row) -> None:
        """A run has ended."""


@dataclass(frozen=True)
class Outcome:
    """What a sweep leaves behind.

    Attributes:
        table: The Parquet file with a row for each run.
        rows: The same, in the order of the plan.
        computed: How many were computed now, and not found in the folder.
    """

    table: Path
    rows: list[Row]
    computed: int


def sweep(
    scene: Scene,
    vary: Sequence[str],
    measures: Sequence[str],
    output: str | Path,
    *,
    sobol_points: int | None = None,
    seed: int = 0,
    table_file: str | Path | None = None,
    recordings: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    watcher: Watcher | None = None,
) -> Outcome:
    """Simulate a scene with many values of its parameters, and measure each run.

    What is in the folder already is not computed again, so the same call goes on where another was
    interrupted. Rows depend neither on the number of workers nor on who was killed meanwhile. A
    program that calls this is imported by its workers: let it begin with
    ``if __name__ == "__main__":``.

    Args:
        scene: The scene; its settings say for how long and how each run is simulated.
        vary: As in ``joints[knee].motors[0].proportional=50:500:log:20`` or
            ``settings.method=imp2,imp4``; every combination is run.
        measures: What is computed of each run, as in ``recording.bodies[torso].position[-1].x``
            or ``report.energy_j.work_of_motors / report.step_count``.
        output: Folder for the results.
        sobol_points: In place of every combination so many points of a Sobol sequence.
        seed: Of that sequence.
        table_file: In place of ``vary`` a CSV file whose first line names paths.
        recordings: Whether each run is kept as ``recordings/KEY.npz``.
        workers: Processes on this computer; default one for each processor.
        cluster: In place of those the address of a Dask scheduler, or its scheduler file.
        watcher: Who is told how far it is.

    Returns:
        The table with a row for each run; runs that failed have their message in it.

    Raises:
        StudyError: It cannot be made as asked for, or cannot go on; what is known is kept.
        ParameterError: A path names nothing, or a value cannot be there.
        SceneError: The scene cannot be simulated.
    """
    require_extra()
    study = Study(scene, tuple(parse_measures(measures)), recordings)
    plan, paths = _planned(
        scene, vary, sobol_points, seed, Path(table_file) if table_file else None
    )
    with Results(Path(output)) as results:
        base = probe(study, watcher.start if watcher else None)
        jobs = [(key_of(base, values), values) for values in plan]
        computed = _compute(study, results, jobs, workers, cluster, watcher)
        texts = [measure.text for measure in study.measures]
        rows = [results.row(key) for key, _ in jobs]
        return Outcome(results.write_table(rows, paths, texts), rows, computed)


def complete(
    study: Study, results: Results, jobs: Sequence[Job], workers: Workers, watcher: Watcher | None
) -> int:
    """Compute and keep the runs that are not known yet; returns how many those were."""
    missing = missing_of(study, results, jobs)
    for row in workers.rows(missing):
        results.add(row)
        if watcher is not None:
            watcher.row(row)
    return len(missing)


def missing_of(study: Study, results: Results, jobs: Sequence[Job]) -> list[Job]:
    """The runs that are not known yet, each once."""
    texts = [measure.text for measure in study.measures]
    return [
        (key, values)
        for key, values in dict(jobs).items()
        if results.find(key, texts, with_recording=study.with_recordings) is None
    ]


def _planned(
    scene: Scene, vary: Sequence[str], points: int | None, seed: int, file: Path | None
) -> tuple[list[Values], list[str]]:
    """The runs, and the paths of what differs between them."""
    if file is not None:
        if vary or points is not None:
            raise StudyError("a table names all that is varied; leave --vary and --sobol out.")
        plan = table(scene, file)
        return plan, [*plan[0]]
    if not vary:
        raise StudyError("nothing is varied; name a range with --vary, or a table with --table.")
    ranges = parse_ranges(scene, vary)
    plan = grid(ranges) if points is None else sobol(ranges, points, seed)
    return plan, [each.path for each in ranges]


def _compute(
    study: Study,
    results: Results,
    jobs: Sequence[Job],
    workers: int | None,
    cluster: str | None,
    watcher: Watcher | None,
) -> int:
    if not (missing := missing_of(study, results, jobs)):
        return 0
    with open_workers(study, workers=workers, cluster=cluster) as pool:
        if watcher is not None:
            total = len(dict(jobs))
            watcher.begin(total - len(missing), total, pool.dashboard)
        return complete(study, results, missing, pool, watcher)
