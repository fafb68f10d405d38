"""Bodies that touch: impact, rest and friction against closed forms and conservation laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import SceneError
from impulse_schema.models import Geometry, Material
from tests.contact.scenes import ball, cube, scene


@pytest.mark.parametrize("law", ["poisson", "newton"])
@pytest.mark.parametrize("restitution", [0.3, 0.8, 1.0])
def test_a_ball_bounces_to_the_height_of_its_restitution(law, restitution):
    """From 1 m it rises to e² m again; a step knows the velocity of arrival."""
    rubber = Material(name="rubber", restitution=restitution, static_friction=0.0)
    drop = scene(
        ball("ball", (0.0, 0.0, 1.5), material="rubber"),
        materials=(rubber,),
        impact_law=law,
        step=0.001,
        fps=1000.0,
        duration=1.2,
    )
    height = ic.simulate(drop).positions[:, 1, 2] - 0.5
    landed = int(np.argmin(height[:700]))
    top = height[landed : landed + 2 * int(1000 * restitution * math.sqrt(2 / 9.81)) // 2 + 50]
    assert top.max() == pytest.approx(restitution**2, abs=2e-3)


def test_impacts_between_bodies_conserve_momentum():
    """Three bodies collide in free space: linear and angular momentum to 1e-12 relative."""
    rubber = Material(name="rubber", restitution=0.6)
    bodies = (
        ball("a", (0.0, 0.0, 50.0), velocity=(4.0, 0.1, 0.0), material="rubber"),
        cube("b", position=(2.0, 0.2, 50.1), angular_velocity=(0.3, 1.0, -2.0), material="rubber"),
        ball("c", (3.5, -0.1, 50.2), velocity=(-3.0, 0.0, 0.0), material="rubber"),
    )
    free = scene(*bodies, materials=(rubber,), gravity=(0.0, 0.0, 0.0), duration=1.5)
    free.bodies.pop(0)
    recording = ic.simulate(free)
    for name in ("linear", "angular"):
        p = recording.momentum[name]
        assert np.abs(p - p[0]).max() <= 1e-12 * np.abs(p).max()
    assert any(event["kind"] == "touch" for event in recording.events)
    assert recording.diagnostics["energy_j"]["dissipated"] > 0.0


def test_what_can_stick_stays():
    """A cube pushed by 0.95 of what friction holds gives way by 1e-10 m, once, in 10 s."""
    from impulse_schema.models import Load

    pushed = scene(cube("cube"), duration=10.0)
    pushed.loads.append(Load(body="cube", force=(0.95 * 0.5 * 9.81, 0.0, 0.0)))
    positions = ic.simulate(pushed).positions[:, 1]
    assert np.abs(positions - positions[0]).max() <= 1e-10
    assert np.abs(positions[25:] - positions[-1]).max() <= 1e-11


@pytest.mark.parametrize("direction", [0.0, 30.0, 60.0])
def test_friction_is_the_same_in_all_directions(direction):
    """Sliding cubes stop after v²/(2 μ g) to within μ g h²/8, and straight on."""
    a = math.radians(direction)
    v = (2.0 * math.cos(a), 2.0 * math.sin(a), 0.0)
    end = ic.simulate(scene(cube("cube", velocity=v), duration=1.0)).positions[-1, 1]
    along = end[0] * math.cos(a) + end[1] * math.sin(a)
    across = end[1] * math.cos(a) - end[0] * math.sin(a)
    assert along == pytest.approx(4.0 / (2 * 0.5 * 9.81), abs=0.5 * 9.81 * 0.01**2 / 8)
    assert abs(across) <= 1e-9


def test_a_rolling_ball_keeps_rolling():
    """Pushed at the centre without spin it rolls at 5/7 of its velocity, to 1e-6."""
    fast = scene(ball("ball", (0.0, 0.0, 0.5), velocity=(3.0, 0.0, 0.0)), duration=2.0, step=0.001)
    x = ic.simulate(fast).positions[:, 1, 0]
    assert 25.0 * (x[-1] - x[-2]) == pytest.approx(3.0 * 5.0 / 7.0, rel=1e-6)


def test_rolling_resistance_stops_a_ball():
    """A lever arm ρ decelerates a rolling ball by 5/7 g ρ/r."""
    felt = Material(name="felt", static_friction=1.0, rolling_friction=0.01)
    v = 1.0
    rolling = scene(
        ball("b", (0.0, 0.0, 0.5), velocity=(v, 0.0, 0.0), angular_velocity=(0.0, 2 * v, 0.0),
             material="felt"),
        materials=(felt,),
        duration=2.0,
    )  # fmt: skip
    x = ic.simulate(rolling).positions[-1, 1, 0]
    a = 5.0 / 7.0 * 9.81 * 0.01 / 0.5
    assert x == pytest.approx(v * 2.0 - 0.5 * a * 4.0, rel=1e-3)


def test_the_same_bits_from_two_runs_and_any_number_of_threads():
    stack = scene(*(cube(f"c{i}", 0.6 + 1.1 * i) for i in range(4)), duration=1.0)
    hashes = {
        ic.simulate(stack, threads=threads).diagnostics["state_sha256"] for threads in (1, 2, 1)
    }
    assert len(hashes) == 1


def test_frames_do_not_change_the_motion():
    """A look ahead to a frame between steps leaves what contacts remember as it was."""
    stack = scene(*(cube(f"c{i}", 0.6 + 1.1 * i) for i in range(3)), duration=0.5)
    hashes = {ic.simulate(stack, fps=fps).diagnostics["state_sha256"] for fps in (2.0, 37.0, 130.0)}
    assert len(hashes) == 1


def test_fast_bodies_do_not_tunnel():
    """A ball of 0.5 m at 400 m/s passes 4 m in a step, and stays above the ground."""
    shot = scene(ball("ball", (0.0, 0.0, 30.0), velocity=(0.0, 0.0, -400.0)), duration=0.3)
    recording = ic.simulate(shot)
    assert recording.positions[:, 1, 2].min() >= 0.5 - 1e-6


def test_recorded_forces_carry_the_weight(tmp_path):
    resting = scene(cube("cube"), duration=0.2)
    recording = ic.simulate(resting, contacts=True)
    contacts = recording.contacts
    last = contacts["frame"] == contacts["frame"].max()
    assert contacts["force"][last].sum(axis=0) == pytest.approx((0.0, 0.0, 9.81), abs=1e-6)
    assert set(contacts["body1"]) == {0}
    assert contacts["point"][:, 2] == pytest.approx(0.0, abs=1e-9)
    for name in ("a.json", "a.npz", "a.imprec"):
        recording.save(tmp_path / name)
        from impulse_core.recording import load_recording

        again = load_recording(tmp_path / name).contacts
        assert set(again) == set(contacts)
        assert all(np.array_equal(again[key], contacts[key]) for key in contacts)


def test_overlaps_at_the_start_are_listed_with_their_depth():
    inside = scene(cube("low"), cube("high", 1.4), duration=0.1)
    with pytest.raises(SceneError) as error:
        ic.simulate(inside)
    problem = error.value.problems[0]
    assert problem.code == "E615"
    assert "'low' and 'high' overlap by 0.1 m" in problem.message


def test_overlaps_come_apart_when_asked():
    inside = scene(cube("low"), cube("high", 1.45), duration=5.0)
    recording = ic.simulate(inside, assemble=True)
    assert recording.positions[-1, 2, 2] == pytest.approx(1.5, abs=1e-4)
    assert np.abs(np.diff(recording.positions[:, 2, 2])).max() < 0.05  # without a jump


def test_solids_of_several_kinds_come_to_rest_together():
    """A cone, a cylinder, a capsule and an egg fall on each other: most of the energy is gone,
    nobody is below the ground, and the report accounts for all of it.
    """
    kinds = (
        Geometry(shape="cone", radius=0.4, height=0.8),
        Geometry(shape="cylinder", radius=0.3, height=0.6),
        Geometry(shape="capsule", radius=0.2, height=0.5),
        Geometry(shape="ellipsoid", size=(0.6, 0.6, 0.9)),
    )
    from impulse_schema.models import Body

    bodies = [
        Body(name=g.shape, mass=1.0, position=(0.1 * k, 0.05 * k, 0.8 + 1.2 * k), geometry=[g])
        for k, g in enumerate(kinds)
    ]
    recording = ic.simulate(scene(*bodies, duration=3.0, step=0.002))
    energy = recording.energy["total"]
    assert energy[-1] < 0.2 * energy[0]
    assert recording.positions[:, 1:, 2].min() > 0.19
    assert recording.diagnostics["energy_j"]["max_abs_drift"] <= 1e-11 * energy[0]
