"""Signals: kernels agree with the expressions and curves they were made from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import impulse_core as ic
from impulse_core.compile.signals import (
    MOST_SWITCHES,
    SignalList,
    signal_error,
    signal_switches,
)
from impulse_core.forces.signals.operations import OPERATIONS
from impulse_core.forces.signals.signals import (
    signal_rate_inside,
    signal_value,
    signal_value_inside,
)
from impulse_core.jit import kernel
from impulse_schema import ExpressionError, parse_expression
from impulse_schema.expressions import BINARY, FUNCTIONS, UNARY
from impulse_schema.models import Curve, Motor
from tests.core.scenes import chain, scene_of


@kernel
def _value_with(signals, stack, j, t):
    return signal_value(signals, stack, j, t)


@kernel
def _value_inside_with(signals, stack, j, t, inside):
    return signal_value_inside(signals, stack, j, t, inside)


def _value(signals, j, t):
    return _value_with(signals, np.zeros(signals.depth), j, t)


def _value_inside(signals, j, t, inside):
    return _value_inside_with(signals, np.zeros(signals.depth), j, t, inside)


@kernel
def _rate_with(signals, stack, j, t, inside):
    return signal_rate_inside(signals, stack, j, t, inside)


def _rate(signals, j, t, inside=None):
    stack = np.zeros(2 * signals.depth)
    return _rate_with(signals, stack, j, t, t if inside is None else inside)


def signals_of(*motors):
    signals = SignalList()
    numbers = [signals.add(motor) for motor in motors]
    assert numbers == list(range(len(motors)))
    return signals.arrays()


def motor(**target):
    return Motor(kind="velocity", **target)


def curve(times, values, interpolation="linear", repeat=False):
    return motor(
        curve=Curve(times=times, values=values, interpolation=interpolation, repeat=repeat)
    )


def value_of(expression, t):
    """Value by the schema's interpreter, NaN where it refuses."""
    try:
        return expression(t)
    except ExpressionError:
        return math.nan


numbers = st.floats(-1e3, 1e3).map(lambda x: f"({x!r})") | st.sampled_from(
    ["t", "pi", "e", "0", "1", "-1", "0.5", "2", "1e308", "5e-324", "700", "1e17"]
)


def _larger(parts):
    one_argument = sorted(name for name, count in FUNCTIONS.items() if count == 1)
    call = st.tuples(st.sampled_from(one_argument), parts).map(lambda p: f"{p[0]}({p[1]})")
    pair = st.tuples(parts, st.sampled_from("+-*/%"), parts).map(" ".join)
    power = st.tuples(parts, parts).map(lambda p: f"({p[0]})**({p[1]})")
    several = st.tuples(
        st.sampled_from(["min", "max"]), st.lists(parts, min_size=1, max_size=4)
    ).map(lambda p: f"{p[0]}({', '.join(p[1])})")
    angle = st.tuples(parts, parts).map(lambda p: f"atan2({p[0]}, {p[1]})")
    choice = st.tuples(parts, parts, st.sampled_from(["<", "<=", ">", ">="]), parts, parts).map(
        lambda p: f"({p[0]} if {p[1]} {p[2]} {p[3]} else {p[4]})"
    )
    signed = parts.map(lambda p: f"(-{p})")
    return (call | pair | power | several | angle | choice | signed).map(lambda text: f"({text})")


expressions = st.recursive(numbers, _larger, max_leaves=12).filter(lambda text: len(text) < 1000)


@given(expressions, st.floats(-1e3, 1e3) | st.sampled_from([0.0, 1.0, -1.0, 1e300]))
@example("1/t if t > 0 else 0", 0.0)
@example("-7 % t", -3.0)
@example("exp(t)", 709.782712893384)
@example("cosh(t)", 710.4758600739439)
def test_kernels_and_python_agree(text, t):
    """Every expression has the same value, to the last bit, or none, in kernels and in Python."""
    expression = parse_expression(text)
    signals = signals_of(motor(expression=text))

    ours = _value(signals, 0, t)

    assert ours == value_of(expression, t) or (
        math.isnan(ours) and math.isnan(value_of(expression, t))
    )


def test_every_operation_has_a_number():
    """The schema and the kernels know the same operations, those of one operand first."""
    names = list(OPERATIONS)

    assert set(names) == {"number", "time", "jump", "jump_unless", *UNARY, *BINARY}
    assert set(names[4 : 4 + len(UNARY)]) == set(UNARY)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_every_operation_alone(name):
    """No operation is mistaken for another: each gives its own value at an odd place."""
    a, b = "0.37*t", "1.21*t"
    operators = {
        "negate": f"-({a})",
        "add": f"{a} + {b}",
        "subtract": f"{a} - {b}",
        "multiply": f"({a}) * ({b})",
        "divide": f"({a}) / ({b})",
        "modulo": f"({a}) % ({b})",
        "power": f"({a}) ** ({b})",
        "less": f"1 if {a} < {b} else 0",
        "less_equal": f"1 if {a} <= {b} else 0",
        "greater": f"1 if {a} > {b} else 0",
        "greater_equal": f"1 if {a} >= {b} else 0",
    }
    text = operators.get(name) or (f"{name}({a}, {b})" if name in BINARY else f"{name}({a})")
    x, y = 0.37 * 1.7, 1.21 * 1.7
    wanted = BINARY[name](x, y) if name in BINARY else UNARY[name](x)

    assert _value(signals_of(motor(expression=text)), 0, 1.7) == pytest.approx(wanted, rel=1e-15)


def test_deepest_expression():
    """The stack is as long as the deepest expression needs."""
    text = "+".join(["t", *["(t"] * 150]) + ")" * 150
    signals = signals_of(motor(expression="t"), motor(expression=text))

    assert signals.depth == 151
    assert _value(signals, 1, 2.0) == 302.0


def test_several_signals_keep_apart():
    """Jumps, samples and instructions are those of their own signal."""
    signals = signals_of(
        motor(target=4.0),
        curve([0.0, 1.0], [0.0, 10.0]),
        motor(expression="1 if t < 0.5 else 2"),
        curve([0.0, 0.2, 0.4], [1.0, 2.0, 3.0], "step"),
        motor(expression="3 if t < 0.5 else 4*t"),
    )

    assert [_value(signals, j, 0.25) for j in range(5)] == [4.0, 2.5, 1.0, 2.0, 3.0]
    assert [_value(signals, j, 0.75) for j in range(5)] == [4.0, 7.5, 2.0, 3.0, 3.0]


@st.composite
def curves(draw):
    steps = draw(st.lists(st.floats(0.01, 3.0), min_size=1, max_size=6))
    times = np.cumsum([draw(st.floats(-2.0, 2.0)), *steps])
    values = draw(
        st.lists(st.floats(-5.0, 5.0), min_size=len(times), max_size=len(times)).map(np.array)
    )
    return times, values


@given(curves(), st.floats(-5.0, 20.0))
def test_curves_interpolate(samples, t):
    """Step, linear and cubic curves are those of NumPy and SciPy, constant outside."""
    times, values = samples
    inside = min(max(t, times[0]), times[-1])
    signals = signals_of(
        *(curve(list(times), list(values), k) for k in ("step", "linear", "cubic"))
    )
    spline = CubicSpline(times, values, bc_type="clamped")

    held = values[max(int(np.searchsorted(times, t, side="right")) - 1, 0)]
    assert _value(signals, 0, t) == held
    assert _value(signals, 1, t) == pytest.approx(np.interp(t, times, values), abs=1e-12)
    assert _value(signals, 2, t) == pytest.approx(float(spline(inside)), abs=1e-10)


@pytest.mark.parametrize("interpolation", ["step", "linear", "cubic"])
def test_repeating_curves(interpolation):
    """A repeated curve starts over after its last sample; before its first it is constant."""
    times, values = [0.5, 1.0, 1.75, 2.5], [1.0, 4.0, -2.0, 1.0]
    signals = signals_of(
        curve(times, values, interpolation, repeat=True), curve(times, values, interpolation)
    )

    for t in np.linspace(0.5, 2.49, 40):
        for turn in (1, 2, 50):
            again = _value(signals, 0, t + 2.0 * turn)
            assert again == pytest.approx(_value(signals, 0, t), abs=1e-11)
    assert _value(signals, 0, 0.2) == 1.0
    if interpolation != "cubic":
        assert _value(signals, 0, 1.3) == _value(signals, 1, 1.3)


def test_closed_cubic_curves_go_on_smoothly():
    """A cubic curve that ends as it began has neither jump nor kink where it starts over."""
    times = list(np.linspace(0.0, 1.0, 9))
    values = [math.sin(2.0 * math.pi * t) for t in times[:-1]] + [0.0]
    signals = signals_of(curve(times, values, "cubic", repeat=True))

    t = np.linspace(0.0, 3.0, 301)
    ours = np.array([_value(signals, 0, x) for x in t])
    error_of_splines = 5 / 384 * (2.0 * math.pi / 8) ** 4  # Hall 1968
    assert ours == pytest.approx(np.sin(2.0 * np.pi * t), abs=error_of_splines)
    rate = (_value(signals, 0, 1.0 + 1e-6) - _value(signals, 0, 1.0 - 1e-6)) / 2e-6
    assert rate == pytest.approx(2.0 * math.pi, abs=0.05)


def test_jumps_are_seen_from_inside_the_step():
    """At a jump the value is that of the step's side, whichever way the time was rounded."""
    signals = signals_of(curve([0.0, 0.3], [1.0, 2.0], "step"))

    for jump in (0.3, np.nextafter(0.3, 1.0), np.nextafter(0.3, 0.0)):
        assert _value_inside(signals, 0, jump, 0.295) == 1.0
        assert _value_inside(signals, 0, jump, 0.305) == 2.0


@pytest.mark.parametrize(
    ("sampled", "switches"),
    [
        (curve([0.0, 0.5, 1.0], [0.0, 1.0, 1.0], "step"), [0.5]),
        (curve([0.5, 1.0, 1.5], [0.0, 1.0, 2.0]), [0.5, 1.5]),
        (curve([0.0, 1.0, 1.5], [0.0, 1.0, 1.0]), [1.0]),
        (curve([0.0, 1.0], [0.0, 1.0], repeat=True), [1.0, 2.0, 3.0]),
        (curve([0.0, 1.0], [0.0, 1.0], "step", repeat=True), [1.0, 2.0, 3.0]),
        (curve([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], "cubic"), []),
        (motor(expression="sin(t)"), []),
        (motor(target=1.0), []),
    ],
)
def test_switches(sampled, switches):
    """Steps are cut where a curve jumps or has a kink within the run, and nowhere else."""
    scene = driven(sampled)

    assert signal_switches(scene, 3.5) == pytest.approx(np.array(switches))


def test_switches_of_fast_curves_are_bounded():
    """A curve that repeats every nanosecond does not cut a run into billions of steps."""
    fast = driven(curve([0.0, 1e-9], [0.0, 1.0], repeat=True))
    slow = driven(curve([0.0, 1e-3], [0.0, 1.0], repeat=True))

    assert len(signal_switches(fast, 10.0)) == 0
    assert 0 < len(signal_switches(slow, 3.0)) <= MOST_SWITCHES


def driven(*motors):
    """A pendulum on a hinge with these motors."""
    scene = chain(1, ["hinge"])
    scene.joints[0].motors = list(motors)
    return scene


def test_expression_without_a_value_at_the_start():
    """A target that has no value at t = 0 is refused with its joint, its text and a way out."""
    problems = ic.check(driven(motor(expression="1/t")))

    (problem,) = [p for p in problems if p.code == "E613"]
    assert "joint-0" in problem.message
    assert "'1/t' has no finite value at t = 0 s" in problem.message
    assert "if t > 0" in problem.hint


def test_signal_error_says_what_and_when():
    """A failed run can say which expression has no value at which time."""
    assert signal_error(motor(expression="log(1 - t)"), 0.5) == ""
    assert signal_error(motor(expression="log(1 - t)"), 2.0).endswith("value at t = 2 s")
    assert signal_error(motor(target=1.0), 2.0) == ""


def test_no_value_is_nan_in_kernels():
    """Neither the end of a domain nor an overflow stops a kernel."""
    texts = ["1/(t-1)", "log(t-1)", "asin(2*t)", "exp(1e3*t)", "(t-2)**0.5", "min(0, 1e200**(2*t))"]
    signals = signals_of(*(motor(expression=text) for text in texts))

    assert all(math.isnan(_value(signals, j, 1.0)) for j in range(len(texts)))


def test_scenes_without_motors_have_no_signals():
    """The arrays of a scene without motors are empty, and typed as those of one with motors."""
    from impulse_core.compile import compile_scene

    signals = compile_scene(scene_of([])).model.signals
    assert len(signals.kind) == 0
    for ours, full in zip(signals, signals_of(motor(expression="t")), strict=True):
        assert np.asarray(ours).dtype == np.asarray(full).dtype


SMOOTH = (
    *("3", "t", "2*t*t - t/4", "1/(1+t)", "-sin(3*t)", "cos(t)*exp(-t)", "tan(t/3)", "asin(t/3)"),
    *("acos(t/3)", "atan(4*t)", "sinh(t)", "cosh(t)", "tanh(2*t)", "log(1+t)", "sqrt(1+t)"),
    *(
        "abs(t-5)",
        "(1+t)**2.5",
        "2**t",
        "(1+t)**t",
        "t**3",
        "(t-9)**3",
        "atan2(t, 2)",
        "atan2(1, t)",
    ),
    *("min(t, 7)", "max(t*t, -1)", "(3*t) % 2", "t*t if t < 5 else 0", "floor(t/10)", "sign(t+1)"),
)


@pytest.mark.parametrize("text", SMOOTH)
def test_rate_of_an_expression(text):
    """The rate is the derivative, as differences of the value tell to their own accuracy."""
    signals = signals_of(motor(expression=text))
    t, h = 0.83, 1e-3
    ends = [_value(signals, 0, t + k * h) for k in (-2, -1, 1, 2)]

    slope = (ends[0] - 8.0 * ends[1] + 8.0 * ends[2] - ends[3]) / (12.0 * h)

    assert _rate(signals, 0, t) == pytest.approx(slope, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("text", ["sqrt(t)", "asin(1-t)", "1/t", "t**0.5", "log(t)"])
def test_no_rate_where_there_is_none(text):
    """A slope that is not finite is NaN, as a value that is not."""
    signals = signals_of(motor(expression=text))

    assert math.isnan(_rate(signals, 0, 0.0))


def test_a_constant_has_no_rate_however_steep_its_place():
    """What does not change has none, also where the slope of what is made of it is infinite."""
    assert _rate(signals_of(motor(expression="sqrt(0*1) + 0**0.5")), 0, 1.0) == 0.0


@pytest.mark.parametrize("interpolation", ["step", "linear", "cubic"])
@pytest.mark.parametrize("repeat", [False, True])
def test_rate_of_a_curve(interpolation, repeat):
    """Within pieces, and at samples that of the piece on the side of the step."""
    times, values = [0.1, 0.4, 0.9, 1.5], [1.0, -2.0, 0.5, 1.0]
    signals = signals_of(curve(times, values, interpolation, repeat))
    for t in (0.05, 0.2, 0.6, 1.2, 1.7, 2.2):
        h = 1e-4
        ends = [_value(signals, 0, t + k * h) for k in (-1, 1)]
        assert _rate(signals, 0, t) == pytest.approx((ends[1] - ends[0]) / (2 * h), abs=1e-5)
    if interpolation == "linear":
        assert _rate(signals, 0, 0.4, 0.3) == pytest.approx(-10.0)
        assert _rate(signals, 0, 0.4, 0.5) == pytest.approx(5.0)
