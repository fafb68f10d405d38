# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on Blender's data done piece by piece, with the window usable in between.

A scene that is edited meanwhile is read from the start again, so that what comes out is a scene as
it was at one time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import bpy

from .. import compat
from ..checks.watching import OWN, Watch
from ..export.work import Pause, Work, answered
from ..simulator.runner import Progress

Result = TypeVar("Result")

# Seconds of a look after which Blender gets its turn.
WORKING = 0.02
# Of the time that Blender took since the last look, if that is more: where a window is slow to
# draw, short looks would make a scene wait for hundreds of pictures.
SHARE = 0.5
# Seconds of any look, so that it is not felt even then.
MOST = 0.04


class SceneGoneError(RuntimeError):
    """Another scene is shown than the one that was read."""


class Pieces(Generic[Result]):
    """Work under way; ``poll`` it until it is over, then ask for its ``result``."""

    def __init__(self, context: bpy.types.Context, begin: Callable[[], Work[Result]]) -> None:
        self.progress = Progress("reading the scene")
        self.is_going, self.is_stopped = True, False
        self._begin, self._scene = begin, context.scene.name
        self._error: BaseException | None = None
        self._made: Result | None = None
        self._beside = ThreadPoolExecutor(max_workers=1)
        self._left = math.inf  # when the last look ended
        self._start_anew()

    def _start_anew(self) -> None:
        self._work = self._begin()
        self._job: Future[Any] | None = None
        self._tags: list[str] | None = None  # as they were at the first piece
        self._is_read = False
        self._edits = Watch.edits

    def poll(self) -> bool:
        """Work for a while; whether it is over."""
        if not self.is_going:
            return True
        try:
            self._go_on()
        except StopIteration as end:
            self._made = end.value
            self._end()
        except BaseException as error:  # kept for who asks for the result
            self._error = error
            self._end()
        self._left = time.perf_counter()
        return not self.is_going

    def _go_on(self) -> None:
        now = time.perf_counter()
        until = now + min(MOST, max(WORKING, SHARE * (now - self._left)))
        context = bpy.context
        if context.scene is None or context.scene.name != self._scene:
            raise SceneGoneError("Another scene was chosen while this one was read.")
        context.view_layer.update()  # tells of edits that Blender has not looked at yet
        if self._tags is not None and self._was_edited(context):
            self._work.close()
            self._start_anew()
        if self._tags is None:
            self._tags = tags(context)
        if self._job is not None and not self._job.done():
            return
        while True:
            try:
                pause = self._next()
            except StopIteration:
                if self._is_read or tags(context) == self._tags:
                    raise
                self._start_anew()
                return
            finally:
                self._job = None
                self._edits = Watch.edits  # those of the work itself do not count
            self.progress = Progress(pause.text, pause.fraction)
            if pause.job is not None:
                self._job = self._beside.submit(pause.job)
            self._is_read = pause.is_read
            if self._is_read or pause.job is not None or time.perf_counter() >= until:
                return

    def _was_edited(self, context: bpy.types.Context) -> bool:
        """Whether what was read is old; tags are looked at once more before anything begins."""
        return Watch.edits != self._edits or (self._is_read and tags(context) != self._tags)

    def _next(self) -> Pause:
        return next(self._work) if self._job is None else answered(self._work, self._job.result)

    def _end(self) -> None:
        self.is_going = False
        self._work.close()
        self._beside.shutdown(wait=False)

    def result(self) -> Result:
        """What the work gave; raises what it raised."""
        if self._error is not None:
            raise self._error
        assert self._made is not None
        return self._made

    def stop(self) -> None:
        """End it; there is no result."""
        self.is_stopped = True
        self.abandon()

    def abandon(self) -> None:
        """End it; nobody asks for it."""
        if self.is_going:
            self._end()

    def wait(self, _seconds: float) -> None:
        """There is nothing to wait for but what is done beside."""


def tags(context: bpy.types.Context) -> list[str]:
    """All tags of a scene and what else an export reads, to be compared."""
    scene = context.scene
    found = [repr((tuple(scene.gravity), scene.use_gravity, scene.unit_settings.scale_length))]
    found.append(
        repr((scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base))
    )
    for owner in (scene, *context.view_layer.objects):
        values = compat.own_properties(owner)
        found.append(repr(_filled({k: value for k, value in values.items() if k not in OWN})))
    return found


def _filled(value: Any) -> Any:
    """Without empty groups: Blender makes them when a group is looked at for the first time."""
    if isinstance(value, list):
        return [_filled(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner = {key: _filled(item) for key, item in value.items()}
    return {key: item for key, item in inner.items() if item != {}}
