"""The crane: what the script models is what is shipped, and it hangs together."""

from pathlib import Path

import pytest

from tests.rounding import assert_alike

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

CRANE = Path(__file__).resolve().parents[2] / "sample_scenes" / "crane"


@pytest.fixture
def crane(context, monkeypatch):
    monkeypatch.syspath_prepend(str(CRANE))
    import build_crane

    build_crane.build(context)
    return context.scene


def test_the_shipped_scene_is_the_add_ons_export(crane, tmp_path):
    """Building the crane again gives the committed files: every word, and every number but for what
    libraries of matrices round differently on another processor.
    """
    bpy.ops.impulse.export_scene(filepath=str(tmp_path / "crane.xml"))

    for path in tmp_path.iterdir():
        assert_alike(path.read_bytes(), (CRANE / path.name).read_bytes(), path.name)


def test_the_joints_are_a_tree(crane, exported):
    """Every body but the base hangs on exactly one other, by the joints of this first version."""
    scene = exported()

    children = [joint.body2 for joint in scene.joints]
    assert sorted(children) == sorted(b.name for b in scene.bodies if b.motion == "dynamic")
    assert {joint.type for joint in scene.joints} == {"hinge", "fixed", "ball", "distance"}


def test_the_check_finds_nothing(crane, context):
    """No errors and no warnings."""
    bpy.ops.impulse.validate_scene()

    assert len(context.scene.impulse.issues) == 0
