"""What is said when a step cannot be satisfied: the joint, or the force law along its axis."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.model.status import LAW, LAW_RATE, LINE, OPEN, RATE
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.failures import what_failed
from impulse_core.simulation.options import choose_options
from impulse_schema.models import Friction, Limit, Motor, Spring
from tests.core.machines import rotor, run, sled

FRICTIONS = {"frictions": [Friction(force=1.0)]}
LIMITS = {"limits": [Limit(upper=0.5)]}
MOTORS = {"motors": [Motor(kind="velocity", target=1.0, max_force=3.0)]}
SPRINGS = {"springs": [Spring(stiffness=3.0)]}


@pytest.mark.parametrize(("build", "unit"), [(sled, "m"), (rotor, "rad")])
@pytest.mark.parametrize("what", [LAW, LAW_RATE])
@pytest.mark.parametrize(
    ("elements", "piece", "words"),
    [
        (FRICTIONS, (1, 0.0, 0.0), "law of its friction"),
        (FRICTIONS, (0, 0.01, 0.0), "law of its friction"),
        (LIMITS, (1, 0.5, 0.0), "law of its limit"),
        (MOTORS, (1, 0.01, 0.0), "law of its motor"),
        (MOTORS, (0, -0.01, 0.0), "law of its motor"),
        (SPRINGS, (0, 0.01, 0.3), "law of its spring"),
    ],
)
def test_the_law_that_fails_is_named_with_what_it_lacks(build, unit, what, elements, piece, words):
    """Element, and a residual in the unit of what it holds: nothing of joints, which are closed."""
    compiled = compile_scene(build(0.1, **elements), assemble=False)
    engine = Engine(compiled, choose_options(compiled), assemble=False)
    work, tally = engine.work, engine.tally
    law, axis = work.laws[0], work.axes[0]
    for name in law.dtype.names:
        law[name] = 0.0
    law["lower"], law["upper"] = -np.inf, compiled.model.axes["upper"][0]
    if elements is FRICTIONS:
        law["friction_at"], law["friction"] = 0.0, 0.005
    work.worst_axis[0] = 0
    axis["vertical"], axis["piece"] = piece[0], piece[1:]
    axis["next" if what == LAW else "after"] = piece[1] + 0.25
    axis["impulse"] = piece[1] - piece[2] * (piece[1] + 0.25) + 0.125
    tally.failure["what"][0] = what

    said = what_failed(engine.model, work, tally.failure[0], 1e-6)

    assert words in said
    assert "apart" not in said
    if piece[0]:
        assert f"stays 0.25 {unit}{'/s' if what == LAW_RATE else ''} off" in said
    else:
        assert f"stays 0.125 {'N m s' if unit == 'rad' else 'N s'} off" in said


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (OPEN, "to 1e-06 m (it stays 0.5 m apart)"),
        (RATE, "keeps moving by 0.5 m/s"),
        (LINE, "turns its line too far"),
    ],
)
def test_what_else_fails_is_told_apart(what, words):
    """An open joint, one that moves, a line that turns: each by its own number."""
    compiled = compile_scene(sled(0.1, **SPRINGS), assemble=False)
    engine = Engine(compiled, choose_options(compiled), assemble=False)
    engine.tally.failure["what"][0], engine.tally.failure["error"][0] = what, 0.5

    assert words in what_failed(engine.model, engine.work, engine.tally.failure[0], 1e-6)


@pytest.mark.parametrize("target", [6e5, 7e5])
def test_a_run_that_fails_by_a_law_says_so(target):
    """A motor that is to turn by most of a turn even in the shortest part of a step, so that angles
    cannot be told: its joint, its law, and by how much it is missed.
    """
    scene = rotor(motors=[Motor(kind="velocity", target=target)])
    scene.bodies[0].inertia = (0.4, 0.5, 0.4)

    with pytest.raises(ic.SimulationError) as caught:
        run(scene, duration=1.0, step=0.01, tolerance=1e-9)

    message = str(caught.value)
    assert "joint 'pin'" in message
    assert "the law of its motor is not satisfied: the angle stays" in message
    assert "rad off" in message


@pytest.mark.parametrize("fps", [150.0, 300.0, 700.0])
def test_a_frame_between_steps_that_cannot_be_reached_says_why(fps):
    """The look for a frame leaves no trace but what it failed of: joint, law and by how much."""
    scene = rotor(motors=[Motor(kind="velocity", target=6e3 * fps)])
    scene.bodies[0].inertia = (0.4, 0.5, 0.4)

    with pytest.raises(ic.SimulationError) as caught:
        run(scene, duration=1.0, step=0.01, fps=fps, tolerance=1e-9)

    message = str(caught.value)
    assert "joint 'pin'" in message
    assert "the law of its motor is not satisfied: the angle stays" in message
