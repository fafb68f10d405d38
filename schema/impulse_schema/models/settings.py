"""How a scene is simulated."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from impulse_schema.models.element import Element, Positive, Vector, meta

Method = Literal[
    "imp2", "imp4", "imp6", "imp8", "imp10", "lm4", "lmbs4", "lmv4", "lmvd4", "lmvd8", "gc4"
]
Solver = Literal["direct", "sle", "iterative"]


class Settings(Element):
    """How the scene is simulated unless the command line says otherwise."""

    gravity: Vector = Field(
        default=(0.0, 0.0, -9.81),
        description="Gravitational acceleration, world axes.",
        json_schema_extra=meta("m/s^2"),
    )
    step: Positive = Field(
        default=0.01, description="Length of one simulation step.", json_schema_extra=meta("s")
    )
    duration: Positive = Field(
        default=10.0, description="Simulated time.", json_schema_extra=meta("s")
    )
    fps: Positive = Field(
        default=25.0, description="Recorded frames per second.", json_schema_extra=meta("1/s")
    )
    method: Method = Field(
        default="imp2",
        description="Integration method: imp2 is the impulse step, imp4 to imp10 are its symmetric"
        " compositions, without contact, dry friction and limits; lmvd8 integrates accelerations"
        " with order 8 and projects, without contact and dry friction, up to the first limit that"
        " is reached; the others are comparison methods.",
    )
    solver: Solver = Field(
        default="direct", description="How the linear system of the joints is solved."
    )
    tolerance: Positive | None = Field(
        default=None,
        description="Largest joint error accepted after a step, at most the scene's size. Default"
        " for steps of 10 ms or more: 1e-6 for order 2, 1e-9 for order 4, 1e-12 for order 6 and 8,"
        " 1e-14 for order 10, times the scene's size; times (step / 10 ms)^(order + 1) for smaller"
        " ones, down to 1e-14 of the size.",
        json_schema_extra=meta("m"),
    )
    free_motion: Literal["exact", "rk4"] = Field(
        default="exact",
        description="Rotation between joint impulses: exact (closed form or Taylor series to"
        " round-off), or one classical Runge-Kutta step as in the papers (order 2 only).",
    )
    impact_law: Literal["poisson", "newton"] = Field(
        default="poisson",
        description="Meaning of the coefficient of restitution: impulse of the rebound over that of"
        " the compression (Poisson), or speed after the impact over speed before it (Newton).",
    )
    time_of_impact: bool = Field(
        default=False,
        description="Divide steps where bodies meet and where axes reach limits: a step with an"
        " impact is undone and taken in parts that end with each impact, at most 1024. Otherwise a"
        " bounce is put off to the end of its step.",
    )
    sleeping: bool = Field(
        default=False,
        description="Leave bodies and machines out of the steps while they and all that touch them"
        " rest: below 1 mm/s for half a second, without loads, moving bodies, or motors whose"
        " targets may change. They keep their poses until something comes near. What is at rest to"
        " round-off costs little without it.",
    )
    assemble: Literal["nothing", "joints", "all"] = Field(
        default="nothing",
        description="What is put right before the first step, however far it is off: joints moves"
        " bodies until joints close, couplings fit and axes lie within their limits; all also lets"
        " bodies come apart that overlap. The report says how far each body was moved.",
    )
    record_contacts: bool = Field(
        default=False,
        description="Record points, normals and impulses of the contacts with every frame.",
    )
