# SPDX-License-Identifier: GPL-3.0-or-later
"""A run whose frames become keys while it computes."""

from __future__ import annotations

import time
from pathlib import Path

import bpy

from impulse_core.recording import Followed, RecordingError

from ..playback.keyframes import Import, PlaybackError
from ..simulator.runner import Progress, Run
from .in_scene import InScene

# Seconds of a look after which no further keys are written.
WRITING = 0.02
# Seconds that another frame may take to be shown, how many in a row may take longer, the part of
# all time that is spent on it.
SHOWING = 0.05
SLOW_FRAMES = 3
SHARE = 0.25


class LiveRun(InScene):
    """A simulation, or a recording of one that is there already, on its way into the scene.

    ``poll`` it until it is over, then ``finish`` what it wrote. It holds names, no Blender objects.
    Without ``is_live`` nobody watches: a poll takes as long as it takes, and no frame is shown.
    """

    def __init__(
        self, scene: bpy.types.Scene, recording: Path, child: Run | None, *, is_live: bool
    ) -> None:
        super().__init__(scene)
        self.child = child
        self.recording = recording
        self.error: Exception | None = None
        self.keys = Import(scene)
        self._followed = Followed(recording)
        self._is_live = is_live
        self._is_shown = is_live
        self._first_frame = self._shown_frame = scene.frame_current
        self._last: float | None = None
        self._next = 0.0  # not before this is a frame shown
        self._slow = 0

    @property
    def is_stopped(self) -> bool:
        """Whether it was asked to end early."""
        return self.child is not None and self.child.is_stopped

    @property
    def progress(self) -> Progress:
        """How far it is."""
        if self.child is None or not self.child.is_going:
            return Progress("writing keys", 1.0)
        if self.is_stopped:
            return Progress("stopping", self.child.progress.fraction)
        return self.child.progress

    def stop(self) -> None:
        """Ask the simulator for an early end; the frames so far are kept."""
        if self.child is not None and self.child.is_going:
            self.child.stop()

    def abandon(self) -> None:
        """End it at once; nothing more is written."""
        self._is_over = True
        if self.child is not None:
            self.child.abandon()

    def wait(self, seconds: float) -> None:
        """Wait for the simulator, at most this long."""
        if self.child is not None and self.child.is_going:
            self.child.wait(seconds)

    def poll(self) -> bool:
        """Take what is new and write keys for a while; whether all is over."""
        scene = self.scene
        if scene is None:
            self.abandon()
        if self._is_over or scene is None:
            return True
        began = time.perf_counter()
        ended = self.child is None or self.child.poll()
        try:
            has_all = self._take(scene) and ended
            end = began + WRITING if self._is_live else None
            written = self.keys.write(scene, end, everything=has_all)
            is_done = has_all and written and self.keys.settle(scene, end)
        except (PlaybackError, RecordingError, OSError) as error:
            self.error = error
            self.abandon()
            return True
        if self._is_shown:
            self._show(scene)
        self._is_over = is_done
        return self._is_over

    def _take(self, scene: bpy.types.Scene) -> bool:
        """Take frames from the file; whether there are no more for now."""
        while (poses := self._followed.read()) is not None:
            self.keys.add(poses, scene)
            if self._is_live:
                return False
        return True

    def _show(self, scene: bpy.types.Scene) -> None:
        """Show the last frame, unless the user looks at another or Blender is slow."""
        frame, began = self.keys.written_frame(scene), time.perf_counter()
        if scene.frame_current != self._shown_frame or is_playing():
            self._is_shown = False
        elif frame is not None and frame != self._last and began >= self._next:
            self._last = frame
            scene.frame_set(int(frame))
            self._shown_frame = scene.frame_current
            took = time.perf_counter() - began
            self._next = began + took / SHARE
            self._slow = self._slow + 1 if took > SHOWING else 0
            self._is_shown = self._slow < SLOW_FRAMES

    def show_first(self, scene: bpy.types.Scene) -> None:
        """Show the frame again that was shown before the run, unless the user chose another."""
        if scene.frame_current == self._shown_frame != self._first_frame:
            scene.frame_set(self._first_frame)


def is_playing() -> bool:
    """Whether Blender plays the animation in a window."""
    manager = bpy.context.window_manager
    return any(window.screen.is_animation_playing for window in manager.windows)
