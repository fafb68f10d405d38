"""The JSON Schema (2020-12) of scene files, generated from the models."""

from __future__ import annotations

import copy
from typing import Any

from impulse_schema.fields import ElementSpec, all_elements
from impulse_schema.models import Scene

_FOR_THE_CODECS = ("angle", "xml_tag", "xml_text", "xml_child")


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scene files, ready for ``json.dumps``."""
    schema = Scene.model_json_schema(by_alias=True)
    definitions = {"Scene": schema, **schema["$defs"]}
    for spec in all_elements(Scene):
        _complete(definitions[spec.model.__name__], spec)
    schema["properties"]["$schema"] = {
        "type": "string",
        "description": "Where an editor finds this schema; ignored.",
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _complete(definition: dict[str, Any], spec: ElementSpec) -> None:
    """Add the twins in degrees, and remove what only the codecs use."""
    properties = definition["properties"]
    for key, field in spec.fields.items():
        for name in _FOR_THE_CODECS:
            properties[key].pop(name, None)
        if field.angle:
            twin = copy.deepcopy(properties[key])
            twin.pop("default", None)
            twin["title"] = f"{twin['title']} in degrees"
            if field.unit:
                twin["unit"] = field.unit.replace("rad", "deg")
            properties[f"{key}_deg"] = twin
