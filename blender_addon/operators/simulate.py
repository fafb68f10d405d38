# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators that ask the simulator, a child process: to check the start, and to simulate."""

import tempfile
from pathlib import Path

import bpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, StringProperty

from .. import preferences
from ..export import scene_export
from ..issues import ExportError, Issue, errors, from_simulator
from ..playback import keyframes
from ..simulator import runner
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

    def begin(self, context):
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

    def ended(self, context, child, *, stopped):
        try:
            problems = [] if stopped else child.result()
        except runner.RunError as error:
            return self._not_asked(context, error)
        if stopped:
            return self._not_asked(context, "it was stopped.")
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


CLASSES = (IMPULSE_OT_validate_scene, IMPULSE_OT_run_simulation)


def register() -> None:
    bpy.app.handlers.load_pre.append(abandon_on_load)


def unregister() -> None:
    bpy.app.handlers.load_pre.remove(abandon_on_load)
    Going.abandon()
