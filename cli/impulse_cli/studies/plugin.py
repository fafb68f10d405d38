"""What a worker is given once, also one that joins later or takes the place of a killed one."""

from __future__ import annotations

from distributed import WorkerPlugin

from impulse_cli.studies.runs import Study

__all__ = ["StudyPlugin"]


class StudyPlugin(WorkerPlugin):
    """Holds a study on a worker."""

    def __init__(self, study: Study) -> None:
        self.study = study
