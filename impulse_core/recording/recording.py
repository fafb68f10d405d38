"""``Recording``: the motion of a scene, frame by frame, and what there is to say about it."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

from .consistency import (
    body_series,
    check_frames,
    check_header,
    check_records,
    check_unit_quaternions,
    contact_points,
    joint_series,
    numbers,
    series,
)
from .data import RecordingData
from .formats import read_recording, save_recording
from .partial import read_part
from .quaternions import sign_continuous

__all__ = ["Recording", "load_recording"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recording(RecordingData):
    """F frames of N bodies, with energy, momentum, joint quantities and diagnostics.

    The constructor takes anything NumPy can read as the arrays below, turns the quaternions to
    be sign-continuous and checks that everything fits together.

    Attributes:
        scene: name of the scene.
        scene_sha256: SHA-256 of the scene file, or "" for a scene built in Python.
        fps: frames per second [1/s].
        step: length of a simulation step [s].
        method: integration method, as in ``"imp2"``.
        solver: solver of the joint system, as in ``"direct"``.
        complete: False where the simulation ended early; ``events`` and ``diagnostics`` say why.
        times: time of each frame [s], shape (F,), ascending.
        body_names: the N bodies, in the order of the scene.
        positions: origins of the user's objects (not the centres of mass) [m], shape (F, N, 3),
            world frame.
        orientations: user's body axes to world axes, quaternions (w, x, y, z), shape (F, N, 4);
            each has the sign that is nearer to the frame before.
        joints: per joint name its recorded quantities, each of shape (F,) or (F, 3), as in
            ``joints["elbow"]["angle"]`` [rad] and ``joints["elbow"]["force"]`` [N].
        bodies: of the bodies that asked for more than their poses, per name its recorded
            quantities, each of shape (F,), as in ``bodies["foot"]["clearance"]`` [m], the least
            distance to any body it may touch, negative where they overlap.
        energy: "kinetic", "potential" and "total" [J], each of shape (F,).
        momentum: "linear" [kg m/s] and "angular" about the world origin [kg m^2/s], each of
            shape (F, 3), world frame.
        contacts: points that bore a force, if they were recorded, else empty: "frame", "body1" and
            "body2" (numbers in ``body_names``), each of shape (K,); "point" [m], "normal" (from
            body 1 to body 2) and "force" on body 2 [N], each of shape (K, 3), world frame.
        events: what happened at a moment, each a dict that has at least "time" [s].
        diagnostics: the content of ``impulse run --report``.

    Raises:
        RecordingError: naming the part whose numbers do not fit or are not finite.
    """

    def __post_init__(self) -> None:
        self._set("body_names", tuple(self.body_names))
        self._set("fps", float(self.fps))
        self._set("step", float(self.step))
        check_header(self)
        self._set("times", numbers("times", self.times, (None,)))
        frames, bodies = len(self.times), len(self.body_names)
        check_frames(self.times)
        self._set("positions", numbers("positions", self.positions, (frames, bodies, 3)))
        orientations = numbers("orientations", self.orientations, (frames, bodies, 4))
        check_unit_quaternions(orientations, self.body_names)
        self._set("orientations", sign_continuous(orientations))
        self._set("joints", joint_series(self.joints, frames))
        self._set("bodies", body_series(self.bodies, self.body_names, frames))
        self._set("energy", series("energy", self.energy, (frames,)))
        self._set("momentum", series("momentum", self.momentum, (frames, 3)))
        self._set("contacts", contact_points(self.contacts, frames, bodies))
        check_records(self)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return (
            f"Recording({self.scene!r}, {self.frame_count} frames of {len(self.body_names)}"
            f" bodies, {state})"
        )

    @property
    def frame_count(self) -> int:
        """Number of frames F."""
        return len(self.times)

    @property
    def end(self) -> float:
        """Time of the last frame [s]; 0 where there is none."""
        return float(self.times[-1]) if len(self.times) else 0.0

    def body(self, name: str) -> int:
        """Index of a body in ``positions`` and ``orientations``; ``KeyError`` if unknown."""
        try:
            return self.body_names.index(name)
        except ValueError:
            raise KeyError(name) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the recording as .json, .npz or .imprec, whichever ``path`` ends in.

        Atomic: an older file is replaced only by a whole new one. Raises ``RecordingError`` for
        another ending, or a path that cannot be written.
        """
        save_recording(self, path)


def load_recording(
    path: str | os.PathLike[str], *, start: float = 0.0, end: float | None = None
) -> Recording:
    """Read a recording, .json, .npz or .imprec, and check that it is whole and fits together.

    With ``start`` or ``end``, only frames and events between these times [s], both included, are
    kept. Of an .imprec only the chunks that hold them are then read, and it may have any size.

    An .imprec may still grow, or be what a killed run has left, or be damaged: it is read up to the
    first frames that are not whole. Then ``complete`` is False, the last event of kind
    "unfinished" says so, and ``diagnostics`` hold what is known at the start of a run.

    Raises:
        RecordingError: naming the file and the part of it, if the file is missing, a pipe or a
            device, larger than 8 GiB, not an animation, truncated or damaged, unpacks to a size
            out of proportion, was written by a newer version, or holds numbers that do not fit
            together or are not finite; or if no frame lies between ``start`` and ``end``.
    """
    if start <= 0.0 and end is None:
        return read_recording(path, Recording)
    return read_part(path, Recording, start, math.inf if end is None else end)
