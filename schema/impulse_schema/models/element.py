"""What every element of a scene has in common, and the types of its fields."""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.types import Strict
from pydantic_core import PydanticCustomError

# XML cannot carry these characters at all, so no text of a scene holds them.
_NO_CONTROL_CHARACTERS = r"^[^\x00-\x1f\x7f\ufffe\uffff]*$"
_NO_CONTROL_CHARACTERS_BUT_LINES = r"^[^\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]*$"

MAX_NAME = 255  # characters
Name = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_NAME, pattern=_NO_CONTROL_CHARACTERS)
]
Line = Annotated[str, StringConstraints(min_length=1, pattern=_NO_CONTROL_CHARACTERS)]
Paragraphs = Annotated[
    str,
    StringConstraints(
        min_length=1, strip_whitespace=True, pattern=_NO_CONTROL_CHARACTERS_BUT_LINES
    ),
]
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]

# Tuples also accept a list, which is what JSON has; the numbers inside stay strict.
Vector = Annotated[tuple[float, float, float], Strict(False)]
PositiveVector = Annotated[tuple[Positive, Positive, Positive], Strict(False)]
Quaternion = Annotated[tuple[float, float, float, float], Strict(False)]
SymmetricTensor = Annotated[tuple[float, float, float, float, float, float], Strict(False)]


def meta(unit: str | None = None, **extra: Any) -> dict[str, Any]:
    """``json_schema_extra`` of a field: its unit and how XML writes it."""
    if unit is not None:
        extra["unit"] = unit
    return extra


class Element(BaseModel):
    """An element of the scene file.

    Unknown keys, NaN, infinity, text where a number belongs and true or false where a number
    belongs are errors. Elements are equal when their fields are, wherever they were read from.
    """

    model_config = ConfigDict(
        extra="forbid", allow_inf_nan=False, validate_assignment=True, strict=True, defer_build=True
    )

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]  # mutable, so not to be a key


class AngleElement(Element):
    """An element with angles, each of which may also be given in degrees.

    ``Limit(lower_deg=-30)`` is ``Limit(lower=-0.5235987755982988)``.
    """

    @model_validator(mode="before")
    @classmethod
    def _read_degrees(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        given = [name for name in angle_fields(cls) if f"{name}_deg" in data]
        if not given:
            return data
        data = dict(data)
        for name in given:
            if name in data:
                raise PydanticCustomError(
                    "angle_given_twice",
                    "{field} and {field}_deg are both given",
                    {"field": name},
                )
            data[name] = _radians(data.pop(f"{name}_deg"))
        return data


@cache
def angle_fields(model: type[Element]) -> tuple[str, ...]:
    """Names of the fields of ``model`` that are angles [rad] or angular velocities [rad/s]."""
    return tuple(
        name
        for name, field in model.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("angle")
    )


def _radians(value: Any) -> Any:
    """Degrees to radians; what is no number is handed on, for validation to report."""
    if isinstance(value, (list, tuple)):
        return [_radians(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return math.radians(value)
        except OverflowError:
            return math.inf
    return value
