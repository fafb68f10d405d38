"""Checks that the parts of a recording fit together, and turns them into arrays."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .data import RecordingData
from .errors import RecordingError

__all__ = [
    "body_series",
    "check_frames",
    "check_header",
    "check_records",
    "check_unit_quaternions",
    "contact_points",
    "joint_series",
    "numbers",
    "series",
]

Floats = NDArray[np.float64]

# Far above what sixteen digits of text lose, far below what could be seen.
_UNIT_TOLERANCE = 1e-6


def numbers(key: str, values: Any, shape: tuple[int | None, ...]) -> Floats:
    """``values`` as an array of finite float64 of the given shape (None: any length).

    Raises:
        RecordingError: for text, null, uneven lengths, NaN, infinity or another shape.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise RecordingError("the entries have different lengths.", key=key) from None
    if array.size == 0 and 0 in shape:
        array = np.zeros([length or 0 for length in shape])  # a list of nothing has no shape
    if array.dtype.kind not in "iuf":
        raise RecordingError("holds something that is not a number.", key=key)
    _check_shape(key, array, shape)
    with np.errstate(over="ignore"):  # of longer numbers; the next line finds it
        array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        frame = int(np.argwhere(~np.isfinite(array))[0][0])
        raise RecordingError(f"is not a finite number in frame {frame}.", key=key)
    return array


def check_header(recording: RecordingData) -> None:
    """The texts, fps and step, and names that are unique."""
    for key in ("scene", "scene_sha256", "method", "solver"):
        if not isinstance(getattr(recording, key), str):
            raise RecordingError("must be text.", key=key)
    for key in ("fps", "step"):
        if not 0.0 < getattr(recording, key) < math.inf:
            raise RecordingError("must be a positive number.", key=key)
    if not isinstance(recording.complete, bool):
        raise RecordingError("must be true or false.", key="complete")
    if not all(isinstance(name, str) for name in recording.body_names):
        raise RecordingError("names must be text.", key="bodies")
    name, count = (Counter(recording.body_names).most_common(1) or [("", 0)])[0]
    if count > 1:
        raise RecordingError(f"the name '{name}' is there {count} times.", key="bodies")


def check_frames(times: Floats) -> None:
    """Times ascend."""
    falls = np.flatnonzero(np.diff(times) <= 0.0)
    if len(falls):
        raise RecordingError(
            f"must ascend, but frame {falls[0] + 1} is not later than frame {falls[0]}.",
            key="times",
        )


def check_unit_quaternions(orientations: Floats, body_names: tuple[str, ...]) -> None:
    """Orientations have length one."""
    with np.errstate(over="ignore", under="ignore"):
        off = np.abs(np.linalg.norm(orientations, axis=2) - 1.0) > _UNIT_TOLERANCE
    if off.any():
        frame, body = np.argwhere(off)[0]
        raise RecordingError(
            f"the quaternion of frame {frame} does not have length one.",
            key=f"bodies.{body_names[body]}.orientation",
        )


def series(key: str, quantities: Any, shape: tuple[int, ...]) -> dict[str, Floats]:
    """Quantities by name, each as an array of ``shape``."""
    return {
        name: numbers(f"{key}.{name}", values, shape) for name, values in _items(key, quantities)
    }


def joint_series(joints: Any, frames: int) -> dict[str, dict[str, Floats]]:
    """The quantities of each joint, one number or one vector per frame."""
    return {
        name: {
            quantity: numbers(f"joints.{name}.{quantity}", values, _joint_shape(values, frames))
            for quantity, values in _items(f"joints.{name}", quantities)
        }
        for name, quantities in _items("joints", joints)
    }


def body_series(bodies: Any, names: tuple[str, ...], frames: int) -> dict[str, dict[str, Floats]]:
    """The quantities of bodies beside their poses, one number per frame."""
    for name, quantities in _items("bodies", bodies):
        if name not in names:
            raise RecordingError(f"there is no body '{name}'.", key="bodies")
        for pose in ("position", "orientation"):
            if pose in dict(_items(f"bodies.{name}", quantities)):
                raise RecordingError("is not a quantity of its own.", key=f"bodies.{name}.{pose}")
    return {
        name: series(f"bodies.{name}", quantities, (frames,))
        for name, quantities in bodies.items()
        if quantities
    }


def _joint_shape(values: Any, frames: int) -> tuple[int, ...]:
    """Shape that values should have: vectors if the first of them is one."""
    try:
        is_vector = np.ndim(values[0]) == 1
    except (TypeError, IndexError, KeyError, ValueError):
        is_vector = np.ndim(values) == 2 if isinstance(values, np.ndarray) else False
    return (frames, 3) if is_vector else (frames,)


def contact_points(contacts: Any, frames: int, bodies: int) -> dict[str, Any]:
    """Recorded contact points: whole numbers of frames and bodies, and vectors."""
    given = dict(_items("contacts", contacts))
    if not given:
        return {}
    found: dict[str, Any] = {}
    for name, limit in (("frame", frames), ("body1", bodies), ("body2", bodies)):
        values = numbers(f"contacts.{name}", given.pop(name, None), (None,))
        if np.any(values != np.floor(values)) or np.any((values < 0) | (values >= limit)):
            raise RecordingError(f"must be whole numbers below {limit}.", key=f"contacts.{name}")
        found[name] = values.astype(np.int64)
    for name in ("point", "normal", "force"):
        shape = (len(found["frame"]), 3)
        found[name] = numbers(f"contacts.{name}", given.pop(name, None), shape)
    if given:
        raise RecordingError("is not a quantity of contacts.", key=f"contacts.{min(given)}")
    if len({len(values) for values in found.values()}) > 1:
        raise RecordingError("the entries have different lengths.", key="contacts")
    return found


def check_records(recording: RecordingData) -> None:
    """Events are a list of dicts with a time, diagnostics a dict."""
    if not isinstance(recording.events, list):
        raise RecordingError("must be a list.", key="events")
    for index, event in enumerate(recording.events):
        if not isinstance(event, dict) or "time" not in event:
            raise RecordingError("must be an object with a time.", key=f"events[{index}]")
    _items("diagnostics", recording.diagnostics)


def _items(key: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise RecordingError("must be an object with names as keys.", key=key)
    return list(value.items())


def _check_shape(key: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> None:
    fits = array.ndim == len(shape) and all(
        wanted is None or wanted == found for wanted, found in zip(shape, array.shape, strict=True)
    )
    if fits:
        return
    if array.ndim == len(shape) and array.shape[1:] == shape[1:]:
        raise RecordingError(
            f"has {array.shape[0]} entries, but there are {shape[0]} frames.", key=key
        )
    wanted_text = " x ".join("n" if length is None else str(length) for length in shape)
    found_text = " x ".join(str(length) for length in array.shape) or "a single number"
    raise RecordingError(f"must be {wanted_text} numbers, but is {found_text}.", key=key)
