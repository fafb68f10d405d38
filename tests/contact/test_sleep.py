"""Bodies that sleep: they keep still, wake when they must, and nothing is gained or lost by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Keyframe, Load, Material
from tests.contact.scenes import ball, box, cube, scene, table_top


def stack(count: int = 3, **settings) -> Scene:
    """Cubes on top of each other, with a little fall to settle."""
    return scene(*(cube(f"c{k}", 0.5 + 1.0005 * k + 5e-4) for k in range(count)), **settings)


def asleep(scene: Scene) -> tuple[ic.Recording, int]:
    """The run with sleeping, and how many bodies sleep at its end."""
    scene.settings.sleeping = True
    recording = ic.simulate(scene)
    return recording, recording.diagnostics["contacts"]["asleep"]


def moving(recording: ic.Recording, body: int) -> np.ndarray:
    """Which frames found a body elsewhere than the frame before, by a single bit."""
    return np.any(np.diff(recording.positions[:, body], axis=0) != 0.0, axis=1)


def test_a_stack_falls_asleep_and_keeps_its_pose():
    """All of it, half a second after it came to rest; energy that it still had is accounted for."""
    recording, sleepers = asleep(stack(duration=2.0))

    assert sleepers == 3
    assert not moving(recording, 3)[int(25 * 1.0) :].any()
    assert moving(recording, 3)[: int(25 * 0.2)].any()
    energy = recording.diagnostics["energy_j"]
    assert energy["max_abs_drift"] <= 1e-12 * energy["initial"]
    assert len([event for event in recording.events if event["time"] > 0.2]) == 0


def test_a_stack_that_sleeps_stands_as_one_that_does_not():
    awake, (sleeping, _) = ic.simulate(stack(duration=2.0)), asleep(stack(duration=2.0))

    assert sleeping.positions[-1] == pytest.approx(awake.positions[-1], abs=1e-8)


def test_a_ball_that_is_thrown_wakes_the_stack():
    """All move as without sleep up to the impact and after it; then the cubes sleep again, where
    they lie, while the ball rolls on.
    """

    def thrown() -> Scene:
        hit = stack(duration=6.0, fps=100.0)
        hit.bodies.append(
            ball("ball", (-12.0, 0.1, 2.5), velocity=(6.0, 0.0, 9.81 * 0.9), material=None)
        )
        return hit

    recording, sleepers = asleep(thrown())
    same = ic.simulate(thrown())
    hit = next(
        event["time"]
        for event in same.events
        if event["kind"] == "touch" and "ball" in (event["body1"], event["body2"])
    )

    assert hit > 1.0
    assert moving(recording, 3)[int(100 * hit) + 1]
    assert not moving(recording, 3)[int(100 * (hit - 0.3)) : int(100 * (hit - 0.1))].any()
    soon = recording.times <= hit + 0.2
    assert recording.positions[soon] == pytest.approx(same.positions[soon], abs=1e-5)
    assert sleepers == 3
    assert not moving(recording, 3)[-10:].any()
    assert moving(recording, 4)[-10:].all()


def table(**settings) -> Scene:
    """A stack on a table that falls away from it after two seconds."""
    top = table_top((0.0, 1.0), (2.0, 1.0), (2.5, -5.0))
    cubes = [cube(f"c{k}", 1.6 + k) for k in range(2)]
    return scene(top, *cubes, duration=2.0, **settings)


def test_a_stack_wakes_and_falls_when_its_table_is_taken_away():
    before, sleepers = asleep(table())
    assert sleepers == 2
    assert not moving(before, 3)[30:].any()

    pulled = table()
    pulled.settings.duration = 5.0
    after, sleepers = asleep(pulled)
    assert after.positions[-1, 2, 2] == pytest.approx(0.5, abs=1e-3)
    assert sleepers == 2  # on the ground
    ground = after.diagnostics["energy_j"]
    assert ground["max_abs_drift"] <= 1e-9 * abs(ground["initial"])


def test_a_stack_on_a_table_that_moves_stays_awake():
    rides = table()
    rides.bodies[1].keyframes = [
        Keyframe(time=0.0, position=(0.0, 0.0, 1.0)),
        Keyframe(time=100.0, position=(0.01, 0.0, 1.0)),
    ]
    assert asleep(rides)[1] == 0


@pytest.mark.parametrize("force", [1.0, 30.0])
def test_a_load_wakes(force):
    """A push that begins after the cube fell asleep: one that friction holds, and one that not."""
    pushed = stack(1, duration=2.0)
    pushed.loads.append(Load(body="c0", force=(force, 0.0, 0.0), from_=1.8))
    recording, sleepers = asleep(pushed)

    assert sleepers == 0
    assert not moving(recording, 1)[25:44].any()
    way = 0.5 * max(force - 0.5 * 9.81, 0.0) * 0.2**2
    assert recording.positions[-1, 1, 0] == pytest.approx(way, abs=1e-4)


def test_what_drifts_slowly_in_space_never_sleeps():
    """Nothing carries it, so its rest would be none."""
    drifting = scene(
        ball("a", (0.0, 0.0, 5.0), velocity=(1e-4, 0.0, 0.0)), gravity=(0.0, 0.0, 0.0), duration=2.0
    )
    recording, sleepers = asleep(drifting)

    assert sleepers == 0
    assert recording.positions[-1, 1, 0] == pytest.approx(2e-4, rel=1e-12)


def test_bodies_with_joints_sleep_and_so_does_what_rests_on_them():
    """A cube on a plank that a hinge holds: one island with a machine."""
    plank = Body(
        name="plank",
        mass=5.0,
        position=(0.0, 0.0, 0.1),
        geometry=[Geometry(shape="box", size=(3.0, 1.0, 0.2))],
    )
    machine = scene(plank, cube("c", 0.7), cube("alone", position=(9.0, 0.0, 0.5)), duration=1.5)
    machine.joints.append(
        Joint(type="hinge", body1="world", body2="plank", anchor=(-1.5, 0.0, 0.1),
              axis=(0.0, 1.0, 0.0))
    )  # fmt: skip
    assert asleep(machine)[1] == 3


def test_neighbours_that_almost_touch_all_fall_asleep():
    """Cubes 0.2 mm beside each other that come to rest at different times."""
    row = scene(
        *(cube(f"c{k}", position=(1.0002 * k, 0.0, 0.5 + 0.05 * k)) for k in range(4)),
        materials=(Material(name="smooth", static_friction=0.0),),
        duration=2.5,
    )
    assert asleep(row)[1] == 4


def test_frames_do_not_change_who_sleeps():
    """Looks ahead leave sleep as it was, and how steps are shared out to calls does not matter."""
    hashes = set()
    for fps in (2.0, 37.0, 130.0):
        falls = stack(duration=1.5, fps=fps)
        falls.settings.sleeping = True
        hashes.add(ic.simulate(falls).diagnostics["state_sha256"])
    assert len(hashes) == 1


def test_sleep_and_time_of_impact_together():
    """A ball of rubber bounces beside a stack that sleeps, with its energy to round-off."""
    rubber = Material(name="rubber", restitution=1.0, static_friction=0.0)
    court = stack(2, duration=3.0, time_of_impact=True)
    court.materials.append(rubber)
    court.bodies.append(ball("ball", (3.0, 0.0, 2.0), material="rubber"))
    floor = Body(
        name="rubber floor",
        motion="static",
        position=(3.0, 0.0, -0.05),
        geometry=[Geometry(shape="box", size=(1.0, 1.0, 0.2), material="rubber")],
    )
    court.bodies.append(floor)
    recording, sleepers = asleep(court)

    assert sleepers == 2
    energy = recording.diagnostics["energy_j"]
    assert energy["max_abs_drift"] <= 1e-12 * energy["initial"]


def test_bodies_that_come_apart_stay_awake():
    """An overlap of 0.3 mm is taken back at 0.6 mm/s, slower than what counts as rest."""
    inside = scene(cube("low"), cube("high", 1.4997), duration=5.0, sleeping=True)
    recording = ic.simulate(inside, assemble=True)

    overlap = 1.5 - recording.positions[-1, 2, 2]
    assert overlap <= recording.diagnostics["tolerance_m"]
    assert recording.diagnostics["contacts"]["asleep"] == 2


def test_a_ball_wakes_only_the_columns_that_it_hits():
    """Of nine columns of three cubes the middle one of a side is hit; the corners sleep on."""
    columns = [
        cube(f"c{column}-{k}", position=(1.5 * (column % 3), 1.5 * (column // 3), 0.5 + k))
        for column in range(9)
        for k in range(3)
    ]
    thrown = ball("ball", (1.5, -8.0, 2.5), velocity=(0.0, 6.0, 5.5))
    recording, _ = asleep(scene(*columns, thrown, duration=1.6, fps=100.0))
    names = recording.body_names
    hit = [
        {event["body1"], event["body2"]} - {"ball"}
        for event in recording.events
        if event["kind"] == "touch" and "ball" in (event["body1"], event["body2"])
    ]

    assert hit[0] == {"c1-2"}
    assert moving(recording, names.index("c1-2"))[100:].any()
    for corner in (0, 2, 6, 8):
        for k in range(3):
            assert not moving(recording, names.index(f"c{corner}-{k}"))[100:].any()


def struck(gap: float, speed: float, short: float) -> Scene:
    """A cube, a bar on a rail at a gap from it [m], and another that strikes that one after a
    second, a way ``short`` [m] of where a step would lead it.
    """
    smooth = Material(name="smooth", static_friction=0.0)
    bars = [
        box(name, (x, 0.0, 0.5), 5.0, (1.0, 0.5, 0.5))
        for name, x in (("struck", 1.0 + gap), ("striking", 2.0 + gap + speed - short))
    ]
    bars[1].velocity = (-speed, 0.0, 0.0)
    sleeping = cube("sleeping")
    for body in (sleeping, *bars):  # a bar that rubs may bear any part of the cube
        body.geometry[0].material = "smooth"
    row = scene(sleeping, *bars, materials=(smooth,), duration=1.2)
    row.joints.extend(
        Joint(type="slider", body1="world", body2=bar.name, anchor=(0.0, 0.0, 0.5),
              axis=(1.0, 0.0, 0.0))
        for bar in bars
    )  # fmt: skip
    return row


@pytest.mark.parametrize(("gap", "speed", "short"), [(0.002, 10.0, 0.04), (0.005, 10.0, 0.037)])
def test_what_impulses_of_a_step_lead_to_a_body_wakes_it(gap, speed, short):
    """Struck in the midst of a step, a bar reached a cube that slept within that step, and went
    into it by more than a centimetre. It is pushed as one that is awake.
    """
    recording, _ = asleep(struck(gap, speed, short))
    same = ic.simulate(struck(gap, speed, short))

    assert not moving(recording, 1)[int(25 * 0.6) : int(25 * 0.9)].any()
    assert recording.positions[-1, 1, 0] < -0.5
    assert recording.diagnostics["contacts"]["max_penetration_m"] <= 1e-8
    assert recording.positions == pytest.approx(same.positions, abs=1e-9)


@settings(max_examples=12)
@given(
    st.floats(5e-4, 0.02),
    st.floats(2.0, 15.0),
    st.floats(0.1, 0.9),
)
def test_so_it_is_at_other_gaps_and_speeds(gap, speed, part):
    recording, _ = asleep(struck(gap, speed, part * speed * 0.01))

    assert recording.diagnostics["contacts"]["max_penetration_m"] <= 1e-6
