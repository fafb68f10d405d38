"""Packs the add-on, the simulator and the libraries they need into extension zips.

    python -m shipping.extension [-o FOLDER] [--python 3.11 3.13]
                                 [--platform linux-x64 macos-arm64 windows-x64]

There is one zip for each Python and platform: Blender 4.2 to 5.0 have 3.11, 5.1 and later 3.13, as
have builds of Linux distributions. NumPy is Blender's own, so the libraries are the newest that
work with the oldest NumPy that a Blender of that Python has. Each zip holds the licences of all it
carries, is checked for wheels that are missing or for another machine, and is listed in an index:
the folder is then a repository that Blender installs from. Needs pip, network access and bpy, whose
packer is used. Kernels are compiled by an interpreter of the zip's Python, if one is found and the
zip is for this platform; else the zip is without, and the first run compiles them.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from shipping.pages import write_pages
from shipping.wheels import NUMPY, PLATFORMS, Target, collect, metadata_of, pip, problems

ROOT = Path(__file__).resolve().parents[1]
ADDON = ROOT / "blender_addon"

LIBRARIES = tuple(
    line.partition(":")[0]
    for line in (ADDON / "libraries.txt").read_text(encoding="utf-8").splitlines()
)
LICENCE_FILES = ("licen", "copying", "notice", "authors")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the Blender extension.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", nargs="+", choices=NUMPY, default=list(NUMPY))
    parser.add_argument(
        "--platform", nargs="+", choices=["all", *PLATFORMS], default=[this_platform()]
    )
    options = parser.parse_args()
    platforms = list(PLATFORMS) if "all" in options.platform else options.platform
    for target in (Target(python, name) for name in platforms for python in options.python):
        built = build(options.output, target.python, target.platform)
        print(f"{built} ({built.stat().st_size / 1e6:.0f} MB, {remarks(built, target)})")
    print(f"{index(options.output)} lists them; docs/blender-install.md says how to publish it.")


def this_platform() -> str:
    """Blender's name of the platform this runs on."""
    system = {"Darwin": "macos-arm64", "Windows": "windows-x64"}
    return system.get(platform.system(), "linux-x64")


def build(output: Path, python: str, platform_name: str) -> Path:
    """The zip for one version of Python and one platform, complete, in the folder ``output``."""
    target = Target(python, platform_name)
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "impulse"
        shutil.copytree(ADDON, source, ignore=shutil.ignore_patterns("__pycache__", "*.zip"))
        wheels = collect_wheels(source / "wheels", target)
        write_pages(ROOT / "docs", source / "docs")
        write_licences(source / "licences", wheels)
        names = [wheel.name for wheel in wheels]
        add_to_manifest(source / "blender_manifest.toml", names, platform_name)
        archive = pack(source, output / f"impulse-{platform_name}-python{python}.zip")
    check(archive, target)
    return archive


def check(archive: Path, target: Target) -> None:
    """Exit where Blender's own checker refuses a zip, or its wheels are not what they must be."""
    tool("validate", archive, "--valid-tags", packer()[1])
    with zipfile.ZipFile(archive) as content:
        wheels = {
            PurePosixPath(name).name: io.BytesIO(content.read(name))
            for name in content.namelist()
            if name.endswith(".whl")
        }
    if found := problems(wheels, target, [*LIBRARIES, "impulse_core", "impulse_schema"]):
        sys.exit("\n".join([f"{archive.name} cannot be handed out:", *found]))


def remarks(built: Path, target: Target) -> str:
    """What those who hand out a zip should know of it."""
    if target.platform != this_platform():
        return "without compiled kernels; built, not tried"
    return about_kernels(built, target.python)


def index(folder: Path) -> Path:
    """Write the list of the zips in a folder, which makes it a repository for Blender."""
    tool("server-generate", "--repo-dir", folder, "--html")
    return folder / "index.json"


def about_kernels(built: Path, python: str) -> str:
    """Whether a zip carries compiled kernels: then our wheel is one for a platform."""
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
    if any("impulse_dynamics-" in name and name.endswith("-none-any.whl") for name in names):
        return f"without compiled kernels, for which a Python {python} with pip is needed here"
    return "with compiled kernels"


def collect_wheels(folder: Path, target: Target) -> list[Path]:
    """Build our own wheel for a target and download the others."""
    folder.mkdir()
    build_own_wheel(folder, target)
    collect(folder, target, LIBRARIES)
    return sorted(folder.iterdir())


def build_own_wheel(folder: Path, target: Target) -> None:
    """Our wheel, with kernels if they can be compiled here for that Python and platform."""
    here = target.platform == this_platform()
    interpreter = interpreter_of(target.python) if here else None
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
    tags = packer()[1]
    tool(
        "build", "--source-dir", source, "--output-filepath", archive, "--valid-tags", tags
    )  # fmt: skip
    return archive


def tool(*arguments: object) -> None:
    """Run a command of Blender's extension tool; where it fails, exit with what it said."""
    command = [sys.executable, packer()[0], *arguments]
    done = subprocess.run([*map(str, command)], check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


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
