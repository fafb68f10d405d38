"""What can be plotted of a recording: curves by quantity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from impulse_core.recording import Recording, RecordingError

__all__ = ["Curve", "curves_of", "quantities_of", "unit_of"]

_UNITS = {
    "angle": "rad",
    "angle2": "rad",
    "clearance": "m",
    "displacement": "m",
    "drive_force": "N",
    "drive_torque": "N m",
    "drive_torque2": "N m",
    "force": "N",
    "swing": "rad",
    "swing_torque": "N m",
    "torque": "N m",
    "twist": "rad",
    "twist_torque": "N m",
    "linear": "kg m/s",
    "angular": "kg m²/s",
}


@dataclass(frozen=True)
class Curve:
    """One line of a plot.

    Attributes:
        panel: the axes it belongs to, as in "energy [J]".
        name: what it is, as in "total" or "hook x".
        times: [s], ascending, shape (F,); of a spectrum frequencies [Hz].
        values: in the unit the panel names, shape (F,).
    """

    panel: str
    name: str
    times: NDArray[np.float64]
    values: NDArray[np.float64]


def quantities_of(recording: Recording) -> list[str]:
    """Names of everything that can be plotted of ``recording``."""
    names = ["energy"] if recording.energy else []
    names += ["momentum"] if recording.momentum else []
    names += ["positions", "orientations"] if recording.body_names else []
    names += ["contact_force", "contact_count"] if recording.contacts else []
    parts = [*recording.joints.values(), *recording.bodies.values()]
    return names + sorted({name for quantities in parts for name in quantities})


def curves_of(recording: Recording, quantity: str, only: Sequence[str] = ()) -> list[Curve]:
    """The curves of one quantity.

    Args:
        recording: where they come from.
        quantity: "energy", "momentum", "positions", "orientations" (w, x, y, z), "contact_force"
            (of all contacts of each body together), "contact_count" (points that bear a force), or
            a quantity of joints or bodies, as in "angle" or "clearance".
        only: names of the bodies or joints wanted; all if empty. Vectors of joints, as forces,
            are shown by their length, those of a single joint also by their components.

    Raises:
        RecordingError: if the recording does not hold the quantity, or none of ``only``.
    """
    known = quantities_of(recording)
    if quantity not in known:
        raise RecordingError(
            f"holds no '{quantity}'; it holds {', '.join(known) or 'nothing to plot'}."
        )
    if quantity == "energy":
        return [
            Curve("energy [J]", name, recording.times, values)
            for name, values in recording.energy.items()
        ]
    if quantity == "momentum":
        return [
            curve
            for name, values in recording.momentum.items()
            for curve in _components(f"{name} momentum [{unit_of(name)}]", "", recording, values)
        ]
    if quantity == "contact_count":
        count = np.bincount(recording.contacts["frame"], minlength=recording.frame_count)
        return [Curve("contact_count", "points", recording.times, count.astype(float))]
    if quantity == "positions":
        parts = _poses(recording, "position [m]", recording.positions, "xyz")
    elif quantity == "orientations":
        parts = _poses(recording, "orientation", recording.orientations, "wxyz")
    elif quantity == "contact_force":
        parts = _contact_forces(recording, in_components=len(only) == 1)
    else:
        alone = len(only) == 1
        parts = {
            name: curves
            for owners in (recording.joints, recording.bodies)
            for name, curves in _series(recording, owners, quantity, in_components=alone).items()
        }
    wanted = {name: curves for name, curves in parts.items() if not only or name in only}
    if not wanted:
        of = f" of {' or '.join(only)}" if only else ""
        raise RecordingError(
            f"holds no '{quantity}'{of}; there are {', '.join(parts) or 'none at all'}."
        )
    return [curve for curves in wanted.values() for curve in curves]


def _poses(
    recording: Recording, panel: str, values: NDArray[np.float64], axes: str
) -> dict[str, list[Curve]]:
    return {
        name: _components(panel, f"{name} ", recording, values[:, index], axes)
        for index, name in enumerate(recording.body_names)
    }


def _contact_forces(recording: Recording, *, in_components: bool) -> dict[str, list[Curve]]:
    """Sum of the contact forces on each body that touches any other."""
    contacts, panel = recording.contacts, "contact force [N]"
    total = np.zeros((len(recording.body_names), recording.frame_count, 3))
    with np.errstate(over="ignore"):
        np.add.at(total, (contacts["body2"], contacts["frame"]), contacts["force"])
        np.add.at(total, (contacts["body1"], contacts["frame"]), -contacts["force"])
    found = {}
    for index in sorted({*contacts["body1"].tolist(), *contacts["body2"].tolist()}):
        name = recording.body_names[index]
        length = _length(total[index])
        found[name] = [Curve(panel, name, recording.times, length)]
        if in_components:
            found[name] += _components(panel, f"{name} ", recording, total[index])
    return found


def _series(
    recording: Recording,
    owners: dict[str, dict[str, NDArray[np.float64]]],
    quantity: str,
    *,
    in_components: bool,
) -> dict[str, list[Curve]]:
    """A quantity of all joints or bodies that have it."""
    unit = unit_of(quantity)
    panel = f"{quantity} [{unit}]" if unit else quantity
    found = {}
    for joint, quantities in owners.items():
        if quantity in quantities:
            values = quantities[quantity]
            lengths = values if values.ndim == 1 else _length(values)
            found[joint] = [Curve(panel, joint, recording.times, lengths)]
            if values.ndim == 2 and in_components:
                found[joint] += _components(panel, f"{joint} ", recording, values)
    return found


def _length(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        length: NDArray[np.float64] = np.linalg.norm(vectors, axis=1)
    return length


def _components(
    panel: str,
    prefix: str,
    recording: Recording,
    vectors: NDArray[np.float64],
    axes: str = "xyz",
) -> list[Curve]:
    return [
        Curve(panel, f"{prefix}{axis}", recording.times, vectors[:, column])
        for column, axis in enumerate(axes)
    ]


def unit_of(name: str) -> str:
    """Unit of a recorded quantity; "" if it has none."""
    return _UNITS.get(name, "")
