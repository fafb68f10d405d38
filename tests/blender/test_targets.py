"""What motors aim at is shown before anything is simulated."""

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


@pytest.fixture
def motor(add_empty, select, context):
    """A servo on a hinge, selected, in a scene of two seconds."""
    joint = add_empty("hip")
    joint.impulse.kind = "JOINT"
    context.scene.frame_start, context.scene.frame_end = 1, 51
    select(joint)
    made = joint.impulse.joint.motors.add()
    made.kind = "servo"
    return made


def values(context, joint="hip"):
    from blender_addon.authoring.targets import target_values

    return target_values(context.scene, bpy.data.objects[joint], 0)


def test_an_expression_is_shown_with_its_constants_and_phase(motor, context):
    """0.5 sin(2 pi (t / 2 + 1 / 4)) over the frames of the scene."""
    from blender_addon.authoring.gait import set_constant

    set_constant(context.scene, "period", 2.0, default=1.0)
    bpy.data.objects["hip"].impulse.joint.phase = 0.25
    motor.expression = "0.5*sin(2*pi*(t/period + phase))"

    frames, target = values(context).T

    np.testing.assert_allclose(target, 0.5 * np.cos(np.pi * (frames - 1) / 25), atol=1e-9)
    assert (frames[0], frames[-1]) == (1.0, 51.0)


@pytest.mark.parametrize("text", ["sin(", "perod*t", "log(t - 99)"])
def test_what_has_no_value_is_not_shown(motor, context, text):
    """Half-typed text, an unknown name, or a logarithm of what is negative."""
    motor.expression = text

    assert values(context) is None


def test_what_has_a_value_for_a_while_is_shown_then(motor, context):
    motor.expression = "sqrt(1 - t)"

    frames, _ = values(context).T

    assert frames[-1] == pytest.approx(26.0, abs=0.2)


def test_keys_and_samples_are_shown(motor, context):
    """F-curves as Blender has them; samples as the file means them, once more where they repeat."""
    motor.use_target = True
    for frame, value in ((1, 0.0), (51, 1.0)):
        motor.target = value
        motor.keyframe_insert("target", frame=frame)
    keyed = values(context)
    assert (keyed[0, 1], keyed[-1, 1]) == (0.0, 1.0)

    motor.use_curve, motor.curve.repeat = True, True
    for time, value in ((0.0, 0.0), (1.0, 2.0)):
        sample = motor.curve.samples.add()
        sample.time, sample.value = time, value
    frames, target = values(context).T
    np.testing.assert_allclose(target, 2.0 * ((frames - 1) / 25 % 1.0), atol=1e-9)


def test_charts_of_the_selected_joints(motor, add_empty, select, context):
    """Three curves a chart, by unit; none where the box is not ticked."""
    from blender_addon.panels.plot import charts_shown

    joints = [bpy.data.objects["hip"]]
    for number in range(4):
        joint = add_empty(f"knee {number}")
        joint.impulse.kind = "JOINT"
        made = joint.impulse.joint.motors.add()
        made.kind = "velocity" if number == 3 else "servo"
        joints.append(joint)
    select(*joints)

    assert charts_shown(context) == []
    context.scene.impulse.show_targets = True

    found = [(chart.title, chart.unit, chart.names) for chart in charts_shown(context)]
    assert found == [
        ("Target", "rad", ["hip", "knee 0", "knee 1"]),
        ("Target", "rad", ["knee 2"]),
        ("Target", "rad/s", ["knee 3"]),
    ]
