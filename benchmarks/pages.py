"""The sections of docs/benchmarks.md."""

from __future__ import annotations

import csv
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engines import Impulse, MuJoCo, Run, short
from milestones import Milestone
from robustness import Ordeal, Outcome
from scaling import ROUNDS, SIMULATED, STEP, Size, exponent
from start_up import StartUp
from step_cost import INTEGRATORS, StepCost
from work_precision import ENERGY_TARGETS, JOINT_TARGET, Result

__all__ = [
    "goals",
    "growth",
    "milestone_table",
    "robustness",
    "steps",
    "table",
    "waiting",
    "work_precision",
    "wrapped",
    "write_points",
]


def wrapped(page: str) -> str:
    """Paragraphs of at most 100 columns; tables, headings, pictures and code stay as they are."""
    parts = page.split("\n\n")
    return "\n\n".join(
        part if part.lstrip()[:1] in set("|#!`") else textwrap.fill(part, 100, **WRAPPING)
        for part in parts
    )


WRAPPING: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def goals(milestones: list[Milestone]) -> str:
    """What was set out to reach beside what is reached."""
    rows = [
        [
            m.what,
            f"{m.limit:g} {m.unit}",
            f"{m.value:.3g} {m.unit}",
            "yes" if m.met else "no",
            m.how,
        ]
        for m in milestones
    ]
    return table(["what", "at most", "reached", "met", "how"], rows)


def milestone_table(milestones: list[Milestone]) -> str:
    return f"""## Goals

What this project set out to reach, and what it does reach in this run. ms/s are milliseconds of
wall time per simulated second.

{goals(milestones)}
"""


def brief(number: float) -> str:
    return f"{number:.3g}".replace("e-0", "e-")


def work_precision(results: list[Result], differences: dict[str, float], picture: str) -> str:
    head = ["scene", "error ≤", "best of ours", "ms/s", "best of MuJoCo's", "ms/s", "ratio"]
    rows = [cheapest_row(result, energy) for result in results for energy in ENERGY_TARGETS]
    apart = max(differences.values(), default=0.0)
    same = (
        f" Both compute the same motion: bodies are at most {short(apart)} m apart after 1 s."
        if differences
        else ""
    )
    return f"""## Work and precision

Wall time per simulated second against the relative error of the energy, in one process, in turns,
only stepping timed. The error is max |E(t) − E₀| over the energy that loads brought in (trees and
hub, from the end of the torque on), else over M g · 1 m. MuJoCo's trees have joint coordinates,
so their joints cannot open; its loops are closed by `connect` constraints with default and with
tuned stiffness. Every setting counts whose joints stay within {short(JOINT_TARGET)} m.{same}

![Time against error]({picture})

The cheapest setting that keeps each error; all settings are in [benchmarks.csv](benchmarks.csv).
lmvd8 takes the fewest evaluations for ten seconds; like RK4 it is not symplectic, so its energy
error goes on growing with time, while that of imp2 … imp10 stays bounded.

{table(head, rows)}
"""


def cheapest_row(result: Result, energy: float) -> list[str]:
    ours, theirs = result.cheapest(Impulse, energy), result.cheapest(MuJoCo, energy)
    ratio = "–"
    if ours and theirs:
        ratio = f"{result.runs[ours].seconds / result.runs[theirs].seconds:.2f}"
    cells = [
        cell
        for setting in (ours, theirs)
        for cell in (
            (f"{setting.name}, {setting.details}", f"{1e3 * result.runs[setting].seconds:.3g}")
            if setting
            else ("none", "–")
        )
    ]
    return [f"`{result.name}`", short(energy), *cells, ratio]


def write_points(results: list[Result], path: Path) -> None:
    """Every setting of every scene."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["scene", "method", "step_s", "tolerance_m", "wall_ms_per_s", "relative_energy_error",
             "joint_error_m", "corrections_per_step", "halvings"]
        )  # fmt: skip
        for result in results:
            for setting, run in result.runs.items():
                writer.writerow([result.name, setting.name, *numbers(setting, run)])


def numbers(setting: Impulse | MuJoCo, run: Run) -> list[str]:
    own = isinstance(setting, Impulse)
    return [
        f"{setting.step:.6g}",
        f"{setting.tolerance:g}" if own else "",
        f"{1e3 * run.seconds:.4g}",
        f"{run.energy_error:.2e}",
        f"{run.joint_error:.2e}",
        f"{run.corrections:.1f}" if own else "",
        str(run.halvings) if own else "",
    ]


def steps(costs: list[StepCost]) -> str:
    rows = [
        [f"`{cost.scene}`", f"{cost.microseconds:.1f}", f"{cost.ours.corrections:.2f}"]
        + [f"{cost.mujoco[name]:.1f}" if cost.mujoco else "–" for name in INTEGRATORS]
        for cost in costs
    ]
    head = ["scene", "imp2 µs", "corrections", *(f"MuJoCo {name} µs" for name in INTEGRATORS)]
    return f"""## One step

h = 0.01 s, the first half second, while the torque acts; our joints within 1e-6 m. MuJoCo's Euler
and implicitfast are of order one, imp2 of order two, RK4 of order four.

{table(head, rows)}
"""


def growth(families: dict[str, list[Size]], picture: str) -> str:
    rows = [
        [
            name,
            str(size.joints),
            f"{size.microseconds:.1f}",
            f"{size.microseconds / size.joints:.2f}",
            f"{size.corrections:.2f}",
            f"{size.compile_seconds:.2f}",
            f"{size.megabytes:.2f}",
        ]
        for name, sizes in families.items()
        for size in sizes
    ]
    exponents = ", ".join(
        f"{name} {exponent(sizes, [size.microseconds for size in sizes]):.2f}"
        f" (memory {exponent(sizes, [size.megabytes for size in sizes]):.2f})"
        for name, sizes in families.items()
    )
    each = max(1e3 * size.compile_seconds / size.joints for size in biggest(families))
    head = ["", "joints", "µs a step", "µs a joint", "corrections", "start s", "MB"]
    return f"""## Growth with the number of joints

imp2, h = {STEP:g} s, joints within 1e-6 m, {SIMULATED:g} s, best of {ROUNDS} rounds. Trees are
the mobile with a tenth of its torque (with all of it the outermost bars of the largest whirl too
fast for this step), hubs the plate with bars, ladders of loops the scissor mast, in which every
three joints close one loop with redundant rows. Exponents, by least squares over all sizes:
{exponents}. The largest sizes leave the processor's cache. Start is the time from a scene to
arrays, elimination order included: up to {each:.2f} ms a joint, and linear as well.

![Time and memory against joints]({picture})

{table(head, rows)}
"""


def biggest(families: dict[str, list[Size]]) -> list[Size]:
    return [sizes[-1] for sizes in families.values()]


def robustness(outcomes: list[tuple[Ordeal, Outcome]]) -> str:
    rows = [
        [
            ordeal.what,
            f"{ordeal.method}, 1/{1 / ordeal.step:.0f} s",
            "yes" if outcome.finished else "**no**",
            f"{outcome.joint_error:.1e}",
            f"{outcome.corrections:.1f}",
            str(outcome.halvings),
            short(outcome.energy_error),
        ]
        for ordeal, outcome in outcomes
    ]
    head = ["", "step", "finished", "joint error [m]", "corrections", "halvings", "energy error"]
    return f"""## Hard cases

Ten seconds each. A run has finished if it came to its end with finite numbers. Corrections are
per step of the method, halvings are steps repeated in halves, the energy error is relative to the
largest kinetic energy. At 1/30 s the trees keep their joints but not their energy: bars turn too
far in a step for the motion to be right, and the report of the run says so. A light bar under a
heavy load vibrates like a string; the last chain's do at up to some 500 rad/s, which the step of
imp2 must resolve (h ω < 2), or the run ends with the error that names the joint.

{table(head, rows)}
"""


def waiting(result: StartUp) -> str:
    return f"""## Waiting

Wall time of the whole command, Python's own start included, on `pendulum.xml` (10 s of imp8).

| command | seconds |
| --- | --- |
| `impulse run` for the first time: compiles kernels, and says so | {result.cold:.1f} |
| `impulse run`, later | {result.warm:.2f} |
| `impulse validate` | {result.validate:.2f} |
"""
