# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that export, import and clear."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ..checks import watching
from ..checks.listing import show_issues
from ..export import scene_export
from ..importing.kinds import RECORDING, SCENE, kind_of_file
from ..importing.objects import select_machine
from ..importing.report import ImportSceneError
from ..importing.scene_import import import_scene
from ..issues import ExportError
from ..playback import keyframes
from .idle import WhileIdle


def report_issues(operator, issues):
    """Report a few issues; the panel has them all."""
    for issue in issues[:10]:
        operator.report({issue.severity}, str(issue))
    if len(issues) > 10:
        operator.report({"WARNING"}, f"… and {len(issues) - 10} more in the Impulse panel.")


def absolute(operator, filepath):
    """The path an operator was given, '' with a report where there is none."""
    if not filepath:
        operator.report({"ERROR"}, "Give a file: filepath is empty.")
        return ""
    return str(Path(bpy.path.abspath(filepath)).absolute())


class IMPULSE_OT_export_scene(bpy.types.Operator, ExportHelper):
    """Write the tagged objects as an Impulse scene; nothing is written if something is wrong"""

    bl_idname = "impulse.export_scene"
    bl_label = "Export Impulse Scene"

    filename_ext = ".xml"
    filter_glob: StringProperty(default="*.xml;*.json", options={"HIDDEN"})
    collection: StringProperty(
        name="Collection",
        description="Export the objects of this collection only; empty: those of the view layer",
        options={"SKIP_SAVE"},
    )

    def check(self, _context):
        """Blender's file browser asks whether to change the path: only a missing suffix."""
        if self.filepath and not self.filepath.lower().endswith((".xml", ".json")):
            self.filepath += self.filename_ext
            return True
        return False

    def execute(self, context):
        path = absolute(self, self.filepath)
        if not path:
            return {"CANCELLED"}
        collection = None
        if self.collection:
            collection = bpy.data.collections.get(self.collection)
            if collection is None:
                self.report({"ERROR"}, f"There is no collection '{self.collection}'.")
                return {"CANCELLED"}
        try:
            result = scene_export.export(context, path, collection)
        except ExportError as error:
            show_issues(context.scene, error.issues)
            report_issues(self, error.issues)
            return {"CANCELLED"}
        show_issues(context.scene, result.issues)
        report_issues(self, result.issues)
        scene = result.scene
        self.report(
            {"INFO"}, f"{len(scene.bodies)} bodies and {len(scene.joints)} joints written to {path}"
        )
        return {"FINISHED"}


class IMPULSE_OT_import_scene(bpy.types.Operator, ImportHelper):
    """Open an Impulse scene: its bodies and joints become objects in a collection of their own"""

    bl_idname = "impulse.import_scene"
    bl_label = "Import Impulse Scene"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".xml"
    filter_glob: StringProperty(default="*.xml;*.json", options={"HIDDEN"})

    def execute(self, context):
        path = absolute(self, self.filepath)
        return open_scene(self, context, path) if path else {"CANCELLED"}


class IMPULSE_OT_import_file(WhileIdle, bpy.types.Operator):
    """Open an Impulse scene, or give the objects the motion of a recording, as the file says"""

    bl_idname = "impulse.import_file"
    bl_label = "Import Impulse File"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE"})
    files: CollectionProperty(
        type=bpy.types.OperatorFileListElement, options={"SKIP_SAVE", "HIDDEN"}
    )

    def execute(self, context):
        folder = Path(bpy.path.abspath(self.directory)) if self.directory else Path()
        paths = [str(folder / file.name) for file in self.files] or [self.filepath]
        paths = [absolute(self, path) for path in paths]
        if not all(paths):
            return {"CANCELLED"}
        # Scenes first, as recordings move their objects.
        paths.sort(key=lambda path: kind_of_file(path) == RECORDING)
        done = [
            (import_file if kind_of_file(path) == RECORDING else open_scene)(self, context, path)
            for path in paths
        ]
        return {"FINISHED"} if {"FINISHED"} in done else {"CANCELLED"}


def open_scene(operator, context, path):
    """Make objects of a scene file; what Blender holds in another way is a warning."""
    name = Path(path).name
    if kind_of_file(path) == RECORDING:
        operator.report(
            {"ERROR"},
            f"{name} is a recording, not a scene. Open its scene, then give the objects this motion"
            " with File > Import > Impulse animation.",
        )
        return {"CANCELLED"}
    try:
        report = import_scene(context, path)
    except ImportSceneError as error:
        for line in str(error).splitlines()[:10]:
            operator.report({"ERROR"}, line)
        return {"CANCELLED"}
    select_machine(context, bpy.data.collections[report.collection])
    for note in report.notes[:10]:
        operator.report({"WARNING"}, note)
    if len(report.notes) > 10:
        operator.report({"WARNING"}, f"… and {len(report.notes) - 10} more.")
    operator.report({"INFO"}, f"{name}: {report}")
    return {"FINISHED"}


class IMPULSE_OT_import_animation(WhileIdle, bpy.types.Operator, ImportHelper):
    """Give the objects the motion of a recording, as keyframes"""

    bl_idname = "impulse.import_animation"
    bl_label = "Import Impulse Animation"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json;*.npz;*.imprec", options={"HIDDEN"})
    use_start: BoolProperty(name="Set start frame")
    start: FloatProperty(name="Start frame", description="Frame of time 0", default=1.0)
    fit_range: BoolProperty(
        name="Fit frame range", description="End the scene where the recording ends", default=True
    )

    def execute(self, context):
        path = absolute(self, self.filepath)
        if not path:
            return {"CANCELLED"}
        start = self.start if self.use_start else None
        return import_file(self, context, path, start=start, fit_range=self.fit_range)


def import_file(operator, context, path, *, start=None, fit_range=True):
    """Read a recording and keyframe it; what was not found is a warning."""
    from impulse_core.recording import RecordingError, load_recording

    if kind_of_file(path) == SCENE:
        operator.report(
            {"ERROR"},
            f"{Path(path).name} is a scene, not a recording; open it with File > Import > Impulse"
            " scene.",
        )
        return {"CANCELLED"}
    try:
        recording = load_recording(path)
        report = keyframes.import_recording(
            recording, context.scene, start=start, fit_range=fit_range
        )
    except (RecordingError, keyframes.PlaybackError, OSError) as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    watching.Watch.settle(context)
    operator.report({"WARNING" if report.missing else "INFO"}, str(report))
    return {"FINISHED"}


class IMPULSE_OT_clear_animation(WhileIdle, bpy.types.Operator):
    """Take the imported motion off all objects and put back what they had before"""

    bl_idname = "impulse.clear_animation"
    bl_label = "Clear Animation"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if not any(obj.impulse.playback.active for obj in context.scene.objects):
            cls.poll_message_set("No object plays an imported animation")
            return False
        return True

    def execute(self, context):
        names, kept = keyframes.clear(context.scene.objects)
        self.report({"INFO"}, f"{len(names)} objects cleared{keyframes.kept_text(kept)}")
        return {"FINISHED"}


def draw_export(self, _context):
    self.layout.operator(IMPULSE_OT_export_scene.bl_idname, text="Impulse scene (.xml, .json)")


def draw_import(self, _context):
    self.layout.operator(IMPULSE_OT_import_scene.bl_idname, text="Impulse scene (.xml, .json)")
    self.layout.operator(
        IMPULSE_OT_import_animation.bl_idname, text="Impulse animation (.json, .npz, .imprec)"
    )


class IMPULSE_FH_scene(bpy.types.FileHandler):
    """Scenes are dropped into the 3D view, and written by the exporters of collections"""

    bl_idname = "IMPULSE_FH_scene"
    bl_label = "Impulse scene"
    bl_import_operator = "impulse.import_file"
    bl_export_operator = "impulse.export_scene"
    bl_file_extensions = ".xml;.json"

    @classmethod
    def poll_drop(cls, context):
        return is_drop_target(context)


class IMPULSE_FH_recording(bpy.types.FileHandler):
    """Recordings are dropped into the 3D view"""

    bl_idname = "IMPULSE_FH_recording"
    bl_label = "Impulse animation"
    bl_import_operator = "impulse.import_file"
    bl_file_extensions = ".npz;.imprec"

    @classmethod
    def poll_drop(cls, context):
        return is_drop_target(context)


def is_drop_target(context):
    """Whether a file can be dropped where the mouse is."""
    return context.area is not None and context.area.type in ("VIEW_3D", "OUTLINER")


CLASSES = (
    IMPULSE_OT_export_scene,
    IMPULSE_OT_import_scene,
    IMPULSE_OT_import_file,
    IMPULSE_FH_scene,
    IMPULSE_FH_recording,
    IMPULSE_OT_import_animation,
    IMPULSE_OT_clear_animation,
)


def register() -> None:
    bpy.types.TOPBAR_MT_file_export.append(draw_export)
    bpy.types.TOPBAR_MT_file_import.append(draw_import)


def unregister() -> None:
    bpy.types.TOPBAR_MT_file_import.remove(draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(draw_export)
