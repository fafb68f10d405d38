# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders a short clip of the walking machine from what make demo has saved.

    python sample_scenes/walking/clip.py [--blend FILE] [-o FILE.webp] [--quick]

Four seconds with a camera that goes along, as an animated WebP for the README.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "rendering")]

from demo_tools import quiet  # noqa: E402

BLEND = ROOT / "demo-output" / "walking-machine.blend"
CLIP = ROOT / "docs" / "images" / "walking-machine-clip.webp"
FIRST, LAST, EVERY = 101, 200, 2  # frames
FPS = 25 / EVERY
WIDTH, SAMPLES = 400, 16
MOST = 1_000_000  # bytes


def main() -> int:
    parser = argparse.ArgumentParser(description="Render a clip of the walking machine.")
    parser.add_argument("--blend", type=Path, default=BLEND, help="default what make demo saved")
    parser.add_argument("-o", "--output", type=Path, default=CLIP)
    parser.add_argument("--quick", action="store_true", help="three small frames, to try it")
    options = parser.parse_args()
    if not options.blend.exists():
        print(f"There is no {options.blend}; run make demo first.", file=sys.stderr)
        return 1
    last = FIRST + 2 * EVERY if options.quick else LAST
    with tempfile.TemporaryDirectory() as folder:
        pictures = render(options.blend, Path(folder), last, 80 if options.quick else WIDTH)
        size = join(pictures, options.output)
    print(f"{options.output}: {len(pictures)} frames, {size / 1e3:.0f} kB")
    return 0


def render(blend: Path, folder: Path, last: int, width: int) -> list[Path]:
    """Pictures of the frames of the clip."""
    import bpy
    import stage

    pictures = []
    with quiet():
        bpy.ops.wm.open_mainfile(filepath=str(blend))
        scene = bpy.context.scene
        stage.set_render(scene, samples=SAMPLES, width=width)
    for frame in range(FIRST, last + 1, EVERY):
        with quiet():
            scene.frame_set(frame)
            pictures.append(folder / f"{frame:04d}.png")
            scene.render.filepath = str(pictures[-1])
            bpy.ops.render.render(write_still=True)
        print(f"\r  frame {frame} of {last}", end="", flush=True)
    print()
    return pictures


def join(pictures: list[Path], output: Path) -> int:
    """One animation of these pictures, in a quality that keeps it below MOST; its size [bytes]."""
    from PIL import Image

    images = [Image.open(path).convert("RGB") for path in pictures]
    for quality in (80, 65, 50, 35, 20):
        images[0].save(
            output,
            save_all=True,
            append_images=images[1:],
            duration=round(1000 / FPS),
            loop=0,
            quality=quality,
            method=6,
        )
        if output.stat().st_size <= MOST:
            break
    return output.stat().st_size


if __name__ == "__main__":
    sys.exit(main())
