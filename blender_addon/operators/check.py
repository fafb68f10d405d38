# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that check the tagged scene, show what an issue is about, and mend it."""

import tempfile
from functools import partial
from pathlib import Path

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty

from .. import preferences
from ..checks import fixes, watching
from ..checks.listing import issue_of, look_again, show_issues
from ..checks.looking import look_at
from ..export import scene_export
from ..issues import ExportError, Issue, errors, from_simulator
from ..running.pieces import SceneGoneError
from ..simulator import runner
from .child import ChildOperator
from .exchange import report_issues
from .idle import WhileIdle


class IMPULSE_OT_validate_scene(ChildOperator, bpy.types.Operator):
    """Check the tagged objects and list everything that is wrong"""

    bl_idname = "impulse.validate_scene"
    bl_label = "Check Scene"

    start: BoolProperty(
        name="Start",
        description="Let the simulator prepare the first step as well, which finds bodies that"
        " overlap and joints that cannot be closed",
        default=True,
    )

    def begin(self, context, *, is_live):
        return self.read(context, partial(self._reading, context), is_live=is_live)

    def _reading(self, context):
        """Build the scene and write it for the simulator to look at."""
        result = yield from scene_export.building(context)
        folder = tempfile.TemporaryDirectory(prefix="impulse-")
        path = Path(folder.name) / "scene.xml"
        reason = None
        if self.start and result.scene is not None:
            try:
                yield from scene_export.writing(result, path)
            except ExportError as error:
                reason = error
        return result, folder, path, reason

    def was_read(self, context, result):
        try:
            built, self._folder, path, reason = result()
        except SceneGoneError as error:
            return self.fail(context, error)
        watching.Watch.settle(context)
        self._issues, self._scene = built.issues, built.scene
        show_issues(context.scene, self._issues)
        if errors(self._issues) or not self.start:
            return self._conclude(context)
        if reason is not None:
            return self._not_asked(context, reason)
        try:
            return runner.StartCheck(runner.find_command(preferences.command(context)), path)
        except runner.RunError as error:
            return self._not_asked(context, error)

    def ended(self, context, child):
        if child.is_stopped:
            return self._not_asked(context, "it was stopped.")
        try:
            problems = child.result()
        except runner.RunError as error:
            return self._not_asked(context, error)
        self._issues += from_simulator(problems, self._scene)
        return self._conclude(context)

    def _not_asked(self, context, reason):
        text = f"The start was not checked: {reason}"
        self._issues.append(Issue(text, code="B152", severity="WARNING"))
        return self._conclude(context)

    def _conclude(self, context):
        self._folder.cleanup()
        changed = watching.Watch.changed is not None
        show_issues(context.scene, self._issues, stale=changed)
        report_issues(self, self._issues)
        if errors(self._issues):
            return {"CANCELLED"}
        self.report({"INFO"}, "The scene can be simulated.")
        return {"FINISHED"}


class OfIssue:
    """What operators on one row of the list share."""

    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Row", description="Row of the list, from 0", min=0)

    def issue(self, context):
        """The issue of that row; None after a report where there is none."""
        rows = context.scene.impulse.issues
        if self.index < len(rows):
            return issue_of(rows[self.index])
        self.report({"WARNING"}, f"The list has no row {self.index}.")
        return None


class IMPULSE_OT_select_issue(OfIssue, bpy.types.Operator):
    """Select the object of this issue and bring it into view"""

    bl_idname = "impulse.select_issue"
    bl_label = "Show Object"

    def execute(self, context):
        issue = self.issue(context)
        if issue is None:
            return {"CANCELLED"}
        if not issue.object_name:
            self.report({"WARNING"}, "This issue is about the scene, not about one object.")
            return {"CANCELLED"}
        obj = context.view_layer.objects.get(issue.object_name)
        if obj is None:
            self.report({"WARNING"}, f"{issue.object_name} is not in this view layer any more.")
            return {"CANCELLED"}
        context.scene.impulse.issue_index = self.index
        if not look_at(context, obj):
            text = f"{obj.name} is in a hidden collection; show that in the outliner to see it."
            self.report({"WARNING"}, text)
        return {"FINISHED"}


class IMPULSE_OT_fix_issue(WhileIdle, OfIssue, bpy.types.Operator):
    """Mend this issue"""

    bl_idname = "impulse.fix_issue"
    bl_label = "Fix"

    fix: StringProperty(name="Fix", description="Name of the fix; empty: the first that suits")

    @classmethod
    def description(cls, context, properties):
        """What will be done, as Blender's tooltip."""
        rows = context.scene.impulse.issues
        if properties.index >= len(rows):
            return cls.__doc__
        issue = issue_of(rows[properties.index])
        found = {fix.name: fix.text(issue) for fix in reversed(fixes.fixes_of(issue))}
        first = next(reversed(found.values()), cls.__doc__)
        return found.get(properties.fix, first)

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave edit mode first")
            return False
        return super().poll(context)

    def execute(self, context):
        issue = self.issue(context)
        if issue is None:
            return {"CANCELLED"}
        try:
            done = fixes.mend(context, issue, self.fix)
        except fixes.FixError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        look_again(context, done=issue)
        self.report({"INFO"}, f"{done}: done.")
        return {"FINISHED"}


CLASSES = (IMPULSE_OT_validate_scene, IMPULSE_OT_select_issue, IMPULSE_OT_fix_issue)


def register():
    watching.register()


def unregister():
    watching.unregister()
