"""Functions are short, and what kernels ask of each other is little."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import CHECKED, ROOT, of_packages, shown

MOST_OF_A_FILE = 400  # lines
MOST_LINES = 60  # of a function, its docstring included
MOST_ARGUMENTS = 9  # of a kernel that other files call
REASONS = (ROOT / "docs/design/rooms.md").read_text(encoding="utf-8")
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
    """Every function of the packages fits a page, its docstring included."""
    found = {
        f"{shown(source)}: {node.name}"
        for source, node in functions()
        if node.end_lineno - node.lineno >= MOST_LINES
    }

    assert found == set()


def test_long_files_have_a_reason():
    """Files of more than 400 lines are those of which docs/design/rooms.md says why."""
    long = {
        source
        for source in of_packages(CHECKED)
        if len(source.read_text(encoding="utf-8").splitlines()) > MOST_OF_A_FILE
    }
    unexplained = {
        shown(source) for source in long if f"{source.parent.name}/{source.name}" not in REASONS
    }

    assert unexplained == set()


def test_kernels_ask_for_little():
    """No kernel that other files call has more than nine arguments."""
    found = {
        f"{shown(source)}: {node.name}"
        for source, node in functions()
        if is_face(node)
        and len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs) > MOST_ARGUMENTS
    }

    assert found == set()
