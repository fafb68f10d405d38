"""How much there is to click and to type: one leg of the walking machine, from primitives.

A servo turns a crank, on whose pin the leg hangs; the leg slides through a swivel on the torso, so
that the foot lifts, swings forward and strides back.
"""

from math import atan2, hypot, pi

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

CRANK, SWIVEL, LEG = 0.12, 0.35, 0.9  # m: crank pin, how far the swivel hangs, length of the leg
TILT = atan2(CRANK, SWIVEL)  # of the leg at the start, about y
PIN = (CRANK, 0.0, 0.0)
TURN = "4*(t - (1 - exp(-2*t))/2)"
MOST_CLICKS = 44
MOST_FIELDS = 46


def model_leg(hand):
    """The leg as a user makes it in an empty file, with torso and ground."""
    add_bodies(hand)
    add_joint(hand, "servo", "hinge", (0, 0, 0), ("torso", "crank"))
    add_servo(hand)
    add_joint(hand, "crank-pin", "hinge", PIN, ("crank", "leg"))
    add_joint(hand, "swivel-pin", "hinge", (0, 0, -SWIVEL), ("torso", "swivel"))
    add_joint(hand, "guide", "slider", (0, 0, -SWIVEL), ("swivel", "leg"), tilt=TILT)


def add_bodies(hand):
    """Ground, torso, crank, leg and swivel: boxes and a plane."""
    hand.click(bpy.ops.mesh.primitive_plane_add)
    ground = bpy.context.object
    hand.field(ground, "name", "ground")
    hand.field(ground, "location", (0, 0, -1.1))
    hand.click(bpy.ops.impulse.tag_body, motion="static", shape="plane")
    add_box(hand, "torso", (0.4, 0.2, 0.1), (0, 0.2, 0))
    hand.click(bpy.ops.impulse.tag_body, motion="static", shape="box")
    add_box(hand, "crank", (CRANK, 0.04, 0.04), (CRANK / 2, 0, 0))
    down = LEG / 2 / hypot(CRANK, SWIVEL)
    middle = (CRANK - CRANK * down, 0, -SWIVEL * down)
    add_box(hand, "leg", (0.04, 0.04, LEG), middle, tilt=TILT)
    add_box(hand, "swivel", (0.08, 0.08, 0.1), (0, 0, -SWIVEL), tilt=TILT)
    hand.select("crank", "leg", "swivel")
    hand.click(bpy.ops.impulse.tag_body, shape="box")
    hand.click(bpy.ops.mesh.primitive_uv_sphere_add)
    foot = bpy.context.object
    hand.field(foot, "name", "foot")
    hand.field(foot, "location", (CRANK - 2 * (CRANK - middle[0]), 0, 2 * middle[2]))
    hand.field(foot, "dimensions", (0.1, 0.1, 0.1))
    hand.click(bpy.ops.impulse.tag_geometry, body="leg", shape="sphere")


def add_box(hand, name, size, location, tilt=0.0):
    """A cube with a name, a size and a place."""
    hand.click(bpy.ops.mesh.primitive_cube_add)
    box = bpy.context.object
    hand.field(box, "name", name)
    hand.field(box, "location", location)
    hand.field(box, "dimensions", size)
    if tilt:
        hand.field(box, "rotation_euler", (0, tilt, 0))


def add_joint(hand, name, kind, place, bodies, tilt=None):
    """A joint of two bodies: about y, or along an axis that is tilted about y."""
    hand.field(bpy.context.scene.cursor, "location", place)
    hand.select(*bodies)
    before = {obj.name for obj in bpy.data.objects}
    hand.click(bpy.ops.impulse.add_joint, type=kind)
    made = next(obj for obj in bpy.data.objects if obj.name not in before)
    hand.select(made.name)
    hand.field(made, "name", name)
    hand.field(made, "rotation_euler", (-pi / 2, 0, 0) if tilt is None else (0, tilt, 0))


def add_servo(hand):
    """A servo that follows an expression."""
    hand.select("servo")
    hand.click(bpy.ops.impulse.list_add, path="joint.motors")
    hand.clicks -= 1  # the path is no dialog: it is the place of the button
    motor = bpy.data.objects["servo"].impulse.joint.motors[0]
    hand.menu(motor, "kind", "servo")
    hand.field(motor, "expression", TURN)
    hand.field(motor, "proportional", 20000)
    hand.field(motor, "derivative", 400)
    hand.menu(motor, "use_max_force", True)
    hand.field(motor, "max_force", 80)


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
    leg, foot = bpy.data.objects["leg"], []
    for frame in range(1, 100):
        context.scene.frame_set(frame)
        foot.append(leg.matrix_world @ leg.data.vertices[0].co)
    ranges = [max(p[i] for p in foot) - min(p[i] for p in foot) for i in (0, 2)]
    return tuple(ranges)
