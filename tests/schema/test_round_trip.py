"""XML and JSON hold the same scene, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from impulse_schema import (
    Body,
    Geometry,
    Joint,
    Limit,
    Load,
    Scene,
    load_scene,
    save_scene,
    scene_to_json,
    scene_to_xml,
)
from impulse_schema.json_reader import read_json
from impulse_schema.xml_reader import read_xml

from .strategies import scenes

slow_data = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@slow_data
@given(scenes)
def test_xml_and_json_give_the_same_scene(scene: Scene) -> None:
    """XML -> model -> JSON -> model -> XML ends in the bytes it began with."""
    xml = scene_to_xml(scene)

    content = read_xml(xml)
    from_xml = Scene.model_validate(content.raw)
    from_json = Scene.model_validate(read_json(scene_to_json(from_xml).encode()).raw)

    assert content.findings == []
    assert from_xml == scene
    assert from_json == scene
    assert scene_to_xml(from_json) == xml


def double_pendulum() -> Scene:
    """A scene without problems that uses attributes, children and names."""
    return Scene(
        version=1,
        name='Rods & "pins" <2>',
        description="first line\n  second line",
        bodies=[
            Body(name="a", density=7800.0, geometry=[Geometry(shape="box", size=(1, 0.1, 0.1))]),
            Body(name="b", mass=0.1 + 0.2, inertia=(1e-3, 2e-3, 2.5e-3), position=(1e-7, 0, -1)),
        ],
        joints=[
            Joint(type="ball", body2="a", anchor=(0, 0, 0)),
            Joint(
                name="knee",
                type="hinge",
                body1="a",
                body2="b",
                anchor=(0.5, 0, 0),
                axis=(0, 1, 0),
                limits=[Limit(lower=-1.25, upper=1.5)],
            ),
        ],
        loads=[Load.model_validate({"body": "b", "force": [0, 0, 1], "from": 0.5, "until": 1.0})],
    )


@pytest.mark.parametrize("suffix", [".xml", ".json"])
def test_files_round_trip(tmp_path: Path, suffix: str) -> None:
    """A scene that was saved and loaded is the same scene."""
    path = tmp_path / f"scene{suffix}"

    save_scene(double_pendulum(), path)

    assert load_scene(path) == double_pendulum()


def test_canonical_xml() -> None:
    """The XML is readable: defaults left out, shortest numbers, one element on a line."""
    scene = Scene(
        version=1,
        bodies=[Body(name="b", mass=0.1, inertia=(1, 1, 1), position=(1.0, -0.0, 1e-7))],
    )

    assert scene_to_xml(scene).decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<scene version="1">\n'
        '  <body name="b" position="1 -0.0 1e-07" mass="0.1" inertia="1 1 1"/>\n'
        "</scene>\n"
    )


def test_canonical_json() -> None:
    """The JSON is readable: a vector stands on one line, and a newline ends the file."""
    text = scene_to_json(Scene(version=1, bodies=[Body(name="b", position=(1, 2, 3))]))

    assert '"position": [1, 2, 3]' in text
    assert text.endswith("}\n")
    assert json.loads(text)["bodies"][0]["name"] == "b"


def test_schema_references_are_ignored(tmp_path: Path) -> None:
    """Files may say where an editor finds the schema."""
    xml, js = tmp_path / "a.xml", tmp_path / "a.json"
    xml.write_text(
        '<scene version="1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        ' xsi:noNamespaceSchemaLocation="scene.xsd"/>'
    )
    js.write_text('{"$schema": "scene.schema.json", "version": 1}')

    assert load_scene(xml) == load_scene(js) == Scene(version=1)


def test_byte_order_mark(tmp_path: Path) -> None:
    """A UTF-8 byte order mark, as some editors write it, does no harm."""
    xml, js = tmp_path / "a.xml", tmp_path / "a.json"
    xml.write_bytes(b'\xef\xbb\xbf<scene version="1"/>')
    js.write_bytes(b'\xef\xbb\xbf{"version": 1}')

    assert load_scene(xml) == load_scene(js) == Scene(version=1)


DEGREES_XML = """<scene version="1">
  <body name="b" mass="1" inertia="1 1 1" angular_velocity_deg="0 0 180"/>
  <joint type="hinge" body2="b" anchor="0 0 0" axis="0 0 1">
    <limit lower_deg="-90" upper="1"/>
  </joint>
</scene>"""
DEGREES_JSON = """{"version": 1,
  "bodies": [{"name": "b", "mass": 1, "inertia": [1, 1, 1], "angular_velocity_deg": [0, 0, 180]}],
  "joints": [{"type": "hinge", "body2": "b", "anchor": [0, 0, 0], "axis": [0, 0, 1],
              "limits": [{"lower_deg": -90, "upper": 1}]}]}"""


@pytest.mark.parametrize(("suffix", "text"), [(".xml", DEGREES_XML), (".json", DEGREES_JSON)])
def test_degrees(tmp_path: Path, suffix: str, text: str) -> None:
    """A key that ends in _deg is an angle in degrees, in both formats."""
    path = tmp_path / f"scene{suffix}"
    path.write_text(text)

    scene = load_scene(path)

    assert scene.bodies[0].angular_velocity == (0, 0, 3.141592653589793)
    assert scene.joints[0].limits[0].lower == -1.5707963267948966
    assert scene.joints[0].limits[0].upper == 1
