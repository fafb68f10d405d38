"""What is too stiff for a method: refused at the very step where it begins to be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.methods.imp import stage_fractions
from impulse_core.methods.stiffness import too_stiff_axis
from impulse_schema.models import Joint, Motor, Spring
from tests.core.machines import MASS, arm, sled
from tests.core.scenes import box, scene_of

RADIUS = {"lmvd4": 2.7, "lmvd8": 6.0}


def longest(scene, method, step=1.0):
    """The longest step that is said to do."""
    found = too_stiff_axis(compile_scene(scene), method, step)
    return math.inf if found is None else found[1]


@pytest.mark.parametrize("method", ["imp4", "imp6", "imp8", "imp10"])
def test_a_damper_in_stages_backwards(method):
    """|γ| h d/m is 1 at the longest step; springs beside it shorten that, alone they do not."""
    backwards = -stage_fractions(method).min()
    damped = sled(springs=[Spring(damping=50.0)])
    both = sled(springs=[Spring(damping=50.0, stiffness=1e5)])
    x = backwards * longest(both, method)

    assert backwards * longest(damped, method) * 50.0 / MASS == pytest.approx(1.0, rel=0.02)
    assert x * (50.0 + 1e5 * x) / MASS == pytest.approx(1.0, rel=0.02)
    assert longest(sled(springs=[Spring(stiffness=1e9)]), method) == math.inf


@pytest.mark.parametrize("method", RADIUS)
def test_explicit_steps_are_stable_up_to_there(method):
    """A damper takes out what moves at 0.9 of the longest step, and a spring keeps its energy at
    half of it; of both the stiffer one counts.
    """
    damped, sprung = (
        sled(1.0, springs=[Spring(damping=50.0)]),
        sled(1.0, springs=[Spring(stiffness=1e4)]),
    )
    assert longest(damped, method) == pytest.approx(RADIUS[method] * MASS / 50.0, rel=0.02)
    assert longest(sprung, method) == pytest.approx(RADIUS[method] * (MASS / 1e4) ** 0.5, rel=0.02)
    for scene, share in ((damped, 0.9), (sprung, 0.5)):
        step = share * longest(scene, method)
        run = ic.simulate(scene, method=method, step=step, duration=60.0 * step, fps=1.0 / step)
        assert run.energy["kinetic"].max() <= 1.0 + 1e-9


def test_what_moves_with_a_body_counts():
    """A light flange on a damped hinge is stiff alone, and not with what is fixed to it."""
    bodies, joints = arm([0.01], springs=[Spring(damping=5.0)])
    bodies[0].inertia = (1e-4, 1e-4, 1e-4)
    light = scene_of(bodies, joints)
    heavy = scene_of(
        [*bodies, box("load", (1.0, 0.0, 0.0), mass=20.0)],
        [*joints, Joint(name="weld", type="fixed", body1="b0", body2="load", anchor=(1.0, 0, 0))],
    )

    assert longest(light, "lmvd8", 0.02) < 0.02
    assert longest(heavy, "lmvd8", 0.02) == math.inf


def test_many_servos_are_stiffer_than_each():
    """Two dampers in a row on light bodies: the largest eigenvalue, not the largest entry."""
    bodies, joints = arm([1.0, 1.0], springs=[Spring(damping=20.0)])
    scene = scene_of(bodies, joints)
    first = scene_of(bodies, [joints[0], joints[1].model_copy(update={"springs": []})])
    second = scene_of(bodies, [joints[0].model_copy(update={"springs": []}), joints[1]])

    together = longest(scene, "lmvd8")
    assert together < 0.95 * min(longest(first, "lmvd8"), longest(second, "lmvd8"))
    run = ic.simulate(scene, method="lmvd8", step=0.9 * together, duration=2.0)
    assert np.isfinite(run.positions).all()
    assert run.diagnostics["warnings"] == []


def test_the_gains_of_a_servo_count():
    """As a spring and a damper of their size do."""
    servo = sled(motors=[Motor(kind="servo", target=1.0, proportional=1e3, derivative=40.0)])
    like_it = sled(springs=[Spring(stiffness=1e3, damping=40.0)])

    for method in ("imp4", "lmvd8"):
        assert longest(servo, method) == pytest.approx(longest(like_it, method))
    with pytest.raises(ic.OptionError, match=r"servo of joint 'rail' .* too stiff .* use imp2"):
        ic.simulate(servo, method="lmvd8", step=1.0, duration=10.0)
