"""The limits of ball joints: a swing within a cone, and a twist."""

from __future__ import annotations

import math
from collections.abc import Iterator

from impulse_schema.models import Joint, Limit
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath

LEAST_SWING, MOST_SWING = math.radians(1.0), math.radians(179.0)
_ROUNDING = 1e-9  # rad, of degrees in a file


def check_swing(joint: Joint, path: ScenePath) -> Iterator[Finding]:
    """Findings on axis, axis2 and limits of a ball joint."""
    if joint.type != "ball":
        return
    if not joint.limits:
        for key in ("axis", "axis2"):
            if getattr(joint, key) is not None:
                hint = "Give it a limit of its swing, or leave it out"
                yield Finding((*path, key), "E704", f"a ball joint does not use {key}", hint)
        return
    if joint.axis is None:
        message = "the ball joint has limits and no axis"
        yield Finding(path, "E703", message, "Give the direction about which it may swing")
    for k, limit in enumerate(joint.limits):
        if limit.freedom == "swing":
            yield from _check_cone(limit, (*path, "limits", k))
        elif limit.freedom == "twist" and all(item.freedom != "swing" for item in joint.limits):
            message = "the twist is limited and the swing is not"
            hint = "Limit the swing as well, to 179 degrees at most: opposed axes have no twist"
            yield Finding((*path, "limits", k), "E710", message, hint)


def _check_cone(limit: Limit, path: ScenePath) -> Iterator[Finding]:
    if limit.lower is not None:
        hint = "Leave it out; a swing is never less than zero"
        yield Finding((*path, "lower"), "E710", "a swing has no lower bound", hint)
    if limit.max_velocity is not None:
        message = "the limit of a swing does not use max_velocity"
        yield Finding((*path, "max_velocity"), "E704", message, "Leave it out")
    if limit.upper is None:
        if limit.lower is not None or limit.max_velocity is not None:  # else that is reported
            yield Finding(path, "E710", "the limit of a swing has no upper bound", "Give upper")
    elif not LEAST_SWING - _ROUNDING <= limit.upper <= MOST_SWING + _ROUNDING:
        message = f"a swing of at most {math.degrees(limit.upper):.4g} degrees cannot be held"
        hint = "Give between 1 and 179 degrees; below that, use a hinge or a fixed joint"
        yield Finding((*path, "upper"), "E710", message, hint)
