"""Steps that end where bodies meet, against closed forms: free flight and impacts are exact."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Material
from tests.contact.scenes import ball, cube, scene
from tests.references.rigid_ode import matrix_of

ROOT = Path(__file__).resolve().parents[2]
G = 9.81
IDEAL = Material(name="ideal", restitution=1.0, static_friction=0.0)


def rubber(restitution: float) -> Material:
    return Material(name="rubber", restitution=restitution, static_friction=0.0)


def in_space(*bodies: Body, materials: tuple[Material, ...] = (IDEAL,), **settings) -> Scene:
    """Bodies without a ground and without gravity."""
    free = scene(*bodies, materials=materials, gravity=(0.0, 0.0, 0.0), **settings)
    free.bodies.pop(0)
    return free


def touches(recording: ic.Recording) -> list[float]:
    return [event["time"] for event in recording.events if event["kind"] == "touch"]


@pytest.mark.parametrize("law", ["poisson", "newton"])
@pytest.mark.parametrize("restitution", [0.5, 0.9, 1.0])
def test_a_ball_bounces_at_the_times_of_the_series(law, restitution):
    """Dropped from 1 m it lands at t₀ (1 + 2e + 2e² + …), to 1e-11 s, and flies parabolas between,
    to 1e-10 m, until it is too slow for an impact.
    """
    drop = scene(
        ball("ball", (0.0, 0.0, 1.5), material="rubber"),
        materials=(rubber(restitution),),
        impact_law=law,
        time_of_impact=True,
        step=0.01,
        fps=100.0,
        duration=4.0,
    )
    recording = ic.simulate(drop)

    fall = math.sqrt(2.0 / G)
    times, speed = [fall], G * fall
    while times[-1] < 4.0 and restitution * speed > 2.0 * G * 0.01:
        speed *= restitution
        times.append(times[-1] + 2.0 * speed / G)
    landed = [time for time in times if time < 4.0]
    assert touches(recording)[: len(landed)] == pytest.approx(landed, abs=1e-11)
    height = recording.positions[:, 1, 2] - 0.5
    for k, (left, back) in enumerate(itertools.pairwise(times)):
        now = (recording.times > left) & (recording.times < back)
        s = recording.times[now] - left
        up = restitution ** (k + 1) * G * fall
        assert height[now] == pytest.approx(up * s - 0.5 * G * s * s, abs=1e-10)
    assert recording.diagnostics["contacts"]["divisions"] >= len(landed)


def test_balls_of_many_heights_keep_their_energy():
    """Twenty-five balls that land at times of their own: 1e-12 of the energy in 5 s."""
    balls = [
        ball(f"ball-{k}", (1.5 * (k % 5), 1.5 * (k // 5), 1.0 + 0.137 * k), material="ideal")
        for k in range(25)
    ]
    recording = ic.simulate(scene(*balls, materials=(IDEAL,), duration=5.0, time_of_impact=True))

    energy = recording.energy["total"]
    assert np.abs(energy - energy[0]).max() <= 1e-12 * energy[0]
    assert recording.diagnostics["contacts"]["divisions"] >= 100
    assert recording.diagnostics["contacts"]["late_impacts"] == 0


def test_two_balls_collide_in_flight():
    """They meet obliquely after 0.123 s, and are where momentum and energy put them, to 1e-10 m."""
    offset = 0.6  # of the centres across, which are 1 m apart when the balls meet
    along = math.sqrt(1.0 - offset * offset)
    relative, meeting = 3.0, 0.123
    pair = in_space(
        ball("a", (0.0, 0.0, 0.0), velocity=(2.0, 0.0, 0.0), material="ideal"),
        ball("b", (along + relative * meeting, offset, 0.0), velocity=(-1.0, 0.0, 0.0),
             material="ideal"),
        duration=0.5,
        time_of_impact=True,
    )  # fmt: skip
    recording = ic.simulate(pair)

    assert touches(recording) == pytest.approx([meeting], abs=1e-11)
    n = np.array((along, offset, 0.0))
    change = relative * along * n  # equal masses exchange the velocities along n
    rest = recording.times[-1] - meeting
    a = np.array((2.0 * meeting, 0.0, 0.0)) + (np.array((2.0, 0.0, 0.0)) - change) * rest
    assert recording.positions[-1, 0] == pytest.approx(a, abs=1e-10)


def test_newtons_cradle_within_one_step():
    """Four impacts one after another: the first ball stops where it hit, the last flies on."""
    gap, speed = 1e-3, 2.0
    row = [
        ball(f"ball-{k}", (1.0 * k + (gap * k if k else -0.0042), 0.0, 0.0), material="ideal",
             velocity=(speed if k == 0 else 0.0, 0.0, 0.0))
        for k in range(5)
    ]  # fmt: skip
    recording = ic.simulate(in_space(*row, duration=0.2, time_of_impact=True))

    moved = recording.positions[-1, :, 0] - recording.positions[0, :, 0]
    assert moved[:4] == pytest.approx([gap + 0.0042, gap, gap, gap], abs=1e-10)
    assert moved[4] == pytest.approx(speed * 0.2 - (gap + 0.0042) - 3 * gap, abs=1e-10)
    assert recording.diagnostics["contacts"]["divisions"] == 4
    assert len({math.floor(time / 0.01) for time in touches(recording)}) == 1


def tumbling(step: float) -> ic.Recording:
    """A box that lands on a corner while it turns, and on others after that."""
    box = Body(
        name="box",
        mass=2.0,
        position=(0.0, 0.0, 1.5),
        angular_velocity=(3.0, 7.0, -4.0),
        geometry=[Geometry(shape="box", size=(1.0, 0.6, 0.3), material="rubber")],
    )
    drop = scene(
        box,
        materials=(Material(name="rubber", restitution=0.9, static_friction=0.3),),
        time_of_impact=True,
        step=step,
        fps=50.0,
        duration=1.0,
    )
    return ic.simulate(drop)


def test_a_spinning_box_lands_on_its_corners_whatever_the_step():
    """Free motion is exact, so only impacts could tell one step from another: 1e-8 m after 1 s."""
    coarse, fine = tumbling(0.01), tumbling(0.002)

    assert len(touches(fine)) >= 3
    assert touches(coarse) == pytest.approx(touches(fine), abs=1e-9)
    assert coarse.positions[-1, 1] == pytest.approx(fine.positions[-1, 1], abs=1e-8)
    assert coarse.diagnostics["contacts"]["max_penetration_m"] <= 1e-9


def test_solids_that_tumble_and_lose_nothing():
    """Features that did not seem near are found before they overlap: ten solids of five kinds fall
    on the ground and each other, with the energy to 1e-11 and overlaps below 2e-5 m.
    """
    kinds = (
        Geometry(shape="cone", radius=0.4, height=0.8, material="ideal"),
        Geometry(shape="cylinder", radius=0.3, height=0.6, material="ideal"),
        Geometry(shape="capsule", radius=0.2, height=0.5, material="ideal"),
        Geometry(shape="ellipsoid", size=(0.6, 0.6, 0.9), material="ideal"),
        Geometry(shape="box", size=(0.5, 0.3, 0.7), material="ideal"),
    )
    solids = [
        Body(
            name=f"{solid.shape}-{layer}",
            mass=1.0,
            position=(0.1 * k, 0.05 * k, 0.8 + 1.2 * k + 6.0 * layer),
            angular_velocity=(5.0, 3.0, -7.0),
            geometry=[solid],
        )
        for layer in range(2)
        for k, solid in enumerate(kinds)
    ]
    recording = ic.simulate(scene(*solids, materials=(IDEAL,), duration=3.0, time_of_impact=True))

    energy = recording.energy["total"]
    contacts = recording.diagnostics["contacts"]
    assert np.abs(energy - energy[0]).max() <= 1e-11 * energy[0]
    assert contacts["max_penetration_m"] <= 2e-5
    assert contacts["divisions"] >= 40


def test_an_edge_that_comes_apart_is_not_closed():
    """A plate lands nearly flat, one edge higher by a micrometre. It lands as the other has come
    apart by less than the tolerance, and drives that into the ground: it was taken for closed
    there, which took 7 % of the energy.
    """
    plate = _plate(1.0e-6, (0.5, 0.5, 0.25), 8.0, "poisson")
    energy = ic.simulate(plate, duration=0.03).energy["total"]
    assert energy == pytest.approx(energy[0], rel=1e-11)


@settings(max_examples=30)
@given(
    st.floats(0.5, 4.0),
    st.tuples(*[st.floats(0.2, 1.0)] * 3),
    st.floats(1.0, 9.0),
    st.sampled_from(["poisson", "newton"]),
)
@example(1.72402, (0.67981, 0.2251, 0.3579), 4.26349, "newton")
def test_edges_that_land_one_after_the_other_lose_little(higher, size, speed, law):
    """The same by some tolerances, of other plates: the energy to 1 %. One law lost up to 18 %, the
    other gained up to 25 %.
    """
    flat = ic.simulate(_plate(0.0, size, speed, law), duration=0.01)
    plate = _plate(higher * flat.diagnostics["tolerance_m"], size, speed, law)
    energy = ic.simulate(plate, duration=0.02).energy["total"]
    assert energy == pytest.approx(energy[0], rel=0.01)


def _plate(higher: float, size: tuple[float, ...], speed: float, law: str) -> Scene:
    """A plate with an edge that is higher than the other [m], which lands at the end of a step."""
    tilt = math.asin(higher / size[0])
    half = 0.5 * (size[0] * math.sin(tilt) + size[2] * math.cos(tilt))
    plate = Body(
        name="plate",
        mass=1.0,
        position=(0.0, 0.0, half + 0.01 * speed + 0.5 * G * 0.01**2),
        orientation=(math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0),
        velocity=(0.0, 0.0, -speed),
        geometry=[Geometry(shape="box", size=size, material="ideal")],
    )
    falling = scene(plate, materials=(IDEAL,), step=0.01, fps=100.0, time_of_impact=True)
    falling.settings.impact_law = law
    return falling


@settings(max_examples=60)
@given(
    st.tuples(*[st.floats(-5.0, 5.0)] * 3),
    st.tuples(*[st.floats(0.1, 0.7)] * 3),
    st.floats(0.0, 1.0),
    st.booleans(),
    st.sampled_from(["poisson", "newton"]),
)
@example((0.0, 1e-05, 0.0), (0.5, 0.5, 0.25), 0.0, True, "poisson")
@example((0.0, 1e-05, 0.0), (0.5, 0.5, 0.25), 0.0, True, "newton")
def test_what_is_about_to_meet_where_a_step_ends_loses_nothing(spin, size, share, ends, law):
    """A corner comes within the tolerance of the ground at the end of a step, and rebounds there:
    with the speed that it has there, which is not that at the start, as the box turns.
    """
    box = Body(
        name="box",
        mass=1.0,
        position=(0.0, 0.0, 3.0),
        velocity=(0.0, 0.0, -6.0),
        angular_velocity=spin,
        geometry=[Geometry(shape="box", size=size, material="ideal")],
    )
    drop = scene(box, materials=(IDEAL,), duration=0.2, step=0.01, fps=100.0, time_of_impact=ends)
    drop.settings.impact_law = law
    there = ic.simulate(drop)
    corners = 0.5 * np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * size
    q = there.orientations[-1, 1]
    lowest = there.positions[-1, 1, 2] + (corners @ matrix_of(q).T)[:, 2].min()
    height = 3.0 - lowest + share * there.diagnostics["tolerance_m"]
    drop.bodies[1].position = (0.0, 0.0, height)
    energy = ic.simulate(drop, duration=0.22 if ends else 0.2).energy["total"]

    assert energy == pytest.approx(energy[0], rel=1e-11)


def swinging(step: float, time_of_impact: bool) -> ic.Recording:
    """A rod on a hinge that swings down against a post and back, without loss."""
    rod = Body(
        name="rod",
        mass=1.0,
        position=(0.5, 0.0, 2.0),
        geometry=[Geometry(shape="capsule", radius=0.05, height=0.8, material="ideal",
                           orientation=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0))],
    )  # fmt: skip
    post = Body(
        name="post",
        motion="static",
        position=(-0.3, 0.0, 1.2),
        geometry=[Geometry(shape="sphere", radius=0.1, material="ideal")],
    )
    machine = scene(rod, post, materials=(IDEAL,), step=step, fps=50.0, duration=1.5)
    machine.joints.append(
        Joint(name="pivot", type="hinge", body1="world", body2="rod", anchor=(0.0, 0.0, 2.0),
              axis=(0.0, 1.0, 0.0))
    )  # fmt: skip
    return ic.simulate(machine, time_of_impact=time_of_impact)


def test_a_rod_on_a_hinge_hits_a_post_with_second_order():
    """The time of the impact, which the joint's impulses decide, converges as the step does."""
    exact = touches(swinging(0.0005, True))[0]
    errors = [abs(touches(swinging(step, True))[0] - exact) for step in (0.01, 0.005)]

    assert errors[0] <= 2e-4
    assert errors[1] <= 0.3 * errors[0]
    assert abs(touches(swinging(0.01, False))[0] - exact) > 10.0 * errors[0]


@pytest.mark.parametrize(("speed", "late"), [(10.0, 0), (100.0, 10)])
def test_a_hard_throw_into_a_narrow_gap_ends(speed, late):
    """A ball between two walls 1e-4 m beside it hits 500 times in a step, or more often than a step
    has parts: the rest of the step is then taken in one, and the ball stays between the walls.
    """
    walls = [
        Body(name=name, motion="static", position=(x, 0.0, 0.0),
             geometry=[Geometry(shape="box", size=(1.0, 4.0, 4.0), material="ideal")])
        for name, x in (("left", -1.0001), ("right", 1.0001))
    ]  # fmt: skip
    thrown = ball("ball", (0.0, 0.0, 0.0), velocity=(speed, 0.0, 0.0), material="ideal")
    recording = ic.simulate(in_space(*walls, thrown, duration=0.1, time_of_impact=True))

    contacts = recording.diagnostics["contacts"]
    assert np.abs(recording.positions[:, 2, 0]).max() <= 1.0001e-4
    assert contacts["late_impacts"] == late
    assert contacts["divisions"] == 10 * 1023 if late else contacts["divisions"] >= 10 * 499


def test_a_ball_that_lands_on_a_cube_leaves_it_at_rest_before():
    """What rests is carried up to the moment of the impact, and bears it then."""
    steel = Material(name="steel", restitution=0.5)
    pile = scene(
        cube("cube", material="steel"),
        ball("ball", (0.0, 0.0, 2.5), material="steel"),
        materials=(steel,),
        duration=0.6,
        fps=100.0,
        time_of_impact=True,
    )
    recording = ic.simulate(pile)

    fall = math.sqrt(2.0 / G)
    assert touches(recording)[1] == pytest.approx(fall, abs=1e-10)
    before = recording.times < fall
    assert np.abs(recording.positions[before, 1, 2] - 0.5).max() <= 1e-11
    assert recording.positions[:, 1, 2].min() >= 0.5 - 1e-9


def test_without_impacts_the_option_changes_nothing():
    """A stack that rests, and a cube that slides: the same bits."""
    bodies = (
        *(cube(f"c{k}", 0.5 + k) for k in range(3)),
        cube("slides", position=(4.0, 0.0, 0.5), velocity=(2.0, 0.0, 0.0)),
    )
    hashes = {
        ic.simulate(scene(*bodies, duration=1.0), time_of_impact=on).diagnostics["state_sha256"]
        for on in (True, False)
    }
    assert len(hashes) == 1


FAILING = """
import impulse_core as ic
import impulse_core.step.step as step
from impulse_core.model.status import OPEN
from tests.contact.test_time_of_impact import landing

solve, failures = step.solve_positions, []

def fail_twice(model, structure, axes, contact, *rest):
    if contact.divided[0] and len(failures) < 2:
        failures.append(contact.events.number[0])
        return OPEN
    return solve(model, structure, axes, contact, *rest)

step.solve_positions = fail_twice
recording = landing()
assert len(failures) == 2 and recording.diagnostics["halvings"] == 2
for event in recording.events:
    print(event["kind"], event["time"])
print(*recording.positions[-1].ravel())
"""


def landing() -> ic.Recording:
    """A cube that rests, and a ball that lands beside it."""
    rests = cube("cube", material="rubber")
    lands = ball("ball", (2.0, 0.0, 1.3), material="rubber")
    beside = scene(rests, lands, materials=(rubber(0.5),), duration=0.6, time_of_impact=True)
    return ic.simulate(beside)


def test_a_part_that_fails_leaves_no_trace():
    """A step that gets stuck after an impact is repeated in halves: with the events of before, each
    told once, and what contacts remembered then. Run as Python, so that it can be made to fail.
    """
    run = subprocess.run(
        [sys.executable, "-c", FAILING],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    *told, positions = run.stdout.splitlines()

    undisturbed = landing()
    touched = [line for line in told if line.startswith("touch")]
    assert touched == [f"touch {time}" for time in touches(undisturbed)]
    found = np.array([float(number) for number in positions.split()])
    assert found == pytest.approx(undisturbed.positions[-1].ravel(), abs=1e-13)
