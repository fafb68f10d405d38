"""Motor expressions: arithmetic of t, and nothing but that."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_schema import ExpressionError, parse_expression


@pytest.mark.parametrize(
    ("text", "t", "value"),
    [
        ("1", 0.0, 1.0),
        ("0.5*sin(2*pi*t)", 0.25, 0.5),
        ("-t**2 + +3", 2.0, -1.0),
        ("(1 + t) / 4 % 2", 11.0, 1.0),
        ("min(t, 1) + max(1, 2, t)", 3.0, 4.0),
        ("1 if t < 2 else 5", 2.0, 5.0),
        ("sign(-t)*floor(2.5) + ceil(0.5)", 1.0, -1.0),
        ("atan2(1, 1) - radians(45)", 0.0, 0.0),
        ("e", 0.0, math.e),
        (" t ", 7.0, 7.0),
    ],
)
def test_values(text: str, t: float, value: float) -> None:
    """The value is that of the same formula on paper."""
    assert parse_expression(text)(t) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not arithmetic"),
        ("1 +", "is not arithmetic"),
        ("t = 3", "is not arithmetic"),
        ("import os", "is not arithmetic"),
        ("__import__('os')", "there is no function '__import__'"),
        ("t.real", "is not arithmetic of t"),
        ("().__class__", "is not arithmetic of t"),
        ("[t][0]", "is not arithmetic of t"),
        ("(lambda: 1)()", "is not arithmetic of t"),
        ("'a' * 9", "is not arithmetic of t"),
        ("True", "is not arithmetic of t"),
        ("1j", "is not arithmetic of t"),
        ("x", "'x' is not known"),
        ("sinn(t)", "there is no function 'sinn'"),
        ("sin(t, t)", "sin takes 1 argument, here are 2"),
        ("atan2(t)", "atan2 takes 2 arguments, here are 1"),
        ("min()", "min takes arguments"),
        ("min(*t)", "is not arithmetic of t"),
        ("sin(x=t)", "is not arithmetic of t"),
        ("t if t else 1", "is not a comparison"),
        ("0 if 0 < t < 1 else 1", "is not a comparison"),
        ("1e999", "a number that is too large"),
        ("f\"{'\u200b'}\"", "'f\"{'\u200b'}\"' is not arithmetic of t"),
        ("2 if f\"{'\u200b'}\" else 1", "'f\"{'\u200b'}\"' is not a comparison"),
        ("1 + (t  @ t)", "'t  @ t' is not arithmetic of t"),
        ("(" * 300 + "t" + ")" * 300, "is not arithmetic"),
        ("-" * 900 + "t", "deeper than 300 levels"),
        ("t+" * 600 + "t", "the limit is 1000"),
    ],
)
def test_refused(text: str, message: str) -> None:
    """Anything else is refused when it is read, before it could do anything."""
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)

    assert message in str(caught.value)


def test_suggestion() -> None:
    """A misspelt function comes with the right one."""
    with pytest.raises(ExpressionError) as caught:
        parse_expression("sinn(t)")

    assert caught.value.hint == "Did you mean 'sin'?"


@pytest.mark.parametrize("text", ["1/t", "log(t)", "sqrt(t - 1)", "9**9**9**9", "exp(1e4)"])
def test_no_value(text: str) -> None:
    """Where there is no finite value, the message names expression and time, and it is quick."""
    with pytest.raises(ExpressionError, match="has no finite value at t = 0 s"):
        parse_expression(text)(0.0)


@given(st.text(alphabet="t0123456789.+-*/%()<> ,sincoxpelf_'\"[]{}:=\n", max_size=40))
def test_any_text(text: str) -> None:
    """Whatever is written, the outcome is a float or an ExpressionError."""
    with contextlib.suppress(ExpressionError):
        assert isinstance(parse_expression(text)(0.5), float)


# What Python's grammar has beyond arithmetic; <a> and <b> stand for more of the same.
_PARTS = [
    *(
        "t",
        "0x1f",
        "1_0",
        "1e400",
        "9j",
        "None",
        "...",
        "t\f",
        "\u00fc",
        "\N{GREEK SMALL LETTER PI}",
    ),
    *("'\u200b'", "u'\u00a0'", r"'\\'", r"b'\x00'", "'\"'", '"""\'"""'),
]
_SHAPES = [
    *('f"{<a>}"', "f'{<a>!r:>{<b>}}'", "rb'<a>'", '"""<a>"""', "lambda t=(<a>): (<b>)", "-(<a>)"),
    *(
        "[<a> for t in (<b>)]",
        "(<a>, *(<b>))",
        "{**(<a>), 1: (<b>)}",
        "(<a>)[(<b>):]",
        "(yield <a>)",
    ),
    *("(y := (<a>))", "(<a>) if (<b>) else t", "sin(<a>, x=<b>)", "(<a>).a(<b>)", "(<a>) ** (<b>)"),
    *("not (<a>)", "(<a>) < (<b>)", "(<a>) @ (<b>)"),
]


def _filled(part: str, a: str, b: str) -> str:
    return part.replace("<a>", a).replace("<b>", b)


@settings(max_examples=1000)
@given(
    st.recursive(
        st.sampled_from(_PARTS),
        lambda parts: st.builds(_filled, st.sampled_from(_SHAPES), parts, parts),
        max_leaves=6,
    )
)
def test_any_python(text: str) -> None:
    """Whatever Python's grammar has is arithmetic of t or an ExpressionError."""
    with contextlib.suppress(ExpressionError):
        assert isinstance(parse_expression(text)(0.5), float)
