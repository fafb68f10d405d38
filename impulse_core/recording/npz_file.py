"""A recording as NumPy's .npz: about a third of the size of the JSON, and faster.

Arrays, all float64: ``times`` (F,), ``positions`` (F, N, 3), ``orientations`` (F, N, 4),
``energy`` (F, E), ``momentum`` (F, P, 3), ``joint_values`` (F, J), ``joint_vectors`` (F, V, 3;
older files lack it), and with recorded contacts ``contact_frame``, ``contact_body1``,
``contact_body2`` (K, whole numbers), ``contact_point``, ``contact_normal`` and ``contact_force``
(K, 3). ``header`` is a JSON text with the single values of the JSON format under the same keys,
``events`` and ``diagnostics``, and the names of what the arrays hold: ``bodies`` (N names),
``energy`` (E quantities), ``momentum`` (P quantities), ``joints`` (J pairs of joint and quantity),
``joint_vectors`` (V pairs). No array holds Python objects, so reading a file never runs code from
it.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .consistency import numbers
from .errors import RecordingError
from .header import (
    check_format,
    from_json,
    read_single_values,
    require,
    single_values,
    to_json,
)
from .recording import Recording

__all__ = ["decode", "encode"]


def encode(recording: Recording) -> bytes:
    """The bytes of a compressed .npz file."""
    frames = recording.frame_count
    joints = [
        (joint, quantity, values)
        for joint, quantities in recording.joints.items()
        for quantity, values in quantities.items()
    ]
    header = {
        **single_values(recording),
        "bodies": list(recording.body_names),
        "energy": list(recording.energy),
        "momentum": list(recording.momentum),
        "joint_names": list(recording.joints),
        "joints": [(joint, quantity) for joint, quantity, values in joints if values.ndim == 1],
        "joint_vectors": [(joint, quantity) for joint, quantity, v in joints if v.ndim == 2],
        "events": recording.events,
        "diagnostics": recording.diagnostics,
    }
    stream = io.BytesIO()
    np.savez_compressed(
        stream,
        header=np.array(to_json(header, "header")),
        times=recording.times,
        positions=recording.positions,
        orientations=recording.orientations,
        energy=_stack(list(recording.energy.values()), (frames, 0)),
        momentum=_stack(list(recording.momentum.values()), (frames, 0, 3)),
        joint_values=_stack([v for _, _, v in joints if v.ndim == 1], (frames, 0)),
        joint_vectors=_stack([v for _, _, v in joints if v.ndim == 2], (frames, 0, 3)),
        **{f"contact_{name}": values for name, values in recording.contacts.items()},
    )
    return stream.getvalue()


def decode(data: bytes) -> Recording:
    """The recording of an .npz file; ``RecordingError`` names the part that is wrong."""
    arrays = _read_arrays(data)
    header = check_format(from_json(str(require(arrays, "header"))))
    energy = _names(header, "energy")
    momentum = _names(header, "momentum")
    frames = len(np.atleast_1d(require(arrays, "times")))
    return Recording(
        **read_single_values(header),
        times=require(arrays, "times"),
        body_names=tuple(_names(header, "bodies")),
        positions=require(arrays, "positions"),
        orientations=require(arrays, "orientations"),
        joints=_joints(header, arrays, frames),
        energy=_series("energy", energy, arrays, (frames, len(energy))),
        momentum=_series("momentum", momentum, arrays, (frames, len(momentum), 3)),
        contacts={
            name.removeprefix("contact_"): values
            for name, values in arrays.items()
            if name.startswith("contact_")
        },
        events=require(header, "events"),
        diagnostics=require(header, "diagnostics"),
    )


def _read_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    try:
        file = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(file, np.ndarray):
            raise RecordingError("is a single array, not an .npz file.")
        return {name: file[name] for name in file.files}
    except (
        ValueError,
        OSError,
        EOFError,
        KeyError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise RecordingError(f"is truncated or is not an .npz file ({error}).") from None


def _joints(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]], frames: int
) -> dict[str, dict[str, NDArray[Any]]]:
    joints: dict[str, dict[str, NDArray[Any]]] = {
        name: {} for name in _names(header, "joint_names")
    }
    _add_joint_columns(joints, header, arrays, "joints", "joint_values", (frames,))
    if "joint_vectors" in arrays:
        _add_joint_columns(joints, header, arrays, "joint_vectors", "joint_vectors", (frames, 3))
    return joints


def _add_joint_columns(
    joints: dict[str, dict[str, NDArray[Any]]],
    header: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    names: str,
    key: str,
    shape: tuple[int, ...],
) -> None:
    pairs = _names(header, names)
    table = numbers(key, require(arrays, key), (shape[0], len(pairs), *shape[1:]))
    for column, pair in enumerate(pairs):
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] not in joints:
            raise RecordingError("must be pairs of joint and quantity.", key=names)
        joints[pair[0]][pair[1]] = table[:, column].copy()


def _series(
    key: str, names: list[Any], arrays: dict[str, NDArray[Any]], shape: tuple[int, ...]
) -> dict[str, NDArray[Any]]:
    table = numbers(key, require(arrays, key), shape)
    return {name: table[:, column].copy() for column, name in enumerate(names)}


def _names(header: dict[str, Any], key: str) -> list[Any]:
    names = require(header, key)
    if not isinstance(names, list):
        raise RecordingError("must be a list of names.", key=key)
    return names


def _stack(columns: list[NDArray[Any]], empty: tuple[int, ...]) -> NDArray[Any]:
    return np.stack(columns, axis=1) if columns else np.zeros(empty)
