"""Bender, Finkenzeller and Schmitt 2005, section 5: a chain with both ends fixed."""

from __future__ import annotations

from impulse_cli.experiments import Meter
from impulse_cli.experiments.measure import Measured, time_of
from impulse_cli.experiments.numbers import milliseconds, power, short
from impulse_cli.experiments.result import Claim, Number, Result, Table
from impulse_cli.experiments.scenes.chains import chain_with_both_ends_fixed

__all__ = ["PAPER_IMPULSES", "PAPER_SECONDS", "run"]

SOLVERS = ("iterative", "sle", "direct")
STEP = 0.01  # s
TOLERANCE = 1e-12  # m
DURATION = 10.0  # s

# Figure 9 and the text below it: least, mean, most; Pentium 4, 3.4 GHz.
PAPER_SECONDS = (0.000668769, 0.001537897, 0.003621727)
PAPER_IMPULSES = (50, 162, 581)

_WHICH = ("mean", "median", "max")


_REMARKS = (
    (
        "The paper counts impulses at single joints, 50 to 581 a step. A correction of `sle`"
        " or `direct` finds the impulses of all nine joints at once."
    ),
    (
        "The paper does not publish the bars' measures or the pose they start from; ours fall"
        " from a horizontal arc."
    ),
)


def run(meter: Meter, *, quick: bool = False) -> Result:
    """Simulate the chain with all solvers."""
    duration = 0.5 if quick else DURATION
    runs: dict[str, Measured] = {}
    for done, solver in enumerate(SOLVERS):
        meter(done, len(SOLVERS), solver)
        runs[solver] = time_of(
            chain_with_both_ends_fixed(),
            rounds=1 if quick else 3,
            duration=duration,
            step=STEP,
            fps=1.0 / STEP,  # so that every step is timed for itself
            tolerance=TOLERANCE,
            solver=solver,
        )
    meter(len(SOLVERS), len(SOLVERS), "")
    _, mean, most = PAPER_SECONDS
    published = (milliseconds(mean), "–", milliseconds(most), str(PAPER_IMPULSES[1]), "–", "–")
    return Result(
        name="bfs05-chain",
        title="eight bodies, both ends fixed",
        paper="Bender, Finkenzeller and Schmitt 2005, An impulse-based dynamic simulation system"
        " for VR applications, section 5, figures 8 and 9",
        setup=f"Eight bars of 1 m on nine ball joints, both ends fixed: a closed loop. h ="
        f" {STEP:g} s, tolerance {power(TOLERANCE)} m, imp2, {duration:g} s; one thread. The paper"
        " solves joint by joint, with the Taylor method of order five, on a Pentium 4 of 3.4 GHz.",
        tables=(
            Table(
                title="A step of the chain (figure 9)",
                columns=(
                    "solver",
                    "ms, mean",
                    "median",
                    "largest",
                    "impulses",
                    "corrections",
                    "error [m]",
                ),
                rows=(("paper", *published), *(_row(name, r) for name, r in runs.items())),
            ),
        ),
        claims=(
            Claim(
                "1.538 ms a step, solved joint by joint: more than six times faster than real time,"
                " in the worst step about three times.",
                f"`iterative` {_speed(runs['iterative'])}",
                _seconds(runs["iterative"], "mean") < STEP / 6.0,
            ),
            Claim(
                "The same of our default solver:",
                f"`direct` {_speed(runs['direct'])}",
                _seconds(runs["direct"], "mean") < STEP / 6.0,
            ),
        ),
        remarks=_REMARKS,
        data=tuple(_record(name, r) for name, r in runs.items()),
    )


def _seconds(measured: Measured, which: str) -> float:
    return float(measured.report["seconds_per_step"][which])


def _speed(measured: Measured) -> str:
    mean, most = _seconds(measured, "mean"), _seconds(measured, "max")
    return (
        f"{milliseconds(mean)} ms, {short(STEP / mean)} times faster than real time, in the worst"
        f" step {short(STEP / most)} times"
    )


def _row(solver: str, measured: Measured) -> tuple[str, ...]:
    report = measured.report
    return (
        solver,
        *(milliseconds(_seconds(measured, which)) for which in _WHICH),
        short(_impulses(measured)),
        short(report["corrections_per_step"]["mean"]),
        power(report["max_joint_error_m"]),
    )


def _impulses(measured: Measured) -> float:
    return float(measured.report["impulses_per_step"]["mean"])


def _record(solver: str, measured: Measured) -> dict[str, Number]:
    report = measured.report
    return {
        "solver": solver,
        **{f"{which}_seconds_per_step": _seconds(measured, which) for which in _WHICH},
        "impulses_per_step": _impulses(measured),
        "corrections_per_step": report["corrections_per_step"]["mean"],
        "max_corrections": report["corrections_per_step"]["max"],
        "max_joint_error_m": report["max_joint_error_m"],
        "failure": measured.failure,
    }
