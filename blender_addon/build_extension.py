# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs the add-on, the simulator and the libraries they need into extension zips.

    python blender_addon/build_extension.py [-o FOLDER] [--python 3.11 3.13] [--platform linux-x64]

There is one zip for each Python: Blender 4.2 to 5.0 have 3.11, 5.1 and later 3.13, as have builds
of Linux distributions. NumPy is Blender's own, so the libraries are the newest that work with the
oldest NumPy that a Blender of that Python has. Each zip holds the licences of all it carries.
Needs pip, network access and bpy, whose packer is used. Kernels are compiled by an interpreter of
the zip's Python, if one is found; else the zip is without, and the first run compiles them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# Blender's name of a platform, and the tags of the wheels for it, newest first.
PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "macos-arm64": ("macosx_12_0_arm64", "macosx_11_0_arm64"),
    "windows-x64": ("win_amd64",),
}
# Python, and the oldest NumPy of a Blender that has it.
OLDEST_NUMPY = {"3.11": "1.24.3", "3.13": "2.2.4"}
LIBRARIES = tuple(
    line.partition(":")[0]
    for line in (HERE / "libraries.txt").read_text(encoding="utf-8").splitlines()
)
LICENCE_FILES = ("licen", "copying", "notice", "authors")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the Blender extension.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", nargs="+", choices=OLDEST_NUMPY, default=list(OLDEST_NUMPY))
    parser.add_argument("--platform", choices=PLATFORMS, default=this_platform())
    options = parser.parse_args()
    for version in options.python:
        built = build(options.output, version, options.platform)
        print(f"{built} ({built.stat().st_size / 1e6:.0f} MB, {about_kernels(built, version)})")


def this_platform() -> str:
    system = {"Darwin": "macos-arm64", "Windows": "windows-x64"}
    return system.get(platform.system(), "linux-x64")


def build(output: Path, python: str, target: str) -> Path:
    """The zip for one version of Python and one platform, in the folder ``output``."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "impulse"
        shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__", "*.zip"))
        wheels = collect_wheels(source / "wheels", python, target)
        write_licences(source / "licences", wheels)
        add_to_manifest(source / "blender_manifest.toml", [wheel.name for wheel in wheels], target)
        return pack(source, output / f"impulse-{target}-python{python}.zip")


def about_kernels(built: Path, python: str) -> str:
    """Whether a zip carries compiled kernels: then our wheel is one for a platform."""
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
    if any("impulse_dynamics-" in name and name.endswith("-none-any.whl") for name in names):
        return f"without compiled kernels, for which a Python {python} with pip is needed here"
    return "with compiled kernels"


def collect_wheels(folder: Path, python: str, target: str) -> list[Path]:
    """Download the wheels for a version of Python and build our own."""
    folder.mkdir()
    build_own_wheel(folder, python, target)
    tags = [argument for tag in PLATFORMS[target] for argument in ("--platform", tag)]
    pip(
        "download", "--only-binary=:all:", "--python-version", python, *tags,
        "--dest", folder, *LIBRARIES, f"numpy=={OLDEST_NUMPY[python]}",
    )  # fmt: skip
    for wheel in folder.glob("numpy-*.whl"):
        wheel.unlink()  # a second one would clash with Blender's
    return sorted(folder.iterdir())


def build_own_wheel(folder: Path, python: str, target: str) -> None:
    """Our wheel, with kernels if they can be compiled here for that Python and platform."""
    interpreter = interpreter_of(python) if target == this_platform() else None
    environment = dict(os.environ)
    if interpreter is None:
        environment["IMPULSE_SHIP_KERNELS"] = "no"
    arguments = ("wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    pip(*arguments, interpreter=interpreter or sys.executable, environment=environment)


def interpreter_of(python: str) -> str | None:
    """An interpreter of that version which has pip, if there is one."""
    if python == "{}.{}".format(*sys.version_info):
        return sys.executable
    found = shutil.which(f"python{python}")
    if found is None:
        return None
    asked = subprocess.run([found, "-m", "pip", "--version"], capture_output=True, check=False)
    return None if asked.returncode else found


def pip(
    *arguments: object,
    interpreter: str = sys.executable,
    environment: Mapping[str, str] | None = None,
) -> None:
    command = [interpreter, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*command, *map(str, arguments)], check=True, env=environment)


def write_licences(folder: Path, wheels: list[Path]) -> None:
    """A file for each wheel: its name, version and home, and the text of all its licences."""
    folder.mkdir()
    for wheel in wheels:
        about = metadata_of(wheel)
        texts = licence_texts(wheel)
        if not texts:
            sys.exit(f"{wheel.name} holds no licence, so it cannot be passed on.")
        name, version = about["Name"], about["Version"]
        homes = [about["Home-page"], *(about.get_all("Project-URL") or ())]
        parts = [f"{name} {version}", *filter(None, homes), ""]
        for path, text in texts.items():
            parts += [f"---- {path}", "", text]
        (folder / f"{name}-{version}.txt").write_text("\n".join(parts), encoding="utf-8")


def metadata_of(wheel: Path) -> Message:
    """Name, version and requirements as a wheel states them."""
    with zipfile.ZipFile(wheel) as archive:
        path = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return HeaderParser().parsestr(archive.read(path).decode())


def licence_texts(wheel: Path) -> dict[str, str]:
    """The licences in a wheel, its own and those of what it bundles, by their paths."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: archive.read(name).decode(errors="replace")
            for name in archive.namelist()
            if PurePosixPath(name).name.lower().startswith(LICENCE_FILES)
            and PurePosixPath(name).suffix
            in {"", ".txt", ".md", ".rst", ".third-party", ".thirdparty"}
            and not name.endswith("/")
        }


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
