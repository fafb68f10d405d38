"""A recording as a few arrays and the names of what they hold: what binary formats write.

Arrays, all float64: ``times`` (F,), ``positions`` (F, N, 3), ``orientations`` (F, N, 4),
``energy`` (F, E), ``momentum`` (F, P, 3), ``joint_values`` (F, J), ``joint_vectors`` (F, V, 3;
older files lack it), ``body_values`` (F, B; where any are recorded), and with recorded contacts
``contact_frame``, ``contact_body1``, ``contact_body2`` (K, whole numbers), ``contact_point``,
``contact_normal`` and ``contact_force`` (K, 3).

Names: ``bodies`` (N names), ``energy`` (E quantities), ``momentum`` (P quantities), ``joints``
(J pairs of joint and quantity), ``joint_vectors`` (V pairs), ``joint_names``, of all joints, and
``body_values`` (B pairs of body and quantity).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .consistency import numbers
from .data import RecordingData
from .errors import RecordingError
from .header import require

__all__ = ["CONTACT", "arrays_of", "fields_of", "names", "names_of", "pairs"]

CONTACT = "contact_"
"""How the names of the arrays of contacts begin."""


def names_of(recording: RecordingData) -> dict[str, Any]:
    """What the arrays hold, in the order of their columns."""
    of_bodies = _columns(recording.bodies)
    return {
        "bodies": list(recording.body_names),
        "energy": list(recording.energy),
        "momentum": list(recording.momentum),
        "joint_names": list(recording.joints),
        "joints": [pair for *pair, values in _columns(recording.joints) if values.ndim == 1],
        "joint_vectors": [pair for *pair, values in _columns(recording.joints) if values.ndim == 2],
        **({"body_values": [pair for *pair, _ in of_bodies]} if of_bodies else {}),
    }


def arrays_of(recording: RecordingData) -> dict[str, NDArray[Any]]:
    """The arrays by name."""
    frames = len(recording.times)
    columns = [values for _, _, values in _columns(recording.joints)]
    of_bodies = [values for _, _, values in _columns(recording.bodies)]
    return {
        "times": recording.times,
        "positions": recording.positions,
        "orientations": recording.orientations,
        "energy": _stack(list(recording.energy.values()), (frames, 0)),
        "momentum": _stack(list(recording.momentum.values()), (frames, 0, 3)),
        "joint_values": _stack([v for v in columns if v.ndim == 1], (frames, 0)),
        "joint_vectors": _stack([v for v in columns if v.ndim == 2], (frames, 0, 3)),
        **({"body_values": _stack(of_bodies, ())} if of_bodies else {}),
        **{f"{CONTACT}{name}": values for name, values in recording.contacts.items()},
    }


def fields_of(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """The arguments of ``Recording`` that names and arrays make."""
    energy = names(header, "energy")
    momentum = names(header, "momentum")
    frames = len(np.atleast_1d(require(arrays, "times")))
    return {
        "times": require(arrays, "times"),
        "body_names": tuple(names(header, "bodies")),
        "positions": require(arrays, "positions"),
        "orientations": require(arrays, "orientations"),
        "joints": _joints(header, arrays, frames),
        "bodies": _bodies(header, arrays, frames),
        "energy": _series("energy", energy, arrays, (frames, len(energy))),
        "momentum": _series("momentum", momentum, arrays, (frames, len(momentum), 3)),
        "contacts": {
            name.removeprefix(CONTACT): values
            for name, values in arrays.items()
            if name.startswith(CONTACT)
        },
    }


def names(header: dict[str, Any], key: str) -> list[str]:
    """A list of names; ``RecordingError`` if it is none."""
    found = require(header, key)
    if not _are_names(found):
        raise RecordingError("must be a list of names.", key=key)
    return list(found)


def pairs(header: dict[str, Any], key: str) -> list[list[str]]:
    """Pairs of a name and a quantity; ``RecordingError`` if they are none."""
    found = require(header, key)
    if not isinstance(found, list) or not all(_are_names(p) and len(p) == 2 for p in found):
        raise RecordingError("must be pairs of name and quantity.", key=key)
    return found


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _columns(series: dict[str, dict[str, Any]]) -> list[tuple[str, str, NDArray[Any]]]:
    return [
        (name, quantity, values)
        for name, quantities in series.items()
        for quantity, values in quantities.items()
    ]


def _stack(columns: list[NDArray[Any]], empty: tuple[int, ...]) -> NDArray[Any]:
    return np.stack(columns, axis=1) if columns else np.zeros(empty)


def _joints(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]], frames: int
) -> dict[str, dict[str, NDArray[Any]]]:
    joints: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in names(header, "joint_names")}
    _add_joint_columns(joints, header, arrays, "joints", "joint_values", (frames,))
    if "joint_vectors" in arrays:
        _add_joint_columns(joints, header, arrays, "joint_vectors", "joint_vectors", (frames, 3))
    return joints


def _bodies(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]], frames: int
) -> dict[str, dict[str, NDArray[Any]]]:
    if "body_values" not in arrays and "body_values" not in header:
        return {}
    found = pairs(header, "body_values")
    table = numbers("body_values", require(arrays, "body_values"), (frames, len(found)))
    bodies: dict[str, dict[str, NDArray[Any]]] = {}
    for column, (body, quantity) in enumerate(found):
        bodies.setdefault(body, {})[quantity] = table[:, column].copy()
    return bodies


def _add_joint_columns(
    joints: dict[str, dict[str, NDArray[Any]]],
    header: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    which: str,
    key: str,
    shape: tuple[int, ...],
) -> None:
    found = pairs(header, which)
    table = numbers(key, require(arrays, key), (shape[0], len(found), *shape[1:]))
    for column, pair in enumerate(found):
        if pair[0] not in joints:
            raise RecordingError(f"there is no joint '{pair[0]}'.", key=which)
        joints[pair[0]][pair[1]] = table[:, column].copy()


def _series(
    key: str, quantities: list[str], arrays: dict[str, NDArray[Any]], shape: tuple[int, ...]
) -> dict[str, NDArray[Any]]:
    table = numbers(key, require(arrays, key), shape)
    return {name: table[:, column].copy() for column, name in enumerate(quantities)}
