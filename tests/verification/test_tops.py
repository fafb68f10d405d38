"""Spinning bodies: the heavy top on its tip, and free bodies about their intermediate axis."""

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.geometry.rotations import multiplied, quaternion_to_matrix, rotated
from tests.core.scenes import NO_GRAVITY, free_body, heavy_top, scene_of
from tests.references import heavy_top as top
from tests.references.free_body import FreeBody

TURNED = np.array([0.5, -0.1, 0.7, 0.3]) / np.linalg.norm([0.5, -0.1, 0.7, 0.3])


@pytest.mark.parametrize(("method", "step"), [("imp8", 0.002), ("imp6", 0.001)])
def test_heavy_top_after_one_second(method, step):
    """Benchmark heavy top: the centre of mass is within 1e-8 m of the published place.

    imp8 at 2 ms (a third of a radian of spin a step) reaches 1e-12 m, imp6 at 1 ms 6e-11 m.
    """
    recording = ic.simulate(heavy_top(), duration=1.0, method=method, step=step, fps=1.0)

    turned = rotated(recording.orientations[-1, 0], np.array(top.CENTER))
    assert recording.positions[-1, 0] + turned == pytest.approx(top.CENTER_AT_1_S, abs=1e-8)


def test_heavy_top_energy():
    """The start energy is the published one, and imp8 keeps it to 1e-12 of its size."""
    recording = ic.simulate(heavy_top(), duration=1.0, method="imp8", step=0.002, fps=1.0)

    energy = recording.diagnostics["energy_j"]
    assert energy["initial"] == pytest.approx(top.ENERGY, rel=1e-14)
    assert energy["max_abs_drift"] <= 1e-12 * top.ENERGY


def test_intermediate_axis_body_for_a_minute():
    """The free body that tumbles: energy and angular momentum to 1e-12, attitude as by Jacobi.

    The attitude is that of the exact solution to 1e-9 after a minute of about thirty flips.
    """
    moments, spin = np.array([1.0, 2.0, 3.0]), np.array([0.1, 3.0, 0.05])
    exact = FreeBody(moments, spin, quaternion_to_matrix(TURNED))
    scene = free_body(moments, rotated(TURNED, spin), TURNED)

    recording = ic.simulate(scene, duration=60.0, step=0.01, fps=1.0)

    energy, momentum = recording.energy["total"], recording.momentum["angular"]
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-12
    assert np.abs(momentum - momentum[0]).max() <= 1e-12 * np.linalg.norm(momentum[0])
    assert recording.diagnostics["energy_j"]["max_abs_drift"] <= 1e-12 * energy[0]
    for t, q in zip(recording.times, recording.orientations[:, 0], strict=True):
        assert quaternion_to_matrix(q) == pytest.approx(exact.orientation(t), abs=1e-9)
    assert flips(recording.orientations[:, 0], axis=1) >= 4


def flips(orientations, axis):
    """How often a body axis changes the side it points to, along its first direction."""
    along = np.array([quaternion_to_matrix(q)[:, axis] for q in orientations])
    sides = np.sign(along @ along[0])
    return int((sides[1:] != sides[:-1]).sum())


def test_free_flight_is_a_parabola():
    """Constant gravity is in the flow exactly: C = C0 + v t + ½ g t² to round-off."""
    scene = free_body((1.0, 2.0, 3.0), (0.3, -2.0, 0.1))
    scene.settings.gravity = (0.5, -1.25, -9.75)  # exact in binary
    scene.bodies[0].velocity = (3.0, -2.0, 7.5)

    recording = ic.simulate(scene, duration=2.0, step=1 / 64, fps=8.0)

    t = recording.times[:, None]
    path = t * scene.bodies[0].velocity + 0.5 * t**2 * np.array(scene.settings.gravity)
    assert recording.positions[:, 0] == pytest.approx(path, abs=2e-13)


def test_body_frame_does_not_matter():
    """The same body described in turned axes moves the same, to round-off."""
    tensor = np.array([[1.2, 0.1, -0.2], [0.1, 2.0, 0.15], [-0.2, 0.15, 2.9]])
    turn = quaternion_to_matrix(TURNED)
    turned = turn.T @ tensor @ turn  # in the axes of a frame that TURNED carries to the other
    scenes = [free_body((1.0, 1.0, 1.0), (0.4, 2.0, -0.3)) for _ in range(2)]
    scenes[0].bodies[0].inertia = six(tensor)
    scenes[1].bodies[0].inertia = six(turned)
    scenes[1].bodies[0].orientation = tuple(TURNED)

    plain, other = (ic.simulate(s, duration=5.0, fps=4.0).orientations[:, 0] for s in scenes)

    same = multiplied(plain, TURNED)
    assert np.abs(np.einsum("ij,ij->i", same, other)) == pytest.approx(1.0, abs=1e-14)
    assert same == pytest.approx(other * np.sign(same[0] @ other[0]), abs=1e-11)


def six(tensor):
    """Ixx Iyy Izz Ixy Ixz Iyz of a symmetric matrix."""
    return (*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2])


def test_bodies_do_not_disturb_each_other():
    """Two free bodies in one scene move as each does alone, bit for bit."""
    single = free_body((1.0, 2.0, 3.0), (0.1, 3.0, 0.05))
    other = free_body((0.5, 0.5, 0.2), (0.1, -3.0, 5.0))
    other.bodies[0].name = "other"
    both = scene_of([single.bodies[0], other.bodies[0]], gravity=NO_GRAVITY)

    together = ic.simulate(both, duration=1.0)

    for k, alone in enumerate((single, other)):
        expected = ic.simulate(alone, duration=1.0)
        assert np.array_equal(together.positions[:, k], expected.positions[:, 0])
        assert np.array_equal(together.orientations[:, k], expected.orientations[:, 0])
