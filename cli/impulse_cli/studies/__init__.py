"""Many runs of a scene: sweeps over its parameters, and searches for the best of them."""

from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.runs import Row
from impulse_cli.studies.sweeping import Outcome, Watcher, sweep

__all__ = ["Outcome", "Row", "StudyError", "Watcher", "sweep"]
