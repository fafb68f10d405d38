"""Solvers sle and iterative: the motion of the direct solver, and what a budget costs."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.geometry.rotations import rotated
from impulse_core.methods.sle import JointSystems, forests
from impulse_schema.models import Joint, Load
from tests.core.probes import Probe
from tests.core.scenes import (
    box,
    chain,
    double_pendulum,
    four_bar,
    mixed_pendulum,
    random_tree,
    scene_of,
)

ROOT = Path(__file__).resolve().parents[2]
SOLVERS = ("sle", "iterative")
ORDER = {"imp2": 2, "imp4": 4, "imp6": 6, "imp8": 8}


def sample(name):
    return ic.load_scene(ROOT / "sample_scenes" / f"{name}.xml")


def moving_four_bar():
    """A parallelogram of redundant hinges whose cranks turn."""
    scene = four_bar()
    for body in scene.bodies:
        body.angular_velocity = (0.0, 0.0 if body.name == "coupler" else 2.0, 0.0)
        body.velocity = (2.0 if body.name == "coupler" else 1.0, 0.0, 0.0)
    return scene


def hub(count):
    """Boxes on joints of all kinds around one body that hangs on the world."""
    scene = scene_of([box("hub", (0.0, 0.0, 0.0), (1.0, 1.0, 0.2), 5.0)])
    scene.joints = [Joint(name="top", type="ball", body2="hub", anchor=(0.1, 0.0, 0.4))]
    for k in range(count):
        angle = 2.0 * np.pi * k / count
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        scene.bodies.append(box(f"b{k}", 0.9 * out - np.array([0.0, 0.0, 0.1 * k])))
        kind = ("ball", "hinge", "cylindrical", "slider")[k % 4]
        axis = None if kind == "ball" else (out[1], -out[0], 0.3)
        scene.joints.append(
            Joint(
                name=f"j{k}",
                type=kind,
                body1="hub",
                body2=f"b{k}",
                anchor=tuple(0.5 * out),
                axis=axis,
            )
        )
    return scene


def loaded():
    """A hinge, a ball joint and a fixed joint under a load in body axes."""
    scene = mixed_pendulum()
    scene.loads = [Load(body="rod-2", force=(3.0, 1.0, -2.0), axes="body", point=(0.0, 0.0, -0.3))]
    return scene


SCENES = {
    "tree": lambda: random_tree(np.random.default_rng(3), 12),
    "hub": lambda: hub(9),
    "four-bar": moving_four_bar,
    "slider-crank": lambda: sample("mechanisms/slider-crank"),
    "chain with both ends fixed": lambda: sample("chains/chain-8-loop"),
    "load": loaded,
}


@cache
def run(name, **options):
    return ic.simulate(SCENES[name](), fps=10.0, **options)


def apart(first, second):
    """Largest distance between bodies of two recordings at their ends [m]."""
    return float(np.abs(first.positions[-1] - second.positions[-1]).max())


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_same_motion_as_the_direct_solver(name, solver):
    """All solvers bring joints within the tolerance, and bodies to the same places as far as that
    determines them.
    """
    options = {"duration": 0.3, "tolerance": 1e-11}
    direct, other = run(name, **options), run(name, solver=solver, **options)

    report = other.diagnostics
    assert other.solver == solver
    assert report["max_joint_error_m"] <= 1e-11
    assert report["halvings"] == direct.diagnostics["halvings"] == 0
    assert apart(direct, other) < 1e-8
    assert apart(direct, run(name, **options | {"tolerance": 1e-5})) > 1e-8
    energy, expected = report["energy_j"], direct.diagnostics["energy_j"]
    assert energy["final"] == pytest.approx(expected["final"], abs=1e-8 * energy_scale(direct))
    assert energy["work_of_loads"] == pytest.approx(expected["work_of_loads"], abs=1e-7)


def energy_scale(recording):
    return 1.0 + float(np.abs(recording.energy["kinetic"]).max())


@pytest.mark.parametrize("method", ["imp2", "imp4", "imp6", "imp8", "imp10"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_method(method, solver):
    """Compositions take the stages of any solver, negative ones included."""
    options = {"duration": 0.1, "step": 0.02, "tolerance": 1e-12, "method": method}
    for name in ("load", "chain with both ends fixed"):
        assert apart(run(name, **options), run(name, solver=solver, **options)) < 1e-9


@pytest.mark.parametrize("method", ORDER)
@pytest.mark.parametrize("solver", SOLVERS)
def test_orders_hold(method, solver):
    """The error falls by two to the order of the method when the step is halved."""
    step = {"imp2": 0.005, "imp4": 0.01, "imp6": 0.02, "imp8": 0.04}[method]
    options = {"duration": 0.32, "tolerance": 1e-14}
    exact = run("load", method="imp10", step=0.01, **options)
    errors = [
        apart(exact, run("load", method=method, step=length, solver=solver, **options))
        for length in (step, step / 2)
    ]

    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDER[method], abs=0.3)


def test_forests_break_every_loop():
    """Each joint is in one forest, and no forest joins two bodies twice, the world being one."""
    scene = sample("mechanisms/scissor-lift")
    model = Probe(scene).model

    found = forests(model)

    assert sorted(joint for forest in found for joint in forest) == list(range(len(model.joints)))
    assert len(found) >= 2
    for forest in found:
        group = list(range(model.dynamic + 1))
        for joint in forest:
            a, b = group[model.joints["body1"][joint]], group[model.joints["body2"][joint]]
            assert a != b
            group = [a if member == b else member for member in group]


@pytest.mark.parametrize(
    ("name", "expected"), [("tree", 1), ("hub", 1), ("four-bar", 2), ("slider-crank", 2)]
)
def test_closing_joints_are_a_second_system(name, expected):
    """A scene without loops is one system; a loop adds one."""
    assert len(forests(Probe(SCENES[name]()).model)) == expected


def test_systems_solve_what_a_dense_matrix_does():
    """A of the rows of all joints is G M⁻¹ Gᵀ, with G found by giving each body a unit velocity."""
    probe = Probe(random_tree(np.random.default_rng(8), 9))
    G = probe.gradient()
    A = G @ np.linalg.solve(probe.mass_matrix(), G.T)
    right_side = np.zeros(probe.used.shape)
    right_side[probe.used] = np.random.default_rng(1).normal(size=len(A))
    systems = JointSystems(probe.model)
    impulse = np.full(probe.used.shape, np.nan)
    probe.look()

    systems.factorise(probe.state, probe.work)
    (system,) = systems.systems
    system.solve(right_side, impulse)

    expected = np.linalg.solve(A, right_side[probe.used])
    assert impulse[probe.used] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert not impulse[~probe.used].any()


@pytest.mark.parametrize("kind", ["ball", "hinge", "universal", "cylindrical", "distance"])
def test_one_joint_needs_one_velocity_correction(kind):
    """The matrix of a joint is exact: where there is no other joint, one impulse a stage does."""
    scene = random_tree(np.random.default_rng(5), 1, types=(kind,))

    report = ic.simulate(scene, duration=0.1, solver="iterative").diagnostics

    assert report["velocity_corrections_per_step"]["max"] == 1
    assert report["impulses_per_step"]["max"] == report["corrections_per_step"]["max"] + 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_loose_tolerance_costs_less(solver):
    """Corrections are made until joints are within the tolerance, not to round-off."""
    loose, tight = (
        run("chain with both ends fixed", duration=0.2, solver=solver, tolerance=tolerance)
        for tolerance in (1e-4, 1e-11)
    )

    assert 1e-11 < loose.diagnostics["max_joint_error_m"] <= 1e-4
    assert (
        loose.diagnostics["impulses_per_step"]["mean"]
        < 0.7 * tight.diagnostics["impulses_per_step"]["mean"]
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_failure_is_named(solver):
    """A torque that no step length can follow ends the run with the joint's name."""
    scene = double_pendulum()
    for body in scene.bodies:
        body.geometry[0].size = (0.1, 0.1, 1.0)
    scene.loads = [Load(body="rod-1", torque=(0.0, 1e12, 0.0), from_=0.05)]

    with pytest.raises(ic.SimulationError, match="joint-") as caught:
        ic.simulate(scene, duration=0.2, solver=solver)

    recording = caught.value.recording
    assert not recording.complete
    assert recording.diagnostics["halvings"] >= 10
    assert recording.events[-1]["kind"] == "failure"
    assert np.isfinite(recording.positions).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_frames_do_not_change_the_motion(solver):
    """Frames between steps are reached on a copy, whatever the solver keeps beside the state."""
    scene = mixed_pendulum()
    few, many = (
        ic.simulate(scene, duration=0.1, fps=fps, solver=solver).diagnostics
        for fps in (10.0, 333.0)
    )

    assert few["state_sha256"] == many["state_sha256"]
    assert few["impulses_per_step"] == many["impulses_per_step"]


def test_ctrl_c_inside_a_step(monkeypatch):
    """Solver sle can be interrupted inside a step; the state is then that before the step."""
    from impulse_core.methods import sle

    calls = 0
    original = sle.take_prediction

    def interrupt(*arguments):
        nonlocal calls
        calls += 1
        if calls == 8:  # the first call is that which loads the kernels
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(sle, "take_prediction", interrupt)
    recording = ic.simulate(double_pendulum(), duration=0.2, solver="sle")
    monkeypatch.undo()

    steps = recording.diagnostics["step_count"]
    whole = ic.simulate(double_pendulum(), duration=0.01 * steps, solver="sle")
    assert recording.diagnostics["interrupted"]
    assert steps == 6
    assert recording.diagnostics["state_sha256"] == whole.diagnostics["state_sha256"]


def budgeted(corrections, **options):
    scene = sample("chains/chain-8-loop")
    return ic.simulate(
        scene, duration=1.0, solver="iterative", budget_corrections=corrections, **options
    )


def largest_gap(recording):
    """Largest distance between the ends of neighbouring bars in the frames [m]."""
    probe = Probe(sample("chains/chain-8-loop"))
    model = probe.model
    world = np.zeros((len(recording.times), 1, 3))
    still = np.tile((1.0, 0.0, 0.0, 0.0), (len(recording.times), 1, 1))
    position = np.concatenate([recording.positions, world], axis=1)
    orientation = np.concatenate([recording.orientations, still], axis=1)
    ends = [
        position[:, body] + rotated(orientation[:, body], anchor)
        for body, anchor in (
            (model.joints["body1"], model.joints["anchor1"]),
            (model.joints["body2"], model.joints["anchor2"]),
        )
    ]
    return float(np.linalg.norm(ends[1] - ends[0], axis=-1).max())


def test_budget_ends_steps_with_a_valid_state():
    """A small budget cuts steps; the run goes on, and the reported error is that of the frames."""
    recording = budgeted(60)
    report = recording.diagnostics
    budget = report["budget"]

    assert recording.complete
    assert np.isfinite(recording.positions).all()
    assert budget["limit_corrections"] == 60
    assert budget["limit_ms"] is None
    assert 90 <= budget["steps_cut"] <= 100
    assert report["impulses_per_step"]["max"] == 60
    assert budget["max_joint_error_m"] == report["max_joint_error_m"] > report["tolerance_m"]
    assert 0.0 < budget["mean_joint_error_m"] < budget["max_joint_error_m"]
    gap = largest_gap(recording)
    assert report["tolerance_m"] < gap <= 1.000001 * budget["max_joint_error_m"]


def test_more_budget_is_more_accurate():
    """Each tenfold budget brings joints closer together, down to the tolerance."""
    small, middle, large = (
        budgeted(n, tolerance=1e-12).diagnostics["budget"]["mean_joint_error_m"]
        for n in (30, 300, 3000)
    )

    assert small < 0.05
    assert middle < 0.5 * small
    assert large < 0.1 * middle


def test_cut_steps_mend_later():
    """What a budget left open the next steps close: at rest the error goes away, not up."""
    scene = chain(6, ["ball"] * 6, tilt=0.0)
    scene.bodies[-1].angular_velocity = (0.0, 3.0, 0.0)
    recording = ic.simulate(scene, duration=4.0, solver="iterative", budget_corrections=40)

    energy = recording.energy["total"]
    assert recording.diagnostics["budget"]["steps_cut"] > 100
    assert recording.diagnostics["max_joint_error_m"] < 0.02
    assert np.abs(energy - energy[0]).max() < 0.05 * abs(energy[0])


@pytest.mark.parametrize("name", [*SCENES, "scissor lift"])
def test_starved_runs_stay_finite(name):
    """One round through the joints in each half of a stage: inaccurate, but not unstable."""
    scene = sample("mechanisms/scissor-lift") if name == "scissor lift" else SCENES[name]()
    free = ic.simulate(scene, duration=1.0)
    starved = ic.simulate(scene, duration=1.0, solver="iterative", budget_corrections=1)

    report = starved.diagnostics
    assert starved.complete
    assert report["impulses_per_step"]["max"] <= 2 * len(scene.joints)
    assert report["max_joint_error_m"] < 0.3 * size_of(scene)
    assert starved.energy["kinetic"].max() < 100.0 * free.energy["kinetic"].max()


def size_of(scene):
    """Size of the scene [m]."""
    return float(Probe(scene).model.size)


def test_corrections_budget_is_deterministic():
    """The same number of corrections gives the same bits, and a budget never reached none other
    than no budget.
    """
    scene = sample("chains/chain-8-loop")
    free = ic.simulate(scene, duration=1.0, solver="iterative").diagnostics
    hashes = {budgeted(60, fps=fps).diagnostics["state_sha256"] for fps in (25.0, 3.0)}
    ample = budgeted(10**6).diagnostics

    assert len(hashes) == 1
    assert ample["budget"]["steps_cut"] == 0
    assert ample["state_sha256"] == free["state_sha256"] not in hashes
    assert free["budget"] is None


@pytest.mark.parametrize("method", ["imp4", "imp8"])
def test_budget_is_shared_by_the_stages(method):
    """A composed step keeps to the budget of the step as a whole."""
    report = budgeted(1000, method=method).diagnostics

    assert report["budget"]["steps_cut"] > 0
    assert report["impulses_per_step"]["max"] <= 1000
    assert report["max_joint_error_m"] < 0.1


def test_budget_of_time():
    """Time for next to nothing cuts every step; time for everything none, with the same bits."""
    scene = sample("chains/chain-8-loop")
    free = ic.simulate(scene, duration=0.2, solver="iterative").diagnostics
    short, long = (
        ic.simulate(scene, duration=0.2, solver="iterative", budget_ms=limit)
        for limit in (1e-6, 1e4)
    )

    assert short.complete
    assert np.isfinite(short.positions).all()
    assert short.diagnostics["budget"]["limit_ms"] == 1e-6
    assert short.diagnostics["budget"]["steps_cut"] == 20
    assert short.diagnostics["impulses_per_step"]["max"] <= 2 * len(scene.joints)
    assert long.diagnostics["budget"]["steps_cut"] == 0
    assert long.diagnostics["state_sha256"] == free["state_sha256"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"budget_ms": 1.0}, "direct"),
        ({"budget_ms": 1.0, "solver": "sle"}, "sle"),
        ({"budget_corrections": 5}, "direct"),
        ({"budget_ms": 1.0, "budget_corrections": 5, "solver": "iterative"}, "exclude"),
        ({"budget_ms": 0.0, "solver": "iterative"}, "budget_ms"),
        ({"budget_ms": float("nan"), "solver": "iterative"}, "budget_ms"),
        ({"budget_corrections": 0, "solver": "iterative"}, "budget_corrections"),
        ({"budget_corrections": 1.5, "solver": "iterative"}, "budget_corrections"),
        ({"solver": "cholesky"}, "iterative"),
    ],
)
def test_refused(options, named):
    """Budgets that a solver cannot keep, and solvers that do not exist."""
    with pytest.raises(ic.OptionError, match=named):
        ic.simulate(double_pendulum(), **options)


def test_no_joints():
    """Bodies without joints move freely, whatever the solver."""
    scene = scene_of([box("a", (0.0, 0.0, 0.0), angular_velocity=(1.0, 2.0, 3.0))])
    hashes = {
        ic.simulate(scene, duration=0.1, solver=solver).diagnostics["state_sha256"]
        for solver in ("direct", *SOLVERS)
    }

    assert len(hashes) == 1


def test_other_solvers_are_loaded_when_chosen():
    """A run with the direct solver loads neither SciPy nor the kernels of the others."""
    code = (
        "import sys, impulse_core as ic;"
        f"ic.simulate(ic.load_scene({str(ROOT / 'sample_scenes/pendulums/pendulum.xml')!r}),"
        " duration=0.05, method='imp2');"
        "print(sorted(m for m in sys.modules if m.startswith('impulse_core.solver.')),"
        " 'scipy.sparse' in sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout

    assert "direct" in printed
    assert "iterative" not in printed
    assert "sle" not in printed
    assert "False" in printed


def test_frames_do_not_use_up_the_budget():
    """Steps ahead to frames on a copy are neither counted as cut nor change what follows."""
    scene = double_pendulum()
    whole, frames = (
        ic.simulate(scene, duration=0.2, fps=fps, solver="iterative", budget_corrections=5)
        for fps in (10.0, 371.0)
    )

    assert whole.diagnostics["budget"] == frames.diagnostics["budget"]
    assert whole.diagnostics["state_sha256"] == frames.diagnostics["state_sha256"]
