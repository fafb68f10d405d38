"""The folder of compiled kernels: nothing of anybody else's is removed, loaded or trusted."""

from __future__ import annotations

import logging
import os
import pickle
import pwd
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from impulse_core.jit import kernel_cache
from impulse_core.jit.kernel_cache import KernelCache, told_of_compiling
from impulse_core.jit.kernel_folder import open_folder
from impulse_core.jit.linking import EntryCompiler

HASHES = [f"{k:016x}" for k in range(10)]
CURRENT = "f" * 16


@pytest.fixture
def parent(tmp_path, monkeypatch):
    """A folder that IMPULSE_CACHE_DIR names."""
    monkeypatch.setenv("IMPULSE_CACHE_DIR", str(tmp_path / "parent"))
    return tmp_path / "parent"


@pytest.fixture
def said(monkeypatch, caplog):
    """What the log says, of a process that has said nothing yet."""
    monkeypatch.setattr(KernelCache, "_complained", False)
    caplog.set_level(logging.WARNING, logger="impulse")
    return caplog


def contents(folder):
    """Every path below a folder, with the bytes of files."""
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def twice(x):
    return x + x


def kernel_in(folder, reason=""):
    """``twice``, compiled, in a process that has compiled nothing yet."""
    kernel = numba.njit(pipeline_class=EntryCompiler)(twice)
    kernel._cache = KernelCache(twice, folder, reason)
    return kernel


def hits(kernel):
    """How many variants were found on disk."""
    return sum(kernel.stats.cache_hits.values())


# --------------------------------------------------------------------------------------
# What is removed
# --------------------------------------------------------------------------------------


def test_other_things_in_the_chosen_folder_stay(parent):
    """IMPULSE_CACHE_DIR may name a folder that is full of other things; they all stay."""
    for name in ("Documents", "Pictures", "Thesis", "Music", "Videos", HASHES[0]):
        (parent / name).mkdir(parents=True)
        (parent / name / "mine").write_text(name)
    before = contents(parent)

    for name in (*HASHES, CURRENT):
        open_folder(name)

    assert before.items() <= contents(parent).items()


KINDS = ("folder", "unmarked", "marked folder with a file", "link", "file", "marker is a folder")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    things=st.dictionaries(
        st.sampled_from([*HASHES, "Documents", ".git", "0123", HASHES[1].upper() + "AB"]),
        st.sampled_from(KINDS),
        max_size=12,
    ),
    opened=st.lists(st.sampled_from(HASHES), max_size=12),
)
def test_what_is_not_a_kernel_stays(things, opened, tmp_path_factory, monkeypatch):
    """Also among the kernels: whatever else lies there, under any name, links included."""
    parent = tmp_path_factory.mktemp("parent")
    monkeypatch.setenv("IMPULSE_CACHE_DIR", str(parent))
    elsewhere = parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".impulse-kernels").touch()
    (elsewhere / "mine.nbc").touch()
    kernels = parent / "impulse-kernels"
    kernels.mkdir(mode=0o700)
    for name, kind in things.items():
        _put(kernels / name, kind, elsewhere)
    before = {
        path: content for path, content in contents(parent).items() if path.name.startswith("mine")
    }

    for name in (*opened, CURRENT):
        open_folder(name)

    assert before.items() <= contents(parent).items()


def _put(path, kind, elsewhere):
    if kind == "link":
        path.symlink_to(elsewhere)
    elif kind == "file":
        path.write_text("mine")
    else:
        path.mkdir(mode=0o700)
        if kind == "marked folder with a file":
            (path / ".impulse-kernels").touch()
        elif kind == "marker is a folder":
            (path / ".impulse-kernels").mkdir()
        (path / ("mine" if kind.startswith("mark") else "mine.nbc")).write_text("mine")


def test_kernels_that_were_used_last_are_kept(parent):
    """Four folders stay, those that were opened last; what older ones hold is removed."""
    for name in HASHES:
        folder, _ = open_folder(name)
        (folder / "kernel.nbc").touch()
        (folder / "1-0.nbc-tmp").touch()
        _make_older(parent / "impulse-kernels")
    open_folder(HASHES[-4])
    open_folder(CURRENT)

    left = {folder.name for folder in (parent / "impulse-kernels").iterdir()}

    assert left == {HASHES[-4], HASHES[-2], HASHES[-1], CURRENT}


def _make_older(kernels):
    for marker in kernels.glob("*/.impulse-kernels"):
        time = marker.stat().st_mtime_ns - 10**9
        os.utime(marker, ns=(time, time))


PRUNER = """
import sys
from impulse_core.jit.kernel_cache import _write
from impulse_core.jit.kernel_folder import open_folder
for k in range(150):
    folder, reason = open_folder(f"{k % 7 + int(sys.argv[1]):016x}")
    assert folder is not None, reason
    try:
        _write(folder / f"kernel{k}.nbc", b"")
    except FileNotFoundError:
        pass  # pruned by another process
"""


def test_processes_that_prune_at_once(parent):
    """Several processes open, fill and prune folders at the same moment, and none fails; what they
    leave to each other the next one takes away.
    """
    started = [
        subprocess.Popen([sys.executable, "-c", PRUNER, str(k)], stderr=subprocess.PIPE)
        for k in range(3)
    ]
    for process in started:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
    open_folder(CURRENT)
    assert len(list((parent / "impulse-kernels").iterdir())) <= 4 + len(started)


# --------------------------------------------------------------------------------------
# What is trusted
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["impulse-kernels", f"impulse-kernels/{CURRENT}"])
@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755, 0o720, 0o702, 0o770, 0o777, 0o1777])
def test_folders_that_others_may_write_to(parent, level, mode):
    """Kernels are code: they are taken from no folder to which the group or others may write."""
    open_folder(CURRENT)
    (parent / level).chmod(mode)

    folder, reason = open_folder(CURRENT)

    if mode & 0o022:
        assert folder is None
        assert f"{parent / level}; take that right away (chmod go-w)" in reason
    else:
        assert folder == parent / "impulse-kernels" / CURRENT


@pytest.mark.parametrize("level", ["impulse-kernels", f"impulse-kernels/{CURRENT}"])
def test_folders_of_another_user(parent, level, monkeypatch):
    """Kernels are taken from no folder of another user, unless it is root."""
    open_folder(CURRENT)
    if os.geteuid() == 0:
        os.chown(parent / level, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)

    folder, reason = open_folder(CURRENT)

    assert folder is None
    assert "belongs to another user" in reason


class Planted:
    """A pickle that leaves a trace when it is read."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


def test_a_planted_kernel_does_not_run(parent, tmp_path, said):
    """What somebody else put into a folder open to all is not even read."""
    trace = tmp_path / "trace"
    folder, _ = open_folder(CURRENT)
    assert kernel_in(folder)(2.0) == 4.0
    for file in folder.glob("*.nbc"):
        data = pickle.dumps(Planted(trace))
        file.write_bytes(kernel_cache._checksum(file.name, data) + data)
    folder.chmod(0o777)

    kernel = kernel_in(*open_folder(CURRENT))

    assert kernel(2.0) == 4.0
    assert not trace.exists()
    assert "others may write to" in said.text


# --------------------------------------------------------------------------------------
# What is read
# --------------------------------------------------------------------------------------


def test_a_kernel_is_found_again(parent):
    """Compiled once, a kernel is found by the next process, and nobody is told of compiling."""
    told = []
    folder, _ = open_folder(CURRENT)
    with told_of_compiling(lambda: told.append("compiles")):
        assert kernel_in(folder)(2.0) == 4.0
        assert told == ["compiles"]
        again = kernel_in(folder)
        assert again(3.0) == 6.0
    assert hits(again) == 1
    assert told == ["compiles"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    damage=st.sampled_from(["cut", "bit", "zeros", "more"]),
    where=st.floats(0.0, 1.0, exclude_max=True),
    bit=st.integers(0, 7),
)
def test_a_damaged_kernel_is_compiled_again(damage, where, bit, tmp_path_factory):
    """A file that was cut off, changed, or emptied is replaced by a whole one, without a word."""
    folder = tmp_path_factory.mktemp("kernels")
    kernel_in(folder)(2.0)
    [file] = folder.glob("*.nbc")
    content = file.read_bytes()
    place = int(where * len(content))
    if damage == "cut":
        file.write_bytes(content[:place])
    elif damage == "bit":
        changed = bytes([content[place] ^ 1 << bit])
        file.write_bytes(content[:place] + changed + content[place + 1 :])
    elif damage == "zeros":
        file.write_bytes(content[:place] + b"\0" * (len(content) - place + 1))
    else:
        file.write_bytes(content + b"\0" * (place + 1))

    kernel = kernel_in(folder)

    assert kernel(2.0) == 4.0
    assert hits(kernel) == 0
    mended = kernel_in(folder)
    assert mended(2.0) == 4.0
    assert hits(mended) == 1


@pytest.mark.parametrize("content", [None, ("arguments",), (1, 2), ((), ()), "text"])
def test_a_pickle_of_something_else_is_compiled_again(content, tmp_path):
    """A whole file of other content, as another release could have written, does no harm."""
    kernel_in(tmp_path)(2.0)
    [file] = tmp_path.glob("*.nbc")
    data = pickle.dumps(content)
    file.write_bytes(kernel_cache._checksum(file.name, data) + data)

    kernel = kernel_in(tmp_path)

    assert kernel(2.0) == 4.0
    assert hits(kernel) == 0


def test_processes_that_compile_other_variants_at_once(tmp_path):
    """Variants that two processes keep at the same moment are both found, each as itself."""
    first, second = kernel_in(tmp_path), kernel_in(tmp_path)
    assert second(3) == 6  # compiled after both began
    assert first(2.0) == 4.0

    third = kernel_in(tmp_path)

    assert [third(2.0), third(3)] == [4.0, 6]
    assert isinstance(third(3), int)
    assert hits(third) == 2


# --------------------------------------------------------------------------------------
# Where nothing can be kept
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [28, 122, 30, 13, 5, 2])  # full, quota, read-only, ...
def test_a_disk_that_takes_no_kernels(reason, tmp_path, monkeypatch, said):
    """A full or broken disk costs the cache, not the run; one line says so."""

    def full(path, data):
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(kernel_cache, "_write", full)
    kernel = kernel_in(tmp_path)

    assert [kernel(2.0), kernel(3)] == [4.0, 6]
    [record] = said.records
    assert os.strerror(reason).lower() in record.getMessage()
    assert str(tmp_path) in record.getMessage()


def test_a_file_that_is_cut_off_by_a_full_disk(tmp_path, said):
    """Nothing half-written stays behind where the disk fills up on the way."""
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    kernel = kernel_in(tmp_path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        assert kernel(2.0) == 4.0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())
    assert "cannot be written to" in said.text


def test_no_home_folder(monkeypatch, said):
    """A user without a home, as in containers, computes; the line names IMPULSE_CACHE_DIR."""

    def unknown(uid):
        raise KeyError(uid)

    for name in ("HOME", "XDG_CACHE_HOME", "IMPULSE_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)

    kernel = kernel_in(*open_folder(CURRENT))

    assert kernel(2.0) == 4.0
    assert "IMPULSE_CACHE_DIR" in said.text


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME", "IMPULSE_CACHE_DIR"])
@pytest.mark.parametrize("place", ["/dev/null", "/dev/null/folder", "/proc/none", "x" * 5000])
def test_no_place_for_a_cache(variable, place, monkeypatch):
    """Whatever the environment names, there is a folder or a reason why there is none."""
    for name in ("HOME", "XDG_CACHE_HOME", "IMPULSE_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, place)

    folder, reason = open_folder(CURRENT)

    assert (folder is None) == bool(reason)


def test_a_present_folder_that_is_gone(monkeypatch, tmp_path):
    """A relative IMPULSE_CACHE_DIR means nothing where the present folder was removed."""
    place = tmp_path / "gone"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("IMPULSE_CACHE_DIR", "cache")
    Path(place).rmdir()

    folder, reason = open_folder(CURRENT)

    assert folder is None
    assert "IMPULSE_CACHE_DIR" in reason
