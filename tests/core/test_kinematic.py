"""Kinematic bodies: their paths, their place among the rows, and what they count as."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.free_motion.kinematic import choose_intervals, drive, predict_kinematic
from impulse_core.jit import kernel
from impulse_core.methods.imp import ORDERS, stage_fractions
from impulse_schema.models import Body, Joint, Keyframe, Load
from tests.core.probes import Probe
from tests.core.scenes import NO_GRAVITY, box, chain, scene_of


@kernel
def _move(model, state, work, time):
    choose_intervals(model, state, time)
    state.clock["time"][0] = time
    predict_kinematic(model, state, 0.0, work)
    drive(model, state, time, work)


@kernel
def _drive(model, state, time, work):
    drive(model, state, time, work)


class Path:
    """One kinematic body, looked at through the kernels."""

    def __init__(self, times, positions, orientations, interpolation):
        keys = [
            Keyframe(time=float(t), position=tuple(map(float, p)), orientation=tuple(map(float, q)))
            for t, p, q in zip(times, positions, orientations, strict=True)
        ]
        body = Body(
            name="k", motion="kinematic", keyframes=keys, keyframe_interpolation=interpolation
        )
        self.probe = Probe(scene_of([body]))

    def at(self, time):
        """Position, quaternion, velocity and angular velocity."""
        p = self.probe
        _move(p.model, p.state, p.work, float(time))
        return (
            p.work.next["position"][0].copy(),
            p.work.next["orientation"][0].copy(),
            p.state.bodies["velocity"][0].copy(),
            p.state.kinematic["spin"][0].copy(),
        )


TIMES = np.array([0.3, 0.5, 1.1, 1.2, 2.0])


def random_path(interpolation, seed=1):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return rng.normal(size=(5, 3)), q, Path(TIMES, rng.normal(size=(5, 3)), q, interpolation)


def rotation(q):
    return Rotation.from_quat(np.roll(q, -1))


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_paths_pass_through_their_keyframes(interpolation):
    """At every keyframe the body is where it says; before and after them it rests."""
    rng = np.random.default_rng(5)
    places, q = rng.normal(size=(5, 3)), rng.normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    path = Path(TIMES, places, q, interpolation)

    for k, time in enumerate(TIMES):
        for side in (-1e-9, 0.0, 1e-9):
            C, turned, _, _ = path.at(time + side)
            assert pytest.approx(places[k], abs=1e-7) == C
            assert abs(turned @ q[k]) == pytest.approx(1.0, abs=1e-12)
    for time, k in ((-3.0, 0), (0.1, 0), (2.5, 4), (100.0, 4)):
        C, turned, v, w = path.at(time)
        assert (places[k] == C).all()
        assert abs(turned @ q[k]) == pytest.approx(1.0, abs=1e-15)
        assert not v.any()
        assert not w.any()


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_velocities_are_the_derivatives_of_poses(interpolation):
    """v and ω agree with central differences of the poses of the same path."""
    _, _, path = random_path(interpolation)
    d = 1e-5

    for time in np.linspace(0.31, 1.99, 60):
        if np.abs(TIMES - time).min() < 2.0 * d:
            continue
        C0, q0, _, _ = path.at(time - d)
        C1, q1, _, _ = path.at(time + d)
        _, _, v, w = path.at(time)
        turn = (rotation(q1) * rotation(q0).inv()).as_rotvec()
        assert v == pytest.approx((C1 - C0) / (2.0 * d), abs=1e-5 * (1.0 + np.linalg.norm(v)))
        assert w == pytest.approx(turn / (2.0 * d), abs=1e-5 * (1.0 + np.linalg.norm(w) ** 2))


def test_linear_paths_are_even():
    """Between two keyframes of a linear path, velocity and angular velocity are constant."""
    _, _, path = random_path("linear")

    for before, after in itertools.pairwise(TIMES):
        _, _, v0, w0 = path.at(before + 0.01 * (after - before))
        _, _, v1, w1 = path.at(after - 0.01 * (after - before))
        assert v0 == pytest.approx(v1, abs=1e-12)
        assert w0 == pytest.approx(w1, abs=1e-12)


def test_cubic_paths_have_continuous_velocities():
    """Neither velocity nor angular velocity of a cubic path jumps, not even at its ends."""
    _, _, path = random_path("cubic")

    for time in TIMES:
        _, _, v0, w0 = path.at(time - 1e-9)
        _, _, v1, w1 = path.at(time + 1e-9)
        assert v0 == pytest.approx(v1, abs=1e-5)
        assert w0 == pytest.approx(w1, abs=1e-5)


def test_cubic_paths_are_splines():
    """Positions, and angles about one axis, are the cubic splines that SciPy makes."""
    rng = np.random.default_rng(3)
    places, angles = rng.normal(size=(5, 3)), np.cumsum(rng.uniform(-1.5, 1.5, 5))
    axis = np.array([0.6, 0.0, 0.8])
    q = [(math.cos(a / 2), *(math.sin(a / 2) * axis)) for a in angles]
    path = Path(TIMES, places, q, "cubic")
    line = CubicSpline(TIMES, places, bc_type="clamped")
    angle = CubicSpline(TIMES, angles, bc_type="clamped")

    for time in np.linspace(0.3, 2.0, 50):
        C, turned, v, w = path.at(time)
        assert pytest.approx(line(time), abs=1e-13) == C
        assert v == pytest.approx(line(time, 1), abs=1e-12)
        assert rotation(turned).as_rotvec() == pytest.approx(
            Rotation.from_rotvec(angle(time) * axis).as_rotvec(), abs=1e-12
        )
        assert w == pytest.approx(angle(time, 1) * axis, abs=1e-11)


def test_dense_cubic_keyframes_approach_a_smooth_turn():
    """Sampled from a turn about a moving axis, the path is closer the denser: order 4."""

    def turn(t):
        ease = t * t * (3.0 - 2.0 * t)  # at rest at 0 and 1, like the path
        spin = Rotation.from_rotvec([0.0, 0.0, 2.0 * ease])
        return spin * Rotation.from_rotvec([1.2 * math.sin(2.0 * ease), 0.0, 0.0])

    errors = []
    for count in (9, 17, 33):
        times = np.linspace(0.0, 1.0, count)
        q = [np.roll(turn(t).as_quat(), 1) for t in times]
        path = Path(times, np.zeros((count, 3)), q, "cubic")
        middle = (times[:-1] + times[1:]) / 2.0
        wrong = [(turn(t).inv() * rotation(path.at(t)[1])).magnitude() for t in middle]
        errors.append(max(wrong))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])

    assert (orders > 3.6).all()


def test_a_step_that_ends_on_a_keyframe_ends_with_the_velocity_before_it():
    """The interval is that of the step's middle, whichever way its ends were rounded."""
    path = Path([0.0, 0.3, 0.6], np.eye(3), [(1.0, 0.0, 0.0, 0.0)] * 3, "linear")
    p = path.probe
    rising = (np.eye(3)[1] - np.eye(3)[0]) / 0.3

    for end in (0.3, np.nextafter(0.3, 1.0), np.nextafter(0.3, 0.0)):
        path.at(0.29)
        _drive(p.model, p.state, end, p.work)
        assert p.state.bodies["velocity"][0] == pytest.approx(rising, abs=1e-14)


@pytest.mark.parametrize("method", ORDERS)
def test_stages_stay_within_their_step(method):
    """No stage of a composition leaves the step, so none leaves an interval between keyframes."""
    ends = np.cumsum(stage_fractions(method))

    assert ends.min() >= 0.0
    assert ends.max() <= 1.0 + 1e-15


def platform(*places, name="platform", step=1.0, **more):
    """A kinematic body that visits these places, a step apart."""
    keys = [
        Keyframe(time=step * k, position=tuple(map(float, place))) for k, place in enumerate(places)
    ]
    return Body(name=name, motion="kinematic", keyframes=keys, **more)


def carried(**more):
    """A box fixed to a platform that rises at 2 m/s for a second and then stands."""
    lift = platform((0, 0, 0), (0, 0, 2), (0, 0, 2))
    load = box("load", (0.3, 0.0, 0.2))
    weld = Joint(name="weld", type="fixed", body1="platform", body2="load", anchor=(0.1, 0.0, 0.1))
    return scene_of([lift, load], [weld], **more)


def test_what_is_fixed_to_a_platform_goes_with_it():
    """Position to the tolerance, velocity from the start on, and the start is reported."""
    recording = ic.simulate(carried(), duration=1.7, step=0.03, fps=7.0, tolerance=1e-12)
    rising = 2.0 * np.minimum(recording.times, 1.0)

    assert recording.positions[:, 0, 2] == pytest.approx(rising, abs=1e-14)
    assert recording.positions[:, 1, 2] == pytest.approx(0.2 + rising, abs=2e-12)
    change = recording.diagnostics["start"]["max_velocity_change_m_s"]
    assert change == pytest.approx(2.0, abs=1e-12)
    kinetic = recording.energy["kinetic"]
    assert kinetic[recording.times < 0.99] == pytest.approx(0.5 * 2.0**2, abs=1e-10)
    assert kinetic[recording.times > 1.04] == pytest.approx(0.0, abs=1e-10)


def test_work_of_a_platform_is_the_energy_of_its_load():
    """Lifting, and stopping at once, is work: what is left of the energy is not lost."""
    energy = ic.simulate(carried(), duration=1.7, step=0.03).diagnostics["energy_j"]

    # begins with ½ m v², ends at rest and 2 m higher
    assert energy["work_of_kinematic_bodies"] == pytest.approx(9.81 * 2.0 - 2.0, abs=1e-5)
    assert energy["max_abs_drift"] <= 1e-5
    assert energy["work_of_loads"] == 0.0


def test_momentum_is_not_conserved_by_platforms():
    """Scenes with joints to kinematic bodies have no momentum drift to report."""
    held = ic.simulate(carried(gravity=NO_GRAVITY), duration=0.1).diagnostics["momentum_drift"]
    alone = scene_of([platform((0, 0, 0), (1, 0, 0)), box("b", (1, 0, 0))], gravity=NO_GRAVITY)
    free = ic.simulate(alone, duration=0.1).diagnostics["momentum_drift"]

    assert held == {"linear": None, "angular": None}
    assert free["linear"] == 0.0


def test_kinematic_bodies_count_as_fixed():
    """Degrees of freedom and loops are those with the platform in the place of the world."""
    scene = chain(2, ["hinge", "ball"])
    rail = platform((0.0, 0.0, 0.0), name="rail")
    far = compile_scene(scene).state.bodies["position"][1]
    close = Joint(name="close", type="distance", body1="rail", body2="rod-1")
    close = close.model_copy(update={"anchor": (1.0, 0.3, 0.5), "anchor2": tuple(far)})
    scene.bodies.insert(0, rail)
    scene.joints.append(close)

    facts = ic.describe(scene)

    assert (facts["degrees_of_freedom"], facts["loops"]) == (1 + 3 - 1, 1)
    assert facts["redundant_joints"] == []
    assert facts["total_mass_kg"] == 2.0


def test_rows_of_the_model():
    """Dynamic bodies come first, then kinematic ones, then the world, whatever their order."""
    bodies = [
        platform((0, 0, 1), name="k1"),
        box("d1", (1, 0, 0)),
        Body(name="s", motion="static", position=(0.0, 5.0, 0.0)),
        platform((0, 0, 2), name="k2"),
        box("d2", (2, 0, 0)),
    ]
    compiled = compile_scene(scene_of(bodies))

    assert compiled.body_row.tolist() == [2, 0, 4, 3, 1]
    places, _ = compiled.user_poses(
        compiled.state.bodies["position"], compiled.state.bodies["orientation"]
    )
    assert places.tolist() == [[0, 0, 1], [1, 0, 0], [0, 5, 0], [0, 0, 2], [2, 0, 0]]
    assert (compiled.model.bodies["inverse_mass"][2:] == 0.0).all()


def test_a_body_without_keyframes_rests_at_its_pose():
    """motion="kinematic" alone is a static body."""
    turn = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
    body = Body(name="k", motion="kinematic", position=(1.0, 2.0, 3.0), orientation=turn)
    recording = ic.simulate(scene_of([body]), duration=0.1)

    assert recording.positions[-1, 0].tolist() == [1.0, 2.0, 3.0]
    assert recording.orientations[-1, 0] == pytest.approx(turn, abs=1e-15)


def test_start_between_keyframes():
    """A run that starts between two keyframes starts where the path is, with its velocity."""
    keys = [Keyframe(time=t, position=(t, 0.0, 0.0)) for t in (-1.0, 3.0)]
    cart = Body(name="cart", motion="kinematic", keyframes=keys)
    load = box("load", (0.0, 0.0, -1.0))
    pin = Joint(name="pin", type="fixed", body1="cart", body2="load", anchor=(0.0, 0.0, 0.0))
    recording = ic.simulate(scene_of([cart, load], [pin]), duration=1.0, fps=10.0, tolerance=1e-12)

    assert recording.positions[:, 0, 0] == pytest.approx(recording.times, abs=1e-14)
    assert recording.positions[:, 1, 0] == pytest.approx(recording.times, abs=1e-11)


def test_reaction_of_a_load_on_a_platform():
    """A platform takes the opposite of a load without moving for it."""
    scene = carried(gravity=NO_GRAVITY)
    scene.joints.clear()
    scene.loads = [Load(body="load", force=(0.0, 0.0, 3.0), reaction_body="platform")]
    recording = ic.simulate(scene, duration=1.0, step=0.01)

    assert recording.positions[-1, 0, 2] == pytest.approx(2.0, abs=1e-14)
    assert recording.positions[-1, 1, 2] == pytest.approx(0.2 + 1.5, abs=1e-12)
    assert recording.diagnostics["energy_j"]["max_abs_drift"] <= 1e-12


def swung(**settings):
    """A chain of two on a platform that is jerked to and fro at odd times."""
    rng = np.random.default_rng(4)
    keys = []
    for k in range(12):
        q = np.array([1.0, *rng.normal(size=3) * 0.2])
        keys.append(
            Keyframe(
                time=0.173 * k,
                position=tuple(rng.normal(size=3) * 0.05),
                orientation=tuple(q / np.linalg.norm(q)),
            )
        )
    keys[0] = Keyframe(time=0.0, position=(0.0, 0.0, 0.0))
    scene = chain(2, ["hinge", "ball"], **settings)
    scene.bodies.append(Body(name="shaker", motion="kinematic", keyframes=keys))
    scene.joints[0] = scene.joints[0].model_copy(update={"body1": "shaker"})
    return scene


@pytest.mark.parametrize("method", ["imp2", "imp4"])
def test_frames_do_not_change_a_driven_motion(method):
    """The final state is the same to the last bit, however many frames are recorded."""
    options = {"duration": 1.5, "step": 0.007, "method": method}
    hashes = {
        ic.simulate(swung(), fps=fps, **options).diagnostics["state_sha256"]
        for fps in (0.5, 25.0, 33.3, 400.0)
    }

    assert len(hashes) == 1


def test_the_hash_covers_kinematic_bodies():
    """Two runs that differ in the motion of a lone platform differ in their hash."""
    hashes = [
        ic.simulate(scene_of([platform((0, 0, 0), (x, 0, 0))]), duration=0.5).diagnostics[
            "state_sha256"
        ]
        for x in (1.0, 1.0, 2.0)
    ]

    assert hashes[0] == hashes[1] != hashes[2]


def test_halved_steps_stay_on_the_path():
    """Where a step is halved, kinematic bodies are prescribed at the halves as well."""
    recording = ic.simulate(swung(), duration=1.5, step=0.3, fps=2.0)

    assert recording.diagnostics["halvings"] > 0
    assert recording.diagnostics["max_joint_error_m"] <= recording.diagnostics["tolerance_m"]


@pytest.mark.parametrize("option", [{"solver": "sle"}, {"solver": "iterative"}, {"method": "lm4"}])
def test_what_cannot_drive_says_so(option):
    """Solvers and methods that would leave kinematic bodies at rest refuse them."""
    with pytest.raises(ic.OptionError, match="kinematic"):
        ic.simulate(carried(), duration=0.1, **option)
