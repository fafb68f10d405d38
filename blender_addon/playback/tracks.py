# SPDX-License-Identifier: GPL-3.0-or-later
"""How recorded poses of bodies become locations and quaternions of objects.

A ``Plan`` is made once, of the objects as they stand, and holds numbers and names only; then it
takes frames in any portions, and gives the same numbers for a frame in whichever it comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import bpy
import numpy as np

from ..convert import (
    SHEAR_TOLERANCE,
    Floats,
    decimals,
    length_to_blender,
    quaternion_product,
    quaternion_to_rotation,
    rotation_to_quaternion,
    take_apart,
)
from ..export.collect import is_identity


class PlaybackError(Exception):
    """Nothing could be imported; the text says why."""


class Poses(Protocol):
    """The part of ``impulse_core.recording.Recording`` that is needed here."""

    @property
    def times(self) -> Floats:
        """Times of the frames (F,) [s]."""

    @property
    def body_names(self) -> Sequence[str]:
        """Names of the N bodies."""

    @property
    def positions(self) -> Floats:
        """Origins of the objects (F, N, 3) [m]."""

    @property
    def orientations(self) -> Floats:
        """Quaternions (F, N, 4), body to world."""


@dataclass(frozen=True)
class First:
    """One frame of some poses."""

    times: Floats
    positions: Floats
    orientations: Floats
    body_names: Sequence[str] = ()


@dataclass(frozen=True)
class Space:
    """From an object's own transform to the world: the matrix of a recorded object, then this one.

    ``parent`` is '' where nothing that the object hangs on is recorded.
    """

    parent: str
    matrix: Floats  # (4, 4)


@dataclass(frozen=True)
class Track:
    """How an object follows a body: index of the body, and what the object has of its own."""

    name: str
    index: int
    is_keyed: bool
    stretch: Floats  # (3, 3), its scale and that of its parents
    scale: Floats  # (3,), its own
    turn: Floats  # (4,), from its own axes to those of the body, where nothing lies between
    space: Space | None


@dataclass
class Plan:
    """Tracks by name of object, bodies whose objects are missing, length of a Blender unit [m]."""

    tracks: dict[str, Track]
    missing: list[str]
    metres: float
    keyed: list[str] = field(default_factory=list)

    def channels(self, poses: Poses) -> dict[str, tuple[Floats, Floats]]:
        """Locations (F, 3) and quaternions (F, 4) of the objects that are keyed, by name.

        Raises PlaybackError where a parent would distort an object.
        """
        worlds: dict[str, Floats] = {}
        return {name: self._channels(self.tracks[name], poses, worlds) for name in self.keyed}

    def check(self, poses: Poses) -> None:
        """Raise what ``channels`` would raise, before anything is changed."""
        self.channels(First(poses.times[:1], poses.positions[:1], poses.orientations[:1]))

    def _channels(
        self, track: Track, poses: Poses, worlds: dict[str, Floats]
    ) -> tuple[Floats, Floats]:
        space = track.space
        # The object's own matrix is rotation · diag(scale); a scale may be negative, so it is
        # divided out with its sign.
        if space is None:
            positions = length_to_blender(poses.positions[:, track.index], self.metres)
            return positions, quaternion_product(poses.orientations[:, track.index], track.turn)
        matrix = space.matrix[None]
        if space.parent:
            matrix = self._world(space.parent, poses, worlds) @ matrix
        own = np.linalg.inv(matrix) @ self._world(track.name, poses, worlds)
        rotations = own[:, :3, :3] / track.scale
        if np.abs(rotations[0] @ rotations[0].T - np.eye(3)).max() > SHEAR_TOLERANCE:
            raise PlaybackError(
                f"{track.name} hangs on a parent with an uneven scale; apply that scale or clear"
                " the parent."
            )
        return own[:, :3, 3], rotation_to_quaternion(rotations)

    def _world(self, name: str, poses: Poses, worlds: dict[str, Floats]) -> Floats:
        """World matrices (F, 4, 4) of a recorded object."""
        if name not in worlds:
            track = self.tracks[name]
            matrices = np.zeros((len(poses.times), 4, 4))
            turns = quaternion_to_rotation(poses.orientations[:, track.index])
            matrices[:, :3, :3] = turns @ track.stretch
            matrices[:, :3, 3] = length_to_blender(poses.positions[:, track.index], self.metres)
            matrices[:, 3, 3] = 1.0
            worlds[name] = matrices
        return worlds[name]


def plan_of(body_names: Sequence[str], scene: bpy.types.Scene) -> Plan:
    """How the objects of a scene follow bodies of these names.

    Raises PlaybackError where there is no such object, or one that cannot be keyframed.
    """
    found = [(n, scene.objects[name]) for n, name in enumerate(body_names) if name in scene.objects]
    if not found:
        raise PlaybackError(
            "None of the recording's bodies is in this file; its first is"
            f" '{next(iter(body_names), '')}'."
        )
    bpy.context.view_layer.update()
    names = {obj.name for _, obj in found}
    tracks = {obj.name: _track(index, obj, names) for index, obj in found}
    return Plan(
        tracks,
        [name for name in body_names if name not in scene.objects],
        decimals(scene.unit_settings.scale_length),
        [name for name, track in tracks.items() if track.is_keyed],
    )


def _track(index: int, obj: bpy.types.Object, recorded: set[str]) -> Track:
    try:
        stretch = take_apart(np.array(obj.matrix_world)).stretch
    except ValueError as error:
        raise PlaybackError(f"{obj.name} has a scale of zero.") from error
    is_keyed = obj.impulse.kind != "BODY" or obj.impulse.body.motion == "dynamic"
    if is_keyed and not is_identity(
        obj.delta_location, obj.delta_scale, obj.delta_rotation_quaternion
    ):
        raise PlaybackError(f"{obj.name} has delta transforms; apply them first.")
    scale = np.array(obj.scale)
    turn = rotation_to_quaternion(stretch / scale)
    return Track(obj.name, index, is_keyed, stretch, scale, turn, _space(obj, recorded))


def _space(obj: bpy.types.Object, recorded: set[str]) -> Space | None:
    """What lies between an object's own transform and the world, None for nothing."""
    if obj.parent is None:
        return None
    if obj.parent_type != "OBJECT":
        # Bones and vertices: as they stand now.
        return Space("", np.array(obj.matrix_world) @ np.linalg.inv(np.array(obj.matrix_basis)))
    inverse, parent = np.array(obj.matrix_parent_inverse), obj.parent
    if parent.name in recorded:
        return Space(parent.name, inverse)
    above = _space(parent, recorded)
    own = np.array(parent.matrix_basis) @ inverse
    return Space("", own) if above is None else Space(above.parent, above.matrix @ own)
