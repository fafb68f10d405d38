"""Long runs: what is written, cut off and resumed is what ``simulate`` computes, bit for bit."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.recording import growing
from impulse_core.simulation import to_file
from tests.live.scenes import arm, walker
from tests.soak.kills import kill_long_runs

SAME = ("state_sha256", "step_count", "energy_j", "contacts", "max_joint_error_m", "warnings")


def require_same(found: ic.Recording, whole: ic.Recording) -> None:
    """Every bit of the motion, and what the report says of it."""
    for name in ("times", "positions", "orientations"):
        assert getattr(found, name).tobytes() == getattr(whole, name).tobytes()
    for part in ("energy", "momentum", "contacts"):
        assert {n: v.tolist() for n, v in getattr(found, part).items()} == {
            n: v.tolist() for n, v in getattr(whole, part).items()
        }
    for part in ("joints", "bodies"):
        for name, quantities in getattr(whole, part).items():
            for quantity, values in quantities.items():
                assert getattr(found, part)[name][quantity].tobytes() == values.tobytes()
    assert found.events == whole.events
    assert found.complete == whole.complete
    for name in SAME:
        assert found.diagnostics[name] == whole.diagnostics[name]


class CutError(Exception):
    """In place of a power cut."""


def cut_at(monkeypatch: pytest.MonkeyPatch, step: int, error: BaseException) -> None:
    """Let runs end with an error when so many steps are done."""
    original = to_file.Run._tell

    def tell(run: Any, stage: Any, steps: int) -> None:
        original(run, stage, steps)
        if steps >= step:
            raise error

    monkeypatch.setattr(to_file.Run, "_tell", tell)


@pytest.mark.parametrize("make", [walker, arm])
def test_what_is_written_is_what_simulate_computes(make: Callable[[], Any], tmp_path: Path) -> None:
    """Frames, contacts, events and report, although no frame stays in memory."""
    options: dict[str, Any] = {"duration": 3.0, "contacts": make is walker}
    written = ic.simulate_to_file(make(), tmp_path / "a.imprec", **options)
    whole = ic.simulate(make(), **options)

    found = ic.load_recording(written.path)
    require_same(found, whole)
    assert written.diagnostics["state_sha256"] == whole.diagnostics["state_sha256"]
    assert (written.frame_count, written.end) == (whole.frame_count, whole.end)
    assert written.complete
    assert found.diagnostics["run_key"] == whole.diagnostics["run_key"]
    assert sorted(tmp_path.iterdir()) == [written.path]


@pytest.mark.parametrize("method", ["imp2", "imp4", "lmvd8"])
@pytest.mark.parametrize("fps", [7.0, 30.0, 400.0])
@pytest.mark.parametrize("at", [1, 77, 160])
def test_a_run_that_was_cut_off_goes_on(
    method: str, fps: float, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it was cut, with frames between steps and a load that switches within one."""
    options: dict[str, Any] = {"duration": 2.0, "fps": fps, "method": method, "checkpoint": 1e-9}
    path = tmp_path / "a.imprec"
    with monkeypatch.context() as patch:
        cut_at(patch, at, CutError())
        with pytest.raises(CutError):
            ic.simulate_to_file(arm(), path, **options)
    written = ic.simulate_to_file(arm(), path, resume=True, **options)

    del options["checkpoint"]
    require_same(ic.load_recording(path), ic.simulate(arm(), **options))
    assert written.diagnostics["step_count"] >= 200
    assert not written.was_there
    assert sorted(tmp_path.iterdir()) == [path]


def test_contacts_go_on_and_a_whole_run_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The feet of a walking machine stick where they did; the same command again does nothing."""
    options: dict[str, Any] = {"duration": 2.0, "contacts": True, "checkpoint": 0.01}
    path = tmp_path / "a.imprec"
    for at in (90, 200, 333):
        with monkeypatch.context() as patch:
            cut_at(patch, at, CutError())
            with pytest.raises(CutError):
                ic.simulate_to_file(walker(), path, resume=True, **options)
    ic.simulate_to_file(walker(), path, resume=True, **options)
    before = path.stat()
    again = ic.simulate_to_file(walker(), path, resume=True, **options)

    require_same(ic.load_recording(path), ic.simulate(walker(), duration=2.0, contacts=True))
    assert again.was_there
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert again.frame_count == ic.load_recording(path).frame_count
    with pytest.raises(ic.RecordingError, match="holds another run"):
        ic.simulate_to_file(walker(), path, resume=True, duration=1.0)


def test_killed_runs_are_resumed(tmp_path: Path) -> None:
    """The command, killed by SIGKILL at random moments (long form: tests.soak.kills)."""
    assert kill_long_runs(6, tmp_path, seconds=3.5) > 0


def test_ctrl_c_keeps_the_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file then has an end, which the run that goes on replaces."""
    options: dict[str, Any] = {"duration": 2.0, "checkpoint": 1e-9}
    path = tmp_path / "a.imprec"
    with monkeypatch.context() as patch:
        cut_at(patch, 100, KeyboardInterrupt())
        written = ic.simulate_to_file(arm(), path, **options)
    assert not written.complete
    assert not ic.load_recording(path).complete
    assert ic.load_recording(path).frame_count == written.frame_count
    with pytest.raises(ic.RecordingError, match="has a checkpoint of a run that did not end"):
        ic.simulate_to_file(arm(), path, **options)

    ic.simulate_to_file(arm(), path, resume=True, **options)
    require_same(ic.load_recording(path), ic.simulate(arm(), duration=2.0))


def test_a_full_disk_ends_the_run_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written can be read, and with room again the run goes on."""
    path, original, calls = tmp_path / "a.imprec", growing.GrowingFile._write, iter(range(10**6))

    def write(file: Any, data: bytes, *, is_synced: bool) -> None:
        if next(calls) == 60:
            raise OSError(errno.ENOSPC, "No space left on device")
        original(file, data, is_synced=is_synced)

    with monkeypatch.context() as patch:
        patch.setattr(growing.GrowingFile, "_write", write)
        with pytest.raises(ic.SimulationError, match="no space left on device") as caught:
            ic.simulate_to_file(arm(), path, duration=5.0, checkpoint=1e-9)
    kept = ic.load_recording(path)
    assert caught.value.written is not None
    assert 0 < kept.frame_count < 151
    assert kept.events[-1]["kind"] == "unfinished"

    ic.simulate_to_file(arm(), path, duration=5.0, resume=True)
    require_same(ic.load_recording(path), ic.simulate(arm(), duration=5.0))


def test_a_run_that_fails_says_so_in_its_file(tmp_path: Path) -> None:
    """Frames up to the failure, and why."""
    scene = arm()
    scene.joints[0].motors[0].expression = "0.1 if t < 0.2 else 1/(t - t)"
    with pytest.raises(ic.SimulationError) as alone:
        ic.simulate(scene, duration=1.0)
    with pytest.raises(ic.SimulationError, match=str(alone.value)[:30]) as caught:
        ic.simulate_to_file(scene, tmp_path / "a.imprec", duration=1.0)

    found = ic.load_recording(tmp_path / "a.imprec")
    require_same(found, alone.value.recording)
    assert caught.value.written is not None
    assert caught.value.written.frame_count == found.frame_count
    assert found.events[-1]["kind"] == "failure"


def test_less_is_recorded_of_the_same_motion(tmp_path: Path) -> None:
    """Every third frame, some bodies and 7 digits: the same numbers, rounded."""
    whole = ic.simulate(walker(), duration=1.2)
    written = ic.simulate_to_file(
        walker(), tmp_path / "a.imprec", duration=1.2, every=3, bodies=["torso", "front-*"],
        float32=True,
    )  # fmt: skip
    found = ic.load_recording(written.path)

    names = [n for n in whole.body_names if n == "torso" or n.startswith("front-")]
    assert list(found.body_names) == list(written.body_names) == names
    rows = [whole.body(name) for name in names]
    np.testing.assert_allclose(found.times, whole.times[::3], rtol=1e-15)
    np.testing.assert_array_equal(found.positions, whole.positions[::3][:, rows].astype(np.float32))
    for name, quantities in whole.joints.items():
        for quantity, values in quantities.items():
            expected = values[::3].astype(np.float32)
            np.testing.assert_array_equal(found.joints[name][quantity], expected)
    assert found.diagnostics["state_sha256"] == whole.diagnostics["state_sha256"]


def test_float32_is_half_the_size(tmp_path: Path) -> None:
    """But for the times, which keep all digits."""
    sizes = [
        ic.simulate_to_file(
            walker(), tmp_path / f"{short}.imprec", duration=4.0, fps=200, float32=short
        ).path.stat().st_size
        for short in (False, True)
    ]  # fmt: skip
    assert sizes[1] < 0.56 * sizes[0]


@pytest.mark.parametrize("suffix", [".imprec", ".npz", ".json"])
def test_a_part_is_what_the_whole_has_there(suffix: str, tmp_path: Path) -> None:
    """Frames, contacts and events between two times, both included."""
    path = tmp_path / f"a{suffix}"
    ic.simulate(walker(), duration=2.0, contacts=True, file=tmp_path / "b.imprec").save(path)
    path = tmp_path / "b.imprec" if suffix == ".imprec" else path
    whole = ic.load_recording(path)
    rng = np.random.default_rng(5)
    for _ in range(6):
        start, end = sorted(rng.choice(whole.times, 2, replace=False))
        part = ic.load_recording(path, start=start, end=end)
        rows = (whole.times >= start) & (whole.times <= end)
        assert part.times.tolist() == whole.times[rows].tolist()
        np.testing.assert_array_equal(part.positions, whole.positions[rows])
        first = int(np.argmax(rows))
        points = rows[whole.contacts["frame"]]
        assert part.contacts["frame"].tolist() == (whole.contacts["frame"][points] - first).tolist()
        np.testing.assert_array_equal(part.contacts["force"], whole.contacts["force"][points])
        assert part.events == [e for e in whole.events if start <= e["time"] <= end]
    with pytest.raises(ic.RecordingError, match="holds no frame between t = 7 and 8 s"):
        ic.load_recording(path, start=7.0, end=8.0)


def test_only_the_part_is_read(tmp_path: Path) -> None:
    """Damage elsewhere does not matter, damage in it is told of."""
    path = tmp_path / "a.imprec"
    ic.simulate_to_file(walker(), path, duration=60.0, fps=200)
    data, last = bytearray(path.read_bytes()), 60.0
    data[len(data) // 2] ^= 1
    path.write_bytes(data)

    assert ic.load_recording(path, start=last - 0.1).frame_count > 15
    assert ic.load_recording(path, end=0.1).frame_count == 21
    with pytest.raises(ic.RecordingError, match="is damaged at byte"):
        ic.load_recording(path, start=0.2, end=last - 0.2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bodies": ["leg-*", "wheel"]}, "no body is called 'leg-\\*'; there are upper, lower"),
        ({"bodies": ["upper"], "contacts": True}, "record all bodies, or no contacts"),
        ({"every": 0}, "every is 0; it must be at least 1"),
        ({"checkpoint": 0.0}, "checkpoint is 0 s; it must be more than 0"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    """Named before anything is computed; nothing stays behind."""
    with pytest.raises(ic.OptionError, match=message):
        ic.simulate_to_file(arm(), tmp_path / "a.imprec", **options)
    assert list(tmp_path.iterdir()) == []


def test_checkpoints_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another scene, other options, no file, a damaged state: refused by name."""
    path, state = tmp_path / "a.imprec", tmp_path / "a.imprec.checkpoint"
    with monkeypatch.context() as patch:
        cut_at(patch, 100, CutError())
        with pytest.raises(CutError):
            ic.simulate_to_file(arm(), path, duration=2.0, checkpoint=1e-9)
    frames, whole = path.read_bytes(), state.read_bytes()
    for scene, options in (
        (arm(gravity=(0.0, 0.0, -1.0)), {}),
        (arm(), {"step": 0.005}),
        (arm(), {"float32": True}),
        (arm(), {"bodies": ["lower"]}),
    ):
        with pytest.raises(ic.StateFileError, match="is of a run with other options, of another"):
            ic.simulate_to_file(scene, path, resume=True, **{"duration": 2.0} | options)
    path.write_bytes(frames[:-200] + bytes(200))
    with pytest.raises(ic.RecordingError, match="does not hold the frames of the run"):
        ic.simulate_to_file(arm(), path, duration=2.0, resume=True)
    path.unlink()
    with pytest.raises(ic.RecordingError, match="no such file"):
        ic.simulate_to_file(arm(), path, duration=2.0, resume=True)
    path.write_bytes(frames)
    state.write_bytes(whole[:-7])
    with pytest.raises(ic.StateFileError, match="damaged"):
        ic.simulate_to_file(arm(), path, duration=2.0, resume=True)
    with ic.Session(arm(), paused=True, speed=None) as session:
        session.do(ic.SaveState(str(state)))
    with pytest.raises(ic.StateFileError, match=r"is not the checkpoint of a run|is of a run with"):
        ic.simulate_to_file(arm(), path, duration=2.0, resume=True)
    state.write_bytes(whole)

    ic.simulate_to_file(arm(), path, duration=2.0, resume=True)
    require_same(ic.load_recording(path), ic.simulate(arm(), duration=2.0))


MEASURED = """
import resource, sys
import impulse_core as ic
from tests.live.scenes import arm
ic.simulate_to_file(arm(), sys.argv[1], duration=5.0, fps=1000.0)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ic.simulate_to_file(arm(), sys.argv[1], duration=float(sys.argv[2]), fps=1000.0)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_the_memory_does_not_grow_with_the_frames(tmp_path: Path) -> None:
    """Ten times the frames take no more than a few chunks."""
    more = [
        int(subprocess.check_output([sys.executable, "-c", MEASURED, tmp_path / "a.imprec", n]))
        for n in ("10", "100")
    ]
    assert (tmp_path / "a.imprec").stat().st_size > 30e6
    assert more[1] - more[0] < 16_000  # kB
