"""Add > Impulse: each machine of the menu, simulated."""

import inspect
from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

import impulse_core  # noqa: E402
from blender_addon.examples import EXAMPLES, mechanisms, samples  # noqa: E402
from blender_addon.export import scene_export  # noqa: E402
from blender_addon.operators.examples import IMPULSE_MT_add  # noqa: E402
from impulse_schema import load_scene  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
WALKS = {"walking_machine", "jansen_walker"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_simulated_as_it_is(name, context, tmp_path):
    """Every machine of the menu passes the check without a word, and the simulator runs it without
    a warning; something moves.
    """
    assert bpy.ops.impulse.add_example(example=name) == {"FINISHED"}

    built = scene_export.export(context, tmp_path / "example.xml")
    scene = load_scene(tmp_path / "example.xml")
    recording = impulse_core.simulate(scene, duration=1.0 if name in WALKS else 2.0)

    assert built.issues == []
    assert impulse_core.check(scene) == []
    assert recording.complete
    assert recording.diagnostics["warnings"] == []
    moved = np.linalg.norm(recording.positions - recording.positions[0], axis=2)
    turned = np.abs(np.einsum("fbi,bi->fb", recording.orientations, recording.orientations[0]))
    assert moved.max() > 0.1 or turned.min() < 0.9


@pytest.mark.parametrize("metres", [1.0, 0.01])
@pytest.mark.parametrize("name", ["four_bar", "leg", "walking_machine"])
def test_an_example_stands_at_the_cursor(name, metres, context, tmp_path):
    """Where the 3D cursor is, a machine of the same size is added, whatever the unit of length."""
    bpy.ops.impulse.add_example(example=name)
    first = scene_export.build(context).scene
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    bpy.context.scene.unit_settings.scale_length = metres
    bpy.context.scene.cursor.location = np.array((1.0, 2.0, 0.5)) / metres

    bpy.ops.impulse.add_example(example=name)

    second = scene_export.build(bpy.context).scene
    for before, after in zip(first.bodies, second.bodies, strict=True):
        np.testing.assert_allclose(
            np.subtract(after.position, before.position), (1, 2, 0.5), atol=2e-6
        )
    for before, after in zip(first.joints, second.joints, strict=True):
        np.testing.assert_allclose(np.subtract(after.anchor, before.anchor), (1, 2, 0.5), atol=2e-6)


def test_machines_are_added_beside_each_other(context, tmp_path):
    """Two examples in one scene have their own names and collections, and both are simulated."""
    bpy.ops.impulse.add_example(example="four_bar")
    context.scene.cursor.location.y = 1.0
    bpy.ops.impulse.add_example(example="four_bar")

    scene = scene_export.build(context).scene

    assert {body.name for body in scene.bodies} >= {"Crank", "Crank.001"}
    assert len({collection.name for collection in context.scene.collection.children}) == 2
    pins = {joint.name: (joint.body1, joint.body2) for joint in scene.joints}
    assert pins["Crank pin.001"] == ("Crank.001", "Coupler.001")
    assert [obj.name for obj in context.selected_objects if not obj.name.endswith(".001")] == []


def test_the_machine_is_selected_without_the_ground(context):
    """What was added can be moved at once, and a body of it is the active object."""
    bpy.ops.impulse.add_example(example="leg")

    assert context.active_object.name == "Hip"
    assert {obj.name for obj in context.selected_objects} == {
        obj.name for obj in context.scene.objects if obj.name != "Ground"
    }


def test_an_example_is_taken_back(context):
    """Undo removes all of it."""
    bpy.ops.ed.undo_push(message="empty")
    bpy.ops.impulse.add_example(example="hinge_door")
    bpy.ops.ed.undo_push(message="door")

    bpy.ops.ed.undo()

    assert "Door" not in bpy.data.objects
    assert not bpy.context.scene.collection.children


def test_a_sample_that_is_missing_is_named(context, monkeypatch):
    """Without a simulator there are no sample scenes, and nothing is made."""
    monkeypatch.setattr(samples.importlib.util, "find_spec", lambda _name: None)

    with pytest.raises(RuntimeError, match="walking-machine is missing: it comes with the simul"):
        bpy.ops.impulse.add_example(example="walking_machine")

    assert not bpy.data.objects


class Menu:
    """A menu's layout that takes down what is drawn."""

    def __init__(self):
        self.rows = []

    def operator(self, name, *, text, icon):
        row = type("Row", (), {})()
        self.rows.append((name, text, icon, row))
        return row


def test_the_menu_offers_every_example():
    """Each row of Add > Impulse adds the machine that it names, with an icon that Blender has."""
    drawn = type("Drawn", (), {"layout": Menu()})()

    IMPULSE_MT_add.draw(drawn, None)

    icons = bpy.types.UILayout.bl_rna.functions["operator"].parameters["icon"].enum_items
    assert [row.example for *_, row in drawn.layout.rows] == list(EXAMPLES)
    assert {icon for *_, icon, _ in drawn.layout.rows} <= {item.identifier for item in icons}
    assert all(EXAMPLES[row.example].label == text for _, text, _, row in drawn.layout.rows)


def test_the_page_shows_how_an_example_is_built():
    """docs/blender.md has the function that builds the four-bar, as it is."""
    source = inspect.getsource(mechanisms.four_bar)

    assert source in (ROOT / "docs" / "blender.md").read_text(encoding="utf-8")
