"""Limits of ball joints: the swing of an axis within a cone, and the twist about it."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import multiplied
from impulse_core.joints.table import SWING_AXIS, TWIST_AXIS
from impulse_core.model import copy_state
from impulse_schema import SceneError
from impulse_schema.models import Body, Joint, Limit
from tests.core.probes import Probe
from tests.core.scenes import NO_GRAVITY, box, scene_of

ORIGIN, DOWN = (0.0, 0.0, 0.0), (0.0, 0.0, -1.0)
MASS, LENGTH, G = 2.0, 0.5, 9.81
ACROSS, ALONG = 0.03, 0.01  # moments of the rod about its centre


def tilted(angle, azimuth=0.0):
    """The direction of a rod that hangs at an angle to the vertical."""
    side = math.sin(angle)
    return np.array([side * math.cos(azimuth), side * math.sin(azimuth), -math.cos(angle)])


def rod(angle, swing_rate=0.0, azimuth_rate=0.0, spin=0.0):
    """A symmetric body that hangs from the origin, swung in the plane of x and z."""
    d = tilted(angle)
    w = np.array([0.0, -swing_rate, azimuth_rate]) + spin * d
    x, y, z, s = Rotation.from_rotvec([0.0, -angle, 0.0]).as_quat()
    return Body(
        name="rod",
        mass=MASS,
        inertia=(ACROSS, ACROSS, ALONG),
        position=tuple(map(float, LENGTH * d)),
        orientation=(float(s), float(x), float(y), float(z)),
        velocity=tuple(map(float, np.cross(w, LENGTH * d))),
        angular_velocity=tuple(map(float, w)),
    )


def cone(angle, most, restitution=0.0, axis=DOWN, twist=None, **more):
    """A ball joint that holds a rod in a cone about ``axis``."""
    limits = [Limit(freedom="swing", upper=most, restitution=restitution)]
    if twist is not None:
        limits.append(twist)
    more = {"axis2": tuple(map(float, tilted(angle)))} | more
    return Joint(
        name="joint", type="ball", body2="rod", anchor=ORIGIN, axis=axis, limits=limits, **more
    )


def hung(angle, most, restitution=0.0, gravity=(0.0, 0.0, -G), twist=None, axis=DOWN, **motion):
    return scene_of(
        [rod(angle, **motion)], [cone(angle, most, restitution, axis, twist)], gravity=gravity
    )


def directions(recording):
    """Where the rod points, per frame."""
    return recording.positions[:, 0] / LENGTH


def test_rows_are_derivatives_of_swing_and_twist():
    """At any pose, for two turned bodies, by central differences."""
    a = box("a", (0.0, 0.0, 0.4), orientation=(0.8, 0.0, 0.6, 0.0))
    b = box("rod", (0.1, 0.2, -0.4), orientation=(0.6, 0.0, 0.0, 0.8))
    joint = cone(0.0, 2.0, axis=(1.0, 2.0, -1.0), axis2=(0.5, 2.0, 0.3), body1="a")
    probe = Probe(scene_of([a, b], [joint], gravity=NO_GRAVITY))
    assert list(probe.model.axes["row"]) == [SWING_AXIS, TWIST_AXIS]
    assert probe.coordinates() == pytest.approx([math.acos(4.2 / math.sqrt(6.0 * 4.34)), 0.0])
    turn(probe.state, 1, [0.5, -0.9, 0.7])
    at = copy_state(probe.state)

    probe.look()
    rows = probe.work.now.joints["rotation_rows"][1].reshape(3, 3)[1:]

    step = 1e-5
    for body, sign in ((0, -1.0), (1, 1.0)):
        for column, axis in enumerate(step * np.eye(3)):
            ahead, behind = copy_state(at), copy_state(at)
            turn(ahead, body, axis)
            turn(behind, body, -axis)
            slope = (probe.coordinates(ahead) - probe.coordinates(behind)) / (2.0 * step)
            assert slope == pytest.approx(sign * rows[:, column], abs=1e-9)


def turn(state, body, rotation_vector):
    x, y, z, w = Rotation.from_rotvec(rotation_vector).as_quat()
    before = state.bodies["orientation"][body]
    state.bodies["orientation"][body] = multiplied(np.array([w, x, y, z]), before)


@pytest.mark.parametrize("gravity", [NO_GRAVITY, (0.0, 0.0, -G)])
def test_bounces_keep_energy_and_momentum_about_the_axis(gravity):
    """With restitution one a spinning rod bounces in its cone for ever: its energy, and its angular
    momentum about the axis of the cone, stay to round-off of the impacts.
    """
    scene = hung(0.3, 0.5, 1.0, gravity, swing_rate=4.0, azimuth_rate=1.5, spin=20.0)

    recording = ic.simulate(
        scene, duration=4.0, step=0.001, fps=100, time_of_impact=True, tolerance=1e-11
    )

    turned = np.arccos(-directions(recording)[:, 2])
    assert turned.max() <= 0.5 + 1e-9
    assert (np.diff(np.sign(np.diff(turned))) < 0).sum() >= 10
    kinetic = recording.energy["kinetic"]
    if gravity == NO_GRAVITY:
        assert kinetic == pytest.approx(kinetic[0], rel=1e-9)
    about = recording.momentum["angular"][:, 2]
    assert about == pytest.approx(about[0], abs=1e-9 * np.abs(about[0]))


def flight(start, most, duration):
    """Angle, its rate and the azimuth of a spherical pendulum that bounces at an angle: by the
    conservation of p = J sin²θ φ̇ the angle moves in one dimension.
    """
    J = ACROSS + MASS * LENGTH**2
    angle, rate, p = start

    def change(_time, y):
        s, c = math.sin(y[0]), math.cos(y[0])
        pull = MASS * G * LENGTH * s / J
        return [y[1], p * p * c / (J * J * s**3) - pull, p / (J * s * s)]

    def hits(_time, y):
        return y[0] - most

    hits.terminal, hits.direction = True, 1.0
    t, y, bounces = 0.0, [angle, rate, 0.0], 0
    while t < duration:
        found = solve_ivp(
            change, (t, duration), y, method="DOP853", rtol=1e-12, atol=1e-13, events=hits
        )
        t, y = found.t[-1], list(found.y[:, -1])
        if t < duration:
            y[1] = -y[1]
            bounces += 1
    return y, bounces


def test_order_two_over_bounces():
    """The path of a pendulum that bounces in its cone converges with the square of the step."""
    duration, most = 1.6, 0.6
    J = ACROSS + MASS * LENGTH**2
    p = J * math.sin(0.4) ** 2 * 2.5
    (angle, _, azimuth), bounces = flight((0.4, 2.0, p), most, duration)
    assert bounces >= 2
    wanted = tilted(angle, azimuth)

    def error(step):
        # its spin is such that L along the rod is none: it moves as a point does
        scene = hung(0.4, most, 1.0, swing_rate=2.0, azimuth_rate=2.5, spin=2.5 * math.cos(0.4))
        recording = ic.simulate(
            scene, duration=duration, step=step, fps=1 / duration, time_of_impact=True,
            tolerance=1e-12,
        )  # fmt: skip
        return np.linalg.norm(directions(recording)[-1] - wanted)

    coarse, fine = error(0.004), error(0.002)
    assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.35)
    assert fine <= 1e-4


def test_a_rod_that_lies_on_its_cone():
    """Under its weight it stays at the bound, and the limit bears what statics says."""
    lean = 1.1  # the axis of the cone, from the vertical
    scene = hung(lean - 0.2, 0.2, axis=tuple(map(float, tilted(lean))))

    recording = ic.simulate(scene, duration=0.5, step=0.005, fps=20)

    joint = recording.joints["joint"]
    moment = MASS * G * LENGTH * math.sin(lean - 0.2)
    assert joint["swing"] == pytest.approx(0.2, abs=1e-8)
    assert joint["swing_torque"][1:] == pytest.approx(-moment, rel=1e-6)
    assert joint["torque"][1:] == pytest.approx(np.tile([0.0, -moment, 0.0], (10, 1)), abs=1e-5)
    assert joint["force"][1:] == pytest.approx(np.tile([0.0, 0.0, MASS * G], (10, 1)), abs=1e-5)


def test_a_rod_that_circles_along_its_cone():
    """Without weight a rod pressed outwards circles at a constant rate, held by the torque
    J Ω² sin θ cos θ of its free motion.
    """
    rate, most = 5.0, 0.7
    spin = rate * math.cos(most)
    scene = hung(most, most, gravity=NO_GRAVITY, azimuth_rate=rate, spin=spin)

    recording = ic.simulate(scene, duration=2.0, step=0.002, fps=50)

    joint, J = recording.joints["joint"], ACROSS + MASS * LENGTH**2
    along = ALONG * (spin - rate * math.cos(most))  # L along the rod
    assert along == 0.0
    assert joint["swing"] == pytest.approx(most, abs=1e-7)
    bears = J * rate**2 * math.sin(most) * math.cos(most)
    assert joint["swing_torque"][1:] == pytest.approx(-bears, rel=1e-4)
    azimuth = np.unwrap(np.arctan2(*directions(recording).T[[1, 0]]))
    assert azimuth == pytest.approx(rate * recording.times, abs=1e-3)


def test_a_swing_without_restitution_ends_at_the_cone():
    """What moves outwards is stopped at once, and all its energy is dissipated."""
    J = ACROSS + MASS * LENGTH**2
    scene = hung(0.3, 0.5, gravity=NO_GRAVITY, swing_rate=2.0)

    recording = ic.simulate(scene, duration=1.0, step=0.005, fps=20, time_of_impact=True)

    lost = recording.diagnostics["energy_j"]["dissipated"]
    assert lost == pytest.approx(0.5 * J * 4.0, rel=1e-7)
    assert recording.joints["joint"]["swing"][-1] == pytest.approx(0.5, abs=2.0 * 0.005 / 1024)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_twist_is_limited_on_both_sides(restitution):
    """A rod that spins about itself turns between its bounds, at any constant swing."""
    twist = Limit(freedom="twist", lower=-0.4, upper=0.7, restitution=restitution)
    scene = hung(0.0, 1.0, gravity=NO_GRAVITY, twist=twist, spin=3.0)

    recording = ic.simulate(scene, duration=2.0, step=0.002, fps=100, time_of_impact=True)

    found = recording.joints["joint"]["twist"]
    path = 3.0 * recording.times
    if restitution:
        folded = np.abs((path + 0.4) % 2.2 - 1.1)
        path = 0.7 - folded
        assert recording.energy["kinetic"] == pytest.approx(0.5 * ALONG * 9.0, rel=1e-9)
        assert found == pytest.approx(
            0.7 - np.abs((3.0 * recording.times + 0.4) % 2.2 - 1.1), abs=1e-6
        )
    else:
        assert found == pytest.approx(np.minimum(path, 0.7), abs=1e-6)


def test_limits_that_are_not_reached_change_nothing():
    """Inside its cone a rod moves as on a bare ball joint, to round-off."""
    wide = hung(0.3, 3.0, swing_rate=1.0, azimuth_rate=2.0, spin=4.0)
    bare = wide.model_copy(deep=True)
    bare.joints[0].limits, bare.joints[0].axis, bare.joints[0].axis2 = [], None, None

    found, wanted = (
        ic.simulate(scene, duration=1.0, step=0.005, fps=10, tolerance=1e-13)
        for scene in (wide, bare)
    )

    assert found.positions == pytest.approx(wanted.positions, abs=1e-10)


def test_a_damped_cone():
    """Damping and limits of one joint act together: a rod falls, and comes to rest at its bound."""
    scene = hung(0.1, 0.4, axis=(1.0, 0.0, -1.0))
    scene.joints[0].axis2 = tuple(map(float, tilted(0.5)))
    scene.joints[0].damping = 0.5
    scene.bodies[0].angular_velocity = (0.0, 0.0, 0.0)

    recording = ic.simulate(scene, duration=8.0, step=0.005, fps=10, time_of_impact=True)

    joint = recording.joints["joint"]
    assert joint["swing"].max() <= 0.4 + 1e-7
    assert recording.energy["kinetic"][-1] <= 1e-6
    energy = recording.diagnostics["energy_j"]
    lost = recording.energy["total"][0] - recording.energy["total"][-1]
    assert energy["dissipated"] == pytest.approx(lost, rel=1e-3)
    assert ic.describe(scene)["degrees_of_freedom"] == 3
    assert ic.describe(scene)["loops"] == 0


def test_bodies_in_space_keep_their_momenta():
    """A limit turns both bodies alike and opposite: bounces change no momentum."""
    a = box("a", (0.0, 0.0, 0.4), (0.2, 0.3, 0.8), mass=3.0, angular_velocity=(0.5, 0.9, 2.0))
    b = box("rod", (0.0, 0.0, -0.4), (0.5, 0.2, 0.1), mass=1.5, angular_velocity=(-3.0, 0.9, 1.0))
    twist = Limit(freedom="twist", lower=-0.3, upper=0.3, restitution=1.0)
    joint = cone(0.0, 0.6, 1.0, body1="a", twist=twist)
    scene = scene_of([a, b], [joint], gravity=NO_GRAVITY)

    recording = ic.simulate(scene, duration=5.0, step=0.001, fps=50, time_of_impact=True)

    for name in ("linear", "angular"):
        size = max(np.linalg.norm(recording.momentum[name][0]), 1.0)
        assert recording.diagnostics["momentum_drift"][name] <= 1e-11 * size
    assert np.ptp(recording.joints["joint"]["twist"]) >= 0.5
    kinetic = recording.energy["kinetic"]
    assert kinetic == pytest.approx(kinetic[0], rel=1e-5)


def test_a_joint_that_breaks_loses_its_limits():
    """Nothing holds the swing of a joint that is broken."""
    scene = hung(0.0, 0.3, gravity=NO_GRAVITY, swing_rate=4.0)
    scene.joints[0].break_force = 0.5 * MASS * LENGTH * 16.0

    recording = ic.simulate(scene, duration=1.0, step=0.002, fps=10)

    assert recording.events[0]["kind"] == "break"
    turned = Rotation.from_quat(recording.orientations[-1, 0][[1, 2, 3, 0]]).magnitude()
    assert turned == pytest.approx(2.0 * math.pi - 4.0, abs=0.1)


def test_start_beyond_the_cone_is_refused_by_name():
    """As with every limit; assembly brings the bodies into it."""
    scene = hung(0.8, 0.5)

    with pytest.raises(SceneError, match=r"the start pose, where the swing is 0\.8, lies beyond"):
        compile_scene(scene)

    scene.settings.assemble = "joints"
    recording = ic.simulate(scene, duration=0.1, step=0.005, fps=10)
    assert recording.joints["joint"]["swing"][0] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    "chosen",
    [{"method": "imp4"}, {"method": "lm4"}, {"method": "gc4"}, {"solver": "sle"}],
)
def test_what_cannot_hold_a_cone_says_so(chosen):
    """Methods and solvers that refuse limits refuse these as well."""
    with pytest.raises(ic.OptionError, match="limit"):
        ic.simulate(hung(0.1, 0.5), duration=0.01, **chosen)


@pytest.mark.parametrize("spin", [0.0, 20.0])
def test_a_cone_that_is_crossed_within_a_step(spin):
    """Steps that would turn a rod through its cone and out on the other side are divided."""
    scene = hung(0.0, 0.02, 0.9, swing_rate=10.0, spin=spin)

    recording = ic.simulate(scene, duration=1.0, step=0.01, fps=50)

    assert recording.diagnostics["halvings"] > 0
    assert recording.joints["joint"]["swing"].max() <= 0.02 + 1e-5
    assert np.diff(recording.energy["total"]).max() <= 1e-4
