"""What is varied: read, checked against the scene, refused in words."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.plans import grid, sobol, table
from impulse_cli.studies.ranges import parse_range, parse_ranges
from impulse_core import ParameterError, find_parameters, list_parameters, set_parameters
from impulse_schema import Body, Joint, Motor, Scene

GAIN = "joints[hip].motors[0].proportional"


def machine() -> Scene:
    servo = Motor(kind="servo", target=0.1, proportional=5.0)
    hinge = {"type": "hinge", "anchor": (0, 0, 0), "axis": (0, 1, 0), "motors": [servo]}
    names = ("a=b", "torso")
    return Scene(
        version=1,
        bodies=[Body(name=name, mass=1.0, inertia=(1, 1, 1)) for name in names],
        joints=[
            Joint(name="hip", body2="a=b", **hinge),
            Joint(name="heel", body2="torso", **hinge),
        ],
    )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (f"{GAIN}=1:5:3", (1.0, 3.0, 5.0)),
        (f"{GAIN}=1:100:log:3", (1.0, 10.0, 100.0)),
        (f"{GAIN}=7,1e2", (7.0, 100.0)),
        (f"{GAIN}=3", (3.0,)),
        ("settings.method=imp2,imp4", ("imp2", "imp4")),
        ("settings.record_contacts=true,false", (True, False)),
        ("bodies[a=b].mass=1:2:2", (1.0, 2.0)),
        ("joints[h*].motors[0].expression=sin(t),max(t, 2)", ("sin(t)", "max(t, 2)")),
    ],
)
def test_a_range_is_read(text: str, values: tuple[object, ...]) -> None:
    """Even and logarithmic ranges, lists of numbers, words and expressions, names with signs."""
    assert parse_range(machine(), text).values == pytest.approx(values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("joints[hp].damping=1:2:3", "there is no joints[hp]. Did you mean 'hip'"),
        (f"{GAIN[:-1]}=1:2:3", "Did you mean 'proportional'"),
        (f"{GAIN}=2:1:3", "empty"),
        (f"{GAIN}=2:2:3", "empty"),
        (f"{GAIN}=0:1:log:3", "above zero"),
        (f"{GAIN}=1:2:1", "no number of values"),
        (f"{GAIN}=1:2:many", "no number of values"),
        (f"{GAIN}=1:2:log:3:4", "no range"),
        (f"{GAIN}=1:nan:3", "must lie"),
        (f"{GAIN}=-1:2:3", "must"),
        (f"{GAIN}=1,x", "'x' is no number"),
        (f"{GAIN}=1,1", "twice"),
        (f"{GAIN}=", "no range"),
        (GAIN, "no range"),
        ("=1:2:3", "no range"),
        ("bodies[torso].position=1,2", "bodies[torso].position[0]"),
        ("settings.method=imp3", "imp3"),
        ("settings.record_contacts=maybe", "true or false"),
        ("bodies[torso].name=a", "cannot be changed"),
        ("bodies.mass=1:2:3", "list"),
    ],
)
def test_what_is_no_range_is_refused(text: str, message: str) -> None:
    """By name, with what to write instead."""
    with pytest.raises((StudyError, ParameterError), match=re.escape(message)):
        parse_range(machine(), text)


def test_no_value_is_varied_twice() -> None:
    """Neither by the same path nor by a pattern that names it, too."""
    for other in (GAIN, "joints[h*].motors[0].proportional"):
        with pytest.raises(StudyError, match="twice"):
            parse_ranges(machine(), [f"{GAIN}=1:2:3", f"{other}=4:5:6"])


@given(
    low=st.floats(1e-3, 1e3),
    ratio=st.floats(1.001, 1e6),
    is_log=st.booleans(),
    n=st.integers(2, 50),
)
def test_ranges_hold_their_ends_and_rise(low: float, ratio: float, is_log: bool, n: int) -> None:
    """So many values, the first and last of which are those that were written."""
    high = low * ratio
    found = parse_range(machine(), f"{GAIN}={low!r}:{high!r}{':log' if is_log else ''}:{n}")

    assert len(found.values) == n
    assert (found.values[0], found.values[-1]) == (low, high)
    assert all(a < b for a, b in zip(found.values, found.values[1:], strict=False))
    assert all(low <= found.at(x) <= high for x in (0.0, 0.3, math.nextafter(1.0, 0.0)))


@given(st.data())
def test_every_number_of_a_scene_can_be_varied(data: st.DataObject) -> None:
    """Each path that is listed takes its own value as a range, and the scene stays what it is."""
    scene = machine()
    numbers = [p for p in list_parameters(scene) if p.kind == "number" and p.value is not None]
    parameter = data.draw(st.sampled_from(numbers))
    text = f"{parameter.text}={parameter.value!r}"
    found = parse_range(scene, text)

    assert set_parameters(scene, {found.path: found.values[0]}) == scene
    assert find_parameters(scene, found.path)[0].text == parameter.text


def test_a_grid_holds_every_combination_once() -> None:
    """The last range is gone through first; one without a number of values is refused."""
    scene = machine()
    ranges = parse_ranges(scene, [f"{GAIN}=1:2:2", "settings.step=0.01,0.02,0.03"])
    runs = grid(ranges)

    assert len({tuple(run.items()) for run in runs}) == len(runs) == 6
    assert [run["settings.step"] for run in runs[:3]] == [0.01, 0.02, 0.03]
    with pytest.raises(StudyError, match=":10"):
        grid(parse_ranges(scene, [f"{GAIN}=1:2"]))
    with pytest.raises(StudyError, match="limit"):
        grid(parse_ranges(scene, [f"{GAIN}=1:2:9999", "settings.step=0.01:1:9999"]))


@given(count=st.integers(1, 70), seed=st.integers(0, 9))
def test_sobol_points_lie_in_the_ranges(count: int, seed: int) -> None:
    """As many as asked for, the same for a seed, and more of them begin with the fewer."""
    ranges = parse_ranges(machine(), [f"{GAIN}=1:100:log", "settings.method=imp2,imp4"])
    points = sobol(ranges, count, seed)

    assert len(points) == count
    assert all(1.0 <= point[GAIN] <= 100.0 for point in points)
    assert points == sobol(ranges, count, seed)
    assert points == sobol(ranges, 128, seed)[:count]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no run"),
        (f"{GAIN}\n", "holds no run"),
        (f"{GAIN},{GAIN}\n1,2\n", "names two columns"),
        ("joints[hp].damping\n1\n", "Did you mean 'hip'"),
        (f"{GAIN}\n1\nx\n", "t.csv:3: "),
        (f"{GAIN}\n1,2\n", "2 values for 1"),
        (f"{GAIN}\n-1\n", "t.csv:2: "),
        ('"a\nb', "CSV"),
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """By file and line."""
    (tmp_path / "t.csv").write_text(text)

    with pytest.raises(StudyError, match=re.escape(message)):
        table(machine(), tmp_path / "t.csv")


def test_a_table_holds_the_runs(tmp_path: Path) -> None:
    """Each line is a run, in their order; words and numbers are what their paths take."""
    (tmp_path / "t.csv").write_text(f"{GAIN},settings.method\n1,imp4\n2.5,imp2\n")

    assert table(machine(), tmp_path / "t.csv") == [
        {GAIN: 1.0, "settings.method": "imp4"},
        {GAIN: 2.5, "settings.method": "imp2"},
    ]
