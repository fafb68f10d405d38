"""Compiles every kernel that a run can need, for a processor that most machines include.

    python -m shipping.kernels FOLDER

Short runs of all samples, methods and solvers compile what is missing into a cache in build/, in
two processes. Then the same runs show that nothing is missing any more, and which files were read.
These and a note of what they are made for are what FOLDER then holds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "build" / "baseline-kernels"
BASELINE = "x86-64-v3"
SETTINGS = {
    "IMPULSE_CACHE_DIR": str(CACHE),
    "NUMBA_CPU_NAME": BASELINE,
    "NUMBA_CPU_FEATURES": "",
    # Kernels that call a library of vector functions end the process where it is missing.
    "NUMBA_DISABLE_INTEL_SVML": "1",
}
"""Of the environment in which they are compiled, and loaded again."""
IN_VAIN = 3
# Not by PYTHONPATH: in its environments for builds, pip takes out of it what an editable install
# has added to the path as well.
RUNS = f"""
import sys
sys.path[:0] = {[str(ROOT), str(ROOT / "schema")]}
from shipping.runs import main
main(sys.argv[1], from_the_back=sys.argv[2] == "back")
"""


def main(folder: Path) -> int:
    from impulse_core.jit.shipped import BASELINES

    if missing := BASELINES["x86_64"].missing(host_features()):
        print(f"This processor lacks {', '.join(missing)} of {BASELINE}.", file=sys.stderr)
        return IN_VAIN
    made = short_runs()
    if made.compiled:
        made = short_runs()
    pack(folder, made)
    return 0


def host_features() -> str:
    import llvmlite.binding

    return str(llvmlite.binding.get_host_cpu_features().flatten())


@dataclass
class Made:
    """What the processes that made the short runs say in the end.

    Attributes:
        compiled: how many kernels they had to compile.
        sources: hash of the sources.
        triple: what LLVM calls the machine that kernels are for.
        files: of the kernels that they found on disk.
    """

    compiled: int
    sources: str
    triple: str
    files: set[str]


def short_runs() -> Made:
    """Run everything, in two processes that begin at either end."""
    with tempfile.TemporaryDirectory() as claims:
        started = [start(claims, end) for end in ("front", "back")]
        said = [process.communicate()[0].splitlines() for process in started]
    if any(process.returncode for process in started):
        sys.exit("The short runs that need all kernels failed; what is wrong is said above.")
    (_, sources, triple, *_), _ = said
    files = {file for _, _, _, *found in said for file in found}
    return Made(sum(int(lines[0]) for lines in said), sources, triple, files)


def start(claims: str, end: str) -> subprocess.Popen[str]:
    """A process that makes the runs that no other has claimed, from one end."""
    environment = os.environ | SETTINGS
    for name in ("NUMBA_OPT", "NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"):
        environment.pop(name, None)
    return subprocess.Popen(
        [sys.executable, "-c", RUNS, claims, end],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def pack(folder: Path, made: Made) -> None:
    """Copy the kernels that the last processes found on disk, and say what they are made for."""
    from impulse_core.jit.shipped import write_made_for

    if made.compiled:
        sys.exit(
            f"{made.compiled} kernels were compiled that the runs before had compiled already."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(made.files):
        shutil.copy(file, folder)
    write_made_for(folder, made.sources, (made.triple, BASELINE, ""))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
