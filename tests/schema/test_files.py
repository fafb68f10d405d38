"""Files that are missing, hostile or in the way; saving in one piece."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from impulse_schema import (
    Body,
    Mesh,
    Scene,
    SceneError,
    check_scene,
    load_scene,
    resolve_mesh_path,
    save_scene,
    source_path,
)

from .reading import problems_in

CUBE = """v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"""


def error_of(path: Path) -> str:
    """The one line that loading this path ends with."""
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    (problem,) = caught.value.problems
    return str(problem)


def test_missing_file(tmp_path: Path) -> None:
    """A missing file is named."""
    assert error_of(tmp_path / "a.xml") == f"{tmp_path}/a.xml: error[E001]: there is no such file."


def test_folder(tmp_path: Path) -> None:
    """A folder is no scene, whatever it is called."""
    (tmp_path / "a.xml").mkdir()

    assert "E001]: this is a folder" in error_of(tmp_path / "a.xml")


def test_pipe(tmp_path: Path) -> None:
    """A pipe or device is not read: it may never end."""
    os.mkfifo(tmp_path / "a.xml")

    assert "not a regular file" in error_of(tmp_path / "a.xml")


def test_unknown_suffix(tmp_path: Path) -> None:
    """Only .xml and .json are scenes; the upper case of Windows files is fine."""
    (tmp_path / "a.yaml").write_text("version: 1")
    (tmp_path / "b.XML").write_text('<scene version="1"/>')

    assert "ends in .xml or .json, this one has '.yaml'" in error_of(tmp_path / "a.yaml")
    assert load_scene(tmp_path / "b.XML") == Scene(version=1)


def test_too_large(tmp_path: Path) -> None:
    """A file above the limit is refused by its size alone, and the limit is stated."""
    path = tmp_path / "a.xml"
    with path.open("wb") as file:
        file.truncate(300 * 1024 * 1024)  # sparse: takes no space

    assert "E003]: the file has 315 MB, the limit is 268 MB" in error_of(path)


@pytest.mark.parametrize("suffix", [".xml", ".json"])
def test_not_utf8(tmp_path: Path, suffix: str) -> None:
    """Text in another encoding is refused, with the place of the first wrong byte."""
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"first line\nTr\xe4ger")

    assert f"{suffix}:2:3: error[E004]: the file is not UTF-8 text" in error_of(path)


BILLION_LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<scene version="1" name="&b;"/>"""
EXTERNAL = """<?xml version="1.0"?>
<!DOCTYPE scene [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<scene version="1"><description>&x;</description></scene>"""


@pytest.mark.parametrize(
    "text",
    [
        BILLION_LAUGHS,
        EXTERNAL,
        '<!DOCTYPE scene SYSTEM "scene.dtd"><scene version="1"/>',
        '<scene version="1" name="&nbsp;"/>',
        '<scene version="1"><description>&x;</description></scene>',
    ],
)
def test_doctype_and_entities(tmp_path: Path, text: str) -> None:
    """A DOCTYPE ends the reading at once, and no entity is ever expanded."""
    problems = problems_in(tmp_path, text)

    assert [problem.code for problem in problems] == ["E006"]


def test_deep_xml(tmp_path: Path) -> None:
    """Deep nesting is refused, and the limit is stated."""
    text = '<scene version="1">' + "<a>" * 100_000

    (problem,) = problems_in(tmp_path, text)

    assert problem.code == "E007"
    assert "deeper than 32 levels" in problem.message


@pytest.mark.parametrize("depth", [40, 500, 200_000])
def test_deep_json(tmp_path: Path, depth: int) -> None:
    """Deep nesting is refused, whether the parser could follow it or not."""
    text = '{"version": 1, "x": ' + "[" * depth + "]" * depth + "}"

    (problem,) = problems_in(tmp_path, text, ".json")

    assert problem.code == "E007"
    assert "deeper than 32 levels" in problem.message


def mesh_scene(folder: Path, file: str) -> Path:
    path = folder / "scene.xml"
    path.write_text(f'<scene version="1"><mesh name="m" file="{file}"/></scene>')
    return path


def test_mesh_beside_the_scene(tmp_path: Path) -> None:
    """A mesh file is found relative to the scene, whatever the current folder is."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.obj").write_text(CUBE)

    scene = load_scene(mesh_scene(tmp_path, "parts/m.obj"))

    assert resolve_mesh_path(scene, scene.meshes[0]) == tmp_path.resolve() / "parts" / "m.obj"


@pytest.mark.parametrize("file", ["../m.obj", "parts/../../m.obj", "link.obj", "{root}/m.obj"])
def test_mesh_outside_the_folder(tmp_path: Path, file: str) -> None:
    """No mesh is read from outside the scene's folder, by .., link or absolute path."""
    (tmp_path / "m.obj").write_text(CUBE)
    folder = tmp_path / "scene"
    (folder / "parts").mkdir(parents=True)
    (folder / "link.obj").symlink_to(tmp_path / "m.obj")
    path = mesh_scene(folder, file.format(root=tmp_path))

    with pytest.raises(SceneError, match=r"E506.*outside the scene's folder"):
        load_scene(path)
    scene = load_scene(path, allow_outside=True)

    assert resolve_mesh_path(scene, scene.meshes[0]) == (tmp_path / "m.obj").resolve()


@pytest.mark.parametrize("file", ["circle.obj", "x" * 5000 + ".obj", "folder.obj"])
def test_mesh_that_is_no_file(tmp_path: Path, file: str) -> None:
    """Links in a circle, names too long for the system and folders are no mesh files."""
    (tmp_path / "circle.obj").symlink_to(tmp_path / "circle.obj")
    (tmp_path / "folder.obj").mkdir()

    assert "E505]" in error_of(mesh_scene(tmp_path, file))


def test_scene_reached_through_a_link(tmp_path: Path) -> None:
    """A scene in a linked folder finds its meshes: the folder is resolved as well."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "m.obj").write_text(CUBE)
    mesh_scene(tmp_path / "real", "m.obj")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert load_scene(tmp_path / "link" / "scene.xml").meshes[0].file == "m.obj"


def test_meshes_of_a_scene_built_in_python(tmp_path: Path) -> None:
    """Its mesh files are looked for where the caller says, and not before."""
    mesh = Mesh(name="m", file="m.obj")
    scene = Scene(version=1, meshes=[mesh])

    assert check_scene(scene) == []
    assert [p.code for p in check_scene(scene, folder=tmp_path)] == ["E505"]
    with pytest.raises(SceneError, match=r"there is no mesh file 'm.obj'"):
        resolve_mesh_path(scene, mesh, folder=tmp_path)


def test_source_path(tmp_path: Path) -> None:
    """A loaded scene knows its file; a scene built in Python has none."""
    assert source_path(load_scene(saved(tmp_path))) == tmp_path / "a.xml"
    assert source_path(Scene(version=1)) is None


# --------------------------------------------------------------------------------------
# Saving
# --------------------------------------------------------------------------------------


def saved(folder: Path) -> Path:
    save_scene(Scene(version=1, name="old"), folder / "a.xml")
    return folder / "a.xml"


def test_save_into_a_missing_folder(tmp_path: Path) -> None:
    """The message names the file."""
    with pytest.raises(SceneError, match=r"none/a\.xml: error\[E011\]: the file cannot be written"):
        save_scene(Scene(version=1), tmp_path / "none" / "a.xml")


def test_save_over_a_folder(tmp_path: Path) -> None:
    """A folder is not replaced."""
    (tmp_path / "a.xml").mkdir()

    with pytest.raises(SceneError, match="this is a folder"):
        save_scene(Scene(version=1), tmp_path / "a.xml")


def test_save_unknown_suffix(tmp_path: Path) -> None:
    """Nothing is written under a name that could not be read again."""
    with pytest.raises(SceneError, match="E002"):
        save_scene(Scene(version=1), tmp_path / "a.yaml")
    assert list(tmp_path.iterdir()) == []


def test_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk fills up, the old file is whole and nothing else is left behind."""
    path = saved(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(SceneError, match="No space left on device"):
        save_scene(Scene(version=1, name="new"), path)

    assert load_scene(path).name == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_save_keeps_permissions_and_links(tmp_path: Path) -> None:
    """A file that is replaced keeps its mode, and a link to it stays a link."""
    path = saved(tmp_path)
    path.chmod(0o640)
    link = tmp_path / "link.xml"
    link.symlink_to(path)

    save_scene(Scene(version=1, name="new"), link)

    assert link.is_symlink()
    assert load_scene(path).name == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_scene_does_not_lose_its_meshes(tmp_path: Path) -> None:
    """A scene with mesh files is not written where they would not be found."""
    (tmp_path / "m.obj").write_text(CUBE)
    (tmp_path / "elsewhere").mkdir()
    scene = load_scene(mesh_scene(tmp_path, "m.obj"))

    with pytest.raises(SceneError, match=r"the mesh file 'm.obj' would not be found from here"):
        save_scene(scene, tmp_path / "elsewhere" / "b.json")
    save_scene(scene, tmp_path / "b.json")

    assert load_scene(tmp_path / "b.json") == scene


def test_editing_a_loaded_scene(tmp_path: Path) -> None:
    """A loaded scene can be changed, checked and saved again."""
    scene = load_scene(saved(tmp_path))

    scene.bodies.append(Body(name="b"))

    assert [p.code for p in check_scene(scene)] == ["E401"]
