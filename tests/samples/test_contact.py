"""What the scenes with contact show, where a number of expected.toml cannot say it."""

from __future__ import annotations

import functools
import importlib
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import Delaunay

import impulse_core
from impulse_core import Recording
from impulse_core.geometry.rotations import rotated
from impulse_schema import load_scene

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
Z = np.array([0.0, 0.0, 1.0])


@functools.cache
def recorded(name: str, **options) -> Recording:
    """A run of a sample scene, once for all tests."""
    (path,) = SAMPLES.glob(f"*/{name}.xml")
    return impulse_core.simulate(load_scene(path), **options)


@pytest.fixture
def rings(monkeypatch):
    """The file that the scenes of rings are made by."""
    monkeypatch.syspath_prepend(str(SAMPLES / "contact"))
    return importlib.import_module("rings")


@pytest.fixture
def balls(monkeypatch):
    """The file that the scenes of balls are made by."""
    monkeypatch.syspath_prepend(str(SAMPLES / "contact"))
    return importlib.import_module("balls")


@pytest.fixture
def dominoes(monkeypatch):
    """The file that rows of dominoes are made and timed by."""
    monkeypatch.syspath_prepend(str(SAMPLES / "contact"))
    return importlib.import_module("dominoes")


def axis(recording: Recording, body: str, own: np.ndarray) -> np.ndarray:
    """A direction of a body in the world, frame by frame."""
    return rotated(recording.orientations[:, recording.body(body)], own)


def path(recording: Recording, body: str) -> np.ndarray:
    return recording.positions[:, recording.body(body)]


@pytest.mark.parametrize("step", [0.01, 0.001])
def test_sliding_cubes_stay_on_the_slope_and_in_their_lane(step):
    """In every step no cube hops above 1e-6 m nor drifts aside by 1e-9 m."""
    recording = recorded("sliding-cubes", step=step, fps=100)
    slope = np.radians(22.5)
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])

    moved = recording.positions - recording.positions[0]
    assert np.abs(moved @ normal).max() <= 1e-6
    assert np.abs(moved[..., 1]).max() <= 1e-9


@pytest.mark.parametrize("degrees", [0, 30, 60])
def test_plate_is_pushed_alike_in_every_direction(degrees):
    """SimBenchmark ROLLING: half the acceleration times t² of plate and balls, to 1e-4."""
    scene = load_scene(SAMPLES / "contact" / "rolling.xml")
    direction = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])
    scene.loads[0].force = tuple(150.0 * direction)

    recording = impulse_core.simulate(scene)

    half_square = recording.times[-1] ** 2 / 2
    for body in recording.body_names:
        if body == "ground":
            continue
        wanted = (0.7385 if body == "plate" else 0.211) * direction
        moved = path(recording, body)[-1] - path(recording, body)[0]
        assert np.linalg.norm(moved / half_square - wanted) <= 1e-4 * np.linalg.norm(wanted), body


WAVE = 0.869  # m/s, MuJoCo with stiff contacts (README of the folder)


def test_wave_of_dominoes_runs_as_fast_as_it_should(dominoes):
    """To 1 % of its speed at shorter steps, and to 3 % of another simulator's."""
    scene = dominoes.dominoes(30)
    coarse, fine = (
        dominoes.wave_speed(impulse_core.simulate(scene, step=h, fps=1.0 / h))
        for h in (0.01, 0.0025)
    )

    assert coarse == pytest.approx(fine, rel=0.01)
    assert fine == pytest.approx(WAVE, rel=0.03)


def test_moments_at_which_dominoes_fall_are_of_second_order(dominoes):
    """On the mean of rows of drawn pitches: what is hit has been held until then. The fifth fell
    1.8 ms late at 5 ms, in proportion to the step.
    """
    random = np.random.default_rng(3)

    def fifth(pitch: float, h: float) -> float:
        made = dominoes.dominoes(6, pitch=pitch)
        recording = impulse_core.simulate(made, step=h, duration=0.3, fps=1.0 / h)
        rows = [k for k, name in enumerate(recording.body_names) if name == "domino-4"]
        return float(dominoes.fall_times(recording.times, recording.orientations[:, rows])[0])

    late = []
    for pitch in random.uniform(0.022, 0.027, 8):
        exact = fifth(pitch, 0.0005)
        late.append([fifth(pitch, h) - exact for h in (0.01, 0.005)])

    coarse, fine = np.mean(late, axis=0)
    assert abs(fine) < 0.0004
    assert abs(coarse) < 0.0016


@pytest.mark.parametrize(
    ("count", "pitch", "size", "step"),
    [
        (50, 0.025, (0.0075, 0.025, 0.05), 0.005),
        (60, 0.035, (0.01, 0.03, 0.06), 0.004),
        (40, 0.2, (0.075, 0.25, 0.5), 0.01),
        (50, 0.02, (0.004, 0.02, 0.04), 0.0025),
    ],
    ids=["sample", "wide", "tall", "thin"],
)
def test_falling_dominoes_gain_no_energy(dominoes, count, pitch, size, step):
    """In no step, but for the millionth that contacts may create; and all of them fall."""
    scene = dominoes.dominoes(count, pitch=pitch, size=size)

    recording = impulse_core.simulate(scene, step=step, fps=1.0 / step)

    energy = recording.energy["total"]
    assert np.diff(energy).max() <= 1e-6 * energy[0]
    assert np.isfinite(dominoes.wave_speed(recording, pitch))


def test_a_row_that_does_not_fall_has_no_wave(dominoes):
    """All of the second half of a row have to fall for its speed, but for the last two."""
    reached = np.linspace(0.1, 1.0, 20)
    assert dominoes.speed_of(reached, 0.9) == pytest.approx(19.0)

    reached[15] = np.inf
    assert np.isnan(dominoes.speed_of(reached))


@pytest.mark.parametrize("time_of_impact", [False, True])
def test_balls_bounce_for_ever(time_of_impact):
    """After some ten bounces each the energy is what it was, to 1e-9."""
    energy = recorded("bouncing-49", time_of_impact=time_of_impact).energy["total"]

    assert np.abs(energy - energy[0]).max() <= 1e-9 * energy[0]


@pytest.mark.parametrize("seed", range(5))
def test_elastic_balls_that_meet_in_numbers_keep_their_energy(balls, seed):
    """SimBenchmark's elastic 666 at h = 1 ms, until all are apart: no loss but that of contacts
    slower than ½ g h, at most 6e-5 J each, and no step in which more meet than are answered.
    """
    scene = balls.falling(seed=seed)

    recording = impulse_core.simulate(scene, duration=1.0, fps=1000)

    lost = recording.energy["total"] - recording.energy["total"][0]
    assert np.mean(lost**2) <= 1e-4
    assert recording.diagnostics["contacts"]["late_impacts"] == 0


@pytest.mark.parametrize("seed", [0, 1])
def test_inelastic_balls_hardly_overlap(balls, seed):
    """SimBenchmark's 666 at h = 1 ms: the mean sum of squared penetrations is below 1e-6 m²."""
    scene = balls.falling(0.0, seed)

    recording = impulse_core.simulate(scene, duration=1.5, fps=100)

    squares = [
        squared_overlaps(places, balls.PILED_RADIUS) for places in recording.positions[:, 1:]
    ]
    assert np.mean(squares) <= 1e-6


def squared_overlaps(places: np.ndarray, radius: float) -> float:
    """Sum of the squares over all pairs of balls, and balls and the ground z = 0 [m²]."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    first, second = np.triu_indices(len(places), 1)
    gaps = np.concatenate([apart[first, second] - 2 * radius, places[:, 2] - radius])
    return float((np.minimum(gaps, 0.0) ** 2).sum())


def test_wall_stands_until_the_ball_hits_it():
    """No stone moves by 5e-4 m before; afterwards stones fly, the ball is slower, joints hold."""
    recording = recorded("rubble-300", duration=1.4)
    stones = [k for k, name in enumerate(recording.body_names) if name.startswith("stone")]
    moved = np.linalg.norm(recording.positions - recording.positions[0], axis=2)[:, stones]
    ball = np.linalg.norm(np.gradient(path(recording, "ball"), recording.times, axis=0), axis=1)

    assert moved[recording.times <= 0.85].max() <= 5e-4
    assert moved[-1].max() >= 0.3
    assert ball[-1] <= 0.9 * ball.max()
    assert recording.diagnostics["max_joint_error_m"] <= recording.diagnostics["tolerance_m"]


@pytest.mark.parametrize(("count", "seed"), [(5, 3), (40, 0), (150, 7)])
def test_stones_fill_their_wall_and_do_not_overlap(monkeypatch, count, seed):
    """The volumes of the cells add up to the box but for their shortest edges; a point of the box
    is in one of them, or none, and all their corners are in the box.
    """
    monkeypatch.syspath_prepend(str(SAMPLES / "contact"))
    rubble = importlib.import_module("rubble")
    box = np.array([2.0, 0.6, 1.0])

    found = rubble.cells(count, box, seed)

    filled = sum(rubble.volume(corners) for corners in found)
    assert filled == pytest.approx(np.prod(box), rel=5e-3)
    assert filled <= np.prod(box) * (1.0 + 1e-12)
    inside = np.concatenate(found) - [-1.0, -0.3, 0.0]
    assert (inside >= 0.0).all()
    assert (inside <= box).all()
    assert len(found) == count
    points = np.random.default_rng(seed).uniform(size=(2000, 3)) * box + [-1.0, -0.3, 0.0]
    within = sum((Delaunay(corners).find_simplex(points) >= 0).astype(int) for corners in found)
    assert within.max() == 1
    assert within.mean() > 0.99


def test_egg_rises():
    """The long axis turns from lying, but for two degrees, to within 15 degrees of upright."""
    recording = recorded("rotating-egg")

    upright = np.abs(axis(recording, "egg", Z)[:, 2])
    angle = np.degrees(np.arccos(np.minimum(upright, 1.0)))
    assert angle[0] == pytest.approx(88.0)
    assert angle[-1] <= 15.0


@pytest.mark.parametrize("number", range(4))
def test_rings_roll_as_their_tubes_say(rings, number):
    """Each goes straight down by the closed form of its radii, in every frame to 1e-9 m."""
    recording = recorded("rolling-rings")
    slope = rings.SLOPE
    down = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    moved = path(recording, f"ring-{number}") - path(recording, f"ring-{number}")[0]

    wanted = [rings.way_of(rings.TUBES[number], t) for t in recording.times]

    assert moved == pytest.approx(np.outer(wanted, down), abs=1e-9)


def test_ring_falls_flat_and_stays():
    """On its flat side it lies from 1.5 s on without moving by 1e-9 m, its tube on the ground."""
    recording = recorded("rolling-rings")

    place = path(recording, "falling")[recording.times >= 1.5]
    assert np.abs(place - place[0]).max() <= 1e-9
    assert axis(recording, "falling", Z)[-1] @ axis(recording, "ground", Z)[-1] >= 1.0 - 1e-9


def test_links_hang_through_each_other(rings):
    """No link comes off: neighbours stay as near as their tubes let them, to 1 % of both."""
    places = recorded("ring-chain").positions
    longest = 2.0 * (rings.CHAIN_RADIUS - rings.CHAIN_TUBE) + 0.02 * rings.CHAIN_TUBE

    apart = np.linalg.norm(np.diff(places, axis=1), axis=2)

    assert apart.max() <= longest
    assert np.ptp(places[:, -1, 0]) >= 0.2  # m, which it swings


def test_chain_of_rings_only_loses_energy():
    """Friction takes some of it; it gains 2e-4 of the swing at most, the error of a second-order
    step, over any time.
    """
    energy = recorded("ring-chain").energy
    swing, total = energy["kinetic"][0], energy["total"]

    assert (total - np.minimum.accumulate(total)).max() <= 2e-4 * swing
    assert total[-1] < total[0] - 0.01 * swing


def starts_and_stops(name: str, after: float = 0.0) -> tuple[int, int]:
    """How often the sledge starts to move down the slope, and how often it stops, after a time."""
    recording = recorded(name, fps=200)
    slope = np.radians(15.0)
    down = path(recording, "sledge") @ np.array([np.cos(slope), 0.0, -np.sin(slope)])
    moving = np.diff(down)[recording.times[1:] > after] > 1e-6  # in a step; 0.2 mm/s
    return int(np.sum(~moving[:-1] & moving[1:])), int(np.sum(moving[:-1] & ~moving[1:]))


def test_rough_sledge_stops_and_goes():
    """It comes to a stop three times at least, and moves on after each but perhaps the last."""
    starts, stops = starts_and_stops("sledge-pendulum-rough")

    assert stops >= 3
    assert starts >= 3


def test_smooth_sledge_never_stops():
    """Once the pendulum has swung over, which holds the sledge for half a second, it slides on."""
    starts, stops = starts_and_stops("sledge-pendulum-smooth", after=0.5)

    assert starts <= 1
    assert stops == 0


def test_walking_machine_walks():
    """It goes 1 m and more in 10 s, straight on, upright, and lifts each foot in turn."""
    recording = recorded("walking-machine")
    torso = path(recording, "torso")

    assert torso[-1, 0] >= 3.5  # 2 × 0.2625 m in 1.3 s makes 3.9 m
    assert np.abs(torso[:, 1]).max() <= 0.2
    assert axis(recording, "torso", Z)[:, 2].min() >= 0.99
    assert np.ptp(torso[:, 2]) <= 0.05


def test_walking_machine_balances_its_energy():
    """The work of its motors is what it gains and dissipates, to 0.02 %: feet land in jumps."""
    energy = recorded("walking-machine").diagnostics["energy_j"]

    assert energy["work_of_motors"] > 20.0
    assert energy["max_abs_drift"] <= 2e-4 * energy["work_of_motors"]


def test_walking_machine_slips_on_ice():
    """On ice it gets not half as far."""
    rough, ice = (recorded(name) for name in ("walking-machine", "walking-machine-on-ice"))

    assert 0.0 < path(ice, "torso")[-1, 0] <= 0.5 * path(rough, "torso")[-1, 0]


def test_walking_machine_escapes_from_the_ice():
    """Its speed over the last gait is twice that of the same machine that is still on ice."""
    recording = recorded("walking-machine-escaping")
    torso = path(recording, "torso")[:, 0]
    gait = np.searchsorted(recording.times, 1.3)

    on_ice = torso[: np.argmax(torso > 0.3)]
    fast_on_ice = (on_ice[-1] - on_ice[0]) / recording.times[len(on_ice) - 1]
    assert torso[-1] >= 1.5
    assert (torso[-1] - torso[-1 - gait]) / 1.3 >= 2 * fast_on_ice


def test_walking_machine_topples_over():
    """It walks upright until a leg pushes at 3.6 s, and ends on its back."""
    recording = recorded("walking-machine-toppling")
    upward = axis(recording, "torso", Z)[:, 2]

    assert upward[recording.times < 3.5].min() >= 0.99
    assert upward[-1] <= -0.9


def test_car_rolls():
    """Each wheel turns by its way over its radius, and the motors' speed is reached."""
    recording = recorded("car-driving")
    chassis = path(recording, "chassis")
    forward = np.diff(chassis[-2:, 0]) / np.diff(recording.times[-2:])

    assert forward == pytest.approx(10.0 * 0.3, rel=1e-3)
    # nothing holds a car sideways: what steps leave within the tolerance adds up
    report = recording.diagnostics
    assert np.abs(chassis[:, 1]).max() <= report["step_count"] * report["tolerance_m"]
    for corner in ("front-left", "front-right", "rear-left", "rear-right"):
        spoke = axis(recording, f"{corner}-wheel", np.array([1.0, 0.0, 0.0]))
        angle = np.unwrap(np.arctan2(-spoke[:, 2], spoke[:, 0]))
        way = path(recording, f"{corner}-wheel")[:, 0]
        assert np.abs(way - way[0] - 0.3 * angle).max() <= 1e-4, corner


def test_trotter_walks_straight_on():
    """Four legs from one part, the left ones mirrored, carry it a metre and more in 4 s, without a
    drift to the side of the legs that were written or of their images.
    """
    trunk = path(recorded("trotter"), "trunk")

    assert 1.0 <= trunk[-1, 0] <= 4.0 * 0.32  # as fast as the feet sweep
    assert np.abs(trunk[:, 1]).max() <= 0.05
    assert axis(recorded("trotter"), "trunk", Z)[:, 2].min() >= 0.98


def test_jansens_walker_walks_its_length_and_more():
    """Twelve legs on one crankshaft carry it at least twice its own length, level and nearly
    straight, with every joint of its 36 loops closed to a nanometre.
    """
    recording = recorded("jansen-walker")
    frame = path(recording, "frame")

    assert frame[-1, 0] >= 2.0 * length_of_walker(recording)
    assert np.abs(frame[:, 1]).max() <= 0.15
    assert np.ptp(frame[:, 2]) <= 0.005
    assert axis(recording, "frame", Z)[:, 2].min() >= 0.999
    assert recording.diagnostics["max_joint_error_m"] <= 1e-9


def test_jansens_walker_walks_on_bumps_of_three_centimetres():
    """Twice its own length as well, upright and on the ground that is rough, its joints closed."""
    recording = recorded("jansen-walker-rough")
    frame = path(recording, "frame")
    (ground,) = load_scene(SAMPLES / "machines/jansen-walker-rough.xml").bodies[0].geometry

    assert ground.shape == "height_field"
    assert np.ptp(ground.heights) == pytest.approx(0.03)
    assert frame[-1, 0] >= 2.0 * length_of_walker(recording)
    assert np.abs(frame[:, 1]).max() <= 0.5
    assert np.ptp(frame[:, 2]) >= 0.01  # it feels the bumps
    assert axis(recording, "frame", Z)[:, 2].min() >= 0.96  # 16 degrees
    assert recording.diagnostics["max_joint_error_m"] <= 1e-9


def length_of_walker(recording):
    """From the first foot to the last [m]; a foot is half a metre from the origin of its shank."""
    feet = [n for n, name in enumerate(recording.body_names) if name.endswith(".shank")]
    return np.ptp(recording.positions[0, feet, 0]) + 2 * 0.5


def test_gallery_shows_every_scene_of_these_folders():
    """A picture of at most 60 kB each."""
    page = (SAMPLES.parent / "docs" / "gallery.md").read_text(encoding="utf-8")
    pictured = re.findall(r"images/gallery/([\w-]+)\.webp", page)
    folder = SAMPLES.parent / "docs" / "images" / "gallery"

    assert set(pictured) >= {
        scene.stem for theme in ("contact", "walking") for scene in SAMPLES.glob(f"{theme}/*.xml")
    }
    assert [name for name in pictured if (folder / f"{name}.webp").stat().st_size > 60_000] == []
