# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of a scene: pieces kept by object, put together into arrays, placed by matrices.

Three steps, each only when needed: a piece is made anew when its object is edited, the arrays when
anything is edited, the positions when anything moves. A redraw does none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ..authoring import measuring
from ..authoring.masses import Measured
from ..convert import Floats
from . import glyphs
from .frames import Frames, Starts, world_matrices
from .pieces import Piece, is_broken, piece_of

Singles = NDArray[np.float32]
NOWHERE = np.zeros((0, 4, 4))
DRAWN = {"BODY", "GEOMETRY", "JOINT", "SPRING"}


class Sheet:
    """Vertices in the frames that carry them: ``local`` (V, 3), ``frames`` (V,) their numbers,
    ``colours`` (V, 4).
    """

    def __init__(self, local: Singles, frames: NDArray[np.int64], colours: Singles) -> None:
        self.colours = colours
        self._frames = frames
        self._columns = np.ascontiguousarray(local.T)
        # Kept from frame to frame, as new memory costs more than the arithmetic.
        self._entry, self._sum = np.empty((2, len(local)), np.float32)
        self._found = np.empty_like(local)

    def positions(self, matrices: Floats) -> Singles:
        """World positions (V, 3), in an array that the next call overwrites."""
        entries = np.ascontiguousarray(matrices[:, :3].reshape(-1, 12).T, np.float32)
        for row in range(3):
            total, entry = self._sum, self._entry
            np.take(entries[4 * row + 3], self._frames, out=total, mode="clip")
            for column in range(3):
                np.take(entries[4 * row + column], self._frames, out=entry, mode="clip")
                entry *= self._columns[column]
                total += entry
            self._found[:, row] = total
        return self._found


@dataclass
class Picture:
    """What the overlay shows of one scene. ``shown`` are the layers that are drawn."""

    shown: frozenset[str] = frozenset({"joints", "colliders", "masses"})
    size: float = 1.0
    solid: Sheet | None = None
    overlaid: Sheet | None = None
    _frames: Frames = field(default_factory=Frames)
    _pieces: dict[str, tuple[bool, Measured | None, Piece]] = field(default_factory=dict)
    _scales: dict[str, tuple[float, ...]] = field(default_factory=dict)
    _complete: bool = False

    def forget(self, names: Iterable[str] | None = None) -> None:
        """Make the pieces of these objects anew, by default all."""
        if names is None:
            self._pieces.clear()
        for name in names or ():
            self._pieces.pop(name, None)
        self._complete = False

    def positions(self, context: bpy.types.Context) -> tuple[Singles, Singles]:
        """Ends of all segments in the world (V, 3): of what can be hidden, and of the rest."""
        objects = context.view_layer.objects
        if not self._complete or self._frames.count != len(objects):
            self.assemble(context)
        matrices = self._frames.matrices(NOWHERE if self.is_empty() else world_matrices(objects))
        return self.solid.positions(matrices), self.overlaid.positions(matrices)

    def is_empty(self) -> bool:
        """Whether there was nothing to draw."""
        return not self._frames.index

    def assemble(self, context: bpy.types.Context) -> None:
        """Put the pieces of all visible objects together, making those that are missing."""
        objects = context.view_layer.objects
        starts = Starts(context.scene, dict(objects.items()))
        names = set(starts.rows)
        accused = blamed(context.scene)
        self._frames = Frames(len(objects))
        sheets = {True: _Builder(), False: _Builder()}
        for obj in objects:
            if obj.impulse.kind not in DRAWN or not obj.visible_get():
                continue
            piece = self._piece(context, obj, names, accused)
            if not piece.needs() <= names:
                continue
            self._lay_out(piece, sheets, starts)
        self.solid, self.overlaid = sheets[True].sheet(), sheets[False].sheet()
        self._complete = True

    def _lay_out(self, piece: Piece, sheets: dict[bool, _Builder], starts: Starts) -> None:
        """Add a piece to the sheet of what can be hidden or to that of the rest."""
        for part in piece.parts:
            if part.layer in self.shown:
                number = self._frames.number(part.place, starts)
                sheets[part.solid].add(number, part.lines.segments, part.lines.colours)
        for link in piece.links if "joints" in self.shown else ():
            for place, point in zip(link.places, link.points, strict=True):
                number = self._frames.number(place, starts)
                sheets[False].add_end(number, point, link.colour)

    def _piece(
        self,
        context: bpy.types.Context,
        obj: bpy.types.Object,
        names: set[str],
        accused: frozenset[str],
    ) -> Piece:
        broken = obj.name in accused or is_broken(obj, names)
        measured = _measured(obj) if "masses" in self.shown else None
        kept = self._pieces.get(obj.name)
        if kept is not None and kept[:2] == (broken, measured):
            return kept[2]
        centre = None if measured is None else measured.centre
        piece = piece_of(context, obj, broken, self.size, centre)
        self._pieces[obj.name] = (broken, measured, piece)
        self._scales[obj.name] = scale_of(obj)
        return piece

    def moved(self, obj: bpy.types.Object) -> None:
        """An object was moved by hand: only a scale changes more than where it stands."""
        if obj.name in self._scales and self._scales[obj.name] != scale_of(obj):
            self.forget([obj.name])


def _measured(obj: bpy.types.Object) -> Measured | None:
    """What a dynamic body weighs, as far as that is known; asks for it where it is not."""
    if obj.impulse.kind != "BODY" or obj.impulse.body.motion != "dynamic":
        return None
    measuring.is_current(obj.name)
    return measuring.known(obj.name)


def blamed(scene: bpy.types.Scene) -> frozenset[str]:
    """Names of the objects that the issue list has an error for."""
    issues = (issue for issue in scene.impulse.issues if issue.severity == "ERROR")
    return frozenset(issue.object_name for issue in issues)


def scale_of(obj: bpy.types.Object) -> tuple[float, ...]:
    """Scale of an object in the world, to the precision of a drawing."""
    return tuple(round(component, 4) for component in obj.matrix_world.to_scale())


class _Builder:
    """Collects vertices for a sheet."""

    def __init__(self) -> None:
        self._points: list[Floats] = []
        self._colours: list[Floats] = []
        self._frames: list[int] = []
        self._counts: list[int] = []

    def add(self, frame: int, segments: Floats, colours: Floats) -> None:
        self._points.append(segments.reshape(-1, 3))
        self._colours.append(np.repeat(colours, 2, axis=0))
        self._frames.append(frame)
        self._counts.append(2 * len(segments))

    def add_end(self, frame: int, point: Floats, colour: glyphs.Colour) -> None:
        self._points.append(np.asarray(point, float).reshape(1, 3))
        self._colours.append(np.array([colour]))
        self._frames.append(frame)
        self._counts.append(1)

    def sheet(self) -> Sheet:
        points = np.concatenate([*self._points, np.zeros((0, 3))]).astype(np.float32)
        colours = np.concatenate([*self._colours, np.zeros((0, 4))]).astype(np.float32)
        frames = np.repeat(np.array(self._frames, int), np.array(self._counts, int))
        return Sheet(points, frames, colours)
