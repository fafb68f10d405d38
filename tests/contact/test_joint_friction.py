"""Dry friction in the joints of machines that stand, hang or swing: every step is satisfied."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import quaternion_to_matrix
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, CouplingTerm, Friction, Geometry, Joint, Material, Motor
from tests.contact.scenes import scene
from tests.core.scenes import scene_of

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def stand(
    friction: float, rolling: float, legs: int = 4, *, sideways: bool = False, **settings
) -> Scene:
    """A table on legs of two links each, with servos and dry friction in hips and knees, on balls
    that resist rolling; ``sideways`` with a third link and hinge between trunk and hip.
    """
    rubber = Material(name="rubber", static_friction=0.8, rolling_friction=rolling)
    trunk = Body(
        name="trunk",
        position=(0.0, 0.0, 0.3),
        mass=5.0,
        center_of_mass=(0.02, 0.002, 0.0),
        inertia=(0.017, 0.063, 0.072),
    )
    bodies, joints = [trunk], []
    for k in range(legs):
        turn = 2.0 * np.pi * (k + 0.5) / legs
        x, y = 0.27 * np.cos(turn), 0.18 * np.sin(turn)
        for part, z, mass in (("thigh", 0.225, 1.0), ("calf", 0.085, 0.2)):
            bodies.append(
                Body(
                    name=f"{part}-{k}",
                    position=(x, y, z),
                    mass=mass,
                    inertia=(0.0046 * mass, 0.0046 * mass, 4e-4 * mass),
                )
            )
        bodies[-1].geometry.append(
            Geometry(shape="sphere", radius=0.02, position=(0.0, 0.0, -0.065), material="rubber")
        )
        hinges = [
            ("hip", "trunk", f"thigh-{k}", 0.3, Y),
            ("knee", f"thigh-{k}", f"calf-{k}", 0.15, Y),
        ]
        if sideways:
            side = Body(name=f"side-{k}", position=(x, y, 0.3), mass=0.6, inertia=(1e-3,) * 3)
            bodies.append(side)
            hinges[0] = ("hip", f"side-{k}", f"thigh-{k}", 0.3, Y)
            hinges.append(("side", "trunk", f"side-{k}", 0.3, X))
        for name, a, b, z, axis in hinges:
            hinge = Joint(
                name=f"{name}-{k}", type="hinge", body1=a, body2=b, anchor=(x, y, z), axis=axis
            )
            hinge.motors.append(
                Motor(kind="servo", proportional=100.0, derivative=2.0, target=0.05, max_force=24.0)
            )
            if friction:
                hinge.frictions.append(Friction(force=friction))
            joints.append(hinge)
    standing = scene(*bodies, materials=(rubber,), **settings)
    standing.joints.extend(joints)
    return standing


@pytest.mark.parametrize("step", [0.002, 0.01])
@pytest.mark.parametrize("rolling", [0.0, 0.01])
def test_table_with_friction_in_its_joints_stands(rolling, step):
    """Legs that stick at both ends hold more than there is to hold: few corrections suffice, few
    steps are divided, and it stands where it would without friction, a little higher.
    """
    held, free = (
        ic.simulate(stand(friction, rolling), step=step, duration=0.6, fps=10)
        for friction in (0.2, 0.0)
    )

    figures = held.diagnostics
    assert figures["halvings"] <= 0.1 * figures["step_count"]
    assert figures["velocity_corrections_per_step"]["mean"] <= 3.0
    assert figures["energy_j"]["max_abs_drift"] <= 1e-3
    assert held.positions[-1, 1] == pytest.approx(free.positions[-1, 1], abs=5e-3)


def test_legs_that_stick_at_both_ends_need_few_rounds():
    """Three axes and a foot that stick leave a leg almost nothing: with soft axes a round gained a
    factor of two, and each half took four.
    """
    figures = ic.simulate(
        stand(1.0, 0.0, sideways=True), step=0.002, duration=0.4, fps=10
    ).diagnostics

    assert figures["velocity_corrections_per_step"]["mean"] <= 3.0
    assert figures["velocity_corrections_per_step"]["max"] <= 12


@given(
    friction=st.floats(0.05, 1.5),
    rolling=st.sampled_from([0.0, 0.003, 0.02]),
    legs=st.integers(3, 6),
    sideways=st.booleans(),
    step=st.sampled_from([0.001, 0.003, 0.008]),
)
@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_machines_that_stand_by_friction(friction, rolling, legs, sideways, step):
    """Other numbers of legs, frictions and steps: complete, hardly ever a divided step."""
    recording = ic.simulate(
        stand(friction, rolling, legs, sideways=sideways),
        step=step,
        duration=60 * step,
        fps=1 / (20 * step),
    )

    assert recording.complete
    assert recording.diagnostics["halvings"] <= 2
    assert recording.diagnostics["velocity_corrections_per_step"]["mean"] <= 4.0


@pytest.mark.parametrize(
    ("friction", "rolling", "legs", "step"),
    [(0.0, 0.01, 4, 0.002), (0.2, 0.01, 4, 0.01), (0.234, 0.02, 6, 0.008)],
)
def test_feet_that_resist_rolling_keep_their_law(friction, rolling, legs, step):
    """Sliding and rolling of all feet are solved for at once: no step is divided, and none moves
    against its law by more than some micrometres.
    """
    recording = ic.simulate(stand(friction, rolling, legs), step=step, duration=100 * step, fps=50)

    assert recording.complete
    assert recording.diagnostics["halvings"] == 0
    assert recording.diagnostics["contacts"]["max_violation_m"] <= 1e-5


def test_what_sticking_feet_contradict_each_other_by_creates_nothing():
    """Joints and feet stick, and some directions move by no force that friction can bear: what laws
    lack along these, 4e-9 m, counted as created energy, and divided 15 of 60 steps.
    """
    machine = stand(1.3, 0.02, 6, sideways=True)
    figures = ic.simulate(machine, step=0.008, duration=0.48, fps=10).diagnostics

    assert figures["halvings"] <= 1
    assert figures["contacts"]["max_violation_m"] <= 1e-5


def hanging_tree(rng: np.random.Generator, count: int, friction: float) -> Scene:
    """Links on hinges about random axes, with dry friction in each, held by the world."""
    bodies, joints = [], []
    ends = [("world", np.zeros(3))]
    for k in range(count):
        parent, at = ends[int(rng.integers(max(0, len(ends) - 4), len(ends)))]
        way = 0.2 * _direction(rng)
        mass = float(10.0 ** rng.uniform(-1.0, 0.7))
        bodies.append(
            Body(
                name=f"link-{k}",
                position=tuple(at + 0.5 * way),
                mass=mass,
                inertia=tuple(mass * rng.uniform(2e-3, 3e-3, 3)),
            )
        )
        joints.append(
            Joint(
                name=f"hinge-{k}",
                type="hinge",
                body1=parent,
                body2=f"link-{k}",
                anchor=tuple(at),
                axis=tuple(_direction(rng)),
                frictions=[Friction(force=friction * float(10.0 ** rng.uniform(-1.0, 0.5)))],
            )
        )
        ends.append((f"link-{k}", at + way))
    return scene_of(bodies, joints)


def _direction(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def axis_rates(engine: Engine) -> np.ndarray:
    """a·(ω2 - ω1) of all hinges [rad/s] from the state alone."""
    model, state = engine.model, engine.state
    spin = []
    for q, L, inverse in zip(
        state.bodies["orientation"],
        state.bodies["angular_momentum"],
        model.bodies["inverse_inertia"],
        strict=True,
    ):
        R = quaternion_to_matrix(q)
        spin.append(R @ (inverse * (R.T @ L)))
    rates = []
    for j in model.axes["joint"]:
        i1, i2 = model.joints["body1"][j], model.joints["body2"][j]
        axis = quaternion_to_matrix(state.bodies["orientation"][i1]) @ model.joints["axis1"][j]
        rates.append(axis @ (spin[i2] - spin[i1]))
    return np.array(rates)


@given(
    seed=st.integers(0, 10**6),
    count=st.integers(2, 24),
    friction=st.floats(0.02, 5.0),
    step=st.sampled_from([0.001, 0.004, 0.01]),
    coupled=st.booleans(),
)
@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_laws_of_friction_hold_in_every_step(seed, count, friction, step, coupled):
    """Random trees, some with couplings that tie axes which stick, so that they hold each other
    twice: seen from outside, each impulse is within its friction, and opposes what slips with all
    of it. No step is divided.
    """
    rng = np.random.default_rng(seed)
    tree = hanging_tree(rng, count, friction)
    if coupled:
        for k in range(0, count - 2, 3):
            tree.joints.append(
                Joint(
                    name=f"gear-{k}",
                    type="coupling",
                    terms=[
                        CouplingTerm(joint=f"hinge-{k}", coefficient=1.0),
                        CouplingTerm(joint=f"hinge-{k + 1}", coefficient=-0.7),
                    ],
                )
            )
    compiled = compile_scene(tree, assemble=False)
    options = choose_options(compiled, step=step)
    engine = Engine(compiled, options, assemble=False)
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    largest = 0.5 * step * engine.model.axes["friction"]

    for n in range(25):
        assert engine.advance(step, 1, n)
        p, u = engine.work.axes["impulse"], axis_rates(engine)
        near = options.tolerance / step * 100.0  # forces' errors add up: laws are met far closer
        assert np.abs(p).max(initial=0.0) < np.inf
        assert (np.abs(p) <= largest * (1.0 + 1e-6) + 1e-12).all()
        slips = np.abs(u) * engine.model.axes["length"] > near
        assert p[slips] == pytest.approx(-np.sign(u[slips]) * largest[slips], rel=1e-6)

    assert int(engine.tally.totals["halvings"][0]) == 0
    assert float(engine.tally.totals["dissipated"][0]) >= -1e-9
