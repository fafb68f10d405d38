"""Fails unless the wheel holds every tracked file of the three packages, the sample scenes with
their meshes, and besides them compiled kernels and nothing else.

python .ci/wheel_contents.py CHECKOUT WHEEL
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

KERNELS = "impulse_core/shipped_kernels/"
# Where the tracked files of a folder lie in the wheel.
FOLDERS = {
    "impulse_core": "impulse_core",
    "schema/impulse_schema": "impulse_schema",
    "cli/impulse_cli": "impulse_cli",
    "sample_scenes": "impulse_cli/sample_scenes",
}
# What of the samples is for those who work on them.
LEFT_OUT = {"sample_scenes": (".md", ".py", ".toml")}


def main(checkout: Path, wheel: Path) -> int:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        packed = sum(i.compress_size for i in archive.infolist() if i.filename.startswith(KERNELS))
    kernels = {name for name in held if name.startswith(KERNELS)}
    held -= kernels
    wanted = set()
    for folder, place in FOLDERS.items():
        tracked = subprocess.run(
            ["git", "-C", str(checkout), "ls-files", folder],
            check=True,
            capture_output=True,
            text=True,
        )
        wanted |= {
            place + name.removeprefix(folder)
            for name in tracked.stdout.splitlines()
            if not name.endswith(LEFT_OUT.get(folder, ()))
        }
    for name in sorted(wanted - held):
        print(f"missing from the wheel: {name}")
    for name in sorted(held - wanted):
        print(f"in the wheel but not tracked: {name}")
    print(f"{wheel.name}: {len(held)} files, {len(kernels)} of kernels ({packed / 1e6:.1f} MB)")
    return int(held != wanted)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
