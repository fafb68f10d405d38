"""What joints transmit where bodies touch: weights, Newton's and Euler's law of every body, and
what breaks.
"""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.geometry.rotations import rotated
from impulse_schema import Scene
from impulse_schema.models import Body, Joint, Load, Material
from tests.contact.scenes import ball, box, cube, scene

G = 9.81


def tower(**settings) -> Scene:
    """Three cubes of 1 kg upon each other, of which the lower two are one body."""
    found = scene(*(cube(name, 0.5 + k) for k, name in enumerate("abc")), **settings)
    found.joints.append(
        Joint(name="glue", type="fixed", body1="a", body2="b", anchor=(0.0, 0.0, 1.0))
    )
    return found


@pytest.mark.parametrize("settings", [{}, {"sleeping": True}, {"time_of_impact": True}])
def test_weight_that_contacts_bear_goes_through_joints(settings):
    """A joint below two cubes bears both, in every frame, the first too; one of them through a
    contact.
    """
    glue = ic.simulate(tower(duration=1.5, fps=20.0, **settings)).joints["glue"]

    assert glue["force"] == pytest.approx(
        np.tile((0.0, 0.0, 2.0 * G), (len(glue["force"]), 1)), abs=1e-8
    )
    assert glue["torque"] == pytest.approx(0.0, abs=1e-8)


def test_a_session_finds_the_same_at_any_moment(tmp_path):
    """Before the first step, after it, and where it went back to a moment."""
    with ic.Session(tower(step=0.01), paused=True) as session:
        found = [session.snapshot().reactions["glue"][0]]
        session.step(1)
        found.append(session.snapshot().reactions["glue"][0])
        session.save(tmp_path / "moment")
        session.step(30)
        session.load(tmp_path / "moment")
        found.append(session.snapshot().reactions["glue"][0])

    assert np.array(found) == pytest.approx(np.tile((0.0, 0.0, 2.0 * G), (3, 1)), abs=1e-8)


@pytest.mark.parametrize("torque", [1e-3, 7e-3])
def test_a_contact_that_resists_turning_acts_through_joints(torque):
    """A ball of 2 kg with its load, on felt of lever 1 mm: it holds 0.02 N m."""
    felt = Material(name="felt", static_friction=0.5, torsional_friction=1e-3)
    on_felt = scene(
        ball("ball", (0.0, 0.0, 0.5), material="felt"),
        Body(name="load", position=(0.0, 0.0, 1.5), mass=1.0, inertia=(0.1, 0.1, 0.1)),
        materials=(felt,),
        duration=0.5,
        fps=20.0,
    )
    on_felt.joints.append(
        Joint(name="glue", type="fixed", body1="ball", body2="load", anchor=(0.0, 0.0, 1.0))
    )
    on_felt.loads.append(Load(body="load", torque=(0.0, 0.0, torque)))
    glue = ic.simulate(on_felt).joints["glue"]

    assert glue["force"][-1] == pytest.approx((0.0, 0.0, G), abs=1e-8)
    assert glue["torque"][-1] == pytest.approx((0.0, 0.0, -torque), abs=1e-8)


def drawn_machine(seed: int, **settings) -> Scene:
    """Boxes of drawn sizes in a row on the ground, and some on top of them, with drawn joints to
    their neighbours. At rest, but for what friction and joints give.
    """
    rng = np.random.default_rng(seed)
    bodies: list[Body] = []
    joints: list[Joint] = []
    x = 0.0
    for k in range(int(rng.integers(2, 6))):
        size = rng.uniform(0.1, 0.4, 3)
        x += 0.5 * size[0] + 0.02
        place = (x, 0.0, 0.5 * size[2])
        bodies.append(box(f"low-{k}", place, float(rng.uniform(0.2, 5.0)), tuple(size)))
        if k:
            at = (x - 0.5 * size[0] - 0.01, *rng.uniform(0.0, 0.1, 2))
            kind = str(rng.choice(["fixed", "ball", "hinge", "slider"]))
            along = {"axis": (0.0, 1.0, 0.0)} if kind in ("hinge", "slider") else {}
            joints.append(
                Joint(
                    name=f"to-{k}",
                    type=kind,
                    body1=f"low-{k - 1}",
                    body2=f"low-{k}",
                    anchor=at,
                    **along,
                )
            )
        if rng.random() < 0.6:
            high = (x + float(rng.uniform(-0.05, 0.05)), 0.0, size[2] + 0.3)
            mass = float(rng.uniform(0.2, 2.0))
            bodies.append(box(f"high-{k}", high, mass, (0.1, 0.1, 0.1)))
            joints.append(
                Joint(
                    name=f"up-{k}",
                    type="fixed",
                    body1=f"low-{k}",
                    body2=f"high-{k}",
                    anchor=(x, 0.0, size[2]),
                )
            )
        x += 0.5 * size[0]
    found = scene(*bodies, **settings)
    found.joints.extend(joints)
    return found


def lacking(machine: Scene, recording: ic.Recording, frame: int) -> np.ndarray:
    """What forces and torques on each body at rest lack to none, shape (n, 2, 3) [N, N m]."""
    names, places = list(recording.body_names), recording.positions[frame]
    missing = np.zeros((len(names), 2, 3))

    def add(body: str, force: np.ndarray, at: np.ndarray, torque: np.ndarray) -> None:
        if body in names:
            i = names.index(body)
            missing[i, 0] += force
            missing[i, 1] += torque + np.cross(at - places[i], force)

    for body in machine.bodies[1:]:
        missing[names.index(body.name), 0] += body.mass * np.array(machine.settings.gravity)
    for joint in machine.joints:
        i = names.index(joint.body2)
        arm = np.array(joint.anchor) - machine.bodies[i].position
        at = places[i] + rotated(recording.orientations[frame, i], arm)
        force, torque = (recording.joints[joint.name][of][frame] for of in ("force", "torque"))
        add(joint.body2, force, at, torque)
        add(joint.body1, -force, at, -torque)
    contacts = recording.contacts
    for k in np.flatnonzero(contacts["frame"] == frame):
        force, at = contacts["force"][k], contacts["point"][k]
        add(names[contacts["body2"][k]], force, at, np.zeros(3))
        add(names[contacts["body1"][k]], -force, at, np.zeros(3))
    return missing[1:]


@pytest.mark.parametrize("seed", range(12))
def test_forces_and_torques_on_every_body_of_a_machine_at_rest(seed):
    """Σ F = 0 and Σ T = 0 with weights, reactions and recorded contacts."""
    step = float(np.random.default_rng(100 + seed).choice([0.002, 0.005, 0.01]))
    machine = drawn_machine(seed, step=step, duration=2.0, fps=10.0, record_contacts=True)
    recording = ic.simulate(machine)

    weight = G * sum(body.mass for body in machine.bodies[1:])
    largest = max(np.abs(joint["force"][-1]).max() for joint in recording.joints.values())
    assert largest > 1e-3 * weight
    assert np.abs(lacking(machine, recording, -1 % len(recording.times))).max() <= 1e-6 * weight


@pytest.mark.parametrize("seed", range(8))
def test_a_joint_breaks_by_what_contacts_press(seed):
    """A cube that is laid upon a bracket breaks it if it is heavier than that bears."""
    rng = np.random.default_rng(seed)
    bears, mass = float(rng.uniform(5.0, 50.0)), float(rng.uniform(0.5, 5.0))
    bracket = box("bracket", (0.0, 0.0, 1.0), 0.1, (1.0, 1.0, 0.1))
    load = box("load", (0.0, 0.0, 1.3), mass, (0.5, 0.5, 0.5))
    found = scene(bracket, load, duration=0.5, fps=20.0, step=float(rng.choice([0.002, 0.01])))
    found.joints.append(
        Joint(
            name="weld",
            type="fixed",
            body1="world",
            body2="bracket",
            anchor=(0.0, 0.0, 1.0),
            break_force=bears,
        )
    )
    recording = ic.simulate(found)

    broke = [event for event in recording.events if event["kind"] == "break"]
    assert len(broke) == (1 if (mass + 0.1) * G > bears else 0)
    if broke:
        assert broke[0]["force_n"] == pytest.approx((mass + 0.1) * G, rel=1e-6)
        assert recording.positions[-1, 2, 2] < 1.3
