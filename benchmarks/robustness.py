"""Cases that are known to break simulators: they must finish with every joint closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import impulse_core
from impulse_cli.experiments.scenes.chains import uneven_chain
from impulse_cli.experiments.scenes.trees import tree, whirling_tree
from impulse_schema import Scene

__all__ = ["Ordeal", "Outcome", "ordeals", "suffer"]


@dataclass(frozen=True)
class Ordeal:
    """A scene and how it is run."""

    what: str
    scene: Scene
    method: str
    step: float
    duration: float = 10.0


@dataclass(frozen=True)
class Outcome:
    """How an ordeal ended.

    Attributes:
        finished: Whether it reached its end without a failure or a number that is not finite.
        joint_error: Largest [m].
        tolerance: What was asked for [m].
        corrections: Per impulse step, mean.
        halvings: Steps repeated in halves.
        energy_error: Largest change of the energy less the work of loads, over the energy moved.
    """

    finished: bool
    joint_error: float
    tolerance: float
    corrections: float
    halvings: int
    energy_error: float


def ordeals() -> list[Ordeal]:
    """Violent trees at the papers' step, and mass ratios.

    A light bar under a heavy load vibrates like a string: the bars of the chain with its weight at
    the end at up to some 500 rad/s, which a step must resolve (h ω < 2 for imp2).
    """
    pairs = {"lower": (1.0, 1e6), "upper": (1e6, 1.0)}
    rising, falling = np.geomspace(1.0, 1e4, 9), np.geomspace(1e4, 1.0, 9)
    return [
        *(Ordeal("tree-127", tree(127), method, 1 / 30) for method in ("imp2", "imp4", "imp8")),
        *(
            Ordeal(f"tree-127 thrown at {spin:g} rad/s", whirling_tree(127, spin), method, 1 / 30)
            for spin, method in ((3.0, "imp2"), (10.0, "imp2"), (10.0, "imp4"))
        ),
        *(
            Ordeal(f"two bars, the {which} 1e6 times heavier", uneven_chain(masses), method, 0.01)
            for which, masses in pairs.items()
            for method in ("imp2", "imp8")
        ),
        *(
            Ordeal(f"nine bars, 1e4 times {which} at the end", uneven_chain(masses), method, step)
            for which, masses, method, step in (
                ("lighter", falling, "imp2", 0.01),
                ("lighter", falling, "imp8", 0.005),
                ("heavier", rising, "imp2", 0.002),
                ("heavier", rising, "imp8", 0.005),
            )
        ),
    ]


def suffer(ordeal: Ordeal) -> Outcome:
    """Run an ordeal to its end."""
    finished = True
    try:
        recording = impulse_core.simulate(
            ordeal.scene, duration=ordeal.duration, step=ordeal.step, method=ordeal.method
        )
    except impulse_core.SimulationError as error:
        recording, finished = error.recording, False
    report, kinetic = recording.diagnostics, recording.energy["kinetic"]
    numbers = (recording.positions, recording.orientations, kinetic)
    drift = report["energy_j"]["max_abs_drift"]
    return Outcome(
        finished=finished and all(np.isfinite(values).all() for values in numbers),
        joint_error=report["max_joint_error_m"],
        tolerance=report["tolerance_m"],
        corrections=report["corrections_per_step"]["mean"],
        halvings=report["halvings"],
        energy_error=np.inf if drift is None else drift / kinetic.max(),
    )
