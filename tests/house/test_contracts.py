"""Import directions that import-linter's contracts cannot say (pyproject.toml holds the others)."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "impulse_core"
PACKAGES = (CORE, ROOT / "schema/impulse_schema", ROOT / "cli/impulse_cli", ROOT / "blender_addon")
TO_TEST_WITH = {"impulse_core", "impulse_schema", "numpy", "numba", "llvmlite", "scipy"}
OPTIONAL = {"coacd"}  # imported by one function that says what to install


def imports_of(folder: Path) -> set[str]:
    """Modules that the files of a folder import, those for type checkers left out."""
    found = set()
    for source in folder.rglob("*.py"):
        tree = without_type_checking(ast.parse(source.read_text(encoding="utf-8")))
        found |= {module for module, _ in imports_in(tree, source)}
    return found


def imports_in(tree: ast.Module, source: Path) -> Iterator[tuple[str, list[str]]]:
    """Every module that a file names in an import, wherever it stands, and what it takes of it."""
    package = ".".join(source.relative_to(root_of(source)).with_suffix("").parts[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            module = importlib.util.resolve_name(name, package) if node.level else name
            yield module, [alias.name for alias in node.names]


def root_of(source: Path) -> Path:
    """The folder in which the package of a file lies."""
    return next(root for root in (ROOT / "schema", ROOT / "cli", ROOT) if root in source.parents)


def without_type_checking(tree: ast.Module) -> ast.Module:
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    ]
    return tree


def outside_of_the_standard_library(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] not in sys.stdlib_module_names}


def test_algebra_imports_nothing_of_ours_but_the_decorator():
    """3-vector algebra stands at the bottom: it knows only how kernels are compiled."""
    ours = {name for name in imports_of(CORE / "algebra") if name.startswith("impulse_")}

    assert all(
        name == "impulse_core.jit" or name.startswith("impulse_core.algebra") for name in ours
    )
    assert "impulse_core.jit" in ours


def test_recording_imports_only_numpy():
    """Blender reads recordings with nothing installed but NumPy."""
    used = outside_of_the_standard_library(imports_of(CORE / "recording"))

    assert {name.partition(".")[0] for name in used} == {"numpy", "impulse_core"}
    assert all(
        name.startswith("impulse_core.recording") for name in used - {"numpy", "numpy.typing"}
    )


def test_core_depends_on_numerics_only():
    """NumPy, SciPy and Numba with its LLVM are all the core itself needs besides the schema."""
    used = outside_of_the_standard_library(imports_of(CORE))

    assert {name.partition(".")[0] for name in used} <= TO_TEST_WITH | OPTIONAL


@pytest.mark.parametrize("module", ["impulse_core", "impulse_core.recording", "impulse_cli.main"])
def test_importing_is_light(module):
    """Neither Numba nor pydantic is loaded before it is needed."""
    code = f"import sys, {module}; print([m for m in ('numba', 'pydantic') if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )

    assert result.stdout.strip() == "[]"


def needs_of(source: Path, known: set[str]) -> set[str]:
    """Which of the known modules one names, in functions and for types as well."""
    found = set()
    for module, names in imports_in(ast.parse(source.read_text(encoding="utf-8")), source):
        found |= {module} | {f"{module}.{name}" for name in names}
    own = name_of(source)
    # a package is no more than the names of its modules
    return {name for name in found & known if not f"{own}.".startswith(f"{name}.")}


def name_of(source: Path) -> str:
    parts = source.relative_to(root_of(source)).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_circles():
    """No module needs itself, however far around, not even for types."""
    sources = [source for package in PACKAGES for source in package.rglob("*.py")]
    known = {name_of(source) for source in sources}
    order = TopologicalSorter({name_of(source): needs_of(source, known) for source in sources})

    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
