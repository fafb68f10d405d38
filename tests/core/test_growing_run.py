"""Frames that a run writes while it goes on are the frames that it returns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import impulse_core as ic
from impulse_core.recording import chunked_file
from impulse_core.simulation import recorder
from tests.contact.scenes import cube, scene
from tests.core.gears import gear_pair
from tests.core.scenes import chain, scene_of
from tests.determinism.runs import driven_tree
from tests.recording.recordings import parts

SCENES = [
    lambda: scene_of([]),
    lambda: chain(2, ["ball", "hinge"]),
    gear_pair,
    lambda: driven_tree(2),
    lambda: scene(cube("cube", 0.6)),
]


def everything(recording: ic.Recording) -> dict[str, Any]:
    """All of a recording, as lists."""
    contacts = {name: values.tolist() for name, values in recording.contacts.items()}
    return parts(recording) | {"contacts": contacts}


@pytest.mark.parametrize("build", SCENES)
@pytest.mark.parametrize("seconds", [0.0, 1e9])
def test_the_file_holds_what_is_returned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, build: Any, seconds: float
) -> None:
    """In chunks of one frame, or of all but the first: the same bits, and the same as saved."""
    monkeypatch.setattr(recorder, "_SECONDS_OF_A_CHUNK", seconds)
    path, saved = tmp_path / "a.imprec", tmp_path / "b.imprec"

    recording = ic.simulate(build(), duration=0.2, fps=70.0, contacts=True, file=path)

    assert everything(ic.load_recording(path)) == everything(recording)
    recording.save(saved)
    assert everything(ic.load_recording(saved)) == everything(recording)


def test_it_can_be_read_at_every_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the run goes on the file holds the frames so far, and the key of the run."""
    monkeypatch.setattr(recorder, "_SECONDS_OF_A_CHUNK", 0.0)
    path, seen = tmp_path / "a.imprec", []

    def look(progress: ic.Progress) -> None:
        if progress.stage == "simulating":
            seen.append(ic.load_recording(path))

    recording = ic.simulate(chain(2, ["ball", "hinge"]), duration=0.2, file=path, progress=look)

    assert [found.frame_count for found in seen][-1] == recording.frame_count > 5
    for found in seen:
        assert not found.complete
        assert found.diagnostics == {"run_key": recording.diagnostics["run_key"]}
        assert found.times.tolist() == recording.times[: found.frame_count].tolist()
        count = found.frame_count
        assert found.positions.tolist() == recording.positions[:count].tolist()


def test_a_run_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its frames and why it failed are in the file, which has its end."""
    observe, calls = recorder.observe, iter(range(100))

    def overflowing(*state: Any) -> Any:
        energies = observe(*state)
        return (float("inf"), *energies[1:]) if next(calls) == 3 else energies

    monkeypatch.setattr(recorder, "observe", overflowing)
    path = tmp_path / "a.imprec"
    with pytest.raises(ic.SimulationError) as caught:
        ic.simulate(chain(2, ["ball", "hinge"]), duration=0.5, file=path)

    assert everything(ic.load_recording(path)) == everything(caught.value.recording)
    assert [event["kind"] for event in ic.load_recording(path).events] == ["failure"]


def test_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before the run; where it fails during the run, that is a warning of its report."""
    with pytest.raises(ic.RecordingError, match="does not exist"):
        ic.simulate(scene_of([]), file=tmp_path / "none" / "a.imprec")

    def fail(*_: Any) -> bytes:
        raise MemoryError

    monkeypatch.setattr("impulse_core.recording.growing.frames_content", fail)
    recording = ic.simulate(scene_of([]), duration=0.1, file=tmp_path / "a.imprec")

    assert recording.complete
    [warning] = recording.diagnostics["warnings"]
    assert warning.endswith("while they were computed: there is not enough memory")
    assert list(tmp_path.iterdir()) == []


def test_chunks_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames do not gather beyond the size of a chunk, however fast they come."""
    monkeypatch.setattr(recorder, "_SECONDS_OF_A_CHUNK", 1e9)
    monkeypatch.setattr(recorder, "LARGEST_CHUNK", 2000)
    sizes = []
    original = chunked_file.frames_content

    def note(part: Any, numbers: str) -> list[bytes]:
        sizes.append(len(part.times))
        return original(part, numbers)

    monkeypatch.setattr("impulse_core.recording.growing.frames_content", note)
    ic.simulate(chain(2, ["ball"] * 2), duration=1.0, fps=100, file=tmp_path / "a.imprec")

    assert sum(sizes) == 101
    assert max(sizes) < 10
