"""Fails if any sample, method or solver compiles a kernel, with the installed package and an empty
cache, or if Python calls a kernel that the package does not carry.

    python .ci/compiles_nothing.py    in a folder with copies of sample_scenes and shipping
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = {
    "joints": ("pendulums/pendulum", "--duration", "1"),
    "a tree of joints": ("trees/tree-127", "--duration", "0.1"),
    "servos": ("machines/car", "--duration", "0.1"),
    "contact": ("walking/walking-machine", "--duration", "0.1"),
    "contact, solids": ("contact/rolling", "--duration", "0.1", "--time-of-impact"),
    "lmvd4": ("chains/hanging-chain", "--duration", "0.1", "--method", "lmvd4"),
    "lmvd8": ("chains/hanging-chain", "--duration", "0.1", "--method", "lmvd8"),
    "sle": ("mechanisms/four-bar", "--duration", "0.1", "--solver", "sle"),
    "iterative": ("pendulums/pendulum-3", "--duration", "0.1", "--solver", "iterative"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        os.environ["IMPULSE_CACHE_DIR"] = str(cache)
        for name, (sample, *options) in RUNS.items():
            report = report_of(Path(folder), f"sample_scenes/{sample}.xml", *options)
            print(f"{name}: {report['kernels_compiled']} kernels compiled")
            if report["kernels_compiled"]:
                sys.exit(1)
        all_short_runs()
        if kept := list(cache.rglob("*.nbc")):
            sys.exit(f"kernels were compiled and kept: {', '.join(file.name for file in kept)}")
    if absent := called_by_python() - carried():
        sys.exit(f"called by Python, but not carried: {', '.join(sorted(absent))}")


def report_of(folder: Path, *arguments: str) -> dict:
    report = folder / "report.json"
    impulse = [sys.executable, "-m", "impulse_cli", "run", *arguments]
    outputs = ["-o", str(folder / "out.json"), "--report", str(report)]
    subprocess.run([*impulse, *outputs], check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text(encoding="utf-8"))


def all_short_runs() -> None:
    """Whatever the kernels were compiled with, in this process."""
    sys.path.insert(0, os.getcwd())  # noqa: PTH109  # of the copies
    import impulse_core
    from impulse_core.jit.kernel_cache import kernels_compiled
    from shipping.runs import short_runs

    assert "site-packages" in Path(impulse_core.__file__).parts, impulse_core.__file__
    runs = short_runs()
    for run in runs:
        run()
    print(f"all {len(runs)} short runs: {kernels_compiled()} kernels compiled")
    if kernels_compiled():
        sys.exit(1)


KERNELS = {"kernel", "array_kernel"}
INNER = {"inner_kernel", "inlined_kernel"}


def package() -> Path:
    import impulse_core

    return Path(impulse_core.__file__).parent


def carried() -> set[str]:
    """Kernels in the package, as module.function."""
    return {file.name.rsplit(".", 2)[0] for file in (package() / "shipped_kernels").glob("*.nbc")}


def called_by_python() -> set[str]:
    """Kernels that functions which are none call by their names."""
    trees = {
        ".".join(path.relative_to(package().parent).with_suffix("").parts): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in package().rglob("*.py")
    }
    kernels = {
        (module, node.name)
        for module, tree in trees.items()
        for node in tree.body
        if decorated(node, KERNELS)
    }
    called = set()
    for module, tree in trees.items():
        home = {name: where for where, name in kernels if where == module}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names = [alias.name for alias in node.names]
                home |= {name: node.module for name in names if (node.module, name) in kernels}
        called |= {
            f"{home[name].rpartition('.')[2]}.{name}" for name in names_called(tree) & {*home}
        }
    return called


def names_called(tree: ast.AST) -> set[str]:
    """Names of what is called outside of kernels."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if not decorated(node, KERNELS | INNER):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found.add(node.func.id)
            found |= names_called(node)
    return found


def decorated(node: ast.AST, decorators: set[str]) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(d, ast.Name) and d.id in decorators for d in node.decorator_list
    )


if __name__ == "__main__":
    main()
