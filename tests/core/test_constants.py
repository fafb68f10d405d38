"""Constants and phases are the numbers that expressions name."""

import numpy as np
import pytest

from impulse_core import simulate
from impulse_schema import Body, Constant, Joint, Motor, Part, Scene, SceneError, Settings, Use

WRITTEN = "1.5*cos(2*pi*(t/0.8 + 0.375))"
NAMED = "speed*cos(2*pi*(t/period + phase))"


def machine(expression, *, phase=0.0):
    """A wheel turned by a motor."""
    motor = Motor(kind="velocity", expression=expression)
    axle = Joint(
        name="axle", type="hinge", body2="wheel", anchor=(0, 0, 0), axis=(0, 0, 1), phase=phase
    )
    axle.motors = [motor]
    return {"bodies": [Body(name="wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))], "joints": [axle]}


def scene(**content):
    constants = [Constant(name="speed", value=1.5), Constant(name="period", value=0.8)]
    return Scene(version=1, settings=Settings(duration=0.4), constants=constants, **content)


def test_a_named_number_is_the_number():
    """The same bits as with the numbers written into the expression."""
    named = simulate(scene(**machine(NAMED, phase=0.375)))
    written = simulate(scene(**machine(WRITTEN)))

    np.testing.assert_array_equal(named.joints["axle"]["angle"], written.joints["axle"]["angle"])
    assert np.ptp(named.joints["axle"]["angle"]) > 0.05


def test_a_phase_of_a_use_shifts_its_copy():
    """A copy of a part with a phase moves as a machine whose expression has it."""
    part = Part(name="drive", **machine(NAMED, phase=0.125))
    made = simulate(scene(parts=[part], uses=[Use(part="drive", name="a", phase=0.25)]))
    written = simulate(scene(**machine(WRITTEN)))

    np.testing.assert_allclose(
        made.joints["a.axle"]["angle"], written.joints["axle"]["angle"], rtol=0, atol=1e-14
    )


def test_a_target_without_a_value_at_the_start_is_refused():
    """Also where constants make it so."""
    with pytest.raises(SceneError, match="has no finite value at t = 0 s"):
        simulate(scene(**machine("1/(period - 0.8 + t)")))
