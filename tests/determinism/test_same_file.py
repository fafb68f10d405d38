"""The same scene is the same motion: in XML or JSON, from any folder, with any hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import save_scene

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
WEDGE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
WITH_A_MESH = """<scene version="1">
  <mesh name="wedge" file="wedge.obj" scale="0.5"/>
  <body name="it" position="0 0 0.3" angular_velocity="1 2 3" density="500">
    <geometry shape="convex_hull" mesh="wedge"/>
  </body>
  <body name="floor" motion="static"><geometry shape="plane"/></body>
</scene>"""
# Contact, driven axes, closed loops, and a mesh from a file beside the scene.
SCENES = ["contact/sledge-pendulum-rough", "machines/car-driving", "mechanisms/bricard", "mesh"]
DURATION = 0.3  # s


@pytest.fixture
def home(tmp_path):
    """A folder with the mesh that one of the scenes names."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "wedge.obj").write_text(WEDGE)
    return folder


def original(name, home):
    """The XML file of a scene."""
    if name != "mesh":
        return SAMPLES / f"{name}.xml"
    path = home / "mesh.xml"
    path.write_text(WITH_A_MESH)
    return path


def run_elsewhere(scene: Path, output: Path, folder: Path, seed: str) -> ic.Recording:
    """What ``impulse run`` writes, started in another folder with another hash seed."""
    folder.mkdir()
    words = ["-o", os.path.relpath(output, folder), "--duration", str(DURATION), "--threads", "2"]
    subprocess.run(
        [sys.executable, "-m", "impulse_cli", "run", os.path.relpath(scene, folder), *words],
        cwd=folder,
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
        timeout=300,
    )
    return ic.load_recording(output)


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("name", SCENES)
def test_notation_folder_hash_seed_and_threads(name, suffix, home, tmp_path):
    """JSON in another process, folder, hash seed and number of threads: every number the same."""
    scene = ic.load_scene(original(name, home))
    expected = ic.simulate(scene, duration=DURATION)
    other = home / "scene.json"
    save_scene(scene, other)

    found = run_elsewhere(other, tmp_path / f"out{suffix}", tmp_path / "there", "7")

    assert found.diagnostics["state_sha256"] == expected.diagnostics["state_sha256"]
    for key in ("times", "positions", "orientations"):
        assert np.array_equal(getattr(found, key), getattr(expected, key)), key
    for key in ("energy", "momentum"):
        mine, theirs = getattr(expected, key), getattr(found, key)
        assert all(np.array_equal(mine[name], theirs[name]) for name in mine), key
    for joint, quantities in expected.joints.items():
        for quantity, values in quantities.items():
            assert np.array_equal(values, found.joints[joint][quantity]), (joint, quantity)
