"""Bender and Schmitt 2006, section 5: all joints on one body."""

from __future__ import annotations

from impulse_cli.experiments import Meter
from impulse_cli.experiments.measure import Measured, time_of
from impulse_cli.experiments.numbers import milliseconds, power, short
from impulse_cli.experiments.result import Claim, Number, Result, Table
from impulse_cli.experiments.scenes.trees import hub

__all__ = ["run"]

SOLVERS = ("iterative", "sle", "direct")
TOLERANCE = 1e-4  # m
STEP = 1.0 / 30.0  # s
PAPER_RATIO = 80.0  # "almost 80 times faster"


_REMARKS = (
    (
        "Here every joint meets every other: the matrix over joints of `sle` is full, 381 by 381"
        " for 127 bodies. That over bodies and joints of `direct` stays as sparse as for any tree."
    ),
    (
        "The paper publishes neither the masses nor the torque. The bars that hang on the root"
        " have many times its mass, which is what makes the solution joint by joint slow."
    ),
)


def run(meter: Meter, *, quick: bool = False) -> Result:
    """Simulate the hub with all solvers."""
    bodies, duration = (31, 0.2) if quick else (127, 2.0)
    runs: dict[str, Measured] = {}
    for done, solver in enumerate(SOLVERS):
        meter(done, len(SOLVERS), solver)
        runs[solver] = time_of(
            hub(bodies),
            rounds=1 if quick or solver == "iterative" else 3,
            duration=duration,
            step=STEP,
            tolerance=TOLERANCE,
            solver=solver,
        )
    meter(len(SOLVERS), len(SOLVERS), "")
    seconds = {name: float(r.report["seconds_per_step"]["mean"]) for name, r in runs.items()}
    return Result(
        name="bs06-hub",
        title=f"{bodies} ball joints on one body",
        paper="Bender and Schmitt 2006, section 5, after table 3 (no table of its own)",
        setup=f"{bodies - 1} bars on ball joints under one plate that hangs on a ball joint,"
        f" a torque on the plate, h = 1/30 s, tolerance {power(TOLERANCE)} m, imp2, the first"
        f" {duration:g} s; one thread.",
        tables=(
            Table(
                title="A step, all joints on one body",
                columns=("solver", "ms a step", "faster than iterative", "corrections", "error"),
                rows=tuple(
                    (
                        solver,
                        milliseconds(seconds[solver]),
                        f"{short(seconds['iterative'] / seconds[solver])} times",
                        short(run_.report["corrections_per_step"]["mean"]),
                        f"{power(run_.report['max_joint_error_m'])} m",
                    )
                    for solver, run_ in runs.items()
                ),
            ),
        ),
        claims=(
            Claim(
                "With SLE almost 80 times faster than without.",
                f"sle {short(seconds['iterative'] / seconds['sle'])} times, direct"
                f" {short(seconds['iterative'] / seconds['direct'])} times",
                seconds["iterative"] / seconds["sle"] >= 0.5 * PAPER_RATIO,
            ),
        ),
        remarks=_REMARKS,
        data=tuple(_record(name, r) for name, r in runs.items()),
    )


def _record(solver: str, measured: Measured) -> dict[str, Number]:
    report = measured.report
    return {
        "solver": solver,
        "seconds_per_step": report["seconds_per_step"]["mean"],
        "corrections_per_step": report["corrections_per_step"]["mean"],
        "halvings": report["halvings"],
        "max_joint_error_m": report["max_joint_error_m"],
        "failure": measured.failure,
    }
