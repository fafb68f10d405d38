# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way once: model in Blender, export, check, simulate, import as keyframes, render.

    python sample_scenes/crane/demo.py [-o FOLDER]

Where Blender's Python module cannot be imported it says why, starts from the shipped crane.xml and
draws the motion with matplotlib instead.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "rendering"), str(ROOT)]

from demo_tools import impulse, run_demo, shown, stage, validate  # noqa: E402

FRAMES = (1, 44, 68, 96)


def main() -> int:
    description = "Model, simulate and render the crane."
    return run_demo(description, demo_with_blender, demo_without_blender)


def demo_with_blender(output: Path) -> Path:
    import modelled_demo

    return modelled_demo.make("build_crane", "crane", FRAMES, output)


def demo_without_blender(output: Path) -> Path:
    for file in HERE.glob("crane*.[xp][ml][ly]"):
        shutil.copy(file, output / file.name)
    scene_file, animation = output / "crane.xml", output / "crane.anim.npz"
    validate(scene_file)
    with stage("simulate") as note:
        subprocess.run([*impulse(), "run", scene_file, "-o", animation], check=True)
        note(shown(animation))
    sheet = output / "crane.png"
    with stage("draw with matplotlib") as note:
        import crane_plot

        crane_plot.draw(scene_file, animation, FRAMES, sheet)
        note(shown(sheet))
    return sheet


if __name__ == "__main__":
    sys.exit(main())
