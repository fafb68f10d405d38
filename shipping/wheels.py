"""The wheels of an extension: for one Python on one platform, with all that each of them requires.

pip resolves requirements for the machine it runs on. What a wheel requires on the platform of the
zip only, as Windows does of a terminal's colours, is fetched in further rounds, and ``problems``
says what a set of wheels still lacks.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from typing import IO

from packaging.requirements import Requirement
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import canonicalize_name, parse_wheel_filename

__all__ = [
    "NUMPY",
    "PLATFORMS",
    "Target",
    "collect",
    "metadata_of",
    "modules_of",
    "pip",
    "problems",
]

# Python, and the NumPy of the Blenders that have it, the oldest first: NumPy is never bundled.
NUMPY = {"3.11": ("1.24.3", "1.26.4"), "3.13": ("2.2.4",)}

# Blender's name of a platform, and what the markers of requirements see there.
PLATFORMS: dict[str, dict[str, str]] = {
    "linux-x64": {
        "os_name": "posix",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
    },
    "macos-arm64": {
        "os_name": "posix",
        "sys_platform": "darwin",
        "platform_system": "Darwin",
        "platform_machine": "arm64",
    },
    "windows-x64": {
        "os_name": "nt",
        "sys_platform": "win32",
        "platform_system": "Windows",
        "platform_machine": "AMD64",
    },
}
_OLDEST_MACOS = (12, 0)
_ROUNDS = 5  # of fetching what is required; requirements of requirements are fetched at once


@dataclass(frozen=True)
class Target:
    """One Python on one of Blender's platforms, such as "3.11" and "linux-x64"."""

    python: str
    platform: str

    @property
    def markers(self) -> dict[str, str]:
        """What the markers of a requirement see there."""
        return PLATFORMS[self.platform] | {
            "python_version": self.python,
            "python_full_version": f"{self.python}.0",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
            "extra": "",
        }

    @property
    def platform_tags(self) -> list[str]:
        """The platform tags of wheels that run there, best first."""
        if self.platform == "windows-x64":
            return ["win_amd64"]
        if self.platform == "macos-arm64":
            return list(mac_platforms(_OLDEST_MACOS, "arm64"))
        # glibc 2.28 is what Blender itself asks for.
        versions = [f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)]
        return [*versions, "manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]

    @property
    def tags(self) -> set[Tag]:
        """The tags of all wheels that run there."""
        version = tuple(int(number) for number in self.python.split("."))
        name = f"cp{version[0]}{version[1]}"
        platforms = self.platform_tags
        if self.platform == "linux-x64":
            platforms = [*platforms, "linux_x86_64"]  # ours, which needs no library of the system
        return {
            *cpython_tags(version, abis=[name], platforms=platforms),
            *compatible_tags(version, interpreter=name, platforms=platforms),
        }


def collect(folder: Path, target: Target, libraries: Sequence[str]) -> None:
    """Download the wheels of libraries, and of all they require, beside those in the folder."""
    oldest = f"numpy=={NUMPY[target.python][0]}"
    wanted = list(libraries)
    for _ in range(_ROUNDS):
        tags = [word for tag in target.platform_tags for word in ("--platform", tag)]
        pip(
            "download", "--only-binary=:all:", "--python-version", target.python, *tags,
            "--dest", folder, *wanted, oldest,
        )  # fmt: skip
        for wheel in folder.glob("numpy-*.whl"):
            wheel.unlink()  # a second one would clash with Blender's
        abouts = [metadata_of(wheel) for wheel in folder.glob("*.whl")]
        # Without its marker, which pip would read as one for this machine.
        wanted = [f"{wish.name}{wish.specifier}" for wish in _missing(abouts, target)]
        if not wanted:
            return


def problems(
    wheels: Mapping[str, IO[bytes] | Path], target: Target, libraries: Iterable[str]
) -> list[str]:
    """What is wrong with wheels, by their names, for a target: a sentence each.

    Every wheel must run there and be there once, find each wheel it requires in a release that it
    accepts, and accept NumPy as each Blender has it; each library must be importable.
    """
    abouts = {name: metadata_of(wheel) for name, wheel in wheels.items()}
    found = [
        f"{name} is not for Python {target.python} on {target.platform}."
        for name in wheels
        if not parse_wheel_filename(name)[3] & target.tags
    ]
    names = [canonicalize_name(str(about["Name"])) for about in abouts.values()]
    found += [f"There is more than one wheel of {n}." for n in {*names} if names.count(n) > 1]
    found += _unmet(list(abouts.values()), target)
    importable = {module for wheel in wheels.values() for module in modules_of(wheel)}
    found += [f"No wheel holds the module {name}." for name in libraries if name not in importable]
    return found


def _unmet(abouts: Sequence[Message], target: Target) -> list[str]:
    held = _held(abouts, target)
    return [
        f"{about['Name']} requires {requirement}; here is {', '.join(versions) or 'none'}."
        for about in abouts
        for requirement in _requirements(about, target)
        if not (versions := held.get(canonicalize_name(requirement.name), ()))
        or not all(requirement.specifier.contains(v, prereleases=True) for v in versions)
    ]


def _missing(abouts: Sequence[Message], target: Target) -> list[Requirement]:
    held = _held(abouts, target)
    wanted = (requirement for about in abouts for requirement in _requirements(about, target))
    return [wish for wish in wanted if canonicalize_name(wish.name) not in held]


def _held(abouts: Sequence[Message], target: Target) -> dict[str, tuple[str, ...]]:
    held: dict[str, tuple[str, ...]]
    held = {str(canonicalize_name(str(a["Name"]))): (str(a["Version"]),) for a in abouts}
    return held | {"numpy": NUMPY[target.python]}


def _requirements(about: Message, target: Target) -> list[Requirement]:
    """What a wheel requires on the target, without its extras."""
    stated = [Requirement(text) for text in about.get_all("Requires-Dist") or ()]
    return [r for r in stated if r.marker is None or r.marker.evaluate(target.markers)]


def metadata_of(wheel: Path | IO[bytes]) -> Message:
    """Name, version and requirements as a wheel states them."""
    with zipfile.ZipFile(wheel) as archive:
        path = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return HeaderParser().parsestr(archive.read(path).decode())


def modules_of(wheel: Path | IO[bytes]) -> set[str]:
    """Names of the modules and packages that a wheel brings."""
    with zipfile.ZipFile(wheel) as archive:
        heads = {name.split("/")[0] for name in archive.namelist()}
    return {head.split(".")[0] for head in heads if not head.endswith((".dist-info", ".data"))}


def pip(
    *arguments: object,
    interpreter: str = sys.executable,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run pip; raises CalledProcessError where it fails."""
    command = [interpreter, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*command, *map(str, arguments)], check=True, env=environment)
