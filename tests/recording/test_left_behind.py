"""What processes that were killed leave beside an output, and who removes it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from impulse_core.recording import check_output, files, write_atomically
from tests.soak.kills import kill_writers

GONE = 2**31 - 5  # no process has this number


def temporary(target: Path, process: int) -> Path:
    """A temporary file of ``target`` that this process could have left."""
    return target.with_name(f"{files._prefix(target)}{process}-0123456789ab.tmp")


def test_killed_writers(tmp_path: Path) -> None:
    """Killed at any moment, a writer leaves the old file or the new one, and the next run nothing
    else beside it.
    """
    assert kill_writers(6, tmp_path) > 0


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    """Only temporary files of the same output go, and only those of processes that have ended."""
    output, other = tmp_path / "anim.json", tmp_path / "other.json"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as alive:
        left = temporary(output, GONE)
        kept = [
            temporary(other, GONE),
            temporary(output, alive.pid),
            temporary(output, os.getpid()),
            temporary(output, GONE).with_suffix(".json"),
        ]
        for path in (left, *kept):
            path.touch()

        check_output(output)

        assert sorted(tmp_path.iterdir()) == sorted(kept)
        alive.kill()
    check_output(output)
    assert not kept[1].exists()
    write_atomically(other, b"new")
    assert not kept[0].exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.one_of(
        st.from_regex(r"\A\.impulse-[0-9a-f]{0,12}-?\d{0,12}-?[0-9a-f]{0,12}\.tmp\Z"),
        st.from_regex(r"\A\d{1,25}-[0-9a-f]{12}(\.tmp)?\Z"),
        st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1),
    ).filter(lambda name: name not in {".", ".."} and len(name.encode()) < 200),
    is_ours=st.booleans(),
)
def test_other_files_stay(
    tmp_path_factory: pytest.TempPathFactory, name: str, is_ours: bool
) -> None:
    """Whatever else lies beside the output is left alone, however similar its name is."""
    folder = tmp_path_factory.mktemp("folder")
    output = folder / "anim.json"
    other = folder / (f"{files._prefix(output)}{name}" if is_ours else name)
    other.write_text("mine")
    writer = name.removesuffix(".tmp") if is_ours and name.endswith(".tmp") else ""
    number = files._WRITER.fullmatch(writer)
    goes = number is not None and files._is_gone(int(number[1]))

    check_output(output)

    assert other.exists() != goes


def test_the_name_of_the_output_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    """And hold any bytes."""
    for name in ("x" * 250 + ".json", os.fsdecode(b"\xff\xfe.json")):
        write_atomically(tmp_path / name, b"new")
    assert len(list(tmp_path.iterdir())) == 2
