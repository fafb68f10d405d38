"""What is recorded of joints: coordinates, what acts along them, and reactions, from frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.compile import CompiledScene
from impulse_core.compile.axes import FREE_AXES
from impulse_core.geometry.rotations import conjugated, multiplied, rotated
from impulse_core.joints.table import AXIS_ROWS, ROTATION_AXIS
from impulse_core.types import Floats

__all__ = ["joint_quantities"]

_AXIS_NAMES = {
    "rotation": ("angle", "drive_torque"),
    "translation": ("displacement", "drive_force"),
}
"""Recorded quantities of a free axis: its coordinate, and what acts along it."""

Frames = NDArray[np.void]
"""Of the type that ``frame_record`` makes, shape (F,)."""


def joint_quantities(
    compiled: CompiledScene, frames: Frames, start: Frames
) -> dict[str, dict[str, Floats]]:
    """Quantities of each joint by name, shapes (F,) and (F, 3).

    Angles go on over full turns, which the simulation counted. Each frame is computed by itself,
    so that it has the same bits with whichever others it comes.

    Args:
        compiled: The scene.
        frames: Any frames of a run.
        start: Its first frame, shape (1,), from which coordinates are counted.
    """
    quantities: dict[str, dict[str, Floats]] = {}
    for j, (joint, name) in enumerate(
        zip(compiled.scene.joints, compiled.joint_names, strict=True)
    ):
        if joint.type != "coupling":
            found = _coordinates(compiled, FREE_AXES.get(joint.type, ()), j, frames, start)
            reaction = frames["reaction"][:, j]
            quantities[name] = {**found, "force": reaction[:, 0], "torque": reaction[:, 1]}
    terms = compiled.model.couplings.terms
    for k in np.flatnonzero(terms["row"] == ROTATION_AXIS):
        name = compiled.joint_names[terms["joint"][k]]
        position = frames["term_position"][:, k]
        quantities[name]["angle"] = position - start["term_position"][:, k]
    return quantities


def _coordinates(
    compiled: CompiledScene, freedoms: tuple[str, ...], j: int, frames: Frames, start: Frames
) -> dict[str, Floats]:
    """Coordinates of a joint's free axes, and what acts along them."""
    axes = compiled.model.axes
    found: dict[str, Any] = {}
    for freedom in freedoms:
        coordinate, drive = _AXIS_NAMES[freedom]
        acting = (axes["joint"] == j) & (axes["row"] == AXIS_ROWS[freedom])
        if acting.any():
            k = int(np.flatnonzero(acting)[0])
            found[coordinate] = frames["axis_position"][:, k]
            found[drive] = frames["axis_force"][:, k]
        else:
            measure = _angle if freedom == "rotation" else _displacement
            found[coordinate] = measure(compiled, j, frames) - measure(compiled, j, start)
    return found


def _angle(compiled: CompiledScene, j: int, frames: Frames) -> Floats:
    """Angle of a joint about its axis [rad], by the turns counted."""
    model, orientation = compiled.model, frames["orientation"]
    q1, q2 = orientation[:, model.joints["body1"][j]], orientation[:, model.joints["body2"][j]]
    turned = multiplied(
        multiplied(conjugated(q1), q2), conjugated(model.joints["relative_orientation"][j])
    )
    along = np.sum(turned[:, 1:] * model.joints["axis1"][j], axis=1)
    angle: Floats = 2.0 * np.arctan2(along, turned[:, 0])
    near = frames["turned"][:, np.searchsorted(model.counted_joint, j)]
    angle += 2.0 * np.pi * np.round((near - angle) / (2.0 * np.pi))
    return angle


def _displacement(compiled: CompiledScene, j: int, frames: Frames) -> Floats:
    """Displacement of a joint along its axis [m]."""
    model, position, orientation = compiled.model, frames["position"], frames["orientation"]
    i1, i2 = model.joints["body1"][j], model.joints["body2"][j]
    A = position[:, i1] + rotated(orientation[:, i1], model.joints["anchor1"][j])
    B = position[:, i2] + rotated(orientation[:, i2], model.joints["anchor2"][j])
    direction = rotated(orientation[:, i1], model.joints["axis1"][j])
    along: Floats = np.sum(direction * (B - A), axis=1)
    return along
