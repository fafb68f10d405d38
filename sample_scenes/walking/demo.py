# SPDX-License-Identifier: GPL-3.0-or-later
"""The walking machine, from Blender and back: model, export, check, simulate, import, render.

    python sample_scenes/walking/demo.py [-o FOLDER]

Where Blender's Python module cannot be imported it says why, takes the shipped scene and draws
the motion with matplotlib.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SAMPLE_SCENES = HERE.parent
sys.path[:0] = [
    str(HERE),
    str(SAMPLE_SCENES),
    str(SAMPLE_SCENES / "rendering"),
    str(ROOT),
]

from demo_tools import (  # noqa: E402
    impulse,
    quiet,
    run_demo,
    show_progress,
    shown,
    stage,
    validate,
)

NAME = "walking-machine"
FRAMES = (1, 84, 167, 250)
SAMPLES = 12
WIDTH = 480


def main() -> int:
    description = "Simulate and render the walking machine."
    return run_demo(description, demo_with_blender, demo_without_blender)


def demo_with_blender(output: Path) -> Path:
    with quiet():
        import bpy
        import build_walking
        import contact_sheet

        from blender_addon.simulator import runner

        build_walking.blender_addon.register()
        bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    with stage("model it in Blender") as note, quiet():
        build_walking.build(bpy.context)
        note(f"{len(bpy.context.scene.objects)} objects")
    scene_file, animation = output / f"{NAME}.xml", output / f"{NAME}.anim.npz"
    with stage("export the scene") as note, quiet():
        bpy.ops.impulse.export_scene(filepath=str(scene_file))
        note(shown(scene_file))
    validate(scene_file)
    with stage("simulate") as note:
        runner.run(runner.find_command(), scene_file, animation, progress=show_progress)
        note(shown(animation))
    with stage("import as keyframes") as note, quiet():
        bpy.ops.impulse.import_animation(filepath=str(animation))
        bpy.ops.wm.save_as_mainfile(filepath=str(output / f"{NAME}.blend"))
        note(shown(output / f"{NAME}.blend"))
    build_walking.stage.set_render(bpy.context.scene, samples=SAMPLES, width=WIDTH)
    pictures = []
    for frame in FRAMES:
        with stage(f"render frame {frame}") as note, quiet():
            bpy.context.scene.frame_set(frame)
            pictures.append(output / f"{NAME}-{frame:04d}.png")
            bpy.context.scene.render.filepath = str(pictures[-1])
            bpy.ops.render.render(write_still=True)
            note(shown(pictures[-1]))
    sheet = output / f"{NAME}.webp"
    with stage("contact sheet") as note, quiet():
        contact_sheet.make(pictures, sheet)
        note(shown(sheet))
    return sheet


def demo_without_blender(output: Path) -> Path:
    shutil.copy(HERE / f"{NAME}.xml", output)
    scene_file, animation = output / f"{NAME}.xml", output / f"{NAME}.anim.npz"
    validate(scene_file)
    with stage("simulate") as note:
        subprocess.run([*impulse(), "run", scene_file, "-o", animation], check=True)
        note(shown(animation))
    sheet = output / f"{NAME}.png"
    with stage("draw with matplotlib") as note:
        import walking_plot

        walking_plot.draw(scene_file, animation, FRAMES, sheet)
        note(shown(sheet))
    return sheet


if __name__ == "__main__":
    sys.exit(main())
