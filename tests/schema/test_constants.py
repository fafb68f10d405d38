"""Constants of the scene and phases of joints: numbers that expressions name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_schema import (
    Body,
    Constant,
    Joint,
    Motor,
    Part,
    Problem,
    Scene,
    SceneError,
    Use,
    check_scene,
    expand_parts,
    load_scene,
    numbers_for,
    parse_expression,
    save_scene,
)
from impulse_schema.constants import name_problem
from impulse_schema.expressions import CONSTANTS, FUNCTIONS

GAIT = "stride*sin(2*pi*(t/period + phase))"


def hinge(expression: str = GAIT, phase: float = 0.25) -> Joint:
    motor = Motor(kind="velocity", expression=expression)
    joint = Joint(name="hip", type="hinge", body2="leg", anchor=(0, 0, 0), axis=(0, 1, 0))
    joint.phase, joint.motors = phase, [motor]
    return joint


def body() -> Body:
    return Body(name="leg", mass=1.0, inertia=(1.0, 1.0, 1.0))


def constants(**values: float) -> list[Constant]:
    return [Constant(name=name, value=value) for name, value in values.items()]


def walker(expression: str = GAIT, **values: float) -> Scene:
    known = constants(**(values or {"period": 2.0, "stride": 0.5}))
    return Scene(version=1, constants=known, bodies=[body()], joints=[hinge(expression)])


def problems(scene: Scene) -> list[tuple[str, str]]:
    return [(problem.code, str(problem)) for problem in check_scene(scene)]


@pytest.mark.parametrize("suffix", [".xml", ".json"])
def test_both_formats_hold_them(tmp_path: Path, suffix: str) -> None:
    """What is written is read, and is a file of version 1.2."""
    scene = walker()
    assert problems(scene) == []

    save_scene(scene, tmp_path / f"walker{suffix}")

    assert load_scene(tmp_path / f"walker{suffix}") == scene
    assert "1.2" in (tmp_path / f"walker{suffix}").read_text()


def test_an_expression_has_their_values() -> None:
    """0.5 sin(2 pi (t / 2 + 1 / 4)) is 0.5 cos(pi t)."""
    scene = walker()

    value = parse_expression(GAIT, numbers_for(scene, scene.joints[0]))

    assert [value(t) for t in (0.0, 0.5, 1.0)] == pytest.approx([0.5, 0.0, -0.5], abs=1e-15)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    """The hint knows the constants of the scene."""
    ((code, text),) = problems(walker("sin(t/perod)"))

    assert code == "E711"
    assert "'perod' is not known in an expression. Did you mean 'period'?" in text


def test_an_unused_constant_does_no_harm() -> None:
    assert problems(walker("sin(t)", speed=1.0)) == []


@pytest.mark.parametrize(
    "name", ["t", *CONSTANTS, "phase", *FUNCTIONS, "if", "2x", "a b", "größe", "a.b", "lambda"]
)
def test_names_that_expressions_cannot_use_are_refused(name: str) -> None:
    """Those of the time, functions and numbers would be hidden, others are no names there."""
    ((code, text),) = problems(walker("t", **{name: 1.0}))

    assert code == "E715"
    assert f"a constant cannot be called '{name}', which " in text


@given(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True))
def test_every_name_that_is_allowed_can_be_used(name: str) -> None:
    """Whatever letters it has."""
    if not name_problem(name):
        assert parse_expression(f"2*{name} + t", {name: 3.0})(1.0) == 7.0


def test_two_of_one_name_are_refused() -> None:
    scene = walker()
    scene.constants += constants(period=3.0)

    assert [code for code, _ in problems(scene)] == ["E301"]


def test_a_broken_constant_is_still_known(tmp_path: Path) -> None:
    """Its value is refused, its name is not called unknown."""
    save_scene(walker(), tmp_path / "walker.xml")
    text = (tmp_path / "walker.xml").read_text().replace('value="2"', 'value="two"')
    (tmp_path / "walker.xml").write_text(text)

    with pytest.raises(SceneError) as caught:
        load_scene(tmp_path / "walker.xml")

    (problem,) = caught.value.problems
    assert isinstance(problem, Problem)
    assert problem.path == ("constants", 0, "value")


def test_a_phase_where_nothing_is_driven_is_refused() -> None:
    scene = walker()
    scene.joints = [Joint(type="ball", body2="leg", anchor=(0, 0, 0), phase=0.5)]

    assert [code for code, _ in problems(scene)] == ["E704"]


def test_the_phase_of_a_use_is_added_in_every_copy() -> None:
    """Also where a part uses another: phases add, and joints without motors keep none."""
    knee = Joint(name="knee", type="hinge", body2="leg", anchor=(0, 0, 1), axis=(0, 1, 0))
    leg = Part(name="leg", bodies=[body()], joints=[hinge(), knee])
    pair = Part(name="pair", uses=[Use(part="leg", name="a"), Use(part="leg", name="b", phase=0.5)])
    scene = Scene(
        version=1,
        constants=constants(period=2.0, stride=0.5),
        parts=[leg, pair],
        uses=[Use(part="pair", name="front"), Use(part="pair", name="rear", phase=0.125)],
    )

    made = {joint.name: joint.phase for joint in expand_parts(scene).joints}

    assert {name: phase for name, phase in made.items() if str(name).endswith("hip")} == {
        "front.a.hip": 0.25,
        "front.b.hip": 0.75,
        "rear.a.hip": 0.375,
        "rear.b.hip": 0.875,
    }
    assert {phase for name, phase in made.items() if str(name).endswith("knee")} == {0.0}


def test_a_part_knows_the_constants_of_the_scene() -> None:
    """And what it does not know is reported where it stands, with the nearest."""
    leg = Part(name="leg", bodies=[body()], joints=[hinge("sin(t/perod)")])
    scene = Scene(version=1, constants=constants(period=2.0), parts=[leg])
    scene.uses = [Use(part="leg", name="left")]

    ((code, text),) = problems(scene)

    assert code == "E711"
    assert "Did you mean 'period'?" in text
