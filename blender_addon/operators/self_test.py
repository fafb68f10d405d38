# SPDX-License-Identifier: GPL-3.0-or-later
"""The button of the preferences that tries the simulator."""

import bpy

from .. import preferences
from ..simulator import runner
from ..simulator.self_test import SelfTest

# Seconds between looks at the run.
TICK = 0.2


class UnderTest:
    """The one test there may be, none where none runs."""

    test = None

    @classmethod
    def end(cls):
        if cls.test is not None:
            cls.test.close()
            cls.test = None


class IMPULSE_OT_test_simulator(bpy.types.Operator):
    """Simulate a small machine, to see whether the simulator works here"""

    bl_idname = "impulse.test_simulator"
    bl_label = "Test the Simulator"

    @classmethod
    def poll(cls, _context):
        if UnderTest.test is not None:
            cls.poll_message_set("The test is running")
            return False
        return True

    def invoke(self, context, _event):
        """In a window: look at the run by a timer, so that Blender stays usable."""
        if bpy.app.background:
            return self.execute(context)
        if not self.start(context):
            return {"CANCELLED"}
        bpy.app.timers.register(look, first_interval=TICK)
        return {"FINISHED"}

    def execute(self, context):
        """Wait for the answer (scripts and background)."""
        if not self.start(context):
            return {"CANCELLED"}
        runner.finish(UnderTest.test.child)
        conclude()
        answer = preferences.ANSWER
        self.report({"INFO"} if answer.works else {"ERROR"}, answer.text)
        return {"FINISHED"} if answer.works else {"CANCELLED"}

    def start(self, context):
        try:
            UnderTest.test = SelfTest(runner.find_command(preferences.command(context)))
        except runner.RunError as error:
            say(str(error), works=False)
            self.report({"ERROR"}, str(error))
            return False
        say("starting", works=None)
        return True


def look():
    """Take in how far the test is; the seconds until the next look, none where it has ended."""
    if UnderTest.test is None:
        return None
    child = UnderTest.test.child
    if not child.poll():
        say(child.progress.text, works=None)
        return TICK
    conclude()
    return None


def conclude():
    """Keep the answer of a test that has ended."""
    try:
        say(UnderTest.test.result(), works=True)
    except runner.RunError as error:
        say(f"The simulator does not work here. {error}", works=False)
    finally:
        UnderTest.end()


def say(text, *, works):
    """Show an answer, or while there is none yet (None), what the test is doing."""
    preferences.ANSWER.text, preferences.ANSWER.works = text, works
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PREFERENCES":
                area.tag_redraw()


def unregister() -> None:
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)
    UnderTest.end()


CLASSES = (IMPULSE_OT_test_simulator,)
