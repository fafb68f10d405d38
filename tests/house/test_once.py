"""Everything is written once."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.house.sources import CHECKED, of_packages, shown

LINES = 6  # that may not stand anywhere twice
FILES = tuple(of_packages((*CHECKED, "tests")))
WITHOUT_MEANING = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Line(NamedTuple):
    """A line of code."""

    number: int
    scope: int
    """First line of the innermost function or class that it stands in, 0 for none."""
    text: str
    """Its tokens."""


def lines_of(source: Path) -> list[Line]:
    """The lines that do something: no comments, docstrings, imports, or heads of functions, whose
    arguments are often those of other functions.
    """
    text = source.read_text(encoding="utf-8")
    tree = ast.parse(text)
    left_out = {number for node in ast.walk(tree) for number in _said_only(node)}
    tokens: defaultdict[int, list[str]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in WITHOUT_MEANING and token.start[0] not in left_out:
            tokens[token.start[0]].append(token.string)
    scopes = _scopes(tree)
    return [Line(n, scopes.get(n, 0), " ".join(tokens[n])) for n in sorted(tokens)]


def _said_only(node: ast.AST) -> range:
    """The lines of a node that do nothing."""
    if isinstance(node, Function):
        return range(node.lineno, node.body[0].lineno)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return range(node.lineno, node.end_lineno + 1)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return range(node.lineno, node.end_lineno + 1)
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return range(node.lineno, node.end_lineno + 1)
    return range(0)


def _scopes(tree: ast.Module) -> dict[int, int]:
    """The first line of the innermost function or class around each line; outer ones come first."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, (*Function.__args__, ast.ClassDef)):
            found |= dict.fromkeys(range(node.lineno, node.end_lineno + 1), node.lineno)
    return found


def pieces(lines: list[Line]) -> Iterator[list[Line]]:
    """All runs of so many lines within one function, class or module."""
    for first in range(len(lines) - LINES + 1):
        piece = lines[first : first + LINES]
        if len({line.scope for line in piece}) == 1:
            yield piece


def repeated(files: dict[str, list[Line]]) -> dict[tuple[str, ...], list[tuple[str, int]]]:
    """The pieces that stand twice or more, and where: file and first line."""
    places: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, lines in files.items():
        for piece in pieces(lines):
            places[tuple(line.text for line in piece)].append((name, piece[0].number))
    return {text: where for text, where in places.items() if len(where) > 1}


def test_no_six_lines_stand_twice():
    """What two places need is a function of one of them, or of a third."""
    found = repeated({shown(source): lines_of(source) for source in FILES})

    assert not {tuple(f"{name}:{number}" for name, number in where) for where in found.values()}


def test_the_search_finds_what_is_written_twice(tmp_path):
    """Neither layout, comments nor what stands around the lines hide a piece from the search."""
    body = "\n".join(f"    x{n} = f(x{n}, y)" for n in range(LINES))
    spread = body.replace("f(", "f( ").replace("x2 =", "x2  =  ") + "  # why"
    (tmp_path / "a.py").write_text(f'def a(y):\n    """One."""\n{body}\n')
    (tmp_path / "b.py").write_text(f"import math\n\n\ndef b(y, z):\n    z = 1\n\n{spread}\n")

    found = repeated({name: lines_of(tmp_path / name) for name in ("a.py", "b.py")})

    assert list(found.values()) == [[("a.py", 3), ("b.py", 7)]]
