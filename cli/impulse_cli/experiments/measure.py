"""One simulation of an experiment and what it reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import impulse_core
from impulse_core.recording import Recording
from impulse_schema import Scene

__all__ = ["Measured", "measure", "time_of"]

_LONG_ENOUGH = 2.0  # s


@dataclass(frozen=True)
class Measured:
    """A simulation that came to its end, or failed.

    Attributes:
        recording: What was recorded, up to a failure.
        failure: Why it ended early, or "".
    """

    recording: Recording
    failure: str

    @property
    def report(self) -> dict[str, Any]:
        """What ``impulse run --report`` writes."""
        return self.recording.diagnostics


def measure(scene: Scene, **options: Any) -> Measured:
    """Simulate a scene.

    Raises:
        KeyboardInterrupt: Ctrl-C, which ``simulate`` itself answers with the frames so far.
    """
    try:
        recording = impulse_core.simulate(scene, **options)
    except impulse_core.SimulationError as error:
        return Measured(error.recording, str(error))
    if recording.diagnostics["interrupted"]:
        raise KeyboardInterrupt
    return Measured(recording, "")


def time_of(scene: Scene, *, rounds: int, **options: Any) -> Measured:
    """The fastest of several equal simulations: other programs can only slow one down.

    A simulation that takes seconds is not repeated; it averages over enough.
    """
    best = measure(scene, **options)
    for _ in range(rounds - 1):
        if best.report["wall_seconds_total"] > _LONG_ENOUGH:
            break
        best = min(best, measure(scene, **options), key=_seconds_per_step)
    return best


def _seconds_per_step(run: Measured) -> float:
    return float(run.report["seconds_per_step"]["mean"])
