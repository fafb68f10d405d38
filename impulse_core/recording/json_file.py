"""A recording as JSON: for people, other programs and version control.

    {"format": "impulse-animation", "version": 1, "complete": true, "scene": "crane",
     "scene_sha256": "…", "fps": 25.0, "step": 0.01, "method": "imp2", "solver": "direct",
     "times": [t, …],
     "bodies": {name: {"position": [[x, y, z], …], "orientation": [[w, x, y, z], …],
                       quantity: [value, …], …}, …},
     "joints": {name: {quantity: [value, …], …, quantity: [[x, y, z], …]}, …},
     "energy": {"kinetic": […], "potential": […], "total": […]},
     "momentum": {"linear": [[x, y, z], …], "angular": [[x, y, z], …]},
     "contacts": {"frame": […], "body1": […], "body2": […], "point": [[x, y, z], …],
                  "normal": […], "force": […]},
     "events": […], "diagnostics": {…}}

Every list has one entry per frame, those of contacts one per point. The numbers have as many digits
as it takes to read back the same float64. One body or joint stands on each line, so that two files
can be compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .consistency import numbers
from .data import RecordingData
from .errors import RecordingError
from .header import (
    check_format,
    from_json,
    read_single_values,
    require,
    single_values,
    to_json,
)

__all__ = ["decode", "encode"]

_POSE = ("position", "orientation")


def encode(recording: RecordingData) -> bytes:
    """The JSON text of ``recording``, in ASCII."""
    bodies = {
        name: {
            "position": recording.positions[:, index].tolist(),
            "orientation": recording.orientations[:, index].tolist(),
            **_lists(recording.bodies.get(name, {})),
        }
        for index, name in enumerate(recording.body_names)
    }
    lines = [
        *(_line(key, value) for key, value in single_values(recording).items()),
        _line("times", recording.times.tolist()),
        _block("bodies", bodies),
        _block(
            "joints",
            {name: _lists(series) for name, series in recording.joints.items()},
        ),
        _block("energy", _lists(recording.energy)),
        _block("momentum", _lists(recording.momentum)),
        _block("contacts", _lists(recording.contacts)),
        _line("events", recording.events),
        _line("diagnostics", recording.diagnostics),
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def decode(data: bytes) -> dict[str, Any]:
    """The fields of a recording in JSON; ``RecordingError`` names the part that is wrong."""
    content = check_format(from_json(data))
    times = numbers("times", require(content, "times"), (None,))
    bodies = _object(content, "bodies")
    return dict(
        **read_single_values(content),
        times=times,
        body_names=tuple(bodies),
        positions=_poses(bodies, "position", len(times), 3),
        orientations=_poses(bodies, "orientation", len(times), 4),
        joints=_object(content, "joints"),
        bodies={name: _quantities(body) for name, body in bodies.items()},
        energy=_object(content, "energy"),
        momentum=_object(content, "momentum"),
        contacts=content.get("contacts", {}),
        events=require(content, "events"),
        diagnostics=_object(content, "diagnostics"),
    )


def _quantities(body: dict[str, Any]) -> dict[str, Any]:
    """What is recorded of a body beside its pose."""
    return {name: values for name, values in body.items() if name not in _POSE}


def _poses(bodies: dict[str, Any], key: str, frames: int, width: int) -> Any:
    """One part of the poses of all bodies, shape (F, N, width)."""
    poses = np.empty((frames, len(bodies), width))
    for index, name in enumerate(bodies):
        body = _object(bodies, name, "bodies.")
        path = f"bodies.{name}."
        poses[:, index] = numbers(path + key, require(body, key, path), (frames, width))
    return poses


def _object(values: dict[str, Any], key: str, prefix: str = "") -> dict[str, Any]:
    value = require(values, key, prefix)
    if not isinstance(value, dict):
        raise RecordingError("must be an object with names as keys.", key=prefix + key)
    return value


def _lists(series: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: values.tolist() for name, values in series.items()}


def _line(key: str, value: Any) -> str:
    return f"{to_json(key, key)}: {to_json(value, key)}"


def _block(key: str, items: dict[str, Any]) -> str:
    """An object with each of its items on a line of its own."""
    if not items:
        return f"{to_json(key, key)}: {{}}"
    lines = [f"  {to_json(name, key)}: {to_json(item, key)}" for name, item in items.items()]
    return f"{to_json(key, key)}: {{\n" + ",\n".join(lines) + "\n}"
