"""Tables and figures of the source papers, simulated, beside what was published.

A module here is an experiment: ``run(meter, quick=False)`` simulates and returns a ``Result``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from impulse_cli.experiments.result import Result

__all__ = ["EXPERIMENTS", "Meter", "run_experiment"]

Meter = Callable[[int, int, str], None]
"""Told how many simulations are done, of how many, and which comes next."""

EXPERIMENTS = {
    "sb05": "Pendulums of point masses: energy and period over 60 s, ten methods, twelve steps.",
    "bs06-tree": "Trees of 31 to 255 ball joints: milliseconds a step, three solvers.",
    "bs06-hub": "127 ball joints on one body: milliseconds a step, three solvers.",
    "bfs05-chain": "Eight bodies between two fixed points, to 1e-12 m: corrections and time.",
    "bs06-car": "A car with motors, steering and suspension: time, and how motors follow.",
    "bs06-leg": "A leg of the walking machine: servo, two hinges and a slider in a loop.",
}
"""What each experiment shows, in the order in which ``all`` runs them."""


def run_experiment(name: str, meter: Meter, *, quick: bool = False) -> Result:
    """Run one of ``EXPERIMENTS``.

    Args:
        name: Which.
        meter: Told how far it is.
        quick: Fewer and shorter simulations, to see that everything works; the numbers are not
            comparable with the papers' then.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    result: Result = module.run(meter, quick=quick)
    return result
