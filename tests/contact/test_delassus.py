"""The Delassus operator of contacts on jointed bodies, against rigid bodies of the same mass."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.contact.system import Delassus
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Material, Motor
from tests.contact.scenes import scene

FOOT = 0.1  # m


def block(name: str, position: tuple[float, float, float], feet: list[tuple[float, float]]) -> Body:
    """A box of 0.4 × 0.3 × 0.2 m and 2 kg, whose balls touch the ground at its own x and y."""
    balls = [
        Geometry(shape="sphere", position=(x, y, FOOT - position[2]), radius=FOOT) for x, y in feet
    ]
    return Body(name=name, position=position, mass=2.0, inertia=(0.02, 0.03, 0.04), geometry=balls)


def answers(machine: Scene) -> tuple[np.ndarray, np.ndarray, Engine]:
    """W (k, k, 3, 3) [1/kg] after one step, and the points (k, 3) of the contacts."""
    compiled = compile_scene(machine, assemble=False)
    engine = Engine(compiled, choose_options(compiled), assemble=False)
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert engine.advance(machine.settings.step, 1, 0)
    setup = engine.runner.setup
    k = int(setup.delassus.used[0])
    rows = setup.delassus.contact[:k]
    arms = setup.contacts.row["arm2"][rows]
    points = engine.state.bodies["position"][setup.contacts.mark["body2"][rows]] + arms
    W = setup.delassus.linear[: 3 * k, : 3 * k] - _given(setup.delassus, 3 * k)
    W = W.reshape(k, 3, k, 3).swapaxes(1, 2)
    return W, points, engine


def _given(delassus: Delassus, n: int) -> np.ndarray:
    """What of the operator is there lest forces have no end (test_give.py) [1/kg]."""
    return delassus.give[:n, :n] * delassus.gives[0]


def cross_matrix(r: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), r).T * -1.0


def test_bodies_held_together_answer_as_one():
    """W = 1/m - [r]× J⁻¹ [s]× of the whole, between all feet of three bodies in a loop."""
    places = [(0.0, 0.0, 0.3), (0.6, 0.1, 0.4), (0.3, 0.5, 0.35)]
    feet = [[(-0.1, 0.05), (0.0, -0.1)], [(0.15, 0.0)], [(0.0, 0.1)]]
    bodies = [block(f"b{k}", *given) for k, given in enumerate(zip(places, feet, strict=True))]
    joints = [
        Joint(name="a", type="fixed", body1="b0", body2="b1", anchor=(0.3, 0.0, 0.3)),
        Joint(name="b", type="fixed", body1="b1", body2="b2", anchor=(0.4, 0.3, 0.3)),
        Joint(name="c", type="ball", body1="b2", body2="b0", anchor=(0.1, 0.3, 0.3)),
    ]
    machine = scene(*bodies)
    machine.joints.extend(joints)

    W, points, engine = answers(machine)

    centres = engine.state.bodies["position"][:3]
    middle = centres.mean(axis=0)
    J = 3 * np.diag([0.02, 0.03, 0.04])  # nothing has turned by more than the tolerance
    for r in centres - middle:
        J += 2.0 * (r @ r * np.eye(3) - np.outer(r, r))
    assert len(points) == 4
    for k, x in enumerate(points):
        for m, y in enumerate(points):
            r, s = cross_matrix(x - middle), cross_matrix(y - middle)
            wanted = np.eye(3) / 6.0 - r @ np.linalg.inv(J) @ s
            assert W[k, m] == pytest.approx(wanted, abs=1e-5)


def test_a_hinged_bar_answers_across_itself():
    """W = t tᵀ l²/J about the hinge, t across the bar: none along the bar or the axis."""
    bar = block("bar", (0.5, 0.0, 0.3), [(0.2, 0.0)])
    machine = scene(bar)
    machine.joints.append(
        Joint(
            name="h", type="hinge", body1="world", body2="bar", anchor=(0, 0, 0.3), axis=(0, 1, 0)
        )
    )

    W, points, _ = answers(machine)

    (point,) = points
    arm = point - np.array([0.0, 0.0, 0.3])
    across = np.cross([0.0, 1.0, 0.0], arm)
    wanted = np.outer(across, across) / (0.03 + 2.0 * 0.5**2)
    assert W[0, 0] == pytest.approx(wanted, abs=1e-6)


def drawn_machine(seed: int, rolling: float) -> Scene:
    """Blocks with one to three feet, hinged in a chain whose ends lie on each other or not."""
    random = np.random.default_rng(seed)
    felt = Material(name="felt", rolling_friction=rolling)
    count = int(random.integers(2, 6))
    bodies, joints = [], []
    for k in range(count):
        position = (0.5 * k, 0.2 * (k % 2), float(random.uniform(0.25, 0.4)))
        feet = [
            tuple(xy) for xy in random.uniform(-0.15, 0.15, (random.integers(1, 4), 2)).tolist()
        ]
        made = block(f"b{k}", position, feet)
        made.mass = float(5.0 ** random.uniform())
        bodies.append(made)
    for k in range(count - 1):
        axis, kind = random.normal(size=3), str(random.choice(["hinge", "ball"]))
        between = np.add(bodies[k].position, bodies[k + 1].position) / 2
        joints.append(
            Joint(
                name=f"j{k}",
                type=kind,
                body1=f"b{k}",
                body2=f"b{k + 1}",
                anchor=tuple(between.tolist()),
                axis=tuple((axis / np.linalg.norm(axis)).tolist()) if kind == "hinge" else None,
            )
        )
    top = np.add(bodies[0].position, (0.1, 0.1, 0.3))
    ball = Geometry(shape="sphere", position=(0.0, 0.0, 0.0), radius=FOOT, material="felt")
    resting = Body(name="ball", mass=0.5, position=tuple(top.tolist()), geometry=[ball])
    bodies[0].geometry.append(
        Geometry(shape="sphere", position=(0.1, 0.1, 0.3 - 2 * FOOT), radius=FOOT, material="felt")
    )
    resting_on = Joint(
        name="arm",
        type="ball",
        body1=bodies[-1].name,
        body2="ball",
        anchor=tuple(((top + bodies[-1].position) / 2).tolist()),
    )
    made = scene(*bodies, resting, materials=(felt,))
    made.joints.extend([*joints, *([resting_on] if seed % 2 else [])])
    return made


@pytest.mark.parametrize("seed", range(12))
def test_one_contact_answers_as_one_of_several(seed):
    """W of bodies with one contact, which is found at that point, is that of their centres, by
    which it is found where contacts resist turning.
    """
    W, points, engine = answers(drawn_machine(seed, 0.0))
    also, those, other = answers(drawn_machine(seed, 1e-12))
    assert len(points) > 1
    rolls = [each.runner.setup.delassus.rolls[0] for each in (engine, other)]
    assert rolls == [0, 1]
    assert points == pytest.approx(those, abs=1e-6)
    np.testing.assert_allclose(W, also, rtol=1e-5, atol=1e-6)


RADIUS, WHEEL_MASS, CHASSIS_MASS = 0.2, 0.7, 3.0  # m, kg, kg
LEVER = 0.02  # m


def cart(speed: float, duration: float) -> Scene:
    """A chassis on four balls that turn about axles, rolling along x on felt."""
    felt = Material(name="felt", static_friction=1.0, rolling_friction=LEVER)
    chassis = Body(
        name="chassis",
        position=(0.0, 0.0, 0.3),
        mass=CHASSIS_MASS,
        inertia=(0.1, 0.2, 0.3),
        velocity=(speed, 0.0, 0.0),
    )
    bodies, joints = [chassis], []
    for k, (x, y) in enumerate(((0.5, 0.4), (0.5, -0.4), (-0.5, 0.4), (-0.5, -0.4))):
        ball = Geometry(shape="sphere", radius=RADIUS, material="felt")
        wheel = Body(
            name=f"wheel-{k}",
            position=(x, y, RADIUS),
            mass=WHEEL_MASS,
            velocity=(speed, 0.0, 0.0),
            angular_velocity=(0.0, speed / RADIUS, 0.0),
            geometry=[ball],
        )
        bodies.append(wheel)
        joints.append(
            Joint(
                name=f"axle-{k}",
                type="hinge",
                body1="chassis",
                body2=wheel.name,
                anchor=wheel.position,
                axis=(0, 1, 0),
            )
        )
    made = scene(*bodies, materials=(felt,), step=0.005, duration=duration, tolerance=1e-9)
    made.joints.extend(joints)
    return made


def test_rolling_resistance_stops_a_cart():
    """a = g δ/r / (1 + 4 J/(m r²)) with m of the whole and J = 2/5 m_w r² of a wheel, until it
    stands, where the resistance holds it; what it had is dissipated.
    """
    mass = CHASSIS_MASS + 4 * WHEEL_MASS
    turning = 4 * 0.4 * WHEEL_MASS / mass
    a = 9.81 * LEVER / RADIUS / (1.0 + turning)

    recording = ic.simulate(cart(1.0, 2.0), fps=100)

    t = np.minimum(recording.times, 1.0 / a)
    chassis = recording.positions[:, recording.body_names.index("chassis")]
    rolls = recording.times < 1.0 / a - 0.005
    exact = t - 0.5 * a * t**2
    assert chassis[rolls, 0] == pytest.approx(exact[rolls], abs=2e-6)
    assert chassis[:, 0] == pytest.approx(exact, abs=1e-5)  # the step in which it stops
    assert np.abs(chassis[:, 1]).max() <= 1e-7
    assert recording.positions[-1] == pytest.approx(recording.positions[-50], abs=1e-9)
    energy = recording.diagnostics["energy_j"]
    assert energy["dissipated"] == pytest.approx(0.5 * mass * (1.0 + turning), rel=1e-5)
    assert recording.diagnostics["warnings"] == []


def test_rolling_resistance_holds_a_motor_up_to_its_lever_arm():
    """A torque on one axle of less than δ N of its wheel moves nothing; four times what all four
    wheels hold moves the cart.
    """

    def way(torque: float) -> np.ndarray:
        driven = cart(0.0, 1.0)
        driven.joints[0].motors = [Motor(kind="velocity", target=50.0, max_force=torque)]
        recording = ic.simulate(driven, fps=10)
        return recording.positions[:, recording.body_names.index("chassis"), 0]

    held = LEVER * (CHASSIS_MASS / 4 + WHEEL_MASS) * 9.81
    standing = way(0.7 * held)
    assert np.abs(standing).max() <= 1e-6  # the motor sets in at once
    assert np.ptp(standing[2:]) <= 1e-9
    assert way(8.0 * held)[-1] > 0.1
