# SPDX-License-Identifier: GPL-3.0-or-later
"""A live session: the machine simulates in a child, and objects show it until it is stopped."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np

from .. import preferences
from ..convert import Floats, length_to_scene, quaternion_to_rotation
from ..export import scene_export
from ..export.collect import is_identity
from ..export.work import Pause, Work
from ..issues import Issue
from ..playback import poses
from ..playback.tracks import First, Plan, PlaybackError, plan_of
from ..simulator import places, runner
from ..simulator.remote import Now, Remote
from ..simulator.runner import Progress
from .in_scene import InScene

SLOWEST, FASTEST = 1 / 64, 64.0


class Grip(NamedTuple):
    """A point of a body that is pulled, and where to."""

    body: str
    point: Floats  # (3,), in the body's own frame [m]
    target: Floats  # (3,), world [m]


class Session(InScene):
    """A machine on show; ``poll`` it until it is over. It holds names, no Blender objects."""

    def __init__(self, scene: bpy.types.Scene, child: Remote, folder: Path) -> None:
        super().__init__(scene)
        self.child = child
        self.issues: list[Issue] = []
        self.error: Exception | None = None
        self.grip: Grip | None = None
        self.speed = 1.0
        self._folder = folder
        self._plan: Plan | None = None
        self._now: Now | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether it was asked to end."""
        return self.child.is_stopped

    @property
    def is_paused(self) -> bool:
        """Whether it stands still, for whatever reason."""
        return self._now is not None and self._now.state != "running"

    @property
    def time(self) -> float:
        """Simulated time that is shown [s]."""
        return 0.0 if self._now is None else self._now.time

    @property
    def progress(self) -> Progress:
        """How it stands."""
        if self._now is None or self.is_stopped:
            return self.child.progress
        slow = ", too heavy for real time" if self._now.lost > 0.5 else ""
        return Progress(f"{self._now.state}, {self.time:.2f} s{slow}", 1.0)

    def stop(self) -> None:
        """End it; objects go back to where they were."""
        self.child.stop()

    def abandon(self) -> None:
        """End it at once; nothing is put back, as in a scene that goes."""
        self._is_over = True
        self.child.abandon()
        self._discard()

    def wait(self, seconds: float) -> None:
        """Wait for the end, at most this long."""
        self.child.wait(seconds)

    def poll(self) -> bool:
        """Show the newest moment; whether all is over."""
        scene = self.scene
        if scene is None:
            self.abandon()
        if self._is_over or scene is None:
            return True
        ended = self.child.poll()
        try:
            self._show(scene)
        except PlaybackError as error:
            self.error = error
            self.child.stop()
        if self.child.kept is not None:
            self.child.stop()
        if ended:
            self._is_over = True
            poses.put_back(scene)
        return ended

    def _show(self, scene: bpy.types.Scene) -> None:
        now = self.child.now
        if now is None or now is self._now or self.is_stopped:
            return
        if self._plan is None:
            self._plan = _plan(self.child.bodies, scene)
        if not poses.is_held(scene):  # also where undo went back to before the session
            poses.hold(scene, self._plan.keyed)
        self._now = now
        found = self._plan.channels(First(np.array([now.time]), now.positions, now.orientations))
        poses.show(scene, found)

    def toggle(self) -> None:
        """Pause, or go on."""
        self.child.do("Resume" if self.is_paused else "Pause")

    def step(self) -> None:
        """Take one step, and stop."""
        self.child.do("Step", count=1)

    def reset(self) -> None:
        """Begin at the start again."""
        self.child.do("Reset")

    def back(self, seconds: float) -> None:
        """Go back in time [s]."""
        self.child.do("Rewind", time=max(0.0, self.time - seconds))

    def set_speed(self, factor: float) -> None:
        """Run at so many times real time."""
        self.speed = min(max(factor, SLOWEST), FASTEST)
        self.child.do("SetSpeed", factor=self.speed)

    def keep(self) -> None:
        """End it and leave the motion so far in ``child.kept``."""
        self.child.keep(self._folder / "motion.imprec")

    def may_pull(self, name: str) -> bool:
        """Whether an object is one that the machine moves."""
        return self._plan is not None and name in self._plan.keyed

    def grab(self, name: str, place: Floats) -> None:
        """Take hold of an object at a place of the world in Blender's units (3,)."""
        assert self._plan is not None
        assert self._now is not None
        index = self._plan.tracks[name].index
        where = length_to_scene(place, self._plan.metres)
        turn = quaternion_to_rotation(self._now.orientations[0, index])
        point = turn.T @ (where - self._now.positions[0, index])
        self.grip = Grip(self.child.bodies[index], point, where)
        self.pull(place)

    def pull(self, place: Floats) -> None:
        """Pull it towards a place."""
        if self.grip is None or self._plan is None:
            return
        target = length_to_scene(place, self._plan.metres)
        self.grip = self.grip._replace(target=target)
        point = self.grip.point.tolist()
        self.child.do("Drag", body=self.grip.body, point=point, target=target.tolist())

    def release(self) -> None:
        """Let go of it."""
        if self.grip is not None:
            self.child.do("Release", body=self.grip.body)
            self.grip = None

    def line(self) -> Floats | None:
        """From the point that is pulled to where, (2, 3) in Blender's units; None for nothing."""
        if self.grip is None or self._plan is None or self._now is None:
            return None
        index = self.child.bodies.index(self.grip.body)
        turn = quaternion_to_rotation(self._now.orientations[0, index])
        point = self._now.positions[0, index] + turn @ self.grip.point
        return np.stack([point, self.grip.target]) / self._plan.metres

    def _discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def conclude(self) -> None:
        """Remove the folder of the session."""
        self._discard()


def _plan(names: tuple[str, ...], scene: bpy.types.Scene) -> Plan:
    """Of all bodies that move; those that keys move are shown where the session has them."""
    plan = plan_of(names, scene)
    for name in plan.tracks.keys() - set(plan.keyed):
        obj = scene.objects[name]
        deltas = obj.delta_location, obj.delta_scale, obj.delta_rotation_quaternion
        if obj.impulse.body.motion == "kinematic" and is_identity(*deltas):
            plan.keyed.append(name)
    return plan


def starting(context: bpy.types.Context) -> Work[Session]:
    """Export the scene and start its session, piece by piece.

    Raises ExportError and RunError.
    """
    command = runner.find_command(preferences.command(context))
    folder = places.store().new_run()
    try:
        path = folder / "scene.xml"
        built = yield from scene_export.building(context, played=True)
        yield from scene_export.writing(built, path)
        yield Pause("starting", 1.0, is_read=True)
        session = Session(context.scene, Remote(command, path), folder)
    except BaseException:  # also where the work is given up
        shutil.rmtree(folder, ignore_errors=True)
        raise
    session.issues = built.issues
    return session
