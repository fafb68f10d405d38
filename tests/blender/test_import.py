"""Scene files opened in Blender, and what the export then writes."""

from pathlib import Path
from random import Random

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from blender_addon.importing.scene_import import add_scene, import_scene  # noqa: E402
from impulse_schema import Scene, check_scene, load_scene, save_scene  # noqa: E402
from tests.fuzz.machines import machine  # noqa: E402

from .equivalence import differences  # noqa: E402

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
TETRA = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
SCENES = sorted(SAMPLES.glob("*/*.xml"))


def back(report, context, folder):
    """What the operator exports after an import, and the names that changed."""
    path = folder / "back.xml"
    bpy.ops.impulse.export_scene(filepath=str(path))
    return load_scene(path), report.bodies | report.joints


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_sample_comes_back_as_it_was(path, context, tmp_path):
    """Every sample scene that is opened and exported is the same model."""
    report = import_scene(context, path)

    again, names = back(report, context, tmp_path)

    assert list(differences(load_scene(path), again, names)) == []
    assert report.notes == []
    assert (again.name, again.description) == (path.stem, load_scene(path).description)


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1))
def test_random_machines_come_back(seed, context, tmp_path):
    """So is a machine of any joints, drives, solids and rules."""
    scene = Scene.model_validate(machine(Random(seed)))
    if check_scene(scene):
        return
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    (tmp_path / "tetra.obj").write_text(TETRA)
    save_scene(scene, tmp_path / "made.xml")
    scene = load_scene(tmp_path / "made.xml")

    report = import_scene(bpy.context, tmp_path / "made.xml")
    again, names = back(report, bpy.context, tmp_path)

    scene.description = again.description
    assert list(differences(scene, again, names)) == []
