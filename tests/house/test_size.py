"""Functions are short, and what kernels ask of each other is little."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import CHECKED, of_packages, shown

MOST_LINES = 60  # of a function, its docstring included
MOST_ARGUMENTS = 9  # of a kernel that other files call
LARGER: dict[str, str] = {}  # function: the sentence of docs/design/rooms.md that says why
KERNELS = {"array_kernel", "inlined_kernel", "inner_kernel", "kernel"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[Path, Function]]:
    for source in of_packages(CHECKED):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, Function):
                yield source, node


def is_face(node: Function) -> bool:
    """Whether a function is a kernel that other files may call."""
    names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
    return bool(names & KERNELS) and not node.name.startswith("_")


def test_no_function_is_longer_than_a_page():
    """Every function of the packages fits a page, but for those of which rooms.md says why."""
    reasons = (Path(__file__).parents[2] / "docs/design/rooms.md").read_text(encoding="utf-8")
    found = {
        f"{shown(source)}: {node.name}"
        for source, node in functions()
        if node.end_lineno - node.lineno >= MOST_LINES
    }

    assert found == set(LARGER)
    assert all(reason in reasons for reason in LARGER.values())


def test_kernels_ask_for_little():
    """No kernel that other files call has more than nine arguments."""
    found = {
        f"{shown(source)}: {node.name}"
        for source, node in functions()
        if is_face(node)
        and len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs) > MOST_ARGUMENTS
    }

    assert found == set()
