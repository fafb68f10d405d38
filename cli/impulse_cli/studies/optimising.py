"""``optimise``: the values of parameters with which a machine does best.

Trials come in batches of a fixed size. All trials of a batch are asked for before any of them is
told, and each draws from a generator of its own, seeded with its number: so neither the number of
workers nor an interruption at any moment changes what is tried.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from impulse_cli.studies.cluster import Workers, open_workers, require_extra
from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.measures import Measure, parse_measures
from impulse_cli.studies.plans import Values
from impulse_cli.studies.ranges import Range, parse_ranges
from impulse_cli.studies.results import Results
from impulse_cli.studies.runs import DONE, Row, Study, key_of, probe
from impulse_cli.studies.sweeping import Watcher, complete
from impulse_schema import Scene

if TYPE_CHECKING:
    import optuna

__all__ = ["DEFAULT_BATCH", "SAMPLERS", "Found", "optimise"]

SAMPLERS = ("cmaes", "tpe")
DEFAULT_BATCH = 8
_TRIALS = "trials.db"


@dataclass(frozen=True)
class Found:
    """What a search leaves behind.

    Attributes:
        table: The Parquet file with a row for the scene as it stands, and one for each trial.
        objectives: Texts of what was maximised or minimised.
        maximised: Of each, whether more is better.
        start: The scene as it stands.
        rows: The trials, in their order.
        best: The best one; of several objectives all that no other trial beats in each.
        computed: How many runs were computed now, and not found in the folder.
    """

    table: Path
    objectives: list[str]
    maximised: list[bool]
    start: Row
    rows: list[Row]
    best: list[Row]
    computed: int


def optimise(
    scene: Scene,
    vary: Sequence[str],
    output: str | Path,
    *,
    maximise: Sequence[str] = (),
    minimise: Sequence[str] = (),
    trials: int = 100,
    sampler: str | None = None,
    batch: int = DEFAULT_BATCH,
    seed: int = 0,
    storage: str | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    watcher: Watcher | None = None,
) -> Found:
    """Search for the values with which measures of a scene are greatest or least.

    The same call goes on where another was interrupted, and with more ``trials`` further than it.

    Args:
        scene: The scene; it is measured as it stands, too, to compare with.
        vary: Ranges to search, as in ``joints[knee].motors[0].proportional=50:500:log``, or lists.
        output: Folder for the results.
        maximise: Measures as those of ``sweep``, each as great as possible.
        minimise: Those that shall be as small as possible.
        trials: Runs in all, besides that of the scene as it stands.
        sampler: "cmaes" (CMA-ES: two ranges or more, one objective) or "tpe" (for anything);
            default cmaes where it can search.
        batch: Runs that are chosen at once. The trials depend on it, not on the workers.
        seed: Of what is drawn at random.
        storage: Database in which Optuna keeps the trials, as ``postgresql://host/name``; default
            an SQLite file in ``output``.
        workers: Processes on this computer; default one for each processor.
        cluster: In place of those the address of a Dask scheduler, or its scheduler file.
        watcher: Who is told how far it is.

    Returns:
        The trials, and which are the best.

    Raises:
        StudyError: It cannot be made as asked for, or cannot go on; what is known is kept.
        ParameterError: A path names nothing, or a value cannot be there.
        SceneError: The scene cannot be simulated.
    """
    require_extra()
    objectives = _objectives(maximise, minimise)
    ranges = parse_ranges(scene, vary)
    chosen = _chosen(sampler, ranges, objectives)
    search = _Search(ranges, objectives, len(maximise), chosen, batch, seed)
    with Results(Path(output)) as results:
        study = Study(scene, tuple(objectives))
        base = probe(study, watcher.start if watcher else None)
        search.open(base, storage or f"sqlite:///{(Path(output) / _TRIALS).absolute()}")
        with open_workers(study, workers=workers, cluster=cluster) as pool:
            if watcher is not None:
                watcher.begin(search.count, trials, pool.dashboard)
            runs = _Runs(study, results, base, pool, watcher)
            return _searched(search, runs, trials)


def _objectives(maximise: Sequence[str], minimise: Sequence[str]) -> list[Measure]:
    """What is searched for, those to be maximised first."""
    objectives = parse_measures([*maximise, *minimise])
    if not objectives or len(objectives) < len(maximise) + len(minimise):
        raise StudyError("name each objective once, with --maximise or --minimise.")
    return objectives


def _searched(search: _Search, runs: _Runs, trials: int) -> Found:
    """Try until there are so many trials, and write the table."""
    (start,) = runs.of([{}])
    while values := search.next_batch(trials):
        search.tell(runs.of(values))
    # Of trials in a database of their own the folder may know nothing.
    tried = search.all_values()
    runs.of([values for values in tried if key_of(runs.base, values) not in runs.results])
    rows = [runs.results.row(key_of(runs.base, values)) for values in tried]
    table = runs.results.write_table([start, *rows], search.paths, search.objectives)
    best = [rows[number] for number in search.best()]
    return Found(table, search.objectives, search.maximised, start, rows, best, runs.computed)


def _chosen(sampler: str | None, ranges: Sequence[Range], objectives: Sequence[Measure]) -> str:
    """The sampler asked for, if it can search here, or the one that can."""
    if not ranges:
        raise StudyError("nothing is varied; name a range with --vary.")
    lists = [each.path for each in ranges if each.is_list]
    why = ""
    if len(objectives) > 1:
        why = "it takes one objective"
    elif len(ranges) < 2:
        why = "it needs two ranges or more"
    elif lists:
        why = f"{lists[0]} is a list, and it searches ranges"
    if sampler == "cmaes" and why:
        raise StudyError(f"--sampler cmaes cannot search here: {why}; write --sampler tpe.")
    return sampler or ("tpe" if why else "cmaes")


@dataclass
class _Runs:
    """Computes rows, or finds them in the folder."""

    study: Study
    results: Results
    base: str
    pool: Workers
    watcher: Watcher | None
    computed: int = 0

    def of(self, values: Sequence[Values]) -> list[Row]:
        """The rows of these runs, in their order."""
        jobs = [(key_of(self.base, each), each) for each in values]
        self.computed += complete(self.study, self.results, jobs, self.pool, self.watcher)
        return [self.results.row(key) for key, _ in jobs]


class _Search:
    """Chooses what is tried, and learns from it; Optuna keeps all of it in a database."""

    def __init__(
        self,
        ranges: Sequence[Range],
        objectives: Sequence[Measure],
        maximised: int,
        sampler: str,
        batch: int,
        seed: int,
    ) -> None:
        self._ranges = ranges
        self.paths = [each.path for each in ranges]
        self.objectives = [measure.text for measure in objectives]
        self.maximised = [number < maximised for number in range(len(objectives))]
        self._sampler_name, self._batch, self._seed = sampler, batch, seed
        self._waiting: list[int] = []

    def open(self, base: str, storage: str) -> None:
        """Open the database, or begin it."""
        import optuna
        from sqlalchemy.exc import SQLAlchemyError

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        try:
            self._study = optuna.create_study(
                storage=storage,
                study_name=self._name(base),
                directions=["maximize" if more else "minimize" for more in self.maximised],
                load_if_exists=True,
            )
        except (SQLAlchemyError, ImportError, ValueError) as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise StudyError(
                f"the database {storage} cannot be used: {reason}; write it as"
                " sqlite:///trials.db or postgresql://user@host/name."
            ) from None

    def _name(self, base: str) -> str:
        """Of all that the trials depend on, so that another search is another one."""
        of_scene = base, [repr(each) for each in self._ranges], self.objectives, self.maximised
        parts = [*of_scene, self._sampler_name, self._batch, self._seed]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def count(self) -> int:
        """How many trials have ended."""
        return sum(trial.state.is_finished() for trial in self._study.get_trials(deepcopy=False))

    def next_batch(self, trials: int) -> list[Values]:
        """What is tried next; nothing at the end. Trials that an interrupted search has chosen
        come first, with those that were to be chosen with them.
        """
        import optuna

        known = self._study.get_trials(deepcopy=False)
        running = [trial for trial in known if not trial.state.is_finished()]
        chosen = []
        for trial in running:
            self._study.sampler = self._sampler(trial.number)
            chosen.append(optuna.trial.Trial(self._study, trial._trial_id))
        first = running[0].number if running else len(known)
        end = min(trials, (first // self._batch + 1) * self._batch)
        values = [self._suggested(trial) for trial in chosen]
        for number in range(len(known), end):
            self._study.sampler = self._sampler(number)
            chosen.append(self._study.ask())
            values.append(self._suggested(chosen[-1]))
        self._waiting = [trial.number for trial in chosen]
        return values

    def tell(self, rows: Sequence[Row]) -> None:
        """What became of the batch, in its order; a run that failed teaches nothing."""
        from optuna.trial import TrialState

        for number, row in zip(self._waiting, rows, strict=True):
            if row.status == DONE:
                self._study.tell(number, [row.measures[text] for text in self.objectives])
            else:
                self._study.tell(number, state=TrialState.FAIL)

    def all_values(self) -> list[Values]:
        """What was tried, in order."""
        return [dict(trial.params) for trial in self._study.get_trials(deepcopy=False)]

    def best(self) -> list[int]:
        """The numbers of the best trials."""
        if not any(trial.values for trial in self._study.get_trials(deepcopy=False)):
            return []
        if len(self.objectives) == 1:
            return [self._study.best_trial.number]
        return [trial.number for trial in self._study.best_trials]

    def _suggested(self, trial: optuna.trial.Trial) -> Values:
        for each in self._ranges:
            _suggest(trial, each)
        return {each.path: trial.params[each.path] for each in self._ranges}

    def _sampler(self, number: int) -> Any:
        """A sampler for one trial, which depends on the trials before and on its number alone."""
        import optuna

        digest = hashlib.sha256(f"{self._seed} {number}".encode()).digest()
        seed = int.from_bytes(digest[:4], "little") >> 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            if self._sampler_name == "cmaes":
                return optuna.samplers.CmaEsSampler(seed=seed, popsize=max(self._batch, 4))
            return optuna.samplers.TPESampler(seed=seed, multivariate=True)


def _suggest(trial: optuna.trial.Trial, each: Range) -> None:
    if each.is_list:
        trial.suggest_categorical(each.path, each.values)
    elif each.kind == "integer":
        trial.suggest_int(each.path, int(each.low), int(each.high), log=each.is_log)
    else:
        trial.suggest_float(each.path, each.low, each.high, log=each.is_log)
