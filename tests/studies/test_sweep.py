"""Sweeps on a real cluster: the same numbers whoever computes them, nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from impulse_cli.studies import Outcome, Row, StudyError, sweep
from impulse_cli.studies import cluster as cluster_module
from impulse_cli.studies.measures import parse_measures
from impulse_cli.studies.results import Results
from impulse_cli.studies.runs import DONE, FAILED, LOST, Study, run_one
from impulse_core import SceneError, load_recording, set_parameters, simulate
from impulse_schema import Scene, save_scene

from .conftest import pids

GAIN = "joints[*-servo].motors[0].proportional"
MEASURES = ["recording.bodies[arm].position[-1].z", "report.energy_j.work_of_motors"]


def swept(scene: Scene, folder: Path, cluster: str, count: int = 5, **options: object) -> Outcome:
    """A sweep of the servo's gain."""
    return sweep(scene, [f"{GAIN}=10:40:{count}"], MEASURES, folder, cluster=cluster, **options)  # type: ignore[arg-type]


class Watch:
    """Does something when so many rows have come, and counts all."""

    def __init__(self, at: int, action: object = None) -> None:
        self.at, self.action, self.count = at, action, 0

    def start(self, _progress: object) -> None: ...

    def begin(self, *_: object) -> None: ...

    def row(self, _row: Row) -> None:
        self.count += 1
        if self.count == self.at and callable(self.action):
            self.action()


def keys_in(folder: Path) -> Counter[str]:
    """How often each run stands in the folder."""
    lines = (folder / "runs.jsonl").read_text().splitlines()
    return Counter(json.loads(line)["key"] for line in lines)


def test_rows_are_those_of_single_runs_bit_for_bit(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """Two workers compute what ``simulate`` computes here; the table holds it, in order."""
    import pandas as pd

    outcome = swept(scene, tmp_path / "r", cluster)
    table = pd.read_parquet(outcome.table)

    assert outcome.computed == len(table) == 5
    assert list(table[GAIN]) == [10.0, 17.5, 25.0, 32.5, 40.0]
    for index, row in enumerate(outcome.rows):
        alone = simulate(set_parameters(scene, row.values))
        assert row.state_sha256 == alone.diagnostics["state_sha256"] == table["state_sha256"][index]
        assert table[MEASURES[0]][index] == alone.positions[-1, 0, 2]
        assert table[MEASURES[1]][index] == alone.diagnostics["energy_j"]["work_of_motors"]


def test_the_table_does_not_depend_on_the_workers(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """Byte for byte the same, from two workers and from a folder that one thread filled."""
    two = swept(scene, tmp_path / "two", cluster)
    study = Study(scene, tuple(parse_measures(MEASURES)))
    (tmp_path / "one").mkdir()
    with Results(tmp_path / "one") as results:
        for row in reversed(two.rows):
            results.add(run_one(study, row.key, row.values))
    one = swept(scene, tmp_path / "one", cluster)

    assert one.computed == 0
    assert one.table.read_bytes() == two.table.read_bytes()


@pytest.mark.parametrize(("count", "waits"), [(1, 0.0), (2, 1.0)])
def test_killed_workers_lose_nothing(
    scene: Scene, tmp_path: Path, cluster: str, count: int, waits: float
) -> None:
    """kill -9 of workers in the middle: all rows are there, each once, with the same numbers; also
    where results that nobody fetched yet die with them.
    """
    victims = pids(cluster)[:count]

    def kill() -> None:
        time.sleep(waits)
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        time.sleep(waits / 2.0)

    watch = Watch(3, kill)
    outcome = swept(scene, tmp_path / "r", cluster, 60, watcher=watch)
    study = Study(scene, tuple(parse_measures(MEASURES)))

    assert not set(victims) & set(pids(cluster))
    assert watch.count == 60
    assert set(keys_in(tmp_path / "r").values()) == {1}
    for row in outcome.rows[::20]:
        assert row.measures == run_one(study, row.key, row.values).measures


def test_a_killed_sweep_goes_on(scene: Scene, tmp_path: Path, cluster: str) -> None:
    """kill -9 of the process that holds the scheduler: what it knew is not computed again."""
    from tests.processes import start_python

    save_scene(scene, tmp_path / "arm.xml")
    folder = tmp_path / "r"
    words = [
        "-m", "impulse_cli", "sweep", tmp_path / "arm.xml", "--vary", f"{GAIN}=10:40:120",
        "--measure", MEASURES[0], "--measure", MEASURES[1], "-o", folder, "--workers", "1",
    ]  # fmt: skip
    with start_python(*words) as process:
        deadline = time.monotonic() + 120
        while not (folder / "runs.jsonl").exists() or len(keys_in(folder)) < 3:
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
        process.wait()
        process.communicate()
    with (folder / "runs.jsonl").open("ab") as file:
        file.write(b'{"key": "half a li')
    known = len(keys_in_whole_lines(folder))
    outcome = swept(scene, folder, cluster, 120)

    assert 3 <= known < 120
    assert outcome.computed == 120 - known
    assert set(keys_in_whole_lines(folder).values()) == {1}


def keys_in_whole_lines(folder: Path) -> Counter[str]:
    """As ``keys_in``, where the last line of a killed process may not be whole."""
    found: Counter[str] = Counter()
    for line in (folder / "runs.jsonl").read_text().splitlines():
        try:
            found[json.loads(line)["key"]] += 1
        except ValueError:
            continue
    return found


def test_more_values_and_measures_compute_only_what_is_new(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """Runs are known by their content: those of a coarser sweep are found again in a finer one."""
    swept(scene, tmp_path / "r", cluster, 3)
    finer = swept(scene, tmp_path / "r", cluster, 5)
    with pytest.raises(StudyError, match="mean"):
        sweep(scene, [f"{GAIN}=10:40:3"], ["report.mean"], tmp_path / "r", cluster=cluster)
    again = sweep(
        scene, [f"{GAIN}=10:40:3"], ["report.step_count"], tmp_path / "r", cluster=cluster
    )
    both = swept(scene, tmp_path / "r", cluster, 5)

    assert (finer.computed, again.computed, both.computed) == (2, 3, 0)


def test_failed_runs_are_rows_with_their_message(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """A scene that is unsound with its values fails alone, and is not tried again."""
    import pandas as pd

    limits = [
        "joints[hip-servo].motors[0].min_force=-1,5",
        "joints[hip-servo].motors[0].max_force=3",
    ]
    outcome = sweep(scene, limits, MEASURES, tmp_path / "r", cluster=cluster)
    table = pd.read_parquet(outcome.table)

    assert list(table["status"]) == [DONE, FAILED]
    assert "min_force" in table["message"][1]
    assert table[MEASURES[0]].isna().tolist() == [False, True]
    again = sweep(scene, limits, MEASURES, tmp_path / "r", cluster=cluster)
    assert again.computed == 0


def test_recordings_are_kept_on_request(scene: Scene, tmp_path: Path, cluster: str) -> None:
    """Each run's file is that of a single run; without them they are computed once more."""
    swept(scene, tmp_path / "r", cluster, 2)
    outcome = swept(scene, tmp_path / "r", cluster, 2, recordings=True)
    row = outcome.rows[1]
    kept = load_recording(tmp_path / "r" / "recordings" / f"{row.key}.npz")

    assert outcome.computed == 2
    assert kept.positions[-1, 0, 2] == row.measures[MEASURES[0]]


def test_a_scene_that_cannot_be_simulated_is_refused(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """Before any worker is asked."""
    broken = scene.model_copy(update={"joints": [scene.joints[0], scene.joints[0]]})

    with pytest.raises(SceneError):
        swept(broken, tmp_path / "r", cluster)


@pytest.mark.parametrize("what", ["sources", "Numba"])
def test_a_cluster_of_another_version_is_refused(
    scene: Scene, tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """By the worker and by what differs, before the first run."""
    other = {**cluster_module.identity(), what: "1.2.3"}
    monkeypatch.setattr(cluster_module, "identity", lambda: other)

    with pytest.raises(StudyError, match=r"(another version of Impulse|has Numba .*here is 1.2.3)"):
        swept(scene, tmp_path / "r", cluster)
    assert not (tmp_path / "r" / "table.parquet").exists()


def test_no_space_left_is_named(
    scene: Scene, tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the folder, and how to go on; what is known stays known."""
    real, calls = os.fsync, []

    def full(file: int) -> None:
        calls.append(file)
        if len(calls) > 2:
            raise OSError(28, "No space left on device")
        real(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StudyError, match=r"no space left on device.*goes on"):
        swept(scene, tmp_path / "r", cluster)
    monkeypatch.undo()

    assert swept(scene, tmp_path / "r", cluster).computed <= 3


def test_a_folder_of_other_things_or_in_use_is_refused(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """Nothing of anyone's is mixed with results, and no two write at once."""
    (tmp_path / "letters").write_text("dear")
    with pytest.raises(StudyError, match="holds other files"):
        swept(scene, tmp_path, cluster)
    with Results(tmp_path / "r"), pytest.raises(StudyError, match="another process writes"):
        swept(scene, tmp_path / "r", cluster)


def test_lost_runs_are_tried_again(tmp_path: Path) -> None:
    """What a worker took with it is no result."""
    with Results(tmp_path / "r") as results:
        results.add(Row("k", LOST, "killed.", {}, {}))
        assert results.find("k", [], with_recording=False) is None
