"""A scene read piece by piece, with Blender used in between: what comes out is what one reading at
one go gives, of the scene as it is in the end.
"""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from blender_addon.export import scene_export  # noqa: E402
from blender_addon.export.work import Pause  # noqa: E402

from .recordings import turning  # noqa: E402


@pytest.fixture
def pieces(context, monkeypatch):
    """Reading of which each poll does one piece."""
    from blender_addon.running import pieces as module

    times = iter(range(100_000))
    monkeypatch.setattr(module.time, "perf_counter", lambda: 0.03 * next(times))
    return lambda work=None: module.Pieces(context, work or partial(scene_export.building, context))


@pytest.fixture
def machine(add_body, context):
    for number in range(4):
        add_body(f"box {number}", location=(2.0 * number, 0, 0))
    add_body("ball", shape="convex_hull", location=(0, 5, 0))
    return context


def finish(work, polls=10_000):
    for _ in range(polls):
        if work.poll():
            return work.result()
    raise AssertionError("it does not end")


def same(built, other):
    assert built.scene.model_dump() == other.scene.model_dump()
    assert built.issues == other.issues


def test_pieces_give_what_one_reading_gives(machine, pieces):
    """There are several, which count the objects."""
    work = pieces()
    said = []
    while not work.poll():
        said.append(work.progress.text)

    assert {"reading object 1 of 5", "reading object 5 of 5", "checking"} <= set(said)
    same(work.result(), scene_export.build(machine))


def test_poses_are_those_of_the_start_whatever_frame_is_shown(machine, pieces):
    """The motion of a run before is played, and the user looks at other frames meanwhile."""
    from blender_addon.playback.keyframes import import_recording

    before = scene_export.build(machine)
    import_recording(turning([f"box {number}" for number in range(4)]), machine.scene)
    machine.scene.frame_end = 250
    machine.scene.frame_set(9)
    work = pieces()
    for frame in range(2, 6):
        assert not work.poll()
        machine.scene.frame_set(frame)
    built = finish(work)

    assert machine.scene.frame_current == 5
    same(built, before)


def move(context):
    context.scene.objects["box 0"].location.z = 7.0


def make_heavier(context):
    context.scene.objects["box 3"].impulse.body.density = 3.0


def delete(_context):
    bpy.data.objects.remove(bpy.data.objects["box 3"])


def bend(context):
    mesh = context.scene.objects["box 1"].data
    for vertex in mesh.vertices:
        vertex.co *= 2.0
    mesh.update()


@pytest.mark.parametrize("edit", [move, make_heavier, delete, bend])
@pytest.mark.parametrize("polls", [1, 4])
def test_an_edit_meanwhile_is_in_the_scene(machine, pieces, edit, polls):
    """Of the user, or of a script that tells nobody."""
    before = scene_export.build(machine).scene.model_dump()
    work = pieces()
    for _ in range(polls):
        assert not work.poll()
    edit(machine)
    built = finish(work)

    same(built, scene_export.build(machine))
    assert built.scene.model_dump() != before


def test_large_meshes_are_looked_at_beside_blender(add_body, context, pieces, monkeypatch):
    """The same comes out, errors too."""
    from blender_addon.export import solids

    add_body("box")
    ball = add_body("open", location=(5, 0, 0))
    ball.data.clear_geometry()
    ball.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 0)], [], [(0, 1, 2), (1, 3, 2)])
    whole = scene_export.build(context)
    monkeypatch.setattr(solids, "MANY_CORNERS", 1)
    monkeypatch.setattr(scene_export, "MANY_ELEMENTS", 0)
    work = pieces()
    said = []
    while not work.poll():
        said.append(work.progress.text)

    assert "reading the mesh of box" in said
    assert [issue.code for issue in whole.issues] == ["B132"]
    assert work.result().issues == whole.issues


def test_what_cannot_be_fitted_beside_blender_is_an_issue(add_body, context, pieces, monkeypatch):
    """Of its object, as at one go; the work goes on."""
    from blender_addon.export import solids

    for name in ("box", "flat", "last"):
        add_body(name, shape="box", size=(1, 1, 0 if name == "flat" else 1))
    monkeypatch.setattr(solids, "MANY_CORNERS", 1)

    (issue,) = [i for i in finish(pieces()).issues if i.severity == "ERROR"]
    (whole,) = [i for i in scene_export.build(context).issues if i.severity == "ERROR"]

    assert (issue.object_name, "cannot be a box" in issue.message) == ("flat", True)
    assert issue == whole


def test_stop_ends_it(machine, pieces):
    work = pieces()
    work.stop()
    assert work.poll()
    assert work.is_stopped
    assert not work.is_going


def test_another_scene_is_not_mixed_in(machine, pieces):
    """It has to be shown by the window, which is asked."""
    from blender_addon.running import pieces as module

    work = pieces()
    work._scene = "another"
    assert work.poll()
    with pytest.raises(module.SceneGoneError):
        work.result()


def test_a_folder_of_a_run_that_is_given_up_is_removed(machine, runs, pieces):
    """Nothing is left of a simulation whose scene is still being read."""
    from blender_addon.running import simulation
    from blender_addon.running.pieces import Pieces

    work = Pieces(machine, lambda: simulation.starting(machine, is_live=True))
    assert not work.poll()
    (folder,) = [path for path in runs.rglob("*") if path.is_dir() and not any(path.iterdir())]
    work.stop()
    assert not folder.exists()


def test_arrays_of_a_mesh_are_those_of_its_faces(context):
    """Read in one go or one by one; triangles, quads and n-gons."""
    from blender_addon.export.meshes import raw_mesh

    rng = np.random.default_rng(1)
    points = rng.normal(size=(9, 3))
    faces = [(0, 1, 2), (2, 3, 4, 5), (5, 6, 7, 8, 0), (1, 4, 7)]
    mesh = bpy.data.meshes.new("mixed")
    mesh.from_pydata(points.tolist(), [], faces)
    obj = bpy.data.objects.new("mixed", mesh)
    context.scene.collection.objects.link(obj)
    context.view_layer.update()

    raw = raw_mesh(obj, context.evaluated_depsgraph_get())

    np.testing.assert_array_equal(raw.vertices, points.astype(np.float32))
    assert raw.sizes.tolist() == [len(face) for face in faces]
    assert raw.corners.tolist() == [corner for face in faces for corner in face]
    for triangle, owner in zip(raw.triangles, raw.owners, strict=True):
        assert set(triangle.tolist()) <= set(faces[owner])


@pytest.mark.parametrize("edit", [move, make_heavier, delete, bend])
@pytest.mark.parametrize("moment", ["checking", "starting"])
def test_what_begins_in_the_end_begins_once(machine, pieces, edit, moment):
    """A simulator that was started belongs to what is waited for: where the scene is edited just
    before, it is read again and nothing was started; what changes while it starts starts no other.
    """
    begun = []

    def work():
        built = yield from scene_export.building(machine)
        yield Pause("starting", 1.0, is_read=True)
        begun.append(built)
        machine.scene.objects["box 2"].impulse.body.density *= 2.0  # a change that nobody tells of
        return built

    again = pieces(work)
    while again.progress.text != moment:
        assert not again.poll()
    edit(machine)
    built = finish(again)

    assert begun == [built]
    machine.scene.objects["box 2"].impulse.body.density /= 2.0
    same(built, scene_export.build(machine))


@pytest.mark.parametrize("example", ["leg", "walking_machine", "car"])
def test_what_nobody_edits_is_read_once(context, pieces, example):
    """Also for the first time, when Blender makes groups of properties as they are looked at."""
    bpy.ops.impulse.add_example(example=example)
    begun = []

    def work():
        begun.append(example)
        return (yield from scene_export.building(context))

    finish(pieces(work))

    assert begun == [example]


@given(st.lists(st.floats(0.0, 5.0), min_size=1, max_size=20), st.floats(1e-4, 5e-3))
def test_no_look_is_felt(waits, piece):
    """However long Blender takes between looks [s], and however long a piece of the work [s]: a
    look ends with the piece in which a twenty-fifth of a second is over; it takes half of Blender's
    time where that is less.
    """
    from blender_addon.running import pieces as module

    now = [0.0]

    def work():
        while True:
            now[0] += piece
            yield Pause("working")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.time, "perf_counter", lambda: now[0])
        reading = module.Pieces(bpy.context, work)
        reading.poll()
        for wait in waits:
            now[0] += wait
            began = now[0]
            assert not reading.poll()
            took = now[0] - began
            assert took < 0.04 + piece + 1e-9
            assert took > min(wait / 2, 0.04) - 1e-9
        reading.abandon()
