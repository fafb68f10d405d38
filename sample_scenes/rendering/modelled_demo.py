# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way once for a machine that a script models in Blender: model, export, check, simulate,
import as keyframes, render.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from demo_tools import quiet, show_progress, shown, stage, validate

SAMPLES = 12
WIDTH = 480


def make(builder: str, name: str, frames: Sequence[int], output: Path) -> Path:
    """The sheet of pictures of some frames; scene, motion and .blend lie beside it.

    Args:
        builder: Name of the module whose ``build(context)`` models the machine.
        name: What the files are called.
        frames: What is rendered.
        output: Folder of the files.
    """
    with quiet():
        import bpy
        import contact_sheet
        import stage as look

        import blender_addon
        from blender_addon.simulator import runner

        built = import_module(builder)
        blender_addon.register()
        bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    with stage("model it in Blender") as note, quiet():
        built.build(bpy.context)
        note(f"{len(bpy.context.scene.objects)} objects")
    scene_file, animation = output / f"{name}.xml", output / f"{name}.anim.npz"
    with stage("export the scene") as note, quiet():
        bpy.ops.impulse.export_scene(filepath=str(scene_file))
        note(shown(scene_file))
    validate(scene_file)
    with stage("simulate") as note:
        runner.run(runner.find_command(), scene_file, animation, progress=show_progress)
        note(shown(animation))
    with stage("import as keyframes") as note, quiet():
        bpy.ops.impulse.import_animation(filepath=str(animation))
        bpy.ops.wm.save_as_mainfile(filepath=str(output / f"{name}.blend"))
        note(shown(output / f"{name}.blend"))
    look.set_render(bpy.context.scene, samples=SAMPLES, width=WIDTH)
    pictures = []
    for frame in frames:
        with stage(f"render frame {frame}") as note, quiet():
            bpy.context.scene.frame_set(frame)
            pictures.append(output / f"{name}-{frame:04d}.png")
            bpy.context.scene.render.filepath = str(pictures[-1])
            bpy.ops.render.render(write_still=True)
            note(shown(pictures[-1]))
    sheet = output / f"{name}.webp"
    with stage("contact sheet") as note, quiet():
        contact_sheet.make(pictures, sheet)
        note(shown(sheet))
    return sheet
