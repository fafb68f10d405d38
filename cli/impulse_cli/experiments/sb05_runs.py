"""The simulations of Schmitt and Bender's comparison, by model, method and step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Run", "Runs"]


@dataclass(frozen=True)
class Run:
    """One simulation.

    Attributes:
        model: The paper's name.
        method: As on the command line.
        nominal_step: Step that is meant [s].
        step: Step that was used [s], a whole part of the period or of the time simulated.
        failure: Why it failed, or "".
        values: "ED" [J], "EID" [J], "drift" [m] and, for a single pendulum, "OTD" [m]; empty if
            it failed.
        halvings: How often a step was repeated in halves.
        corrections: Mean per step.
    """

    model: str
    method: str
    nominal_step: float
    step: float
    failure: str
    values: dict[str, float]
    halvings: int
    corrections: float


class Runs:
    """All simulations, in order."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = {(r.model, r.method, r.nominal_step): r for r in runs}

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs.values())

    def steps(self, model: str) -> list[float]:
        """Nominal steps of a model [s], the largest first."""
        return list(dict.fromkeys(r.nominal_step for r in self if r.model == model))

    def of(self, model: str, method: str, nominal_step: float) -> Run:
        """One simulation."""
        return self._runs[model, method, nominal_step]

    def series(self, model: str, method: str) -> list[Run]:
        """All steps of a method, the largest first."""
        return [self.of(model, method, step) for step in self.steps(model)]

    def failures(self, model: str, method: str) -> list[Run]:
        """Those that failed."""
        return [r for r in self.series(model, method) if r.failure]

    def typical(self, model: str, method: str, measure: str) -> float:
        """Geometric mean of a measure over the steps that did not fail."""
        values = [max(r.values[measure], 1e-17) for r in self.series(model, method) if r.values]
        return math.exp(float(np.mean(np.log(values)))) if values else math.inf

    def finest(self, model: str, method: str, measure: str) -> float:
        """A measure at the smallest step; infinite if that failed."""
        return self.series(model, method)[-1].values.get(measure, math.inf)

    def largest(self, method: str, measure: str) -> float:
        """Largest value of a measure over all models and steps that did not fail."""
        return max((r.values[measure] for r in self if r.method == method and r.values), default=0)

    def order(self, model: str, method: str, measure: str, floor: float) -> float | None:
        """Slope of a measure over the step by least squares, from values above ``floor``.

        None where fewer than two are above it.
        """
        points = [
            (math.log(r.step), math.log(r.values[measure]))
            for r in self.series(model, method)
            if r.values and r.values[measure] > floor
        ]
        if len(points) < 2:
            return None
        x, y = np.array(points).T
        return float(np.polyfit(x, y, 1)[0])
