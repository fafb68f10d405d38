"""Every sample scene validates, runs, keeps its joints closed and meets its expected numbers."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipkm1

import impulse_core
from impulse_core import Recording
from impulse_core.geometry.rotations import conjugated, rotated
from impulse_schema import load_scene, scene_to_xml
from tests.rounding import assert_alike

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
SCENES = sorted(SAMPLES.glob("*/*.xml"))
CONTRACT = {  # names others rely on
    "pendulum",
    "pendulum90",
    "pendulum-2",
    "pendulum-3",
    "hanging-chain",
    "chain-8-loop",
    "heavy-top",
    "intermediate-axis",
    "tree-127",
    "hub-127",
    "crane",
    "four-bar",
    "n-four-bar-2",
    "n-four-bar-40",
    "slider-crank",
    "universal-shaft",
    "scissor-lift",
    "car",
    "car-driving",
    "leg",
    "screw-jack",
    "sliding-cubes",
    "stick-slope",
    "tower-10",
    "pyramid-55",
    "dominoes-50",
    "cubes-1000",
    "cubes-1000-brick",
    "bouncing-49",
    "falling-balls-216",
    "rolling",
    "rubble-300",
    "rotating-egg",
    "rolling-rings",
    "ring-chain",
    "sledge-pendulum-rough",
    "sledge-pendulum-smooth",
    "table",
    "tilted-four-bar",
    "bouncing-slider",
    "loaded-servo",
    "light-finger",
    "held-tree",
    "planar-leg",
    "walking-machine",
    "walking-machine-on-ice",
    "walking-machine-escaping",
    "walking-machine-toppling",
    "trotter",
    "jansen-walker",
    "jansen-walker-rough",
}


@dataclass(frozen=True)
class Run:
    """One entry of an expected.toml."""

    path: Path
    options: dict[str, Any] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        options = "-".join(str(value) for value in self.options.values())
        return f"{self.path.stem}-{options}" if options else self.path.stem


def expected_runs() -> list[Run]:
    """Of every folder; scenes without an entry are run as they are."""
    runs = []
    for file in sorted(SAMPLES.glob("*/expected.toml")):
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["run"]:
            scene, options = entry.pop("scene"), entry.pop("options", {})
            runs.append(Run(file.parent / f"{scene}.xml", options, entry))
    named = {run.path for run in runs}
    return runs + [Run(path) for path in SCENES if path not in named]


RUNS = expected_runs()


def simulate(run: Run) -> Recording:
    return impulse_core.simulate(load_scene(run.path), **run.options)


def test_the_promised_samples_exist():
    """Names that the documentation and other programs rely on are there."""
    assert {path.stem for path in SCENES} >= CONTRACT


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_sample_is_valid_and_explains_itself(path):
    """Each sample passes all checks, bears its file's name, has a title, and a README beside it."""
    scene = load_scene(path)

    assert impulse_core.check(scene) == []
    assert scene.name == path.stem
    assert scene.description
    assert path.stem in (path.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_sample_meets_its_numbers(run):
    """Each run completes, keeps every joint within its tolerance (or what its digits contradict),
    and meets expected.toml; as they are, samples need no other tolerance.
    """
    recording = simulate(run)
    report = recording.diagnostics

    assert recording.complete
    allowed = run.numbers.get("max_joint_error_m", report["tolerance_m"])
    assert report["max_joint_error_m"] <= allowed
    assert run.options or not [text for text in report["warnings"] if "--tolerance" in text]
    compare_energy(run.numbers.get("energy", {}), report["energy_j"])
    compare_positions(run.numbers.get("position", []), recording)
    compare_mobility(run.numbers.get("mobility", {}), run.path)
    compare_contact(run.numbers, recording)
    if drift := run.numbers.get("momentum", {}).get("relative_drift"):
        start = np.linalg.norm(recording.momentum["angular"][0])
        assert report["momentum_drift"]["angular"] <= drift * start


def compare_energy(wanted: dict[str, float], found: dict[str, float]) -> None:
    known = {"initial_j", "max_abs_drift_j", "mean_abs_drift_j", "work_of_loads_j", "work_within_j"}
    assert wanted.keys() <= known, "a key of expected.toml that no test reads"
    if "initial_j" in wanted:
        assert found["initial"] == pytest.approx(wanted["initial_j"], rel=1e-13)
    for measure in ("max_abs_drift", "mean_abs_drift"):
        if f"{measure}_j" in wanted:
            assert found[measure] <= wanted[f"{measure}_j"]
    if "work_of_loads_j" in wanted:
        assert abs(found["work_of_loads"] - wanted["work_of_loads_j"]) <= wanted["work_within_j"]


def compare_positions(wanted: list[dict[str, Any]], recording: Recording) -> None:
    for item in wanted:
        frame = int(np.argmin(np.abs(recording.times - item["time"])))
        body = recording.body_names.index(item["body"])
        assert recording.times[frame] == pytest.approx(item["time"], abs=1e-12)
        point = rotated(
            recording.orientations[frame, body], np.array(item.get("point", [0.0, 0.0, 0.0]))
        )
        error = np.linalg.norm(recording.positions[frame, body] + point - item["at"])
        assert error <= item["within"], f"{item['body']} at {item['time']} s is {error:.3g} m off"


def compare_contact(wanted: dict[str, Any], recording: Recording) -> None:
    if "max_penetration_m" in wanted:
        found = recording.diagnostics["contacts"]["max_penetration_m"]
        assert found <= wanted["max_penetration_m"]
    if "still" in wanted:
        moved = np.linalg.norm(recording.positions - recording.positions[0], axis=2)
        assert moved.max() <= wanted["still"]
    if slides := wanted.get("slides"):
        slope = np.radians(slides["slope_deg"])
        down = np.array([np.cos(slope), 0.0, -np.sin(slope)])
        for name, distance in slides["distances"].items():
            path = recording.positions[:, recording.body(name)]
            assert abs((path[-1] - path[0]) @ down - distance) <= slides["within"], name


def compare_mobility(wanted: dict[str, int], path: Path) -> None:
    if wanted:
        facts = impulse_core.describe(load_scene(path))
        facts["redundant_joints"] = len(facts["redundant_joints"])
        assert {key: facts[key] for key in wanted} == wanted


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_sample_gives_the_same_bits_twice(path):
    """Two runs of one scene end in the same state, bit for bit, and record the same frames."""
    first, second = (
        impulse_core.simulate(load_scene(path), duration=1.0, threads=threads) for threads in (1, 2)
    )

    assert first.diagnostics["state_sha256"] == second.diagnostics["state_sha256"]
    assert np.array_equal(first.positions, second.positions)
    assert np.array_equal(first.orientations, second.orientations)


def test_generated_samples_are_up_to_date():
    """The committed files are what sample_scenes/generate.py writes, to the last digits."""
    import importlib.util

    source = importlib.util.spec_from_file_location("generate_samples", SAMPLES / "generate.py")
    generate = importlib.util.module_from_spec(source)
    source.loader.exec_module(generate)

    for name, scene in generate.scenes().items():
        committed = (SAMPLES / name).read_bytes()
        assert_alike(scene_to_xml(scene), committed, f"make samples writes another {name}")


def test_box_turns_over_when_jacobi_says():
    """The middle component of the angular velocity changes sign at the odd multiples of K/λ.

    Frames are h = 0.04 s apart and ω₂ is interpolated linearly between them. Near a crossing it is
    sn u = u − u³/3 with u = λt, so that shifts the crossing by at most 0.0321 (λh)³/λ = 1.8e-5 s.
    """
    path = SAMPLES / "spinning" / "intermediate-axis.xml"
    J1, J2, J3 = 7.308, 19.278, 24.318
    w1, w2 = 0.001, 5.0
    energy_2, momentum_2 = J1 * w1**2 + J2 * w2**2, (J1 * w1) ** 2 + (J2 * w2) ** 2
    rate = np.sqrt((energy_2 * J3 - momentum_2) * (J2 - J1) / (J1 * J2 * J3))
    complement = (energy_2 * J2 - momentum_2) * (J3 - J1)
    complement /= (energy_2 * J3 - momentum_2) * (J2 - J1)
    quarter = ellipkm1(complement) / rate

    recording = impulse_core.simulate(load_scene(path))

    body_momentum = rotated(
        conjugated(recording.orientations[:, 0]), recording.momentum["angular"]
    )[:, 1]
    before = np.flatnonzero(np.diff(np.sign(body_momentum)))
    fraction = body_momentum[before] / (body_momentum[before] - body_momentum[before + 1])
    crossings = recording.times[before] + fraction * np.diff(recording.times)[before]
    assert len(crossings) == 9
    assert np.allclose(crossings, quarter * (2 * np.arange(9) + 1), rtol=0.0, atol=2e-5)
