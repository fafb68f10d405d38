"""Wrong scenes as a user meets them: exit code 1, a clear line, no traceback, nothing replaced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli

TETRAHEDRON = "0 0 0, 1 0 0, 0 1 0, 0 0 1"


def mesh_scene(faces: str, vertices: str = TETRAHEDRON) -> str:
    """A scene with one body that is a mesh."""
    vertices, faces = vertices.replace(", ", "\n"), faces.replace(", ", "\n")
    return (
        '<scene version="1">\n'
        f'<mesh name="m"><vertices>{vertices}</vertices><faces>{faces}</faces></mesh>\n'
        '<body name="a" density="1000">\n<geometry shape="mesh" mesh="m"/></body>\n</scene>'
    )


def joint_scene(joint: str, motion: str = "dynamic") -> str:
    """A scene with two bodies, of which the second moves as ``motion`` says, and a joint."""
    mass = ' mass="1" inertia="1 1 1"' if motion == "dynamic" else f' motion="{motion}"'
    return (
        '<scene version="1">\n'
        f'<body name="a"{mass}/>\n<body name="b" position="1 0 0"{mass}/>\n'
        f"{joint}\n</scene>"
    )


def body_scene(attributes: str) -> str:
    """A scene with one body."""
    return f'<scene version="1">\n<body name="a" {attributes}/>\n</scene>'


BOMB = (
    '<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
    '<scene version="1" name="&b;"/>'
)
OUTSIDE = '<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<scene version="1" name="&x;"/>'

# name: (text, what the message says, line or None)
SCENES: dict[str, tuple[str, str, int | None]] = {
    "truncated": ('<scene version="1">\n<body name="a" mass=', "cut off", 2),
    "not XML": ("this is no scene", "XML", 1),
    "empty": ("", "", None),
    "entity bomb": (BOMB, "DOCTYPE", 1),
    "external entity": (OUTSIDE, "DOCTYPE", 1),
    "unknown element": ('<scene version="1">\n<boddy/>\n</scene>', "Did you mean 'body'", 2),
    "unknown attribute": (body_scene('mass="1" innertia="1 1 1"'), "Did you mean 'inertia'", 2),
    "unknown enum": (joint_scene('<joint type="hing"/>'), "Did you mean 'hinge'", 4),
    "NaN": (body_scene('mass="nan" inertia="1 1 1"'), "NaN", 2),
    "infinite": (body_scene('mass="1" inertia="1 1 1" position="0 inf 0"'), "inf", 2),
    "negative mass": (body_scene('mass="-1" inertia="1 1 1"'), "mass", 2),
    "negative density": (body_scene('density="-1"'), "density", 2),
    "no mass": (body_scene(""), "mass", 2),
    "open mesh": (mesh_scene("0 2 1, 0 1 3, 1 2 3"), "open", None),
    "inside-out mesh": (mesh_scene("0 1 2, 0 3 1, 0 2 3, 1 3 2"), "inside out", None),
    "flat mesh": (
        mesh_scene("0 2 1, 0 1 3, 0 3 2, 1 2 3", "0 0 0, 1 0 0, 0 1 0, 1 1 0"),
        "volume",
        None,
    ),
    "non-manifold mesh": (
        mesh_scene("0 2 1, 0 1 3, 0 3 2, 1 2 3, 0 1 4, 1 0 4", f"{TETRAHEDRON}, 0 0 -1"),
        "edge",
        None,
    ),
    "duplicate names": (
        '<scene version="1">\n<mesh name="a" file="t.obj"/>\n<mesh name="a" file="t.obj"/></scene>',
        "'a'",
        3,
    ),
    "unknown body": (
        joint_scene('<joint type="ball" body1="a" body2="c" anchor="0 0 0"/>'),
        "there is no body 'c'",
        4,
    ),
    "joint to itself": (
        joint_scene('<joint type="ball" body1="a" body2="a" anchor="0 0 0"/>'),
        "itself",
        4,
    ),
    "two static bodies": (
        joint_scene('<joint type="ball" body1="a" body2="b" anchor="0 0 0"/>', "static"),
        "",
        4,
    ),
    "zero axis": (
        joint_scene('<joint type="hinge" body1="a" body2="b" anchor="0 0 0" axis="0 0 0"/>'),
        "axis",
        4,
    ),
    "contradicting axes": (
        joint_scene(
            '<joint type="hinge" body1="a" body2="b" anchor="0 0 0" axis="0 0 1" axis2="1 0 0"/>'
        ),
        "axis",
        4,
    ),
    "joint far apart": (
        joint_scene(
            '<joint type="ball" name="j" body1="a" body2="b" anchor="0 0 0" anchor2="1 0 0"/>'
        ),
        "apart",
        4,
    ),
    "mesh outside": (
        '<scene version="1">\n<mesh name="m" file="../../secret.obj"/>\n</scene>',
        "secret.obj",
        2,
    ),
    "mesh missing": (
        '<scene version="1">\n<mesh name="m" file="gone.obj"/>\n</scene>',
        "gone.obj",
        2,
    ),
    "deep nesting": ("<scene>" + "<body>" * 50 + "\n", "deep", 1),
    "newer version": ('<scene version="2"/>', "version", 1),
}


@pytest.mark.parametrize("name", SCENES)
def test_bad_scene(cli: Cli, tmp_path: Path, name: str) -> None:
    """Every command that reads a scene names file, line and fault, and writes nothing."""
    text, message, line = SCENES[name]
    scene, output = tmp_path / "scene.xml", tmp_path / "out.json"
    scene.write_text(text)
    output.write_text("old")

    for words in (
        ("validate", scene),
        ("run", scene, "-o", output),
        ("info", scene),
        ("validate", "--json", scene),
    ):
        outcome = cli(*words)
        said = outcome.out + outcome.err
        assert outcome.code == 1, said
        assert message in said
        assert str(scene) in said
        assert "Traceback" not in said
        if line is not None and "--json" not in words:
            assert f"{scene}:{line}:" in said
    assert output.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [output, scene]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"version": 1, "bodies": [', "cut off"),
        ("[1, 2, 3]", "scene"),
        ('{"version": 1, "version": 1}', "twice"),
        ('{"version": 1,\n "bodies": [{"name": "a", "mass": NaN}]}', ":2:"),
        ('{"version": 1,\n "bodys": []}', "bodies"),
        ("[" * 200 + "]" * 200, "nested deeper"),
    ],
)
def test_bad_json_scene(cli: Cli, tmp_path: Path, text: str, message: str) -> None:
    """The same for scenes in JSON."""
    scene = tmp_path / "scene.json"
    scene.write_text(text)

    outcome = cli("validate", scene)

    assert outcome.code == 1
    assert message in outcome.out
    assert outcome.out.startswith(f"{scene}")


def test_every_problem_at_once(cli: Cli, tmp_path: Path) -> None:
    """Problems of every kind come together, in the order of the file, as text and as JSON."""
    scene = tmp_path / "scene.xml"
    scene.write_text(
        '<scene version="1">\n<body name="a" mas="1"/>\n<body name="b" mass="-1"/>\n'
        '<joint type="bal" body1="a" body2="b"/>\n</scene>'
    )

    text = cli("validate", scene).out
    data = json.loads(cli("validate", "--json", scene).out)

    problems = data["files"][0]["problems"]
    assert data["valid"] is False
    assert [problem["line"] for problem in problems] == [2, 3, 4]
    assert [line.split(":")[1] for line in text.splitlines()[:3]] == ["2", "3", "4"]
    assert text.splitlines()[3] == f"{scene}: 3 problems"
    for problem in problems:
        assert set(problem) == {
            *("code", "path", "message", "hint", "file", "line", "column", "element", "count"),
        }


def test_several_files(cli: Cli, pendulum: Path) -> None:
    """One bad file does not hide the others; the exit code is that of the worst."""
    missing = pendulum.with_name("gone.xml")

    outcome = cli("validate", missing, pendulum)

    assert outcome.code == 1
    assert f"{pendulum}: good" in outcome.out
    assert f"{missing}: error[E001]: there is no such file" in outcome.out
    assert cli("validate", pendulum, pendulum).code == 0


def test_folder_and_wrong_suffix(cli: Cli, tmp_path: Path) -> None:
    """A folder or a file of another kind in place of a scene is said so."""
    (tmp_path / "folder.xml").mkdir()
    (tmp_path / "scene.txt").write_text("<scene/>")

    assert "folder" in cli("validate", tmp_path / "folder.xml").out
    assert "ends in .xml or .json" in cli("validate", tmp_path / "scene.txt").out


def test_mesh_outside_is_allowed_on_request(cli: Cli, tmp_path: Path) -> None:
    """``--allow-outside`` reads a mesh from another folder."""
    (tmp_path / "t.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "scenes").mkdir()
    scene = tmp_path / "scenes" / "scene.xml"
    scene.write_text(
        '<scene version="1">\n<mesh name="m" file="../t.obj"/>\n'
        '<body name="a" density="1000"><geometry shape="mesh" mesh="m"/></body>\n</scene>'
    )

    assert cli("validate", scene).code == 1
    assert cli("validate", "--allow-outside", scene).code == 0
    facts = json.loads(cli("info", "--json", "--allow-outside", scene).out)
    assert facts["bodies"][0]["mass_kg"] == pytest.approx(1000 / 6, rel=1e-12)
    output = tmp_path / "anim.json"
    assert cli("run", scene, "-o", output).code == 1
    assert cli("run", scene, "-o", output, "--allow-outside", "--duration", "0.1").code == 0
