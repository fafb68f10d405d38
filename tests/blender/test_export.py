"""Export: poses, units, settings, joints, loads; the file is read back by the schema."""

import math

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def body(scene, name):
    return next(body for body in scene.bodies if body.name == name)


def test_pose_is_that_of_the_origin_without_scale(add_body, exported):
    """Position and orientation are the object's own, whatever its scale."""
    add_body(location=(1, 2, 3), rotation_euler=(0, 0, math.pi / 2), scale=(2, 3, 4))

    made = body(exported(), "box")

    assert made.position == (1, 2, 3)
    np.testing.assert_allclose(made.orientation, (0.5**0.5, 0, 0, 0.5**0.5), atol=1e-7)


def test_parents_count(add_body, add_empty, exported):
    """A parent's transform and the parent inverse are in the world pose."""
    parent = add_empty("parent", (10, 0, 0), rotation_euler=(0, 0, math.pi / 2))
    child = add_body(location=(1, 0, 0))
    child.parent = parent
    child.matrix_parent_inverse.translation = (0, 5, 0)

    made = body(exported(), "box")

    np.testing.assert_allclose(made.position, (5, 1, 0), atol=1e-6)
    np.testing.assert_allclose(made.orientation, (0.5**0.5, 0, 0, 0.5**0.5), atol=1e-6)


def test_lengths_are_metres(add_body, add_empty, select, exported, context):
    """A Blender unit of a centimetre is a centimetre in the file; gravity follows Blender's."""
    context.scene.unit_settings.scale_length = 0.01
    context.scene.gravity = (0, 0, -981)
    add_body(size=(20, 20, 20), location=(100, 0, 0), shape="box")
    select(add_empty("pivot", (100, 0, 10)))
    bpy.ops.impulse.tag_joint(type="ball", body2="box")

    scene = exported()

    assert body(scene, "box").position == (1, 0, 0)
    assert body(scene, "box").geometry[0].size == (0.2, 0.2, 0.2)
    assert scene.joints[0].anchor == (1, 0, 0.1)
    assert scene.settings.gravity == (0, 0, -9.81)


def test_settings_come_from_the_scene(add_body, exported, context):
    """Frame rate and gravity are Blender's; the rest is set for Impulse."""
    context.scene.render.fps, context.scene.render.fps_base = 30, 1.001
    context.scene.use_gravity = False
    context.scene.impulse.settings.step = 0.005
    context.scene.impulse.title = "moon"
    add_body()

    scene = exported()

    assert scene.name == "moon"
    assert scene.settings.fps == pytest.approx(30 / 1.001, rel=1e-12)
    assert (scene.settings.gravity, scene.settings.step) == ((0, 0, 0), 0.005)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("density", {"density": 500.0, "mass": None, "inertia": None}),
        ("mass", {"density": None, "mass": 2.5, "inertia": None}),
        (
            "explicit",
            {"density": None, "mass": 2.5, "inertia": (1, 2, 2.5), "center_of_mass": (0, 0, 1)},
        ),
        ("material", {"density": None, "mass": None}),
    ],
)
def test_mass_comes_from_one_source(add_body, exported, context, source, expected):
    """Only what the chosen source uses is written."""
    box = add_body()
    group = box.impulse.body
    group.mass_source, group.density, group.mass = source, 500.0, 2.5
    group.inertia, group.center_of_mass = (1, 2, 2.5), (0, 0, 1)
    steel = context.scene.impulse.materials.add()
    steel.name, steel.use_density, steel.density = "steel", True, 7850.0
    box.impulse.geometry.material = "steel"

    made = body(exported(), "box")

    assert {key: getattr(made, key) for key in expected} == expected


def test_loads_are_written_with_their_window(add_body, exported):
    """A load names its body; force, torque, axes and times are kept."""
    load = add_body().impulse.body.loads.add()
    load.name, load.torque, load.axes = "slew", (0, 0, 12.5), "body"
    load.from_, load.use_until, load.until = 0.5, True, 1.5

    made = exported().loads[0]

    assert (made.body, made.name, made.torque, made.axes) == ("box", "slew", (0, 0, 12.5), "body")
    assert (made.from_, made.until, made.point) == (0.5, 1.5, None)


def test_a_joint_stands_where_its_object_stands(add_body, add_empty, select, exported):
    """Anchor is the origin, axis the local z, of an object that may be parented and turned."""
    box = add_body(location=(0, 0, 1))
    hinge = add_empty("hinge", (0, 0, 0.5), rotation_euler=(math.pi / 2, 0, 0))
    hinge.parent = box
    select(hinge)
    bpy.ops.impulse.tag_joint(type="hinge", body2="box")

    joint = exported().joints[0]

    assert (joint.name, joint.type, joint.body1, joint.body2) == ("hinge", "hinge", "world", "box")
    assert (joint.anchor, joint.axis) == ((0, 0, 1.5), (0, -1, 0))


@pytest.mark.parametrize(
    ("kind", "present"),
    [
        ("ball", {"anchor"}),
        ("hinge", {"anchor", "axis"}),
        ("universal", {"anchor", "axis", "axis2"}),
        ("fixed", {"anchor"}),
        ("slider", {"anchor", "axis"}),
        ("cylindrical", {"anchor", "axis"}),
        ("screw", {"anchor", "axis"}),
        ("point-on-line", {"anchor", "axis"}),
        ("point-on-plane", {"anchor", "axis"}),
        ("planar", {"anchor", "axis"}),
        ("parallel-axes", {"axis"}),
        ("orientation", set()),
        ("distance", {"anchor", "anchor2"}),
    ],
)
def test_every_joint_type_exports_what_it_uses(
    add_body, add_empty, select, exported, kind, present
):
    """The exported joint passes the schema's checks and has no attribute its type ignores."""
    add_body()
    eye = add_empty("eye", (0, 0, 0.5))
    pivot = add_empty("pivot", (0, 0, 2))
    select(pivot)
    bpy.ops.impulse.tag_joint(type=kind, body2="box", anchor2=eye.name)
    if kind != "distance":
        pivot.impulse.joint.anchor2 = None
    pivot.impulse.joint.constant = 3.0
    pivot.impulse.joint.armature = 0.25
    pivot.impulse.joint.damping = 0.75

    joint = exported().joints[0]

    given = {
        key for key in ("anchor", "anchor2", "axis", "axis2") if getattr(joint, key) is not None
    }
    assert (joint.type, given) == (kind, present)
    assert joint.pitch == (0.01 if kind == "screw" else None)
    driven = kind in {"hinge", "slider", "cylindrical", "screw"}
    assert joint.armature == (0.25 if driven else 0.0)
    assert joint.damping == (0.75 if kind in {"ball", "universal"} else 0.0)


def test_what_acts_on_a_free_axis_is_written(add_body, add_empty, select, exported):
    """Motor with a curve, limits, spring and friction of a hinge, in the file's units."""
    add_body()
    select(add_empty())
    bpy.ops.impulse.tag_joint(type="hinge", body2="box")
    joint = bpy.data.objects["pivot"].impulse.joint
    motor = joint.motors.add()
    motor.kind, motor.use_curve, motor.curve.interpolation = "servo", True, "cubic"
    motor.proportional = 100.0
    for time, value in ((0, 0), (1, 0.5)):
        sample = motor.curve.samples.add()
        sample.time, sample.value = time, value
    limit = joint.limits.add()
    limit.use_lower, limit.lower = True, -0.5
    joint.springs.add().stiffness = 3.0
    joint.frictions.add().force = 0.25

    made = exported().joints[0]

    assert (made.motors[0].kind, made.motors[0].proportional) == ("servo", 100.0)
    assert (made.motors[0].curve.times, made.motors[0].curve.values) == ([0, 1], [0, 0.5])
    assert (made.limits[0].lower, made.limits[0].upper) == (-0.5, None)
    assert (made.springs[0].stiffness, made.frictions[0].force) == (3.0, 0.25)


def test_the_cone_of_a_ball_joint_is_written(add_body, add_empty, select, exported):
    """With a limit of its swing the axis is the local z, that of body 2 another object's."""
    add_body()
    add_empty("bone", (0, 0, 2), rotation_euler=(0.3, 0, 0))
    pivot = add_empty("pivot", (0, 0, 2))
    select(pivot)
    bpy.ops.impulse.tag_joint(type="ball", body2="box")
    joint = pivot.impulse.joint
    joint.axis2 = bpy.data.objects["bone"]
    for freedom, bound in (("swing", 1.2), ("twist", 0.5)):
        limit = joint.limits.add()
        limit.freedom, limit.use_upper, limit.upper, limit.restitution = freedom, True, bound, 0.5

    made = exported().joints[0]

    assert made.axis == (0, 0, 1)
    assert made.axis2 == pytest.approx((0, -math.sin(0.3), math.cos(0.3)), abs=1e-6)
    bounds = {limit.freedom: (limit.lower, limit.upper) for limit in made.limits}
    assert bounds == {"swing": (None, 1.2), "twist": (None, 0.5)}


def test_springs_and_couplings_are_written(add_body, add_empty, select, exported):
    """A spring between two points, and a coupling of two joint coordinates."""
    add_body("a")
    add_body("b", location=(3, 0, 0))
    add_empty("end", (3, 0, 1))
    select(add_empty("spring", (0, 0, 1)))
    bpy.ops.impulse.tag_spring(body1="a", body2="b", anchor2="end", stiffness=50.0, damping=2.0)
    for name in ("a", "b"):
        select(add_empty(f"hinge {name}"))
        bpy.ops.impulse.tag_joint(type="hinge", body2=name)
    select(add_empty("gear"))
    bpy.ops.impulse.tag_joint(type="coupling")
    gear = bpy.data.objects["gear"].impulse.joint
    for name, coefficient in (("a", 1.0), ("b", -2.0)):
        term = gear.terms.add()
        term.joint, term.coefficient = bpy.data.objects[f"hinge {name}"], coefficient

    scene = exported()

    spring = scene.springs[0]
    assert (spring.body1, spring.body2, spring.anchor, spring.anchor2) == (
        "a",
        "b",
        (0, 0, 1),
        (3, 0, 1),
    )
    assert (spring.stiffness, spring.damping) == (50.0, 2.0)
    coupling = next(joint for joint in scene.joints if joint.type == "coupling")
    assert [(t.joint, t.coefficient) for t in coupling.terms] == [
        ("hinge a", 1.0),
        ("hinge b", -2.0),
    ]


def test_a_kinematic_body_brings_its_animation(add_body, exported, context):
    """Poses at every frame of the scene become keyframes, in seconds from the first."""
    platform = add_body(motion="kinematic")
    context.scene.frame_start, context.scene.frame_end = 1, 26
    for frame, z in ((1, 0.0), (26, 1.0)):
        platform.location.z = z
        platform.keyframe_insert("location", frame=frame)
    context.scene.frame_set(20)

    made = body(exported(), "box")

    times = {round(pose.time, 9) for pose in made.keyframes}
    assert times >= {round(frame / 25, 9) for frame in range(26)}
    assert made.keyframes[-1].time == pytest.approx(1.0)
    assert made.keyframes[-1].position == (0, 0, 1)
    assert made.position == made.keyframes[0].position


def test_materials_and_collision_rules_are_written(add_body, exported, context):
    """Material, pair of materials, pair of bodies and rule of groups."""
    a, b = add_body("a"), add_body("b", location=(3, 0, 0))
    tag = context.scene.impulse
    for name in ("ice", "steel"):
        tag.materials.add().name = name
    tag.materials[0].restitution = 0.25
    pair = tag.material_pairs.add()
    pair.material1, pair.material2 = "ice", "steel"
    pair.use_static_friction, pair.static_friction = True, 0.125
    a.impulse.body.collision_group, b.impulse.body.collision_group = "left", "right"
    tag.use_collision_filter = True
    rule = tag.collision_pairs.add()
    rule.body1, rule.body2 = a, b
    group = tag.collision_groups.add()
    group.group1, group.group2, group.collide = "left", "right", True

    scene = exported()

    assert scene.materials[0].restitution == 0.25
    assert (scene.material_pairs[0].material2, scene.material_pairs[0].static_friction) == (
        "steel",
        0.125,
    )
    assert (scene.collision_filter.pairs[0].body2, scene.collision_filter.pairs[0].collide) == (
        "b",
        False,
    )
    assert (scene.collision_filter.groups[0].group1, scene.collision_filter.groups[0].collide) == (
        "left",
        True,
    )


def test_the_start_is_the_first_frame(add_body, exported, context):
    """The pose exported is that of the first frame, and the current frame stays."""
    box = add_body(motion="kinematic")
    for frame, x in ((1, 0.0), (10, 9.0)):
        box.location.x = x
        box.keyframe_insert("location", frame=frame)
    context.scene.frame_set(10)

    assert body(exported(), "box").position == (0, 0, 0)
    assert (context.scene.frame_current, box.location.x) == (10, 9.0)


def test_xml_and_json_hold_the_same_scene(add_body, exported):
    """The suffix chooses the syntax."""
    add_body(location=(0.1, 0.2, 0.3))

    assert exported("a.xml") == exported("b.json")


def test_exporting_twice_gives_the_same_bytes(add_body, exported, tmp_path):
    """Order and numbers do not depend on when one exports."""
    for name in ("b", "a", "c"):
        add_body(name, location=(0.1, 0, 0))
    exported("one.xml")
    exported("two.xml")

    assert (tmp_path / "one.xml").read_bytes() == (tmp_path / "two.xml").read_bytes()
