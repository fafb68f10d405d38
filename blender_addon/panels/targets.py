# SPDX-License-Identifier: GPL-3.0-or-later
"""What the motors of the selected joints aim at, as charts of the plot in the 3D view."""

from __future__ import annotations

from typing import Any

import bpy

from ..authoring.targets import target_values
from ..export.joints import rotates

UNITS = {"servo": ("rad", "m"), "velocity": ("rad/s", "m/s"), "force": ("N m", "N")}
A_CHART = 3  # curves, each of another colour
MOST = 3  # charts


def targets_of(context: bpy.types.Context) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Units, each with names and curves (n, 2) of motors, as many as are shown at once."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for joint in _joints(context):
        for number, motor in enumerate(joint.impulse.joint.motors):
            points = target_values(context.scene, joint, number)
            if points is not None:
                slides = motor.freedom == "translation" or not rotates(joint.impulse.joint)
                unit = UNITS[motor.kind][slides]
                found.setdefault(unit, []).append((joint.name, points))
    charts = [
        (unit, curves[start : start + A_CHART])
        for unit, curves in found.items()
        for start in range(0, len(curves), A_CHART)
    ]
    return charts[:MOST]


def _joints(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected joints by name, the active one in any case."""
    objects = {obj.name: obj for obj in context.selected_objects}
    if context.object is not None:
        objects[context.object.name] = context.object
    return [objects[name] for name in sorted(objects) if objects[name].impulse.kind == "JOINT"]
