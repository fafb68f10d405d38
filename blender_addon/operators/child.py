# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators share that wait for the simulator, a child process, with Blender usable."""

import bpy
from bpy.app.handlers import persistent

from ..issues import ExportError
from ..simulator import runner
from .exchange import report_issues, show_issues

# Seconds between looks at the simulator while Blender stays usable.
TICK = 0.1


class Going:
    """The one child process there may be: two would write the same files and share one Esc."""

    child = None

    @classmethod
    def is_on(cls):
        if cls.child is not None and cls.child.poll():
            cls.child = None
        return cls.child is not None

    @classmethod
    def abandon(cls):
        """End the child; what asked for it is gone."""
        if cls.child is not None:
            cls.child.abandon()
            cls.child = None


@persistent
def abandon_on_load(*_arguments):
    """Another file is opened, which knows nothing of the run."""
    Going.abandon()


class ChildOperator:
    """What these operators share: they wait for a child, with Blender usable in the window.

    ``begin`` starts the first child and ``ended`` takes its result; each gives what Blender wants
    to be told, or the child to wait for next.
    """

    @classmethod
    def poll(cls, _context):
        if Going.is_on():
            cls.poll_message_set("The simulator is at work; press Esc to stop it first")
            return False
        return True

    def execute(self, context):
        """Ask and wait (scripts and background)."""
        found = self.begin(context)
        while isinstance(found, runner.Child):
            runner.finish(found)
            found = self.ended(context, found, stopped=False)
        return found

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        found = self.begin(context)
        if not isinstance(found, runner.Child):
            return found
        Going.child = found
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        child = Going.child
        if child is None:  # a file was opened meanwhile
            return self._leave(context, {"CANCELLED"})
        if event.type == "ESC":
            child.stop()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        if not child.poll():
            show_progress(context, child.progress)
            return {"RUNNING_MODAL"}
        Going.child = None
        found = self.ended(context, child, stopped=event.type == "ESC")
        if isinstance(found, runner.Child):
            Going.child = found
            return {"RUNNING_MODAL"}
        return self._leave(context, found)

    def cancel(self, context):
        """Blender calls this where it takes the operator away, as when a window is closed."""
        Going.abandon()
        self._leave(context, set())

    def _leave(self, context, result):
        context.window_manager.event_timer_remove(self._timer)
        show_progress(context, None)
        return result

    def fail(self, context, error):
        if isinstance(error, ExportError):
            show_issues(context.scene, error.issues)
            report_issues(self, error.issues)
        else:
            self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


def show_progress(context, progress):
    tag = context.scene.impulse
    tag.progress = 0.0 if progress is None else progress.fraction
    tag.progress_text = "" if progress is None else progress.text
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def register() -> None:
    bpy.app.handlers.load_pre.append(abandon_on_load)


def unregister() -> None:
    bpy.app.handlers.load_pre.remove(abandon_on_load)
    Going.abandon()
