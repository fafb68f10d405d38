# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that checks the tagged scene, and asks the simulator about its start."""

import tempfile
from pathlib import Path

import bpy
from bpy.props import BoolProperty

from .. import preferences
from ..export import scene_export
from ..issues import ExportError, Issue, errors, from_simulator
from ..simulator import runner
from .child import ChildOperator
from .exchange import report_issues, show_issues


class IMPULSE_OT_validate_scene(ChildOperator, bpy.types.Operator):
    """Check the tagged objects and list everything that is wrong"""

    bl_idname = "impulse.validate_scene"
    bl_label = "Check Scene"
    bl_options = {"REGISTER", "UNDO"}

    start: BoolProperty(
        name="Start",
        description="Let the simulator prepare the first step as well, which finds bodies that"
        " overlap and joints that cannot be closed",
        default=True,
    )

    def begin(self, context, *, is_live):  # a check shows nothing meanwhile
        result = scene_export.build(context)
        self._issues, self._folder = result.issues, None
        show_issues(context.scene, self._issues)
        if errors(self._issues) or not self.start:
            return self._conclude(context)
        self._folder = tempfile.TemporaryDirectory(prefix="impulse-")
        try:
            path = Path(self._folder.name) / "scene.xml"
            self._scene = scene_export.export(context, path).scene
            return runner.StartCheck(runner.find_command(preferences.command(context)), path)
        except (ExportError, runner.RunError) as error:
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
        self._issues.append(Issue(f"The start was not checked: {reason}", severity="WARNING"))
        return self._conclude(context)

    def _conclude(self, context):
        if self._folder is not None:
            self._folder.cleanup()
        show_issues(context.scene, self._issues)
        report_issues(self, self._issues)
        if errors(self._issues):
            return {"CANCELLED"}
        self.report({"INFO"}, "The scene can be simulated.")
        return {"FINISHED"}


CLASSES = (IMPULSE_OT_validate_scene,)
