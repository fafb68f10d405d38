"""The published schemas are those of the models, and accept what the models accept."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from impulse_schema import Scene, json_schema, load_scene, scene_to_json, scene_to_xml, xsd
from impulse_schema.fields import all_elements
from impulse_schema.generate import generated_files
from impulse_schema.reference import reference_page

from .strategies import scenes
from .test_round_trip import DEGREES_JSON, DEGREES_XML

XSD = etree.XMLSchema(etree.fromstring(xsd().encode()))
JSON_SCHEMA = jsonschema.Draft202012Validator(json_schema())
some = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("path", sorted(generated_files()), ids=lambda path: path.name)
def test_generated_files_are_up_to_date(path: Path) -> None:
    """The files hold what the models say; python -m impulse_schema.generate renews them."""
    assert path.read_text(encoding="utf-8") == generated_files()[path]


@some
@given(scenes)
def test_xsd_accepts_every_model(scene: Scene) -> None:
    """Whatever the models accept, written as XML, passes the XSD."""
    XSD.assertValid(etree.fromstring(scene_to_xml(scene)))


@some
@given(scenes)
def test_json_schema_accepts_every_model(scene: Scene) -> None:
    """Whatever the models accept, written as JSON, passes the JSON Schema."""
    JSON_SCHEMA.validate(json.loads(scene_to_json(scene)))


def test_schemas_know_degrees() -> None:
    """Keys in degrees, which the writers never use, pass both schemas."""
    XSD.assertValid(etree.fromstring(DEGREES_XML))
    JSON_SCHEMA.validate(json.loads(DEGREES_JSON))


@pytest.mark.parametrize(
    "xml",
    [
        '<scene version="2"/>',
        '<scene version="1"><bodi name="b"/></scene>',
        '<scene version="1"><body name="b" mas="1"/></scene>',
        '<scene version="1"><body name="b" motion="flying"/></scene>',
        '<scene version="1"><body name="b" position="1 2"/></scene>',
        '<scene version="1"><body/></scene>',
    ],
)
def test_xsd_refuses_wrong_structure(xml: str) -> None:
    """An editor that checks against the XSD finds misspelt and missing parts."""
    assert not XSD.validate(etree.fromstring(xml))


def test_examples_of_the_reference_page(tmp_path: Path) -> None:
    """The examples in docs/scene-format.md are sound scenes."""
    examples = [text.split("```")[0] for text in reference_page().split("```xml\n")[1:]]
    loaded = []
    for example in examples:
        (tmp_path / "a.xml").write_text(example)
        loaded.append(load_scene(tmp_path / "a.xml"))

    assert loaded[0].joints[0].name == "pivot"
    assert [body.name for body in loaded[1].bodies][-1] == "left.shank"


def test_every_field_is_described() -> None:
    """Every field of every element says what it means."""
    missing = [
        f"{spec.model.__name__}.{field.name}"
        for spec in all_elements(Scene)
        for field in spec.fields.values()
        if not field.description
    ]

    assert missing == []


def test_every_vector_quantity_has_a_unit() -> None:
    """Lengths, velocities, forces and torques state their unit, which the schemas carry."""
    with_units = {
        field.key for spec in all_elements(Scene) for field in spec.fields.values() if field.unit
    }

    assert {"position", "velocity", "angular_velocity", "force", "torque", "mass"} <= with_units
