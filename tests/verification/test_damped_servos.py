"""The warning of servos without damping of their own that the step damps."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from impulse_schema.models import Joint, Motor, Spring
from tests.core.machines import MASS, MOMENT, rotor, run, sled
from tests.core.scenes import NO_GRAVITY, box, scene_of

WORDS = "critical damping"


def servo(**gains) -> Motor:
    return Motor(kind="servo", target=0.0, **gains)


def damping(recording) -> list[str]:
    return [w for w in recording.diagnostics["warnings"] if WORDS in w]


def named_step(warning: str) -> float:
    found = re.search(r"a step of (\S+) s or less", warning)
    assert found
    return float(found[1])


def kept(scene, stiffness: float, period: float, step: float) -> tuple[float, list[str]]:
    """Part of the amplitude that is left after each of some periods, and the warnings."""
    periods = 4
    recording = run(scene, duration=periods * period, step=step, fps=1 / step)
    name = next(iter(recording.joints))
    x = recording.joints[name].get("angle", recording.joints[name].get("displacement"))
    energy = recording.energy["kinetic"] + 0.5 * stiffness * x**2
    return float((energy[-1] / energy[0]) ** (0.5 / periods)), damping(recording)


@pytest.mark.parametrize("build", [sled, rotor])
def test_undamped_servo_that_the_step_damps_is_named(build):
    """At ω h = 0.5 a tenth of the amplitude is gone in each period: the warning names the joint,
    ω h and a step, and with that step nothing is lost and nothing said.
    """
    inertia = MASS if build is sled else MOMENT
    frequency, step = 20.0, 0.025
    stiffness = inertia * frequency**2
    scene = build(1.0, motors=[servo(proportional=stiffness)])

    left, (warning,) = kept(scene, stiffness, 2 * math.pi / frequency, step)
    enough = named_step(warning)
    left_then, silent = kept(scene, stiffness, 2 * math.pi / frequency, enough)

    assert left == pytest.approx(0.896, abs=0.01)
    assert "'rail'" in warning or "'pin'" in warning
    assert "ω h = 0.5," in warning
    assert 0.3 * step < enough < 0.6 * step
    assert left_then >= 0.995
    assert silent == []


@pytest.mark.parametrize(
    "elements",
    [
        {"motors": [servo(proportional=1e3, derivative=45.0)]},  # half the critical damping
        {"motors": [servo(proportional=1e8, derivative=3e4)]},  # stiff, and critically damped
        {"motors": [servo(proportional=1e3)], "springs": [Spring(damping=60.0)]},
        {"motors": [servo(proportional=1e3, explicit=True)]},
        {"motors": [servo(derivative=30.0)]},
        {"motors": [servo(proportional=40.0)]},
        {"springs": [Spring(stiffness=1e3)]},
    ],
)
def test_no_word_about_servos_that_damp_themselves_or_are_resolved(elements):
    """Nor about springs and explicit servos, whose steps add no damping."""
    assert damping(run(sled(0.1, **elements), duration=0.1, step=0.02)) == []


@given(
    inertia=st.floats(0.01, 100.0),
    frequency=st.floats(1.0, 300.0),
    part=st.floats(0.05, 1.5),
    own=st.sampled_from([0.0, 0.01, 0.05]),
)
@settings(max_examples=30, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_the_warning_tells_what_is_lost(inertia, frequency, part, own):
    """Over all masses, gains and steps: a warning where a period loses more than half a percent
    beside what the servo takes itself, and as much again; none where it loses less.
    """
    step = part / frequency
    stiffness = inertia * frequency**2
    scene = sled(
        0.1,
        motors=[
            servo(proportional=stiffness, derivative=2.0 * own * inertia * frequency),
        ],
    )
    scene.bodies[0] = box("sled", (0.0, 0.0, 0.0), mass=inertia, velocity=(0.1, 0.0, 0.0))

    left, warnings = kept(scene, stiffness, 2 * math.pi / frequency, step)

    wanted = math.exp(-2 * math.pi * own)
    # energy swings within a period by a part (ω h)² of it where it is damped
    blur = 0.2 * part**2 * (1.0 - left)
    lost = 1.0 - left / wanted
    if lost > 0.005 + blur and -math.log(left) > 2.5 * -math.log(wanted):
        assert len(warnings) == 1
    if lost < 0.002 - blur:
        assert warnings == []


def test_what_the_servo_moves_is_the_whole_machine():
    """A light shoulder that carries a heavy arm swings slowly: ω is that of both together, so that
    a step which resolves this motion is damped only by what the lightness of the shoulder does.
    """
    arm = [
        box("shoulder", (0.05, 0.0, 0.0), mass=0.5),
        box("fore", (0.6, 0.0, 0.0), mass=4.0, angular_velocity=(0.0, 0.5, 0.0)),
    ]
    joints = [
        Joint(
            name="servo",
            type="hinge",
            body2="shoulder",
            anchor=(0, 0, 0),
            axis=(0, 1, 0),
            motors=[servo(proportional=150.0)],
        ),
        Joint(name="glue", type="fixed", body1="shoulder", body2="fore", anchor=(0.1, 0, 0)),
    ]
    scene = scene_of(arm, joints, gravity=NO_GRAVITY)

    (warning,) = damping(run(scene, duration=0.2, step=0.02))
    quiet = run(scene, duration=0.2, step=named_step(warning))

    inertia = sum(b.mass * b.position[0] ** 2 + b.mass * (0.1**2 + 0.4**2) / 12 for b in arm)
    told = float(re.search(r"ω = (\S+) rad/s", warning)[1])
    assert told == pytest.approx(math.sqrt(150.0 / inertia), rel=0.01)
    assert damping(quiet) == []
    assert np.isfinite(quiet.positions).all()
