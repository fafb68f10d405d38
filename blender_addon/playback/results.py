# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recording says of a machine besides its motion, as F-curves on custom properties.

    scene            impulse_kinetic, impulse_potential, impulse_total [J]
    joint with motor impulse_angle [rad], impulse_torque [N m], of a slide impulse_displacement [m],
                     impulse_force [N]: what acts along its axis, drive, spring and friction
    body             impulse_reaction [N]: the force of all bodies that do not move by themselves,
                     such as the ground; impulse_slip [m/s]: how fast its points of contact slide on
                     them, the fastest of them, mean since the frame before

Bodies have theirs in the action of the motion. Joints and the scene keep their own action, to which
curves are added and from which ``remove`` takes them again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from .. import compat
from ..convert import Floats, quaternion_to_rotation
from ..export.collect import ancestors
from .curves import write_keys

# Label and unit of each property.
QUANTITIES = {
    "impulse_kinetic": ("Kinetic energy", "J"),
    "impulse_potential": ("Potential energy", "J"),
    "impulse_total": ("Total energy", "J"),
    "impulse_angle": ("Angle", "rad"),
    "impulse_torque": ("Torque", "N m"),
    "impulse_displacement": ("Displacement", "m"),
    "impulse_force": ("Force", "N"),
    "impulse_reaction": ("Ground reaction", "N"),
    "impulse_slip": ("Slip", "m/s"),
}
OF_JOINTS = {
    "angle": "impulse_angle",
    "drive_torque": "impulse_torque",
    "displacement": "impulse_displacement",
    "drive_force": "impulse_force",
}
PATHS = {f'["{name}"]' for name in QUANTITIES}

Key = tuple[str, str]  # name of the object, '' for the scene, and of the property


class Results:
    """Numbers of frames that come in portions, by object and property; names only."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        bodies = [obj for obj in scene.objects if obj.impulse.kind == "BODY"]
        carriers = {parent.name for body in bodies for parent in ancestors(body)}
        self._fixed = {obj.name for obj in bodies if obj.impulse.body.motion != "dynamic"}
        self._driven = {
            obj.name
            for obj in scene.objects
            if obj.impulse.kind == "JOINT" and len(obj.impulse.joint.motors)
        } - carriers
        self._parts: list[dict[Key, Floats]] = []
        self._counts: list[int] = []
        self._last: tuple[float, Floats, Floats] | None = None

    def add(self, frames: Any) -> None:
        """Take frames: a ``Recording`` or the part of one."""
        found: dict[Key, Floats] = {
            ("", f"impulse_{name}"): values
            for name, values in getattr(frames, "energy", {}).items()
            if f"impulse_{name}" in QUANTITIES
        }
        for joint, quantities in getattr(frames, "joints", {}).items():
            for name, values in quantities.items() if joint in self._driven else ():
                if name in OF_JOINTS:
                    found[joint, OF_JOINTS[name]] = values
        contacts = getattr(frames, "contacts", {})
        if contacts and len(contacts["frame"]):
            found |= self._contacts(frames, contacts)
        self._parts.append(found)
        self._counts.append(len(frames.times))
        self._last = frames.times[-1], frames.positions[-1:], frames.orientations[-1:]

    def series(self) -> dict[Key, Floats]:
        """Numbers of all frames (F, C) by object and property; 0 where there was nothing."""
        total = sum(self._counts)
        found: dict[Key, Floats] = {}
        start = 0
        for part, count in zip(self._parts, self._counts, strict=True):
            for key, values in part.items():
                columns = values.reshape(count, -1)
                whole = found.setdefault(key, np.zeros((total, columns.shape[1])))
                whole[start : start + count] = columns
            start += count
        return found

    def _contacts(self, frames: Any, contacts: dict[str, Any]) -> dict[Key, Floats]:
        """Forces and slip of the bodies that touch one that does not move by itself."""
        names = list(frames.body_names)
        fixed = np.array([name in self._fixed for name in names])
        found: dict[Key, Floats] = {}
        for own, other, sign in (("body1", "body2", -1.0), ("body2", "body1", 1.0)):
            chosen = ~fixed[contacts[own]] & fixed[contacts[other]]
            if not chosen.any():
                continue
            rows, bodies = contacts["frame"][chosen], contacts[own][chosen]
            forces = sign * contacts["force"][chosen]
            slips = self._slips(frames, {key: v[chosen] for key, v in contacts.items()})
            for body in np.unique(bodies):
                of_body = bodies == body
                force = found.setdefault(
                    (names[body], "impulse_reaction"), np.zeros((len(frames.times), 3))
                )
                np.add.at(force, rows[of_body], forces[of_body])
                slip = found.setdefault((names[body], "impulse_slip"), np.zeros(len(frames.times)))
                np.maximum.at(slip, rows[of_body], slips[of_body])
        return found

    def _slips(self, frames: Any, contacts: dict[str, Any]) -> Floats:
        """Speeds [m/s] along the surface, of points of one body relative to those of the other."""
        if self._last is None:
            before = frames.times[:1] - 1.0, frames.positions[:1], frames.orientations[:1]
        else:
            before = np.array([self._last[0]]), self._last[1], self._last[2]
        times, positions, orientations = (
            np.concatenate([first, values])
            for first, values in zip(
                before, (frames.times, frames.positions, frames.orientations), strict=True
            )
        )
        row, point = contacts["frame"] + 1, contacts["point"]
        moved = np.zeros_like(point)
        for body, sign in ((contacts["body1"], -1.0), (contacts["body2"], 1.0)):
            now = quaternion_to_rotation(orientations[row, body])
            then = quaternion_to_rotation(orientations[row - 1, body])
            local = np.einsum("kji,kj->ki", now, point - positions[row, body])
            earlier = positions[row - 1, body] + np.einsum("kij,kj->ki", then, local)
            moved += sign * (point - earlier)
        normal = contacts["normal"]
        along = moved - np.einsum("ki,ki->k", moved, normal)[:, None] * normal
        return np.linalg.norm(along, axis=1) / (times[row] - times[row - 1])


def write(scene: bpy.types.Scene, series: dict[Key, Floats], frames: Floats) -> None:
    """Write series as curves of the scene and its objects, in place of those of before."""
    remove(scene, scene.objects)
    points = np.empty((len(frames), 2), np.float32)
    points[:, 0] = frames
    for (name, prop), values in series.items():
        owner = scene.objects.get(name) if name else scene
        curves = None if owner is None else compat.curves_beside(owner)
        if curves is None:
            continue
        _declare(owner, prop, values.shape[1])
        for index, column in enumerate(values.T):
            points[:, 1] = column
            path = f'["{prop}"]'
            write_keys(compat.new_curve(curves, path, index, "Impulse results"), points)


def declare(obj: bpy.types.Object) -> None:
    """Give an object the properties that its curves are of."""
    found: dict[str, int] = {}
    for curve in compat.curves_of(obj):
        if curve.data_path in PATHS:
            found[curve.data_path[2:-2]] = found.get(curve.data_path[2:-2], 0) + 1
    for prop, size in found.items():
        _declare(obj, prop, size)


def _declare(owner: bpy.types.ID, prop: str, size: int) -> None:
    label, unit = QUANTITIES[prop]
    owner[prop] = [0.0] * size if size > 1 else 0.0
    owner.id_properties_ui(prop).update(description=f"{label} [{unit}] in the motion")


def remove(scene: bpy.types.Scene, objects: Iterable[bpy.types.Object]) -> None:
    """Take results off the scene and objects; what else their actions hold stays.

    Actions of motions, which may be kept as takes, stay as they are.
    """
    for owner in (scene, *objects):
        present = [name for name in QUANTITIES if name in owner]
        action = owner.animation_data.action if owner.animation_data is not None else None
        if present and action is not None and not compat.is_recorded(action):
            compat.remove_curves(owner, PATHS)
        for name in present:
            del owner[name]
