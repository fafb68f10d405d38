"""Schmitt and Bender 2005: ten methods on pendulums of point masses."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np

from impulse_cli.experiments import Meter
from impulse_cli.experiments.measure import Measured, measure
from impulse_cli.experiments.numbers import power
from impulse_cli.experiments.result import Figure, Line, Number, Panel, Result, Table
from impulse_cli.experiments.sb05_claims import claims
from impulse_cli.experiments.sb05_runs import Run, Runs
from impulse_cli.experiments.scenes.pendulums import stretched_out, swinging
from impulse_schema import Scene

__all__ = ["METHODS", "MODELS", "TOLERANCE", "run", "step_sizes"]

METHODS = ("gc4", "lm4", "lmbs4", "lmv4", "lmvd4", "imp2", "imp4", "imp6", "imp8", "imp10")
SPAN = 60.0  # s, as in the paper
TOLERANCE = 1e-13  # m; the paper gives none, and orders 8 and 10 only show above the tolerance
FAILED = 1.0  # m of constraint error, the paper's definition

# From 0.08 s down in half octaves to 0.0025 s, then 0.00125 s: twelve, as in the paper.
_NOMINAL_STEPS = (*(0.08 / 2.0 ** (k / 2.0) for k in range(11)), 0.00125)

_STAGES = {"imp2": 1, "imp4": 5, "imp6": 9, "imp8": 17, "imp10": 35}  # others: about 5


@dataclass(frozen=True)
class Model:
    """A pendulum of the paper's section 2.

    Attributes:
        name: The paper's.
        scene: Makes it.
        period: Of its oscillation [s], as the paper prints it; None where motion is chaotic.
        measures: What the paper plots of it, with the figure's number.
    """

    name: str
    scene: Callable[[], Scene]
    period: float | None
    measures: dict[str, str]


MODELS = (
    Model(
        "Pendulum10",
        lambda: swinging(10.0),
        2.00989262729860,
        {"ED": "fig. 1", "OTD": "fig. 2", "drift": "fig. 5"},
    ),
    Model(
        "Pendulum90",
        lambda: swinging(90.0),
        2.36784194757623,
        {"ED": "fig. 3", "OTD": "fig. 4", "drift": "fig. 6"},
    ),
    Model("2-Pendulum", lambda: stretched_out(2), None, {"EID": "fig. 7"}),
    Model("3-Pendulum", lambda: stretched_out(3), None, {"EID": "fig. 8"}),
)

_UNITS = {"ED": "J", "OTD": "m", "EID": "J", "drift": "m"}
_NAMES = {
    "ED": "Energy drift ED",
    "OTD": "Oscillation time drift OTD",
    "EID": "Energy increment drift EID",
    "drift": "Constraint drift (largest error of a distance)",
}
_COLORS = {
    "gc4": "0.1",
    "lm4": "tab:red",
    "lmbs4": "tab:orange",
    "lmv4": "tab:olive",
    "lmvd4": "tab:brown",
    "imp2": "tab:cyan",
    "imp4": "tab:blue",
    "imp6": "tab:green",
    "imp8": "tab:purple",
    "imp10": "tab:pink",
}


_REMARKS = (
    (
        "Steps of Pendulum10 and Pendulum90 are T/k, so that x is measured at multiples of"
        " the period without interpolation; the table gives the h that is meant, the CSV the h"
        " that was used."
    ),
    (
        "The curves of imp6, imp8 and imp10 end in a floor, not in an order: round-off and"
        f" the joint tolerance of {TOLERANCE:g} m, which many small steps add up."
    ),
    (
        "The paper's Imp6, Imp8 and Imp10 have “more or less the same inclination”; its way"
        " to higher orders is described elsewhere. Ours are symmetric compositions, each with"
        " an inclination of its own."
    ),
    (
        "2-Pendulum and 3-Pendulum are chaotic: at large steps a change in the last digit"
        " gives another motion, so the two upper rows of EID are good for their power of ten"
        " only. Where a rod would turn by more than 0.6 rad in a stage the impulse methods"
        " halve that step; the CSV counts how often."
    ),
)


def run(meter: Meter, *, quick: bool = False) -> Result:
    """Simulate every model with every method and step size.

    Accuracy is measured here and not time, so simulations share the processors.
    """
    span = 6.0 if quick else SPAN
    jobs = [
        (model, method, step)
        for model in MODELS
        for method in METHODS
        for step in _steps_of(model, span, quick)
    ]
    runs = Runs(_run_all(jobs, span, meter))
    return Result(
        name="sb05",
        title="ten methods on four pendulums",
        paper="Schmitt and Bender 2005, Impulse-Based Dynamic Simulation of Multibody Systems:"
        " Numerical Comparison with Standard Methods, figures 1 to 8",
        setup=f"Point masses of 1 kg, distance joints of 1 m, g = 9.81 m/s², {span:g} s;"
        f" joint tolerance of the impulse methods {TOLERANCE:g} m. ED = mean |E_i - E_0|,"
        " OTD = mean |x(i T)|, EID = mean |E_i - E_(i-1)|; “fail”: a constraint error has passed"
        " 1 m. The paper prints curves and no numbers; its sentences stand below.",
        tables=tuple(_tables(runs)),
        claims=claims(runs),
        figures=tuple(_figures(runs)),
        remarks=_REMARKS,
        data=tuple(_record(r) for r in runs),
    )


def step_sizes(period: float | None, span: float = SPAN) -> list[float]:
    """The twelve steps [s], fitted to whole parts of the period, or of the span if it is None."""
    whole = span if period is None else period
    return [whole / round(whole / step) for step in _NOMINAL_STEPS]


def _steps_of(model: Model, span: float, quick: bool) -> list[tuple[float, float]]:
    """Nominal and actual step sizes."""
    pairs = list(zip(_NOMINAL_STEPS, step_sizes(model.period, span), strict=True))
    return pairs[:5:2] if quick else pairs


Job = tuple[Model, str, tuple[float, float]]


def _run_all(jobs: Sequence[Job], span: float, meter: Meter) -> list[Run]:
    """Every job, the longest first, on all processors; in the order of ``jobs``."""
    by_cost = sorted(jobs, key=lambda job: -_STAGES.get(job[1], 5) / job[2][1])
    for method in METHODS:  # Numba compiles one kernel at a time
        meter(0, len(jobs), f"kernels of {method}")
        measure(MODELS[0].scene(), method=method, duration=0.1, step=0.1)
    found: dict[tuple[str, str, float], Run] = {}
    stop = threading.Event()

    def check(_: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt

    def simulate(job: Job) -> Run:
        check(None)
        try:
            return _simulate(*job, span, check)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(simulate, job) for job in by_cost]
        try:
            for done, future in enumerate(as_completed(futures)):
                result = future.result()
                found[result.model, result.method, result.nominal_step] = result
                meter(done + 1, len(jobs), f"{result.model} {result.method}")
        finally:  # after a failure or Ctrl-C the others end as well
            stop.set()
    return [found[model.name, method, steps[0]] for model, method, steps in jobs]


def _simulate(
    model: Model,
    method: str,
    steps: tuple[float, float],
    span: float,
    check: Callable[[Any], None],
) -> Run:
    nominal, step = steps
    count = int(span / step * (1.0 + 1e-12))
    measured = measure(
        model.scene(),
        method=method,
        step=step,
        duration=count * step,
        fps=1.0 / span if model.period is None else 1.0 / model.period,
        tolerance=TOLERANCE,
        progress=check,
    )
    report = measured.report
    drift = report["max_joint_error_m"]
    failed = bool(measured.failure) or drift is None or drift > FAILED
    energy = report["energy_j"]
    return Run(
        model=model.name,
        method=method,
        nominal_step=nominal,
        step=step,
        failure=(measured.failure or "the constraint error passed 1 m") if failed else "",
        values={}
        if failed
        else {
            "ED": energy["mean_abs_drift"],
            "EID": energy["mean_abs_increment"],
            "drift": drift,
            **({} if model.period is None else {"OTD": _lateness(measured, model.period)}),
        },
        halvings=report["halvings"],
        corrections=report["corrections_per_step"]["mean"],
    )


def _lateness(measured: Measured, period: float) -> float:
    """OTD: mean |x| at the multiples of the period [m]."""
    times = measured.recording.times
    multiples = times / period
    at_multiples = (np.abs(multiples - np.round(multiples)) < 1e-6) & (times > 0.5 * period)
    return float(np.abs(measured.recording.positions[at_multiples, 0, 0]).mean())


def _tables(runs: Runs) -> Iterator[Table]:
    for model in MODELS:
        for measure_, where in model.measures.items():
            rows = []
            for nominal in runs.steps(model.name):
                cells = [runs.of(model.name, method, nominal) for method in METHODS]
                rows.append((f"{nominal:.4g}", *(_cell(r, measure_) for r in cells)))
            yield Table(
                title=f"{model.name}: {_NAMES[measure_]} [{_UNITS[measure_]}] ({where})",
                columns=("h [s]", *METHODS),
                rows=tuple(rows),
            )


def _cell(r: Run, measure_: str) -> str:
    return "fail" if r.failure else power(r.values[measure_])


def _figures(runs: Runs) -> Iterator[Figure]:
    panels = {
        (model.name, measure_): Panel(
            title=f"{model.name} ({where})",
            x_label="h [s]",
            y_label=f"{measure_} [{_UNITS[measure_]}]",
            lines=tuple(_lines(runs, model.name, measure_)),
        )
        for model in MODELS
        for measure_, where in model.measures.items()
    }
    both = ("Pendulum10", "Pendulum90")
    chaotic = ("2-Pendulum", "3-Pendulum")
    for stem, measure_, names in (
        ("energy", "ED", both),
        ("period", "OTD", both),
        ("constraints", "drift", both),
        ("chaotic", "EID", chaotic),
    ):
        yield Figure(
            name=f"sb05-{stem}",
            caption=f"{_NAMES[measure_]} over the step size; lines end where a method fails.",
            panels=tuple(panels[name, measure_] for name in names),
        )


def _lines(runs: Runs, model: str, measure_: str) -> Iterator[Line]:
    for method in METHODS:
        series = runs.series(model, method)
        yield Line(
            label=method,
            x=[r.step for r in series],
            # zero has no place on a logarithmic axis
            y=[max(r.values[measure_], 1e-17) if not r.failure else None for r in series],
            style="o-" if method.startswith("imp") else "s--",
            color=_COLORS[method],
        )


def _record(r: Run) -> dict[str, Number]:
    return {
        "model": r.model,
        "method": r.method,
        "step_s": r.step,
        "energy_drift_j": r.values.get("ED"),
        "oscillation_time_drift_m": r.values.get("OTD"),
        "energy_increment_drift_j": r.values.get("EID"),
        "constraint_drift_m": r.values.get("drift"),
        "halvings": r.halvings,
        "corrections_per_step": r.corrections,
        "failure": r.failure,
    }
