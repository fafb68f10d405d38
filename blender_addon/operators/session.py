# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators of a live session: start it, pull bodies with the mouse, steer it, keep it."""

from functools import partial

import bpy
from bpy.app.handlers import persistent
from bpy.props import EnumProperty

from ..checks import watching
from ..checks.listing import show_issues
from ..issues import ExportError
from ..playback import poses, takes
from ..running import session
from ..running.going import Going
from ..running.live import LiveRun
from ..running.pieces import SceneGoneError
from ..simulator import runner
from . import pulling
from .child import ChildOperator


class IMPULSE_OT_live(ChildOperator, bpy.types.Operator):
    """Simulate in real time while you watch: pull bodies with the mouse, pause, go back, keep it"""

    bl_idname = "impulse.live"
    bl_label = "Live"

    def execute(self, _context):
        self.report({"ERROR"}, "Live needs Blender's window; without one there is impulse live.")
        return {"CANCELLED"}

    def begin(self, context, *, is_live):
        """Export and start."""
        return self.read(context, partial(session.starting, context), is_live=is_live)

    def was_read(self, context, result):
        """Show the session, or say why there is none."""
        try:
            self._session = result()
        except (ExportError, runner.RunError, SceneGoneError) as error:
            return self.fail(context, error)
        except OSError as error:
            return self.fail(context, f"{error.filename} cannot be written: {error.strerror}.")
        show_issues(context.scene, self._session.issues)
        return self._session

    def modal(self, context, event):
        now = Going.session()
        if now is not None and pulling.takes(context, event, now):
            return {"RUNNING_MODAL"}
        return super().modal(context, event)

    def ended(self, context, child):
        found = self._session
        if child is found and found.child.kept is not None and found.scene is not None:
            return LiveRun(found.scene, found.child.kept, None, is_live=True)
        found.conclude()
        watching.Watch.settle(context)
        if child is found:
            problem = found.error or found.child.problem()
            return self.fail(context, problem) if problem else {"FINISHED"}
        return self._take(child)

    def _take(self, run):
        """Keep a motion that has become keys under a name."""
        scene = run.scene
        if scene is None or run.error is not None or not run.keys.frame_count:
            self.report({"ERROR"}, str(run.error or "There was no motion to keep."))
            return {"CANCELLED"}
        report = run.keys.finish(scene, fit_range=scene.impulse.settings.fit_range)
        run.show_first(scene)
        self.report({"INFO"}, f"Kept as {takes.keep(scene)}: {report}")
        return {"FINISHED"}


STEERING = (
    ("TOGGLE", "Pause or go on", "Let the machine stand still, or go on"),
    ("STEP", "Single step", "Take one step of the simulation, and stand still"),
    ("BACK", "Back 1 s", "Go back by a second, with everything that was pulled since undone"),
    ("RESET", "Start again", "Go back to the start"),
    ("SLOWER", "Slower", "Half as fast"),
    ("FASTER", "Faster", "Twice as fast"),
    ("KEEP", "Keep as take", "End the session; its motion becomes keys and a take"),
)


class IMPULSE_OT_steer(bpy.types.Operator):
    """Steer the live session"""

    bl_idname = "impulse.steer"
    bl_label = "Steer"

    what: EnumProperty(name="What", items=STEERING, default="TOGGLE")

    @classmethod
    def description(cls, _context, properties):
        return next(text for key, _name, text in STEERING if key == properties.what)

    @classmethod
    def poll(cls, _context):
        if Going.session() is None:
            cls.poll_message_set("There is no live session; press Live")
            return False
        return True

    def execute(self, _context):
        now = Going.session()
        what = {
            "TOGGLE": now.toggle,
            "STEP": now.step,
            "BACK": partial(now.back, 1.0),
            "RESET": now.reset,
            "SLOWER": partial(now.set_speed, now.speed / 2),
            "FASTER": partial(now.set_speed, now.speed * 2),
            "KEEP": now.keep,
        }
        what[self.what]()
        return {"FINISHED"}


@persistent
def put_back(*_arguments):
    """A state of Blender came back in which objects show a session that is over."""
    for scene in bpy.data.scenes:
        if Going.session() is None and poses.is_held(scene):
            poses.put_back(scene)


CLASSES = (IMPULSE_OT_live, IMPULSE_OT_steer)
HANDLERS = ("undo_post", "redo_post", "load_post")


def register() -> None:
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(put_back)


def unregister() -> None:
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(put_back)
