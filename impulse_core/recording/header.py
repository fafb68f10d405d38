"""The part of a recording's file that both formats share: format, version and single values."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from .data import RecordingData
from .errors import RecordingError

__all__ = [
    "FORMAT",
    "VERSION",
    "check_format",
    "from_json",
    "read_single_values",
    "require",
    "single_values",
    "to_json",
    "without_infinities",
]

FORMAT = "impulse-animation"
VERSION = 1

_SINGLE_VALUES = (
    "complete",
    "scene",
    "scene_sha256",
    "fps",
    "step",
    "method",
    "solver",
)


def single_values(recording: RecordingData) -> dict[str, Any]:
    """Format, version and everything that does not grow with the number of frames and bodies."""
    values = {key: getattr(recording, key) for key in _SINGLE_VALUES}
    return {"format": FORMAT, "version": VERSION, **values}


def read_single_values(header: dict[str, Any]) -> dict[str, Any]:
    """The arguments of ``Recording`` that ``single_values`` wrote."""
    values = {key: require(header, key) for key in _SINGLE_VALUES}
    for key in ("fps", "step"):
        if isinstance(values[key], bool) or not isinstance(values[key], (int, float)):
            raise RecordingError("must be a number.", key=key)
        try:
            values[key] = float(values[key])
        except OverflowError:
            raise RecordingError("is too large a number.", key=key) from None
    return values


def check_format(header: Any) -> dict[str, Any]:
    """``header`` if it is that of an animation this version can read."""
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise RecordingError(f'is not an animation: it does not begin with "format": "{FORMAT}".')
    version = require(header, "version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise RecordingError(f"must be {VERSION}.", key="version")
    if version > VERSION:
        raise RecordingError(
            f"was written by a newer release (version {version} of the format; this one reads"
            f" version {VERSION}); update this program."
        )
    return header


def require(values: dict[str, Any], key: str, prefix: str = "") -> Any:
    """``values[key]``; ``RecordingError`` if it is not there."""
    if key not in values:
        raise RecordingError("is missing.", key=prefix + key)
    return values[key]


def to_json(value: Any, key: str) -> str:
    """``value`` as one line of strict JSON (no NaN, no infinity)."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordingError(f"cannot be written as JSON: {error}.", key=key) from None


def without_infinities(value: Any) -> Any:
    """``value`` with None in place of every number that JSON cannot hold."""
    if isinstance(value, dict):
        return {key: without_infinities(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_infinities(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_json(text: str | bytes) -> Any:
    """The value of a JSON text without duplicate keys, NaN or infinity."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise RecordingError(
            f"is truncated or is not JSON (line {error.lineno}, column {error.colno}: {error.msg})."
        ) from None
    except UnicodeDecodeError:
        raise RecordingError("is not text in UTF-8.") from None
    except RecursionError:
        raise RecordingError("is nested too deeply.") from None
    except ValueError:  # of int, from 4300 digits on
        raise RecordingError("holds a number of more digits than any has.") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise RecordingError("is there twice.", key=twice)
    return values


def _refuse_constant(text: str) -> Any:
    raise RecordingError(f"holds {text}, which is not a number.")
