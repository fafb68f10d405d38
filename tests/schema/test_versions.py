"""Versions of the format: old files stay readable, and a newer file is refused as what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from impulse_schema import Body, Joint, Problem, Scene, SceneError, load_scene, save_scene
from impulse_schema.fields import all_elements
from impulse_schema.models import NEWEST_VERSION, Version
from impulse_schema.versions import ADDITIONS, version_needed

FOLDER = Path(__file__).parent / "versions"
FIRST = json.loads((FOLDER / "1.json").read_text(encoding="utf-8"))
MAJOR, _, MINOR = str(NEWEST_VERSION).partition(".")
NEXT = f"{MAJOR}.{int(MINOR) + 1}"


def screw() -> Scene:
    nut = Body(name="nut", mass=1.0, inertia=(1.0, 1.0, 1.0))
    joint = Joint(type="screw", body2="nut", anchor=(0, 0, 0), axis=(0, 0, 1), pitch=0.1)
    return Scene(version=1, bodies=[nut], joints=[joint])


def only_problem(path: Path, text: str) -> Problem:
    """The one that a file with a text has."""
    path.write_text(text)
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    (problem,) = caught.value.problems
    return problem


def test_what_came_after_version_1_is_written_down() -> None:
    """A key or word that version 1 had not stands in ADDITIONS, once, and nothing was taken away.

    Else an older Impulse would call it a mistake in the file.
    """
    today = {
        spec.model.__name__: {
            field.key: {str(word) for word in field.choices} for field in spec.fields.values()
        }
        for spec in all_elements(Scene)
    }
    added = {addition for additions in ADDITIONS.values() for addition in additions}
    assert len(added) == sum(map(len, ADDITIONS.values()))
    found = set()
    for element, keys in today.items():
        for key, words in keys.items():
            if key not in FIRST.get(element, {}):
                found.add((element, key, ...))
            elif (element, key) != ("Scene", "version"):
                found |= {(element, key, word) for word in words - set(FIRST[element][key])}
    gone = [
        (element, key, word)
        for element, keys in FIRST.items()
        for key, words in keys.items()
        for word in [None, *words]
        if key not in today.get(element, {}) or (word and word not in today[element][key])
    ]
    assert found == added
    assert gone == []


def test_versions_are_in_their_order() -> None:
    """ADDITIONS names every version after the first, and each has an example that stays."""
    assert list(get_args(Version)) == [1, *ADDITIONS]
    assert [str(version) for version in ADDITIONS] == [f"1.{n + 1}" for n in range(len(ADDITIONS))]


@pytest.mark.parametrize("version", get_args(Version))
@pytest.mark.parametrize("suffix", [".xml", ".json"])
def test_old_files_stay_readable(tmp_path: Path, version: Version, suffix: str) -> None:
    """The example of each version loads, and is written as that version again."""
    scene = load_scene(FOLDER / f"{version}.xml")

    save_scene(scene, tmp_path / f"again{suffix}")

    assert version_needed(scene) == version
    assert load_scene(tmp_path / f"again{suffix}") == scene
    text = (tmp_path / f"again{suffix}").read_text(encoding="utf-8")
    written = f'"version": {json.dumps(version)},' if suffix == ".json" else f'version="{version}"'
    assert written in text


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".xml", f'<scene version="{NEXT}"><torus/></scene>'),
        (".json", f'{{"version": "{NEXT}", "tori": []}}'),
        (".xml", '<scene version="2"/>'),
        (".xml", '<scene version="1.999"/>'),
        (".json", '{"version": 3}'),
    ],
)
def test_a_newer_file_is_refused_as_newer(tmp_path: Path, suffix: str, text: str) -> None:
    """One sentence says so; what it holds besides is no mistake of its author."""
    problem = only_problem(tmp_path / f"scene{suffix}", text)

    assert problem.code == "E010"
    assert "written for a newer Impulse" in str(problem)
    assert f"up to version {NEWEST_VERSION}" in str(problem)


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [
        (".xml", '<scene version="1.0"/>', "version cannot be '1.0'"),
        (".xml", '<scene version="1."/>', "'1.' is not a version"),
        (".xml", '<scene version="-1"/>', "'-1' is not a version"),
        (".json", '{"version": 1.1}', 'Write 1, "1.1", "1.2" or "1.3"'),
        (".json", '{"version": "new"}', "version cannot be 'new'"),
        (".json", '{"version": [1]}', "version cannot be an array"),
    ],
)
def test_what_is_no_version(tmp_path: Path, suffix: str, text: str, message: str) -> None:
    """Anything else is refused with what to write."""
    problem = only_problem(tmp_path / f"scene{suffix}", text)

    assert message in str(problem)


def test_a_file_names_the_version_that_it_needs(tmp_path: Path) -> None:
    """A scene with a screw is written as 1.1, without it as 1, whatever it was read from."""
    scene = screw()
    save_scene(scene, tmp_path / "a.xml")
    read = load_scene(tmp_path / "a.xml")
    assert (read, version_needed(read)) == (scene, "1.1")
    read.joints.clear()

    save_scene(read, tmp_path / "b.json")

    assert json.loads((tmp_path / "b.json").read_text())["version"] == 1
