"""GC4 against elliptic functions and imp10, and what it refuses."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.methods.comparison import COMPARISON_ORDERS, cannot_express
from impulse_schema.models import Body, Friction, Joint, Limit, Load, Motor, Spring
from tests.core.scenes import chain, four_bar, pendulum, scene_of
from tests.references.pendulum import position


def rods_and_bobs(count, velocity=(0.0, 0.0, 0.0)):
    """Point masses of growing weight on rods of growing length, let go along a slanted line."""
    joints, bodies = [], []
    place = np.array([0.1, 0.2, 0.3])
    for k in range(count):
        above, place = place, place + (1.0 + 0.2 * k) * np.array([0.6, 0.0, 0.8])
        name = f"bob-{k}"
        bodies.append(
            Body(name=name, position=tuple(place), mass=1.0 + k, inertia=(0.1, 0.2, 0.25))
        )
        joints.append(
            Joint(
                name=f"rod-{k}",
                type="distance",
                body1=f"bob-{k - 1}" if k else "world",
                body2=name,
                anchor=tuple(above),
                anchor2=tuple(place),
            )
        )
    bodies[-1].velocity = velocity
    return scene_of(bodies, joints)


def hinged(count):
    """Bars on parallel hinges, thrown, the last pushed by a force that turns with it."""
    scene = chain(count, ["hinge"] * count)
    scene.bodies[0].angular_velocity = (0.0, 2.0, 0.0)
    scene.loads = [
        Load(
            body=f"rod-{count - 1}",
            force=(3.0, 1.0, -2.0),
            torque=(0.0, 0.3, 0.1),
            axes="body",
            point=(0.0, 0.0, -0.5),
        )
    ]
    return scene


def end_of(scene, method, step, duration=0.64):
    return ic.simulate(
        scene, duration=duration, method=method, step=step, fps=1 / duration, tolerance=1e-14
    )


def test_pendulum_to_1e_9():
    """Benchmark A01 after 10 s within 1e-9 m at a fine step."""
    end = ic.simulate(pendulum(), duration=10.0, method="gc4", step=1e-3, fps=0.1)

    assert end.positions[-1, 0, :2] == pytest.approx(position(10.0, -math.pi / 2.0), abs=1e-9)


def pushed():
    """Three bobs, the middle one pushed sideways in the plane, not in line with the chain."""
    scene = rods_and_bobs(3, velocity=(-0.4, 0.0, 0.3))
    scene.loads = [Load(body="bob-1", force=(2.0, 0.0, 1.0))]
    return scene


CHAINS = {
    "one bob": lambda: rods_and_bobs(1),
    "three bobs, one pushed": pushed,
    "one bar": lambda: hinged(1),
    "three bars with loads": lambda: hinged(3),
}


@pytest.mark.parametrize("name", CHAINS)
def test_agrees_with_imp10_to_1e_9(name):
    """Places and orientations of all links, rods or hinges, with loads, and the work of these."""
    exact, found = end_of(CHAINS[name](), "imp10", 0.01), end_of(CHAINS[name](), "gc4", 5e-4)

    assert found.positions[-1] == pytest.approx(exact.positions[-1], abs=1e-9)
    turned = np.abs(np.sum(found.orientations[-1] * exact.orientations[-1], axis=-1))
    assert turned == pytest.approx(1.0, abs=1e-12)
    assert found.diagnostics["max_joint_error_m"] <= 1e-14
    work = [run.diagnostics["energy_j"]["work_of_loads"] for run in (found, exact)]
    assert work[0] == pytest.approx(work[1], abs=1e-8)


@pytest.mark.parametrize("name", ["three bobs, one pushed", "three bars with loads"])
def test_order_four(name):
    """Halving the step divides the error by sixteen."""
    exact = end_of(CHAINS[name](), "imp10", 0.01).positions[-1]
    errors = [
        np.abs(end_of(CHAINS[name](), "gc4", step).positions[-1] - exact).max()
        for step in (0.01, 0.005)
    ]

    assert math.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.4)


def spinning():
    scene = rods_and_bobs(1)
    scene.bodies[0].angular_velocity = (0.0, 1.0, 0.0)
    return scene


def loaded(**load):
    scene = rods_and_bobs(2)
    scene.loads = [Load(body="bob-1", **load)]
    return scene


def branching():
    scene = rods_and_bobs(3)
    scene.joints[2].body1 = "bob-0"
    scene.joints[2].anchor = scene.bodies[0].position
    return scene


def off_centre():
    scene = rods_and_bobs(2)
    scene.bodies[1].center_of_mass = (0.01, 0.0, 0.0)
    return scene


def floating():
    scene = rods_and_bobs(2)
    scene.joints[0].body1, scene.joints[0].body2 = "bob-0", "bob-1"
    return scene


def free_one():
    scene = rods_and_bobs(2)
    scene.joints.pop()
    return scene


def twisted():
    scene = chain(2, ["hinge", "hinge"])
    scene.joints[1].axis = (1.0, 0.0, 0.0)
    return scene


REFUSED = {
    "a ball joint": (lambda: chain(2, ["hinge", "ball"]), "neither"),
    "hinges that are not parallel": (twisted, "not parallel"),
    "a loop": (four_bar, "2 joints hold it on the world"),
    "a branch": (branching, "branches"),
    "nothing that holds it": (floating, "0 joints hold"),
    "a body of its own": (free_one, "2 bodies have 1 joints"),
    "a bob that moves sideways": (lambda: rods_and_bobs(2, velocity=(0.0, 1.0, 0.0)), "one plane"),
    "a bob that spins": (spinning, "spins"),
    "a rod beside the centre": (off_centre, "centre of mass"),
    "a torque on a bob": (lambda: loaded(torque=(0.0, 1.0, 0.0)), "turns a point mass"),
    "a force across the plane": (lambda: loaded(force=(0.0, 1.0, 0.0)), "out of the plane"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_by_name(what):
    """A scene that is no planar chain is refused before the first step, and imp2 offered."""
    build, words = REFUSED[what]

    with pytest.raises(ic.OptionError, match=words) as caught:
        ic.simulate(build(), duration=0.1, method="gc4")

    assert "gc4" in str(caught.value)
    assert "imp2" in str(caught.value)


ELEMENTS = {
    "motors": {"motors": [Motor(kind="velocity", target=1.0)]},
    "limits": {"limits": [Limit(lower=-1.0, upper=1.0)]},
    "springs": {"springs": [Spring(stiffness=1.0)]},
    "friction": {"frictions": [Friction(force=1.0)]},
    "break": {"break_force": 10.0},
}
TAKEN = {"gc4": [], "lm4": ["limits", "springs"], "lmbs4": ["limits", "springs"]}
OF_ALL = ["limits", "motors", "springs"]  # that methods take which correct velocities


@pytest.mark.parametrize("method", COMPARISON_ORDERS)
@pytest.mark.parametrize("what", ELEMENTS)
def test_elements_that_a_method_cannot_express_are_refused(method, what):
    """The joint is named, and what of it; what a method has laws for is taken."""
    scene = chain(1, ["hinge"])
    elbow = scene.joints[0].model_dump(exclude_unset=True) | {"name": "elbow"} | ELEMENTS[what]
    scene.joints[0] = Joint(**elbow)

    found = cannot_express(SimpleNamespace(scene=scene, joint_names=["elbow"]), method)

    if what in TAKEN.get(method, OF_ALL):
        assert found == ""
    else:
        assert "'elbow'" in found
        assert what.removesuffix("s") in found
