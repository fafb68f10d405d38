"""Builds what a release consists of, checks it, and says what to upload where (make release).

python .ci/release.py [-o FOLDER]

Nothing is uploaded and no tag is set: both are done by hand, with what is printed at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for blender_addon, which needs bpy and so is imported late


def main() -> None:
    from shipping.extension import build, index
    from shipping.wheels import NUMPY, PLATFORMS

    parser = argparse.ArgumentParser(description="Build and check a release.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist")
    output = parser.parse_args().output.resolve()
    version = agreed_version(ROOT)
    wheel = build_wheel(output)
    zips = [build(output, python, platform) for platform in PLATFORMS for python in NUMPY]
    for archive in zips:
        check_zip(archive, wheel)
    index(output)
    print(instructions(version, wheel, zips, to_do(ROOT, version)))


def agreed_version(root: Path) -> str:
    """The version that is to be released; exits where files disagree on it."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    manifest = (root / "blender_addon" / "blender_manifest.toml").read_text(encoding="utf-8")
    package = (root / "impulse_core" / "__init__.py").read_text(encoding="utf-8")
    found = {
        "pyproject.toml": project["project"]["version"],
        "blender_addon/blender_manifest.toml": tomllib.loads(manifest)["version"],
        "impulse_core/__init__.py": re.findall(r'^__version__ = "(.*)"$', package, re.MULTILINE)[0],
    }
    if len(set(found.values())) > 1:
        said = ", ".join(f"{version} in {file}" for file, version in found.items())
        sys.exit(f"The files disagree on the version ({said}); write the same in all of them.")
    return found["pyproject.toml"]


def build_wheel(output: Path) -> Path:
    """The wheel, checked in an environment of its own."""
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("impulse_dynamics-*.whl"):
        old.unlink()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", output, ROOT], check=True)
    (wheel,) = output.glob("impulse_dynamics-*.whl")
    subprocess.run([ROOT / ".ci" / "check-wheel", wheel], check=True)
    return wheel


def check_zip(archive: Path, wheel: Path) -> None:
    """The simulator in the zip is that of the wheel; all else was checked when it was packed."""
    with zipfile.ZipFile(archive) as content:
        names = [name for name in content.namelist() if "impulse_dynamics-" in name]
        if len(names) != 1:
            sys.exit(f"{archive.name} holds {len(names)} wheels of Impulse instead of one.")
        held = content.read(names[0])
    if _sources(io.BytesIO(held)) != _sources(wheel):
        sys.exit(f"{archive.name} holds other sources than {wheel.name}; build both anew.")


def _sources(wheel: Path | io.BytesIO) -> dict[str, bytes]:
    """The files of a wheel, but for kernels and what is said of them: those are of one Python."""
    with zipfile.ZipFile(wheel) as content:
        return {
            name: content.read(name)
            for name in content.namelist()
            if ".dist-info/" not in name and "/shipped_kernels/" not in name
        }


def to_do(root: Path, version: str) -> list[str]:
    """What the sources still lack before this version can go out."""
    lacking = []
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if f"\n## [{version}]" not in changes:
        lacking.append(
            f"CHANGELOG.md: move what is under [Unreleased] to [{version}], with the date."
        )
    status = subprocess.run(
        ["git", "-C", root, "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    if status.stdout:
        lacking.append("Commit what is not committed, and build again.")
    return lacking


def instructions(version: str, wheel: Path, zips: list[Path], lacking: list[str]) -> str:
    """What was built, with checksums, and what to do with it."""
    files = "\n".join(
        f"  {file}\n    {file.stat().st_size / 1e6:.1f} MB, SHA-256 {_sha256(file)}"
        for file in (wheel, *zips)
    )
    names = " and ".join(file.name for file in zips)
    steps = [
        *lacking,
        f"Tag the commit: git tag v{version}, and push the tag.",
        f"Upload {wheel.name} to PyPI, as impulse-dynamics {version}.",
        f"Upload {names} to Blender's extensions platform as version {version}.",
        "Put the zips and index.json into one folder of a web server: that is the own repository.",
        "Say of the zips for Windows and macOS that they were built and not tried.",
        f"Attach all files to the release v{version} of the repository, with the checksums above.",
    ]
    numbered = "\n".join(f"  {number}. {step}" for number, step in enumerate(steps, 1))
    return f"Built and checked:\n{files}\n\nTo do:\n{numbered}"


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


if __name__ == "__main__":
    main()
