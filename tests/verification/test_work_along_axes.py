"""Work of what acts along free axes while something opposes it: closed forms, and the balance."""

from __future__ import annotations

import math

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from impulse_schema.models import Body, Friction, Joint, Limit, Load, Motor, Scene, Spring
from tests.core.machines import coordinate, run, unbalance
from tests.core.scenes import NO_GRAVITY, scene_of

STEPS = [0.01, 0.005, 0.0013]


def machine(kind: str, inertia: float, speed: float, load: float, gravity=NO_GRAVITY, **elements):
    """One body of an inertia [kg | kg m²] on a slider along x or a hinge about y, which moves at a
    speed [m/s | rad/s] while a load [N | N m] pushes it on.
    """
    turns = kind == "hinge"
    moving = {"angular_velocity": (0.0, speed, 0.0)} if turns else {"velocity": (speed, 0.0, 0.0)}
    body = Body(
        name="wheel",
        mass=1.0 if turns else inertia,
        inertia=(0.6 * inertia, inertia, 0.7 * inertia),
        **moving,
    )
    axis = (0.0, 1.0, 0.0) if turns else (1.0, 0.0, 0.0)
    joint = Joint(
        name="pin" if turns else "rail", type=kind, body2="wheel", anchor=(0, 0, 0), axis=axis
    )
    push = {"torque": (0.0, load, 0.0)} if turns else {"force": (load, 0.0, 0.0)}
    return scene_of(
        [body],
        [joint.model_copy(update=elements)],
        gravity=gravity,
        loads=[Load(body="wheel", **push)] if load else [],
    )


def energies(scene: Scene, duration: float = 1.0, **options) -> dict[str, float]:
    recording = run(scene, duration=duration, fps=10, **options)
    return {**recording.diagnostics["energy_j"], "way": float(coordinate(recording)[-1])}


def opposing(element: str, speed: float, load: float) -> dict[str, list]:
    """Something along the axis that balances a load at a steady speed, from the start on."""
    stiffness, damping = 200.0, 4.0
    lag = load / stiffness
    return {
        "velocity": {"motors": [Motor(kind="velocity", target=speed)]},
        "limited velocity": {
            "motors": [Motor(kind="velocity", target=speed, max_force=2.0 * abs(load))]
        },
        "servo": {
            "motors": [
                Motor(
                    kind="servo",
                    expression=f"{speed!r}*t - {lag!r}",
                    proportional=stiffness,
                    derivative=damping,
                )
            ]
        },
        "servo at its largest force": {
            "motors": [
                Motor(
                    kind="servo",
                    target=-max(1e6, 10.0 * abs(load) / stiffness),
                    proportional=stiffness,
                    max_force=abs(load),
                )
            ]
        },
        "damper": {"springs": [Spring(damping=load / speed)]},
        "friction": {"frictions": [Friction(force=load)]},
    }[element]


DRIVES = ["velocity", "limited velocity", "servo", "servo at its largest force"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kind", ["hinge", "slider"])
@pytest.mark.parametrize("element", [*DRIVES, "damper", "friction"])
def test_steady_motion_against_a_load(kind, element, step):
    """A light wheel at 3 rad/s under 12 N m: in 1 s the load does 36 J and what opposes it takes
    them, to round-off, at every step.
    """
    energy = energies(machine(kind, 5e-4, 3.0, 12.0, **opposing(element, 3.0, 12.0)), step=step)

    assert energy["way"] == pytest.approx(3.0, rel=1e-10)
    assert energy["work_of_loads"] == pytest.approx(36.0, rel=1e-10)
    taken = {"work_of_motors": 0.0, "dissipated": 0.0}
    taken["work_of_motors" if element in DRIVES else "dissipated"] = 36.0
    assert -energy["work_of_motors"] == pytest.approx(taken["work_of_motors"], rel=1e-10, abs=1e-9)
    assert energy["dissipated"] == pytest.approx(taken["dissipated"], rel=1e-10, abs=1e-9)
    assert energy["max_abs_drift"] <= 1e-9


@given(
    kind=st.sampled_from(["hinge", "slider"]),
    element=st.sampled_from([*DRIVES, "damper", "friction"]),
    inertia=st.floats(-5.0, 3.0).map(lambda x: 10.0**x),
    speed=st.floats(0.01, 20.0),
    load=st.floats(0.001, 1.0),
    step=st.floats(5e-4, 0.05),
)
@settings(max_examples=60, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_work_against_a_load_does_not_depend_on_the_inertia(
    kind, element, inertia, speed, load, step
):
    """Steady motion, whatever is moved, how fast, against what and at which step: load times way,
    once by the load and once by what opposes it. The load alone would move what is at rest by up to
    1 rad or 1 m in a step.
    """
    load *= inertia / step**2
    energy = energies(
        machine(kind, inertia, speed, load, **opposing(element, speed, load)),
        duration=20.0 * step,
        step=step,
    )

    done = load * speed * 20.0 * step
    scale = done + 0.5 * inertia * speed**2
    assert energy["work_of_loads"] == pytest.approx(done, abs=1e-8 * scale)
    assert energy["dissipated"] - energy["work_of_motors"] == pytest.approx(done, abs=1e-8 * scale)
    assert energy["max_abs_drift"] <= 1e-8 * scale


@pytest.mark.parametrize("step", STEPS)
def test_motor_against_friction_against_load(step):
    """All three along one axis: each does its force times the way."""
    elements = opposing("limited velocity", 3.0, 12.0) | {"frictions": [Friction(force=5.0)]}

    energy = energies(machine("hinge", 5e-4, 3.0, 12.0, **elements), step=step)

    assert energy["work_of_loads"] == pytest.approx(36.0, rel=1e-10)
    assert energy["dissipated"] == pytest.approx(15.0, rel=1e-10)
    assert energy["work_of_motors"] == pytest.approx(-21.0, rel=1e-10)


@pytest.mark.parametrize("step", STEPS)
def test_friction_under_a_load_that_wins(step):
    """a = (F - R)/m from rest: friction takes R ½ a t², the load does F ½ a t², exactly."""
    scene = machine("slider", 0.01, 0.0, 12.0, frictions=[Friction(force=10.0)])

    energy = energies(scene, duration=20 * step, step=step)

    way = 0.5 * (2.0 / 0.01) * (20 * step) ** 2
    assert energy["way"] == pytest.approx(way, rel=1e-9)
    assert energy["dissipated"] == pytest.approx(10.0 * way, rel=1e-9)
    assert energy["work_of_loads"] == pytest.approx(12.0 * way, rel=1e-9)


@pytest.mark.parametrize("element", ["servo", "damper"])
def test_unsteady_work_is_of_second_order(element):
    """What starts from rest under a load: the work tends to its limit with the square of the step,
    and loads, motors and dampers sum up to the energy at every step.
    """
    elements = {
        "servo": {"motors": [Motor(kind="servo", target=0.0, proportional=40.0, derivative=2.0)]},
        "damper": {"springs": [Spring(damping=6.0)]},
    }[element]
    coarse, fine, finest = (
        energies(machine("slider", 0.8, 0.0, 12.0, **elements), duration=0.24, step=h)
        for h in (0.006, 0.003, 1e-4)
    )

    for key in ("work_of_loads", "work_of_motors", "dissipated"):
        error = abs(coarse[key] - finest[key])
        if error > 1e-9:
            assert math.log2(error / abs(fine[key] - finest[key])) == pytest.approx(2.0, abs=0.2)
    assert max(coarse["max_abs_drift"], fine["max_abs_drift"]) <= 1e-12


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kind", ["hinge", "slider"])
def test_limit_hit_under_a_load(kind, step):
    """Pushed against a stop by a load: it takes what the load did on the way, as exactly as the
    moment of the impact is known, and the balance is kept to round-off through the impact.
    """
    scene = machine(kind, 0.8, 0.0, 12.0, limits=[Limit(upper=0.37)])

    energy = energies(scene, step=step)

    speed = math.sqrt(2.0 * 12.0 * 0.37 / 0.8)
    assert energy["way"] == pytest.approx(0.37, abs=1e-12)
    assert energy["work_of_loads"] == pytest.approx(12.0 * 0.37, abs=12.0 * speed * step)
    assert energy["dissipated"] == pytest.approx(energy["work_of_loads"], rel=1e-12)
    assert energy["max_abs_drift"] <= 1e-12


def test_resting_costs_nothing():
    """Pressed on a stop by load, weight and motor: after the impact nobody works any more."""
    limits, motors = [Limit(upper=0.1)], [Motor(kind="velocity", target=1.0, max_force=20.0)]
    scene = machine("slider", 0.8, 0.0, 3.0, (5.0, 0.0, 0.0), limits=limits, motors=motors)

    short, long = (energies(scene, duration=duration) for duration in (1.0, 3.0))

    for key in ("work_of_loads", "work_of_motors", "dissipated"):
        assert long[key] == pytest.approx(short[key], abs=1e-12)
    # to the step in which it arrives, at the speed of the motor
    assert short["work_of_motors"] == pytest.approx(0.5 * 0.8 - 0.1 * (3.0 + 4.0), abs=0.2)
    assert unbalance(run(scene, duration=1.0)) <= 1e-12
