"""Fixes: each does what its label says, after which its issue is gone; undo takes it back."""

import math

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def add_mesh(name, vertices, faces, **tags):
    """An object tagged as a body, of a mesh given by numbers."""
    from blender_addon.authoring import tagging

    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    tagging.tag_bodies([obj], shape=tags.pop("shape", "mesh"), **tags)
    bpy.context.view_layer.update()
    return obj


SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
TENT = [*SQUARE, (0, 0, 1)]
SIDES = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]


@pytest.fixture
def make(add_body, add_box, add_empty, context):
    """Makes a scene with one issue, by the name of the fix; gives its code."""
    from blender_addon.authoring import tagging

    def keyed_box():
        box = add_body()
        for frame in (1, 10):
            box.location.x = frame
            box.keyframe_insert("location", frame=frame)
        context.scene.frame_set(1)
        return box

    def joint(**ends):
        add_body("kept", location=(3, 0, 0))
        pivot = add_empty()
        tagging.tag_joint(pivot, "ball", None, bpy.data.objects["kept"])
        pivot.impulse.joint.body1_is_world = False
        if "other" in ends:
            pivot.impulse.joint.body1 = ends["other"]
        return pivot

    def lost_joint():
        joint(other=add_body("gone"))
        bpy.data.objects.remove(bpy.data.objects["gone"])

    def loose_end():
        joint()

    def untagged_end():
        other = add_body("plain")
        joint(other=other)
        other.impulse.kind = "NONE"

    def stray():
        add_body()
        add_box("stray").impulse.kind = "GEOMETRY"

    def unprintable():
        add_body("a\tb")

    def heavy_plane():
        add_mesh("sheet", SQUARE, [(0, 1, 2, 3)], shape="plane")

    def flat():
        add_mesh("sheet", SQUARE, [(0, 1, 2, 3)])

    def tent():
        add_mesh("tent", TENT, SIDES)

    def odd():
        add_mesh("odd", TENT, [*SIDES[:3], SIDES[3][::-1], (3, 2, 1, 0)])

    def looks_down():
        add_body("other", location=(9, 0, 9))
        add_mesh("ground", TENT, [side[::-1] for side in SIDES], motion="static")

    def sheared():
        add_body("good", location=(9, 0, 0))
        box = add_body("box", rotation_euler=(0, 0, 0.5))
        box.parent = add_empty("stretched", scale=(1, 1.5, 2))

    def uneven_parent():
        add_body("box").parent = add_empty("stretched", scale=(1, 1, 2))

    def moving_parent():
        carrier = add_empty("carrier")
        carrier.keyframe_insert("location", frame=1)
        add_body().parent = carrier

    def deltas():
        add_body(delta_location=(1, 2, 3), delta_rotation_euler=(0, 0, 0.3))

    def constrained():
        add_body().constraints.new("COPY_LOCATION").target = add_empty(location=(4, 5, 6))

    def rigid():
        box = add_body()
        bpy.context.view_layer.objects.active = box
        box.select_set(True)
        bpy.ops.rigidbody.world_add()
        bpy.ops.rigidbody.object_add()

    def disabled():
        add_body("other", location=(3, 0, 0))
        add_body().hide_viewport = True

    def keyed_density():
        box = add_body()
        for frame, density in ((1, 1000), (9, 2000)):
            box.impulse.body.density = density
            box.keyframe_insert("impulse.body.density", frame=frame)

    def moved_later():
        box = keyed_box()
        box.impulse.body.motion = "kinematic"
        context.scene.frame_set(5)
        box.location = (0, 7, 0)

    def instanced():
        leg = bpy.data.collections.new("leg")
        for name in ("upper", "lower"):
            obj = add_body(name, location=(0, 0, 3 if name == "upper" else 1))
            context.scene.collection.objects.unlink(obj)
            leg.objects.link(obj)
        knee = add_empty("knee", location=(0, 0, 2))
        context.scene.collection.objects.unlink(knee)
        leg.objects.link(knee)
        tagging.tag_joint(knee, "hinge", leg.objects["upper"], leg.objects["lower"])
        add_body("torso", location=(0, 0, 9))
        instance = add_empty("instance", location=(5, 0, 0), rotation_euler=(0, 0, 1))
        instance.instance_type, instance.instance_collection = "COLLECTION", leg

    def waving():
        add_body().modifiers.new("ripples", "WAVE")

    scenes = {
        "world": (loose_end, "B103"),
        "tag_body": (untagged_end, "B105"),
        "delete_joint": (lost_joint, "B102"),
        "untag": (stray, "B106"),
        "rename": (unprintable, "E207"),
        "static": (flat, "B133"),
        "kinematic": (keyed_box, "B122"),
        "hull": (tent, "B132"),
        "plane": (flat, "B133"),
        "recalculate": (odd, "B134"),
        "flip": (looks_down, "B136"),
        "bake": (sheared, "B112"),
        "clear_parent": (moving_parent, "B114"),
        "apply_deltas": (deltas, "B115"),
        "mute_constraints": (constrained, "B116"),
        "leave_rigid_bodies": (rigid, "B117"),
        "enable": (disabled, "B118"),
        "mute_keys": (keyed_density, "B121"),
        "start_here": (moved_later, "B124"),
        "realise": (instanced, "B119"),
        "modifier_off": (waving, "B125"),
    }
    more = {"static": heavy_plane, "clear_parent": uneven_parent, "mute_keys": keyed_box}

    def make(name, *, second=False):
        (more[name] if second else scenes[name][0])()
        context.view_layer.update()
        return scenes[name][1]

    make.names, make.more = scenes, more
    return make


# These need the simulator, which says what is wrong with the start, or another file.
ELSEWHERE = {"exclude_pair", "move_apart", "mesh_ground", "assemble", "override"}
NAMES = (
    "world",
    "tag_body",
    "delete_joint",
    "untag",
    "rename",
    "static",
    "kinematic",
    "hull",
    "plane",
    "recalculate",
    "flip",
    "bake",
    "clear_parent",
    "apply_deltas",
    "mute_constraints",
    "leave_rigid_bodies",
    "enable",
    "mute_keys",
    "start_here",
    "realise",
    "modifier_off",
)


def check():
    """The issues that the check finds without the simulator."""
    from blender_addon.checks.listing import listed, look_again

    look_again(bpy.context)
    return listed(bpy.context.scene)


def test_every_fix_is_tested(make):
    """None is missing here."""
    from blender_addon.checks.fixes import FIXES

    assert set(NAMES) == set(make.names)
    assert {fix.name for fix in FIXES} == set(NAMES) | ELSEWHERE


@pytest.mark.parametrize(
    ("name", "second"),
    [
        *((name, False) for name in NAMES),
        *((n, True) for n in ("static", "clear_parent", "mute_keys")),
    ],
)
def test_a_fix_mends_its_issue(make, name, second, context):
    """The issue is there, the fix is offered, and afterwards the list is empty."""
    from blender_addon.checks.fixes import fixes_of

    code = make(name, second=second)
    issues = check()
    index = next(i for i, issue in enumerate(issues) if name in [f.name for f in fixes_of(issue)])
    assert second or issues[index].code == code

    assert bpy.ops.impulse.fix_issue(index=index, fix=name) == {"FINISHED"}

    assert check() == []


@pytest.mark.parametrize(
    "name", ["bake", "clear_parent", "apply_deltas", "mute_constraints", "leave_rigid_bodies"]
)
def test_what_is_mended_stays_where_it_is(make, name, context):
    """The corners of the mesh are in the same places of the world before and after."""
    make(name)
    box = bpy.data.objects["box"]
    before = [box.matrix_world @ corner.co for corner in box.data.vertices]
    issues = check()
    index = next(i for i, issue in enumerate(issues) if issue.object_name == "box")

    bpy.ops.impulse.fix_issue(index=index, fix=name)

    after = [box.matrix_world @ corner.co for corner in box.data.vertices]
    np.testing.assert_allclose(after, before, atol=2e-6)


def test_undo_takes_a_fix_back(add_body, context):
    """One step back and the mesh is open again, and listed so."""
    add_mesh("tent", TENT, SIDES)
    check()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.impulse.fix_issue(index=0)
    bpy.ops.ed.undo_push(message="after")
    assert bpy.data.objects["tent"].impulse.geometry.shape == "convex_hull"

    bpy.ops.ed.undo()

    assert bpy.data.objects["tent"].impulse.geometry.shape == "mesh"
    assert [row.code for row in bpy.context.scene.impulse.issues] == ["B132"]


def test_instances_become_machines_of_their_own(make, exported, context):
    """The joint of the copy joins the copies, which stand where the instance showed them."""
    make("realise")
    check()

    bpy.ops.impulse.fix_issue(index=0)

    scene = exported()
    ends = {(joint.body1, joint.body2) for joint in scene.joints}
    places = {body.name: body.position for body in scene.bodies}
    assert set(places) == {"torso", "instance.upper", "instance.lower"}
    assert ends == {("instance.upper", "instance.lower")}
    np.testing.assert_allclose(places["instance.lower"], (5, 0, 1), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("fix", ["exclude_pair", "move_apart"])
@pytest.mark.parametrize("ground", [False, True])
def test_bodies_that_overlap_are_mended(add_body, fix, ground):
    """Two boxes, or a box in the ground: the check with the simulator is content afterwards."""
    add_body("low", shape="box", motion="static" if ground else "dynamic")
    add_body("high", shape="box", location=(0.2, 0, 0.5))
    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()
    (row,) = bpy.context.scene.impulse.issues
    assert (row.code, {row.object_name, row.other}) == ("E615", {"low", "high"})

    bpy.ops.impulse.fix_issue(index=0, fix=fix)

    assert len(bpy.context.scene.impulse.issues) == 0
    assert bpy.ops.impulse.validate_scene() == {"FINISHED"}


@pytest.mark.slow
def test_a_hull_of_flat_ground_becomes_its_faces(add_body):
    """The simulator has no solid for a flat hull; its faces are ground."""
    add_mesh("sheet", SQUARE, [(0, 1, 2, 3)], shape="convex_hull", motion="static")
    add_body("box", location=(0, 0, 2))
    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    bpy.ops.impulse.fix_issue(index=0, fix="mesh_ground")

    assert bpy.ops.impulse.validate_scene() == {"FINISHED"}


@pytest.mark.slow
def test_joints_apart_are_assembled(add_body, add_empty):
    """A limit that excludes the start is met by moving the bodies, where the user wants that."""
    from blender_addon.authoring import tagging

    pivot = add_empty()
    tagging.tag_joint(pivot, "hinge", None, add_body("door", centre=(0.6, 0, 0)))
    limit = pivot.impulse.joint.limits.add()
    limit.use_lower, limit.lower = True, math.radians(20)
    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    bpy.ops.impulse.fix_issue(index=0, fix="assemble")

    assert bpy.ops.impulse.validate_scene() == {"FINISHED"}


def test_a_fix_that_does_not_suit_is_refused(add_body):
    """A wrong name is answered with those that would do, a wrong row with a word."""
    add_mesh("tent", TENT, SIDES)
    check()

    assert bpy.ops.impulse.fix_issue(index=0, fix="flip") == {"CANCELLED"}
    assert bpy.ops.impulse.fix_issue(index=7) == {"CANCELLED"}
    assert bpy.data.objects["tent"].impulse.geometry.shape == "mesh"
