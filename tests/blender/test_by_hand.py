"""How much there is to click and to type: one leg of the walking machine, from primitives.

A servo turns a crank, on whose pin the leg hangs; the leg slides through a swivel on the torso, so
that the foot lifts, swings forward and strides back.
"""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

CRANK, SWIVEL, LEG = 0.12, 0.35, 0.9  # m: crank pin, how far the swivel hangs, length of the leg
TURN = "4*(t - (1 - exp(-2*t))/2)"
MOST_CLICKS = 33
MOST_FIELDS = 17


def model_leg(hand):
    """The leg as a user makes it in an empty file, with torso and ground; the crank hangs down."""
    ground = hand.add(bpy.ops.mesh.primitive_plane_add)
    hand.field(ground, "location", (0, 0, -1.1))
    hand.click(bpy.ops.impulse.tag_body, motion="static", shape="plane")
    torso = hand.add(bpy.ops.mesh.primitive_cube_add, size=0.2)
    hand.field(torso, "location", (0, 0.2, 0))
    crank = add_box(hand, (0.04, 0.04, CRANK), -CRANK / 2)
    leg = add_box(hand, (0.04, 0.04, LEG), -CRANK - LEG / 2)
    swivel = hand.add(bpy.ops.mesh.primitive_cube_add, size=0.08)
    hand.field(swivel, "location", (0, 0, -SWIVEL))
    hand.everything()
    hand.click(bpy.ops.impulse.tag_body)
    hand.select(torso)
    hand.menu(bpy.data.objects[torso].impulse.body, "motion", "static")
    foot = hand.add(bpy.ops.mesh.primitive_uv_sphere_add, radius=0.05)
    hand.field(foot, "location", (0, 0, -CRANK - LEG))
    hand.click(bpy.ops.impulse.tag_geometry, body=leg)
    add_servo(hand, torso, crank)
    hand.field(bpy.context.scene.cursor, "location", (0, 0, -CRANK))
    join(hand, crank, leg, type="hinge", place="CURSOR", axis="Y")
    join(hand, torso, swivel, type="hinge", place="ORIGIN", axis="Y")
    join(hand, leg, swivel, type="slider", place="ORIGIN", axis="Z")


def add_box(hand, size, height):
    """A cube of a size below the hip; its name."""
    box = hand.add(bpy.ops.mesh.primitive_cube_add)
    hand.field(box, "location", (0, 0, height))
    hand.field(box, "dimensions", size)
    return box


def join(hand, *bodies, **chosen):
    """A joint of these bodies, which is selected then."""
    hand.select(*bodies)
    hand.click(bpy.ops.impulse.add_joint, **chosen)


def add_servo(hand, torso, crank):
    """A hinge at the hip with a servo that follows an expression; its gains fit the leg."""
    join(hand, torso, crank, type="hinge", place="CURSOR", axis="Y")
    hand.click(bpy.ops.impulse.add_motor)
    motor = bpy.context.object.impulse.joint.motors[0]
    hand.menu(motor, "use_target", False)
    hand.field(motor, "expression", TURN)


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
    assert forward > 2 * CRANK
    assert up > 0.5 * CRANK


def travels(context, tmp_path):
    """How far the end of the leg goes forward and up in the motion [m]."""
    context.scene.impulse.settings.duration = 4.0
    assert bpy.ops.impulse.run_simulation(directory=str(tmp_path)) == {"FINISHED"}
    leg, foot = bpy.data.objects["Cube.002"], []
    for frame in range(1, 100):
        context.scene.frame_set(frame)
        foot.append(leg.matrix_world @ leg.data.vertices[0].co)
    ranges = [max(p[i] for p in foot) - min(p[i] for p in foot) for i in (0, 2)]
    return tuple(ranges)
