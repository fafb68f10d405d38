"""What has to start at once loads nothing that takes long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
HEAVY = {"numba", "llvmlite", "scipy", "mujoco", "matplotlib"}
PENDULUM = str(SAMPLES / "pendulums" / "pendulum.xml")
# Their masses or shapes are computed: by kernels from a mesh, with SciPy's convex hull from an
# ellipsoid that may touch another body.
COMPUTED = ("<mesh", 'shape="ellipsoid"')


def loaded_by(program: str) -> set[str]:
    """The heavy packages that a Python program of its own has loaded at its end."""
    finished = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sorted(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return HEAVY & set(finished.stdout.splitlines()[-1].split())


def command(*words: str) -> str:
    """A program that runs a command line, which must succeed."""
    return f"from impulse_cli.main import execute\nassert execute({list(words)!r}) == 0"


@pytest.mark.parametrize(
    "program",
    [
        "import impulse_core",
        command("--help"),
        command("example"),
        command("validate", PENDULUM),
        command("convert", PENDULUM, "pendulum.json"),
    ],
    ids=["import", "help", "example", "validate", "convert"],
)
def test_starts_without_what_takes_long(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the compiler of the kernels nor SciPy, MuJoCo or Matplotlib is imported."""
    monkeypatch.chdir(tmp_path)

    assert loaded_by(program) == set()


def test_scenes_without_meshes_are_validated_without_kernels() -> None:
    """Joints, motors, paths, contact: all that needs no solid computed is checked at once."""
    scenes = [
        str(file)
        for file in sorted(SAMPLES.glob("*/*.xml"))
        if not any(sign in file.read_text(encoding="utf-8") for sign in COMPUTED)
    ]
    assert len(scenes) > 25

    assert loaded_by(command("validate", *scenes)) == set()


def test_the_probe_sees_what_is_loaded() -> None:
    """A program that does load the compiler is found out."""
    assert "numba" in loaded_by("import impulse_core.jit")
