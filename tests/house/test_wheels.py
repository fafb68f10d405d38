"""What is said of the wheels of an extension: nothing where they are complete."""

from __future__ import annotations

import io
import zipfile

import pytest

from shipping.wheels import PLATFORMS, Target, problems

LINUX = Target("3.11", "linux-x64")
WINDOWS = Target("3.11", "windows-x64")


def wheel(name: str, *requires: str, version: str = "1.0") -> io.BytesIO:
    """A wheel with one module, named after it."""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {text}\n" for text in requires)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "")
        archive.writestr(f"{name}-{version}.dist-info/METADATA", metadata)
    return file


def test_complete_wheels_have_no_problems() -> None:
    """Requirements that are met, by a wheel or by every Blender's NumPy, and extras and platforms
    that are not asked for, are fine.
    """
    wheels = {
        "solver-1.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl": wheel(
            "solver", "numpy>=1.24", "shapes>=1", "plots; extra == 'nice'", "colours; os_name=='nt'"
        ),
        "shapes-1.0-py3-none-any.whl": wheel("shapes"),
    }

    assert problems(wheels, LINUX, ["solver", "shapes"]) == []


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("solver-1.0-cp311-cp311-win_amd64.whl", LINUX),
        ("solver-1.0-cp313-cp313-manylinux_2_17_x86_64.whl", LINUX),
        ("solver-1.0-cp311-cp311-manylinux_2_34_x86_64.whl", LINUX),  # younger than Blender asks
        ("solver-1.0-cp311-cp311-macosx_14_0_arm64.whl", Target("3.11", "macos-arm64")),
        ("solver-1.0-cp311-cp311-macosx_11_0_x86_64.whl", Target("3.11", "macos-arm64")),
        ("solver-1.0-cp311-cp311-linux_x86_64.whl", WINDOWS),
    ],
)
def test_a_wheel_for_another_machine_is_found(name: str, target: Target) -> None:
    """Another platform, another Python, a younger system than Blender needs: each is named."""
    assert problems({name: wheel("solver")}, target, []) == [
        f"{name} is not for Python 3.11 on {target.platform}."
    ]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_stable_and_pure_wheels_are_for_every_platform(platform: str) -> None:
    """Wheels without compiled code run everywhere."""
    assert problems({"a-1.0-py3-none-any.whl": wheel("a")}, Target("3.13", platform), ["a"]) == []


def test_what_only_one_platform_requires_is_missed_there() -> None:
    """A requirement for Windows is one of the zip for Windows, whatever machine packs it."""
    wheels = {"click-1.0-py3-none-any.whl": wheel("click", 'colorama; sys_platform == "win32"')}

    assert problems(wheels, LINUX, []) == []
    (said,) = problems(wheels, WINDOWS, [])
    assert said == 'click requires colorama; sys_platform == "win32"; here is none.'


def test_a_release_that_does_not_do_is_found() -> None:
    """Another wheel is too old, or the NumPy of one of the Blenders is."""
    wheels = {
        "solver-1.0-py3-none-any.whl": wheel("solver", "shapes>=2", "numpy>=1.25"),
        "shapes-1.0-py3-none-any.whl": wheel("shapes"),
    }

    assert problems(wheels, LINUX, []) == [
        "solver requires shapes>=2; here is 1.0.",
        "solver requires numpy>=1.25; here is 1.24.3, 1.26.4.",
    ]


def test_a_library_that_no_wheel_brings_is_found() -> None:
    """A module that is imported and in no wheel, and one that is in two, are named."""
    wheels = {
        "a-1.0-py3-none-any.whl": wheel("a"),
        "a-2.0-py3-none-any.whl": wheel("a", version="2.0"),
    }

    assert problems(wheels, LINUX, ["a", "scipy"]) == [
        "There is more than one wheel of a.",
        "No wheel holds the module scipy.",
    ]
