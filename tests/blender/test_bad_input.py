"""What users have in their files: each mistake is a sentence about an object, never a traceback."""

import errno
from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

BOX = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
FACES = [(0, 1, 3, 2), (2, 3, 7, 6), (6, 7, 5, 4), (4, 5, 1, 0), (2, 6, 4, 0), (7, 3, 1, 5)]


def add_mesh(vertices, faces, name="thing", edges=()):
    from blender_addon.authoring import tagging

    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, list(edges), faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    tagging.tag_bodies([obj])
    return obj


def found():
    """Object, code and severity of all issues that the simulator is not needed for."""
    from blender_addon.checks.listing import listed, look_again

    bpy.context.view_layer.update()
    look_again(bpy.context)
    return [(i.object_name, i.code, i.severity) for i in listed(bpy.context.scene)]


@pytest.mark.parametrize(
    ("vertices", "faces", "code"),
    [
        ([], [], "B131"),
        (BOX, [], "B131"),
        (BOX, FACES[:-1], "B132"),
        (BOX[:4], FACES[:1], "B133"),
        (BOX, [*FACES[:-1], FACES[-1][::-1]], "B134"),
        (BOX, [face[::-1] for face in FACES], "B135"),
        (BOX, [*FACES, FACES[0]], "B139"),
        ([*BOX[:-1], (float("nan"), 0, 0)], FACES, "E202"),
    ],
)
def test_a_mesh_that_is_no_solid_is_one_issue(vertices, faces, code):
    """No faces, a hole, a sheet, faces that disagree, inside out, a doubled face, no number."""
    add_mesh(vertices, faces)

    assert found() == [("thing", code, "ERROR")]


@pytest.mark.parametrize(
    ("vertices", "faces", "edges"),
    [
        ([*BOX, (9, 9, 9)], FACES, []),
        ([*BOX, (9, 9, 9), (8, 8, 8)], FACES, [(8, 9)]),
        (BOX + [(x + 3, y, z) for x, y, z in BOX],
         FACES + [tuple(i + 8 for i in face) for face in FACES], []),
    ],
)  # fmt: skip
def test_loose_parts_do_no_harm(exported, vertices, faces, edges):
    """A vertex or an edge without faces is left out; two boxes apart are one rigid body."""
    add_mesh(vertices, faces, edges=edges)

    assert found() == []
    assert np.abs(exported().meshes[0].vertices).max() < 9


def test_corners_that_are_not_joined_are_joined(exported, mass_of):
    """Each face with corners of its own, as files for printing have them, makes a solid."""
    corners = [BOX[i] for face in FACES for i in face]
    add_mesh(corners, [tuple(range(4 * i, 4 * i + 4)) for i in range(6)])

    assert found() == []
    scene = exported()
    assert len(scene.meshes[0].vertices) == 8
    assert mass_of(scene, "thing")[0] == pytest.approx(1)


def test_a_text_is_no_instance_of_itself(context):
    """Blender draws letters as instances; nothing is simulated twice."""
    bpy.ops.object.text_add()
    text = bpy.context.object
    text.data.extrude = 0.1
    bpy.ops.impulse.tag_body()

    assert "B119" not in {code for _, code, _ in found()}


def test_body_leaves_cameras_lights_and_joints_alone(add_body, add_empty, add_box, context):
    """Select all and press Body: what cannot be a body, or is something else, stays as it is."""
    add_body("old")
    add_box("new", location=(3, 0, 0))
    knee = add_empty("knee")
    knee.impulse.kind = "JOINT"
    bpy.ops.object.camera_add()
    bpy.ops.object.light_add()
    bpy.ops.object.select_all(action="SELECT")

    bpy.ops.impulse.tag_body()

    kinds = {obj.name: obj.impulse.kind for obj in context.scene.objects}
    assert kinds == {
        "old": "BODY", "new": "BODY", "knee": "JOINT", "Camera": "NONE", "Point": "NONE",
    }  # fmt: skip


def test_body_on_a_camera_says_why_not():
    """Alone it is refused in words."""
    bpy.ops.object.camera_add()

    with pytest.raises(RuntimeError, match=r"Nothing here can be a body: Camera \(camera\)"):
        bpy.ops.impulse.tag_body()


@pytest.mark.parametrize("kind", ["armature", "wave", "hook"])
def test_a_shape_that_moves_is_refused(kind):
    """By an animated armature, by the time, by an animated Empty: bodies are rigid."""
    box = add_mesh(BOX, FACES)
    modifier = box.modifiers.new(kind, kind.upper())
    if kind != "wave":
        if kind == "armature":
            bpy.ops.object.armature_add()
        else:
            bpy.ops.object.empty_add()
        mover = modifier.object = bpy.context.object
        assert found() == []
        for frame in (1, 10):
            mover.location.x = frame
            mover.keyframe_insert("location", frame=frame)
        bpy.context.scene.frame_set(1)

    assert found() == [("thing", "B125", "ERROR")]


def test_shape_keys_that_stand_still_are_exported(exported):
    """The shape on the screen is the shape in the file."""
    box = add_mesh(BOX, FACES)
    box.shape_key_add(name="Basis")
    big = box.shape_key_add(name="big")
    big.value = 1.0
    for point in big.data:
        point.co *= 2

    assert found() == []
    assert np.abs(exported().meshes[0].vertices).max() == 1


def test_a_hidden_collection_is_a_word(add_body, context):
    """Blender keeps nothing in it up to date; a collection hidden with the eye does no harm."""
    for name, key in (("off", "hide_viewport"), ("eye", None)):
        body = add_body(name)
        collection = bpy.data.collections.new(name)
        context.scene.collection.children.link(collection)
        collection.objects.link(body)
        context.scene.collection.objects.unlink(body)
        if key:
            collection.hide_viewport = True
        else:
            context.view_layer.layer_collection.children[name].hide_viewport = True

    assert found() == [("off", "B118", "WARNING")]


@pytest.fixture
def linked(add_body, tmp_path, context):
    """A body that is linked from another file."""
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {add_body("arm")})
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_there, here):
        here.objects = ["arm"]
    bpy.context.scene.collection.objects.link(here.objects[0])
    bpy.context.view_layer.update()


def test_a_linked_body_is_a_word_and_can_be_overridden(linked):
    """It can be exported, but this file keeps no motion of it; an override can."""
    assert found() == [("arm", "B126", "WARNING")]

    assert bpy.ops.impulse.fix_issue(index=0) == {"FINISHED"}

    assert found() == []
    arm = bpy.context.scene.objects["arm"]
    assert arm.library is None
    assert (arm.impulse.kind, arm.impulse.body.density) == ("BODY", 1000)


def test_meshes_of_like_names_have_files_of_their_own(exported, context, tmp_path):
    """Names that only differ in what a file name cannot hold, or in case."""
    from blender_addon.authoring import tagging

    names = ["ball 1", "ball_1", "Ball_1", "ball 12"]
    for number, name in enumerate(names):
        bpy.ops.mesh.primitive_uv_sphere_add(
            segments=40, ring_count=30, radius=1 + number, location=(20 * number, 0, 0)
        )
        context.object.name = name
        tagging.tag_bodies([context.object])

    scene = exported()

    files = {mesh.name: mesh.file for mesh in scene.meshes}
    assert set(files) == set(names)
    assert len({file.casefold() for file in files.values()}) == len(names)
    from impulse_core.geometry.files import read_mesh

    for number, name in enumerate(names):
        reach = np.abs(read_mesh(tmp_path / files[name]).vertices).max()
        assert reach == pytest.approx(1 + number, rel=1e-2)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
def test_a_full_disk_leaves_the_files_of_before(exported, tmp_path, monkeypatch, code, context):
    """Also the meshes, which the scene of before needs."""
    from blender_addon.authoring import tagging
    from blender_addon.export import files

    bpy.ops.mesh.primitive_uv_sphere_add(segments=40, ring_count=30)
    tagging.tag_bodies([context.object])
    exported()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    context.object.scale = (2, 2, 2)

    def full(_scene, path):
        Path(path).write_bytes(b"<scen")
        raise OSError(code, "No space left on device")

    monkeypatch.setattr(files, "save_scene", full)
    with pytest.raises(RuntimeError, match=r"cannot be written: No space left on device\."):
        exported()

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
