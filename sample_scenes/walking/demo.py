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

from demo_tools import impulse, run_demo, shown, stage, validate  # noqa: E402

NAME = "walking-machine"
FRAMES = (1, 84, 167, 250)


def main() -> int:
    description = "Simulate and render the walking machine."
    return run_demo(description, demo_with_blender, demo_without_blender)


def demo_with_blender(output: Path) -> Path:
    import modelled_demo

    return modelled_demo.make("build_walking", NAME, FRAMES, output)


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
