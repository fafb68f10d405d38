# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that exports, simulates and imports."""

import tempfile
from pathlib import Path

import bpy
from bpy.props import StringProperty

from .. import preferences
from ..export import scene_export
from ..issues import ExportError, from_simulator
from ..playback import keyframes
from ..simulator import runner
from .child import ChildOperator
from .exchange import import_file, show_issues


def output_folder(directory):
    """Where scene and animation go: the folder given, else beside the .blend, else a temporary."""
    if directory:
        return Path(bpy.path.abspath(directory)).absolute()
    if bpy.data.filepath:
        return Path(bpy.data.filepath).parent
    return Path(tempfile.mkdtemp(prefix="impulse-"))


class IMPULSE_OT_run_simulation(ChildOperator, bpy.types.Operator):
    """Export, simulate and import the motion as keyframes; Esc stops and keeps the motion so far"""

    bl_idname = "impulse.run_simulation"
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(
        name="Folder",
        description="For scene and animation; default beside the .blend",
        subtype="DIR_PATH",
    )

    def begin(self, context):
        """Export and start; poses that were edited since the last run are noted first."""
        folder = output_folder(self.directory)
        stem = Path(bpy.data.filepath).stem or "untitled"
        self._path, animation = folder / f"{stem}.xml", folder / f"{stem}.anim.npz"
        try:
            self._command = runner.find_command(preferences.command(context))
            result = scene_export.export(context, self._path)
            self._scene = result.scene
            show_issues(context.scene, result.issues)
            for obj in context.scene.objects:
                keyframes.take_up_edit(obj, context.scene)
            animation.unlink(missing_ok=True)
            return runner.Run(self._command, self._path, animation)
        except (ExportError, runner.RunError) as error:
            return self.fail(context, error)

    def ended(self, context, child, *, stopped):
        if isinstance(child, runner.StartCheck):
            return self._refused(context, child, stopped)
        try:
            animation = child.animation if stopped else child.result()
        except runner.RunError as error:
            self._said = error
            if child.refused:  # which objects, and where?
                return runner.StartCheck(self._command, self._path)
            return self.fail(context, error)
        if stopped and not animation.exists():
            self.report({"WARNING"}, "Stopped before there was a frame.")
            return {"CANCELLED"}
        return import_file(self, context, animation)

    def _refused(self, context, check, stopped):
        """List what the simulator refuses, with the objects it is about."""
        try:
            problems = [] if stopped else check.result()
        except runner.RunError:
            problems = []
        issues = from_simulator(problems, self._scene)
        return self.fail(context, ExportError(issues) if issues else self._said)


CLASSES = (IMPULSE_OT_run_simulation,)
