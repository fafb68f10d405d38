"""No contact creates energy: what a step would create divides it, or ends the run by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import Scene, save_scene
from impulse_schema.models import Material
from tests.contact.scenes import ball, cube, fan, scene

ROOT = Path(__file__).resolve().parents[2]

WRONG = """
import sys
import impulse_core.step.contacts as step
import impulse_core.step.small_islands as islands
from impulse_cli.main import execute

factor, *files = sys.argv[1:]
solve, solve_small = step.solve_contacts, islands.solve_small

def solve_wrongly(contacts, *rest):
    solve(contacts, *rest)
    contacts.row["impulse"][: contacts.used[0]] *= float(factor)

def solve_small_wrongly(contacts, solver_bodies, delassus, newton, i, *rest):
    solve_small(contacts, solver_bodies, delassus, newton, i, *rest)
    c = solver_bodies.mark["head"][i]
    while c >= 0:
        contacts.row["impulse"][c] *= float(factor)
        c = contacts.mark["next"][c]

step.solve_contacts, islands.solve_small = solve_wrongly, solve_small_wrongly
print(*(execute(["run", file, "-o", file + ".out.json"]) for file in files))
"""


def run_wrongly(tmp_path: Path, factor: float, scenes: dict[str, Scene]):
    """Exit codes and recordings of scenes whose contacts get their impulses times a factor, run as
    Python, where the solver can be replaced.
    """
    files = []
    for name, built in scenes.items():
        files.append(str(tmp_path / f"{name}.json"))
        save_scene(built, files[-1])
    run = subprocess.run(
        [sys.executable, "-c", WRONG, str(factor), *files],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    codes = [int(code) for code in run.stdout.split()[-len(files) :]]
    recordings = [json.loads(Path(f"{file}.out.json").read_text()) for file in files]
    return zip(scenes, codes, recordings, strict=True)


def unit(random: np.random.Generator) -> tuple[float, ...]:
    """A random orientation."""
    q = random.normal(size=4)
    return tuple((q / np.linalg.norm(q)).tolist())


def tumbling(seed: int, restitution: float, friction: float, **settings) -> Scene:
    """Two cubes that fall on each other, turning."""
    random = np.random.default_rng(seed)
    rubber = Material(name="rubber", restitution=restitution, static_friction=friction)
    cubes = [
        cube(
            f"cube-{k}",
            position=(0.3 * random.normal(), 0.3 * random.normal(), 1.2 + 1.8 * k),
            orientation=unit(random),
            velocity=tuple(random.normal(size=3).tolist()),
            angular_velocity=tuple(2.0 * random.normal(size=3)),
            material="rubber",
        )
        for k in range(2)
    ]
    return scene(*cubes, materials=(rubber,), duration=1.6, **settings)


def test_impulses_that_are_too_large_end_the_run_by_name(tmp_path):
    """A ball that lands gets twice the impulse: exit code 3, the frames so far, and who it was."""
    lands = scene(ball("ball", (0.0, 0.0, 0.52)), duration=0.1)
    ((_, code, recording),) = run_wrongly(tmp_path, 2.0, {"lands": lands})
    assert code == 3
    assert not recording["complete"]
    event = recording["events"][-1]
    assert event["kind"] == "failure"
    assert {event["body1"], event["body2"]} == {"ground", "ball"}
    assert "against its law" in event["message"]
    energy = np.array(recording["energy"]["total"])
    assert energy.max() <= energy[0] * (1.0 + 1e-6)


@pytest.mark.parametrize("factor", [1.5, 3.0])
def test_no_wrong_solver_gains_energy_unseen(tmp_path, factor):
    """Balls that roll, spin, bounce or land on each other: energy never rises, or the run ends."""
    felt = Material(name="felt", static_friction=0.7, rolling_friction=0.01)
    rubber = Material(name="rubber", restitution=0.7)
    rolls = ball("rolls", (0.0, 0.0, 0.5), velocity=(1.0, 0.0, 0.0), material="felt")
    spins = ball("spins", (0.0, 0.0, 0.51), angular_velocity=(0.0, 20.0, 5.0))
    bounces = ball("bounces", (0.0, 0.0, 0.55), material="rubber")
    pair = (ball("below", (0.0, 0.0, 0.5)), ball("above", (0.1, 0.0, 1.53)))
    scenes = {
        "rolls": scene(rolls, materials=(felt,), duration=0.1),
        "spins": scene(spins, duration=0.1),
        "bounces": scene(bounces, materials=(rubber,), duration=0.2),
        "pair": scene(*pair, duration=0.15),
    }
    ended = 0
    for name, code, recording in run_wrongly(tmp_path, factor, scenes):
        energy = np.array(recording["energy"]["total"])
        assert energy.max() <= energy[0] * (1.0 + 1e-6), name
        assert code == (0 if recording["complete"] else 3)
        ended += code == 3
    assert ended > 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("restitution", "friction"), [(1.0, 0.0), (1.0, 0.5), (0.7, 0.4), (0.2, 0.9)]
)
def test_solids_that_tumble_end_no_run_and_create_nothing(seed, restitution, friction):
    """Impacts by Poisson's law return at most what they took: what is created is round-off."""
    recording = ic.simulate(tumbling(seed, restitution, friction), step=0.01)
    energy = recording.diagnostics["energy_j"]
    assert recording.complete
    assert 0.0 <= energy["created"] <= 1e-5 * energy["initial"]


@pytest.mark.parametrize("height", [0.0, 0.05])
@pytest.mark.parametrize("rows", [1, 2, 4])
def test_what_is_solved_for_is_not_divided(rows, height):
    """Piles that rest or land create nothing at all."""
    cubes = [
        cube(f"c{row}-{k}", position=(1.1 * k + 0.55 * row, 0.0, 0.5 + row + height))
        for row in range(rows)
        for k in range(rows - row)
    ]
    recording = ic.simulate(scene(*cubes, duration=0.5), step=0.004)
    assert recording.diagnostics["halvings"] == 0
    assert recording.diagnostics["energy_j"]["created"] == 0.0


@pytest.mark.parametrize(("count", "step"), [(3, 0.008), (25, 0.004), (60, 0.006)])
def test_rows_with_redundant_contacts_gain_nothing(count, step):
    """Fallen dominoes, which are not always solved for: their energy falls, divided or not,
    but for overlaps that are taken back, less than 1e-5 of it.
    """
    recording = ic.simulate(fan(count, friction=0.5), duration=0.2, step=step, fps=1.0 / step)
    energy = recording.energy["total"]
    assert recording.complete
    assert np.diff(energy).max() <= 1e-5 * energy[0]


def test_impacts_by_newtons_law_are_reported_and_not_ended():
    """Newton's law can return more than was taken: a warning says how much, the run goes on."""
    random = np.random.default_rng(3)
    rubber = Material(name="rubber", restitution=0.9, static_friction=1.0)
    rough = cube(
        "cube",
        0.95,
        orientation=unit(random),
        velocity=tuple(3.0 * random.normal(size=3)),
        angular_velocity=tuple(3.0 * random.normal(size=3)),
        material="rubber",
    )
    by_law = {
        law: ic.simulate(scene(rough, materials=(rubber,), duration=0.8, impact_law=law))
        for law in ("poisson", "newton")
    }
    assert by_law["poisson"].diagnostics["energy_j"]["created"] <= 1e-6
    assert not by_law["poisson"].diagnostics["warnings"]
    assert by_law["newton"].complete
    assert by_law["newton"].diagnostics["energy_j"]["created"] > 0.1
    (warning,) = by_law["newton"].diagnostics["warnings"]
    assert "impact_law newton created" in warning
