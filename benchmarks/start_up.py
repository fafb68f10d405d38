"""How long a user waits: `impulse run` on the pendulum with warm and with cold kernels.

python benchmarks/start_up.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PENDULUM = ROOT / "sample_scenes" / "pendulums" / "pendulum.xml"
ROUNDS = 3


@dataclass(frozen=True)
class StartUp:
    """Wall seconds of the whole command."""

    cold: float
    warm: float
    validate: float


def measure() -> StartUp:
    """Compile into an empty cache, then use it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"IMPULSE_CACHE_DIR": folder}
        run = ("run", str(PENDULUM), "-o", str(Path(folder) / "anim.npz"))
        cold = _seconds(run, environment)
        warm = min(_seconds(run, environment) for _ in range(ROUNDS))
        validate = min(_seconds(("validate", str(PENDULUM)), environment) for _ in range(ROUNDS))
    return StartUp(cold, warm, validate)


def _seconds(arguments: tuple[str, ...], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "impulse_cli", *arguments],
        env=environment,
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - began


if __name__ == "__main__":
    result = measure()
    print(f"impulse run pendulum.xml, kernels compiled first: {result.cold:6.2f} s")
    print(f"impulse run pendulum.xml, kernels in the cache:   {result.warm:6.2f} s")
    print(f"impulse validate pendulum.xml:                    {result.validate:6.2f} s")
