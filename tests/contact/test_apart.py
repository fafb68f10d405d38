"""Groups of bodies in which something meets go through a step by themselves (contact/apart.py): as
if they were alone, and as if they were not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Keyframe, Load, Material, Settings
from tests.contact.scenes import ball, crowd, rubber, scene, solids_of, turned

G = 9.81
FAR = 30.0  # m, between things that never meet


def things(seed: int, count: int) -> list[list[Body]]:
    """Solids thrown on the ground, one or two above each other, each pair far from the others."""
    random = np.random.default_rng(seed)
    found = []
    for k in range(count):
        kinds = solids_of(*map(float, random.uniform(0.3, 0.8, 3)))
        bodies = []
        for up in range(int(random.integers(1, 3))):
            shape = str(random.choice(list(kinds)))
            solid = Geometry.model_validate({"shape": shape, "material": "rubber"} | kinds[shape])
            bodies.append(
                Body(
                    name=f"solid-{k}-{up}",
                    density=1000.0,
                    position=(FAR * k, 0.0, 1.0 + 1.1 * up),
                    orientation=turned(random),
                    velocity=tuple(map(float, random.normal(size=3))),
                    angular_velocity=tuple(map(float, 2.0 * random.normal(size=3))),
                    geometry=[solid],
                )
            )
        found.append(bodies)
    return found


def run(bodies: list[Body], material: Material, **given: float) -> ic.Recording:
    given = {"fps": 10.0, "tolerance": 1e-7, "time_of_impact": True} | given
    return ic.simulate(scene(*bodies, materials=(material,), **given))


def in_space(
    bodies: list[Body], step: float, duration: float, loads: Sequence[Load] = ()
) -> ic.Recording:
    """Without gravity, and without losses."""
    made = scene(
        materials=(rubber(1.0),),
        gravity=(0.0, 0.0, 0.0),
        step=step,
        duration=duration,
        fps=10.0,
        time_of_impact=True,
        tolerance=1e-7,
    )
    made.bodies, made.loads = bodies, list(loads)
    return ic.simulate(made)


def divisions(recording: ic.Recording) -> int:
    return recording.diagnostics["contacts"]["divisions"]


def worst_difference(together: ic.Recording, alone: ic.Recording, first: int) -> float:
    """Of the positions of bodies that begin with a number in the first recording [m]."""
    count = alone.positions.shape[1] - 1
    theirs = together.positions[:, first : first + count]
    return float(np.abs(theirs - alone.positions[:, 1:]).max())


@pytest.mark.parametrize("restitution", [0.0, 0.7, 1.0])
def test_balls_bounce_at_the_times_of_their_series(restitution):
    """v, e v, e² v, …: what bounces beside it changes no time, and all are of round-off."""
    heights = np.linspace(0.3, 2.5, 23)
    balls = [
        ball(f"ball-{k}", (2.0 * k, 0.0, 0.5 + h), material="rubber") for k, h in enumerate(heights)
    ]
    found = run(balls, rubber(restitution), step=0.013, duration=1.3)
    for k, height in enumerate(heights):
        for frame, t in enumerate(found.times):
            assert found.positions[frame, k + 1, 2] - 0.5 == pytest.approx(
                bounced(float(height), restitution, float(t)), abs=1e-12
            )


def bounced(height: float, restitution: float, t: float) -> float:
    """Height at a time of what falls from a height and bounces [m]."""
    fall = math.sqrt(2.0 * height / G)
    if t <= fall:
        return height - 0.5 * G * t * t
    speed, t = restitution * G * fall, t - fall
    while speed > 1e-3:
        if t <= 2.0 * speed / G:
            return speed * t - 0.5 * G * t * t
        t -= 2.0 * speed / G
        speed *= restitution
    return 0.0


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**32 - 1),
    step=st.sampled_from([0.0025, 0.004, 0.01]),
    restitution=st.sampled_from([0.0, 0.3, 0.8, 1.0]),
    friction=st.sampled_from([0.0, 0.4]),
)
def test_what_is_far_moves_as_alone(seed, step, restitution, friction):
    """Until the second impact, from which on round-off of one decides over the other."""
    material, several = rubber(restitution, friction), things(seed, 5)
    given = {"step": step, "duration": 0.6}
    together = run([*(body for bodies in several for body in bodies), *crowd()], material, **given)
    first = 1
    for bodies in several:
        alone = run(bodies, material, **given)
        assert worst_difference(together, alone, first) < 1e-4
        first += len(bodies)
    assert together.diagnostics["contacts"]["max_penetration_m"] < 1e-5


@settings(max_examples=25)
@given(
    masses=st.lists(st.floats(0.05, 20.0), min_size=4, max_size=7),
    gaps=st.lists(st.floats(0.001, 0.05), min_size=7, max_size=7),
    speed=st.floats(1.0, 10.0),
    step=st.sampled_from([0.005, 0.01, 0.02]),
)
def test_what_is_struck_reaches_those_it_was_far_from(masses, gaps, speed, step):
    """A row of balls that lose nothing: a light one that a heavy one strikes goes up to twice as
    fast, and within the same step farther than it could have come by itself.
    """
    places, x = [], 0.0
    for gap in gaps[: len(masses)]:
        places.append(x)
        x += 1.0 + gap
    expected = elastic_row(np.array(places), np.array(masses), speed, 0.1)
    assume(expected is not None)
    row = [
        Body(
            name=f"ball-{k}",
            mass=mass,
            position=(place, 0.0, 0.0),
            velocity=(speed if k == 0 else 0.0, 0.0, 0.0),
            geometry=[Geometry(shape="sphere", radius=0.5, material="rubber")],
        )
        for k, (mass, place) in enumerate(zip(masses, places, strict=True))
    ]
    found = in_space([*row, *crowd()], step, 0.1)
    assert found.positions[-1, : len(masses), 0] == pytest.approx(expected, abs=1e-9)


def elastic_row(places, masses, speed, duration):
    """Where balls of radius 0.5 m on a line are that lose nothing, the first of which comes at a
    speed; None where impacts nearly coincide, whose order round-off decides.
    """
    x, v, t = places.copy(), np.zeros(len(places)), 0.0
    v[0] = speed
    while True:
        closing, gaps = v[:-1] - v[1:], np.maximum(np.diff(x) - 1.0, 0.0)
        times = np.where(closing > 1e-9, gaps / np.maximum(closing, 1e-9), duration)
        k = int(np.argmin(times))
        if t + times[k] >= duration:
            return x + v * (duration - t)
        if np.partition(times, 1)[1] - times[k] < 1e-5 or duration - t - times[k] < 1e-5:
            return None
        t, x = t + times[k], x + v * times[k]
        m1, m2, u1, u2 = masses[k], masses[k + 1], v[k], v[k + 1]
        v[k] = ((m1 - m2) * u1 + 2.0 * m2 * u2) / (m1 + m2)
        v[k + 1] = ((m2 - m1) * u2 + 2.0 * m1 * u1) / (m1 + m2)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), step=st.sampled_from([0.002, 0.005, 0.01]))
def test_a_gas_keeps_its_momentum_and_its_energy(seed, step):
    """Balls and boxes that meet in space and lose nothing."""
    random = np.random.default_rng(seed)
    bodies = []
    for k, place in enumerate(np.ndindex(3, 3, 3)):
        given = {
            "position": tuple(1.7 * np.array(place, dtype=float)),
            "velocity": tuple(map(float, 4.0 * random.normal(size=3))),
        }
        if k % 2:
            bodies.append(ball(f"ball-{k}", material="rubber", **given))
        else:
            solid = Geometry(shape="box", size=(0.6, 0.8, 0.9), material="rubber")
            bodies.append(Body(name=f"box-{k}", density=700.0, geometry=[solid], **given))
    told = in_space(bodies, step, 0.5).diagnostics
    energy = told["energy_j"]
    assert energy["final"] == pytest.approx(energy["initial"], rel=1e-9)
    assert told["contacts"]["max_penetration_m"] < 1e-3
    assert told["momentum_drift"]["linear"] < 1e-9 * 27 * 600.0
    assert told["momentum_drift"]["angular"] < 1e-8 * 27 * 600.0


def hopper() -> tuple[list[Body], Joint]:
    """Two balls on a hinge that fall on the ground."""
    balls = [ball(f"foot-{k}", (1.6 * k, -20.0, 1.0 + 0.3 * k), material="rubber") for k in (0, 1)]
    hinge = Joint(
        name="hinge",
        type="hinge",
        body1="foot-0",
        body2="foot-1",
        anchor=(0.8, -20.0, 1.6),
        axis=(0.0, 1.0, 0.0),
    )
    return balls, hinge


@pytest.mark.parametrize("step", [0.003, 0.01])
def test_a_machine_and_what_bounces_beside_it_move_as_alone(step):
    """What joints hold is not taken; the step is divided for it, with all others."""
    balls, hinge = hopper()
    beside = [
        ball(f"ball-{k}", (2.0 * k, 0.0, 0.8 + 0.07 * k), material="rubber") for k in range(40)
    ]
    given = {"step": step, "duration": 1.0}

    def joined(bodies: list[Body]) -> ic.Recording:
        made = scene(
            *bodies,
            materials=(rubber(0.8),),
            fps=10.0,
            tolerance=1e-9,
            time_of_impact=True,
            **given,
        )
        made.joints = [hinge]
        return ic.simulate(made)

    together, alone = joined([*balls, *beside]), joined(balls)
    assert worst_difference(together, alone, 1) < 1e-9
    free = run(beside, rubber(0.8), **given)
    assert worst_difference(together, free, 3) < 1e-12
    assert 2 < divisions(alone) < divisions(together) <= divisions(alone) + divisions(free)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), step=st.sampled_from([0.004, 0.01]))
def test_more_than_a_group_may_be_is_divided_with_all(seed, step):
    """Twelve balls beside each other that meet, and some far from them."""
    random = np.random.default_rng(seed)
    near = [
        ball(
            f"near-{k}",
            (1.02 * (k % 4), 1.02 * (k // 4), 1.0),
            velocity=tuple(map(float, random.normal(size=3))),
            material="rubber",
        )
        for k in range(12)
    ]
    far = crowd()
    given = {"step": step, "duration": 0.3}
    together = run([*near, *far], rubber(1.0), **given)
    energy = together.diagnostics["energy_j"]
    slow = 12 * 0.5 * (2.0 * G * step) ** 2  # of what meets that slowly no more than that is lost
    assert energy["initial"] - slow < energy["final"] < energy["initial"] * (1.0 + 1e-12)
    assert worst_difference(together, run(far, rubber(1.0), **given), 13) < 1e-12


@pytest.mark.parametrize("step", [0.004, 0.01, 0.02])
def test_a_table_that_rises_throws_each_as_if_alone(step):
    """Many balls on one kinematic body: each impact is at the table's place of that moment."""
    table = Body(
        name="table",
        motion="kinematic",
        position=(10.0, 0.0, 0.0),
        geometry=[Geometry(shape="box", size=(140.0, 4.0, 0.2), material="rubber")],
        keyframes=[
            Keyframe(time=0.0, position=(10.0, 0.0, 0.0)),
            Keyframe(time=1.0, position=(10.0, 0.0, 1.5)),
        ],
        keyframe_interpolation="linear",
    )
    heights = [0.9 + 0.03 * k for k in range(28)]
    balls = [ball(f"ball-{k}", (2.0 * k, 0.0, z), material="rubber") for k, z in enumerate(heights)]
    made = Scene(
        version=1,
        materials=[rubber(1.0)],
        settings=Settings(
            step=step,
            duration=0.6,
            fps=10.0,
            time_of_impact=True,
            tolerance=1e-7,
        ),
        bodies=[table, *balls],
    )
    found = ic.simulate(made)
    rising, top, work = 1.5, 0.1 + 0.5, 0.0
    for k, z in enumerate(heights):
        fall = z - top  # z - g t²/2 = top + 1.5 t
        t = (-rising + math.sqrt(rising * rising + 2.0 * G * fall)) / G
        speed = 2.0 * rising + G * t
        work += 0.5 * (speed * speed - (G * t) ** 2)
        rest = 0.6 - t
        expected = z - 0.5 * G * t * t + speed * rest - 0.5 * G * rest * rest
        assert found.positions[-1, k + 1, 2] == pytest.approx(expected, abs=1e-11)
    assert found.diagnostics["energy_j"]["work_of_kinematic_bodies"] == pytest.approx(work)


def test_events_come_in_their_order_and_are_those_of_each():
    balls = [
        ball(f"ball-{k}", (2.0 * k, 0.0, 0.7 + 0.0137 * k), material="rubber") for k in range(30)
    ]
    given = {"step": 0.01, "duration": 0.5}
    found = run(balls, rubber(0.9), **given).events
    times = [event["time"] for event in found]
    assert times == sorted(times)
    alone = [event for each in balls for event in run([each], rubber(0.9), **given).events]

    def counted(events):
        return Counter(tuple(map(str, (e["kind"], e["body1"], e["body2"]))) for e in events)

    assert counted(found) == counted(alone)
    assert len(found) >= 60


def test_contacts_of_a_step_with_impacts_are_those_of_all():
    """What rests bears its weight in the record of a step in which others bounce."""
    rest = [ball(f"rests-{k}", (3.0 * k, 0.0, 0.5), material="rubber") for k in range(4)]
    bounce = [ball(f"ball-{k}", (3.0 * k, 9.0, 0.9), material="rubber") for k in range(9)]
    made = scene(
        *rest, *bounce, materials=(rubber(0.5),), time_of_impact=True, fps=100.0, duration=0.4
    )
    found = ic.simulate(made, contacts=True)
    frames = np.asarray(found.contacts["frame"])
    for frame in range(1, len(found.times)):
        here = frames == frame
        force = np.asarray(found.contacts["force"])[here]
        second = np.asarray(found.contacts["body2"])[here]
        for k in range(4):
            assert force[second == k + 1, 2].sum() == pytest.approx(G, rel=1e-6)


@pytest.mark.parametrize("step", [0.003, 0.01])
def test_contacts_bear_the_same_where_the_others_are_divided(step):
    """Balls that fall on balls at rest, beside a machine that bounces: forces in the record are
    those without the machine, whose impacts end the others' step with a part of it.
    """
    machine, hinge = hopper()
    pairs = [
        ball(f"{name}-{k}", (3.0 * k, 0.0, z), material="rubber")
        for k in range(24)
        for name, z in (("rests", 0.5), ("falls", 1.6 + 0.03 * k))
    ]
    forces = []
    for others, joints in (([], []), (machine, [hinge])):
        made = scene(
            *pairs,
            *others,
            materials=(rubber(0.6),),
            step=step,
            duration=0.6,
            fps=round(1.0 / step),
            tolerance=1e-7,
            time_of_impact=True,
        )
        made.joints = joints
        told = ic.simulate(made, contacts=True).contacts
        ours = told["body1"] == 0
        ours &= told["body2"] <= len(pairs)
        forces.append(
            {
                (int(frame), int(body)): float(force[2])
                for frame, body, force in zip(
                    told["frame"][ours], told["body2"][ours], told["force"][ours], strict=True
                )
            }
        )
    alone, beside = forces
    assert beside.keys() == alone.keys()
    assert len(alone) > 1000 * 0.01 / step
    assert all(beside[key] == pytest.approx(alone[key], rel=1e-6, abs=1e-6) for key in alone)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), step=st.sampled_from([0.004, 0.01]))
def test_balls_on_hills_move_as_alone(seed, step):
    """Triangles of a ground, of which a ball that bounced sees others than before."""
    random = np.random.default_rng(seed)
    heights = (0.3 * random.random((41, 9))).tolist()
    ground = Body(
        name="hills",
        motion="static",
        geometry=[
            Geometry(
                shape="height_field", size=(40.0, 8.0, 1.0), heights=heights, material="rubber"
            )
        ],
    )
    balls = [
        ball(
            f"ball-{k}",
            (-16.0 + 4.0 * k, 0.0, 1.3),
            velocity=tuple(map(float, 2.0 * random.normal(size=3))),
            material="rubber",
        )
        for k in range(9)
    ]

    def on_hills(bodies: list[Body]) -> ic.Recording:
        made = Scene(
            version=1,
            materials=[rubber(0.8)],
            settings=Settings(
                step=step,
                duration=0.35,
                fps=10.0,
                time_of_impact=True,
                tolerance=1e-7,
            ),
            bodies=[ground, *bodies],
        )
        return ic.simulate(made)

    together = on_hills([*balls, *crowd()])
    for k, each in enumerate(balls):
        assert worst_difference(together, on_hills([each]), k + 1) < 1e-6


def test_pairs_that_nobody_asks_for_are_no_group():
    """A compound body whose other solid had no pair: it reaches what that meets after an impact."""
    for spin in pairwise(np.linspace(-20.0, 20.0, 9)):
        stick = Body(
            name="stick",
            density=500.0,
            position=(0.0, 0.0, 0.56),
            velocity=(0.0, 0.0, -4.0),
            angular_velocity=(0.0, float(spin[0]), 0.0),
            geometry=[
                Geometry(shape="sphere", radius=0.5, material="rubber"),
                Geometry(shape="sphere", radius=0.2, position=(1.4, 0.0, 0.3), material="rubber"),
            ],
        )
        beside = [
            ball("beside", (2.15, 0.0, 1.0), material="rubber"),
            *crowd(),
        ]
        told = run([stick, *beside], rubber(1.0), step=0.02, duration=0.3).diagnostics
        assert told["contacts"]["max_penetration_m"] < 1e-5
        assert told["energy_j"]["final"] == pytest.approx(told["energy_j"]["initial"], rel=1e-6)


def thrown(gap: float, speed: float, first: bool) -> list[Body]:
    """A heavy ball strikes a light one, which flies on to one that another strikes from the side
    meanwhile, and which is before those two in the list or after them.
    """

    def placed(name: str, place: tuple[float, float], mass: float, v: tuple[float, float]) -> Body:
        solid = Geometry(shape="sphere", radius=0.5, material="rubber")
        return Body(
            name=name,
            mass=mass,
            position=(*place, 0.0),
            velocity=(*v, 0.0),
            geometry=[solid],
        )

    row = [
        placed("heavy", (-1.01, 0.0), 20.0, (speed, 0.0)),
        placed("light", (0.0, 0.0), 0.05, (0.0, 0.0)),
    ]
    far = [
        placed("far", (1.0 + gap, 0.0), 1.0, (0.0, 0.0)),
        placed("striker", (1.0 + gap, -1.01), 1.0, (0.0, 4.0)),
    ]
    return [*far, *row] if first else [*row, *far]


@pytest.mark.parametrize("step", [0.01, 0.02])
@pytest.mark.parametrize("gap", [0.05, 0.11])
@pytest.mark.parametrize("speed", [8.0, 12.0])
@pytest.mark.parametrize("first", [False, True])
def test_what_comes_near_those_that_were_taken_takes_the_step_with_them(speed, gap, step, first):
    """The others, divided for their own impacts, reach one that was within what is left: the same
    as where nobody is taken, since there are too few for that to be worth while.
    """
    bodies = thrown(gap, speed, first)
    together = in_space([*bodies, *crowd()], step, 0.06)
    alone = in_space(bodies, step, 0.06)
    assert float(np.abs(together.positions[:, :4] - alone.positions).max()) < 1e-9
    energy = together.diagnostics["energy_j"]
    assert energy["final"] == pytest.approx(energy["initial"], rel=1e-9)


@pytest.mark.parametrize("step", [0.01, 0.02])
@pytest.mark.parametrize("speed", [6.0, 10.0])
def test_what_a_plate_throws_onto_those_that_were_taken(speed, step):
    """A plate that starts at once throws a ball, which its box did not foresee, onto another that
    is struck in the same step.
    """
    plate = Body(
        name="plate",
        motion="kinematic",
        position=(-0.6, 0.0, 0.0),
        geometry=[Geometry(shape="box", size=(0.2, 4.0, 4.0), material="rubber")],
        keyframes=[
            Keyframe(time=0.0, position=(-0.6, 0.0, 0.0)),
            Keyframe(time=2.0 * step, position=(-0.6, 0.0, 0.0)),
            Keyframe(time=1.0, position=(-0.6 + speed * (1.0 - 2.0 * step), 0.0, 0.0)),
        ],
        keyframe_interpolation="linear",
    )
    thrown = ball("thrown", (0.0, 0.0, 0.0), material="rubber")
    far = ball("far", (1.02, 0.0, 0.0), material="rubber")
    at = 2.5 * step  # when the striker arrives
    striker = ball(
        "striker", (1.02, -1.0 - 4.0 * at, 0.0), velocity=(0.0, 4.0, 0.0), material="rubber"
    )
    bodies = [plate, far, striker, thrown]
    together, alone = in_space([*bodies, *crowd()], step, 0.06), in_space(bodies, step, 0.06)
    assert float(np.abs(together.positions[:, :4] - alone.positions).max()) < 1e-9
    assert together.diagnostics["contacts"]["max_penetration_m"] < 1e-5


@pytest.mark.parametrize("step", [0.01, 0.02])
@pytest.mark.parametrize("gap", [0.02, 0.05])
def test_what_a_load_throws_onto_those_that_were_taken(gap, step):
    """A force that begins moves a ball farther within the step than it could have come by itself,
    onto another that is struck in that step; it meets nothing before, so that nothing divides it.
    """
    place = (1.0 + gap, -1.0 - 4.0 * 2.3 * step, 0.0)
    bodies = [
        ball("far", (1.0 + gap, 0.0, 0.0), material="rubber"),
        ball("striker", place, velocity=(0.0, 4.0, 0.0), material="rubber"),
        ball("thrown", (0.0, 0.0, 0.0), material="rubber"),
    ]
    force = 2.0 * (gap + 0.05) / (step * step)
    load = Load(body="thrown", force=(force, 0.0, 0.0), from_=2.0 * step, until=4.0 * step)
    together, alone = (
        in_space(some, step, 0.06, loads=[load]) for some in ([*bodies, *crowd()], bodies)
    )
    assert float(np.abs(together.positions[:, :3] - alone.positions).max()) < 1e-9
