# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that exports, simulates in a child process and imports the motion."""

import tempfile
from pathlib import Path

import bpy
from bpy.props import StringProperty

from .. import preferences, runner, scene_export
from ..issues import ExportError
from .exchange import import_file, report_issues, show_issues

# Seconds between looks at the simulator while Blender stays usable.
TICK = 0.1


def output_folder(directory):
    """Where scene and animation go: the folder given, else beside the .blend, else a temporary."""
    if directory:
        return Path(bpy.path.abspath(directory)).absolute()
    if bpy.data.filepath:
        return Path(bpy.data.filepath).parent
    return Path(tempfile.mkdtemp(prefix="impulse-"))


class IMPULSE_OT_run_simulation(bpy.types.Operator):
    """Export, simulate and import the motion as keyframes; Esc stops and keeps the motion so far"""

    bl_idname = "impulse.run_simulation"
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(
        name="Folder",
        description="For scene and animation; default beside the .blend",
        subtype="DIR_PATH",
    )

    def execute(self, context):
        """Simulate and wait for it (scripts and background)."""
        try:
            command, scene, animation = self._prepare(context)
            runner.run(command, scene, animation)
        except (ExportError, runner.RunError) as error:
            return self._fail(context, error)
        return import_file(self, context, animation)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self._run = runner.Run(*self._prepare(context))
        except (ExportError, runner.RunError) as error:
            return self._fail(context, error)
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._run.stop()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        ended = self._run.poll()
        self._show_progress(context, None if ended else self._run.progress)
        if not ended:
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        stopped = event.type == "ESC"
        try:
            animation = self._run.animation if stopped else self._run.result()
        except runner.RunError as error:
            return self._fail(context, error)
        if stopped and not animation.exists():
            self.report({"WARNING"}, "Stopped before there was a frame.")
            return {"CANCELLED"}
        return import_file(self, context, animation)

    def _prepare(self, context):
        """Export; the command, the scene's path and that of the animation to be."""
        command = runner.find_command(preferences.command(context))
        folder = output_folder(self.directory)
        stem = Path(bpy.data.filepath).stem or "untitled"
        scene, animation = folder / f"{stem}.xml", folder / f"{stem}.anim.npz"
        result = scene_export.export(context, scene)
        show_issues(context.scene, result.issues)
        animation.unlink(missing_ok=True)
        return command, scene, animation

    def _fail(self, context, error):
        if isinstance(error, ExportError):
            show_issues(context.scene, error.issues)
            report_issues(self, error.issues)
        else:
            self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def _show_progress(self, context, progress):
        tag = context.scene.impulse
        tag.progress = 0.0 if progress is None else progress.fraction
        tag.progress_text = "" if progress is None else progress.text
        for area in context.screen.areas if context.screen else ():
            if area.type == "VIEW_3D":
                area.tag_redraw()


CLASSES = (IMPULSE_OT_run_simulation,)
