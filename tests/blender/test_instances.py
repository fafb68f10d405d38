"""Collection instances become bodies and joints of their own: those that stand still in every
export, machines in files; a machine whose motion is to come back has to be made objects first.
"""

import bpy
import numpy as np
import pytest

from blender_addon.authoring import tagging
from blender_addon.export import scene_export
from blender_addon.export.realising import realise_collection
from blender_addon.issues import ExportError
from impulse_schema import load_scene


@pytest.fixture
def into(context):
    """into(collection, *objects): the objects are in that collection only."""

    def into(name, *objects):
        found = bpy.data.collections.new(name)
        for obj in objects:
            for home in list(obj.users_collection):
                home.objects.unlink(obj)
            found.objects.link(obj)
        return found

    return into


@pytest.fixture
def add_instance(add_empty):
    """add_instance(name, collection, **where): an Empty that shows it."""

    def add_instance(name, collection, **where):
        empty = add_empty(name, **where)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        return empty

    return add_instance


@pytest.fixture
def leg(into, add_body, add_empty, add_box):
    """A hinge with a motor between two bodies, one of which moves, and a solid that hangs on it."""
    upper, lower = add_body("upper", location=(0.3, 0, 3)), add_body("lower", location=(0, 0, 1))
    foot = add_box("foot", location=(0.2, 0.1, 0.2))
    foot.impulse.kind = "GEOMETRY"
    foot.parent = lower
    foot.location = (0.2, 0.1, -0.8)
    lower.impulse.body.velocity = (0.5, 0.2, 0.1)
    lower.impulse.body.angular_velocity = (0, 1, 0.5)
    knee = add_empty("knee", location=(0, 0, 2), rotation_euler=(1.5, 0, 0.2))
    collection = into("leg", upper, lower, foot, knee)
    tagging.tag_joint(knee, "hinge", upper, lower)
    motor = knee.impulse.joint.motors.add()
    motor.use_target, motor.target = True, 0.3
    collection.instance_offset = (0, 0.4, 0)
    return collection


def ground(into, add_body, **options):
    slab = add_body("slab", motion="static", size=(4, 4, 0.2), location=(0, 0, -0.1), **options)
    return into("grounds", slab)


def machine(scene):
    """What a scene is made of, but for the names of its meshes."""
    data = scene.model_dump()
    for body in data["bodies"]:
        for solid in body["geometry"]:
            solid.pop("mesh")
    return {key: data[key] for key in ("bodies", "joints")}


def test_instances_of_ground_are_simulated(add_body, add_instance, into, context):
    """They need no keys, so that nothing is to be done about them."""
    collection = ground(into, add_body)
    add_body("box", location=(0, 0, 1))
    for number in range(3):
        add_instance(f"tile {number}", collection, location=(6.0 * number, 0, 0))
    before = {obj.name for obj in bpy.data.objects}

    built = scene_export.build(context)

    places = {body.name: body.position for body in built.scene.bodies}
    assert set(places) == {"box", "tile 0.slab", "tile 1.slab", "tile 2.slab"}
    np.testing.assert_allclose(places["tile 2.slab"], (12, 0, -0.1), atol=1e-6)
    assert built.issues == []
    assert {obj.name for obj in bpy.data.objects} == before
    assert bpy.data.objects["tile 1"].instance_collection == collection


@pytest.mark.parametrize("seed", range(4))
def test_an_instance_is_written_as_the_objects_it_shows(
    add_body, add_instance, leg, context, tmp_path, seed
):
    """Turned, scaled, mirrored: what a file holds of an instance is what it holds once objects are
    made of it by hand, which stand where the instance showed them.
    """
    lots = np.random.default_rng(seed)
    add_body("torso", location=(0, 0, 9))
    size = lots.uniform(0.5, 2.0) * np.array([-1.0 if seed % 2 else 1.0, 1.0, 1.0])
    instance = add_instance(
        "left", leg, location=lots.normal(size=3), rotation_euler=lots.normal(size=3), scale=size
    )
    again = add_instance("right", leg, location=(0, 5, 0))
    context.view_layer.update()
    seen = {
        shown.object.original.name: np.array(shown.matrix_world)
        for shown in context.evaluated_depsgraph_get().object_instances
        if shown.is_instance and shown.parent.original == instance
    }

    by_export = machine(scene_export.export(context, tmp_path / "one.xml").scene)
    for obj in (instance, again):
        realise_collection(context, obj)
    by_hand = machine(scene_export.export(context, tmp_path / "two.xml").scene)

    assert by_export == by_hand
    assert len(by_export["joints"]) == 2
    assert {joint["body2"] for joint in by_export["joints"]} == {"left.lower", "right.lower"}
    for name, matrix in seen.items():
        made = np.array(bpy.data.objects[f"left.{name}"].matrix_world)
        np.testing.assert_allclose(made, matrix, atol=1e-5)


def test_a_mirrored_instance_moves_as_the_mirror_image(add_body, add_instance, leg, context):
    """Its motor keeps its number; its axis is turned as an axial vector is."""
    add_body("torso", location=(0, 0, 9))
    add_instance("plain", leg)
    add_instance("image", leg, scale=(1, -1, 1))

    scene = scene_export.build(context, played=False).scene

    joints = {joint.name: joint for joint in scene.joints}
    axial = np.diag([-1.0, 1.0, -1.0])
    np.testing.assert_allclose(
        joints["image.knee"].axis, axial @ joints["plain.knee"].axis, atol=1e-6
    )
    assert joints["image.knee"].motors == joints["plain.knee"].motors
    bodies = {body.name: body for body in scene.bodies}
    one, two = bodies["plain.lower"], bodies["image.lower"]
    np.testing.assert_allclose(two.velocity, np.diag([1, -1, 1]) @ one.velocity, atol=1e-6)
    np.testing.assert_allclose(two.angular_velocity, axial @ one.angular_velocity, atol=1e-6)


def test_a_file_with_a_machine_of_instances_says_that_its_motion_is_not_shown(
    add_body, add_instance, leg, context, tmp_path
):
    """It is written; to simulate it here is refused, as no key could move an instance."""
    add_body("torso", location=(0, 0, 9))
    add_instance("left", leg)

    built = scene_export.export(context, tmp_path / "scene.xml")
    with pytest.raises(ExportError, match="no objects of their own that keys could move"):
        scene_export.export(context, tmp_path / "played.xml", played=True)

    assert {body.name for body in load_scene(tmp_path / "scene.xml").bodies} >= {"left.upper"}
    assert [(i.object_name, i.code, i.severity) for i in built.issues] == [
        ("left", "B119", "WARNING")
    ]
    assert not (tmp_path / "played.xml").exists()


def test_instances_within_instances_are_made_as_well(
    add_body, add_instance, into, context, tmp_path
):
    inner = add_instance("inner", ground(into, add_body), location=(1, 0, 0))
    add_body("box", location=(0, 0, 1))
    add_instance("outer", into("both", inner), location=(0, 2, 0))

    scene = scene_export.export(context, tmp_path / "scene.xml").scene

    places = {body.name: body.position for body in scene.bodies}
    assert set(places) == {"box", "outer.inner.slab"}
    np.testing.assert_allclose(places["outer.inner.slab"], (1, 2, -0.1), atol=1e-6)


def test_what_is_wrong_within_an_instance_is_said_of_it(add_body, add_instance, into, context):
    """No row of the list is about an object that is not there; no fix changes the instance."""
    slab = add_body("slab", motion="static", shape="box", scale=(1, 0, 1))
    add_body("box", location=(0, 0, 1))
    add_instance("tile", into("grounds", slab), location=(5, 0, 0))

    issues = scene_export.build(context).issues

    assert {issue.object_name for issue in issues} == {"tile"}
    assert any("slab" in issue.message and "scale of zero" in issue.message for issue in issues)


def test_solids_of_an_instance_belong_to_the_body_it_hangs_on(
    add_body, add_box, add_instance, into, exported
):
    """An instanced foot is a solid of the static body that carries the instance."""
    foot = add_box("foot")
    foot.impulse.kind = "GEOMETRY"
    collection = into("feet", foot)
    base = add_body("base", motion="static")
    add_body("box", location=(0, 0, 9))
    add_instance("left", collection, location=(3, 0, 0)).parent = base

    scene = exported()

    (body,) = [body for body in scene.bodies if body.name == "base"]
    assert {solid.name for solid in body.geometry} == {"base", "left.foot"}


def test_what_fails_midway_leaves_no_copies(add_body, add_instance, into, context, monkeypatch):
    """The second instance cannot be made real: all is as before, the first one too."""
    from blender_addon.export import realising

    collection = ground(into, add_body)
    add_body("box", location=(0, 0, 1))
    for number in range(2):
        add_instance(f"tile {number}", collection, location=(6.0 * number, 0, 0))
    before = {obj.name for obj in bpy.data.objects}
    turn = realising.turn_vectors

    def fail(obj, linear):
        if obj.name.startswith("tile 1"):
            raise MemoryError
        turn(obj, linear)

    monkeypatch.setattr(realising, "turn_vectors", fail)
    with pytest.raises(MemoryError):
        scene_export.build(context)

    assert {obj.name for obj in bpy.data.objects} == before
    assert bpy.data.objects["tile 0"].instance_collection == collection
    assert bpy.data.objects["tile 1"].instance_collection == collection
