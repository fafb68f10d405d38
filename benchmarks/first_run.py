"""How long the first run takes after an installation: from the start of `impulse run` to the file.

    python benchmarks/first_run.py WHEEL [--runs 3]

Installs the wheel with all that it requires in an environment of its own. Each first run has an
empty cache of kernels. Processor time and wall time, the least of several runs each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[1] / "sample_scenes"
SCENES = {
    "walking machine, its first second": "walking/walking-machine.xml",
    "car on the road, its first second": "machines/car-driving.xml",
    "pendulum, its first second": "pendulums/pendulum.xml",
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the first run of an installed wheel.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = installed(options.wheel, Path(folder) / "venv")
        print("| first run of | processor s | wall s | kernels compiled |")
        print("| --- | --- | --- | --- |")
        for name, scene in SCENES.items():
            runs = [first_run(python, SAMPLES / scene) for _ in range(options.runs)]
            busy, wall, compiled = (min(values) for values in zip(*runs, strict=True))
            print(f"| {name} | {busy:.2f} | {wall:.2f} | {compiled} |")


def installed(wheel: Path, folder: Path) -> Path:
    """The Python of a new environment with the wheel in it."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    run(python, Path(folder) / "warm", SAMPLES / SCENES["pendulum, its first second"])  # .pyc files
    return python


def first_run(python: Path, scene: Path) -> tuple[float, float, int]:
    """Processor time [s], wall time [s] and kernels compiled, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        return run(python, Path(folder), scene)


def run(python: Path, folder: Path, scene: Path) -> tuple[float, float, int]:
    report = folder / "report.json"
    folder.mkdir(exist_ok=True)
    arguments = ["--duration", "1", "-o", str(folder / "out.json"), "--report", str(report)]
    environment = os.environ | {"IMPULSE_CACHE_DIR": str(folder / "cache")}
    before, began = os.times(), time.perf_counter()
    subprocess.run(
        [python, "-m", "impulse_cli", "run", scene, *arguments],
        cwd=folder,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    wall, after = time.perf_counter() - began, os.times()
    busy = sum(after[k] - before[k] for k in (2, 3))  # of children that ended
    return busy, wall, json.loads(report.read_text())["kernels_compiled"]


if __name__ == "__main__":
    main()
