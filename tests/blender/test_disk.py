"""Files and folders that do not suit: a newer file, a folder nobody may write to, a full disk.
Each is a sentence, and nothing that was there is lost.
"""

import shutil
import subprocess
from pathlib import Path

import bpy
import pytest

from blender_addon.simulator import places

# A folder that the system itself writes to nobody's order, administrators' neither.
UNWRITABLE = Path("/proc/self/task")


def said_by(operator, **arguments):
    """What an operator reports as an error; that it reports one."""
    with pytest.raises(RuntimeError) as raised:
        operator(**arguments)
    text = str(raised.value)
    assert "Traceback" not in text
    return text


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 16 kB in memory; None where none can be made."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if done.returncode:  # who is no administrator: then a device that is full
        folder.rmdir()
        yield None
        return
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("suffix", [".xml", ".json"])
@pytest.mark.parametrize("version", ["1.99", "2.0"])
def test_a_scene_of_a_newer_version_is_refused_as_newer(
    context, add_body, tmp_path, suffix, version
):
    """Objects that were there stay, and none is added."""
    add_body("mine")
    path = tmp_path / f"scene{suffix}"
    xml = f'<scene version="{version}"><body name="a" tail="long" mass="1"/></scene>'
    json = f'{{"version": "{version}", "bodies": [{{"name": "a", "tail": "long", "mass": 1}}]}}'
    path.write_text(xml if suffix == ".xml" else json, encoding="utf-8")

    text = said_by(bpy.ops.impulse.import_scene, filepath=str(path))

    assert "written for a newer Impulse" in text
    assert [obj.name for obj in bpy.data.objects] == ["mine"]
    assert len(bpy.data.collections) == 0


def test_a_folder_nobody_may_write_to_is_named(context, add_body):
    """By the export, and by a run that is to leave its files there; both write nothing."""
    add_body("box", shape="box")

    exported = said_by(bpy.ops.impulse.export_scene, filepath=str(UNWRITABLE / "scene.xml"))
    run = said_by(bpy.ops.impulse.run_simulation, directory=str(UNWRITABLE))

    for text in (exported, run):
        assert str(UNWRITABLE) in text
        assert "cannot be written" in text
    assert bpy.data.objects["box"].animation_data is None
    assert not list(places.store().root.glob("runs/*"))


def test_a_scene_below_a_file_is_a_sentence(context, add_body, tmp_path):
    """A path through a file leads nowhere."""
    add_body("box", shape="box")
    file = tmp_path / "notes.txt"
    file.write_text("mine", encoding="utf-8")

    text = said_by(bpy.ops.impulse.export_scene, filepath=str(file / "scene.xml"))

    assert "cannot be written" in text
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_full_disk_is_a_sentence_and_keeps_the_scene_of_before(context, add_body, small_disk):
    """The new scene does not fit beside the old one, which stays as it was to the last byte."""
    add_body("box", shape="box")
    if small_disk is None:
        path = Path("/dev/full") / "scene.xml"
        assert "cannot be written" in said_by(bpy.ops.impulse.export_scene, filepath=str(path))
        return
    path = small_disk / "scene.xml"
    path.write_text("<scene version='1'/>", encoding="utf-8")
    filler = small_disk / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(small_disk).free))

    text = said_by(bpy.ops.impulse.export_scene, filepath=str(path))

    assert "No space left on device" in text
    assert str(path) in text
    assert {file.name for file in small_disk.iterdir()} == {"scene.xml", "filler"}
    assert path.read_text(encoding="utf-8") == "<scene version='1'/>"


@pytest.mark.slow
def test_a_run_on_a_full_disk_is_a_sentence(context, add_body, small_disk, monkeypatch):
    """The folder of the runs is on it: what fails says so, and no motion is left half."""
    add_body("box", shape="box", location=(0, 0, 3))
    if small_disk is None:
        text = said_by(bpy.ops.impulse.run_simulation, directory="/dev/full")
        assert "cannot be written" in text
        assert bpy.data.objects["box"].animation_data is None
        return
    (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free))
    monkeypatch.setattr(places, "user_folder", lambda: small_disk)

    text = said_by(bpy.ops.impulse.run_simulation)

    assert "No space left" in text
