"""Velocity motors and servos against the motions and control loops they are meant to make."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import impulse_core as ic
from impulse_schema.models import Curve, Friction, Limit, Load, Motor
from tests.core.machines import (
    MASS,
    MOMENT,
    coordinate,
    errors,
    rotor,
    run,
    sled,
    unbalance,
)
from tests.core.scenes import chain

DOWN = (-9.81, 0.0, 0.0)  # gravity along the rail


def drive(**motor):
    return Motor(kind="velocity", **motor)


def servo(**motor):
    return Motor(kind="servo", **motor)


@pytest.mark.parametrize(("build", "inertia"), [(sled, MASS), (rotor, MOMENT)])
def test_unlimited_motor_turns_as_told(build, inertia):
    """The coordinate is the integral of the target by the trapezoidal rule, to round-off.

    Its work is the kinetic energy of the target's last velocity.
    """
    speed = 2.0 - 3.0 * 0.5

    recording = run(build(motors=[drive(expression="2 - 3*t")]), duration=0.5, fps=20)

    t = recording.times
    # the body starts at rest, so the first half-step already brings it to its target
    assert coordinate(recording) == pytest.approx(2.0 * t - 1.5 * t**2, abs=1e-12)
    energy = recording.diagnostics["energy_j"]
    assert energy["work_of_motors"] == pytest.approx(0.5 * inertia * speed**2, rel=1e-12)
    assert unbalance(recording) <= 1e-12


@pytest.mark.parametrize(("build", "inertia"), [(sled, MASS), (rotor, MOMENT)])
def test_first_frame_has_the_energy_of_the_start(build, inertia):
    """Though the forces it records are those of the first step."""
    scene = build(1.3, motors=[servo(target=0.0, proportional=200.0)])

    recording = run(scene, duration=0.1, fps=10)

    assert recording.energy["kinetic"][0] == pytest.approx(0.5 * inertia * 1.3**2, rel=1e-11)


@pytest.mark.parametrize(("build", "inertia"), [(sled, MASS), (rotor, MOMENT)])
def test_limited_motor_accelerates_at_its_limit(build, inertia):
    """a = F/m up to the target and no further; before that the path is ½ a t², exactly."""
    force, speed = 3.0, 1.2
    a = force / inertia
    reached = speed / a

    recording = run(
        build(motors=[drive(target=speed, max_force=force)]), duration=2.0, fps=100, step=0.01
    )

    def exact(t):
        return np.where(t < reached, 0.5 * a * t**2, speed * (t - 0.5 * reached))

    ramp = recording.times < reached - 0.01
    assert coordinate(recording)[ramp] == pytest.approx(exact(recording.times[ramp]), abs=1e-12)
    # afterwards it is off by what the step that reaches the target loses, at most a h²/8
    assert errors(recording, exact) <= a * 0.01**2 / 8 + 1e-12
    assert recording.energy["kinetic"][-1] == pytest.approx(0.5 * inertia * speed**2, rel=1e-12)
    assert unbalance(recording) <= 1e-12


def test_motor_holds_against_gravity_up_to_its_force():
    """A motor stronger than the weight holds without creep; a weaker one gives way with g - F/m."""
    holding, yielding = (
        run(sled(gravity=DOWN, motors=[drive(target=0.0, max_force=limit)]), duration=2.0, fps=10)
        for limit in (1.001 * MASS * 9.81, 0.5 * MASS * 9.81)
    )

    assert np.abs(coordinate(holding)).max() <= 1e-14
    t = yielding.times
    assert coordinate(yielding) == pytest.approx(-0.25 * 9.81 * t**2, rel=1e-12, abs=1e-12)
    assert unbalance(yielding) <= 1e-11


def control_loop(target, rate, P, I, D, weight=0.0, start=(0.0, 0.0, 0.0)):
    """x(t) of m ẍ = P (r - x) + I ∫(r - x) + D (ṙ - ẋ) - weight, by an ODE solver."""

    def derivative(t, y):
        x, v, integral = y
        error = target(t) - x
        force = P * error + I * integral + D * (rate(t) - v) - weight
        return [v, force / MASS, error]

    def x(times):
        solution = solve_ivp(
            derivative, (0.0, 10.0), start, method="DOP853", t_eval=times, rtol=1e-12, atol=1e-13
        )
        return solution.y[0]

    return x


GAINS = [(60.0, 0.0, 0.0), (60.0, 0.0, 5.0), (0.0, 0.0, 8.0), (60.0, 80.0, 12.0)]


@pytest.mark.parametrize(
    ("P", "I", "D", "explicit", "wanted"),
    [
        *((*gains, False, 2.0) for gains in GAINS),
        # the explicit one reads the velocity before its own second impulse
        *((*gains, True, 1.0 if gains[2] else 2.0) for gains in GAINS),
    ],
)
def test_servo_follows_its_control_loop(P, I, D, explicit, wanted):
    """Servos solve the equation of the PID loop while tracking a sine: implicit ones to order two.

    Explicit ones do so for soft gains, to first order where they have a gain on the velocity. The
    energy balance holds to round-off for both.
    """
    motor = servo(
        expression="0.3*sin(2*t)", proportional=P, integral=I, derivative=D, explicit=explicit
    )
    exact = control_loop(
        lambda t: 0.3 * math.sin(2 * t), lambda t: 0.6 * math.cos(2 * t), P, I, D, weight=MASS * 2.0
    )

    coarse, fine = (
        run(sled(gravity=(-2.0, 0.0, 0.0), motors=[motor]), duration=2.0, fps=10, step=h)
        for h in (0.005, 0.0025)
    )

    order = math.log2(errors(coarse, exact) / errors(fine, exact))
    assert errors(fine, exact) <= (1e-4 if wanted == 2.0 else 2e-3)
    assert order == pytest.approx(wanted, abs=0.3)
    assert max(unbalance(coarse), unbalance(fine)) <= 1e-12


@pytest.mark.parametrize("gain", [1e4, 1e6, 1e8, 1e12])
def test_stiff_servo_is_stable_and_exact(gain):
    """From an error of 0.1 m and with gravity: at the target within m g / P, without ringing."""
    motor = servo(target=0.1, proportional=gain, derivative=2.0 * math.sqrt(gain * MASS))

    recording = run(
        sled(gravity=DOWN, motors=[motor]), duration=1.0, fps=100, step=0.01, tolerance=1e-10
    )

    settled = coordinate(recording)[recording.times >= 0.5]
    assert settled == pytest.approx(0.1 - MASS * 9.81 / gain, abs=1e-9)
    assert coordinate(recording).max() <= 0.1 + 0.02


def test_servo_of_stiff_gains_tracks_a_sine():
    """Gains of 1e8 hold a moving target within the curvature of a step, h² r̈/8, and m r̈/P."""
    motor = servo(expression="0.2*sin(3*t)", proportional=1e8, derivative=1e6)

    recording = run(sled(0.6, motors=[motor]), duration=3.0, fps=100, step=0.01, tolerance=1e-10)

    target = 0.2 * np.sin(3.0 * recording.times)
    assert np.abs(coordinate(recording) - target).max() <= 0.2 * 9.0 * 0.01**2 / 8


def test_stiff_servo_has_the_velocity_of_its_target():
    """The velocity at the end of each step is the target's to second order, not its mean over the
    step, and of its work against gravity nothing is lost but to second order.
    """
    motor = servo(expression="0.2*sin(3*t)", proportional=1e9, derivative=1e6)

    def error(step):
        recording = run(
            sled(0.6, gravity=DOWN, motors=[motor]),
            duration=2.0,
            fps=10,
            step=step,
            tolerance=1e-11,
        )
        speed = 0.6 * np.cos(3.0 * recording.times)
        assert unbalance(recording) <= 1e-10
        return np.abs(recording.energy["kinetic"] - 0.5 * MASS * speed**2).max()

    coarse, fine = error(0.01), error(0.005)
    assert coarse <= 1e-3 * 0.5 * MASS * 0.6**2
    assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)


def test_integral_takes_the_steady_error_away():
    """With P alone the sled hangs m g / P below its target; the integral brings it there."""
    without, with_integral = (
        run(
            sled(
                gravity=DOWN,
                motors=[servo(target=0.2, proportional=400.0, derivative=60.0, integral=I)],
            ),
            duration=10.0,
            fps=1,
        )
        for I in (0.0, 800.0)
    )

    assert coordinate(without)[-1] == pytest.approx(0.2 - MASS * 9.81 / 400.0, abs=1e-6)
    assert coordinate(with_integral)[-1] == pytest.approx(0.2, abs=1e-6)


def test_integral_does_not_wind_up_at_the_largest_force():
    """Held by a stop at full force for 1 s or for 6 s, the sled leaves it in the same way."""

    def leave(after):
        motor = servo(
            curve=Curve(times=[0.0, after], values=[1.0, -0.2], interpolation="step"),
            proportional=40.0,
            derivative=15.0,
            integral=30.0,
            max_force=5.0,
        )
        scene = sled(motors=[motor], limits=[Limit(upper=0.05)])
        recording = run(scene, duration=after + 2.0, fps=50)
        assert coordinate(recording)[recording.times <= after].max() == pytest.approx(0.05)
        return coordinate(recording)[-100:]

    assert leave(1.0) == pytest.approx(leave(6.0), abs=1e-9)


def test_servo_never_pushes_harder_than_its_limit():
    """Far from its target it accelerates with F/m, as a velocity motor at its limit does."""
    motor = servo(target=50.0, proportional=1e6, derivative=10.0, max_force=4.0)

    recording = run(sled(motors=[motor]), duration=2.0, fps=10)

    assert coordinate(recording) == pytest.approx(0.5 * 4.0 / MASS * recording.times**2, abs=1e-12)
    work = recording.diagnostics["energy_j"]["work_of_motors"]
    assert work == pytest.approx(4.0 * coordinate(recording)[-1], rel=1e-12)


def test_stiff_explicit_servo_ends_the_run_by_name():
    """It diverges, as every explicit rule does beyond h ω = 2; the error names the joint."""
    motor = servo(target=0.1, proportional=1e8, explicit=True)

    with pytest.raises(ic.SimulationError) as caught:
        run(sled(motors=[motor]), duration=5.0, fps=100)

    assert "rail" in str(caught.value)
    assert "explicit" in str(caught.value)
    assert not caught.value.recording.complete
    assert len(caught.value.recording.times) >= 1


CURVES = {
    "step": lambda t: np.where(t < 0.5, 0.0, np.where(t < 1.0, 0.3, -0.1)),
    "linear": lambda t: np.interp(t, [0.0, 0.5, 1.0], [0.0, 0.3, -0.1]),
}


@pytest.mark.parametrize("interpolation", CURVES)
def test_curve_as_velocity(interpolation):
    """The path is the integral of the curve, exactly, also across its breaks between steps."""
    curve = Curve(times=[0.0, 0.5, 1.0], values=[0.0, 0.3, -0.1], interpolation=interpolation)

    recording = run(sled(motors=[drive(curve=curve)]), duration=1.5, fps=10, step=0.03)

    fine = np.linspace(0.0, 1.5, 1_500_001)
    middle = CURVES[interpolation](0.5 * (fine[1:] + fine[:-1]))
    path = np.concatenate([[0.0], np.cumsum(middle * np.diff(fine))])
    exact = np.interp(recording.times, fine, path)
    assert coordinate(recording) == pytest.approx(exact, abs=1e-6)


def test_cubic_curve_as_target_of_a_servo():
    """A stiff servo goes through the samples of the spline."""
    curve = Curve(times=[0.0, 0.4, 1.0], values=[0.0, 0.2, -0.1], interpolation="cubic")
    motor = servo(curve=curve, proportional=1e9, derivative=1e6)

    recording = run(sled(motors=[motor]), duration=1.2, fps=5, step=0.01, tolerance=1e-10)

    at = {round(t, 6): x for t, x in zip(recording.times, coordinate(recording), strict=True)}
    assert at[0.4] == pytest.approx(0.2, abs=1e-6)
    assert at[1.0] == pytest.approx(-0.1, abs=1e-6)
    assert at[1.2] == pytest.approx(-0.1, abs=1e-6)


def test_target_without_a_value_ends_the_run():
    """An expression that breaks down on the way: joint, motor and time, and the frames so far."""
    scene = sled(motors=[drive(expression="sqrt(1 - t)")])

    with pytest.raises(ic.SimulationError) as caught:
        run(scene, duration=3.0, fps=10)

    message = str(caught.value)
    assert "rail" in message
    assert "sqrt(1 - t)" in message or "sqrt" in message
    recording = caught.value.recording
    (event,) = recording.events
    assert event["kind"] == "failure"
    assert event["joint"] == "rail"
    assert event["time"] == pytest.approx(1.0, abs=0.02)
    assert recording.times[-1] == pytest.approx(1.0, abs=0.11)
    assert np.isfinite(recording.positions).all()


@pytest.mark.parametrize(("build", "inertia"), [(sled, MASS), (rotor, MOMENT)])
def test_a_motor_that_brakes_less_than_it_drives(build, inertia):
    """Up to its speed it has 3, back from it 1: each part of the path is that of its own force."""
    up, back = 3.0 / inertia, 1.0 / inertia
    turn, h = 0.5, 0.01
    there_and_back = Curve(times=[0.0, turn], values=[50.0, -50.0], interpolation="step")
    motor = drive(curve=there_and_back, max_force=3.0, min_force=-1.0)

    recording = run(build(motors=[motor]), duration=2.0, fps=100, step=h)

    def exact(t):
        braking = np.maximum(t - turn, 0.0)
        driven = np.minimum(t, turn)
        return 0.5 * up * driven**2 + up * turn * braking - 0.5 * back * braking**2

    # the step at the turn may have either force in either half
    assert errors(recording, exact) <= (up + back) * h * 2.0
    late = recording.times > turn + h
    change = np.diff(coordinate(recording)[late], 2) / 0.01**2
    assert change == pytest.approx(-back, rel=1e-8)
    assert unbalance(recording) <= 1e-10


@pytest.mark.parametrize("explicit", [False, True])
def test_a_cable_pulls_and_does_not_push(explicit):
    """A servo with forces from -5 to 0 lets go of what is below its target."""
    gains = {"proportional": 1e4, "derivative": 1.0, "explicit": explicit}
    pull = {"max_force": 0.0, "min_force": -5.0}

    left, pulled = (
        run(sled(0.5, motors=[servo(target=target, **gains, **pull)]), duration=1.0, fps=20)
        for target in (100.0, -100.0)
    )

    t = left.times
    assert coordinate(left) == pytest.approx(0.5 * t, abs=1e-12)
    assert left.diagnostics["energy_j"]["work_of_motors"] == 0.0
    assert coordinate(pulled) == pytest.approx(0.5 * t - 0.5 * (5.0 / MASS) * t**2, abs=1e-11)
    assert unbalance(pulled) <= 1e-10


def test_a_weak_direction_against_friction():
    """A motor that holds its speed together with friction does no more work than its own force."""
    scene = sled(1.0, motors=[drive(target=1.0, max_force=9.0, min_force=-1.0)])
    scene.joints[0].frictions = [Friction(force=2.0)]
    scene.loads = [Load(body="sled", force=(-4.0, 0.0, 0.0))]

    recording = run(scene, duration=1.0, fps=10)

    assert coordinate(recording) == pytest.approx(recording.times, abs=1e-11)
    energy = recording.diagnostics["energy_j"]
    assert energy["work_of_motors"] == pytest.approx(6.0, rel=1e-11)
    assert energy["dissipated"] == pytest.approx(2.0, rel=1e-11)
    assert energy["work_of_loads"] == pytest.approx(-4.0, rel=1e-11)


@pytest.mark.parametrize(("least", "slides"), [(-4.0, False), (-3.0, True)])
def test_a_motor_at_rest_holds_a_load_in_its_weak_direction(least, slides):
    """Target zero, 3.5 N along the axis: it stays while the motor has as much against it."""
    scene = sled(motors=[drive(target=0.0, max_force=100.0, min_force=least)])
    scene.loads = [Load(body="sled", force=(3.5, 0.0, 0.0))]

    recording = run(scene, duration=1.0, fps=10)

    wanted = 0.5 * (0.5 / MASS) * recording.times**2 if slides else 0.0 * recording.times
    assert coordinate(recording) == pytest.approx(wanted, abs=1e-11)
    assert unbalance(recording) <= 1e-10


def force(**motor):
    return Motor(kind="force", **motor)


@pytest.mark.parametrize(("build", "inertia"), [(sled, MASS), (rotor, MOMENT)])
def test_a_constant_force(build, inertia):
    """½ F t²/m to round-off, and its work is force times way."""
    recording = run(build(motors=[force(target=-3.0)]), duration=1.0, fps=10)

    way = -0.5 * 3.0 / inertia * recording.times**2
    assert coordinate(recording) == pytest.approx(way, abs=1e-11)
    (joint,) = recording.joints.values()
    drive_key = "drive_torque" if build is rotor else "drive_force"
    assert joint[drive_key] == pytest.approx(-3.0, rel=1e-11)
    work = recording.diagnostics["energy_j"]["work_of_motors"]
    assert work == pytest.approx(-3.0 * way[-1], rel=1e-10)
    assert unbalance(recording) <= 1e-11


def test_a_force_by_an_expression_is_of_order_two():
    """Of a force F(t) = 5 sin 7t the way falls towards its integral with the square of the step."""

    def error(step):
        recording = run(
            sled(motors=[force(expression="5*sin(7*t)")]), duration=1.0, fps=1, step=step
        )
        exact = 5.0 / MASS / 7.0 * (1.0 - math.sin(7.0) / 7.0)
        assert unbalance(recording) <= 1e-11
        return abs(coordinate(recording)[-1] - exact)

    assert math.log2(error(0.01) / error(0.005)) == pytest.approx(2.0, abs=0.02)


def test_a_force_by_a_curve_within_limits():
    """What the curve asks for beyond the limits of the motor is not given, in either direction."""
    curve = Curve(times=[0.0, 0.5, 1.0], values=[9.0, -9.0, 0.0], interpolation="step")
    limits = {"max_force": 4.0, "min_force": -1.0}

    recording = run(sled(motors=[force(curve=curve, **limits)]), duration=2.0, fps=20)

    t = recording.times
    speed = 4.0 / MASS * np.clip(t, 0.0, 0.5) - 1.0 / MASS * np.clip(t - 0.5, 0.0, 0.5)
    late = t >= 1.0
    rates = np.diff(coordinate(recording)[late]) * 20
    assert rates == pytest.approx(speed[late][:-1], abs=1e-9)
    assert unbalance(recording) <= 1e-10


def test_a_force_motor_on_a_pendulum_with_armature_and_friction():
    """A torque that swings a geared arm: the energy is that of motor and friction to order two."""

    def report(step):
        scene = chain(2, ["hinge", "hinge"])
        scene.joints[0].motors = [force(expression="6*cos(3*t)", max_force=5.0, min_force=-2.0)]
        scene.joints[0].armature = 0.4
        scene.joints[0].frictions = [Friction(force=0.3)]
        recording = run(scene, duration=3.0, fps=10, step=step, tolerance=1e-10)
        assert abs(recording.diagnostics["energy_j"]["work_of_motors"]) > 1.0
        assert recording.diagnostics["energy_j"]["dissipated"] > 0.3
        return unbalance(recording)

    assert report(0.005) <= 0.3 * report(0.01)
