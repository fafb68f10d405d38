"""Couplings: their rows in the joint matrix, their counts, and those that are refused."""

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import SceneError, compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema.models import Joint, SpringDamper
from tests.core.gears import (
    coupling,
    differential,
    gear_pair,
    geared_machine,
    rack_and_pinion,
    ring_of_gears,
)
from tests.core.probes import Probe
from tests.core.scenes import chain, random_tree
from tests.core.screws import afloat, jack, nut_on_a_bolt
from tests.core.test_newton import Stage, relative_error

SCENES = {
    "gear pair": gear_pair,
    "gear pair on a carrier": lambda: gear_pair("carrier"),
    "rack and pinion": rack_and_pinion,
    "differential": lambda: differential(1.0, 2.0, 3.0),
    "arms and block": geared_machine,
}


def geared_tree(seed):
    """A random tree, some of whose free coordinates are tied to each other."""
    scene = random_tree(np.random.default_rng(seed), 12, types=("hinge", "ball", "slider"))
    for k, joint in enumerate(scene.joints):
        joint.name = f"j{k}"
    free = [joint.name for joint in scene.joints if joint.type != "ball"]
    scene.joints.append(coupling("first", **{free[0]: 1.0, free[1]: -2.0, free[2]: 0.5}))
    scene.joints.append(coupling("second", **{free[2]: 1.0, free[3]: 3.0}))
    return scene


@pytest.mark.parametrize(
    "scene", [*SCENES.values(), lambda: geared_tree(1), lambda: geared_tree(2)]
)
def test_against_a_dense_solve(scene):
    """λ is that of the dense matrix G M⁻¹ Gᵀ, whose rows are the rates of the coordinates."""
    probe = Probe(scene())
    G = probe.gradient()
    A = G @ np.linalg.solve(probe.mass_matrix(), G.T)
    wanted = np.random.default_rng(0).normal(size=len(A))
    right_side = np.zeros(probe.used.shape)
    right_side[probe.used] = A @ wanted

    found = probe.solve(right_side)[probe.used]

    assert np.linalg.matrix_rank(G) == len(G)
    assert found == pytest.approx(wanted, rel=1e-8, abs=1e-8)


def test_impulses_act_along_the_rows():
    """A multiplier λ changes the momenta by Gᵀλ, in the couplings' rows as in all others."""
    probe = Probe(geared_machine())
    G = probe.gradient()
    random = np.random.default_rng(3)
    impulse = np.where(probe.used, random.normal(size=probe.used.shape), 0.0)
    before = momenta(probe)

    probe.apply(impulse)

    assert momenta(probe) - before == pytest.approx(G.T @ impulse[probe.used], rel=1e-12, abs=1e-12)


def momenta(probe):
    m = probe.model
    linear = m.bodies["mass"][: m.dynamic, None] * probe.state.bodies["velocity"][: m.dynamic]
    return np.concatenate(
        [linear, probe.state.bodies["angular_momentum"][: m.dynamic]], axis=1
    ).ravel()


@pytest.mark.parametrize("scene", [geared_machine, lambda: geared_tree(1)])
def test_newton_matrix(scene):
    """Newton's matrix is that of finite differences to second order in the step."""
    assert np.log2(residual(scene, 0.004) / residual(scene, 0.002)) > 1.7


def residual(scene, h):
    stage = Stage(scene(), h, spin=3.0)
    D = stage.derivative()
    b = D @ np.random.default_rng(1).normal(size=len(D))
    return relative_error(D @ stage.newton(b), b)


@pytest.mark.parametrize(
    ("scene", "freedom", "redundant"),
    [
        (gear_pair, 1, []),
        (lambda: gear_pair("carrier"), 7, []),
        (rack_and_pinion, 1, []),
        (lambda: differential(0.0, 0.0, 0.0), 2, []),
        (geared_machine, 5, []),
        (lambda: ring_of_gears(1.0), 1, ["c-a"]),
        (lambda: nut_on_a_bolt(0.1), 1, []),
        (afloat, 7, []),
    ],
)
def test_mobility(scene, freedom, redundant):
    """Each coupling takes one freedom, unless it repeats others; it closes no loop of bodies."""
    facts = ic.describe(scene())

    assert facts["degrees_of_freedom"] == freedom
    assert facts["redundant_joints"] == redundant
    assert facts["loops"] == 0
    assert facts["constraint_rows"] == sum(joint["rows"] for joint in facts["joints"])


def test_a_ring_that_agrees():
    """Belts around three wheels: the redundant one changes nothing, and none slips."""
    recording = ic.simulate(ring_of_gears(1.0), duration=2.0, method="imp4")

    angles = np.array([recording.joints[name]["angle"] for name in "abc"])
    assert angles[0, -1] == pytest.approx(2.0 / 3.0, rel=1e-12)  # one of three turned at the start
    assert np.abs(angles - angles[0]).max() <= 1e-12
    assert recording.diagnostics["energy_j"]["max_abs_drift"] <= 1e-12


def test_a_ring_that_locks():
    """Three gears in a ring cannot turn: refused by the names of couplings and joints."""
    with pytest.raises(SceneError, match="still") as refused:
        ic.simulate(ring_of_gears(-1.0), duration=1.0)

    for name in ("'a-b'", "'b-c'", "'c-a'", "'a'", "'b'", "'c'"):
        assert name in str(refused.value)


def test_a_ring_that_contradicts():
    """The third relation asks for another sum than the first two: refused by name."""
    with pytest.raises(SceneError, match="contradict") as refused:
        ic.simulate(ring_of_gears(1.0, constant=1e-3), duration=1.0)

    assert "coupling 'c-a' of 'c', 'a'" in str(refused.value)


def test_a_joint_that_cannot_move_anyway_is_no_lock():
    """A coupling of two hinges that a welded bar holds still takes no freedom and is simulated."""
    scene = chain(2, ["hinge", "hinge"])
    scene.joints.append(Joint(name="weld", type="fixed", body2="rod-0", anchor=(0.0, 0.0, 0.0)))
    names = [joint.name or f"joint-{k + 1}" for k, joint in enumerate(scene.joints)]
    scene.joints.append(coupling("tie", **{names[0]: 1.0}))

    recording = ic.simulate(scene, duration=0.2)

    assert recording.complete
    assert ic.describe(scene)["degrees_of_freedom"] == 1


def test_mobility_of_a_jack():
    """A spindle, a nut on a guide and their screw: one freedom; no name but the user's is told."""
    facts = ic.describe(jack(0.1))

    assert facts["degrees_of_freedom"] == facts["loops"] == 1
    assert set(facts["redundant_joints"]) <= {"bearing", "guide", "thread"}
    assert [joint["rows"] for joint in facts["joints"]] == [5, 5, 5]


def test_the_thread_of_a_screw_is_told_by_its_name():
    """The rows of a scene are its joints, its springs and what screws add, each by a known name."""
    scene = nut_on_a_bolt(0.1)
    end = (1.0, 0.0, 0.0)
    coil = SpringDamper(name="coil", body2="nut", anchor=end, anchor2=(0, 0, 0), stiffness=1.0)
    scene.springs = [coil]
    compiled = compile_scene(scene)

    engine = Engine(compiled, choose_options(compiled))

    assert [engine.names.joint(j)[0] for j in range(3)] == ["thread", "coil", "thread"]


def test_contradicting_threads():
    """A screw that a coupling forbids to turn is refused, and by the names that the user gave."""
    scene = nut_on_a_bolt(0.1)
    scene.joints.append(coupling("stop", thread=1.0))

    with pytest.raises(SceneError, match="screw 'thread' and coupling 'stop'") as refused:
        ic.simulate(scene, duration=0.1)
    assert "joint 'thread' still" in str(refused.value)


@pytest.mark.parametrize("other", [{"solver": "sle"}, {"solver": "iterative"}, {"method": "gc4"}])
def test_other_solvers_and_methods_refuse_couplings(other):
    """What knows nothing of couplings says so, and does not run without them."""
    with pytest.raises(ic.OptionError, match="coupling"):
        ic.simulate(gear_pair(), duration=0.1, **other)
    with pytest.raises(ic.OptionError, match="joint 'thread' is a screw"):
        ic.simulate(nut_on_a_bolt(0.1), duration=0.1, **other)


def test_small_constants_are_mended():
    """With a constant the wheels are turned to meet it before the first step, and keep it."""
    scene = gear_pair()
    scene.joints[2].constant = 1e-3

    recording = ic.simulate(scene, duration=0.5)

    assert recording.diagnostics["start"]["moved_bodies"]["a"]["turn_rad"] > 1e-5
    # each turns by what moves it with least work: Δθ = J⁻¹ c λ
    J = 0.5 * 3.0 * 0.25, 0.5 * 7.0
    turns = [recording.diagnostics["start"]["moved_bodies"][name]["turn_rad"] for name in "ab"]
    assert turns[0] / turns[1] == pytest.approx((0.5 / J[0]) / (1.0 / J[1]), rel=1e-6)
    assert 0.5 * turns[0] + turns[1] == pytest.approx(1e-3, rel=1e-3)


def test_large_constants_need_assembly():
    """A quarter turn is refused with the coupling's name, unless joints may be pulled together."""
    scene = gear_pair()
    scene.joints[2].constant = 0.5

    with pytest.raises(SceneError, match="'mesh' asks for"):
        ic.simulate(scene, duration=0.5)
    assert ic.simulate(scene, duration=0.5, assemble=True).complete


def test_many_turns():
    """Wheels that turn by 3 rad in a step keep their ratio over thousands of turns."""
    scene = gear_pair()
    scene.bodies[0].angular_velocity = (0.0, 600.0, 0.0)
    scene.bodies[1].angular_velocity = (0.0, -300.0, 0.0)

    recording = ic.simulate(scene, duration=30.0, tolerance=1e-12)

    a, b = (recording.joints[name]["angle"] for name in "ab")
    assert a[-1] == pytest.approx(18000.0, rel=1e-12)
    assert np.abs(0.5 * a + b).max() <= 2e-15 * np.abs(a).max()
    assert recording.diagnostics["halvings"] == 0
