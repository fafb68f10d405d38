# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators share that wait for the simulator, a child process, with Blender usable."""

import bpy

from .. import compat
from ..checks.listing import show_issues
from ..export.work import at_one_go
from ..issues import ExportError
from ..running import going
from ..running.going import Going
from ..running.pieces import Pieces
from ..simulator import runner
from .exchange import report_issues
from .idle import WhileIdle

# Seconds between looks at the simulator while Blender stays usable.
TICK = 0.05


class ChildOperator(WhileIdle):
    """What these operators share: they wait for a child, with Blender usable in the window.

    ``begin`` starts the first child and ``ended`` takes its result; each gives what Blender wants
    to be told (a set), or what to wait for next.
    """

    # Not REGISTER: to change an argument afterwards would run it again, and block.
    bl_options = {"UNDO"}

    def execute(self, context):
        """Ask and wait (scripts and background)."""
        found = self.begin(context, is_live=False)
        while not isinstance(found, set):
            Going.child = found
            try:
                runner.finish(found)
            finally:
                Going.child = None
            found = self.ended(context, found)
        return found

    def read(self, context, begin, *, is_live):
        """Do the work that ``begin`` gives, with Blender usable meanwhile where it is live; what
        ``was_read`` makes of its result, or what to wait for.
        """
        if not is_live:
            return self.was_read(context, lambda: at_one_go(begin()))
        pieces = Pieces(context, begin)
        return self.was_read(context, pieces.result) if pieces.poll() else pieces

    def after(self, context, child):
        """What an end means: that of reading is the beginning of what is waited for."""
        if not isinstance(child, Pieces):
            return self.ended(context, child)
        if child.is_stopped:
            self.report({"WARNING"}, "Stopped.")
            return {"CANCELLED"}
        return self.was_read(context, child.result)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        show_progress(context, runner.Progress())
        found = self.begin(context, is_live=True)
        if isinstance(found, set):
            show_progress(context, None)
            return found
        Going.child = found
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS" and takes_escape(context, event):
            Going.stop()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            found = self.tick(context)
        except BaseException:  # nobody would look at it again, nor let another begin
            self.cancel(context)
            raise
        return {"PASS_THROUGH"} if found is None else self._leave(context, found)

    def tick(self, context):
        """Look at what goes on; None while there is something to wait for."""
        child = Going.child
        if child is None:  # a file was opened meanwhile
            return {"CANCELLED"}
        if not child.poll():
            show_progress(context, child.progress)
            return None
        Going.child = None
        found = self.after(context, child)
        if isinstance(found, set):
            return found
        Going.child = found
        return None

    def cancel(self, context):
        """Blender calls this where it takes the operator away, as when a window is closed."""
        Going.abandon()
        compat.settle_imports()
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


def takes_escape(context, event):
    """Whether Esc is meant for the run: the mouse is over a 3D view, and nothing is played.

    A tool that was started later gets its Esc first; one that is open elsewhere keeps it.
    """
    window = context.window
    if window is None or window.screen.is_animation_playing:
        return False
    return any(
        area.type == "VIEW_3D"
        and 0 <= event.mouse_x - area.x < area.width
        and 0 <= event.mouse_y - area.y < area.height
        for area in window.screen.areas
    )


class IMPULSE_OT_stop(bpy.types.Operator):
    """Stop the simulator and keep the motion so far; press again to end it at once"""

    bl_idname = "impulse.stop"
    bl_label = "Stop"

    @classmethod
    def poll(cls, _context):
        if not Going.is_on():
            cls.poll_message_set("Nothing is being simulated")
            return False
        return True

    def execute(self, _context):
        Going.stop()
        return {"FINISHED"}


def show_progress(context, progress):
    tag = context.scene.impulse
    tag.progress = 0.0 if progress is None else progress.fraction
    tag.progress_text = "" if progress is None else progress.text
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                _redraw_sidebar(area)


def _redraw_sidebar(area):
    """What is seen of the scene is the same, and may take long to draw."""
    for region in area.regions:
        if region.type == "UI":
            region.tag_redraw()


CLASSES = (IMPULSE_OT_stop,)
register, unregister = going.register, going.unregister
