"""Compiles every kernel that a run can need, for a processor that most machines include.

    python -m shipping.kernels FOLDER

Short runs of all samples, methods and solvers compile what is missing into a cache in build/. Then
the same runs show that nothing is missing any more, and which files were read. These and a note of
what they are made for are what FOLDER then holds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "build" / "baseline-kernels"
BASELINE = "x86-64-v3"
IN_VAIN = 3
# Not by PYTHONPATH: in its environments for builds, pip takes out of it what an editable install
# has added to the path as well.
RUNS = f"""
import sys
sys.path[:0] = {[str(ROOT), str(ROOT / "schema")]}
from shipping.runs import main
main()
"""


def main(folder: Path) -> int:
    from impulse_core.jit.shipped import BASELINES

    if missing := BASELINES["x86_64"].missing(host_features()):
        print(f"This processor lacks {', '.join(missing)} of {BASELINE}.", file=sys.stderr)
        return IN_VAIN
    listed = short_runs()
    if listed[0] != "0":
        listed = short_runs()
    pack(folder, listed)
    return 0


def host_features() -> str:
    import llvmlite.binding

    return str(llvmlite.binding.get_host_cpu_features().flatten())


def short_runs() -> list[str]:
    """Run everything in a process of its own; returns what ``shipping.runs`` says in the end."""
    environment = os.environ | {
        "IMPULSE_CACHE_DIR": str(CACHE),
        "NUMBA_CPU_NAME": BASELINE,
        "NUMBA_CPU_FEATURES": "",
        # Kernels that call a library of vector functions end the process where it is missing.
        "NUMBA_DISABLE_INTEL_SVML": "1",
    }
    for name in ("NUMBA_OPT", "NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", RUNS],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def pack(folder: Path, listed: list[str]) -> None:
    """Copy the kernels that the last process found on disk, and say what they are made for."""
    from impulse_core.jit.shipped import write_made_for

    compiled, sources, triple, *files = listed
    if compiled != "0":
        sys.exit(f"{compiled} kernels were compiled that the runs before had compiled already.")
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(set(files)):
        shutil.copy(file, folder)
    write_made_for(folder, sources, (triple, BASELINE, ""))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
