"""Bender and Schmitt 2006, tables 1 to 3: trees of ball joints."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_cli.experiments import Meter
from impulse_cli.experiments.measure import Measured, time_of
from impulse_cli.experiments.numbers import milliseconds, power, short
from impulse_cli.experiments.result import Claim, Figure, Line, Number, Panel, Result, Table
from impulse_cli.experiments.scenes.trees import slow_tree

__all__ = ["PAPER_ITERATIVE", "PAPER_SLE", "run"]

SOLVERS = ("iterative", "sle", "direct")
SIZES = (31, 63, 127, 255)
TOLERANCES = (1e-2, 1e-4, 1e-6)  # m
STEP = 1.0 / 30.0  # s

# Table 2, "simulation times without SLE", and table 3, "with SLE": bodies → ms a step at each
# tolerance, on a Pentium 4 of 3.4 GHz.
PAPER_ITERATIVE = {
    31: (0.97, 6.78, 14.31),
    63: (2.48, 28.46, 67.50),
    127: (6.25, 87.05, 228.57),
    255: (15.86, 246.71, 703.48),
}
PAPER_SLE = {
    31: (3.23, 3.54, 3.79),
    63: (7.12, 7.14, 7.69),
    127: (18.78, 18.95, 20.09),
    255: (62.06, 63.21, 63.61),
}
# Table 1: 127 bodies at 1e-6 m, without and with SLE.
_PAPER_ITERATIONS = {"joint": (518.15, 2.0), "velocity": (745.54, 1.0)}

Times = dict[tuple[int, float, str], Measured]


_REMARKS = (
    (
        "The paper does not publish the trees' masses nor the torque. Ours are bars of 1 to"
        " 11.4 m and equal density, as there, with a tenth of the torque of the sample scene"
        " `tree-127`: steps of `sle` and `direct` then need about the paper's two corrections."
    ),
    (
        "`sle` factors the matrix over joints, as the paper does, with SuperLU in place of"
        " PARDISO. `direct`, our default, factors one over bodies and joints and needs no fill"
        " for any tree, and it helps its corrections with Newton's matrix where they are slow."
    ),
    (
        "`iterative` and `direct` are compiled kernels here, while a step of `sle` passes through"
        " SciPy several times, which costs it milliseconds however small the tree is; PARDISO was"
        " compiled as everything else of the paper was. The iterative solver here looks only at"
        " joints whose bodies have moved and starts from the last step's impulses."
    ),
    "The paper counts iterations of the loop over all joints; so do we.",
)


def run(meter: Meter, *, quick: bool = False) -> Result:
    """Simulate all trees to all tolerances with all solvers."""
    sizes = SIZES[:2] if quick else SIZES
    duration = 0.2 if quick else 2.0
    jobs = [(n, tolerance, solver) for n in sizes for tolerance in TOLERANCES for solver in SOLVERS]
    times: Times = {}
    for done, (bodies, tolerance, solver) in enumerate(jobs):
        meter(done, len(jobs), f"{bodies} bodies, {tolerance:g} m, {solver}")
        times[bodies, tolerance, solver] = time_of(
            slow_tree(bodies),
            rounds=1 if quick else 3,
            duration=duration,
            step=STEP,
            tolerance=tolerance,
            solver=solver,
        )
    meter(len(jobs), len(jobs), "")
    largest = max(n for n in sizes if n <= 127)
    return Result(
        name="bs06-tree",
        title="trees of ball joints",
        paper="Bender and Schmitt 2006, Fast Dynamic Simulation of Multi-Body Systems Using"
        " Impulses, section 5, tables 1 to 3 and figure 8",
        setup="Binary trees of bars on ball joints, a torque on the root, h = 1/30 s, imp2,"
        f" the first {duration:g} s; one thread. The paper's times are those of a Pentium 4 of"
        " 3.4 GHz with PARDISO, ours those of the computer named with the results: compare"
        " columns, not machines.",
        tables=(
            _table_1(times, largest),
            _by_size("Table 2: ms a step without SLE", PAPER_ITERATIVE, times, ("iterative",)),
            _by_size("Table 3: ms a step with SLE", PAPER_SLE, times, ("sle", "direct")),
        ),
        claims=_claims(times, largest),
        figures=(_figure(times),),
        remarks=_REMARKS,
        data=tuple(_record(key, measured) for key, measured in times.items()),
    )


def _seconds(measured: Measured) -> float:
    return float(measured.report["seconds_per_step"]["mean"])


def _table_1(times: Times, bodies: int) -> Table:
    runs = [times[bodies, 1e-6, solver] for solver in SOLVERS]
    paper_ms = (PAPER_ITERATIVE[bodies][2], PAPER_SLE[bodies][2])
    joint, velocity = _PAPER_ITERATIONS["joint"], _PAPER_ITERATIONS["velocity"]
    known = bodies == 127
    rows = (
        ("ms a step", *map(short, paper_ms), *(milliseconds(_seconds(r)) for r in runs)),
        (
            "iterations, joints",
            *(map(short, joint) if known else ("–", "–")),
            *(short(r.report["corrections_per_step"]["mean"]) for r in runs),
        ),
        (
            "iterations, velocities",
            *(map(short, velocity) if known else ("–", "–")),
            *(short(_velocity_corrections(r)) for r in runs),
        ),
        ("largest error [m]", "–", "–", *(power(r.report["max_joint_error_m"]) for r in runs)),
    )
    return Table(
        title=f"Table 1: {bodies} bodies at 1e-6 m, mean of a step",
        columns=("", "paper, without SLE", "paper, with SLE", *SOLVERS),
        rows=rows,
    )


def _velocity_corrections(measured: Measured) -> float:
    return float(measured.report["velocity_corrections_per_step"]["mean"])


def _by_size(
    title: str,
    paper: dict[int, tuple[float, float, float]],
    times: Times,
    solvers: tuple[str, ...],
) -> Table:
    sizes = list(dict.fromkeys(bodies for bodies, _, _ in times))
    columns = ["bodies"]
    for tolerance in TOLERANCES:
        columns += [f"{power(tolerance)} m: paper", *solvers]
    rows = []
    for bodies in sizes:
        cells = [str(bodies)]
        for published, tolerance in zip(paper[bodies], TOLERANCES, strict=True):
            cells.append(f"{published:g}")
            cells += [milliseconds(_seconds(times[bodies, tolerance, s])) for s in solvers]
        rows.append(tuple(cells))
    return Table(title=title, columns=tuple(columns), rows=tuple(rows))


def _claims(times: Times, bodies: int) -> tuple[Claim, ...]:
    def ratio(slow: str, fast: str, tolerance: float = 1e-6) -> float:
        slower, faster = times[bodies, tolerance, slow], times[bodies, tolerance, fast]
        return _seconds(slower) / _seconds(faster)

    def growth(solver: str) -> float:
        return _seconds(times[bodies, 1e-6, solver]) / _seconds(times[bodies, 1e-2, solver])

    spread = {solver: growth(solver) for solver in SOLVERS}
    eleven = f"{bodies} bodies at 1e-6 m: with SLE more than eleven times faster than without."
    return (
        Claim(
            eleven,
            f"`sle` is {short(ratio('iterative', 'sle'))} times as fast as `iterative`",
            ratio("iterative", "sle") > 11.0,
        ),
        Claim(
            f"{eleven} The same of our own system:",
            f"`direct` is {short(ratio('iterative', 'direct'))} times as fast as `iterative`",
            ratio("iterative", "direct") > 11.0,
        ),
        Claim(
            "With SLE faster than real time.",
            ", ".join(
                f"{solver} {short(STEP / _seconds(times[bodies, 1e-6, solver]))} times real time"
                for solver in ("sle", "direct")
            ),
            _seconds(times[bodies, 1e-6, "sle"]) < STEP,
        ),
        Claim(
            "Times without SLE depend strongly on the tolerance, those with SLE hardly.",
            "from 1e-2 to 1e-6 m: "
            + ", ".join(f"{solver} {short(value)} times" for solver, value in spread.items()),
            spread["iterative"] > 3.0 and spread["sle"] < 3.0,
        ),
        Claim(
            "With large tolerances SLE has no advantage.",
            f"at 1e-2 m `sle` is {short(ratio('iterative', 'sle', 1e-2))} and `direct`"
            f" {short(ratio('iterative', 'direct', 1e-2))} times as fast as `iterative`",
            ratio("iterative", "sle", 1e-2) < 1.0,
        ),
    )


def _figure(times: Times) -> Figure:
    return Figure(
        name="bs06-tree",
        caption="Milliseconds a step over the number of bodies at 1e-6 m; dashed: the paper, on a"
        " Pentium 4.",
        panels=(
            Panel(
                title="Trees of ball joints (tables 2 and 3)",
                x_label="bodies",
                y_label="ms a step",
                lines=tuple(_lines(times)),
            ),
        ),
    )


def _lines(times: Times) -> Iterator[Line]:
    sizes = list(dict.fromkeys(bodies for bodies, _, _ in times))
    for label, paper, color in (
        ("paper, without SLE", PAPER_ITERATIVE, "tab:red"),
        ("paper, with SLE", PAPER_SLE, "tab:blue"),
    ):
        yield Line(label, sizes, [paper[n][2] for n in sizes], "s--", color)
    for solver, color in zip(SOLVERS, ("tab:red", "tab:blue", "tab:green"), strict=True):
        seconds = [_seconds(times[n, 1e-6, solver]) for n in sizes]
        yield Line(solver, sizes, [1e3 * value for value in seconds], "o-", color)


def _record(key: tuple[int, float, str], measured: Measured) -> dict[str, Number]:
    bodies, tolerance, solver = key
    report = measured.report
    return {
        "bodies": bodies,
        "tolerance_m": tolerance,
        "solver": solver,
        "seconds_per_step": _seconds(measured),
        "corrections_per_step": report["corrections_per_step"]["mean"],
        "velocity_corrections_per_step": _velocity_corrections(measured),
        "halvings": report["halvings"],
        "max_joint_error_m": report["max_joint_error_m"],
        "failure": measured.failure,
    }
