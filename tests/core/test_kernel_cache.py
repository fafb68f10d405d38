"""The cache of compiled kernels: an edit anywhere reaches every kernel."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import impulse_core
from impulse_core.jit import decorators

PACKAGE = Path(impulse_core.__file__).parent

PROBE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from impulse_core import jit
from impulse_core.free_motion.symmetric_top import turn_symmetric_top
from impulse_core.algebra import Quat, Vec3
import impulse_core
folder = jit.cache_folder()
cold = folder is None or not any(folder.glob("*.nbc"))
q = turn_symmetric_top(Quat(1.0, 0.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0), 1.0, 1.0, 2, 0.5)
hits = sum(turn_symmetric_top.dispatcher.stats.cache_hits.values())
print(json.dumps([list(q), cold, hits, impulse_core.__file__, str(folder)]))
"""

IMPORT = """
import sys
sys.path.insert(0, sys.argv[1])
from impulse_core import jit
print(jit.cache_folder())
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that a test may edit."""
    package = tmp_path / "source" / "impulse_core"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def run_python(code, package, cache):
    """What ``code`` prints, run on this copy of the package with this cache."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(package.parent)],
        env=os.environ | {"IMPULSE_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.strip()


def probe(package, cache):
    """Rotation that a kernel computes, whether the cache was cold, its hits, its folder."""
    rotation, cold, hits, file, folder = json.loads(run_python(PROBE, package, cache))
    assert Path(file).parent == package
    return rotation, cold, hits, Path(folder)


def test_an_edit_in_algebra_reaches_a_kernel(copy, tmp_path):
    """After an edit of a helper in another file, a cached kernel computes with the new helper."""
    cache = tmp_path / "cache"
    before, cold, _, _ = probe(copy, cache)
    again, warm, hits, _ = probe(copy, cache)
    assert cold
    assert not warm
    assert hits == 1
    assert again == before

    helper = copy / "algebra" / "quat.py"
    text = helper.read_text(encoding="utf-8")
    edited = text.replace("return Quat(c, v.x * s, v.y * s, v.z * s)", "return Quat(c, s, s, s)")
    assert edited != text
    helper.write_text(edited, encoding="utf-8")

    after, cold, hits, _ = probe(copy, cache)
    assert after != before
    assert cold
    assert hits == 0


def test_the_old_sources_find_their_cache_again(copy, tmp_path):
    """Going back to earlier sources, as by switching branches, finds their kernels still there."""
    cache = tmp_path / "cache"
    helper = copy / "algebra" / "quat.py"
    text = helper.read_text(encoding="utf-8")
    _, _, _, first = probe(copy, cache)
    helper.write_text(text + "\n# another branch\n", encoding="utf-8")
    _, _, _, second = probe(copy, cache)
    helper.write_text(text, encoding="utf-8")

    _, cold, hits, third = probe(copy, cache)

    assert first == third != second
    assert not cold
    assert hits == 1


def test_no_kernel_imports_what_the_hash_leaves_out():
    """The files that the name of the cache folder does not cover are imported by no kernel file."""
    names = [name.removesuffix(".py").rstrip("/") for name in decorators._WITHOUT_KERNELS]
    # compiled scenes are handed to functions beside the kernels of the analysis
    left_out = tuple(f"{name.replace('/', '.')}." for name in names if name != "compile")
    kernels = 0
    for source in PACKAGE.rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        if not re.search(r"^@(array_|inner_|inlined_)?kernel$", text, re.MULTILINE):
            continue
        kernels += 1
        imports = [
            (node.module or "").removeprefix("impulse_core.")
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom)
        ]
        assert not [name for name in imports if f"{name}.".startswith(left_out)], source
        own = source.relative_to(PACKAGE).as_posix()
        assert not own.startswith(decorators._WITHOUT_KERNELS), source
    assert kernels > 50


def test_the_cache_does_not_grow_for_ever(copy, tmp_path):
    """Only the caches of the last few versions are kept, the present one among them."""
    cache = tmp_path / "cache"
    folders = []
    for k in range(6):
        with (copy / "algebra" / "vec3.py").open("a", encoding="utf-8") as helper:
            helper.write(f"# version {k}\n")
        folders.append(run_python(IMPORT, copy, cache))

    assert len(set(folders)) == 6
    assert {str(folder) for folder in (cache / "impulse-kernels").iterdir()} == set(folders[2:])


def test_a_cache_that_cannot_be_written(copy, tmp_path):
    """Where no cache can be written, kernels are compiled in memory and compute the same."""
    cache = tmp_path / "cache"
    cache.write_text("in the way", encoding="utf-8")
    expected, _, _, _ = probe(copy, tmp_path / "other")

    found, cold, hits, folder = probe(copy, cache)

    assert found == expected
    assert cold
    assert hits == 0
    assert folder == Path("None")
