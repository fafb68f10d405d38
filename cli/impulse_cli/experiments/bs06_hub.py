"""Bender and Schmitt 2006, section 5: all joints on one body."""

from __future__ import annotations

from impulse_cli.experiments import Meter
from impulse_cli.experiments.measure import Measured, time_of
from impulse_cli.experiments.numbers import milliseconds, power, short
from impulse_cli.experiments.result import Claim, Number, Result, Table
from impulse_cli.experiments.scenes.trees import DENSITY, hub

__all__ = ["run"]

SOLVERS = ("iterative", "sle", "direct")
TOLERANCE = 1e-4  # m
STEP = 1.0 / 30.0  # s

# The root of the papers' tree is a bar of 11.4 m under 19 times its mass; a plate of a thirtieth of
# the sample's density carries 21 times its own.
_DENSITIES = (DENSITY, DENSITY / 10.0, DENSITY / 30.0)
_LIKE_THE_TREE = _DENSITIES[2]

_REMARKS = (
    (
        "The paper publishes neither masses nor the torque. How many iterations it takes to"
        " solve joint by joint depends on how heavy the bars are against the body they hang on,"
        " so three plates are shown; in the paper's tree the bodies below the root weigh about"
        " 19 times as much as it does."
    ),
    (
        "Here every joint meets every other: the matrix over joints of `sle` is full, 381 by 381"
        " for 127 bodies, and its factorisation is nearly all of a step's time. That over bodies"
        " and joints of `direct` stays as sparse as for any tree."
    ),
)

Runs = dict[tuple[float, str], Measured]


def run(meter: Meter, *, quick: bool = False) -> Result:
    """Simulate the hub with plates of three masses and all solvers."""
    bodies, duration = (31, 0.2) if quick else (127, 2.0)
    jobs = [(density, solver) for density in _DENSITIES for solver in SOLVERS]
    runs: Runs = {}
    for done, (density, solver) in enumerate(jobs):
        meter(done, len(jobs), solver)
        runs[density, solver] = time_of(
            hub(bodies, plate_density=density),
            rounds=1 if quick else 3,
            duration=duration,
            step=STEP,
            tolerance=TOLERANCE,
            solver=solver,
        )
    meter(len(jobs), len(jobs), "")
    like_tree = short(_bars_to_plate(_LIKE_THE_TREE, bodies))
    sle, direct = (_gain(runs, _LIKE_THE_TREE, solver) for solver in ("sle", "direct"))
    return Result(
        name="bs06-hub",
        title=f"{bodies} ball joints on one body",
        paper="Bender and Schmitt 2006, section 5, after table 3 (no table of its own)",
        setup=f"{bodies - 1} bars on ball joints under one plate that hangs on a ball joint,"
        f" a torque on the plate, h = 1/30 s, tolerance {power(TOLERANCE)} m, imp2, the first"
        f" {duration:g} s; one thread.",
        tables=(
            Table(
                title="ms a step by solver, and iterations of the iterative one",
                columns=("bars : plate", *SOLVERS, "joints", "velocities"),
                rows=tuple(_row(runs, density, bodies) for density in _DENSITIES),
            ),
        ),
        claims=(
            Claim(
                "With SLE almost 80 times faster than without.",
                f"bars {like_tree} times as heavy as the plate: `sle` {short(sle)} times",
                sle >= 40.0,
            ),
            Claim(
                "With SLE almost 80 times faster than without. The same of our own system:",
                f"bars {like_tree} times as heavy as the plate: `direct` {short(direct)} times",
                direct >= 40.0,
            ),
        ),
        remarks=_REMARKS,
        data=tuple(_record(key, measured, bodies) for key, measured in runs.items()),
    )


def _bars_to_plate(density: float, bodies: int) -> float:
    """Mass of all bars over that of the plate."""
    plate, *bars = (body.mass or 0.0 for body in hub(bodies, plate_density=density).bodies)
    return sum(bars) / plate


def _seconds(measured: Measured) -> float:
    return float(measured.report["seconds_per_step"]["mean"])


def _gain(runs: Runs, density: float, solver: str) -> float:
    return _seconds(runs[density, "iterative"]) / _seconds(runs[density, solver])


def _row(runs: Runs, density: float, bodies: int) -> tuple[str, ...]:
    iterative = runs[density, "iterative"].report
    return (
        f"{short(_bars_to_plate(density, bodies))} : 1",
        *(milliseconds(_seconds(runs[density, solver])) for solver in SOLVERS),
        short(iterative["corrections_per_step"]["mean"]),
        short(iterative["velocity_corrections_per_step"]["mean"]),
    )


def _record(key: tuple[float, str], measured: Measured, bodies: int) -> dict[str, Number]:
    density, solver = key
    report = measured.report
    return {
        "bars_to_plate": _bars_to_plate(density, bodies),
        "solver": solver,
        "seconds_per_step": _seconds(measured),
        "corrections_per_step": report["corrections_per_step"]["mean"],
        "velocity_corrections_per_step": report["velocity_corrections_per_step"]["mean"],
        "halvings": report["halvings"],
        "max_joint_error_m": report["max_joint_error_m"],
        "failure": measured.failure,
    }
