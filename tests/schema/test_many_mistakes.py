"""Files full of mistakes: the work to report them grows with the file and no faster."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from impulse_schema import Problem, SceneError, load_scene
from impulse_schema.limits import MAX_PROBLEMS
from impulse_schema.source import LineTable, Place
from impulse_schema.suggest import MAX_KNOWN, did_you_mean

from .reading import problems_in

BODY = '<body name="body-{0:05d}" mass="1" inertia="1 1 1"/>'


def _xml(part: str, count: int, bodies: int = 0) -> str:
    good = "".join(BODY.format(i) for i in range(bodies))
    return f'<scene version="1">{good}{"".join(part.format(i) for i in range(count))}</scene>'


def _json(key: str, item: Callable[[int], Any], count: int) -> str:
    return json.dumps({"version": 1, key: [item(i) for i in range(count)]}, ensure_ascii=False)


FAMILIES: dict[str, tuple[str, Callable[[int], str]]] = {
    "misspelt bodies": (
        ".xml",
        lambda n: _xml('<joint type="ball" body1="bodi-{0:05d}" anchor="0 0 0"/>', n, bodies=n),
    ),
    "misspelt attributes of one tag": (
        ".xml",
        lambda n: f'<scene version="1" {" ".join(f"versio{i}=" + chr(34) * 2 for i in range(n))}/>',
    ),
    "misspelt elements": (".xml", lambda n: _xml("<bod{0}/>", n)),
    "words for numbers": (".xml", lambda n: _xml('<body name="b{0}" mass="heavy"/>', n)),
    "equal names": (".xml", lambda n: _xml('<material name="steel"/>', n)),
    "bodies without mass": (".xml", lambda n: _xml('<body name="b{0}"/>', n)),
    "misspelt joints": (
        ".xml",
        lambda n: _xml('<joint type="coupling"><term joint="j{0}" coefficient="1"/></joint>', n),
    ),
    "misspelt groups": (
        ".xml",
        lambda n: (
            '<scene version="1"><collision_filter>'
            + "".join(f'<group group1="g{i}" group2="h{i}" collide="true"/>' for i in range(n))
            + "</collision_filter></scene>"
        ),
    ),
    "misspelt shapes": (
        ".xml",
        lambda n: _xml('<body name="{0}" motion="static"><geometry shape="boks"/></body>', n),
    ),
    "words for numbers in JSON": (
        ".json",
        lambda n: _json("bodies", lambda i: {"name": f"b{i}", "mass": "x"}, n),
    ),
    "misspelt keys of one object": (
        ".json",
        lambda n: json.dumps({"version": 1, **{f"versiön{i}": 1 for i in range(n)}}),
    ),
    "letters of several bytes in JSON": (
        ".json",
        lambda n: _json("bodies", lambda i: {"name": f"Körper {i}", "masse": 1}, n),
    ),
    "keys given twice": (
        ".json",
        lambda n: '{"version": 1, ' + ", ".join(['"name": "a"'] * n) + "}",
    ),
    "bodies without mass in JSON": (
        ".json",
        lambda n: _json("bodies", lambda i: {"name": f"b{i}"}, n),
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_linear_work(family: str, tmp_path: Path) -> None:
    """Four times the mistakes take at most about four times the lines of Python that are run.

    What is done for each problem that is listed is the same from MAX_PROBLEMS mistakes on.
    """
    suffix, write = FAMILIES[family]

    few, many = (_lines_run(tmp_path, write(n), suffix) for n in (110, 440))

    assert many < 4.5 * few


def _lines_run(folder: Path, text: str, suffix: str) -> int:
    """Lines of the schema, and calls of anything, that loading a scene with mistakes runs."""
    path = folder / f"scene{suffix}"
    path.write_text(text, encoding="utf-8")
    with contextlib.suppress(SceneError):
        load_scene(path)  # what is computed once for all scenes
    with _counting_lines() as lines, pytest.raises(SceneError):
        load_scene(path)
    return lines[0]


@contextlib.contextmanager
def _counting_lines() -> Iterator[list[int]]:
    count = [0]

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        count[0] += 1
        return trace if "impulse_schema" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("family", FAMILIES)
def test_first_and_number_of_others(family: str, tmp_path: Path) -> None:
    """The first problems in the order of the file are listed, and of the others their number."""
    suffix, write = FAMILIES[family]
    few = problems_in(tmp_path, write(20), suffix)

    problems = problems_in(tmp_path, write(1200), suffix)

    *listed, others = problems
    per_mistake = round(len(few) / 20)
    assert len(listed) == MAX_PROBLEMS
    assert others.code == "E012"
    assert abs(others.count - (1200 * per_mistake - MAX_PROBLEMS)) <= 1
    assert f"{others.count} more problems" in str(others)
    assert [_place(p) for p in listed] == sorted(_place(p) for p in listed)


def _place(problem: Problem) -> tuple[int, int]:
    return (problem.line or 0, problem.column or 0)


class _CountedBytes(bytes):
    """Bytes that count how many of them were cut out."""

    cut = 0

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if isinstance(key, slice):
            self.cut += len(part)
        return part


@pytest.mark.parametrize("lines", [1, 7])
def test_columns_are_counted_on(lines: int) -> None:
    """Ascending places of a long line are found by reading it once, in whatever letters."""
    text = "\n".join("aßc€" * 500 for _ in range(lines))
    data = _CountedBytes(text.encode())
    table = LineTable(data)

    found = [table.place(len(text[:i].encode())) for i in range(0, len(text), 3)]

    rows = [(i, text.rfind("\n", 0, i) + 1) for i in range(0, len(text), 3)]
    assert found == [Place(text.count("\n", 0, i) + 1, i - start + 1) for i, start in rows]
    assert data.cut <= len(data)


def test_columns_in_any_order() -> None:
    """A place that lies before the last one asked for is found as well."""
    table = LineTable("äbc\ndéf".encode())

    offsets = [8, 0, 5, 2, 5]

    assert [table.place(i) for i in offsets] == [(2, 3), (1, 1), (2, 1), (1, 2), (2, 1)]


@pytest.mark.parametrize("count", [10, 49, 51, 5000])
def test_suggestion_among_many(count: int) -> None:
    """One wrong letter is found among thousands of names that differ in their numbers."""
    known = [f"body-{i:05d}" for i in range(count)]

    for i in (0, count // 2, count - 1):
        assert did_you_mean(f"bodi-{i:05d}", known) == f"Did you mean 'body-{i:05d}'?"


def test_no_suggestion_among_very_many() -> None:
    """Names that only a program writes are not compared letter by letter."""
    assert did_you_mean("bodi-1", [f"body-{i}" for i in range(MAX_KNOWN + 1)]) == ""
