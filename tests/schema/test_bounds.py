"""Bounds of numbers: one pair for each unit, told with place and unit, far from any machine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from impulse_core.forces.signals.program import LARGEST_VALUE
from impulse_core.geometry.polyhedron import LARGEST_COORDINATE
from impulse_schema import Geometry, Scene, check_scene, load_scene, parse_expression
from impulse_schema.bounds import BOUNDS, beyond, bounds_of
from impulse_schema.checks.bounds import check_bounds
from impulse_schema.expressions import ExpressionError
from impulse_schema.fields import ElementSpec, FieldSpec, all_elements, element_spec
from impulse_schema.models import Element
from impulse_schema.problems import Finding

from .reading import places, problems_in

SAMPLES = Path(__file__).parents[2] / "sample_scenes"
NUMBERS = [
    (spec, field)
    for spec in all_elements(Scene)
    for field in spec.fields.values()
    if field.has_bounds
]


def _id(value: Any) -> str:
    return value.model.__name__ if isinstance(value, ElementSpec) else value.key


def test_every_unit_has_bounds() -> None:
    """Every unit is in the table; units that stand for one another have the same bounds."""
    for _, field in NUMBERS:
        units = field.unit.replace(", ", " or ").split(" or ")

        assert {BOUNDS[unit] for unit in units} == {bounds_of(field.unit)}


@pytest.mark.parametrize(("spec", "field"), NUMBERS, ids=_id)
class TestEveryNumber:
    """Every field that holds numbers, whatever element it belongs to."""

    def test_within(self, spec: ElementSpec, field: FieldSpec) -> None:
        """The bounds themselves are legal, and zero where it may be."""
        least, most = bounds_of(field.unit)
        legal = {
            "positive": (least, most),
            "non-negative": (0.0, least, most),
            "any": (0.0, 5e-324, -least, most, -most),
        }[field.sign]

        assert [_findings(spec, field, number) for number in legal] == [[]] * len(legal)

    def test_beyond(self, spec: ElementSpec, field: FieldSpec) -> None:
        """A number beyond is reported once, at its key, with what it must be and its unit."""
        least, most = bounds_of(field.unit)
        illegal = {
            "positive": (0.999 * least, 1.001 * most),
            "non-negative": (5e-324, 0.999 * least, 1.001 * most),
            "any": (1.001 * most, -1.001 * most, 1e300),
        }[field.sign]

        for number in illegal:
            (finding,) = _findings(spec, field, number)

            assert finding.path == (field.key,)
            assert finding.code == "E203"
            assert f"is {number:g} and must " in finding.message
            assert finding.message.endswith(field.unit)


def _findings(spec: ElementSpec, field: FieldSpec, number: float) -> list[Finding]:
    """What is wrong with an element that has ``number`` in a field; all others are left out."""
    value = {
        "number": number,
        "numbers": (1.0, number, 1.0),
        "rows": [(1.0, 1.0), (1.0, number)],
    }[field.kind]
    return list(check_bounds(spec.model.model_construct(**{field.name: value})))


def test_place_and_words(tmp_path: Path) -> None:
    """Numbers out of bounds deep in a file have their lines, and all are reported at once."""
    problems = problems_in(
        tmp_path,
        '<scene version="1">\n<settings step="1e-300"/>\n'
        '<body name="a" mass="1e16">\n<geometry shape="box" size="1 2e9 1"/></body>\n'
        '<joint type="slider" body2="a" anchor="0 0 0" axis="1 0 0">\n'
        '<limit upper="1e10"/></joint></scene>',
    )

    assert places(problems) == [
        ("E203", 2, 11, "/scene/settings/@step"),
        ("E203", 3, 16, "/scene/body[@name='a']/@mass"),
        ("E203", 4, 23, "/scene/body[@name='a']/geometry[1]/@size"),
        ("E203", 6, 8, "/scene/joint[1]/limit[1]/@upper"),
    ]
    assert problems[0].message == "step is 1e-300 and must be at least 1e-09 s"
    assert problems[1].message == "mass is 1e+16 and must be at most 1e+15 kg"
    assert problems[2].message == "a number of size is 2e+09 and must be at most 1e+09 m"
    assert problems[3].message == "upper is 1e+10 and must lie between -1e+09 and 1e+09 rad or m"


def test_scene_built_in_python() -> None:
    """A number that is put into a model later is found by the check as well."""
    solid = Geometry(shape="sphere", radius=1e10)
    scene = Scene.model_validate({"version": 1, "bodies": [{"name": "a", "motion": "static"}]})
    scene.bodies[0].geometry.append(solid)

    assert [p.path for p in check_scene(scene)] == [("bodies", 0, "geometry", 0, "radius")]


def test_samples_lie_a_thousandfold_inside() -> None:
    """No number of a sample comes nearer to a bound of its unit than a factor of 1000."""
    near = []
    files = [p for p in SAMPLES.rglob("*") if p.suffix in (".xml", ".json")]
    for path in files:
        for field, number in _numbers(load_scene(path)):
            least, most = bounds_of(field.unit)
            small = field.sign != "any" and 0.0 < number < 1e3 * least
            if small or abs(number) > 1e-3 * most:
                near.append((path.name, field.key, number))

    assert len(files) > 30
    assert near == []


def _numbers(element: Element) -> Iterator[tuple[FieldSpec, float]]:
    for field in element_spec(type(element)).fields.values():
        value = getattr(element, field.name)
        if value is None:
            continue
        if field.model is not None:
            for item in value if field.kind == "elements" else [value]:
                yield from _numbers(item)
        elif field.has_bounds:
            rows = {"number": [[value]], "numbers": [value], "rows": value}[field.kind]
            yield from ((field, number) for row in rows for number in row)


@pytest.mark.parametrize("unit", BOUNDS)
def test_products_of_bounds_are_normal(unit: str) -> None:
    """Squares and cubes of the bounds, and products with those of lengths, are normal numbers."""
    smallest, largest = 2.3e-308, 1.7e308
    for a in BOUNDS[unit]:
        for b in BOUNDS["m"]:
            for product in (a * a, a * a * a, a * b, a * b * b, 1.0 / a, 1.0 / (a * a)):
                assert smallest < product < largest
    for density in BOUNDS["kg/m^3"]:
        for length in BOUNDS["m"]:
            assert smallest < (density * length**5) ** 2 < largest


def test_bounds_elsewhere_are_the_same() -> None:
    """What may not import the schema has the same bounds."""
    assert BOUNDS["m"].most == LARGEST_COORDINATE
    assert {bounds_of(unit).most for unit in ("rad", "m", "rad/s", "m/s")} == {LARGEST_VALUE}


@pytest.mark.parametrize("text", ["1e9*t", "-1e10*t", "1e300 * t"])
def test_expression_out_of_bounds(text: str) -> None:
    """The value of a motor expression has the bounds of a target, at every time."""
    expression = parse_expression(text)

    assert math.isfinite(expression(1e-300))
    with pytest.raises(
        ExpressionError, match=r"at t = 2 s and must lie between -1e\+09 and 1e\+09"
    ):
        expression(2.0)


def test_not_a_number_is_beyond() -> None:
    """NaN, which no comparison finds, is within no bounds."""
    assert all(beyond(math.nan, "m", sign) for sign in ("any", "positive", "non-negative"))
