"""Mistakes in JSON: all found at once, each with its place and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from .reading import places, problems_in


def test_all_problems_at_once(tmp_path: Path) -> None:
    """Mistakes of structure, values and references are reported together, in order."""
    text = """{
  "version": 1,
  "settings": {"duration": "5", "methd": "imp2"},
  "bodies": [
    {"name": "ä", "mass": 1, "inertia": [1, 1]},
    {"name": "b", "mass": true},
    {"name": "c"}
  ],
  "joints": [
    {"type": "ball", "body1": "ä", "body2": "bb", "anchor": [0, 0, 0]}
  ]
}"""

    problems = problems_in(tmp_path, text, ".json")

    assert places(problems) == [
        ("E201", 3, 16, "$.settings.duration"),
        ("E102", 3, 33, "$.settings.methd"),
        ("E204", 5, 30, "$.bodies[0].inertia"),
        ("E201", 6, 19, "$.bodies[1].mass"),
        ("E401", 7, 5, "$.bodies[2]"),
        ("E303", 10, 36, "$.joints[0].body2"),
    ]
    assert "Write it without quotes" in str(problems[0])
    assert "Did you mean 'method'?" in str(problems[1])


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "E005", "the file is empty"),
        ("<scene/>", "E005", "not well-formed JSON"),
        ('{"version": 1', "E005", "cut off"),
        ('{"version": 1, "name": "abc', "E005", "cut off"),
        ('{"version": 1,}', "E005", "no comma follows the last one"),
        ('{"version": 1} x', "E005", "extra data"),
        ("[1, 2]", "E009", "the file holds an array, not an object"),
        ("null", "E009", "the file holds null"),
        ("{}", "E103", "version is missing"),
        ('{"version": 2, "xyz": 1}', "E010", "is version 2"),
        ('{"version": "1"}', "E205", "version cannot be '1'"),
        ('{"version": 1.5}', "E205", "version cannot be 1.5"),
        ('{"version": 1, "name": "a", "name": "b"}', "E008", "the key 'name' is given twice"),
        ('{"version": 1, "bodies": {}}', "E201", "bodies takes an array of objects"),
        ('{"version": 1, "bodies": [3]}', "E201", "here should be a body, an object"),
        ('{"version": 1, "body": []}', "E102", "In JSON it is 'bodies'"),
        ('{"version": 1, "name": 5}', "E207", "name takes a text, here is 5"),
        ('{"version": 1, "name": "a\\u0000"}', "E207", "a character that a file cannot carry"),
        ('{"version": 1, "settings": {"gravity": [0, 0, NaN]}}', "E202", "not a number (NaN)"),
        ('{"version": 1, "settings": {"step": Infinity}}', "E202", "step is infinite"),
        ('{"version": 1, "settings": {"step": 1e999}}', "E202", "step is infinite"),
        ('{"version": 1, "settings": {"step": -1}}', "E203", "must be greater than 0"),
        ('{"version": 1, "settings": {"gravity": 9.81}}', "E201", "gravity takes 3 numbers"),
        ('{"version": 1, "settings": {"gravity": [0, 0, "9"]}}', "E201", "without quotes"),
        ('{"version": 1, "settings": {"solver": "drect"}}', "E205", "Did you mean 'direct'?"),
        (
            '{"version": 1, "collision_filter": {"default": "true"}}',
            "E206",
            "default is true or false, here is the text 'true'",
        ),
        (
            '{"version": 1, "meshes": [{"name": "m", "faces": [[0, 1, 2.5]]}]}',
            "E210",
            "takes a whole number, here is 2.5",
        ),
    ],
)
def test_mistakes(tmp_path: Path, text: str, code: str, message: str) -> None:
    """A mistake is explained in a sentence."""
    problem = problems_in(tmp_path, text, ".json")[0]

    assert problem.code == code
    assert message in str(problem)


def test_huge_integer(tmp_path: Path) -> None:
    """An integer beyond what a float holds is refused, however many digits it has."""
    text = '{"version": 1, "settings": {"step": 1%s}}'

    assert problems_in(tmp_path, text % ("0" * 400), ".json")[0].code in ("E201", "E202")
    assert problems_in(tmp_path, text % ("0" * 5000), ".json")[0].code == "E005"


@pytest.mark.parametrize(
    "text",
    [
        r'{"version": 1, "\ud800": 1}',
        r'{"version": 1, "\udfff": 1, "\udfff": 2}',
        r'{"version": 1, "bodies": [{"name": "a", "m\udc00ss": 1}]}',
        r'{"version": 1, "nested": {"deeper": [{"\ud83d x": 1}]}}',
    ],
)
def test_half_characters(tmp_path: Path, text: str) -> None:
    """A key with half of a surrogate pair is refused in words that can be written anywhere."""
    (problem,) = problems_in(tmp_path, text, ".json")

    assert problem.code == "E005"
    assert "holds half of a surrogate pair" in problem.message
    assert str(problem).encode()


def test_both_units(tmp_path: Path) -> None:
    """An angle is given in radians or in degrees, not both."""
    text = """{"version": 1, "bodies": [{"name": "b", "mass": 1, "inertia": [1, 1, 1]}],
 "joints": [{"type": "hinge", "body2": "b", "anchor": [0, 0, 0], "axis": [0, 0, 1],
  "limits": [{"lower": -1,
              "lower_deg": -60}]}]}"""

    problems = problems_in(tmp_path, text, ".json")

    assert places(problems) == [("E106", 4, 15, "$.joints[0].limits[0].lower")]
