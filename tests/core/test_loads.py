"""Loads: exact impulses in windows off the grid, reactions, body axes and points of attack."""

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Load
from tests.core.scenes import NO_GRAVITY, box, chain, free_body, scene_of


def ball(**load):
    """A sphere-like body of 2 kg without gravity, with one load."""
    scene = free_body((0.5, 0.5, 0.5), (0.0, 0.0, 0.0))
    scene.loads = [Load(body="body", **load)]
    return scene


def speed(recording):
    """Velocity of the only body at every frame."""
    return recording.momentum["linear"] / 2.0


@pytest.mark.parametrize("method", ["imp2", "imp4", "imp8"])
def test_window_off_the_grid(method):
    """A force from 0.105 to 0.5 s changes the velocity by F t/m exactly, at a step of 0.02 s."""
    scene = ball(force=(3.0, -1.0, 2.0), **{"from": 0.105}, until=0.5)

    recording = ic.simulate(scene, duration=1.0, step=0.02, fps=40.0, method=method)

    held = np.clip(recording.times, 0.105, 0.5) - 0.105
    assert speed(recording) == pytest.approx(
        held[:, None] * np.array([3.0, -1.0, 2.0]) / 2.0, abs=5e-15
    )
    # constant force is in no error term: the path is exact as well
    after = np.clip(recording.times - 0.5, 0.0, None)
    path = (0.5 * held**2 + 0.395 * after)[:, None] * np.array([3.0, -1.0, 2.0]) / 2.0
    assert recording.positions[:, 0] == pytest.approx(path, abs=2e-14)


def test_window_shorter_than_a_step():
    """A kick of 1 ms inside a step of 0.1 s is not lost and not stretched."""
    scene = ball(force=(1000.0, 0.0, 0.0), **{"from": 0.0333}, until=0.0343)

    recording = ic.simulate(scene, duration=1.0, step=0.1, fps=1.0)

    assert speed(recording)[-1] == pytest.approx([0.5, 0.0, 0.0], abs=1e-13)


def test_loads_that_overlap_add_up():
    """Two forces with windows that overlap give the sum of their impulses."""
    scene = ball(force=(1.0, 0.0, 0.0), until=0.6)
    scene.loads.append(Load(body="body", force=(0.0, 4.0, 0.0), from_=0.25, until=0.75))

    recording = ic.simulate(scene, duration=1.0, step=0.013, fps=1.0)

    assert speed(recording)[-1] == pytest.approx([0.3, 1.0, 0.0], abs=1e-14)


def test_torque_in_the_world():
    """A torque for 0.395 s gives its angular impulse, and a body without precession turns by it."""
    scene = ball(torque=(0.0, 0.0, 0.7), **{"from": 0.105}, until=0.5)

    recording = ic.simulate(scene, duration=0.5, step=0.02, fps=2.0)

    assert recording.momentum["angular"][-1] == pytest.approx([0.0, 0.0, 0.2765], abs=1e-15)
    angle = 0.5 * (0.7 / 0.5) * 0.395**2
    assert 2.0 * np.arcsin(recording.orientations[-1, 0, 3]) == pytest.approx(angle, abs=1e-14)


def test_force_off_the_centre():
    """A force at a point of the body turns it with the moment r × F about its centre of mass."""
    scene = ball(force=(0.0, 2.0, 0.0), point=(0.5, 0.0, 0.0), until=0.01)
    scene.bodies[0].center_of_mass = (0.25, 0.0, 0.0)

    recording = ic.simulate(scene, duration=0.01, step=0.01, fps=100.0)

    spin = recording.momentum["angular"][-1] - np.cross(
        (0.25, 0.0, 0.0), recording.momentum["linear"][-1]
    )
    # the arm turns with the body during the step, by 5e-5 rad
    assert spin == pytest.approx([0.0, 0.0, 0.25 * 2.0 * 0.01], abs=1e-8)


def test_no_point_means_the_centre_of_mass():
    """A force without a point pushes at the centre of mass, wherever the origin is."""
    scene = ball(force=(0.0, 2.0, 0.0))
    scene.bodies[0].center_of_mass = (0.25, 0.3, -1.0)

    recording = ic.simulate(scene, duration=0.5, fps=4.0)

    assert np.array_equal(recording.orientations[-1], recording.orientations[0])


def test_body_axes_are_the_users():
    """A force in body axes follows the axes the user drew, not the principal ones."""
    tensor = (1.2, 2.0, 2.9, 0.1, -0.2, 0.15)
    half = np.sqrt(0.5)
    scene = scene_of(
        [box("b", (0.0, 0.0, 0.0), orientation=(half, 0.0, 0.0, half))], gravity=NO_GRAVITY
    )
    scene.bodies[0] = scene.bodies[0].model_copy(update={"geometry": [], "inertia": tensor})
    scene.loads = [Load(body="b", force=(1.0, 0.0, 0.0), axes="body")]

    recording = ic.simulate(scene, duration=1.0, fps=1.0)

    assert recording.momentum["linear"][-1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-14)


def test_reaction_body_takes_the_opposite():
    """A load between two bodies leaves the total momentum of both at zero, to round-off."""
    scene = scene_of(
        [box("a", (0.0, 0.0, 0.0)), box("b", (1.0, 0.5, 0.0), mass=3.0)], gravity=NO_GRAVITY
    )
    scene.loads = [
        Load(
            body="a",
            reaction_body="b",
            force=(5.0, 2.0, -1.0),
            torque=(0.1, 0.2, 0.3),
            axes="body",
            point=(0.1, 0.0, 0.2),
            until=0.4,
        )
    ]

    recording = ic.simulate(scene, duration=1.0, fps=10.0)

    assert np.abs(recording.positions[-1] - recording.positions[0]).max() > 0.1
    assert np.abs(recording.momentum["linear"]).max() <= 1e-14
    assert np.abs(recording.momentum["angular"]).max() <= 1e-14


def test_load_on_a_jointed_body():
    """A force equal to the weight, upwards at the centre of a hanging bar, unloads its joint."""
    scene = chain(1, ["ball"], tilt=0.7)
    scene.loads = [Load(body="rod-0", force=(0.0, 0.0, 9.81))]

    recording = ic.simulate(scene, duration=2.0, fps=5.0)

    assert recording.positions[-1] == pytest.approx(recording.positions[0], abs=1e-9)


def test_work_of_a_constant_force():
    """The reported work is F · s, and energy less work keeps its start value."""
    scene = ball(force=(3.0, 0.0, 0.0), until=0.5)

    energy = ic.simulate(scene, duration=1.0, step=0.03, fps=1.0).diagnostics["energy_j"]

    assert energy["work_of_loads"] == pytest.approx(3.0 * 0.5 * 1.5 * 0.25, rel=1e-13)
    assert energy["max_abs_drift"] <= 1e-13
