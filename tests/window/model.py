"""A small machine made by the add-on's operators alone; runs in any Blender with the extension."""

import bpy

DENSITY = 500.0


def build():
    """A torso on two legs with servos, above the ground; gives back the torso's name."""
    _box("ground", (0, 0, -0.5), (4, 4, 1))
    bpy.ops.impulse.tag_body(motion="static", shape="box")
    torso = _box("torso", (0, 0, 1.1), (1, 0.6, 0.2))
    bpy.ops.impulse.tag_body(shape="box", density=DENSITY)
    for side, y in (("left", 0.4), ("right", -0.4)):
        leg = _box(f"leg.{side}", (0, y, 0.65), (0.1, 0.1, 1))
        bpy.ops.impulse.tag_body(shape="box", density=DENSITY)
        _hip(f"hip.{side}", torso, leg)
    bpy.context.scene.frame_end = 50
    return torso.name


def _box(name, location, size):
    """A box whose scale is applied by nobody, as users leave it."""
    bpy.ops.mesh.primitive_cube_add(size=1, location=location, scale=size)
    bpy.context.object.name = name
    return bpy.context.object


def _hip(name, torso, leg):
    """A hinge with a servo, about y."""
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    bpy.ops.object.empty_add(location=(0, leg.location.y, 1.1), rotation=(-1.5707963, 0, 0))
    joint = bpy.context.object
    joint.name = name
    bpy.ops.impulse.tag_joint(type="hinge", body1=torso.name, body2=leg.name)
    motor = joint.impulse.joint.motors.add()
    motor.kind = "servo"
    motor.use_target = True
    motor.target = 0.6
    motor.proportional = 200.0
    motor.derivative = 20.0
