"""Kernels that come compiled with Impulse: used where they fit, refused with a line elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import impulse_core
from impulse_core.jit import kernel_cache
from impulse_core.jit.shipped import BASELINES, ShippedKernels, write_made_for

PACKAGE = Path(impulse_core.__file__).parent
BASELINE = BASELINES["x86_64"]
SOURCES = "0123456789abcdef"
TARGET = ("x86_64-unknown-linux-gnu", BASELINE.name, "")
NEWER = ",".join(f"+{feature}" for feature in (*sorted(BASELINE.features), "avx512f")) + ",-fma4"
HOST = (TARGET[0], "znver5", NEWER)

PROBE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from impulse_core import jit
from impulse_core.free_motion.symmetric_top import turn_symmetric_top
from impulse_core.algebra import Quat, Vec3
from impulse_core.jit.kernel_cache import found_on_disk, kernels_compiled
q = turn_symmetric_top(Quat(1.0, 0.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0), 1.0, 1.0, 2, 0.5)
from numba.core.registry import cpu_target
triple, _, _ = cpu_target.target_context.codegen().magic_tuple()
found = [str(path) for path in found_on_disk()]
print(json.dumps([list(q), kernels_compiled(), found, jit.sources(), triple]))
"""


class Copy:
    """A copy of the package, and what a process that runs it says."""

    def __init__(self, source, folder):
        self.package = folder / "impulse_core"
        self.shipped = self.package / "shipped_kernels"
        shutil.copytree(source, self.package, ignore=shutil.ignore_patterns("__pycache__"))

    def start(self, cache, **environment):
        """A process that calls a kernel."""
        return subprocess.Popen(
            [sys.executable, "-c", PROBE, str(self.package.parent)],
            env=os.environ | {"IMPULSE_CACHE_DIR": str(cache)} | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, cache, **environment):
        """What the kernel computes, how many were compiled, the files that were found, what was
        said, and sources and triple.
        """
        return self.end(self.start(cache, **environment))

    @staticmethod
    def end(process):
        said, complained = process.communicate(timeout=120)
        assert process.returncode == 0, complained
        result, compiled, found, *made_for = json.loads(said)
        return result, compiled, [Path(file) for file in found], complained, made_for


@pytest.fixture(scope="module")
def with_kernels(tmp_path_factory):
    """A copy that carries the compiled kernel that the probe calls, made as a wheel's are."""
    folder = tmp_path_factory.mktemp("made")
    made = Copy(PACKAGE, folder / "source")
    baseline = {"NUMBA_CPU_NAME": BASELINE.name, "NUMBA_CPU_FEATURES": ""}
    result, compiled, _, _, _ = made.run(folder / "cache", **baseline)
    assert compiled > 0
    _, compiled, found, _, (sources, triple) = made.run(folder / "cache", **baseline)
    assert compiled == 0
    made.shipped.mkdir()
    for file in found:
        shutil.copy(file, made.shipped)
    write_made_for(made.shipped, sources, (triple, BASELINE.name, ""))
    return made, result


@pytest.fixture
def installed(with_kernels, tmp_path):
    """A copy of it that a test may damage, and what its kernel computes."""
    made, result = with_kernels
    return Copy(made.package, tmp_path / "installed"), result


def kept(cache):
    """Kernels in a user's cache."""
    return list(cache.rglob("*.nbc"))


# --------------------------------------------------------------------------------------
# Where they fit
# --------------------------------------------------------------------------------------


def test_nothing_is_compiled_where_kernels_came_with_the_package(installed, tmp_path):
    """A first run with an empty cache finds the shipped kernel, says nothing and keeps nothing."""
    copy, expected = installed

    result, compiled, found, said, _ = copy.run(tmp_path / "cache")

    assert result == expected
    assert compiled == 0
    assert [file.parent for file in found] == [copy.shipped]
    assert said == ""
    assert kept(tmp_path / "cache") == []


def test_a_read_only_home(installed, tmp_path):
    """Where no cache can be written, shipped kernels are used all the same, without a word."""
    copy, expected = installed
    (tmp_path / "in the way").write_text("")

    result, compiled, _, said, _ = copy.run(tmp_path / "in the way")

    assert (result, compiled, said) == (expected, 0, "")


def test_two_first_runs_at_once(installed, tmp_path):
    """Two processes that start together both find the kernel, or both compile it: without a
    complaint either way.
    """
    copy, expected = installed
    for compiles in (False, True):
        if compiles:
            shutil.rmtree(copy.shipped)
        started = [copy.start(tmp_path / "cache") for _ in range(2)]
        for result, compiled, _, said, _ in map(copy.end, started):
            assert (result, said) == (expected, "")
            assert (compiled > 0) <= compiles
    assert copy.run(tmp_path / "cache")[1] == 0


def test_a_clone_compiles_as_ever(installed, tmp_path):
    """Without shipped kernels they are compiled into the user's cache, and nothing is said."""
    copy, expected = installed
    shutil.rmtree(copy.shipped)

    result, compiled, found, said, _ = copy.run(tmp_path / "cache")

    assert (result, found, said) == (expected, [], "")
    assert compiled > 0
    assert kept(tmp_path / "cache")


# --------------------------------------------------------------------------------------
# Where they do not
# --------------------------------------------------------------------------------------


def cut_off(copy):
    for file in copy.shipped.glob("*.nbc"):
        file.write_bytes(file.read_bytes()[:-100])


def emptied(copy):
    for file in copy.shipped.glob("*.nbc"):
        file.write_bytes(b"")


def under_another_name(copy):
    """As if a kernel that another Numba compiled had been given the name of ours."""
    for file in copy.shipped.glob("*.nbc"):
        data = b"\0" * 100
        other = kernel_cache._checksum("step.0.nbc", data)
        file.write_bytes(other + data)


def a_folder_in_its_place(copy):
    for file in copy.shipped.glob("*.nbc"):
        file.unlink()
        file.mkdir()


def for_others_to_write(copy):
    copy.shipped.chmod(0o777)


def file_for_others_to_write(copy):
    for file in copy.shipped.glob("*.nbc"):
        file.chmod(0o666)


def of_another_numba(copy):
    change(copy, "Numba", "0.1.0")


def of_another_llvm(copy):
    change(copy, "llvmlite", "0.1.0")


def of_another_python(copy):
    change(copy, "Python", "cpython-310")


def of_other_settings(copy):
    change(copy, "settings", "NUMBA_OPT=0 NUMBA_BOUNDSCHECK=0")


def of_another_processor(copy):
    change(copy, "target", ["aarch64-unknown-linux-gnu", "generic", ""])


def of_an_unknown_processor(copy):
    change(copy, "target", [TARGET[0], "x86-64-v9", ""])


def with_a_damaged_note(copy):
    (copy.shipped / "made-for.json").write_text('{"Numba": ')


def with_an_odd_note(copy):
    (copy.shipped / "made-for.json").write_text("[1, 2]")


def of_other_sources(copy):
    with (copy.package / "algebra/vec3.py").open("a") as source:
        source.write("# edited\n")


def change(copy, key, value):
    path = copy.shipped / "made-for.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (cut_off, "is damaged"),
        (emptied, "is damaged"),
        (under_another_name, "is damaged"),
        (a_folder_in_its_place, "cannot be read: is a directory"),
        (for_others_to_write, "others may write to"),
        (file_for_others_to_write, "others may write to"),
        (of_another_numba, "they are for Numba 0.1.0, here is"),
        (of_another_llvm, "they are for llvmlite 0.1.0, here is"),
        (of_another_python, "they are for Python cpython-310, here is"),
        (of_other_settings, "they were compiled with NUMBA_OPT=0"),
        (of_another_processor, "they are for aarch64-unknown-linux-gnu, here is"),
        (of_an_unknown_processor, "they are for another processor, x86-64-v9"),
        (with_a_damaged_note, "made-for.json is damaged"),
        (with_an_odd_note, "made-for.json is damaged"),
        (of_other_sources, "the sources beside them were changed"),
    ],
)
def test_what_does_not_fit_is_compiled_afresh(installed, tmp_path, spoil, reason):
    """Damaged, foreign and open to others: never loaded, compiled with one line, and kept in the
    user's cache, so that the next run is silent.
    """
    copy, expected = installed
    spoil(copy)

    result, compiled, found, said, _ = copy.run(tmp_path / "cache")

    assert result == expected
    assert compiled > 0
    assert found == []
    (line,) = said.splitlines()
    assert line.startswith("The compiled kernels that came with Impulse cannot be used")
    assert reason in line
    _, compiled, _, said, _ = copy.run(tmp_path / "cache")
    assert (compiled, said) == (0, "")


def test_a_lesser_processor(installed, tmp_path):
    """Where Numba compiles for a processor without AVX2, the line names what is missing."""
    copy, expected = installed
    lesser = {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "+sse3,+ssse3,+sse4.1,+sse4.2"}

    result, compiled, _, said, _ = copy.run(tmp_path / "cache", **lesser)

    assert result == pytest.approx(expected, rel=1e-15)
    assert compiled > 0
    assert "this processor, x86-64-v2, lacks avx, avx2, bmi" in said


# --------------------------------------------------------------------------------------
# For which processors
# --------------------------------------------------------------------------------------


@pytest.fixture
def shipped(tmp_path):
    """A folder that says it was made for the baseline."""
    write_made_for(tmp_path, SOURCES, TARGET)
    return ShippedKernels(tmp_path, SOURCES)


def test_a_richer_processor_runs_what_the_baseline_runs(shipped):
    """Features beyond those of the baseline are no hindrance."""
    assert shipped.target(HOST) == TARGET
    assert shipped.reason == ""


def test_the_baseline_itself(shipped):
    """Whoever lets Numba compile for the baseline gets what was compiled for it."""
    assert shipped.target(TARGET) == TARGET


@pytest.mark.parametrize("feature", sorted(BASELINE.features))
def test_each_feature_of_the_baseline_is_asked_for(shipped, feature):
    """A processor that lacks one of them, or turned it off, does not run the kernels."""
    without = NEWER.replace(f"+{feature},", f"-{feature},")

    assert shipped.target((TARGET[0], "odd", without)) is None
    assert f"this processor, odd, lacks {feature} of x86-64-v3" in shipped.reason


def test_no_shipped_kernels_are_no_reason_for_a_word(tmp_path):
    """A folder that is not there is what a clone has."""
    shipped = ShippedKernels(tmp_path / "none", SOURCES)

    assert shipped.target(HOST) is None
    assert shipped.reason == ""


def test_a_folder_of_another_user(shipped, monkeypatch):
    """Kernels of another user but root are not run."""
    if os.geteuid() == 0:
        os.chown(shipped.folder, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)

    assert shipped.target(HOST) is None
    assert "belongs to another user" in shipped.reason


@pytest.mark.parametrize("mode", [0o755, 0o555, 0o775, 0o757])
def test_folders_of_root_are_trusted_unless_others_may_write(shipped, mode):
    """As those of an installation by the system's administrator."""
    shipped.folder.chmod(mode)

    assert (shipped.target(HOST) is None) == bool(mode & 0o022)
