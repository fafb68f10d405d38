"""Islands that nap: at rest they cost one step of seventeen, and nothing else tells that they do.

Unlike sleep, which a scene asks for, naps are those of all scenes.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Load, Material
from tests.contact.scenes import box, cube, drawn_piles, scene, table_top

G = 9.81


def stack(count: int = 3, **settings) -> Scene:
    """Cubes exactly on top of each other."""
    return scene(*(cube(f"c{k}", 0.5 + k) for k in range(count)), **settings)


def friction(scene: Scene, coefficient: float) -> Scene:
    """The same scene, all of one material."""
    scene.materials = [
        Material(name="m", static_friction=coefficient, kinetic_friction=coefficient)
    ]
    for body in scene.bodies:
        for geometry in body.geometry:
            geometry.material = "m"
    return scene


def repeated(recording: ic.Recording, body: int) -> np.ndarray:
    """Which frames found a body where the frame before did, to the last bit."""
    return np.all(np.diff(recording.positions[:, body], axis=0) == 0.0, axis=1)


def carried(recording: ic.Recording, frame: int) -> float:
    """What bodies press on the first one with in a frame [N]."""
    contacts = recording.contacts
    there = (contacts["frame"] == frame) & (contacts["body1"] == 0)
    return float(contacts["force"][there, 2].sum())


def test_a_stack_at_rest_is_looked_at_in_one_step_of_seventeen():
    """Though nobody may sleep, and nobody is said to."""
    recording = ic.simulate(stack(duration=2.0, fps=100.0, step=0.01))

    late = recording.times[1:] > 1.0
    assert repeated(recording, 3)[late].mean() >= 0.9
    assert recording.diagnostics["contacts"]["asleep"] == 0
    assert recording.diagnostics["contacts"]["max"] == 12
    assert recording.diagnostics["contacts"]["mean"] == pytest.approx(12.0, abs=0.1)


@pytest.mark.parametrize("sleeping", [False, True])
def test_forces_of_what_rests_are_recorded_in_every_frame(sleeping):
    """Of what naps and of what sleeps: twelve points, and the weight on the ground."""
    recording = ic.simulate(
        stack(duration=1.5, fps=100.0, step=0.01, record_contacts=True, sleeping=sleeping)
    )

    for frame in range(10, len(recording.times)):
        assert (recording.contacts["frame"] == frame).sum() == 12
        assert carried(recording, frame) == pytest.approx(3.0 * G, rel=1e-9)


@settings(max_examples=15)
@given(
    st.floats(0.5, 3.0),
    st.floats(0.4, 0.8),
    st.floats(0.2, 5.0),
    st.sampled_from([0.002, 0.005, 0.01]),
)
def test_what_is_struck_in_a_nap_takes_its_share(speed, after, mass, step):
    """A block that slides into a cube at rest, at any moment of a nap, in any number of steps: both
    go on together with the momentum that the one had.
    """
    striking = box("striking", (-1.0 - speed * after, 0.0, 0.5), mass, (1.0, 0.5, 1.0))
    striking.velocity = (speed, 0.0, 0.0)
    struck = scene(cube("struck"), striking, duration=1.0, fps=100.0, step=step)
    recording = ic.simulate(friction(struck, 0.0))

    assert repeated(recording, 1)[int(100 * 0.2) : int(100 * (after - 0.03))].mean() >= 0.5
    share = mass / (1.0 + mass) * speed
    velocity = np.diff(recording.positions[-2:], axis=0)[0] * 100.0
    assert velocity[1:, 0] == pytest.approx(share, rel=1e-6)
    assert recording.diagnostics["contacts"]["max_penetration_m"] <= 1e-8


@settings(max_examples=10)
@given(st.floats(0.5, 0.9), st.sampled_from([-0.1, 0.2]), st.sampled_from([0.002, 0.005, 0.01]))
def test_what_naps_follows_its_support(starts, way, step):
    """A table that moves up or down from any moment on, slower than its load would fall."""
    top = table_top((0.0, 1.0), (starts, 1.0), (starts + 1.0, 1.0 + way))
    recording = ic.simulate(scene(top, cube("load", 1.6), duration=1.5, fps=100.0, step=step))

    table, load = (
        recording.positions[:, recording.body_names.index(n), 2] for n in ("table", "load")
    )
    assert repeated(recording, 2)[20 : int(100 * starts) - 3].mean() >= 0.5
    assert load - table == pytest.approx(0.6, abs=2e-3)
    assert load[-1] - table[-1] == pytest.approx(0.6, abs=1e-6)


@settings(max_examples=10)
@given(st.floats(0.5, 0.9), st.floats(1e-3, 30.0), st.sampled_from([0.002, 0.005, 0.01]))
def test_a_load_acts_in_a_nap_from_its_first_moment(starts, force, step):
    """On a smooth floor: ½ F/m t², from when it begins."""
    pushed = friction(scene(cube("c"), duration=1.5, step=step), 0.0)
    pushed.loads.append(Load(body="c", force=(force, 0.0, 0.0), from_=starts))
    recording = ic.simulate(pushed)

    way = 0.5 * force * (1.5 - starts) ** 2
    assert recording.positions[-1, 1, 0] == pytest.approx(way, rel=1e-6, abs=1e-9)


@settings(max_examples=15)
@given(st.floats(-4.0, -1.0), st.floats(0.1, 0.9), st.sampled_from([0.002, 0.005, 0.01]))
def test_what_begins_to_slide_slowly_does_not_nap(exponent, coefficient, step):
    """A block that the slope pulls by a little more than friction holds, from rest: ½ a t², but
    for what the laws of contacts leave (as without naps).
    """
    a = 10.0**exponent
    slope = scene(
        box("block", (0.0, 0.0, 0.05), 1.0, (1.0, 1.0, 0.1)),
        gravity=(coefficient * G + a, 0.0, -G),
        duration=2.0,
        step=step,
    )
    recording = ic.simulate(friction(slope, coefficient))

    assert recording.positions[-1, 1, 0] == pytest.approx(0.5 * a * 2.0**2, rel=1e-3, abs=2e-5)


@pytest.mark.parametrize("seed", range(6))
def test_piles_that_nap_stay_where_they_came_to_rest(seed):
    """Drawn piles: what naps, and nothing hits for three seconds, is where it was. Gaps that are
    taken back move bodies without a velocity: naps among those were a creep of 1e-6 m.
    """
    piles = drawn_piles(9, seed)
    piles.settings.duration, piles.settings.fps = 6.0, 50.0
    recording = ic.simulate(piles)

    late = recording.positions[recording.times >= 3.0]
    way = np.linalg.norm(np.diff(late, axis=0), axis=2)
    napping = [i for i in range(1, way.shape[1]) if (way[:, i] == 0.0).mean() >= 0.7]
    undisturbed = [i for i in napping if way[:, i].max() <= 1e-7]
    assert len(undisturbed) >= 1
    assert way[:, undisturbed].sum(axis=0).max() <= 3e-8  # 300 steps of what a look lets pass
    energy = recording.diagnostics["energy_j"]
    assert energy["max_unexplained_step"] <= 1e-6 * energy["initial"]
