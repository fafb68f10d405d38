"""Functions of time: the curve and the expression of a motor or a load."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_schema.checks.names import Names
from impulse_schema.checks.vectors import not_after
from impulse_schema.expressions import ExpressionError, parse_expression
from impulse_schema.models import Curve, Load, Motor
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath


def check_signals(
    owner: Motor | Load, path: ScenePath, names: Names, example: str
) -> Iterator[Finding]:
    """Findings on the curve and the expression of ``owner``; ``example`` is one it may have."""
    if owner.curve is not None:
        yield from _check_curve(owner.curve, (*path, "curve"))
    if owner.expression is not None:
        try:
            parse_expression(owner.expression, dict.fromkeys(names.numbers, 0.0))
        except ExpressionError as error:
            hint = error.hint or f"Write arithmetic of the time t, as {example}"
            yield Finding((*path, "expression"), "E711", str(error), hint)


def _check_curve(curve: Curve, path: ScenePath) -> Iterator[Finding]:
    if len(curve.times) != len(curve.values):
        message = f"the curve has {len(curve.times)} times and {len(curve.values)} values"
        yield Finding((*path, "values"), "E712", message, "Give a value for each time")
    for before, time in zip(curve.times, curve.times[1:], strict=False):
        if message := not_after(time, before):
            yield Finding((*path, "times"), "E712", message, "Order the samples by time")
            break
