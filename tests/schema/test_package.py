"""Promises of the package as a whole: codes, imports, speed, robustness, Python use."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import impulse_schema
from impulse_schema import (
    Body,
    Geometry,
    Joint,
    Limit,
    Problem,
    Scene,
    SceneError,
    load_scene,
    problem_at,
    save_scene,
    scene_to_json,
    scene_to_xml,
)

from .test_checks import PARTS
from .test_round_trip import double_pendulum

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT / "schema" / "impulse_schema", ROOT / "impulse_core" / "compile")


def test_codes_are_documented() -> None:
    """docs/errors.md lists every code that the sources use, and no other."""
    sources = [path.read_text() for folder in PACKAGES for path in folder.rglob("*.py")]
    used = {code for text in sources for code in re.findall(r'"(E\d{3})"', text)}
    table = (ROOT / "docs" / "errors.md").read_text()
    documented = re.findall(r"^\| (E\d{3}) \|", table, re.MULTILINE)

    assert sorted(used) == documented


def test_import_is_light() -> None:
    """Importing the package loads neither lxml nor NumPy nor anything else of this project."""
    code = (
        "import sys, impulse_schema;"
        "print([m for m in ('lxml', 'numpy', 'numba', 'difflib', 'impulse_core', 'impulse_cli')"
        " if m in sys.modules])"
    )
    paths = {"PYTHONPATH": str(ROOT / "schema"), "PATH": ""}

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=paths
    )

    assert result.stdout.strip() == "[]"


def test_public_names_exist() -> None:
    """__all__ names nothing twice, and nothing that is not there."""
    names = impulse_schema.__all__

    assert len(names) == len(set(names))
    assert all(hasattr(impulse_schema, name) for name in names)


@pytest.mark.parametrize("suffix", [".xml", ".json"])
def test_large_scene(tmp_path: Path, suffix: str) -> None:
    """20 000 bodies are read and checked in seconds, whatever the machine."""
    bodies = [
        Body(name=f"b{i}", position=(i / 7, i / 3, 1), mass=1.0, inertia=(1, 1, 1))
        for i in range(20_000)
    ]
    path = tmp_path / f"large{suffix}"
    save_scene(Scene(version=1, bodies=bodies), path)

    start = time.perf_counter()
    scene = load_scene(path)
    seconds = time.perf_counter() - start

    assert len(scene.bodies) == 20_000
    assert seconds < 5  # 0.4 s on two shared cores; the bound is for slow machines


# A body, a mesh, texts and joints, to be damaged below.
WHOLE_XML = f'<scene version="1" name="äö">{PARTS}<settings/></scene>'.encode()
WHOLE_JSON = scene_to_json(double_pendulum()).encode()


def _problems(path: Path) -> list[Problem]:
    """What is wrong with a file; nothing if it loads. Any other exception is a failure."""
    try:
        load_scene(path)
    except SceneError as error:
        return error.problems
    return []


damage = st.lists(
    st.tuples(
        st.integers(0, 3000),
        st.integers(0, 6),
        st.sampled_from([b"", b"<", b">", b'"', b"{", b"]", b",", b"nan", b"-", b"\x00", b"\xff"]),
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.parametrize(("suffix", "whole"), [(".xml", WHOLE_XML), (".json", WHOLE_JSON)])
@settings(max_examples=300, deadline=None)
@given(cuts=damage)
def test_damaged_files(
    tmp_path_factory: pytest.TempPathFactory,
    suffix: str,
    whole: bytes,
    cuts: list[tuple[int, int, bytes]],
) -> None:
    """However a file is damaged, it loads or ends in problems with messages, nothing else."""
    data = bytearray(whole)
    for start, length, patch in cuts:
        data[start % len(data) : start % len(data) + length] = patch
    path = tmp_path_factory.getbasetemp() / f"damaged{suffix}"
    path.write_bytes(bytes(data))

    for problem in _problems(path):
        assert problem.message
        assert len(str(problem).splitlines()) == 1


@pytest.mark.parametrize("character", ["\n", "\r", "\x1b[2J", "\u2028"])
def test_what_a_file_holds_is_quoted_on_one_line(tmp_path: Path, character: str) -> None:
    """A key that holds a line break or a control sequence is quoted with its escape."""
    raw = json.loads(WHOLE_JSON)
    raw[f"de{character}nsity"] = 1
    raw["bodies"][0][f"ma{character}ss"] = 1
    raw["joints"][1]["body2"] = f"b{character}"
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(raw))

    problems = _problems(path)

    assert len(problems) >= 3
    for problem in problems:
        assert str(problem).isprintable()
        assert len(str(problem).splitlines()) == 1
    assert any("no key 'de\\" in problem.message for problem in problems)


@pytest.mark.parametrize(("suffix", "whole"), [(".xml", WHOLE_XML), (".json", WHOLE_JSON)])
def test_truncated_files(tmp_path: Path, suffix: str, whole: bytes) -> None:
    """A file that is cut off anywhere is refused as such, or as not UTF-8 inside a character."""
    path = tmp_path / f"cut{suffix}"
    for length in range(0, len(whole.rstrip()) - 1, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(SceneError) as caught:
            load_scene(path)
        assert next(problem.code for problem in caught.value.problems) in ("E004", "E005")


# --------------------------------------------------------------------------------------
# Python
# --------------------------------------------------------------------------------------


def test_problem_at_without_a_file() -> None:
    """Problems of a scene built in Python name the element, and no line."""
    problem = problem_at(
        double_pendulum(), ("joints", 1, "axis"), "E612", "does not fit", "Turn it"
    )

    assert str(problem) == ("error[E612]: /scene/joint[@name='knee']/@axis: does not fit. Turn it.")
    assert problem.line is None


def test_problem_at_with_a_file(tmp_path: Path) -> None:
    """Problems of a loaded scene have the line and column of the attribute or the element."""
    save_scene(double_pendulum(), tmp_path / "a.xml")
    scene = load_scene(tmp_path / "a.xml")

    axis = problem_at(scene, ("joints", 1, "axis"), "E612", "does not fit")
    default = problem_at(scene, ("joints", 1, "limits", 0, "restitution"), "E612", "too high")

    lines = (tmp_path / "a.xml").read_text().split("\n")
    assert axis.line is not None
    assert axis.column is not None
    assert lines[axis.line - 1][axis.column - 1 :].startswith('axis="0 1 0"')
    assert default.line is not None
    assert default.column is not None
    assert lines[default.line - 1][default.column - 1 :].startswith("<limit")


def test_copies_are_equal_and_independent(tmp_path: Path) -> None:
    """A deep copy of a loaded scene is equal to it until one of the two changes."""
    save_scene(double_pendulum(), tmp_path / "a.json")
    scene = load_scene(tmp_path / "a.json")
    other = copy.deepcopy(scene)

    assert other == scene == double_pendulum()
    other.bodies[0].density = 1.0
    assert other != scene


def test_models_in_python() -> None:
    """Lists do for vectors, angles may be given in degrees, and changes are checked."""
    body = Body(name="b", position=[1, 2, 3], angular_velocity_deg=[0, 0, 180])  # type: ignore[arg-type,call-arg]
    limit = Limit(lower_deg=-180)  # type: ignore[call-arg]

    assert body.position == (1.0, 2.0, 3.0)
    assert body.angular_velocity[2] == pytest.approx(3.141592653589793)
    assert limit.lower == pytest.approx(-3.141592653589793)
    with pytest.raises(ValidationError):
        body.mass = -1.0
    with pytest.raises(ValidationError):
        body.name = "a\x00"
    with pytest.raises(ValidationError):
        Joint(type="ball", anchor=(0, 0, float("nan")))
    with pytest.raises(ValidationError):
        Geometry(shape="sphere", radius="1")  # type: ignore[arg-type]


def test_reserved_characters() -> None:
    """Names may hold what XML reserves."""
    name = "<a href='x'>&amp; \"quoted\" ]]>"
    scene = Scene(version=1, name=name, description=name)

    assert impulse_schema.scene_to_xml(scene).count(b"&lt;a href=") == 2
    assert scene_to_xml(scene).decode().count("&amp;amp;") == 2
