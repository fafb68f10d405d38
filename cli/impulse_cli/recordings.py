"""What is said of a recording, by every command that writes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from impulse_core import Recording

__all__ = ["end_of", "frames_of"]


def frames_of(recording: Recording) -> str:
    """How many frames of how many bodies, and where they end if early."""
    bodies = "body" if len(recording.body_names) == 1 else "bodies"
    plural = "" if recording.frame_count == 1 else "s"
    frames = f"{recording.frame_count} frame{plural} of {len(recording.body_names)} {bodies}"
    if recording.complete:
        return frames
    return f"{frames}, which end early, at t = {end_of(recording):g} s"


def end_of(recording: Recording) -> float:
    """Time of the last frame [s]."""
    return float(recording.times[-1]) if recording.frame_count else 0.0
