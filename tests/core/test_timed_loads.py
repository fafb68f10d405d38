"""Loads that change over time: closed forms, work, order, curves off the grid, refusals by name."""

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import SceneError, compile_scene
from impulse_core.methods.comparison import cannot_express
from impulse_schema import Constant, Part, Use
from impulse_schema.models import Body, Curve, Geometry, Load, Spring
from tests.core.scenes import box, chain, free_body, random_tree, scene_of

PUSH = np.array([3.0, -1.0, 2.0])
W = 2.0 * math.pi * 1.5
SHAKE = "sin(2*pi*1.5*t)"
LEVEL = Curve(times=[0.0, 0.31, 0.62, 1.13], values=[0.5, 2.0, -1.0, 0.25], interpolation="linear")


def ball(**load):
    """A body of 2 kg without gravity, with one load."""
    scene = free_body((0.5, 0.5, 0.5), (0.0, 0.0, 0.0))
    scene.loads = [Load(body="body", **load)]
    return scene


def error_under_sine(method, step):
    """Largest errors of velocity [m/s] and path [m] under F sin(w t) in a second."""
    recording = ic.simulate(
        ball(force=PUSH, expression=SHAKE), duration=1.0, step=step, fps=20.0, method=method
    )
    t = recording.times[:, None]
    speed = PUSH / (2.0 * W) * (1.0 - np.cos(W * t))
    path = PUSH / (2.0 * W) * (t - np.sin(W * t) / W)
    return (
        np.abs(recording.momentum["linear"] / 2.0 - speed).max(),
        np.abs(recording.positions[:, 0] - path).max(),
    )


@pytest.mark.parametrize(("method", "order"), [("imp2", 2), ("imp4", 4), ("imp6", 6), ("lm4", 4)])
def test_a_force_that_swings_is_followed_with_the_order_of_the_method(method, order):
    """Half the step leaves 2^-order of the error, of the velocity as of the path."""
    coarse, fine = error_under_sine(method, 0.05), error_under_sine(method, 0.025)

    assert 0.0 < fine[0] < 0.05
    for before, after in zip(coarse, fine, strict=True):
        assert before / after == pytest.approx(2.0**order, rel=0.25)


def test_lmvd8_follows_it_to_round_off():
    """A force of the time alone is a quadrature, and that of order eight is exact enough."""
    assert max(error_under_sine("lmvd8", 0.01)) <= 1e-14


@pytest.mark.parametrize("step", [0.02, 0.013])
@pytest.mark.parametrize("method", ["imp2", "imp4"])
def test_a_force_in_straight_pieces_gives_its_impulse_exactly(method, step):
    """Steps end at the kinks of a curve, and half an impulse at either end is the whole of a line
    between.
    """
    scene = ball(force=PUSH, curve=LEVEL)

    recording = ic.simulate(scene, duration=1.5, step=step, fps=17.0, method=method)

    fine = np.unique(np.concatenate([recording.times, LEVEL.times]))
    values = np.interp(fine, LEVEL.times, LEVEL.values)
    impulse = np.append(0.0, np.cumsum(0.5 * np.diff(fine) * (values[1:] + values[:-1])))
    expected = np.interp(recording.times, fine, impulse)[:, None] * PUSH
    assert recording.momentum["linear"] == pytest.approx(expected, abs=1e-13)


def test_a_torque_that_grows():
    """A torque k t about an axis of inertia gives the spin k t²/2J exactly."""
    scene = ball(torque=(0.0, 0.0, 0.2), expression="t")

    recording = ic.simulate(scene, duration=2.0, step=0.02, fps=10.0)

    expected = 0.1 * recording.times**2
    assert recording.momentum["angular"][:, 2] == pytest.approx(expected, abs=1e-14)
    angle = 2.0 * np.unwrap(
        np.arctan2(recording.orientations[:, 0, 3], recording.orientations[:, 0, 0])
    )
    assert angle == pytest.approx(0.2 * recording.times**3 / (6.0 * 0.5), abs=1e-4)


@pytest.mark.parametrize("method", ["imp2", "imp4", "lm4"])
def test_a_step_curve_is_loads_with_windows(method):
    """Off the grid as on it: the motion is that of constant loads one after the other."""
    curve = Curve(times=[0.0, 0.105, 0.5, 0.81], values=[1.0, -2.0, 0.5, 0.0], interpolation="step")
    windows = ball(force=PUSH, until=0.105)
    windows.loads += [
        Load(body="body", force=tuple(-2.0 * PUSH), from_=0.105, until=0.5),
        Load(body="body", force=tuple(0.5 * PUSH), from_=0.5, until=0.81),
    ]

    stepped, timed = (
        ic.simulate(scene, duration=1.0, step=0.02, fps=40.0, method=method)
        for scene in (ball(force=PUSH, curve=curve), windows)
    )

    assert stepped.positions == pytest.approx(timed.positions, abs=1e-14)
    work = [r.diagnostics["energy_j"]["work_of_loads"] for r in (stepped, timed)]
    assert work[0] == pytest.approx(work[1], rel=1e-12)


def test_a_window_cuts_a_curve_out():
    """The factor goes by the time of the scene, and nothing acts outside the window."""
    scene = ball(force=PUSH, expression="t", from_=0.105, until=0.5)

    recording = ic.simulate(scene, duration=1.0, step=0.02, fps=40.0)

    held = np.clip(recording.times, 0.105, 0.5)
    expected = 0.5 * (held**2 - 0.105**2)[:, None] * PUSH
    assert recording.momentum["linear"] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("elements", [False, True])
@pytest.mark.parametrize("method", ["imp2", "imp4", "lm4"])
def test_the_work_is_what_the_energy_gained(method, elements):
    """∫ F·v dt, with the order of the method, whether or not anything acts along axes."""
    scene = chain(2, ["hinge", "hinge"])
    if elements:
        scene.joints[0].springs = [Spring(stiffness=5.0, damping=0.1)]
    scene.loads = [
        Load(body="rod-1", force=(4.0, 0.0, 2.0), point=(0.2, 0.0, 0.0), expression=SHAKE),
        Load(body="rod-0", torque=(0.0, 3.0, 0.0), axes="body", curve=LEVEL),
    ]

    coarse, fine = (
        ic.simulate(scene, duration=1.0, step=step, fps=10.0, method=method).diagnostics["energy_j"]
        for step in (0.01, 0.005)
    )

    assert abs(fine["work_of_loads"]) > 0.1
    assert fine["max_abs_drift"] <= 2e-3 * abs(fine["work_of_loads"])
    order = 2 if method == "imp2" else 4
    assert coarse["max_abs_drift"] / fine["max_abs_drift"] > 0.7 * 2.0**order


def varied(seed):
    """A tree of bodies under loads of any kind: curves, expressions, frames, points, reactions."""
    rng = np.random.default_rng(seed)
    scene = random_tree(rng, 4)
    names = [body.name for body in scene.bodies if body.motion == "dynamic"]
    times = np.cumsum(rng.uniform(0.03, 0.2, 5)) - 0.1
    curve = Curve(times=times.tolist(), values=rng.normal(size=5).tolist(), interpolation="cubic")
    for number, given in enumerate(({"curve": curve}, {"expression": "cos(5*t + phase)*period"})):
        body, other = rng.choice(names, 2, replace=False)
        scene.loads.append(
            Load(
                body=str(body),
                force=tuple(rng.normal(size=3)),
                torque=tuple(0.1 * rng.normal(size=3)),
                point=tuple(0.2 * rng.normal(size=3)),
                axes=("body", "world")[(seed + number) % 2],
                reaction_body=str(other) if number else "world",
                phase=0.7 * number,
                **given,
            )
        )
    scene.constants = [Constant(name="period", value=1.3)]
    return scene


@pytest.mark.parametrize("seed", range(6))
def test_impulses_and_multipliers_agree(seed):
    """Two methods that share no formula but the force come to the same motion, whatever acts."""
    impulses, multipliers = (
        ic.simulate(
            varied(seed), duration=0.4, step=0.004, fps=10.0, method=method, tolerance=1e-12
        )
        for method in ("imp6", "lmvd8")
    )
    still = varied(seed)
    still.loads = []

    moved = ic.simulate(still, duration=0.4, step=0.004, fps=10.0, method="imp6", tolerance=1e-12)

    assert np.abs(impulses.positions - moved.positions).max() > 1e-3
    assert impulses.positions == pytest.approx(multipliers.positions, abs=1e-7)
    works = [r.diagnostics["energy_j"]["work_of_loads"] for r in (impulses, multipliers)]
    assert works[0] == pytest.approx(works[1], abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", ["imp4", "lm4"])
def test_a_factor_of_one_changes_no_bit(seed, method):
    """A load with the expression 1 is the load without."""
    scene = varied(seed)
    for load in scene.loads:
        load.curve, load.expression, load.phase = None, "1", 0.0
    plain = scene.model_copy(deep=True)
    for load in plain.loads:
        load.expression = None

    hashes = {
        ic.simulate(made, duration=0.1, method=method).diagnostics["state_sha256"]
        for made in (scene, plain)
    }

    assert len(hashes) == 1


def test_a_reaction_carries_what_acts_at_the_frame():
    """A bar held by a fixed joint: the joint's force is that of the load, with the other sign."""
    scene = scene_of([box("a", (0.0, 0.0, 0.0))], gravity=(0.0, 0.0, 0.0))
    scene.joints = [chain(1, ["ball"]).joints[0].model_copy(update={"type": "fixed", "body2": "a"})]
    scene.joints[0].name = "weld"
    scene.loads = [Load(body="a", force=PUSH, expression=SHAKE)]

    recording = ic.simulate(scene, duration=1.0, step=0.01, fps=20.0)

    expected = np.sin(W * recording.times)[:, None] * PUSH
    force = recording.joints["weld"]["force"]
    assert np.abs(np.abs(force) - np.abs(expected)).max() <= 1e-9


def test_a_copy_of_a_part_shifts_its_loads():
    """The phase of a use is added to that of a load with an expression."""
    body = box("a", (0.0, 0.0, 0.0))
    load = Load(body="a", force=PUSH, expression="cos(t + phase)", phase=0.25)
    scene = scene_of([], gravity=(0.0, 0.0, 0.0))
    scene.parts = [Part(name="drive", bodies=[body], loads=[load])]
    scene.uses = [Use(part="drive", name="one", phase=0.5)]
    written = scene_of([box("a", (0.0, 0.0, 0.0))], gravity=(0.0, 0.0, 0.0))
    written.loads = [Load(body="a", force=PUSH, expression="cos(t + 0.75)")]

    copy, same = (ic.simulate(made, duration=0.5, fps=5.0) for made in (scene, written))

    np.testing.assert_array_equal(copy.positions, same.positions)
    assert np.abs(copy.positions[-1] - copy.positions[0]).max() > 0.01


@pytest.mark.parametrize("method", ["imp2", "imp4", "lm4", "lmvd8"])
def test_a_factor_that_ends_is_named(method):
    """The run ends at the time from which there is none, with the name of the load and why."""
    scene = ball(name="gust", force=PUSH, expression="sqrt(0.5 - t)")

    with pytest.raises(ic.SimulationError, match="load 'gust' has no factor") as caught:
        ic.simulate(scene, duration=1.0, step=0.01, method=method)

    assert float(str(caught.value).split()[3]) == pytest.approx(0.5, abs=0.011)
    assert "'sqrt(0.5 - t)' has no finite value" in str(caught.value)


def test_a_factor_is_not_asked_for_where_nothing_acts():
    """What has no value only after the window of a load is in nobody's way."""
    scene = ball(force=PUSH, expression="sqrt(0.5 - t)", until=0.4)

    assert ic.simulate(scene, duration=1.0, step=0.01).complete


def test_a_load_without_a_factor_at_its_start_is_refused():
    """With its place; a window that begins later is asked where it begins."""
    with pytest.raises(SceneError, match="the load on body 'body': '1/t' has no finite value at t"):
        compile_scene(ball(force=PUSH, expression="1/t"))

    assert compile_scene(ball(force=PUSH, expression="1/t", from_=0.5)).model.timed == 1
    assert compile_scene(ball(force=PUSH)).model.timed is None


@pytest.mark.parametrize("options", [{"solver": "sle"}, {"solver": "iterative"}, {"method": "gc4"}])
def test_what_cannot_follow_a_load_says_so(options):
    """The solvers of the papers and minimal coordinates take constant loads only."""
    scene = chain(1, ["hinge"])
    scene.loads = [Load(name="gust", body="rod-0", force=PUSH, expression=SHAKE)]

    with pytest.raises(ic.OptionError, match="load 'gust' changes with time"):
        ic.simulate(scene, duration=0.1, **options)

    assert cannot_express(compile_scene(scene), "lm4") == ""


@pytest.mark.parametrize("step", [0.01, 0.004])
def test_a_push_that_grows_lifts_what_lies(step):
    """A cube on the ground leaves it when the force reaches its weight, and not before: the time
    needs nothing but the weight and the slope, and what follows is a quadrature.
    """
    ground = Body(name="ground", motion="static", geometry=[Geometry(shape="plane")])
    solid = Geometry(shape="box", size=(1.0, 1.0, 1.0))
    cube = Body(name="cube", position=(0.0, 0.0, 0.5), density=1.0, geometry=[solid])
    scene = scene_of([ground, cube])
    scene.loads = [Load(body="cube", force=(0.0, 0.0, 9.81), expression="t/0.4")]

    recording = ic.simulate(scene, duration=1.0, step=step, fps=20.0)

    free = np.clip(recording.times - 0.4, 0.0, None)
    height = 9.81 / 0.4 * free**3 / 6.0
    assert recording.positions[:, 1, 2] - 0.5 == pytest.approx(height, abs=20.0 * step**2)
    assert np.abs(recording.positions[recording.times < 0.39, 1, 2] - 0.5).max() <= 1e-4
