# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way once: model in Blender, export, check, simulate, import as keyframes, render.

    python sample_scenes/crane/demo.py [-o FOLDER]

Where Blender's Python module cannot be imported it says why, starts from the shipped crane.xml and
draws the motion with matplotlib instead.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]

FRAMES = (1, 44, 68, 96)
SAMPLES = 12
WIDTH = 480


def main() -> int:
    parser = argparse.ArgumentParser(description="Model, simulate and render the crane.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "demo-output")
    output = parser.parse_args().output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    reason = why_no_blender()
    try:
        if reason:
            print(f"Without Blender: {reason}")
            made = demo_without_blender(output)
        else:
            made = demo_with_blender(output)
    except subprocess.CalledProcessError as error:
        # impulse has said what is wrong
        print(f"Stopped: {' '.join(map(str, error.cmd[2:5]))} failed.", file=sys.stderr)
        return 1
    except RuntimeError as error:
        print(f"Stopped: {error}", file=sys.stderr)
        return 1
    print(f"Done in {time.perf_counter() - began:.1f} s. Look at {shown(made)}")
    return 0


def why_no_blender() -> str:
    """Why bpy cannot be imported, with what to do about it; '' where it can."""
    if importlib.util.find_spec("bpy") is None:
        if sys.version_info[:2] != (3, 11):
            found = f"{sys.version_info[0]}.{sys.version_info[1]}"
            return f"bpy 5.0 needs Python 3.11 exactly, this is {found}."
        return "bpy is not installed; pip install 'impulse-dynamics[blender]' brings it."
    # In a process of its own, as a missing library may also end it.
    probe = subprocess.run(
        [sys.executable, "-c", "import bpy"], check=False, capture_output=True, text=True
    )
    if probe.returncode == 0:
        return ""
    missing = re.search(r"(lib[\w.+-]+\.so[.\d]*): cannot open", probe.stderr)
    if missing is None:
        lines = probe.stderr.strip().splitlines() or [f"exit code {probe.returncode}"]
        return f"bpy cannot be imported: {lines[-1]}"
    package = debian_package(missing[1])
    advice = f"; on Debian or Ubuntu: apt-get install {package}" if package else ""
    return f"the system library {missing[1]} is missing{advice}."


def debian_package(library: str) -> str:
    """The package that brings a library bpy is linked with; '' where unknown."""
    listed = (ROOT / "blender_addon" / "system-packages.txt").read_text(encoding="utf-8")
    for line in listed.splitlines():
        package, _, libraries = line.partition(":")
        if library in libraries.split():
            return package.strip()
    return ""


def demo_with_blender(output: Path) -> Path:
    with quiet():
        import bpy
        import build_crane
        import contact_sheet

        from blender_addon import runner

        build_crane.blender_addon.register()
        bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    with stage("model the crane in Blender") as note, quiet():
        build_crane.build(bpy.context)
        note(f"{len(bpy.context.scene.objects)} objects")
    scene_file, animation = output / "crane.xml", output / "crane.anim.npz"
    with stage("export the scene") as note, quiet():
        bpy.ops.impulse.export_scene(filepath=str(scene_file))
        note(shown(scene_file))
    validate(scene_file)
    with stage("simulate") as note:
        runner.run(runner.find_command(), scene_file, animation, progress=show_progress)
        note(shown(animation))
    with stage("import as keyframes") as note, quiet():
        bpy.ops.impulse.import_animation(filepath=str(animation))
        bpy.ops.wm.save_as_mainfile(filepath=str(output / "crane.blend"))
        note(shown(output / "crane.blend"))
    build_crane.look.set_render(bpy.context.scene, samples=SAMPLES, width=WIDTH)
    pictures = []
    for frame in FRAMES:
        with stage(f"render frame {frame}") as note, quiet():
            bpy.context.scene.frame_set(frame)
            pictures.append(output / f"crane-{frame:04d}.png")
            bpy.context.scene.render.filepath = str(pictures[-1])
            bpy.ops.render.render(write_still=True)
            note(shown(pictures[-1]))
    sheet = output / "crane.webp"
    with stage("contact sheet") as note, quiet():
        contact_sheet.make(pictures, sheet)
        note(shown(sheet))
    return sheet


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


def validate(scene_file: Path) -> None:
    with stage("check it with impulse validate"):
        subprocess.run([*impulse(), "validate", scene_file], check=True)


def impulse() -> list[str]:
    return [sys.executable, "-m", "impulse_cli"]


def show_progress(progress) -> None:
    if sys.stdout.isatty():
        print(f"\r  {progress.text:<40}", end="\r", flush=True)


@contextmanager
def stage(title: str) -> Iterator:
    """Print what a stage made and how long it took."""
    notes: list[str] = []
    began = time.perf_counter()
    yield notes.append
    seconds = time.perf_counter() - began
    print(f"{seconds:6.1f} s  {title:<32}{' '.join(notes)}", flush=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Blender's own chatter off the terminal; errors are exceptions and still show."""
    sys.stdout.flush()
    saved = os.dup(1)
    with Path(os.devnull).open("w", encoding="utf-8") as sink:
        os.dup2(sink.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(saved, 1)
        os.close(saved)


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


if __name__ == "__main__":
    sys.exit(main())
