"""Damping of ball and universal joints: a torque against the relative angular velocity."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import impulse_core as ic
from impulse_schema.models import Body, Joint, Spring
from tests.core.machines import MOMENT, rotor, run, unbalance
from tests.core.scenes import NO_GRAVITY, box, four_bar, scene_of

ORIGIN = (0.0, 0.0, 0.0)
MOMENTS = np.array([0.5, 0.6, 0.7])


def body(name="body", moments=MOMENTS, **more):
    return Body(name=name, mass=1.0, inertia=tuple(map(float, moments)), **more)


def joint(kind="ball", body1="world", body2="body", damping=0.3, **more):
    if kind == "universal":
        more = {"axis": (1.0, 0.0, 0.0), "axis2": (0.0, 1.0, 0.0)} | more
    return Joint(
        name="joint", type=kind, body1=body1, body2=body2, anchor=ORIGIN, damping=damping, **more
    )


def spinning(kind, spin, moments=MOMENTS, damping=0.3):
    """A body held in its centre."""
    return scene_of(
        [body(moments=moments, angular_velocity=spin)],
        [joint(kind, damping=damping)],
        gravity=NO_GRAVITY,
    )


@pytest.mark.parametrize("spin", [(1.0, 2.0, -3.0), (0.0, 0.0, 900.0), (-700.0, 300.0, 100.0)])
@pytest.mark.parametrize("world_first", [True, False])
def test_a_ball_loses_its_spin(spin, world_first):
    """Of a body of equal moments ω falls as exp(-d t/J), also through whole turns in a step, and
    what is lost is dissipated, to round-off.
    """
    scene = spinning("ball", spin, moments=(0.5, 0.5, 0.5))
    if not world_first:
        scene.joints[0].body1, scene.joints[0].body2 = "body", "world"

    recording = run(scene, duration=2.0, fps=10, step=0.01, tolerance=1e-9)

    z = 0.01 * 0.3 / 0.5
    wanted = np.exp(-2.0 * 0.6 * recording.times)
    kinetic = recording.energy["kinetic"]
    assert kinetic / kinetic[0] == pytest.approx(wanted, rel=2.0 * 0.6 * 2.0 * z * z)
    energy = recording.diagnostics["energy_j"]
    assert energy["dissipated"] == pytest.approx(kinetic[0] - kinetic[-1], rel=1e-12)
    sign = 1.0 if world_first else -1.0
    torque = -0.3 * sign * np.array(spin) * math.exp(-0.6 * 2.0)
    assert recording.joints["joint"]["torque"][-1] == pytest.approx(torque, rel=0.01, abs=1e-9)


def test_a_hinge_knows_whole_turns_in_a_step():
    """A damper takes out of nine radians a step what it takes out of less, without dividing it."""
    scene = rotor(900.0, springs=[Spring(damping=0.3)])

    recording = run(scene, duration=2.0, fps=10, step=0.01)

    rate = 0.3 / MOMENT
    wanted = 900.0 / rate * (1.0 - np.exp(-rate * recording.times))
    assert recording.joints["pin"]["angle"] == pytest.approx(wanted, rel=1e-4)
    assert recording.diagnostics["halvings"] == 0


@pytest.mark.parametrize("size", [10.0, 1e4, 1e8])
@pytest.mark.parametrize("kind", ["ball", "universal"])
def test_stiff_damping_holds(kind, size):
    """However large the damping, the spin ends within a few steps, without ringing."""
    spin = (1.0, 2.0, -3.0) if kind == "ball" else (1.0, 2.0, 0.0)

    recording = run(spinning(kind, spin, damping=size), duration=2.0, fps=50, tolerance=1e-9)

    kinetic = recording.energy["kinetic"]
    assert np.diff(kinetic).max() <= 1e-12
    assert kinetic[-1] <= 1e-12
    energy = recording.diagnostics["energy_j"]
    assert energy["dissipated"] == pytest.approx(kinetic[0], rel=1e-3)


def top_equations(_time, state):
    """Euler's, with gravity at a lever and the damping of ``swinging``; orientation as a matrix."""
    R, w = state[:9].reshape(3, 3), state[9:]
    lever, weight = np.array([0.0, 0.0, -0.5]), np.array([0.0, 0.0, -9.81])
    moments = MOMENTS + 1.0 * 0.25 * np.array([1.0, 1.0, 0.0])
    torque = np.cross(R @ lever, weight) - 0.3 * w
    turn = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    inertia = R @ np.diag(moments) @ R.T
    spin = np.linalg.solve(inertia, torque - np.cross(w, inertia @ w))
    return np.concatenate([(turn @ R).ravel(), spin])


def swinging():
    """A body that hangs on a damped ball joint and is thrown sideways."""
    spin = np.array([2.0, -1.5, 3.0])
    hung = body(
        position=(0.0, 0.0, -0.5),
        angular_velocity=tuple(spin),
        velocity=tuple(np.cross(spin, (0.0, 0.0, -0.5))),
    )
    return scene_of([hung], [joint()])


@cache
def end_of_swing(step):
    recording = ic.simulate(swinging(), duration=0.64, step=step, fps=1 / 0.64, tolerance=1e-13)
    return recording.positions[-1, 0]


def test_order_two_against_eulers_equations():
    """The path of a swinging body tends to Euler's with the square of the step."""
    start = np.concatenate([np.eye(3).ravel(), [2.0, -1.5, 3.0]])
    found = solve_ivp(top_equations, (0.0, 0.64), start, method="DOP853", rtol=1e-12, atol=1e-13)
    exact = found.y[:9, -1].reshape(3, 3) @ [0.0, 0.0, -0.5]
    coarse, fine = (np.linalg.norm(end_of_swing(h) - exact) for h in (0.005, 0.0025))

    assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)
    assert fine <= 1e-5


def cardan(damping=0.0, **springs):
    """A bar on a universal joint; with ``springs`` on two hinges, and a light cross between."""
    tilt = Rotation.from_rotvec([0.3, 0.5, 0.0])
    x, y = (tuple(tilt.apply(v)) for v in np.eye(3)[:2])
    bar = box("body", tuple(tilt.apply([0, 0, -0.5])), (0.1, 0.2, 1.0))
    turn = tilt.as_quat()
    bar.orientation = (float(turn[3]), *map(float, turn[:3]))
    if not springs:
        return scene_of([bar], [joint("universal", damping=damping, axis=x, axis2=y)])
    cross = body("cross", moments=(1e-7, 1e-7, 1e-7))
    cross.mass = 1e-6
    pins = [
        Joint(name="a", type="hinge", body2="cross", anchor=ORIGIN, axis=x, **springs),
        Joint(
            name="b", type="hinge", body1="cross", body2="body", anchor=ORIGIN, axis=y, **springs
        ),
    ]
    return scene_of([bar, cross], pins)


def test_a_universal_joint_is_two_damped_hinges():
    """Its cross turns in both forks, each with this damping.

    Behind the light cross of the other machine dampers are of first order: it is extrapolated.
    """

    def path(scene, step):
        recording = ic.simulate(scene, duration=2.0, fps=10, step=step, tolerance=1e-11)
        return recording.positions[:, 0], recording.diagnostics["energy_j"]["dissipated"]

    coarse, fine = (path(cardan(springs=[Spring(damping=0.2)]), h)[0] for h in (1e-3, 5e-4))
    found, dissipated = path(cardan(0.2), 1e-3)

    assert found == pytest.approx(2.0 * fine - coarse, abs=3e-6)
    assert np.abs(fine - coarse).max() > 1e-5
    assert dissipated > 0.5


@pytest.mark.parametrize("kind", ["ball", "universal"])
def test_bodies_in_space_end_up_turning_together(kind):
    """Momenta are kept to round-off, energy and what was dissipated to the method's order."""
    a = box("a", (0.0, 0.0, 0.4), (0.2, 0.3, 0.8), mass=3.0, angular_velocity=(0.5, 0.9, 2.0))
    b = box("body", (0.1, 0.3, -0.4), (0.5, 0.2, 0.1), mass=1.5, angular_velocity=(-3.0, 0.9, 1.0))
    scene = scene_of([a, b], [joint(kind, "a", damping=0.5)], gravity=NO_GRAVITY)

    recording = ic.simulate(scene, duration=30.0, step=0.005, fps=10)

    for name in ("linear", "angular"):
        size = max(np.linalg.norm(recording.momentum[name][0]), 1.0)
        assert recording.diagnostics["momentum_drift"][name] <= 1e-12 * size
    assert np.diff(recording.energy["kinetic"]).max() <= 1e-6
    assert unbalance(recording) <= 1e-3 * recording.energy["kinetic"][0]
    relative = [Rotation.from_quat(recording.orientations[n, :, [1, 2, 3, 0]].T) for n in (-2, -1)]
    before, after = (pair[0].inv() * pair[1] for pair in relative)
    assert (before.inv() * after).magnitude() <= 1e-3


def test_loops_of_damped_balls():
    """A four-bar linkage on damped balls falls over and settles: what it lost was dissipated."""
    scene = four_bar()
    for number, pin in enumerate(scene.joints):
        pin.type, pin.axis, pin.damping = "ball", None, 0.6 + 0.1 * number
    scene.bodies[1].velocity = (0.0, 0.3, 0.0)

    recording = ic.simulate(scene, duration=20.0, step=0.01, fps=5)

    lost = recording.energy["total"][0] - recording.energy["total"][-1]
    assert lost > 20.0
    assert recording.diagnostics["energy_j"]["dissipated"] == pytest.approx(lost, rel=1e-3)
    assert np.diff(recording.energy["total"]).max() <= 1e-4
    assert recording.energy["kinetic"][-1] <= 1e-6


def test_a_damped_joint_that_breaks_lets_go():
    """Nothing damps what a broken joint no longer holds."""
    scene = spinning("ball", (0.0, 0.0, 5.0))
    scene.settings.gravity = (0.0, 0.0, -9.81)
    scene.joints[0].break_force = 9.0

    recording = run(scene, duration=1.0, fps=10, tolerance=1e-9)

    (event,) = recording.events
    spin = 0.5 * 0.7 * 25.0
    kinetic = recording.energy["kinetic"] - 0.5 * (9.81 * (recording.times - event["time"])) ** 2
    assert kinetic[2:] == pytest.approx(spin, rel=0.02)
    assert np.ptp(kinetic[2:]) <= 1e-6
