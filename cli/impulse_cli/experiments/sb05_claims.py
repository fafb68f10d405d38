"""The sentences of Schmitt and Bender 2005, section 4, beside what is found here."""

from __future__ import annotations

from impulse_cli.experiments.numbers import power, short
from impulse_cli.experiments.result import Claim
from impulse_cli.experiments.sb05_runs import Runs

__all__ = ["claims"]

_IMPULSE = {"imp2": 2, "imp4": 4, "imp6": 6, "imp8": 8, "imp10": 10}
_OTHERS = ("gc4", "lm4", "lmbs4", "lmv4", "lmvd4")
_FAIL_IN_PAPER = {
    "Pendulum10": (),
    "Pendulum90": ("lm4", "lmbs4"),
    "2-Pendulum": ("lm4", "lmbs4", "lmv4"),
    "3-Pendulum": ("lm4", "lmbs4", "lmv4"),
}
_FLOOR = 1e-10  # J; below it the curves are round-off
_SAME = 10.0  # "about the same" on axes of many powers of ten


def claims(runs: Runs) -> tuple[Claim, ...]:
    """Every claim of the text that these runs can answer."""
    return (
        _nobody_else_fails(runs),
        _lm_fails_at_large_steps(runs),
        _ranking_of_failures(runs),
        _orders(runs),
        _same_energy_drift(runs),
        _period(runs),
        _constraint_drift(runs),
        _larger_errors(runs),
        _gc4_best(runs),
        _lm_better_at_small_steps(runs),
        _order_four_alike(runs),
    )


def _nobody_else_fails(runs: Runs) -> Claim:
    surprises = [
        f"{model} {method} at {r.step:.3g} s"
        for model, known in _FAIL_IN_PAPER.items()
        for method in (*_OTHERS, *_IMPULSE)
        if method not in known
        for r in runs.failures(model, method)
    ]
    return Claim(
        "Nothing fails with Pendulum10, “even not LM4”; LM4 and LMBS4 fail with Pendulum90; LM4,"
        " LMBS4, LMV4 with two and three masses; nothing else is said to fail.",
        f"fails here but not there: {', '.join(surprises)}" if surprises else "nothing else fails",
        not surprises,
    )


def _lm_fails_at_large_steps(runs: Runs) -> Claim:
    found, holds = [], True
    for method in ("lm4", "lmbs4"):
        failed = runs.failures("Pendulum90", method)
        drift = max(r.values["drift"] for r in runs.series("Pendulum90", method) if r.values)
        found.append(
            f"{method} fails from h = {failed[-1].step:.3g} s on"
            if failed
            else f"{method} does not fail, it drifts by up to {power(drift)} m"
        )
        holds = holds and bool(failed)
    return Claim("Pendulum90: “LM4 and LMBS4 fail for larger time steps”.", "; ".join(found), holds)


def _ranking_of_failures(runs: Runs) -> Claim:
    found, holds = [], True
    for model in ("2-Pendulum", "3-Pendulum"):
        counts = [len(runs.failures(model, method)) for method in ("lm4", "lmbs4", "lmv4")]
        of = len(runs.steps(model))
        found.append(f"{model}: {counts[0]}, {counts[1]}, {counts[2]} of {of} steps fail")
        holds = holds and counts[0] >= counts[1] >= counts[2] and counts[0] > 0
    return Claim(
        "“The fail events clearly document the ranking LM4, LMBS4, LMV4 with respect to"
        " instability.”",
        "; ".join(found),
        holds,
    )


def _orders(runs: Runs) -> Claim:
    found, holds = [], True
    for method, order in _IMPULSE.items():
        slope = runs.order("Pendulum90", method, "ED", _FLOOR)
        found.append(f"{method} {short(slope)}" if slope is not None else f"{method} round-off")
        holds = holds and (slope is None or abs(slope - order) <= 0.1 * order + 0.3)
    return Claim(
        "“The impulse-based methods perform in accordance with their orders.”",
        f"slopes of ED, Pendulum90, above {power(_FLOOR)} J: {', '.join(found)}",
        holds,
    )


def _same_energy_drift(runs: Runs) -> Claim:
    mean = {m: runs.typical("Pendulum10", m, "ED") for m in _OTHERS}
    alike = [mean["gc4"], mean["lmv4"], mean["lmvd4"]]
    return Claim(
        "Pendulum10: GC4, LMV4 and LMVD4 have about the same energy drift, LM4 and LMBS4 a"
        " larger one.",
        "geometric means over the steps: "
        + ", ".join(f"{method} {power(value)} J" for method, value in mean.items()),
        max(alike) <= _SAME * min(alike) and min(mean["lm4"], mean["lmbs4"]) > max(alike),
    )


def _period(runs: Runs) -> Claim:
    mean = {m: runs.typical("Pendulum10", m, "OTD") for m in (*_OTHERS, "imp4", "imp6")}
    best = min(mean[m] for m in _OTHERS)
    return Claim(
        "Pendulum10, oscillation time: “the impulse-based methods show a very good performance”.",
        "geometric means over the steps: "
        + ", ".join(f"{method} {power(value)} m" for method, value in mean.items()),
        mean["imp6"] < best,
    )


def _constraint_drift(runs: Runs) -> Claim:
    drift = {m: runs.largest(m, "drift") for m in (*_OTHERS, *_IMPULSE)}
    drifting = ("lm4", "lmbs4", "lmv4")
    others = max(value for method, value in drift.items() if method not in drifting)
    return Claim(
        "Only LM4, LMBS4 and LMV4 are burdened with constraint drift.",
        "largest errors of runs that did not fail: "
        + ", ".join(f"{method} {power(drift[method])}" for method in drifting)
        + f" m; all others {power(others)} m or less",
        others <= 1e-12 and min(drift[m] for m in drifting) > 1e-6,
    )


def _larger_errors(runs: Runs) -> Claim:
    methods = (*_OTHERS, "imp2", "imp4", "imp6")
    ratios = {
        m: runs.typical("Pendulum90", m, "ED") / runs.typical("Pendulum10", m, "ED")
        for m in methods
    }
    return Claim(
        "Errors with Pendulum90 are generally larger than with Pendulum10.",
        "ED larger by a factor of "
        + ", ".join(f"{power(ratio)} ({method})" for method, ratio in ratios.items()),
        min(ratios.values()) > 1.0,
    )


def _gc4_best(runs: Runs) -> Claim:
    mean = {m: runs.typical("Pendulum90", m, "ED") for m in (*_OTHERS, *_IMPULSE)}
    better = [m for m in mean if mean[m] < mean["gc4"]]
    return Claim(
        "Pendulum90: GC4 is the best method, since it knows no constraint forces.",
        f"ED of gc4 {power(mean['gc4'])} J (geometric mean over the steps)"
        + "".join(f", {method} {power(mean[method])} J" for method in better),
        not better,
    )


def _lm_better_at_small_steps(runs: Runs) -> Claim:
    best = min((runs.finest("Pendulum90", m, "ED"), m) for m in _IMPULSE)
    lm = {m: runs.finest("Pendulum90", m, "ED") for m in ("lmv4", "lmvd4")}
    return Claim(
        "Pendulum90: at small steps LMV4 and LMVD4 are better than the best impulse method.",
        f"ED at the smallest step: lmv4 {power(lm['lmv4'], 2)} J, lmvd4 {power(lm['lmvd4'], 2)} J,"
        f" {best[1]} {power(best[0], 2)} J",
        max(lm.values()) < best[0],
    )


def _order_four_alike(runs: Runs) -> Claim:
    found, holds = [], True
    for model in ("2-Pendulum", "3-Pendulum"):
        mean = {m: runs.typical(model, m, "EID") for m in ("gc4", "lmvd4", "imp4")}
        found.append(f"{model} " + ", ".join(f"{m} {power(v, 2)} J" for m, v in mean.items()))
        holds = holds and max(mean.values()) <= _SAME * min(mean.values())
    return Claim(
        "2- and 3-Pendulum: the other methods of order 4 “have very similar curves”.",
        f"EID, geometric means over the steps: {'; '.join(found)}",
        holds,
    )
