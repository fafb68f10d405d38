"""Motors and limits in closed loops with redundant joints, and between unequal masses."""

import math
from pathlib import Path

import numpy as np
import pytest

from impulse_schema import load_scene
from impulse_schema.models import Friction, Joint, Limit, Motor, Spring
from tests.core.machines import run, unbalance
from tests.core.scenes import NO_GRAVITY, box, scene_of

MECHANISMS = Path(__file__).resolve().parents[2] / "sample_scenes" / "mechanisms"


def mechanism(name, joint, **elements):
    """A sample with elements on one of its joints."""
    scene = load_scene(MECHANISMS / f"{name}.xml")
    (found,) = (item for item in scene.joints if item.name == joint)
    for key, value in elements.items():
        setattr(found, key, value)
    return scene


def test_motor_turns_a_slider_crank():
    """At 6 rad/s from 45°: x = r cos φ + sqrt(l² - r² sin² φ) of the block, to the tolerance."""
    scene = mechanism("slider-crank", "bearing", motors=[Motor(kind="velocity", target=-6.0)])

    recording = run(scene, duration=5.0, fps=20, step=0.01, tolerance=1e-11)

    angle = math.radians(45.0) + 6.0 * recording.times
    block = recording.body_names.index("block")
    exact = 0.5 * np.cos(angle) + np.sqrt(1.5**2 - (0.5 * np.sin(angle)) ** 2)
    assert recording.positions[:, block, 0] == pytest.approx(exact, abs=1e-10)
    assert np.abs(recording.positions[:, block, 1:]).max() <= 1e-10
    # to second order, what the motor does is the change of kinetic and potential energy
    halved = run(scene, duration=5.0, fps=20, step=0.005, tolerance=1e-11)
    assert unbalance(recording) / unbalance(halved) > 3.0
    assert unbalance(halved) <= 2e-3 * recording.energy["kinetic"].max()


def test_torque_of_the_motor_of_a_slider_crank():
    """Power of the motor, drive · rate, is the rate of the energy, to first order in the step."""
    scene = mechanism("slider-crank", "bearing", motors=[Motor(kind="velocity", target=-6.0)])

    recording = run(scene, duration=1.0, fps=1000, step=1e-3, tolerance=1e-12)

    power = -6.0 * recording.joints["bearing"]["drive_torque"]
    gained = np.diff(recording.energy["total"]) * 1000  # mean over the step that ends there
    # the first step begins at the speed the sample was given
    assert power[2:] == pytest.approx(gained[1:], abs=2e-3 * np.abs(power).max())


def test_four_bar_driven_into_its_limits():
    """A motor swings the crank to and fro between limits; the loop holds and the limits too."""
    scene = mechanism(
        "four-bar-clear",
        "base-crank",
        motors=[Motor(kind="velocity", expression="4*sin(3*t)", max_force=400.0)],
        limits=[Limit(lower=-0.4, upper=0.3)],
    )

    recording = run(scene, duration=6.0, fps=100, step=0.01, tolerance=1e-9)

    angle = recording.joints["base-crank"]["angle"]
    assert recording.diagnostics["max_joint_error_m"] <= 1e-9
    assert angle.min() == pytest.approx(-0.4, abs=1e-9)
    assert angle.max() == pytest.approx(0.3, abs=1e-9)
    assert np.count_nonzero(np.abs(angle - 0.3) < 1e-9) > 50  # it stays there, too


def test_stiff_servo_in_a_four_bar():
    """A servo of 1e7 N m/rad moves the crank along a sine, whatever hangs on it."""
    servo = Motor(kind="servo", expression="0.3*sin(2*t)", proportional=1e7, derivative=1e5)
    scene = mechanism("four-bar-clear", "base-crank", motors=[servo])

    recording = run(scene, duration=3.0, fps=50, step=0.01, tolerance=1e-9)

    angle = recording.joints["base-crank"]["angle"]
    # from rest to 0.6 rad/s at once: the first steps are the servo's own
    settled = recording.times > 0.1
    target = 0.3 * np.sin(2.0 * recording.times)
    assert angle[settled] == pytest.approx(target[settled], abs=1e-4)


def test_friction_holds_a_loop():
    """Enough dry friction in one hinge of a hanging four-bar keeps all of it where it is."""
    scene = mechanism("four-bar-clear", "base-crank", frictions=[Friction(force=1000.0)])

    recording = run(scene, duration=5.0, fps=10, tolerance=1e-11)

    assert np.abs(recording.joints["base-crank"]["angle"]).max() <= 1e-10
    moved = recording.positions - recording.positions[0]
    assert np.abs(moved).max() <= 1e-9


@pytest.mark.parametrize("ratio", [1e4, 1e-4])
def test_servo_between_unequal_masses(ratio):
    """Two free bodies, 1 kg and 1e4 times as much or as little: the servo reaches its target.

    Nothing else acts, so both momenta are conserved.
    """
    bodies = [
        box("a", (0.0, 0.0, 0.0), mass=1.0),
        box("b", (0.0, 0.0, 0.5), mass=ratio),
    ]
    servo = Motor(kind="servo", target=0.5, proportional=40.0, derivative=4.0)
    pin = Joint(
        name="pin",
        type="hinge",
        body1="a",
        body2="b",
        anchor=(0.0, 0.0, 0.2),
        axis=(0.0, 1.0, 0.0),
        motors=[servo],
    )

    recording = run(scene_of(bodies, [pin], gravity=NO_GRAVITY), duration=5.0, fps=10, step=0.01)

    assert recording.joints["pin"]["angle"][-1] == pytest.approx(0.5, abs=1e-6)
    drift = recording.diagnostics["momentum_drift"]
    assert drift["linear"] <= 1e-12 * max(ratio, 1.0)
    assert drift["angular"] <= 1e-12 * max(ratio, 1.0)


def test_train_of_sprung_wagons():
    """A motor pulls 20 wagons of 1 kg to 1e4 kg, coupled by stiff damped springs, up to speed."""
    masses = 10.0 ** np.linspace(0.0, 4.0, 20)
    bodies = [box(f"wagon-{k}", (k, 0.0, 0.0), mass=mass) for k, mass in enumerate(masses)]
    rail = {"type": "slider", "axis": (1.0, 0.0, 0.0)}
    joints = [
        Joint(
            name=f"buffer-{k}",
            body1=f"wagon-{k - 1}" if k else "world",
            body2=f"wagon-{k}",
            anchor=(k, 0.0, 0.0),
            springs=[Spring(stiffness=1e8, damping=1e6)] if k else [],
            motors=[] if k else [Motor(kind="velocity", target=2.0, max_force=5e4)],
            **rail,
        )
        for k in range(20)
    ]

    recording = run(scene_of(bodies, joints), duration=12.0, fps=10, step=0.01, tolerance=1e-10)

    speed = (recording.positions[-1, :, 0] - recording.positions[-2, :, 0]) * 10
    assert speed == pytest.approx(2.0, abs=1e-6)
    kinetic = 0.5 * masses.sum() * 2.0**2
    assert recording.energy["kinetic"][-1] == pytest.approx(kinetic, rel=1e-6)
