"""How much there is to click and to type: one leg of a walking machine, from primitives.

A servo turns a wheel, on whose pin the leg hangs; the leg slides through a swivel on the torso, so
that the foot lifts, swings forward and strides back. What counts as a click and what as a field is
said in hand.py.
"""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

PIN = 0.12  # m: how far the pin is from the axis of the wheel
TURN = "4*(t - (1 - exp(-2*t))/2)"
MOST_CLICKS = 20
MOST_FIELDS = 20
QUARTER = 1.5707963267948966


def model_leg(hand):
    """The leg as a user makes it in an empty file, with torso and ground.

    Bodies overlap where they are to be joined: a joint is put there by itself, about the axis that
    points at who looks, which is x in a new window.
    """
    add_bodies(hand)
    hand.press(bpy.ops.impulse.add_joint, type="hinge", place="AUTO", axis="X", chain=True)
    hand.select("Cylinder", "torso")
    hand.press(bpy.ops.impulse.add_joint, type="hinge", place="AUTO", axis="X")
    hand.press(bpy.ops.impulse.add_motor, kind="servo")
    motor = bpy.context.object.impulse.joint.motors[0]
    hand.field(motor, "expression", TURN)
    hand.select(joint_of("swivel", "leg"))
    hand.menu(bpy.context.object.impulse.joint, "type", "slider")
    hand.press(bpy.ops.impulse.turn_joint, axis="Z")


def add_bodies(hand):
    """Ground and torso, which stay; wheel, swivel and leg, selected with the torso in the end."""
    hand.click(bpy.ops.mesh.primitive_cube_add)
    hand.field(bpy.context.object, "location", (0, 0, -2.2))
    add_box(hand, "torso", (0.2, 0.4, 0.6), (0.2, 0, -0.15))
    hand.press(bpy.ops.object.select_all, action="SELECT")
    hand.click(bpy.ops.impulse.tag_body, motion="static")
    hand.click(bpy.ops.mesh.primitive_cylinder_add, radius=PIN + 0.02, depth=0.04)
    hand.field(bpy.context.object, "rotation_euler", (0, QUARTER, 0))
    add_box(hand, "leg", (0.04, 0.04, 0.9), (0, 0, -0.55))
    add_box(hand, "swivel", (0.08, 0.08, 0.08), (0, 0, -0.35), cube=True)
    hand.select_too("leg", "Cylinder")
    hand.press(bpy.ops.impulse.tag_body)
    hand.select_too("torso")


def add_box(hand, name, size, location, *, cube=False):
    """A box by its edges, or a cube by one; its name is for this test, nobody has to type it."""
    if cube:
        hand.click(bpy.ops.mesh.primitive_cube_add, size=size[0])
    else:
        hand.click(bpy.ops.mesh.primitive_cube_add)
    box = bpy.context.object
    box.name = name
    hand.field(box, "location", location)
    if not cube:
        hand.field(box, "dimensions", size)


def joint_of(*bodies):
    """The name of the joint between two bodies."""
    for obj in bpy.context.scene.objects:
        joint = obj.impulse.joint
        if obj.impulse.kind == "JOINT" and {joint.body1.name, joint.body2.name} == {*bodies}:
            return obj.name
    raise AssertionError(f"no joint between {bodies}")


def test_a_leg_takes_few_clicks_and_fields(context, tmp_path):
    """The leg is modelled with at most so many clicks and fields, and it strides: its foot moves
    forward and back, and it lifts.
    """
    from tests.blender.hand import Hand

    hand = Hand()
    model_leg(hand)

    print(f"{hand.clicks} clicks, {hand.fields} fields")
    assert hand.clicks <= MOST_CLICKS
    assert hand.fields <= MOST_FIELDS
    forward, up = travels(context, tmp_path)
    assert forward > 2 * PIN
    assert up > PIN


def test_five_more_legs_take_ten_clicks(context):
    """One leg becomes three in a row, and these six, each with its joints and its motor; together
    they can be simulated.
    """
    from tests.blender.hand import Hand

    model_leg(Hand())
    hand = Hand()

    hand.select("swivel", "leg", "Cylinder")
    hand.click(bpy.ops.impulse.repeat_limb, offset=(0, 0.6, 0))
    hand.everything()
    hand.leave_out("Cube", "torso")
    hand.click(bpy.ops.impulse.mirror_limb, axis="X")

    print(f"{hand.clicks} clicks, {hand.fields} fields")
    assert hand.clicks <= 10
    objects = context.scene.objects
    joints = [obj.impulse.joint for obj in objects if obj.impulse.kind == "JOINT"]
    assert sum(obj.impulse.kind == "BODY" for obj in objects) == 2 + 6 * 3
    assert len(joints) == 6 * 4
    assert sum(bool(joint.motors) for joint in joints) == 6
    assert bpy.ops.impulse.validate_scene() == {"FINISHED"}


def travels(context, tmp_path):
    """How far the end of the leg goes forward and up in the motion [m]."""
    context.scene.frame_end = 100
    assert bpy.ops.impulse.run_simulation(directory=str(tmp_path)) == {"FINISHED"}
    leg, foot = bpy.data.objects["leg"], []
    for frame in range(1, 100):
        context.scene.frame_set(frame)
        foot.append(leg.matrix_world @ leg.data.vertices[0].co)
    return tuple(max(p[i] for p in foot) - min(p[i] for p in foot) for i in (1, 2))


def test_a_typed_expression_takes_the_place_of_the_target(add_body, select):
    """A motor has one target: typing an expression needs no second click that takes the constant
    away.
    """
    select(add_body())
    bpy.ops.impulse.add_joint(type="hinge")
    bpy.ops.impulse.add_motor(kind="servo")
    motor = bpy.context.object.impulse.joint.motors[0]
    assert motor.use_target

    motor.expression = "sin(t)"
    assert not motor.use_target
