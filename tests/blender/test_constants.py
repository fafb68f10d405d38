"""Constants and phases go from a file into Blender and back."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def wheel(period, expression="sin(2*pi*(t/period + phase))"):
    """A wheel on a motor that names a constant."""
    from impulse_schema import Body, Constant, Joint, Motor, Scene

    axle = Joint(
        name="axle", type="hinge", body2="wheel", anchor=(0, 0, 0), axis=(0, 0, 1), phase=0.25
    )
    axle.motors = [Motor(kind="velocity", expression=expression)]
    return Scene(
        version=1,
        constants=[Constant(name="period", value=period)],
        bodies=[Body(name="wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))],
        joints=[axle],
    )


def opened(context, scene):
    from blender_addon.importing.scene_import import add_scene

    return add_scene(context, scene)


def test_constants_and_phases_come_back(context, exported):
    """Opened and exported: the same constants, phase and expression."""
    scene = wheel(1.5)
    opened(context, scene)

    made = exported()

    assert made.constants == scene.constants
    assert made.joints[0].phase == 0.25
    assert made.joints[0].motors[0].expression == scene.joints[0].motors[0].expression


def test_a_constant_of_another_value_gets_another_name(context):
    """Expressions of what is added keep their meaning, those that are there theirs; one of the same
    value is shared.
    """
    for period in (1.5, 0.5, 1.5):
        report = opened(context, wheel(period, "period*sin(t/period) + max(period, 1)"))

    found = [(c.name, c.value) for c in context.scene.impulse.constants]
    assert found == [("period", 1.5), ("period_2", 0.5)]
    joints = [o for o in bpy.data.objects if o.impulse.kind == "JOINT"]
    texts = [joint.impulse.joint.motors[0].expression for joint in joints]
    assert sorted(texts) == [
        "period*sin(t/period) + max(period, 1)",
        "period*sin(t/period) + max(period, 1)",
        "period_2*sin(t/period_2) + max(period_2, 1)",
    ]
    assert not [note for note in report.notes if "constant" in note]  # of the last, which shares


def test_a_name_that_expressions_cannot_use_is_found(add_body, context):
    """Check names the constant."""
    from blender_addon.export.scene_export import build

    add_body()
    constant = context.scene.impulse.constants.add()
    constant.name = "sin"

    (issue,) = build(context).issues

    assert (issue.code, "'sin', which is a function" in str(issue)) == ("E715", True)
