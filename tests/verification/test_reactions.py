"""What joints transmit: recorded reactions against Newton's law and against formulas."""

import math

import numpy as np
import pytest

from impulse_schema.models import Body, Joint, Keyframe, Limit, Motor, Spring
from tests.core.machines import MASS, MOMENT, rotor, run, sled
from tests.core.scenes import (
    NO_GRAVITY,
    box,
    four_bar,
    pendulum,
    random_tree,
    scene_of,
)
from tests.references.pendulum import position

G = 9.81


def tension_error(method, step):
    """Largest error of the tension of Pendulum90 [N]: m g cos θ + m l ω² = 3 m g |y|."""
    recording = run(pendulum(), duration=2.0, step=step, fps=20, method=method)
    exact = 3.0 * G * -position(recording.times, -math.pi / 2.0)[:, 1]
    # the rod pulls the bob (body 2) towards the pivot in the origin
    pull = -np.sum(recording.joints["rod"]["force"] * recording.positions[:, 0], axis=1)
    return np.abs(pull - exact).max()


@pytest.mark.parametrize(("method", "order", "step"), [("imp2", 2, 0.01), ("imp4", 4, 0.02)])
def test_tension_of_a_pendulum(method, order, step):
    """m g cos θ + m l ω² at every frame, also the first, to the order of the method."""
    coarse, fine = tension_error(method, step), tension_error(method, step / 2)

    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.3)
    assert coarse <= 0.01 * 3.0 * G


def test_tension_does_not_depend_on_the_tolerance():
    """Impulses would be noisy by tolerance/h²; accelerations at the state are not."""
    loose, tight = (
        run(pendulum(), duration=1.0, step=1e-3, fps=50, method="imp2", tolerance=tolerance)
        for tolerance in (1e-7, 1e-14)
    )

    difference = loose.joints["rod"]["force"] - tight.joints["rod"]["force"]
    assert np.abs(difference).max() <= 1e-5


def balance(recording, scene, frame, step):
    """m (a - g) less all joint forces on every body [N], shape (n, 3); a by differences."""
    mass = np.array([body.mass for body in scene.bodies])[:, None]
    before, now, after = recording.positions[frame - 1 : frame + 2]
    missing = mass * ((after - 2.0 * now + before) / step**2 - np.array(scene.settings.gravity))
    names = list(recording.body_names)
    for joint in scene.joints:
        force = recording.joints[joint.name]["force"][frame]
        for body, sign in ((joint.body2, -1.0), (joint.body1, 1.0)):
            if body != "world":
                missing[names.index(body)] += sign * force
    return missing


@pytest.mark.parametrize("seed", range(3))
def test_forces_on_every_body_of_a_tree(seed):
    """m a = m g + Σ F with joints of all types, in motion, to the error of the differences."""
    scene = random_tree(np.random.default_rng(seed), 6)
    h = 1e-3

    recording = run(scene, duration=0.3, step=0.01, fps=1 / h, method="imp6", tolerance=1e-14)

    largest = max(np.abs(q["force"]).max() for q in recording.joints.values())
    for frame in (100, 250):
        # differences: h²/12 of the fourth derivative, and 1e-15 m of round-off over h²
        assert np.abs(balance(recording, scene, frame, h)).max() <= 1e-4 * largest


def test_forces_in_a_loop_with_redundant_joints():
    """m a = m g + Σ F also where joints repeat each other."""
    scene = four_bar()
    scene.bodies[1].velocity = (1.0, 0.0, 0.0)
    h = 1e-3

    recording = run(scene, duration=0.2, step=0.01, fps=1 / h, method="imp6", tolerance=1e-14)

    assert np.abs(balance(recording, scene, 150, h)).max() <= 1e-3


def test_clamped_beam():
    """A beam at rest: m g upwards, and m g l/2 about the clamp, from the first frame on."""
    beam = box("beam", (0.5, 0.0, 0.0), (1.0, 0.1, 0.1), mass=4.0)
    clamp = Joint(name="clamp", type="fixed", body2="beam", anchor=(0, 0, 0))

    recording = run(scene_of([beam], [clamp]), duration=0.2, fps=50)

    force, torque = (recording.joints["clamp"][key] for key in ("force", "torque"))
    frames = len(recording.times)
    assert force == pytest.approx(np.tile([0, 0, 4.0 * G], (frames, 1)), abs=1e-10)
    assert torque == pytest.approx(np.tile([0, -4.0 * G * 0.5, 0], (frames, 1)), abs=1e-10)


def test_joint_on_a_kinematic_body():
    """A load on a lift that accelerates and brakes: F = m (g + a), a by differences of its path."""
    keys = [
        Keyframe(time=time, position=(0, 0, z))
        for time, z in ((0.0, 0.0), (0.4, -0.1), (1.0, -0.5))
    ]
    lift = Body(name="lift", motion="kinematic", keyframes=keys)
    load = box("load", (0.0, 0.0, -1.0), mass=3.0)
    rope = Joint(name="rope", type="ball", body1="lift", body2="load", anchor=(0, 0, 0))

    recording = run(scene_of([lift, load], [rope]), duration=0.9, fps=200, step=0.01)

    acceleration = np.diff(recording.positions[:, 0, 2], 2) * 200**2
    inside = np.abs(recording.times[1:-1] - 0.4) > 0.006  # its jerk jumps at the keyframe
    force = recording.joints["rope"]["force"][1:-1, 2]
    assert np.ptp(acceleration) > 1.0
    assert force[inside] == pytest.approx(3.0 * (G + acceleration[inside]), abs=1e-6)


@pytest.mark.parametrize(
    ("build", "inertia", "coordinate", "drive"),
    [(sled, MASS, "displacement", "drive_force"), (rotor, MOMENT, "angle", "drive_torque")],
)
def test_drive_of_motors_and_springs(build, inertia, coordinate, drive):
    """The drive is the mean force of all elements over the last step, of a motor or a spring."""
    motor = Motor(kind="velocity", target=100.0, max_force=3.0)
    driven = run(build(motors=[motor]), duration=0.5, fps=20)
    sprung = run(build(springs=[Spring(stiffness=20.0, rest=0.3)]), duration=0.5, fps=20, step=1e-3)

    (by_motor,), (by_spring,) = driven.joints.values(), sprung.joints.values()

    assert by_motor[drive] == pytest.approx(np.full(len(driven.times), 3.0), rel=1e-12)
    x = 0.5 * 3.0 / inertia * driven.times**2
    assert by_motor[coordinate] == pytest.approx(x, abs=1e-11)
    behind = 0.5e-3 * np.gradient(by_spring[coordinate], sprung.times)
    wanted = 20.0 * (0.3 - by_spring[coordinate] + behind)
    assert by_spring[drive][1:] == pytest.approx(wanted[1:], abs=2e-2)
    axis = by_spring["force"] if build is sled else by_spring["torque"]
    assert np.abs(axis).max(axis=1) == pytest.approx(np.abs(by_spring[drive]), abs=1e-12)


def test_reaction_of_a_slider_and_what_holds_it():
    """At rest on its stop a sled on an upright rail is held by its weight, along the axis."""
    scene = sled(gravity=(-G, 0.0, 0.0), limits=[Limit(lower=0.0)])

    recording = run(scene, duration=0.5, fps=20)

    (rail,) = recording.joints.values()
    assert rail["drive_force"] == pytest.approx(np.full(len(recording.times), MASS * G), rel=1e-9)
    assert rail["force"][:, 0] == pytest.approx(rail["drive_force"])
    assert np.abs(rail["force"][:, 1:]).max() <= 1e-10


def test_fast_wheel_does_not_alias():
    """25 frames per second of a wheel at 200 rad/s: its angle is counted by the steps."""
    motor = Motor(kind="velocity", target=200.0)

    recording = run(rotor(200.0, motors=[motor]), duration=1.0, fps=25)

    assert recording.joints["pin"]["angle"] == pytest.approx(200.0 * recording.times, abs=1e-9)


def test_displacement_without_elements():
    """A sled on which nothing acts has a displacement all the same, and no drive."""
    recording = run(sled(0.7, gravity=NO_GRAVITY), duration=1.0, fps=10)

    rail = recording.joints["rail"]
    assert rail["displacement"] == pytest.approx(0.7 * recording.times, abs=1e-12)
    assert "drive_force" not in rail
