"""Sampled functions of time, which motors and loads follow."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from impulse_schema.models.element import Element, meta


class Curve(Element):
    """A sampled function of time."""

    times: list[float] = Field(
        min_length=2, description="Ascending sample times.", json_schema_extra=meta("s")
    )
    values: list[float] = Field(
        min_length=2,
        description="Value at each sample time; of a force motor in N or N m, of a load a factor.",
        json_schema_extra=meta("rad, m, rad/s or m/s"),
    )
    interpolation: Literal["step", "linear", "cubic"] = Field(
        default="linear",
        description="Between samples: cubic is a spline with continuous second derivative, level at"
        " its ends. Constant before the first sample and after the last.",
    )
    repeat: bool = Field(default=False, description="Start over after the last sample.")
