"""A mirrored machine moves as the mirror image of the one it was made from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def new_empty(name, matrix):
    from mathutils import Matrix

    obj = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(obj)
    obj.matrix_world = Matrix(matrix)
    return obj


def mirror_by_parent(objects, plane):
    """Hang objects on an Empty that is scaled by -1 along x, y or z."""
    parent = bpy.data.objects.new("mirror", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale["xyz".index(plane)] = -1.0
    for obj in objects:
        obj.parent = parent
    bpy.context.view_layer.update()


def mirror_by_own_scale(objects, plane):
    """Give objects the transform that Blender's Mirror operator (Ctrl M) gives them."""
    from mathutils import Matrix

    factors = [-1.0 if plane == axis else 1.0 for axis in "xyz"]
    for obj in objects:
        obj.matrix_world = Matrix.Diagonal((*factors, 1.0)) @ obj.matrix_world
    bpy.context.view_layer.update()


MIRRORS = {"by a parent": mirror_by_parent, "by their own scale": mirror_by_own_scale}


def reflection(plane):
    return np.diag([-1.0 if plane == axis else 1.0 for axis in "xyz"])


@pytest.mark.parametrize("how", MIRRORS)
@pytest.mark.parametrize("plane", "xyz")
@pytest.mark.parametrize(
    ("kind", "axial"),
    [
        ("hinge", True),
        ("slider", False),
        ("cylindrical", True),
        ("screw", True),
        ("point-on-line", False),
    ],
)
def test_axes_of_rotation_are_axial_vectors(add_body, exported, kind, axial, plane, how):
    """Mirrored by M, an axis a of a slide becomes M a, that of a turn det(M) M a."""
    from blender_addon.authoring import tagging

    body = add_body("body")
    joint = new_empty("joint", np.eye(4))
    joint.rotation_euler = (0.3, -0.7, 1.1)
    bpy.context.view_layer.update()
    tagging.tag_joint(joint, kind, None, body)
    before = np.array(exported("before.xml").joints[0].axis)

    MIRRORS[how]([joint], plane)

    after = np.array(exported("after.xml").joints[0].axis)
    image = reflection(plane) @ before
    np.testing.assert_allclose(after, -image if axial else image, atol=1e-6)


def test_turn_and_slide_of_one_joint_are_both_mirrored(add_body, exported):
    """The axis of a cylindrical joint is that of its turn; numbers of its slide are turned round,
    also in what couples it.
    """
    from blender_addon.authoring import tagging

    body = add_body("body")
    joint = new_empty("joint", np.diag([1, -1, 1, 1]))
    tagging.tag_joint(joint, "cylindrical", None, body)
    for freedom in ("rotation", "translation"):
        limit = joint.impulse.joint.limits.add()
        limit.freedom, limit.use_lower, limit.lower = freedom, True, -0.5
        limit.use_upper, limit.upper = True, 2.0
        motor = joint.impulse.joint.motors.add()
        motor.kind, motor.freedom, motor.expression = "velocity", freedom, "sin(t)"
    screw = new_empty("screw", np.eye(4))
    tagging.tag_joint(screw, "coupling", None, None)
    for freedom in ("rotation", "translation"):
        term = screw.impulse.joint.terms.add()
        term.joint, term.freedom, term.coefficient = joint, freedom, 3.0

    made = {joint.name: joint for joint in exported().joints}

    assert made["joint"].axis == pytest.approx((0, 0, -1), abs=1e-6)
    bounds = {limit.freedom: (limit.lower, limit.upper) for limit in made["joint"].limits}
    assert bounds == {"rotation": (-0.5, 2.0), "translation": (-2.0, 0.5)}
    targets = {motor.freedom: motor.expression for motor in made["joint"].motors}
    assert targets == {"rotation": "sin(t)", "translation": "-(sin(t))"}
    factors = {term.freedom: term.coefficient for term in made["screw"].terms}
    assert factors == {"rotation": 3.0, "translation": -3.0}


@pytest.mark.parametrize("how", MIRRORS)
@pytest.mark.parametrize("plane", "xyz")
def test_a_mirrored_cone_keeps_its_numbers(add_body, exported, plane, how):
    """Both axes are turned round together, so that the swing stays, and twists are about axial
    vectors.
    """
    from blender_addon.authoring import tagging

    body = add_body("body")
    joint, bone = new_empty("joint", np.eye(4)), new_empty("bone", np.eye(4))
    joint.rotation_euler, bone.rotation_euler = (0.3, -0.7, 1.1), (0.4, -0.2, 0.1)
    bpy.context.view_layer.update()
    tagging.tag_joint(joint, "ball", None, body)
    joint.impulse.joint.axis2 = bone
    for freedom in ("swing", "twist"):
        limit = joint.impulse.joint.limits.add()
        limit.freedom, limit.use_upper, limit.upper = freedom, True, 1.5
    before = exported("before.xml").joints[0]

    MIRRORS[how]([joint, bone], plane)

    after = exported("after.xml").joints[0]
    assert after.limits == before.limits
    for key in ("axis", "axis2"):
        image = -reflection(plane) @ np.array(getattr(before, key))
        np.testing.assert_allclose(getattr(after, key), image, atol=1e-6)


@pytest.mark.parametrize("how", MIRRORS)
@pytest.mark.parametrize("plane", "xyz")
def test_a_mirrored_screw_is_the_mirror_image(add_body, exported, plane, how):
    """Its turn is about an axial vector and its shift M a per turn remains: the thread changes
    hands, and numbers of the shift count along the new axis.
    """
    from blender_addon.authoring import tagging

    body = add_body("body")
    joint = new_empty("thread", np.eye(4))
    joint.rotation_euler = (0.3, -0.7, 1.1)
    bpy.context.view_layer.update()
    tagging.tag_joint(joint, "screw", None, body)
    joint.impulse.joint.pitch = 0.05
    motor = joint.impulse.joint.motors.add()
    motor.kind, motor.freedom, motor.target = "velocity", "translation", 2.0
    motor.use_target = True
    motor.use_max_force, motor.max_force = True, 3.0
    motor.use_min_force, motor.min_force = True, -1.0
    before = exported("before.xml").joints[0]

    MIRRORS[how]([joint], plane)

    after = exported("after.xml").joints[0]
    assert (before.pitch, after.pitch) == pytest.approx((0.05, -0.05))
    shift = before.pitch * np.array(before.axis)
    np.testing.assert_allclose(
        after.pitch * np.array(after.axis), reflection(plane) @ shift, atol=1e-8
    )
    np.testing.assert_allclose(
        after.motors[0].target * np.array(after.axis),
        reflection(plane) @ (before.motors[0].target * np.array(before.axis)),
        atol=1e-6,
    )
    turned = np.sign(after.motors[0].target)
    forces = (after.motors[0].min_force, after.motors[0].max_force)
    assert forces == ((-1.0, 3.0) if turned > 0 else (-3.0, 1.0))


@pytest.mark.parametrize("scale", [(-1, 1, 1), (2, -3, 1), (1, 1, -0.5), (-1, -1, -1), (-1, -1, 1)])
def test_points_in_the_axes_of_a_mirrored_body(add_body, exported, scale):
    """A centre of mass or a point of a load given in the object's axes stays where it is seen."""
    from blender_addon.convert import quaternion_to_rotation

    box = add_body("box", scale=scale, rotation_euler=(0.4, 0.2, -0.9))
    body = box.impulse.body
    body.mass_source, body.center_of_mass = "explicit", (0.1, 0.2, 0.3)
    load = body.loads.add()
    load.use_point, load.point, load.force, load.axes = True, (0.3, 0.1, 0.2), (1, 2, 3), "body"
    load.torque = (3, 2, 1)
    matrix = np.array(box.matrix_world)[:3, :3]
    axes = matrix / np.linalg.norm(matrix, axis=0)

    scene = exported()

    turn = quaternion_to_rotation(np.array(scene.bodies[0].orientation))
    seen = lambda vector: turn @ np.array(vector)  # noqa: E731
    np.testing.assert_allclose(
        seen(scene.bodies[0].center_of_mass), axes @ (0.1, 0.2, 0.3), atol=1e-6
    )
    np.testing.assert_allclose(seen(scene.loads[0].point), axes @ (0.3, 0.1, 0.2), atol=1e-6)
    np.testing.assert_allclose(seen(scene.loads[0].force), axes @ (1, 2, 3), atol=1e-5)
    sign = np.sign(np.linalg.det(matrix))
    np.testing.assert_allclose(seen(scene.loads[0].torque), sign * axes @ (3, 2, 1), atol=1e-5)


@given(
    angles=st.tuples(*[st.floats(-3, 3)] * 3),
    parent_angles=st.tuples(*[st.floats(-3, 3)] * 3),
    signs=st.tuples(*[st.sampled_from([-1.0, 1.0])] * 3),
    parent_signs=st.tuples(*[st.sampled_from([-1.0, 1.0])] * 3),
)
def test_a_turn_about_the_exported_axis_is_the_image_of_the_turn(
    angles, parent_angles, signs, parent_signs
):
    """Whatever mirrors there are on the way: with the local frame L, also a left-handed one, a
    turn by φ about the exported axis is L R_z(φ) L⁻¹, what L makes of a turn about local z.
    """
    from mathutils import Matrix

    from blender_addon.export.collect import handedness
    from blender_addon.export.joints import axis_of

    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    parent = new_empty("parent", np.eye(4))
    parent.rotation_euler, parent.scale = parent_angles, parent_signs
    joint = new_empty("joint", np.eye(4))
    joint.parent, joint.rotation_euler, joint.scale = parent, angles, signs
    bpy.context.view_layer.update()
    local = np.array(joint.matrix_world)[:3, :3]

    axis = axis_of(np.array(joint.matrix_world), sign=handedness(joint))

    turn = np.array(Matrix.Rotation(0.7, 3, axis))
    image = local @ np.array(Matrix.Rotation(0.7, 3, "Z")) @ np.linalg.inv(local)
    np.testing.assert_allclose(turn, image, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("how", "plane"), [("by their own scale", "y"), ("by a parent", "x")])
def test_a_mirrored_leg_moves_as_the_mirror_image(add_body, context, tmp_path, how, plane):
    """Thigh and shank on hinges with a limit and a motor, and a foot on a slider with a spring:
    simulated, each body of the mirrored leg is at the mirror image of the other's place.
    """
    from blender_addon.authoring import tagging
    from blender_addon.export.scene_export import export

    made = []
    for side in ("left", "right"):
        thigh = add_body(f"thigh {side}", location=(0.1, 1.0, 1.5), size=(0.1, 0.1, 1))
        shank = add_body(f"shank {side}", location=(0.2, 1.1, 0.5), size=(0.1, 0.2, 1))
        foot = add_body(f"foot {side}", location=(0.2, 1.2, -0.1), size=(0.3, 0.2, 0.1))
        hip = new_empty(f"hip {side}", np.eye(4))
        hip.location, hip.rotation_euler = (0.1, 1.0, 2.0), (np.pi / 2, 0.2, 0.3)
        knee = new_empty(f"knee {side}", np.eye(4))
        knee.location, knee.rotation_euler = (0.1, 1.1, 1.0), (np.pi / 2 - 0.1, 0, 0)
        ankle = new_empty(f"ankle {side}", np.eye(4))
        ankle.location, ankle.rotation_euler = (0.2, 1.1, 0.0), (0.1, 0.2, 0)
        context.view_layer.update()
        tagging.tag_joint(hip, "hinge", None, thigh)
        motor = hip.impulse.joint.motors.add()
        motor.kind, motor.expression = "velocity", "2*sin(5*t) + 0.5"
        tagging.tag_joint(knee, "hinge", thigh, shank)
        limit = knee.impulse.joint.limits.add()
        limit.use_lower, limit.lower, limit.use_upper, limit.upper = True, -0.05, True, 0.2
        tagging.tag_joint(ankle, "slider", shank, foot)
        spring = ankle.impulse.joint.springs.add()
        spring.stiffness, spring.rest, spring.damping = 2000.0, 0.1, 10.0
        made.append([thigh, shank, foot, hip, knee, ankle])
    MIRRORS[how](made[1], plane)
    context.scene.impulse.use_collision_filter = True
    context.scene.impulse.collide_by_default = False
    context.scene.impulse.settings.duration = 0.6
    export(context, tmp_path / "legs.xml")

    import impulse_core

    recording = impulse_core.simulate(impulse_core.load_scene(tmp_path / "legs.xml"))

    rows = {name: number for number, name in enumerate(recording.body_names)}
    places = recording.positions
    for part in ("thigh", "shank", "foot"):
        left, right = places[:, rows[f"{part} left"]], places[:, rows[f"{part} right"]]
        assert np.ptp(left, axis=0).max() > 0.05
        np.testing.assert_allclose(right, left @ reflection(plane), atol=1e-6)
