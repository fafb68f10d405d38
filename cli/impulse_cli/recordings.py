"""What is said of a recording, by every command that writes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from impulse_core import Recording, Written

__all__ = ["frames_of"]


def frames_of(recording: Recording | Written) -> str:
    """How many frames of how many bodies, and where they end if early."""
    bodies = "body" if len(recording.body_names) == 1 else "bodies"
    plural = "" if recording.frame_count == 1 else "s"
    frames = f"{recording.frame_count} frame{plural} of {len(recording.body_names)} {bodies}"
    if recording.complete:
        return frames
    return f"{frames}, which end early, at t = {recording.end:g} s"
