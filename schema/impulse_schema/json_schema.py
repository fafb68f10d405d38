"""The JSON Schema (2020-12) of scene files, generated from the models."""

from __future__ import annotations

import copy
import math
from typing import Any

from impulse_schema.bounds import bounds_of
from impulse_schema.fields import ElementSpec, FieldSpec, all_elements
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
    """Add bounds and the twins in degrees, and remove what only the codecs use."""
    properties = definition["properties"]
    for key, field in spec.fields.items():
        for name in _FOR_THE_CODECS:
            properties[key].pop(name, None)
        if field.has_bounds:
            _bound(properties[key], *_limits(field))
        if field.angle:
            twin = copy.deepcopy(properties[key])
            twin.pop("default", None)
            twin["title"] = f"{twin['title']} in degrees"
            twin["unit"] = field.unit.replace("rad", "deg")
            _bound(twin, *(math.degrees(limit) for limit in _limits(field)))
            properties[f"{key}_deg"] = twin


def _limits(field: FieldSpec) -> tuple[float, float]:
    """Least and largest number; that nothing lies between zero and another least is not said."""
    least, most = bounds_of(field.unit)
    return {"positive": least, "non-negative": 0.0, "any": -most}[field.sign], most


def _bound(part: Any, low: float, high: float) -> None:
    """Put bounds on every number of a part of the schema; a fraction keeps its own largest."""
    if isinstance(part, list):
        for item in part:
            _bound(item, low, high)
    elif isinstance(part, dict) and part.get("type") == "number":
        part.pop("exclusiveMinimum", None)
        part["minimum"] = low
        part["maximum"] = 1.0 if part.get("maximum") == 1 else high
    elif isinstance(part, dict):
        for key in ("anyOf", "items", "prefixItems"):
            _bound(part.get(key), low, high)
