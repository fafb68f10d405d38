"""Universal joints whose axes meet at any angle: a body on two hinges and nothing between."""

import json
import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import multiplied
from impulse_core.joints.table import ROTATION_AXIS, SECOND_ROTATION_AXIS
from impulse_core.model import copy_state
from impulse_schema import save_scene
from impulse_schema.models import Body, Joint
from tests.core.probes import Probe
from tests.core.scenes import NO_GRAVITY, box, scene_of

ORIGIN = (0.0, 0.0, 0.0)
MOMENTS = np.array([0.02, 0.05, 0.06])  # about the centre of mass
MASS, LEVER = 2.0, np.array([0.1, -0.05, -0.4])
GRAVITY = np.array([0.0, 0.0, -9.81])
FIRST = np.array([0.36, 0.48, 0.8])
DURATION = 1.28


def second(degrees):
    """An axis so many degrees from the first."""
    across = np.cross(FIRST, [0.0, 0.0, 1.0])
    turn = Rotation.from_rotvec(math.radians(degrees) * across / np.linalg.norm(across))
    return turn.apply(FIRST)


def swinging(degrees, rates, damping=0.0, **settings):
    """A body on the world, with a centre beside the cross, which turns at these rates."""
    spin = rates[0] * FIRST + rates[1] * second(degrees)
    body = Body(
        name="body",
        mass=MASS,
        inertia=tuple(map(float, MOMENTS)),
        position=tuple(map(float, LEVER)),
        velocity=tuple(map(float, np.cross(spin, LEVER))),
        angular_velocity=tuple(map(float, spin)),
    )
    joint = Joint(
        name="cross",
        type="universal",
        body2="body",
        anchor=ORIGIN,
        axis=tuple(map(float, FIRST)),
        axis2=tuple(map(float, second(degrees))),
        damping=damping,
    )
    return scene_of([body], [joint], **settings)


@cache
def reference(degrees, rates, damping=0.0):
    """Both angles after DURATION, by d'Alembert's principle in these two coordinates:

    aᵢ·(dL/dt - r × m g) = -d θ̇ᵢ,   L = J ω about the anchor,  ω = θ̇₁ a₁ + θ̇₂ a₂(θ₁)
    """
    inertia = np.diag(MOMENTS) + MASS * (LEVER @ LEVER * np.eye(3) - np.outer(LEVER, LEVER))
    a2 = second(degrees)

    def change(_time, state):
        first, _, r1, r2 = state
        crossed = Rotation.from_rotvec(first * FIRST)
        R = (crossed * Rotation.from_rotvec(state[1] * a2)).as_matrix()
        J, axes = R @ inertia @ R.T, np.array([FIRST, crossed.apply(a2)])
        w = r1 * axes[0] + r2 * axes[1]
        bias = J @ (r1 * r2 * np.cross(axes[0], axes[1])) + np.cross(w, J @ w)
        torque = np.cross(R @ LEVER, MASS * GRAVITY) - bias
        push = axes @ torque - damping * np.array([r1, r2])
        return np.concatenate([state[2:], np.linalg.solve(axes @ J @ axes.T, push)])

    start = [0.0, 0.0, *rates]
    found = solve_ivp(change, (0.0, DURATION), start, method="DOP853", rtol=1e-13, atol=1e-13)
    return found.y[:2, -1]


def angles(degrees, rates, step, damping=0.0, **more):
    """Both angles after DURATION, as recorded."""
    recording = ic.simulate(
        swinging(degrees, rates, damping), duration=DURATION, step=step, fps=1 / DURATION, **more
    )
    cross = recording.joints["cross"]
    return np.array([cross["angle"][-1], cross["angle2"][-1]])


@pytest.mark.parametrize("degrees", [20.0, 60.0, 90.0, 130.0])
def test_angles_are_those_of_two_hinges(degrees):
    """Both angles follow Lagrange's equations, over full turns."""
    rates = (1.5, 16.0)
    wanted = reference(degrees, rates)
    assert np.abs(wanted).max() > 2.0 * math.pi

    found = angles(degrees, rates, 0.005, method="imp8", tolerance=1e-13)

    assert found == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("damping", [0.0, 0.1])
@pytest.mark.parametrize("degrees", [35.0, 90.0, 150.0])
def test_order_two(degrees, damping):
    """Errors fall with the square of the step, damped in both bearings or not."""
    rates = (1.5, -3.0)
    wanted = reference(degrees, rates, damping)
    coarse, fine = (
        np.linalg.norm(angles(degrees, rates, h, damping, tolerance=1e-13) - wanted)
        for h in (0.0025, 0.00125)
    )

    assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)
    assert fine <= 1e-4


@pytest.mark.parametrize("degrees", [3.0, 176.0])
def test_nearly_parallel_axes(degrees):
    """Also far from perpendicular the energy is kept, and no step is divided."""
    scene = swinging(degrees, (0.5, 0.7))

    recording = ic.simulate(scene, duration=2.0, step=0.002, fps=10, method="imp4")

    assert recording.diagnostics["halvings"] == 0
    assert recording.energy["total"] == pytest.approx(recording.energy["total"][0], abs=1e-5)


def test_momenta_and_energy_of_two_bodies_in_space():
    """Both momenta are kept to round-off, energy by the method, and the angle of the axes."""
    a = box("a", (0.0, 0.0, 0.4), (0.2, 0.3, 0.8), mass=3.0, angular_velocity=(0.5, 0.9, 2.0))
    b = box("body", (0.1, 0.3, -0.4), (0.5, 0.2, 0.1), mass=1.5, angular_velocity=(-3.0, 0.9, 1.0))
    joint = Joint(
        name="cross", type="universal", body1="a", body2="body", anchor=ORIGIN,
        axis=(1.0, 0.0, 0.0), axis2=(2.0, 1.0, 0.5),
    )  # fmt: skip
    scene = scene_of([a, b], [joint], gravity=NO_GRAVITY)

    recording = ic.simulate(scene, duration=10.0, step=0.005, fps=10, method="imp6")

    for name in ("linear", "angular"):
        size = max(np.linalg.norm(recording.momentum[name][0]), 1.0)
        assert recording.diagnostics["momentum_drift"][name] <= 1e-12 * size
    assert recording.energy["kinetic"] == pytest.approx(recording.energy["kinetic"][0], rel=1e-8)
    turned = [Rotation.from_quat(recording.orientations[:, i][:, [1, 2, 3, 0]]) for i in (0, 1)]
    cosine = np.sum(turned[0].apply([1.0, 0.0, 0.0]) * turned[1].apply([2.0, 1.0, 0.5]), axis=1)
    assert np.abs(cosine - 2.0).max() <= 1e-6


def test_rows_are_derivatives_of_the_angles():
    """What acts along either angle has the derivative of it as its row, at any pose."""
    probe = Probe(swinging(40.0, (1.0, 1.0), damping=0.1))
    axes = probe.model.axes
    assert list(axes["row"]) == [SECOND_ROTATION_AXIS, ROTATION_AXIS]
    turn = Rotation.from_rotvec(0.7 * FIRST) * Rotation.from_rotvec(-1.1 * second(40.0))
    at = copy_state(probe.state)
    at.bodies["orientation"][0] = turned(turn.as_rotvec(), at.bodies["orientation"][0])
    probe.state.bodies[:] = at.bodies

    probe.look()
    rows = probe.work.now.joints["rotation_rows"][0].reshape(3, 3)[[1, 2]]

    step = 1e-5
    for column, axis in enumerate(step * np.eye(3)):
        ahead, behind = (probe_angles(probe, at, sign * axis) for sign in (1.0, -1.0))
        assert (ahead - behind) / (2.0 * step) == pytest.approx(rows[:, column], abs=1e-9)


def turned(rotation_vector, quaternion):
    x, y, z, w = Rotation.from_rotvec(rotation_vector).as_quat()
    return multiplied(np.array([w, x, y, z]), quaternion)


def probe_angles(probe, at, rotation_vector):
    """Both coordinates, second first, with the body turned from a state."""
    state = copy_state(at)
    state.bodies["orientation"][0] = turned(rotation_vector, at.bodies["orientation"][0])
    return probe.coordinates(state)


def test_axes_that_nearly_are_perpendicular_are_meant_so():
    """Up to two degrees off they are pulled to a right angle, as files with few digits mean."""
    for degrees, kept in ((88.1, 90.0), (91.9, 90.0), (87.9, 87.9), (92.1, 92.1)):
        angle = compile_scene(swinging(degrees, (0.0, 0.0))).model.joints["angle"][0]
        assert math.degrees(angle) == pytest.approx(kept, abs=1e-9)


@pytest.mark.parametrize(("degrees", "version"), [(89.0, 1), (80.0, "1.2")])
def test_files_with_oblique_axes_need_a_newer_impulse(tmp_path, degrees, version):
    """Older ones refuse such axes, so a file that has them says which version knows them."""
    save_scene(swinging(degrees, (0.0, 0.0)), tmp_path / "scene.json")

    assert json.loads((tmp_path / "scene.json").read_text())["version"] == version
