"""The demos where Blender's module is missing; with it, the parts are tested one by one."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"


@pytest.fixture
def run_demo(tmp_path):
    """Runs a demo with a module bpy that fails to import with this message."""

    def run_demo(folder, message):
        fake = tmp_path / "fake" / "bpy"
        fake.mkdir(parents=True)
        (fake / "__init__.py").write_text(f"raise ImportError({message!r})\n")
        return subprocess.run(
            [sys.executable, SAMPLES / folder / "demo.py", "-o", tmp_path / "out"],
            env={**os.environ, "PYTHONPATH": str(fake.parent)},
            check=False,
            capture_output=True,
            text=True,
        )

    return run_demo


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "picture"), [("walking", "walking-machine.png"), ("crane", "crane.png")]
)
def test_a_missing_library_is_named_with_its_package(run_demo, tmp_path, folder, picture):
    """The demo says what to install, and draws the motion of the shipped scene instead."""
    done = run_demo(folder, "libSM.so.6: cannot open shared object file: No such file or directory")

    assert done.returncode == 0, done.stderr
    assert "libSM.so.6 is missing" in done.stdout
    assert "apt-get install libsm6" in done.stdout
    assert (tmp_path / "out" / picture).stat().st_size > 10_000


def test_every_library_bpy_needs_has_a_package(monkeypatch):
    """What the dynamic linker would look for outside the wheel is in system-packages.txt."""
    monkeypatch.syspath_prepend(str(SAMPLES))
    import demo_tools

    module = importlib.util.find_spec("bpy").origin
    listed = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout
    graphical = [
        line.split()[0]
        for line in listed.splitlines()
        if line.strip().startswith(("libX", "libSM", "libICE", "libGL.", "libxkb"))
    ]
    assert graphical
    direct = [name for name in graphical if name not in {"libXau.so.6", "libXdmcp.so.6"}]
    assert [name for name in direct if not demo_tools.debian_package(name)] == []
