"""make release: the files agree on the version, and what is printed says what to do."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITH_VERSION = ("pyproject.toml", "blender_addon/blender_manifest.toml", "impulse_core/__init__.py")


@pytest.fixture(scope="module")
def release() -> dict[str, Any]:
    """The names of the script."""
    return runpy.run_path(str(ROOT / ".ci" / "release.py"))


def test_the_files_agree_on_the_version(release: dict[str, Any]) -> None:
    """pyproject.toml, the add-on's manifest and the package name one version."""
    assert release["agreed_version"](ROOT).count(".") == 2


@pytest.mark.parametrize("file", WITH_VERSION)
def test_another_version_in_one_file_is_refused(
    release: dict[str, Any], tmp_path: Path, file: str
) -> None:
    """Nothing is built where the files disagree; each is named with what it says."""
    for name in WITH_VERSION:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    version = release["agreed_version"](tmp_path)
    changed = (tmp_path / file).read_text(encoding="utf-8").replace(f'"{version}"', '"9.9.9"', 1)
    (tmp_path / file).write_text(changed, encoding="utf-8")

    with pytest.raises(SystemExit, match=f"disagree on the version.*9.9.9 in {file}"):
        release["agreed_version"](tmp_path)


def test_what_to_upload_is_printed(release: dict[str, Any], tmp_path: Path) -> None:
    """Every file stands there with its checksum and the place it goes to, what is lacking first."""
    wheel, archive = tmp_path / "a-1.2.3.whl", tmp_path / "b.zip"
    wheel.write_bytes(b"")
    archive.write_bytes(b"")

    lines = release["instructions"]("1.2.3", wheel, [archive], ["Write the changes."]).splitlines()

    nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sum(nothing in line for line in lines) == 2
    steps = lines[lines.index("To do:") + 1 :]
    assert steps[0] == "  1. Write the changes."
    assert any("a-1.2.3.whl to PyPI" in step for step in steps)
    assert any("b.zip" in step and "extensions platform" in step for step in steps)


def test_changelog_without_the_version_is_to_do(release: dict[str, Any], tmp_path: Path) -> None:
    """A version that the changelog does not name is pointed out, one that it names is not."""
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n")
    assert any("CHANGELOG.md" in step for step in release["to_do"](tmp_path, "1.2.3"))

    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.2.3] - 2030-01-01\n")
    assert not any("CHANGELOG.md" in step for step in release["to_do"](tmp_path, "1.2.3"))
