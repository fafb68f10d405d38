"""Dry friction and limits: where they stop, hold, bounce, and what they take out of the energy."""

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Curve, Friction, Joint, Limit, Load, Motor, Spring
from tests.core.machines import MASS, MOMENT, coordinate, rotor, run, sled, unbalance
from tests.core.scenes import box, chain, scene_of

DOWN = (-9.81, 0.0, 0.0)


@pytest.mark.parametrize(("build", "inertia"), [(sled, MASS), (rotor, MOMENT)])
@pytest.mark.parametrize("step", [0.01, 0.013, 0.05])
def test_sliding_body_stops_where_it_should(build, inertia, step):
    """Deceleration a = F/m is exact; the step that stops it is off by at most a h²/8."""
    force, speed = 1.7, 1.3
    a = force / inertia
    stop, way = speed / a, 0.5 * speed**2 / a

    recording = run(
        build(speed, frictions=[Friction(force=force)]), duration=2.6, fps=20, step=step
    )

    t = recording.times
    sliding = t <= stop - step
    exact = speed * t[sliding] - 0.5 * a * t[sliding] ** 2
    assert coordinate(recording)[sliding] == pytest.approx(exact, abs=1e-11)
    resting = coordinate(recording)[t >= stop + step]
    assert np.ptp(resting) <= 1e-14
    assert abs(resting[0] - way) <= a * step**2 / 8 + 1e-11
    energy = recording.diagnostics["energy_j"]
    assert energy["final"] == 0.0
    assert energy["dissipated"] == pytest.approx(0.5 * inertia * speed**2, rel=1e-11)
    assert unbalance(recording) <= 1e-12


def test_friction_holds_below_its_limit_and_slides_above():
    """At 99.9 % of the friction nothing creeps in 20 s; at 120 % it slides with a = g - F/m."""
    held, sliding = (
        run(sled(gravity=DOWN, frictions=[Friction(force=force)]), duration=20.0, fps=1)
        for force in (MASS * 9.81 / 0.999, MASS * 9.81 / 1.2)
    )

    assert np.abs(coordinate(held)).max() <= 1e-14
    a = 9.81 * (1 - 1 / 1.2)
    assert coordinate(sliding) == pytest.approx(-0.5 * a * sliding.times**2, rel=1e-11)
    assert unbalance(sliding) <= 1e-9


def test_oscillator_with_dry_friction():
    """Every half period the amplitude falls by 2F/k, until it stops within F/k of the centre."""
    k, force, start = 50.0, 1.0, 0.5
    scene = sled(springs=[Spring(stiffness=k, rest=start)], frictions=[Friction(force=force)])
    w = math.sqrt(k / MASS)

    recording = run(scene, duration=12.0, fps=1000, step=0.001)

    x = coordinate(recording) - start
    for half in range(1, 12):
        wanted = start - 2.0 * half * force / k
        turn = int(np.argmin(np.abs(recording.times - half * math.pi / w)))
        assert abs(x[turn]) == pytest.approx(wanted, abs=2e-5)
    assert np.ptp(x[-2000:]) <= 1e-13
    assert abs(x[-1]) <= force / k
    assert unbalance(recording) <= 1e-5


def test_limit_without_restitution_stops_the_body():
    """No penetration beyond the tolerance, no bounce; the kinetic energy is dissipated."""
    recording = run(sled(2.0, limits=[Limit(upper=0.333)]), duration=1.0, fps=100, tolerance=1e-9)

    x = coordinate(recording)
    assert x.max() <= 0.333 + 1e-9
    assert x[recording.times > 0.19] == pytest.approx(0.333, abs=1e-9)
    energy = recording.diagnostics["energy_j"]
    assert energy["dissipated"] == pytest.approx(0.5 * MASS * 4.0, rel=1e-9)
    assert unbalance(recording) <= 1e-9


def test_body_rests_on_its_limit():
    """Dropped on a stop without restitution it stays there for 20 s, does not sink and not hop."""
    recording = run(sled(gravity=DOWN, limits=[Limit(lower=-0.2)]), duration=20.0, fps=50)

    x = coordinate(recording)
    assert x.min() >= -0.2 - 1e-12
    resting = recording.times > math.sqrt(2 * 0.2 / 9.81) + 0.02
    assert x[resting] == pytest.approx(-0.2, abs=1e-12)
    assert recording.energy["kinetic"][-1] <= 1e-24


@pytest.mark.parametrize("restitution", [0.3, 0.8, 1.0])
def test_body_bounces(restitution):
    """Without loads the speed after each wall is e times that before, to round-off."""
    limits = [Limit(lower=-0.5, upper=0.5, restitution=restitution)]

    recording = run(sled(2.0, limits=limits), duration=1.3, fps=100)

    x = coordinate(recording)
    assert np.abs(x).max() <= 0.5 + 1e-12
    v = np.diff(x) * 100
    t = recording.times[:-1]
    hits = [0.25, 0.25 + 0.5 / restitution]
    after_first = v[(t > hits[0] + 0.02) & (t < hits[1] - 0.03)]
    assert after_first == pytest.approx(-2.0 * restitution, rel=1e-9)
    assert unbalance(recording) <= 1e-9
    if restitution == 1.0:
        assert recording.energy["kinetic"] == pytest.approx(0.5 * MASS * 4.0, rel=1e-9)


def test_bouncing_ball_comes_to_rest():
    """Dropped with e = 0.5: bounces get smaller until it lies still, and stays so."""
    limits = [Limit(lower=-0.3, restitution=0.5)]

    recording = run(sled(gravity=DOWN, limits=limits), duration=4.0, fps=100, step=0.005)

    x = coordinate(recording)
    t0 = math.sqrt(2 * 0.3 / 9.81)
    apex = x[(recording.times > t0) & (recording.times < t0 + 2 * 0.5 * t0)].max()
    # the bounce takes the velocity of the step before the impact: off by g h at most
    v = 0.5 * math.sqrt(2 * 9.81 * 0.3)
    assert apex + 0.3 == pytest.approx(v**2 / (2 * 9.81), abs=v * 0.005)
    assert x.min() >= -0.3 - 1e-12
    assert x[recording.times > 2.0] == pytest.approx(-0.3, abs=1e-9)


def rebounds(x):
    """Heights of the tops after each touch of zero, for heights x of all steps (n,)."""
    top = (x[1:-1] >= x[:-2]) & (x[1:-1] > x[2:])
    return x[1:-1][top]


@pytest.mark.parametrize("restitution", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("step", [0.02, 0.01, 0.005])
def test_falling_body_bounces_again_and_again(restitution, step):
    """It falls 1 m, and after every arrival rises to e² of the height, though it comes down on the
    limit exactly at the end of a step: its speed there is known to g h.
    """
    scene = sled(gravity=DOWN, limits=[Limit(lower=-1.0, restitution=restitution)])

    recording = run(scene, duration=4.0, step=step, fps=1 / step, tolerance=1e-6)

    tops = rebounds(coordinate(recording) + 1.0)[:4]
    assert len(tops) == 4
    speed = math.sqrt(2.0 * 9.81)
    for top in tops:
        fast, slow = restitution * speed, restitution * (speed - 9.81 * step)
        assert 0.5 * slow**2 / 9.81 - 9.81 * step**2 <= top <= 0.5 * fast**2 / 9.81 + 1e-6
        speed = math.sqrt(2.0 * 9.81 * top)
    assert np.diff(recording.energy["total"]).max() <= 1e-9


@given(
    restitution=st.floats(0.3, 1.0),
    step=st.floats(0.001, 0.02),
    height=st.floats(0.3, 3.0),
    pull=st.floats(5.0, 30.0),
    side=st.sampled_from([-1.0, 1.0]),
    build=st.sampled_from(["weight", "load", "torque"]),
    tolerance=st.sampled_from([1e-10, 1e-8, 1e-6]),
)
@settings(max_examples=40, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_no_bounce_is_lost(restitution, step, height, pull, side, build, tolerance):
    """Pulled against a lower or upper limit by weight or load, on a slider or a hinge: each of the
    first bounces has e times the speed that the pull gave it, to what the pull does in a step. The
    energy never grows.
    """
    limit = (
        Limit(lower=-height, restitution=restitution)
        if side < 0
        else Limit(upper=height, restitution=restitution)
    )
    if build == "torque":
        scene = rotor(limits=[limit])
        scene.loads = [Load(body="rotor", torque=(0.0, side * pull * MOMENT, 0.0))]
    elif build == "load":
        scene = sled(limits=[limit])
        scene.loads = [Load(body="sled", force=(side * pull * MASS, 0.0, 0.0))]
    else:
        scene = sled(gravity=(side * pull, 0.0, 0.0), limits=[limit])
    fall = math.sqrt(2.0 * height / pull)

    recording = run(scene, duration=5.0 * fall, step=step, fps=1 / step, tolerance=tolerance)

    x = height - side * coordinate(recording)
    speed = math.sqrt(2.0 * height * pull)
    tops = rebounds(x)
    wanted = 1 if restitution < 0.5 else 2
    assert len(tops) >= wanted
    for top in tops[:wanted]:
        fast, slow = restitution * speed, restitution * (speed - pull * step)
        slack = pull * step**2 + 6.0 * tolerance
        assert 0.5 * slow**2 / pull - slack <= top <= 0.5 * fast**2 / pull + slack
        speed = math.sqrt(2.0 * pull * top)
    near = tolerance / (0.3 if build == "torque" else 1.0)  # an angle is weighed by a length
    assert x.min() >= -near
    inertia = MOMENT if build == "torque" else MASS
    energy = recording.energy["kinetic"] + inertia * pull * x
    # what comes back from within the tolerance of the limit does so in a step
    closing = 2.0 * near * pull + (near / step) ** 2
    assert np.diff(energy).max() <= inertia * closing + 1e-9


@pytest.mark.parametrize("restitution", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("step", [0.02, 0.005])
def test_joint_rests_on_its_limit_while_the_rest_moves(restitution, step):
    """The second link of a pendulum is pressed on its limit by a spring: it stays there to the
    tolerance while the whole swings, as one body.
    """
    links = [box(f"link-{k}", (0.25 + 0.5 * k, 0.0, 0.0), mass=1.0) for k in range(2)]
    pins = [
        Joint(name="pin", type="hinge", body2="link-0", anchor=(0, 0, 0), axis=(0, 1, 0)),
        Joint(
            name="knee",
            type="hinge",
            body1="link-0",
            body2="link-1",
            anchor=(0.5, 0.0, 0.0),
            axis=(0, 1, 0),
            limits=[Limit(upper=0.0, restitution=restitution)],
            springs=[Spring(stiffness=30.0, rest=1.0)],
        ),
    ]

    recording = run(scene_of(links, pins), duration=3.0, step=step, fps=100, tolerance=1e-8)

    assert np.abs(recording.joints["pin"]["angle"]).max() > 2.0
    assert np.abs(recording.joints["knee"]["angle"]).max() <= 1e-7


@pytest.mark.parametrize("build", [sled, rotor])
def test_limits_that_are_equal_lock_the_axis(build):
    """lower = upper = 0: nothing moves, whatever pushes."""
    scene = build(
        limits=[Limit(lower=0.0, upper=0.0)],
        motors=[Motor(kind="velocity", target=3.0, max_force=50.0)],
        springs=[Spring(stiffness=1e3, rest=1.0)],
    )

    recording = run(scene, duration=1.0, fps=50)

    assert np.abs(coordinate(recording)).max() <= 1e-12


def test_motor_runs_into_a_limit():
    """It presses on with its force; the limit holds, and nothing is dissipated by resting there."""
    scene = sled(
        motors=[Motor(kind="velocity", target=1.0, max_force=20.0)], limits=[Limit(upper=0.3)]
    )

    recording = run(scene, duration=2.0, fps=50, tolerance=1e-10)

    assert coordinate(recording).max() <= 0.3 + 1e-10
    assert coordinate(recording)[-1] == pytest.approx(0.3, abs=1e-10)
    energy = recording.diagnostics["energy_j"]
    assert energy["work_of_motors"] - energy["dissipated"] == pytest.approx(0.0, abs=1e-9)


def test_everything_on_one_axis():
    """Spring, damper, friction, servo and limits together keep the limits, and their energy is
    accounted for to round-off.
    """
    scene = sled(
        1.5,
        gravity=(-3.0, 0.0, 0.0),
        springs=[Spring(stiffness=80.0, damping=1.0, rest=0.1)],
        frictions=[Friction(force=0.8)],
        limits=[Limit(lower=-0.15, upper=0.2)],
        motors=[
            Motor(
                kind="servo",
                expression="0.3*sin(5*t)",
                proportional=100.0,
                derivative=4.0,
                max_force=12.0,
            )
        ],
    )

    coarse, fine = (
        run(scene, duration=4.0, fps=50, step=h, tolerance=1e-9) for h in (0.008, 0.001)
    )

    for recording in (coarse, fine):
        x = coordinate(recording)
        assert x.min() >= -0.15 - 1e-9
        assert x.max() <= 0.2 + 1e-9
        assert x.max() > 0.19
        assert unbalance(recording) <= 1e-11


@pytest.mark.parametrize("method", ["imp4", "imp6", "imp8", "imp10"])
@pytest.mark.parametrize(
    ("elements", "words"),
    [
        ({"frictions": [Friction(force=1.0)]}, "the friction of joint 'rail'"),
        ({"limits": [Limit(upper=1.0)]}, "the limit of joint 'rail'"),
        (
            {"motors": [Motor(kind="velocity", target=1.0, max_force=5.0)]},
            "the velocity motor of joint 'rail'",
        ),
    ],
)
def test_methods_that_go_back_in_time_refuse_what_cannot(method, elements, words):
    """Order above two with dissipation: refused with the element's name, and what to use."""
    with pytest.raises(ic.OptionError) as caught:
        run(sled(**elements), duration=0.1, method=method)

    assert words in str(caught.value)
    assert method in str(caught.value)
    assert "imp2" in str(caught.value)


@pytest.mark.parametrize(("build", "inertia"), [(sled, MASS), (rotor, MOMENT)])
@pytest.mark.parametrize("armature", [0.0, 0.7])
def test_a_largest_speed(build, inertia, armature):
    """Under a force it speeds up to the limit and keeps it; what the force does then is taken out.

    When it turns round nothing holds it, until it is as fast in the other direction.
    """
    F, V, turn = 3.0, 0.8, 1.5
    curve = Curve(times=[0.0, turn], values=[F, -F], interpolation="step")
    scene = build(
        motors=[Motor(kind="force", curve=curve)],
        limits=[Limit(max_velocity=V)],
        armature=armature,
    )
    a = F / (inertia + armature)
    reached = V / a

    recording = run(scene, duration=4.0, fps=100, step=0.01)

    speed = np.diff(coordinate(recording)) * 100
    t = recording.times[:-1]
    assert np.abs(speed).max() <= V * (1.0 + 1e-9)
    assert speed[(t > reached) & (t < turn - 0.02)] == pytest.approx(V, rel=1e-10)
    back = turn + 2.0 * V / a
    falling = (t > turn + 0.02) & (t < back - 0.03)
    assert np.diff(speed[falling]) * 100 == pytest.approx(-a, rel=1e-7)
    assert speed[t > back + 0.02] == pytest.approx(-V, rel=1e-10)
    kinetic = 0.5 * (inertia + armature) * V**2
    assert recording.energy["kinetic"].max() == pytest.approx(kinetic, rel=1e-10)
    energy = recording.diagnostics["energy_j"]
    taken = F * V * (turn - reached) + F * V * (4.0 - back)
    assert energy["dissipated"] == pytest.approx(taken, abs=F * V * 0.02)
    assert unbalance(recording) <= 1e-9


def test_a_largest_speed_and_other_limits():
    """It stops at its bound, bounces there, and neither bound is passed when both are met."""
    limits = [Limit(lower=-0.2, upper=0.3, restitution=0.5, max_velocity=1.0)]

    recording = run(sled(5.0, limits=limits), duration=2.0, fps=100, step=0.01)

    x = coordinate(recording)
    assert x[:30] == pytest.approx(recording.times[:30], abs=1e-12)
    assert (x.min(), x.max()) == (pytest.approx(-0.2), pytest.approx(0.3))
    assert np.diff(x)[35:60] * 100 == pytest.approx(-0.5, rel=1e-9)
    assert unbalance(recording) <= 1e-9


def test_an_unlimited_motor_cannot_pass_a_largest_speed():
    """Asked for three times as much it moves at the limit."""
    scene = rotor(motors=[Motor(kind="velocity", target=3.0)], limits=[Limit(max_velocity=1.0)])

    recording = run(scene, duration=1.0, fps=10)

    assert coordinate(recording) == pytest.approx(recording.times, abs=1e-10)
    work = recording.diagnostics["energy_j"]["work_of_motors"]
    assert work == pytest.approx(0.5 * MOMENT, rel=1e-10)
    assert unbalance(recording) <= 1e-10


def test_a_weak_motor_beside_a_largest_speed_does_its_own_work_only():
    """A load of 9 N pushes on; a brake of 1 N takes out its part, the limit the rest."""
    motor = Motor(kind="velocity", target=2.0, max_force=1.0)
    scene = sled(1.0, motors=[motor], limits=[Limit(max_velocity=1.0)])
    scene.loads = [Load(body="sled", force=(9.0, 0.0, 0.0))]

    recording = run(scene, duration=1.0, fps=10)

    energy = recording.diagnostics["energy_j"]
    assert coordinate(recording) == pytest.approx(recording.times, abs=1e-10)
    assert energy["work_of_loads"] == pytest.approx(9.0, rel=1e-10)
    assert abs(energy["work_of_motors"]) <= 1.0 + 1e-10
    assert energy["dissipated"] == pytest.approx(9.0 + energy["work_of_motors"], rel=1e-10)
    assert unbalance(recording) <= 1e-10


def test_a_largest_speed_in_a_chain():
    """A double pendulum whose lower hinge turns no faster than 1 rad/s loses energy, gains none."""
    scene = chain(2, ["hinge", "hinge"], tilt=2.0)
    scene.joints[1].limits = [Limit(max_velocity=1.0)]

    recording = ic.simulate(scene, duration=5.0, step=0.002, fps=100, tolerance=1e-9)

    rate = np.diff(recording.joints["joint-1"]["angle"]) * 100
    assert np.abs(rate).max() == pytest.approx(1.0, abs=1e-6)
    assert np.sum(np.abs(rate) > 0.999) > 50
    energy = recording.diagnostics["energy_j"]
    assert energy["dissipated"] > 1.0
    assert abs(energy["unexplained"]) <= 0.01
