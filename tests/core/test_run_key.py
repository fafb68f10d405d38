"""The key of a run: the same for the same run, another for any other."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema import Scene, load_scene, save_scene, scene_to_json, scene_to_xml
from impulse_schema.json_reader import read_json
from impulse_schema.xml_reader import read_xml
from tests.core.scenes import double_pendulum
from tests.schema.strategies import scenes

slow_data = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def key(scene: Scene, **options: Any) -> str:
    return ic.run_key(scene, options, "sources")


def without_files(scene: Scene) -> Scene:
    """Files of meshes are there in the test of files; copies of parts are bodies like others."""
    for mesh in scene.meshes:
        mesh.file = None
    return scene.model_copy(update={"parts": [], "uses": []})


@slow_data
@given(scenes.map(without_files))
def test_xml_and_json_have_the_same_key(scene: Scene) -> None:
    """Whichever notation a scene is read from, and in whichever order its keys stand."""
    from_xml = Scene.model_validate(read_xml(scene_to_xml(scene)).raw)
    raw = read_json(scene_to_json(scene).encode()).raw
    backwards = json.loads(json.dumps(raw), object_pairs_hook=lambda pairs: dict(pairs[::-1]))

    assert key(from_xml) == key(Scene.model_validate(raw))
    assert key(from_xml) == key(Scene.model_validate(backwards))


def numbers_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where numbers stand."""
    if isinstance(value, bool) or path == ("version",):
        return []
    if isinstance(value, (int, float)):
        return [path]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    if not isinstance(value, (dict, list)):
        return []
    return [place for name, item in items for place in numbers_in(item, (*path, name))]


@slow_data
@given(scenes.map(without_files), st.data())
def test_any_other_number_has_another_key(scene: Scene, data: st.DataObject) -> None:
    """The next number after any number of a scene makes another run."""
    raw = read_json(scene_to_json(scene).encode()).raw
    places = numbers_in(raw)
    assume(places)
    *way, last = data.draw(st.sampled_from(places))
    holder: Any = raw
    for name in way:
        holder = holder[name]
    before = holder[last]
    holder[last] = before + 1 if isinstance(before, int) else math.nextafter(before, 0.5)
    try:
        changed = Scene.model_validate(raw)
    except ValueError:  # beyond what this number may be
        assume(False)
    assume(changed != scene)

    assert key(changed) != key(scene)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub("bob", "bub", text),
        lambda text: text.replace('type="distance"', 'type="ball"').replace(' anchor2="1 0 0"', ""),
        lambda text: text.replace("<body", '<body name="new" mass="1"/><body', 1),
        lambda text: text.replace("<body", '<settings method="imp4"/><body', 1),
    ],
)
def test_other_scenes(tmp_path: Path, change: Any) -> None:
    """Names, types and parts count as well."""
    text = """<scene version="1"><body name="bob" position="1 0 0" mass="1" inertia="1 1 1"/>
    <joint type="distance" body1="world" body2="bob" anchor="0 0 0" anchor2="1 0 0"/></scene>"""
    (tmp_path / "a.xml").write_text(text)
    changed = change(text)
    if "new" in changed:
        changed = changed.replace('mass="1"/>', 'mass="1" inertia="1 1 1"/>', 1)
    (tmp_path / "b.xml").write_text(changed)

    assert key(load_scene(tmp_path / "a.xml")) != key(load_scene(tmp_path / "b.xml"))


def test_what_does_not_count(tmp_path: Path) -> None:
    """Name and folder of the file, comments, white space, the description, order of the parts."""
    scene = double_pendulum()
    save_scene(scene, tmp_path / "a.xml")
    (tmp_path / "folder").mkdir()
    text = (tmp_path / "a.xml").read_text()
    text = text.replace("<body", "\n<!-- a comment -->\n  <body  ")
    (tmp_path / "folder" / "other.xml").write_text(text)

    described = load_scene(tmp_path / "folder" / "other.xml")
    described.description = "What it shows."

    assert key(load_scene(tmp_path / "a.xml")) == key(scene) == key(described)


def test_meshes_count_by_their_content(tmp_path: Path) -> None:
    """A mesh file that was moved or renamed is the same; one changed number is not."""
    keys = []
    for folder, file, content in (
        ("a", "t.obj", TETRAHEDRON),
        ("b", "parts/u.obj", TETRAHEDRON),
        ("c", "t.obj", TETRAHEDRON.replace("v 1 0 0", "v 2 0 0")),
    ):
        path = tmp_path / folder / file
        path.parent.mkdir(parents=True)
        path.write_text(content)
        (tmp_path / folder / "s.xml").write_text(
            f'<scene version="1"><mesh name="m" file="{file}"/><body name="a" density="1">'
            '<geometry shape="mesh" mesh="m"/></body></scene>'
        )
        keys.append(key(load_scene(tmp_path / folder / "s.xml")))

    assert keys[0] == keys[1] != keys[2]


def test_options() -> None:
    """Each option that changes a result counts; threads and progress never do."""
    scene = double_pendulum()
    others: list[dict[str, Any]] = [
        {},
        {"duration": 3.25},
        {"step": 0.0025},
        {"fps": 31.0},
        {"method": "imp4"},
        {"solver": "sle"},
        {"tolerance": 1e-7},
        {"budget_ms": 1.0},
        {"budget_corrections": 5},
        {"time_of_impact": True},
        {"contacts": True},
        {"assemble": True},
    ]

    assert len({key(scene, **options) for options in others}) == len(others)
    assert key(scene, threads=3, progress=print, file="a.imprec", step=None) == key(scene)
    assert ic.run_key(scene, {}, "other sources") != key(scene)
    with pytest.raises(ic.OptionError, match="no option speed"):
        key(scene, speed=1)


def test_an_option_stands_for_a_setting() -> None:
    """Given as an option or in the scene, as 1 or 1.0, or as it is anyway: the same run."""
    scene, other = double_pendulum(duration=2.0), double_pendulum(duration=1.0)

    assert key(scene, duration=1) == key(other) == key(other, duration=1.0, assemble=False)
    assert key(scene) != key(other)


def test_the_report_has_the_key() -> None:
    """A run names itself as ``run_key`` names it before."""
    recording = ic.simulate(double_pendulum(), duration=0.1, fps=50, threads=1)

    expected = ic.run_key(double_pendulum(), {"duration": 0.1, "fps": 50})
    assert recording.diagnostics["run_key"] == expected
