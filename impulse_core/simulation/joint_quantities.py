"""What is recorded of joints: coordinates, what acts along them, and reactions, from frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.compile import CompiledScene
from impulse_core.compile.axes import FREE_AXES, LIMITED_AXES
from impulse_core.geometry.rotations import conjugated, multiplied, rotated
from impulse_core.joints.table import (
    AXIS_ROWS,
    ROTATION_AXIS,
    SECOND_ROTATION_AXIS,
    SWING,
)
from impulse_core.types import Floats

__all__ = ["joint_quantities"]

_QUANTITIES = {
    AXIS_ROWS["rotation"]: ("angle", "drive_torque"),
    AXIS_ROWS["translation"]: ("displacement", "drive_force"),
    SECOND_ROTATION_AXIS: ("angle2", "drive_torque2"),
}
"""Recorded quantities of a free axis by its row: its coordinate, and what acts along it."""

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
            rows = [AXIS_ROWS[freedom] for freedom in FREE_AXES.get(joint.type, ())]
            if joint.type == "universal":
                rows = [ROTATION_AXIS, SECOND_ROTATION_AXIS]
            found = _coordinates(compiled, rows, j, frames, start)
            if joint.type == "ball" and joint.limits:
                found = _swing(compiled, j, frames)
            reaction = frames["reaction"][:, j]
            quantities[name] = {**found, "force": reaction[:, 0], "torque": reaction[:, 1]}
    terms = compiled.model.couplings.terms
    for k in np.flatnonzero(terms["row"] == ROTATION_AXIS):
        name = compiled.joint_names[terms["joint"][k]]
        position = frames["term_position"][:, k]
        quantities[name]["angle"] = position - start["term_position"][:, k]
    return quantities


def _coordinates(
    compiled: CompiledScene, rows: list[int], j: int, frames: Frames, start: Frames
) -> dict[str, Floats]:
    """Coordinates of a joint's free axes in these rows, and what acts along them."""
    axes = compiled.model.axes
    found: dict[str, Any] = {}
    for row in rows:
        coordinate, drive = _QUANTITIES[row]
        acting = (axes["joint"] == j) & (axes["row"] == row)
        if acting.any():
            k = int(np.flatnonzero(acting)[0])
            found[coordinate] = frames["axis_position"][:, k]
            found[drive] = frames["axis_force"][:, k]
        elif row == AXIS_ROWS["translation"]:
            found[coordinate] = _displacement(compiled, j, frames) - _displacement(
                compiled, j, start
            )
        else:
            found[coordinate] = _angle(compiled, j, row, frames) - _angle(compiled, j, row, start)
    return found


def _swing(compiled: CompiledScene, j: int, frames: Frames) -> dict[str, Floats]:
    """Swing and twist of a ball joint with limits, and what these give along them."""
    model = compiled.model
    carriers = (model.joints["owner"] == j) & (model.joints["rotation_part"] == SWING)
    found: dict[str, Any] = {}
    for freedom in LIMITED_AXES["ball"]:
        rows = carriers[model.axes["joint"]] & (model.axes["row"] == AXIS_ROWS[freedom])
        (k,) = np.flatnonzero(rows)
        found[freedom] = frames["axis_position"][:, k]
        found[f"{freedom}_torque"] = frames["axis_force"][:, k]
    return found


def _angle(compiled: CompiledScene, j: int, row: int, frames: Frames) -> Floats:
    """Angle of a joint about its axis in a row [rad], by the turns counted."""
    joint, orientation = compiled.model.joints[j], frames["orientation"]
    Q = multiplied(conjugated(orientation[:, joint["body1"]]), orientation[:, joint["body2"]])
    angle = _of_hinge(joint, Q)
    if compiled.scene.joints[j].type == "universal":
        angle = _of_cross(joint, row, Q)
    counted = compiled.model.counted
    (k,) = np.flatnonzero((counted["joint"] == j) & (counted["row"] == row))
    near = frames["turned"][:, k]
    angle += 2.0 * np.pi * np.round((near - angle) / (2.0 * np.pi))
    return angle


def _of_hinge(joint: np.void, Q: Floats) -> Floats:
    """Angle about the axis of a joint [rad] at orientations q1⁻¹ q2, within a full turn."""
    turned = multiplied(Q, conjugated(joint["relative_orientation"]))
    along = np.sum(turned[:, 1:] * joint["axis1"], axis=1)
    angle: Floats = 2.0 * np.arctan2(along, turned[:, 0])
    return angle


def _of_cross(joint: np.void, row: int, Q: Floats) -> Floats:
    """Angle of the cross of a universal joint in body 1, or of body 2 on it, likewise."""
    Q0, sign = joint["relative_orientation"], 1.0
    a, other = joint["axis1"], joint["axis2"]
    if row == SECOND_ROTATION_AXIS:
        a, other = other, a
        Q0, Q, sign = conjugated(Q0), conjugated(Q), -1.0
    across = np.cross(a, rotated(Q0, other))
    now = rotated(Q, other)
    beside, along = np.sum(now * across, axis=1), np.sum(now * np.cross(across, a), axis=1)
    angle: Floats = sign * np.arctan2(beside, along)
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
