"""``mass``, ``info``, ``convert`` and ``schema``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import impulse_schema
from impulse_core.recording import load_recording
from tests.recording.recordings import parts, turning

from .conftest import Cli

BOX = """\
v 0 0 0
v 2 0 0
v 2 3 0
v 0 3 0
v 0 0 4
v 2 0 4
v 2 3 4
v 0 3 4
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A box of 2 x 3 x 4 as a mesh file."""
    path = tmp_path / "box.obj"
    path.write_text(BOX)
    return path


def test_mass_of_a_box(cli: Cli, box: Path) -> None:
    """The JSON has the documented keys and the closed form's values."""
    values = json.loads(cli("mass", box, "--density", "500", "--json").out)

    assert list(values) == [
        *("mass_kg", "volume_m3", "center_of_mass_m", "inertia_kg_m2"),
        *("principal_moments", "principal_axes", "defects"),
    ]
    mass = 500.0 * 24.0
    moments = mass / 12.0 * np.array([9 + 16, 4 + 16, 4 + 9])
    assert values["mass_kg"] == pytest.approx(mass, rel=1e-13)
    assert values["volume_m3"] == pytest.approx(24.0, rel=1e-13)
    assert values["center_of_mass_m"] == pytest.approx([1.0, 1.5, 2.0], rel=1e-13)
    np.testing.assert_allclose(values["inertia_kg_m2"], np.diag(moments), rtol=1e-13, atol=1e-9)
    assert values["defects"] == []


def test_principal_axes_are_one_vector_for_each_moment(cli: Cli, tmp_path: Path) -> None:
    """Inertia times the i-th axis is the i-th moment times that axis, for a slanted solid."""
    path = tmp_path / "slanted.obj"
    path.write_text(
        "v 0 0 0\nv 3 1 0\nv 0.5 2 0.2\nv 0.3 0.1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )

    values = json.loads(cli("mass", path, "--density", "1000", "--json").out)

    inertia = np.array(values["inertia_kg_m2"])
    for moment, axis in zip(values["principal_moments"], values["principal_axes"], strict=True):
        np.testing.assert_allclose(inertia @ axis, moment * np.array(axis), rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("option", "metres"),
    [(("--unit", "mm"), 0.001), (("--unit", "in"), 0.0254), (("--scale", "2.5"), 2.5), ((), 1.0)],
)
def test_mass_units(cli: Cli, box: Path, option: tuple[str, ...], metres: float) -> None:
    """``--unit`` and ``--scale`` say how long the file's unit is."""
    values = json.loads(cli("mass", box, "--density", "1000", "--json", *option).out)

    assert values["volume_m3"] == pytest.approx(24.0 * metres**3, rel=1e-13)


def test_mass_as_text(cli: Cli, box: Path) -> None:
    """Without ``--json`` the same stands in lines for people."""
    lines = cli("mass", box, "--density", "1000").out.splitlines()

    assert lines[0].split() == ["mass", "24000", "kg"]
    assert lines[1].split() == ["volume", "24", "m^3"]
    assert lines[2].split()[-4:] == ["1", "1.5", "2", "m"]


def test_mass_of_an_open_mesh(cli: Cli, box: Path) -> None:
    """A mesh that encloses nothing: exit code 1, each defect with its remedy."""
    box.write_text(BOX.removesuffix("f 4 1 5 8\n"))

    outcome = cli("mass", box, "--density", "1000")
    data = json.loads(cli("mass", box, "--density", "1000", "--json").out)

    assert outcome.code == 1
    assert outcome.out == ""
    assert outcome.err.startswith(f"{box}: The surface is open: 4 edges")
    assert "Close the surface" in outcome.err
    assert data["defects"][0]["kind"] == "open"
    assert data["defects"][0]["fatal"] is True


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("gone.obj", None, "no such file"),
        ("mesh.fbx", "x", "write .obj, .stl or .ply"),
        ("mesh.obj", "v 0 0\n", "mesh.obj:1"),
        ("mesh.stl", "", "is empty"),
    ],
)
def test_mass_of_unreadable_files(
    cli: Cli, tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    """What is no mesh is named with its reason."""
    if text is not None:
        (tmp_path / name).write_text(text)

    outcome = cli("mass", tmp_path / name, "--density", "1000")

    assert outcome.code == 1
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_info(cli: Cli, pendulum: Path) -> None:
    """Text and JSON of ``info`` name bodies, joints and degrees of freedom."""
    text = cli("info", pendulum).out
    facts = json.loads(cli("info", "--json", pendulum).out)

    assert "bob" in text
    assert "distance" in text
    assert "degrees of freedom  5" in text
    assert facts["degrees_of_freedom"] == 5
    assert facts["total_mass_kg"] == 1.0
    assert facts["joints"][0]["name"] == "rod"


def test_info_shows_names_whole(cli: Cli, pendulum: Path) -> None:
    """Long names and names that look like markup are neither cut off nor swallowed."""
    name = "[bold]" + "n" * 120
    pendulum.write_text(pendulum.read_text().replace("bob", name))

    assert name in cli("info", pendulum).out


def test_convert_there_and_back(cli: Cli, pendulum: Path) -> None:
    """XML to JSON to XML gives the same scene."""
    data, back = pendulum.with_suffix(".json"), pendulum.with_name("back.xml")

    assert cli("convert", pendulum, data).code == 0
    assert cli("convert", data, back).code == 0

    scene = impulse_schema.load_scene(pendulum)
    assert scene == impulse_schema.load_scene(data) == impulse_schema.load_scene(back)


def test_convert_keeps_parts(cli: Cli, tmp_path: Path) -> None:
    """Parts and uses stay what they are, unless they are to be expanded."""
    (tmp_path / "a.xml").write_text(
        '<scene version="1.2"><part name="p"><body name="b" motion="static"/></part>'
        '<use part="p" name="u"/></scene>'
    )

    assert cli("convert", tmp_path / "a.xml", tmp_path / "b.json").code == 0
    assert cli("convert", tmp_path / "b.json", tmp_path / "c.xml").code == 0
    assert cli("convert", "--expand-parts", tmp_path / "b.json", tmp_path / "d.xml").code == 0

    again, expanded = ((tmp_path / name).read_text() for name in ("c.xml", "d.xml"))
    assert '<use part="p" name="u"/>' in again
    assert 'name="u.b"' in expanded
    assert "<part" not in expanded


def test_convert_animations(cli: Cli, tmp_path: Path) -> None:
    """An animation is the same in each format, also where .json could be a scene."""
    recording = turning()
    recording.save(tmp_path / "a.imprec")
    for source, target in (("a.imprec", "b.npz"), ("b.npz", "c.json"), ("c.json", "d.imprec")):
        outcome = cli("convert", tmp_path / source, tmp_path / target)

        assert outcome.code == 0
        assert outcome.out == f"wrote {tmp_path / target}: 5 frames of 2 bodies\n"
        assert parts(load_recording(tmp_path / target)) == parts(recording)

    for source, target, message in (
        ("a.imprec", "e.xml", "ends in '.xml'"),
        ("a.imprec", "a.imprec", "would replace the input"),
        ("none.npz", "e.json", "cannot be read"),
    ):
        outcome = cli("convert", tmp_path / source, tmp_path / target)
        assert (outcome.code, message in outcome.err) == (1, True)


MESH_SCENE = """<scene version="1">
<mesh name="m" file="parts/t.obj"/>
<body name="a" density="1"><geometry shape="mesh" mesh="m"/></body>
</scene>
"""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def test_convert_takes_mesh_files_along(cli: Cli, tmp_path: Path) -> None:
    """Into another folder, mesh files are copied; one that differs is never replaced."""
    (tmp_path / "here" / "parts").mkdir(parents=True)
    (tmp_path / "there").mkdir()
    (tmp_path / "here" / "s.xml").write_text(MESH_SCENE)
    (tmp_path / "here" / "parts" / "t.obj").write_text(TETRAHEDRON)

    first = cli("convert", tmp_path / "here" / "s.xml", tmp_path / "there" / "s.json")
    again = cli("convert", tmp_path / "here" / "s.xml", tmp_path / "there" / "s.json")
    assert (first.code, again.code) == (0, 0)
    copy = tmp_path / "there" / "parts" / "t.obj"
    assert copy.read_text() == TETRAHEDRON
    assert cli("info", tmp_path / "there" / "s.json").code == 0

    copy.write_text("something else")
    (tmp_path / "there" / "s.json").unlink()
    refused = cli("convert", tmp_path / "here" / "s.xml", tmp_path / "there" / "s.json")
    assert refused.code == 1
    assert "in the way" in refused.err
    assert copy.read_text() == "something else"
    assert not (tmp_path / "there" / "s.json").exists()


def test_convert_refuses(cli: Cli, pendulum: Path) -> None:
    """Wrong input, wrong suffix, the input itself or a missing folder: exit code 1, no output."""
    content = pendulum.read_text()
    broken = pendulum.with_name("broken.xml")
    broken.write_text(content[:-20])
    folder = pendulum.parent

    for source, target, message in (
        (broken, folder / "out.json", "cut off"),
        (pendulum, folder / "out.yaml", ".xml or .json"),
        (pendulum, pendulum, "would replace the input"),
        (pendulum, folder / "nowhere" / "out.json", "does not exist"),
    ):
        outcome = cli("convert", source, target)
        assert outcome.code == 1
        assert message in outcome.err
    assert sorted(folder.iterdir()) == [broken, pendulum]
    assert pendulum.read_text() == content


def test_schema_prints_what_the_package_generates(cli: Cli, tmp_path: Path) -> None:
    """Both schemas come whole, on stdout or in a file."""
    assert json.loads(cli("schema", "--json-schema").out) == impulse_schema.json_schema()
    assert cli("schema", "--xsd").out.strip() == impulse_schema.xsd().strip()

    path = tmp_path / "scene.xsd"
    assert cli("schema", "--xsd", "-o", path).code == 0
    assert path.read_text().strip() == impulse_schema.xsd().strip()
