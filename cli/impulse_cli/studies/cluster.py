"""Workers: a Dask cluster of this computer, or any other by its address."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.runs import LOST, Row, Study, run_one

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Job", "Workers", "identity", "open_workers", "require_extra"]

_NEEDED = ("distributed", "pandas", "pyarrow", "optuna", "cmaes", "matplotlib")
_PLUGIN = "impulse-study"
_WAITING = 1000  # runs handed to the scheduler and not yet back; more cost memory and gain nothing
# By name, so that a worker that lacks this very function can say so.
_ASK = "__import__('impulse_cli.studies.cluster', fromlist=['identity']).identity()"
_UNDER_WAY = {"pending", "lost"}  # also of a run whose worker died with the result: it comes again
_SECONDS_TO_CONNECT = 30
_SETTINGS = {
    # A run may use the processor for minutes without a word to its scheduler.
    "distributed.scheduler.worker-ttl": None,
    # Dask would look a hundred times a second where a worker is.
    "distributed.worker.profile.enabled": False,
}
"""Of a cluster of this computer."""

Job = tuple[str, dict[str, Any]]
"""Key of a run, and what is changed of the scene."""


def require_extra() -> None:
    """Raise ``StudyError`` where the libraries for many runs are not installed."""
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        raise StudyError(
            f"Many runs need Dask, pandas and Optuna ({', '.join(missing)} not found):"
            " pip install 'impulse-dynamics[sweep]'. All other commands work without."
        )


def identity() -> dict[str, str]:
    """What results depend on besides the scene: sources and versions of libraries."""
    import hashlib
    import platform

    import numba
    import numpy as np

    from impulse_core import run_key
    from impulse_schema import Scene

    sources = hashlib.sha256(run_key(Scene(version=1)).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        sources.update(source.read_bytes())
    python = ".".join(platform.python_version_tuple()[:2])
    return {
        "sources": sources.hexdigest()[:16],
        "Python": python,
        "NumPy": np.__version__,
        "Numba": numba.__version__,
    }


@contextmanager
def open_workers(study: Study, *, workers: int | None, cluster: str | None) -> Iterator[Workers]:
    """Workers that know the study; those of this computer end with the block.

    Args:
        study: What runs have in common.
        workers: Processes on this computer; default one for each processor.
        cluster: Address of a Dask scheduler, as in ``tcp://10.0.0.1:8786``, or the file that it
            writes with ``--scheduler-file``; default none.

    Raises:
        StudyError: There is no such cluster, or other versions run on it.
    """
    import dask
    from distributed import Client

    with ExitStack() as stack:
        stack.enter_context(_quiet())
        stack.enter_context(dask.config.set(_SETTINGS))
        if cluster is None:
            client = Client(stack.enter_context(closing(_local(workers))))
        else:
            client = _connected(cluster)
        stack.enter_context(closing(client))
        if cluster is not None:
            _refuse_other_versions(client)
        yield Workers(client, study, are_ours=cluster is None)


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask logs tracebacks of workers that go and come; what matters of it becomes a sentence."""
    loggers = [
        logging.getLogger(name)
        for name in logging.root.manager.loggerDict
        if name.partition(".")[0] in {"bokeh", "distributed", "tornado"}
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _local(workers: int | None) -> Any:
    """A cluster of processes with one thread each, which nobody else can reach."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL + 1,
    )


def _connected(cluster: str) -> Client:
    from distributed import Client

    is_file = "://" not in cluster
    if is_file:
        cluster = _address_in(Path(cluster))
    try:
        return Client(cluster, timeout=_SECONDS_TO_CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).rstrip(".").splitlines()[0]
        raise StudyError(f"there is no Dask scheduler at {cluster}: {reason}.") from None


def _address_in(path: Path) -> str:
    try:
        address = json.loads(path.read_bytes())["address"]
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StudyError(
            f"{path}: {reason}; name the file that 'dask scheduler --scheduler-file' writes, or an"
            " address like tcp://10.0.0.1:8786."
        ) from None
    except (ValueError, KeyError, TypeError):
        raise StudyError(
            f"{path}: is no file of a Dask scheduler, which names its address."
        ) from None
    return str(address)


def _refuse_other_versions(client: Client) -> None:
    """Refuse a cluster on which another Impulse, or none, would compute other numbers."""
    mine = identity()
    try:
        answers = client.run(eval, _ASK, on_error="return")
        answers["scheduler"] = client.run_on_scheduler(eval, _ASK)
    except ModuleNotFoundError as error:
        answers = {"scheduler": error}
    for place, theirs in answers.items():
        if isinstance(theirs, BaseException):
            raise StudyError(
                f"{place} has no Impulse that knows sweeps ({theirs}); install the same version"
                " there as here."
            )
        _refuse_other_version(str(place), mine, theirs)
    if len(answers) == 1:
        raise StudyError("the cluster has no workers; start some with 'dask worker ADDRESS'.")


def _refuse_other_version(place: str, mine: Mapping[str, str], theirs: Mapping[str, str]) -> None:
    for what, version in mine.items():
        if theirs.get(what) == version:
            continue
        said = "another version of Impulse" if what == "sources" else f"{what} {theirs.get(what)}"
        here = "" if what == "sources" else f", here is {version}"
        raise StudyError(f"{place} has {said}{here}; install the same there as here.")


class Workers:
    """Runs simulations of one study, on as many workers as there are.

    Attributes:
        dashboard: Address of the page on which Dask shows what it does.
    """

    def __init__(self, client: Client, study: Study, *, are_ours: bool) -> None:
        from impulse_cli.studies.plugin import StudyPlugin

        self._client = client
        self._name = f"{_PLUGIN}-{id(study)}-{client.id}"
        client.register_plugin(StudyPlugin(study, is_ours=are_ours), name=self._name)
        self.dashboard = str(client.dashboard_link)

    @property
    def count(self) -> int:
        """How many runs are computed at once."""
        return sum(self._client.nthreads().values())

    def rows(self, jobs: Sequence[Job]) -> Iterator[Row]:
        """The rows of runs, each as soon as it is known, in any order.

        Raises:
            StudyError: The cluster is gone.
        """
        from distributed import as_completed

        waiting = iter(jobs)
        known: dict[str, Job] = {}
        completed = as_completed(raise_errors=False)

        def hand_over(count: int) -> None:
            for _, job in zip(range(count), waiting, strict=False):
                known[job[0]] = job
                completed.add(
                    self._client.submit(_run, self._name, *job, key=f"run-{job[0]}", pure=False)
                )

        try:
            hand_over(_WAITING)
            while known:
                future = next(completed)
                if future.status in _UNDER_WAY:
                    completed.add(future)
                    continue
                job = known.pop(future.key.removeprefix("run-"))
                row = _row_of(future, job)
                future.release()
                hand_over(1)
                yield row
        finally:
            for future in list(completed.futures):
                with suppress(Exception):
                    future.cancel()


def _row_of(future: Any, job: Job) -> Row:
    """What a run handed back, or why it is lost."""
    if future.status == "finished":
        row: Row = future.result()
        return row
    if future.status != "error":
        raise StudyError(
            "the scheduler of the cluster is gone. What is known is kept: the same command goes on"
            " from there."
        )
    error = future.exception()
    name = type(error).__name__
    why = {
        "KilledWorker": "each worker that tried it was killed; there may not be memory enough",
        "MemoryError": "there was not enough memory for it",
    }.get(name, f"{name}: {error}")
    return Row(job[0], LOST, f"{why}.", job[1], {})


def _run(name: str, key: str, values: dict[str, Any]) -> Row:
    """One run, on a worker that has the study."""
    from distributed import get_worker

    plugin: Any = get_worker().plugins[name]
    return run_one(plugin.study, key, values)
