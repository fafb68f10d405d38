"""Reading a recording while it grows, each frame once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .chunked_file import frame_kinds, read_frames, read_header
from .chunks import END, FRAMES, ChunkReader
from .errors import RecordingError
from .tables import CONTACT, names, pairs

__all__ = ["Followed", "NewFrames"]

Floats = NDArray[np.float64]
_Records = NDArray[np.void]
_Chunk = tuple[_Records, _Records]  # frames and contact points

_AT_ONCE = 2**23  # [B], more than a chunk has that is not a single frame


@dataclass(frozen=True, eq=False)
class NewFrames:
    """Frames that were not read before, with the fields of ``Recording`` that grow with them.

    Attributes:
        times: of the frames [s], shape (F,).
        body_names: the N bodies.
        positions: origins of the user's objects [m], shape (F, N, 3), world frame.
        orientations: user's body axes to world axes, quaternions (w, x, y, z), shape (F, N, 4).
        joints: per joint name its quantities of one number a frame, shape (F,).
        energy: "kinetic", "potential" and "total" [J], each of shape (F,).
        contacts: points that bore a force, as in ``Recording``, empty where none are recorded;
            "frame" counts from the first of these frames.
    """

    times: Floats
    body_names: tuple[str, ...]
    positions: Floats
    orientations: Floats
    joints: dict[str, dict[str, Floats]]
    energy: dict[str, Floats]
    contacts: dict[str, NDArray[Any]]


@dataclass
class Followed:
    """An .imprec that another process writes.

    Attributes:
        path: the file, which need not be there yet.
        is_ended: whether its end was read.
        frame_count: how many frames were read.
    """

    path: Path
    is_ended: bool = False
    frame_count: int = 0
    _place: int = 0  # behind the last chunk that was read [B]
    _checksum: bytes | None = None
    _kinds: tuple[np.dtype[np.void], np.dtype[np.void]] | None = None
    _header: dict[str, Any] = field(default_factory=dict)

    def read(self) -> NewFrames | None:
        """The frames of the next whole chunks, some MB of them; None where there are none (yet).

        Raises:
            RecordingError: naming the file, where it is not a recording, or is damaged.
            OSError: where it is there and cannot be read.
        """
        found: list[_Chunk] = []
        try:
            while not (found or self.is_ended) and (reader := self._reader(_AT_ONCE)):
                found = self._frames(reader)
        except RecordingError as error:
            raise error.in_file(os.fspath(self.path)) from None
        if not found:
            return None
        frames, points = (np.concatenate(parts) for parts in zip(*found, strict=True))
        before, self.frame_count = self.frame_count, self.frame_count + len(frames)
        return self._named(frames, points, before)

    def _named(self, frames: _Records, points: _Records, before: int) -> NewFrames:
        header = self._header
        joints: dict[str, dict[str, Floats]] = {}
        for column, (joint, quantity) in enumerate(pairs(header, "joints")):
            joints.setdefault(joint, {})[quantity] = frames["joint_values"][:, column]
        energy = enumerate(names(header, "energy"))
        contacts: dict[str, NDArray[Any]] = {}
        if header.get("contacts") is True:
            contacts = {n.removeprefix(CONTACT): points[n] for n in points.dtype.names or ()}
            contacts["frame"] = contacts["frame"] - before
        return NewFrames(
            frames["times"],
            tuple(names(header, "bodies")),
            frames["positions"],
            frames["orientations"],
            joints,
            {name: frames["energy"][:, column] for column, name in energy},
            contacts,
        )

    def _frames(self, reader: ChunkReader) -> list[_Chunk]:
        chunks = iter(reader)
        if self._kinds is None:
            self._header = read_header(chunks, reader)
            self._kinds = frame_kinds(self._header)
        found = []
        for kind, content in chunks:
            if kind == END:
                self.is_ended = True
                break
            if kind == FRAMES:
                found.append(read_frames(content, self._kinds)[:2])
        if reader.is_damaged:
            raise RecordingError(f"is damaged at byte {self._place + reader.end}.")
        self._place += reader.end
        self._checksum = reader.checksum
        return found

    def _reader(self, size: int) -> ChunkReader | None:
        """The chunks behind those that were read; None where none is whole."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._place)
                data = file.read(size)
                more = bool(file.read(1))
        except FileNotFoundError:
            return None
        if self._checksum is None and len(data) < 2**5:
            return None  # it is being written
        reader = ChunkReader(data, self._checksum)
        if reader.has_next() or not more:
            return reader if reader.has_next() else None
        return self._reader(4 * size)  # a chunk that is larger
