"""Targets of motors and factors of loads → Signals, the times at which they break, and whether they
have values at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from impulse_core.compile.problems import NO_VALUE, ProblemList
from impulse_core.forces.signals.operations import OPERATIONS
from impulse_core.model.signals import CONSTANT, CUBIC, EXPRESSION, LINEAR, STEP, Signals
from impulse_core.types import Floats
from impulse_schema import (
    Expression,
    ExpressionError,
    Scene,
    joint_names,
    numbers_for,
    parse_expression,
)
from impulse_schema.models import Curve, Load, Motor

__all__ = [
    "SignalList",
    "changes",
    "check_signals",
    "described_load",
    "load_error",
    "signal_error",
    "signal_switches",
    "target_error",
]

MOST_SWITCHES = 10_000
"""Breaks of one curve within a run beyond which steps are not cut at them: a curve that repeats
within nanoseconds would otherwise ask for more steps than anybody can wait for."""

_KINDS = {"step": STEP, "linear": LINEAR, "cubic": CUBIC}


class SignalList:
    """Collects the signals of a scene; ``arrays`` is what kernels read."""

    def __init__(self) -> None:
        self._kind: list[int] = []
        self._constant: list[float] = []
        self._period: list[float] = []
        self._samples: list[tuple[Floats, Floats, Floats]] = []
        self._programs: list[Expression | None] = []

    def add(self, owner: Motor | Load, numbers: Mapping[str, float] = MappingProxyType({})) -> int:
        """The number of the signal that the target of a motor or the factor of a load becomes,
        whose expression may name ``numbers``.
        """
        if owner.curve is not None:
            return self._add_curve(owner.curve)
        if owner.expression is not None:
            return self._append(EXPRESSION, expression=parse_expression(owner.expression, numbers))
        constant = owner.target or 0.0 if isinstance(owner, Motor) else 1.0
        return self.add_constant(constant)

    def add_constant(self, value: float) -> int:
        """The number of a signal that is ``value`` for ever."""
        return self._append(CONSTANT, constant=value)

    def _add_curve(self, curve: Curve) -> int:
        times, values = np.array(curve.times, dtype=float), np.array(curve.values, dtype=float)
        kind = _KINDS[curve.interpolation]
        slopes = _slopes(curve) if kind == CUBIC else np.zeros(len(times))
        period = float(times[-1] - times[0]) if curve.repeat else 0.0
        return self._append(kind, period=period, samples=(times, values, slopes))

    def _append(
        self,
        kind: int,
        *,
        constant: float = 0.0,
        period: float = 0.0,
        samples: tuple[Floats, Floats, Floats] | None = None,
        expression: Expression | None = None,
    ) -> int:
        self._kind.append(kind)
        self._constant.append(constant)
        self._period.append(period)
        self._samples.append((np.zeros(0),) * 3 if samples is None else samples)
        self._programs.append(expression)
        return len(self._kind) - 1

    def arrays(self) -> Signals:
        """All signals so far."""
        operation: list[int] = []
        argument: list[float] = []
        instruction = [0]
        for expression in self._programs:
            start = len(operation)
            for name, value in expression.program if expression is not None else ():
                operation.append(OPERATIONS[name])
                argument.append(start + value if name.startswith("jump") else value)
            instruction.append(len(operation))
        empty = np.zeros(0)
        columns = [np.concatenate([empty, *(s[k] for s in self._samples)]) for k in range(3)]
        lengths = [len(times) for times, _, _ in self._samples]
        return Signals(
            kind=np.array(self._kind, dtype=np.int64),
            constant=np.array(self._constant, dtype=float),
            sample=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            instruction=np.array(instruction, dtype=np.int64),
            period=np.array(self._period, dtype=float),
            time=columns[0],
            value=columns[1],
            slope=columns[2],
            operation=np.array(operation, dtype=np.int64),
            argument=np.array(argument, dtype=float),
            depth=max((e.stack for e in self._programs if e is not None), default=0),
        )


def _slopes(curve: Curve) -> Floats:
    """Derivatives at the samples of the cubic spline through them.

    The spline has a continuous second derivative. It starts and ends with slope zero, as the curve
    is constant outside; one that repeats and ends as it began goes on smoothly instead.
    """
    from scipy.interpolate import CubicSpline

    closed = curve.repeat and curve.values[0] == curve.values[-1]
    spline = CubicSpline(curve.times, curve.values, bc_type="periodic" if closed else "clamped")
    slopes: Floats = spline(curve.times, 1)
    return slopes


def changes(load: Load) -> bool:
    """Whether force and torque of a load change over time."""
    return load.curve is not None or load.expression is not None


def described_load(load: Load) -> str:
    """What a message calls a load."""
    return f"load '{load.name}'" if load.name else f"the load on body '{load.body}'"


def signal_error(
    owner: Motor | Load, t: float, numbers: Mapping[str, float] = MappingProxyType({})
) -> str:
    """What is wrong with the target of a motor or the factor of a load at time t [s]; "" if it has
    a finite value.
    """
    if owner.expression is None:
        return ""
    try:
        parse_expression(owner.expression, numbers)(t)
    except ExpressionError as error:
        return str(error)
    return ""


def target_error(scene: Scene, j: int, t: float) -> str:
    """What is wrong with a motor's target on joint j at time t [s]; "" if all have values."""
    if j >= len(scene.joints):
        return ""
    joint = scene.joints[j]
    numbers = numbers_for(scene, joint)
    return next((error for m in joint.motors if (error := signal_error(m, t, numbers))), "")


def load_error(scene: Scene, times: Iterable[float]) -> tuple[str, str]:
    """Which load has no factor at one of these times [s], at which it acts, and why; two empty
    texts if all have.
    """
    for t in times:
        for load in scene.loads:
            acts = load.from_ <= t and (load.until is None or t <= load.until)
            error = signal_error(load, t, numbers_for(scene, load)) if acts else ""
            if error:
                return described_load(load), error
    return "", ""


def check_signals(scene: Scene, problems: ProblemList) -> None:
    """Report every motor whose expression has no finite value at the start of the run, and every
    load whose expression has none when it begins.
    """
    for j, (joint, name) in enumerate(zip(scene.joints, joint_names(scene), strict=True)):
        for k, motor in enumerate(joint.motors):
            if message := signal_error(motor, 0.0, numbers_for(scene, joint)):
                path = ("joints", j, "motors", k, "expression")
                _add_problem(problems, path, f"motor of joint '{name}': {message}")
    for k, load in enumerate(scene.loads):
        if message := signal_error(load, load.from_, numbers_for(scene, load)):
            _add_problem(problems, ("loads", k, "expression"), f"{described_load(load)}: {message}")


def _add_problem(problems: ProblemList, path: tuple[str | int, ...], message: str) -> None:
    hint = "Write a case for that time, as in 1/t if t > 0 else 0"
    problems.add(path, NO_VALUE, message, hint)


def signal_switches(scene: Scene, duration: float) -> Floats:
    """Times within the run at which the curve of a motor or a load jumps or has a kink [s],
    ascending.

    Curves with more than MOST_SWITCHES of them have none here.
    """
    curves = [motor.curve for joint in scene.joints for motor in joint.motors if motor.curve]
    curves += [load.curve for load in scene.loads if load.curve]
    times = [time for curve in curves for time in _switches(curve, duration)]
    ascending: Floats = np.unique(np.array(times, dtype=float))
    return ascending


def _switches(curve: Curve, duration: float) -> Iterator[float]:
    breaks = _breaks(curve)
    period = curve.times[-1] - curve.times[0]
    first = curve.times[0]
    turns = int(max(0.0, min((duration - first) / period, MOST_SWITCHES))) if curve.repeat else 0
    if (turns + 1) * len(breaks) > MOST_SWITCHES:
        return
    for turn in range(turns + 1):
        for time in breaks:
            if 0.0 < time + turn * period < duration:
                yield time + turn * period


def _breaks(curve: Curve) -> list[float]:
    """Times of one period at which the curve jumps or its slope does."""
    times, values = np.array(curve.times), np.array(curve.values)
    if curve.interpolation == "step":
        broken = np.concatenate([[curve.repeat], np.diff(values) != 0.0])
    elif curve.interpolation == "linear":
        slopes = np.concatenate([[0.0], np.diff(values) / np.diff(times), [0.0]])
        broken = np.diff(slopes) != 0.0
    else:
        broken = np.zeros(len(times), dtype=bool)
        broken[0] = broken[-1] = curve.repeat
    return [float(time) for time in times[broken]]
