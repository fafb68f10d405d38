"""What a worker is given once, also one that joins later or takes the place of a killed one."""

from __future__ import annotations

import signal
import threading

from distributed import Worker, WorkerPlugin

from impulse_cli.studies.runs import Study

__all__ = ["StudyPlugin"]


class StudyPlugin(WorkerPlugin):
    """Holds a study on a worker.

    Args:
        study: What the runs have in common.
        is_ours: Whether the worker is a process of the command, to which a terminal sends Ctrl-C as
            well: the command alone answers it, and ends its workers.
    """

    def __init__(self, study: Study, *, is_ours: bool) -> None:
        self.study = study
        self._is_ours = is_ours

    def setup(self, worker: Worker) -> None:  # noqa: ARG002  # Dask's signature
        """Called on the worker."""
        if self._is_ours and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
