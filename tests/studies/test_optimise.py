"""Searches: the best is found, whoever computes and whatever is interrupted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from impulse_cli.studies import Found, StudyError, optimise
from impulse_cli.studies.figures import convergence, curves, parallel
from impulse_core import set_parameters, simulate
from impulse_schema import Scene

TARGET = "joints[hip-servo].motors[0].target=-1.5:1.5"
MASS = "bodies[arm].mass=0.5:2:log"
ANGLE = "recording.joints[hip-servo].angle[-1]"


def searched(scene: Scene, folder: Path, cluster: str, trials: int, **options: object) -> Found:
    """A search for the values with which the arm ends at 0.3 rad."""
    wish = {"minimise": [f"abs({ANGLE} - 0.3)"], "batch": 4, "seed": 3} | options
    return optimise(scene, [TARGET, MASS], folder, trials=trials, cluster=cluster, **wish)  # type: ignore[arg-type]


@pytest.mark.parametrize("sampler", ["cmaes", "tpe"])
def test_a_search_is_the_same_though_interrupted(
    scene: Scene, tmp_path: Path, cluster: str, sampler: str
) -> None:
    """One that ends in the middle of a batch and goes on tries what one in a piece does."""
    whole = searched(scene, tmp_path / "whole", cluster, 8, sampler=sampler)

    class StopError(Exception):
        pass

    class Watch:
        count = 0

        def start(self, _: object) -> None: ...

        def begin(self, *_: object) -> None: ...

        def row(self, _: object) -> None:
            self.count += 1
            if self.count == 7:  # the start, a batch, and half of one
                raise StopError

    with pytest.raises(StopError):
        searched(scene, tmp_path / "cut", cluster, 8, sampler=sampler, watcher=Watch())
    cut = searched(scene, tmp_path / "cut", cluster, 8, sampler=sampler)

    assert cut.computed == 9 - 7
    assert [row.values for row in cut.rows] == [row.values for row in whole.rows]
    assert cut.table.read_bytes() == whole.table.read_bytes()


def test_the_best_is_better_than_the_start_and_true(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """CMA-ES comes near to what is asked for, and a run with its values says the same."""
    found = searched(scene, tmp_path / "r", cluster, 24)
    (best,) = found.best
    (text,) = found.objectives

    assert best.measures[text] == min(row.measures[text] for row in found.rows)
    assert best.measures[text] < 0.05 * found.start.measures[text]
    alone = simulate(set_parameters(scene, best.values))
    assert abs(alone.joints["hip-servo"]["angle"][-1] - 0.3) == best.measures[text]


def test_more_trials_go_on(scene: Scene, tmp_path: Path, cluster: str) -> None:
    """The first are kept, and only the others computed."""
    first = searched(scene, tmp_path / "r", cluster, 4)
    more = searched(scene, tmp_path / "r", cluster, 8)

    assert (first.computed, more.computed) == (5, 4)
    assert more.rows[:4] == first.rows


def test_trials_in_a_database_of_their_own_outlive_the_folder(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """In a new folder their runs are computed again, and nothing else is tried."""
    storage = f"sqlite:///{tmp_path / 'trials.db'}"
    first = searched(scene, tmp_path / "a", cluster, 4, storage=storage)
    second = searched(scene, tmp_path / "b", cluster, 4, storage=storage)

    assert second.table.read_bytes() == first.table.read_bytes()
    assert second.computed == first.computed == 5


def test_of_several_objectives_none_of_the_best_is_beaten(
    scene: Scene, tmp_path: Path, cluster: str
) -> None:
    """Each of them is better than any other trial in one objective at least."""
    work = "report.energy_j.work_of_motors"
    found = searched(scene, tmp_path / "r", cluster, 12, maximise=[ANGLE], minimise=[work])
    pairs = [(row.measures[ANGLE], -row.measures[work]) for row in found.rows]

    assert found.maximised == [True, False]
    assert found.best
    for row in found.best:
        mine = row.measures[ANGLE], -row.measures[work]
        assert not any(a >= mine[0] and b >= mine[1] and (a, b) != mine for a, b in pairs)


@pytest.mark.parametrize(
    ("vary", "options", "message"),
    [
        ([], {}, "nothing is varied"),
        ([TARGET], {"sampler": "cmaes"}, "two ranges or more"),
        ([TARGET, "settings.method=imp2,imp4"], {"sampler": "cmaes"}, "settings.method is a list"),
        ([TARGET, MASS], {"sampler": "cmaes", "maximise": ["report.step_count"]}, "one objective"),
        ([TARGET], {"minimise": []}, "name each objective"),
        ([TARGET], {"maximise": [ANGLE], "minimise": [ANGLE]}, "once"),
        ([TARGET], {"minimise": ["report.steps"]}, "report.steps"),
        ([TARGET], {"storage": "nosuch://x"}, "nosuch://x cannot be used"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    scene: Scene, tmp_path: Path, vary: list[str], options: dict[str, object], message: str
) -> None:
    """Before a worker is started, and with what to write instead."""
    wish = {"minimise": [ANGLE], "cluster": "tcp://127.0.0.1:1"} | options
    with pytest.raises(StudyError, match=re.escape(message)):
        optimise(scene, vary, tmp_path / "r", **wish)  # type: ignore[arg-type]


def test_figures_show_every_kind_of_value(scene: Scene, tmp_path: Path, cluster: str) -> None:
    """Numbers, words and failed trials; names with signs that would be mathematics."""
    vary = [TARGET, "settings.method=imp2,imp4"]
    found = optimise(
        scene, vary, tmp_path / "r", minimise=[ANGLE], trials=3, batch=3, cluster=cluster
    )
    paths = [*found.rows[0].values]

    for picture in (
        convergence(found.rows, found.start, found.objectives, found.maximised),
        parallel(found.rows, paths, found.objectives),
        curves(found.rows, paths[0], found.objectives),
    ):
        assert picture.startswith(b"\x89PNG")
