"""What is wrong is said with the object it is about; a bad scene never replaces a good file."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def issues(context):
    return [(issue.object_name, issue.message) for issue in context.scene.impulse.issues]


def test_an_empty_scene_is_an_error():
    """Without a body there is nothing to simulate."""
    with pytest.raises(RuntimeError, match="No object is tagged as a body"):
        bpy.ops.impulse.validate_scene()


def test_all_issues_are_listed_at_once(add_body, add_empty, select, context):
    """Three mistakes give three lines, each with its object."""
    add_body("heavy").impulse.body.density = 0.0
    add_body("b", location=(3, 0, 0))
    select(add_empty("rope"))
    bpy.ops.impulse.tag_joint(type="distance", body2="b")
    stray = add_empty("stray")
    stray.impulse.kind = "GEOMETRY"

    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    assert {name for name, _ in issues(context)} == {"heavy", "rope", "stray"}


def test_a_good_scene_passes(add_body, context):
    """The check finishes and the list is empty."""
    add_body()

    assert bpy.ops.impulse.validate_scene() == {"FINISHED"}
    assert issues(context) == []


def test_clicking_an_issue_selects_its_object(add_body, context):
    """The operator behind the list makes the object active."""
    add_body("good", location=(3, 0, 0))
    bad = add_body("bad")
    bad.impulse.body.density = 0.0
    bad.hide_set(True)
    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    bpy.ops.impulse.select_issue(index=0)

    assert context.view_layer.objects.active == bad
    assert context.selected_objects == [bad]


def test_a_bad_scene_overwrites_nothing(add_body, exported, tmp_path):
    """The file of an earlier export stays as it was."""
    box = add_body()
    exported("scene.xml")
    before = (tmp_path / "scene.xml").read_bytes()
    box.impulse.body.density = 0.0

    with pytest.raises(RuntimeError, match="density"):
        exported("scene.xml")

    assert (tmp_path / "scene.xml").read_bytes() == before


@pytest.fixture
def dangling(add_body, add_empty, select):
    """A joint whose first body was deleted in the viewport, which leaves the pointer to it."""
    box = add_body("gone")
    add_body("kept", location=(3, 0, 0))
    select(add_empty())
    bpy.ops.impulse.tag_joint(type="ball", body1="gone", body2="kept")
    select(box)
    bpy.ops.object.delete()


def test_a_pointer_to_a_deleted_object_is_named(dangling):
    """The check sees that the body is gone."""
    with pytest.raises(RuntimeError, match="pivot: refers to gone"):
        bpy.ops.impulse.validate_scene()

    # once, and not once more as a name that nothing has
    assert [row.code for row in bpy.context.scene.impulse.issues] == ["B104"]


@pytest.mark.parametrize(
    ("filepath", "message"),
    [
        ("", "Give a file"),
        ("scene.txt", "must end in .xml or .json"),
        ("none/scene.xml", "none/scene.xml: .* cannot be written"),
    ],
)
def test_a_path_that_cannot_be_written_is_an_error(add_body, tmp_path, filepath, message):
    """No path, another suffix, a folder that does not exist."""
    add_body()
    path = str(tmp_path / filepath) if filepath else ""

    with pytest.raises(RuntimeError, match=message):
        bpy.ops.impulse.export_scene(filepath=path)


def test_a_zero_scale_is_an_error(add_body):
    """There is no pose to be had from it."""
    add_body(scale=(1, 1, 0))

    with pytest.raises(RuntimeError, match="box: has a scale of zero"):
        bpy.ops.impulse.validate_scene()


def test_a_dynamic_body_needs_an_even_parent(add_body, add_empty):
    """Keyframes of a body that turns under an uneven scale could not be right."""
    parent = add_empty("stretched", scale=(1, 1, 2))
    box = add_body()
    box.parent = parent

    with pytest.raises(RuntimeError, match="box: hangs on stretched, whose scale is uneven"):
        bpy.ops.impulse.validate_scene()


def test_a_parent_with_its_own_animation_is_an_error(add_body, add_empty):
    """It would carry the body along a second time."""
    parent = add_empty("carrier")
    parent.keyframe_insert("location", frame=1)
    add_body().parent = parent

    with pytest.raises(RuntimeError, match="box: hangs on carrier"):
        bpy.ops.impulse.validate_scene()


def test_hiding_is_allowed_and_disabling_is_a_warning(add_body, context):
    """The eye hides without consequence; a disabled object may be out of date."""
    add_body("hidden").hide_set(True)
    add_body("disabled", location=(3, 0, 0)).hide_viewport = True

    bpy.ops.impulse.validate_scene()

    assert [name for name, _ in issues(context)] == ["disabled"]
    assert context.scene.impulse.issues[0].severity == "WARNING"


def test_every_code_is_in_the_docs_and_in_use():
    """The table of docs/blender.md says what blender_addon/issues.py says, and each is given."""
    import re
    from pathlib import Path

    from blender_addon.issues import CODES

    root = Path(__file__).parents[2]
    docs = (root / "docs" / "blender.md").read_text(encoding="utf-8")
    sources = [path.read_text(encoding="utf-8") for path in (root / "blender_addon").rglob("*.py")]

    assert dict(re.findall(r"^\| (B\d+) \| (.*) \|$", docs, re.MULTILINE)) == CODES
    for code in CODES:
        assert sum(text.count(f'"{code}"') for text in sources) > 1, code


def test_a_deleted_body_is_one_issue(dangling, context):
    """That a joint refers to it is said once, not once more as a name that nothing has."""
    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    assert [(row.object_name, row.code) for row in context.scene.impulse.issues] == [
        ("pivot", "B104")
    ]


def test_a_name_that_no_file_carries_is_one_issue(add_body, context):
    """Body and solid have it, and it is said once."""
    add_body("a\tb")

    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    assert [row.code for row in context.scene.impulse.issues] == ["E207"]


def test_simulators_sentences_are_about_blender():
    """No option of a command line and no XML reach the list."""
    from blender_addon.issues import in_panel

    text = 'Move them apart, or set assemble to all (--assemble); Write shape="convex_hull"'

    assert in_panel(text) == "Move them apart, or set assemble to all; Write shape convex_hull"


def test_showing_an_issue_frames_its_object(add_body, context):
    """The 3D view is moved to the object, its sidebar opened."""
    from mathutils import Vector

    add_body("good")
    bad = add_body("bad", location=(40, 50, 60))
    bad.impulse.body.density = 0.0
    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()
    space = next(
        area.spaces.active
        for window in context.window_manager.windows
        for area in window.screen.areas
        if area.type == "VIEW_3D"
    )
    space.show_region_ui = False

    bpy.ops.impulse.select_issue(index=0)

    assert (space.region_3d.view_location - Vector((40, 50, 60))).length < 1e-3
    assert space.show_region_ui
