"""Rotors on free axes: where they can be told by a heavier body, and where only equations tell."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import impulse_core as ic
from impulse_schema.models import (
    Body,
    CouplingTerm,
    Friction,
    Geometry,
    Joint,
    Keyframe,
    Limit,
    Load,
    Material,
    Motor,
    Spring,
)
from tests.contact.scenes import ball
from tests.contact.scenes import scene as on_the_ground
from tests.core.machines import MOMENT, coordinate, rotor, run, sled, unbalance
from tests.core.scenes import NO_GRAVITY, box, chain, mixed_pendulum, scene_of
from tests.core.screws import INERTIA as NUT
from tests.core.screws import MASS as NUT_MASS
from tests.core.screws import nut_on_a_bolt, reach
from tests.verification.machine_orders import measured_order

G = 9.81
ROTOR = 0.7
BAR = (0.1**2 + 1.0**2) / 12.0  # of a bar of chain() about its centre [kg m²]

ELEMENTS = {
    "nothing": {},
    "friction": {"frictions": [Friction(force=1.7)]},
    "limits": {"limits": [Limit(lower=-0.2, upper=0.5, restitution=0.8)]},
    "spring": {"springs": [Spring(stiffness=80.0, rest=0.1)]},
    "damper": {"springs": [Spring(damping=3.0)]},
    "stiff damped spring": {"springs": [Spring(stiffness=1e6, damping=1e3)]},
    "motor": {"motors": [Motor(kind="velocity", target=-2.0, max_force=5.0)]},
    "servo": {
        "motors": [Motor(kind="servo", target=1.0, proportional=90, derivative=4, integral=9)]
    },
    "weak servo": {
        "motors": [
            Motor(kind="servo", expression="sin(9*t)", proportional=1e4, derivative=9, max_force=8)
        ]
    },
    "explicit servo": {
        "motors": [Motor(kind="servo", target=1.0, proportional=9, derivative=2, explicit=True)]
    },
    "all": {
        "motors": [Motor(kind="servo", target=1.0, proportional=900, derivative=4, max_force=30)],
        "springs": [Spring(stiffness=20.0, damping=0.3)],
        "frictions": [Friction(force=1.0)],
        "limits": [Limit(upper=0.4)],
    },
}


def heavier(build, speed, **elements):
    """The scene with the rotor's inertia in the body instead."""
    scene = build(speed, **elements)
    (body,) = scene.bodies
    if build is sled:
        body.mass += ROTOR
    else:
        body.inertia = (1.2, MOMENT + ROTOR, 1.4)
    return scene


@pytest.mark.parametrize("build", [sled, rotor])
@pytest.mark.parametrize("name", ELEMENTS)
def test_a_rotor_is_a_heavier_body(build, name):
    """Behind a joint to the world a rotor is as much inertia, whatever acts along the axis: the
    same motion, the same energies, the same work and losses.
    """
    with_rotor = build(1.3, armature=ROTOR, **ELEMENTS[name])
    without = heavier(build, 1.3, **ELEMENTS[name])

    found, wanted = (run(scene, duration=2.0, fps=20) for scene in (with_rotor, without))

    assert coordinate(found) == pytest.approx(coordinate(wanted), abs=1e-10)
    assert found.energy["kinetic"] == pytest.approx(wanted.energy["kinetic"], abs=1e-9)
    assert found.energy["total"] == pytest.approx(wanted.energy["total"], abs=1e-9)
    (joint,), (other,) = found.joints.values(), wanted.joints.values()
    for key in {"drive_force", "drive_torque"} & set(other):
        assert joint[key] == pytest.approx(other[key], abs=1e-7)
    energy = wanted.diagnostics["energy_j"]
    for key in ("work_of_motors", "dissipated"):
        assert found.diagnostics["energy_j"][key] == pytest.approx(energy[key], abs=1e-9)
    assert unbalance(found) == pytest.approx(unbalance(wanted), abs=1e-9)


@pytest.mark.parametrize("method", ["imp2", "imp4", "imp6", "imp8", "imp10"])
def test_pendulum(method):
    """A plane pendulum with a rotor moves as one with that much more inertia, with every method."""
    swinging = chain(1, ["hinge"])
    swinging.joints[0].armature = ROTOR
    heavy = chain(1, ["hinge"])
    heavy.bodies[0].geometry = []
    heavy.bodies[0].inertia = (1.0, BAR + ROTOR, 1.0)

    found, wanted = (
        ic.simulate(scene, duration=3.0, fps=5, method=method, tolerance=1e-13)
        for scene in (swinging, heavy)
    )

    assert found.positions == pytest.approx(wanted.positions, abs=1e-10)
    assert np.ptp(found.positions[:, 0, 0]) > 0.5
    assert found.diagnostics["energy_j"]["max_abs_drift"] <= 1.01 * max(
        wanted.diagnostics["energy_j"]["max_abs_drift"], 1e-11
    )


def double_pendulum():
    """Two bars on hinges along y, with a rotor on either; the second does not know where is up."""
    scene = chain(2, ["hinge", "hinge"])
    scene.joints[0].armature, scene.joints[1].armature = 0.7, 0.3
    return scene


def double_pendulum_equations(_time, state):
    """Lagrange's, of the angles from the vertical: T has ½ a₁ α̇² and ½ a₂ (β̇ - α̇)² besides."""
    (alpha, beta), rate = state[:2], state[2:]
    c, s = math.cos(alpha - beta), math.sin(alpha - beta)
    inertia = [[BAR + 1.25 + 0.7 + 0.3, 0.5 * c - 0.3], [0.5 * c - 0.3, BAR + 0.25 + 0.3]]
    torque = [
        -0.5 * s * rate[1] ** 2 - 1.5 * G * math.sin(alpha),
        0.5 * s * rate[0] ** 2 - 0.5 * G * math.sin(beta),
    ]
    return [*rate, *np.linalg.solve(inertia, torque)]


def bead():
    """A bead of 2 kg on a slider along a bar that turns on a hinge, in a plane, both with rotors
    and the bead on a spring.
    """
    bar = box(
        "bar", (0.5, 0.0, 0.0), (1.0, 0.1, 0.1), angular_velocity=(0, 2, 0), velocity=(0, 0, -1)
    )
    bead = Body(name="bead", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.6, 0, 0))
    bead.angular_velocity, bead.velocity = (0, 2, 0), (0, 0, -1.2)
    pin = Joint(name="pin", type="hinge", body2="bar", anchor=(0, 0, 0), axis=(0, 1, 0))
    rail = Joint(
        name="rail", type="slider", body1="bar", body2="bead", anchor=(0.6, 0, 0), axis=(1, 0, 0)
    )
    pin.armature, rail.armature = 0.4, 1.5
    rail.springs = [Spring(stiffness=30.0)]
    return scene_of([bar, bead], [pin, rail])


def bead_equations(_time, state):
    """Of the angle φ below the horizontal and the way s: T = ½ J(s) φ̇² + ½ (2 + 1.5) ṡ²."""
    phi, s, rate, speed = state
    r = 0.6 + s
    inertia = BAR + 0.25 + 0.1 + 0.4 + 2.0 * r * r
    torque = G * math.cos(phi) * (0.5 + 2.0 * r) - 4.0 * r * speed * rate
    force = 2.0 * r * rate**2 + 2.0 * G * math.sin(phi) - 30.0 * s
    return [rate, speed, torque / inertia, force / 3.5]


MACHINES = {
    "double pendulum": (
        double_pendulum, double_pendulum_equations, [1.0, 1.0, 0.0, 0.0],
        lambda q: [1.0 - q[0], 1.0 - q[0] - q[1]],
    ),
    "bead": (bead, bead_equations, [0.0, 0.0, 2.0, 0.0], lambda q: q),
}  # fmt: skip
DURATION = 0.64


@cache
def exact(name):
    """Coordinates at the end by Lagrange's equations."""
    _, equations, start, _ = MACHINES[name]
    found = solve_ivp(
        equations, (0.0, DURATION), start, method="DOP853", rtol=1e-13, atol=1e-14, max_step=0.02
    )
    return found.y[:2, -1]


@cache
def path_error(name, method, step):
    """Of the larger coordinate at the end."""
    build, _, _, coordinates = MACHINES[name]
    recording = ic.simulate(
        build(), duration=DURATION, method=method, step=step, fps=1 / DURATION, tolerance=1e-14
    )
    found = [
        joint["angle" if "angle" in joint else "displacement"][-1]
        for joint in recording.joints.values()
    ]
    return np.abs(np.array(coordinates(found)) - exact(name)).max()


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize(
    ("method", "order", "step"), [("imp2", 2, 0.005), ("imp4", 4, 0.01), ("imp6", 6, 0.04)]
)
def test_order_against_lagrange(name, method, order, step):
    """The path tends to that of Lagrange's equations with the order of the method."""
    coarse, fine = path_error(name, method, step), path_error(name, method, step / 2)

    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("method", ["imp8", "imp10"])
def test_high_orders_reach_lagrange(name, method):
    """At steps of 0.02 s imp8 and imp10 leave what the reference's own tolerance allows."""
    assert path_error(name, method, 0.02) <= 2e-12


def in_space():
    """Three bars, hinge and ball and a cylindrical joint, with rotors and a spring, tumbling."""
    scene = mixed_pendulum()
    scene.joints[0].armature = 0.5
    old = scene.joints[2]
    scene.joints[2] = Joint(
        name=old.name, type="cylindrical", body1=old.body1, body2=old.body2, anchor=old.anchor,
        axis=(0.4, 0.2, 1.0), armature=0.3,
        springs=[Spring(freedom="translation", stiffness=300.0)],
    )  # fmt: skip
    return scene


@pytest.mark.parametrize(
    ("method", "order", "step"), [("imp2", 2, 0.005), ("imp4", 4, 0.01), ("imp6", 6, 0.02)]
)
def test_order_in_space(method, order, step):
    """The same out of the plane, beside imp10."""
    assert measured_order(in_space, method, step) == pytest.approx(order, abs=0.25)


def test_energy_stays_bounded():
    """E oscillates within c h² of its start, over 20 s no more than over 2 s, and halving the step
    quarters it.
    """

    def drift(duration, step):
        recording = ic.simulate(double_pendulum(), duration=duration, step=step, tolerance=1e-10)
        return unbalance(recording)

    assert drift(20.0, 0.01) <= 1.5 * drift(2.0, 0.01)
    assert math.log2(drift(2.0, 0.01) / drift(2.0, 0.005)) == pytest.approx(2.0, abs=0.2)


def test_momentum_is_kept():
    """A rotor acts on both bodies of its joint: linear and angular momentum to round-off."""
    scene = chain(3, ["ball", "hinge", "slider"], gravity=NO_GRAVITY, axis=(0.3, 1.0, 0.2))
    del scene.joints[0]
    scene.joints[1].axis = (0.1, 1.0, 0.4)
    scene.joints[0].armature, scene.joints[1].armature = 0.5, 2.0
    scene.bodies[0].angular_velocity = (0.6, 2.0, -0.4)
    scene.bodies[2].velocity = (0.2, 0.5, 0.1)

    recording = ic.simulate(scene, duration=5.0, fps=10)

    for name in ("linear", "angular"):
        size = np.linalg.norm(recording.momentum[name][0])
        assert recording.diagnostics["momentum_drift"][name] <= 1e-12 * size
    assert np.ptp(recording.joints["joint-1"]["angle"]) > 1.0


def test_many_turns():
    """A flywheel of armature alone keeps its speed through ten thousand turns, on a light body."""
    scene = rotor(628.0, armature=5.0)
    scene.bodies[0].inertia = (1e-3, 1e-3, 1e-3)

    recording = ic.simulate(scene, duration=100.0, step=0.01, fps=1)

    assert coordinate(recording) == pytest.approx(628.0 * recording.times, rel=1e-11, abs=1e-9)
    assert recording.energy["total"] == pytest.approx(recording.energy["total"][0], rel=1e-11)


@pytest.mark.parametrize("size", [1e-9, 1e9])
def test_tiny_and_huge_rotors(size):
    """A rotor of no weight changes nothing; one of all the weight there is stands still."""
    scene = chain(2, ["hinge", "hinge"])
    for joint in scene.joints:
        joint.armature = size
    bare = chain(2, ["hinge", "hinge"])
    if size > 1.0:
        bare.joints = [
            joint.model_copy(update={"type": "fixed", "axis": None}) for joint in bare.joints
        ]

    found, wanted = (ic.simulate(s, duration=1.0, fps=10, tolerance=1e-10) for s in (scene, bare))

    assert found.positions == pytest.approx(wanted.positions, abs=1e-7)


def test_geared_rotors():
    """Rotors on coupled axes add up by the squares of their ratio: s₁ + 3 s₂ = 0."""
    bodies = [
        Body(name=n, mass=1.0, inertia=(0.2, 0.2, 0.2), position=(x, 0, 0))
        for n, x in (("a", 0.0), ("b", 1.0))
    ]
    joints = [
        Joint(name=f"axle-{b.name}", type="hinge", body2=b.name, anchor=b.position, axis=(0, 1, 0))
        for b in bodies
    ]
    joints[0].armature, joints[1].armature = 0.5, 0.25
    terms = [
        CouplingTerm(joint="axle-a", coefficient=1.0),
        CouplingTerm(joint="axle-b", coefficient=3.0),
    ]
    joints.append(Joint(name="mesh", type="coupling", terms=terms))
    scene = scene_of(bodies, joints, [Load(body="a", torque=(0, 2.0, 0))], gravity=NO_GRAVITY)

    recording = run(scene, duration=1.0, fps=10)

    alpha = 2.0 / (0.2 + 0.5 + (0.2 + 0.25) / 9.0)
    assert recording.joints["axle-a"]["angle"] == pytest.approx(
        0.5 * alpha * recording.times**2, abs=1e-10
    )
    assert unbalance(recording) <= 1e-9


@pytest.mark.parametrize("pitch", [0.02, -1.0])
def test_screw(pitch):
    """A nut with a rotor falls with g / (1 + (J + a) (2π/p)²/m)."""
    scene = nut_on_a_bolt(pitch, gravity=(0.0, 0.0, -G), armature=ROTOR)

    recording = run(scene, duration=1.0)

    a = G / (1.0 + (NUT + ROTOR) / (NUT_MASS * reach(pitch) ** 2))
    shift = recording.joints["thread"]["displacement"]
    assert shift == pytest.approx(-0.5 * a * recording.times**2, abs=1e-9)


@pytest.mark.parametrize("build", [double_pendulum, bead])
def test_reactions(build):
    """What the joints to the world transmit is the change of momentum of the bodies."""

    def forces(recording):
        h = 1.0 / recording.fps
        momentum, angular = recording.momentum["linear"], recording.momentum["angular"]
        force = (momentum[2:] - momentum[:-2]) / (2.0 * h)
        return force, (angular[2:] - angular[:-2]) / (2.0 * h)

    scene = build()
    scene.joints[1].springs = []  # whose force is the mean over a step
    weight = sum(body.mass for body in scene.bodies) * np.array([0.0, 0.0, -G])
    recording = ic.simulate(scene, duration=0.4, step=1e-3, fps=1000, method="imp6")

    force, torque = forces(recording)
    joint = recording.joints[scene.joints[0].name]
    assert joint["force"][1:-1] == pytest.approx(force - weight, abs=2e-4)
    lever = np.cross(
        recording.positions, np.array([body.mass for body in scene.bodies])[:, None] * [0, 0, -G]
    ).sum(axis=1)
    assert joint["torque"][1:-1] == pytest.approx(torque - lever[1:-1], abs=2e-4)


def test_what_drives_is_without_the_rotor():
    """A limited motor is recorded with its full torque, though its rotor takes a part of it."""
    scene = rotor(armature=ROTOR, motors=[Motor(kind="velocity", target=50.0, max_force=3.0)])

    recording = run(scene, duration=1.0, fps=10)

    pin = recording.joints["pin"]
    assert pin["drive_torque"] == pytest.approx(3.0, rel=1e-11)
    alpha = 3.0 / (MOMENT + ROTOR)
    assert pin["torque"][1:, 1] == pytest.approx(MOMENT * alpha, rel=1e-9)
    energy = recording.diagnostics["energy_j"]
    assert energy["work_of_motors"] == pytest.approx(3.0 * 0.5 * alpha, rel=1e-9)


def test_a_jump_of_keyframes():
    """A carrier that sets off at once takes a pendulum with it, and its rotor resists: φ̇ jumps by
    -m l Δẋ / (I + a), and what the carrier does is the kinetic energy that follows.
    """
    keys = [
        Keyframe(time=float(t), position=(max(0.0, 2.0 * (t - 1.0)), 0.0, 0.0)) for t in range(4)
    ]
    carrier = Body(
        name="carrier", motion="kinematic", keyframe_interpolation="linear", keyframes=keys
    )
    bar = box("bar", (0.0, 0.0, -0.5), (0.1, 0.2, 1.0))
    pin = Joint(
        name="pin", type="hinge", body1="carrier", body2="bar", anchor=(0, 0, 0), axis=(0, 1, 0)
    )
    pin.armature = ROTOR
    scene = scene_of([carrier, bar], [pin], gravity=NO_GRAVITY)

    recording = run(scene, duration=1.1, fps=100, step=0.01)

    rate = 0.5 * 2.0 / (BAR + 0.25 + ROTOR)
    angle = recording.joints["pin"]["angle"]
    assert angle[:101] == pytest.approx(0.0, abs=1e-12)
    assert angle[102:] == pytest.approx(rate * (recording.times[102:] - 1.0), rel=1e-4)
    assert recording.energy["kinetic"][101] == pytest.approx(
        0.5 * 4.0 - 0.5 * 2.0 * 2.0 * rate * 0.5 + 0.5 * rate**2 * (BAR + 0.25 + ROTOR), rel=1e-4
    )
    assert unbalance(recording) <= 1e-4


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_impact_of_a_body_behind_a_rotor(restitution):
    """A hammer with a rotor hits a ball at rest: as with the inertia J + a, creating no energy."""
    steel = Material(name="steel", restitution=restitution, static_friction=0, kinetic_friction=0)
    target = ball("target", (0.0, 0.0, 3.0), material="steel")
    arm, gap = 2.0, 0.2
    hammer = Body(
        name="hammer", mass=1.0, inertia=(0.3, 0.3, 0.3), position=(-1.0 - gap, 0.0, 3.0),
        angular_velocity=(0.0, -1.0, 0.0), velocity=(arm, 0.0, 0.0),
        geometry=[Geometry(shape="sphere", radius=0.5, material="steel")],
    )  # fmt: skip
    pin = Joint(
        name="pin", type="hinge", body2="hammer", anchor=(-1.0 - gap, 0.0, 5.0), axis=(0, 1, 0)
    )
    pin.armature = ROTOR
    scene = on_the_ground(hammer, target, materials=(steel,), gravity=NO_GRAVITY)
    scene.joints = [pin]

    recording = ic.simulate(scene, duration=0.3, step=0.001, fps=100, time_of_impact=True)

    inertia = 0.3 + arm**2 + ROTOR
    energy = recording.diagnostics["energy_j"]
    # along the line of centres, which the swing has turned a little
    speed = np.linalg.norm(np.diff(recording.positions[-2:, 2], axis=0)) * 100
    lever = arm * math.cos(gap / arm)
    wanted = (1 + restitution) * lever / (1.0 + lever**2 / inertia)
    assert speed == pytest.approx(wanted, rel=0.02)
    assert energy["created"] == 0.0
    lost = 0.5 * (1 - restitution**2) * lever**2 / (1.0 + lever**2 / inertia)
    assert energy["dissipated"] == pytest.approx(lost, rel=0.02, abs=1e-3)
    assert unbalance(recording) <= 1e-3


def test_a_rotor_leaves_with_its_joint():
    """A joint that breaks takes its rotor along: the bodies move on, its energy is dissipated."""
    scene = sled(2.0, armature=1.5, break_force=60.0)
    scene.loads = [Load(body="sled", force=(0.0, 0.0, -80.0), from_=0.2)]

    recording = run(scene, duration=0.5, step=0.005, fps=100)

    (event,) = recording.events
    after = recording.times > event["time"] + 0.001
    assert np.diff(recording.positions[after, 0, 0]) * 100 == pytest.approx(2.0, rel=1e-10)
    assert recording.diagnostics["energy_j"]["dissipated"] == pytest.approx(3.0, rel=1e-9)
    assert unbalance(recording) <= 1e-9


def test_a_stiff_servo_behind_a_rotor_is_not_damped():
    """The share by which a stiff servo leaves the middle of the step knows of the rotor: what the
    step resolves with it is not damped, and no warning says so.
    """
    gains = {"proportional": 400.0, "derivative": 0.01}
    scene = rotor(armature=4.0, motors=[Motor(kind="servo", target=0.2, **gains)])
    scene.bodies[0].inertia = (1e-4, 1e-4, 1e-4)

    recording = run(scene, duration=6.28, step=0.01, fps=100)

    angle = coordinate(recording)
    assert angle[-60:].max() >= 0.395 * math.exp(-0.5 * 0.01 / 4.0 * 6.28)
    assert not any("damps" in warning for warning in recording.diagnostics["warnings"])
