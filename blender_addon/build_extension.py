# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs the add-on, the simulator and the libraries they need into one extension zip.

    python blender_addon/build_extension.py [-o FOLDER] [--python 3.11 3.13] [--platform linux-x64]

Blender installs those wheels of the zip that fit its Python and its system. Blender 4.2 to 5.0 have
Python 3.11, 5.1 and later 3.13, as have builds of Linux distributions. NumPy is Blender's own.
Needs pip, network access and bpy, whose packer is used.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# Blender's name of a platform, and the tags of the wheels for it, newest first.
PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "macos-arm64": ("macosx_12_0_arm64", "macosx_11_0_arm64"),
    "windows-x64": ("win_amd64",),
}
LIBRARIES = ("pydantic", "lxml", "click", "rich", "numba")
# In Blender already; a second copy would clash with it.
LEFT_OUT = ("numpy-",)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the Blender extension.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", nargs="+", default=["3.11", "3.13"], metavar="VERSION")
    parser.add_argument("--platform", choices=PLATFORMS, default=this_platform())
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "impulse"
        shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__", "*.zip"))
        wheels = collect_wheels(source / "wheels", options.python, options.platform)
        add_to_manifest(source / "blender_manifest.toml", wheels, options.platform)
        built = pack(source, options.output / f"impulse-{options.platform}.zip")
    print(f"{built} ({built.stat().st_size / 1e6:.0f} MB, {len(wheels)} wheels)")


def this_platform() -> str:
    system = {"Darwin": "macos-arm64", "Windows": "windows-x64"}
    return system.get(platform.system(), "linux-x64")


def collect_wheels(folder: Path, pythons: list[str], target: str) -> list[str]:
    """Download the wheels of every Python version and build our own; their file names."""
    folder.mkdir()
    pip("wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    tags = [argument for tag in PLATFORMS[target] for argument in ("--platform", tag)]
    for version in pythons:
        pip(
            "download", "--only-binary=:all:", "--python-version", version, *tags,
            "--dest", folder, *LIBRARIES,
        )  # fmt: skip
    for wheel in folder.iterdir():
        if wheel.name.startswith(LEFT_OUT):
            wheel.unlink()
    return sorted(wheel.name for wheel in folder.iterdir())


def pip(*arguments: object) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*command, *map(str, arguments)], check=True)


def add_to_manifest(manifest: Path, wheels: list[str], target: str) -> None:
    """Name the wheels and the platform ahead of the manifest's first table."""
    listed = "".join(f'  "./wheels/{name}",\n' for name in wheels)
    head, table, rest = manifest.read_text(encoding="utf-8").partition("[permissions]")
    lines = f'platforms = ["{target}"]\nwheels = [\n{listed}]\n\n'
    manifest.write_text(head + lines + table + rest, encoding="utf-8")


def pack(source: Path, archive: Path) -> Path:
    """Let Blender's own packer check the manifest and write the zip."""
    tool, tags = packer()
    subprocess.run(
        [
            sys.executable, tool, "build", "--source-dir", source, "--output-filepath", archive,
            "--valid-tags", tags,
        ],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return archive


def packer() -> tuple[Path, Path]:
    """Blender's extension tool and its list of tags, from the bpy module."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or spec.origin is None:
        sys.exit("bpy is not installed; pip install 'impulse-dynamics[blender]' brings it.")
    folder = next(Path(spec.origin).parent.glob("[0-9].[0-9]"))
    return (
        folder / "scripts/addons_core/bl_pkg/cli/blender_ext.py",
        folder / "scripts/modules/_bpy_internal/extensions/tags.py",
    )


if __name__ == "__main__":
    main()
