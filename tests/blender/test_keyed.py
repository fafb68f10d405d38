"""What varies over time in Blender and is one value in the file is refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def messages(context):
    from blender_addon.export.scene_export import build

    return [str(issue) for issue in build(context).issues]


@pytest.fixture
def arm(add_body, add_empty, select):
    """An arm on a hinge with a servo."""
    add_body("arm", location=(0.5, 0, 0))
    pivot = add_empty("pivot")
    select(pivot)
    bpy.ops.impulse.tag_joint(type="hinge", body2="arm")
    motor = pivot.impulse.joint.motors.add()
    motor.kind, motor.use_target, motor.proportional = "servo", True, 10.0
    return pivot


def key(owner, group, name, values):
    """Keys of a property at frames 1, 11, 21 …"""
    for number, value in enumerate(values):
        setattr(group, name, value)
        group.keyframe_insert(name, frame=1 + 10 * number)


def push_down(obj):
    """Put the action of an object into a strip, as Push Down does."""
    animation = obj.animation_data
    action, slot = animation.action, getattr(animation, "action_slot", None)
    strip = animation.nla_tracks.new().strips.new(action.name, 1, action)
    if slot is not None:
        strip.action_slot = slot
    animation.action = None


def test_a_keyed_gain_is_refused(arm, context):
    """Three keys on a servo's gain: object and property are named."""
    key(arm, arm.impulse.joint.motors[0], "proportional", (10.0, 20.0, 10.0))

    (found,) = messages(context)
    path = "impulse.joint.motors[0].proportional"
    assert found.startswith(f"pivot: has Proportional ({path}) keyed or driven;")


def test_keys_in_a_strip_are_refused(arm, context):
    """An action pushed down into the NLA drives the property just the same."""
    key(arm, arm.impulse.joint.motors[0], "proportional", (10.0, 20.0))
    push_down(arm)

    assert any("motors[0].proportional" in message for message in messages(context))

    arm.animation_data.nla_tracks[0].mute = True
    assert messages(context) == []


def test_a_driver_is_refused(arm, context):
    """Also one that gives the same number for ever: the file could not follow it."""
    arm.impulse.joint.motors[0].driver_add("proportional").driver.expression = "2 + 1"

    assert any("motors[0].proportional" in message for message in messages(context))


def test_keys_of_a_target_that_is_not_followed_are_refused(arm, context):
    """A motor with an expression does what that says; the keys beside it are no part of it."""
    motor = arm.impulse.joint.motors[0]
    motor.use_target, motor.expression = False, "sin(t)"
    key(arm, motor, "target", (0.0, 1.0))

    (found,) = messages(context)
    assert "motors[0].target) keyed or driven; the motor follows its expression" in found


def test_keys_that_never_change_a_value_do_no_harm(arm, context):
    """Location, rotation and scale are often keyed together."""
    key(arm, arm.impulse.joint.motors[0], "target", (1.0, 1.0, 1.0))
    arm.keyframe_insert("location", frame=1)
    arm.keyframe_insert("scale", frame=20)

    assert messages(context) == []


def test_a_dynamic_body_with_keys_is_an_error(add_body, context):
    """Check names the object and the property that is keyed, and what to do; nothing is taken
    away, and as a kinematic body it passes.
    """
    box = add_body()
    for frame, height in ((1, 0.0), (25, 2.0)):
        box.location.z = height
        box.keyframe_insert("location", frame=frame)

    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    (issue,) = context.scene.impulse.issues
    assert (issue.object_name, issue.code) == ("box", "B122")
    assert "Location (location) keyed or driven; take its keys off, or make the" in issue.message
    assert box.animation_data.action is not None

    box.impulse.body.motion = "kinematic"
    assert bpy.ops.impulse.validate_scene() == {"FINISHED"}


@pytest.mark.parametrize("motion", ["dynamic", "static"])
@pytest.mark.parametrize("how", ["keys", "strip", "driver"])
@pytest.mark.parametrize("path", ["location", "rotation_euler", "delta_location"])
def test_whatever_would_move_a_body_is_reported(add_body, context, motion, how, path):
    """Keys, keys in a strip and drivers of a pose, of a body that the simulation alone moves."""
    box = add_body(motion=motion)
    if how == "driver":
        box.driver_add(path, 2).driver.expression = "frame"
    else:
        for frame, value in ((1, 0.0), (25, 2.0)):
            getattr(box, path)[2] = value
            box.keyframe_insert(path, frame=frame)
    if how == "strip":
        push_down(box)

    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    found = [issue for issue in context.scene.impulse.issues if issue.code == "B122"]
    assert [(issue.object_name, path in issue.message) for issue in found] == [("box", True)]


def test_the_motion_of_a_kinematic_body_is_exported(add_body, exported, context):
    """Keys, strips and moving parents all become keyframes of the file."""
    lift = add_body("lift", motion="kinematic")
    rider = add_body("rider", motion="kinematic", location=(0, 0, 5))
    carrier = bpy.data.objects.new("carrier", None)
    context.scene.collection.objects.link(carrier)
    rider.parent = carrier
    for obj in (lift, carrier):
        key(obj, obj, "location", ((0, 0, 0), (0, 0, 2)))
    context.scene.frame_end = 11

    bodies = {body.name: body for body in exported().bodies}

    for name in ("lift", "rider"):
        frames = bodies[name].keyframes
        assert frames[-1].time == pytest.approx(0.4)
        assert frames[-1].position[2] - frames[0].position[2] == pytest.approx(2.0)


def test_recorded_motion_is_no_animation_of_the_user(add_body, context):
    """After a simulation the scene can be checked and simulated again."""
    from blender_addon.playback.keyframes import import_recording

    from .recordings import turning

    box = add_body()
    import_recording(turning(["box"]), context.scene)

    assert messages(context) == []
    assert box.animation_data.action is not None


# Whatever is exported from a machine: where it is, and two values it may have.
PLACES = {
    "duration": lambda c: (c.scene, c.scene.impulse.settings, (1.0, 2.0)),
    "mass": lambda c: (arm_of(c), arm_of(c).impulse.body, (1.0, 2.0)),
    "density": lambda c: (arm_of(c), arm_of(c).impulse.body, (900.0, 1000.0)),
    "velocity": lambda c: (arm_of(c), arm_of(c).impulse.body, ((0, 0, 0), (0, 1, 0))),
    "proportional": lambda c: (joint_of(c), joint_of(c).impulse.joint.motors[0], (1.0, 2.0)),
    "max_force": lambda c: (joint_of(c), joint_of(c).impulse.joint.motors[0], (1.0, 2.0)),
    "break_force": lambda c: (joint_of(c), joint_of(c).impulse.joint, (1.0, 2.0)),
    "location": lambda c: (joint_of(c), joint_of(c), ((0, 0, 0), (0, 0, 1))),
    "rotation_euler": lambda c: (arm_of(c), arm_of(c), ((0, 0, 0), (0, 0, 1))),
    "scale": lambda c: (arm_of(c), arm_of(c), ((1, 1, 1), (1, 1, 2))),
    "gravity": lambda c: (c.scene, c.scene, ((0, 0, -9.81), (0, 0, -1.62))),
    "rounding": lambda c: (arm_of(c), arm_of(c).impulse.geometry, (0.0, 0.01)),
}


def arm_of(context):
    return context.scene.objects["arm"]


def joint_of(context):
    return context.scene.objects["pivot"]


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("driven", [False, True])
def test_every_property_that_is_exported_is_refused_when_it_varies(arm, context, name, driven):
    """Bodies, solids, joints, motors, settings, transforms, gravity: keyed or driven."""
    owner, group, values = PLACES[name](context)
    if not hasattr(group, name):
        pytest.fail(f"{group} has no {name}")
    if driven:
        group.driver_add(name)
    else:
        key(owner, group, name, values)

    found = [message for message in messages(context) if "keyed or driven" in message]

    assert len(found) == 1
    assert f"{name})" in found[0]


def test_a_mesh_that_changes_its_shape_is_refused(arm, context):
    """Shape keys of a solid that move it over time."""
    box = arm_of(context)
    box.shape_key_add(name="Basis")
    box.shape_key_add(name="long")
    block = box.data.shape_keys.key_blocks["long"]
    key(box.data.shape_keys, block, "value", (0.0, 1.0))

    assert any("arm: has a shape that changes" in message for message in messages(context))


@given(st.lists(st.floats(-100, 100, width=32), min_size=2, max_size=5))
def test_keys_are_refused_exactly_where_they_differ(values):
    """Whatever the values of the keys: refused if two of them differ."""
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    scene = bpy.context.scene
    key(scene, scene.impulse.settings, "tolerance", [abs(v) + 1.0 for v in values])
    from blender_addon.export.keyed import keyed_paths

    found = list(keyed_paths(scene, scene, ("impulse.",)))

    sizes = [abs(v) + 1.0 for v in values]
    spread = max(sizes) - min(sizes)
    if spread > 1e-4 * max(sizes):
        assert found == ["impulse.settings.tolerance"]
    elif spread == 0:
        assert found == []
