"""How a run is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Options"]


@dataclass(frozen=True)
class Options:
    """What one run does.

    Attributes:
        duration: Simulated time [s].
        step: Length of a step [s].
        fps: Recorded frames per second [1/s].
        method: Integration method.
        solver: Solver of the joint system.
        tolerance: Largest joint error accepted [m].
        left_by_contacts: Overlap for which no stage is divided [m], where five times the tolerance
            is less.
        budget_ms: Time each step may take [ms], None if any.
        budget_corrections: Corrections each step may make, None if any.
        time_of_impact: Whether a step is divided where bodies meet or axes reach limits.
        impact_law: "poisson" or "newton", what restitution means.
        sleeping: Whether bodies that rest are left out of the steps until something comes near.
        record_contacts: Whether the recording holds the contact points of each frame.
        threads: Largest number of threads, on which no bit of the result depends.
    """

    duration: float
    step: float
    fps: float
    method: str
    solver: str
    tolerance: float
    left_by_contacts: float = 0.0
    budget_ms: float | None = None
    budget_corrections: int | None = None
    time_of_impact: bool = False
    impact_law: Literal["poisson", "newton"] = "poisson"
    sleeping: bool = False
    record_contacts: bool = False
    threads: int = 1
