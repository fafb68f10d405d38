"""Runs every benchmark and writes docs/benchmarks.md (make bench).

python benchmarks/run.py [--output docs/benchmarks.md]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from cases import comparisons
from contact import measure_contact
from contact_page import contact_section, write_contact
from engines import mujoco_is_installed
from figures import draw_growth, draw_work_precision
from large import large_section
from machines import machines_section
from milestones import milestones
from pages import (
    growth,
    milestone_table,
    robustness,
    steps,
    waiting,
    work_precision,
    wrapped,
    write_points,
)
from robustness import ordeals, suffer
from scaling import FAMILIES, measure_family
from start_up import measure
from step_cost import step_costs
from work_precision import compare, difference_of_motion

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "benchmarks.md")
    output = parser.parse_args().output
    images = output.parent / "images"
    images.mkdir(parents=True, exist_ok=True)

    began = time.perf_counter()
    results = []
    for comparison in comparisons():
        tell(began, f"work and precision of {comparison.case.scene.name}")
        results.append(compare(comparison))
    together = {result.name: result for result in results}
    tell(began, "the same motion")
    apart = {
        name: difference_of_motion(together[name].comparison)
        for name in SAME_MOTION
        if mujoco_is_installed()
    }
    tell(began, "one step")
    costs = step_costs()
    tell(began, "growth")
    families = {name: measure_family(name) for name in FAMILIES}
    tell(began, "goals")
    goals = list(milestones(together, families))
    touching = measure_contact(partial(tell, began))
    tell(began, "hard cases")
    outcomes = [(ordeal, suffer(ordeal)) for ordeal in ordeals()]
    tell(began, "waiting, mass properties, keyframes")
    draw_work_precision(results, images / "work-precision.png")
    draw_growth(families, images / "growth.png")
    write_points(results, output.with_suffix(".csv"))
    write_contact(touching, output.with_name(f"{output.stem}-contact.csv"))
    sections = [
        introduction(),
        milestone_table(goals),
        work_precision(results, apart, "images/work-precision.png"),
        steps(costs),
        growth(families, "images/growth.png"),
        contact_section(touching),
        large_section(),
        machines_section() if mujoco_is_installed() else "",
        robustness(outcomes),
        waiting(measure()),
        script("Mass properties", "A mesh of one million triangles.", "mass_properties.py"),
        printed("addon.py") if importlib.util.find_spec("bpy") else "",
    ]
    output.write_text(
        "\n\n".join(wrapped(part.strip()) for part in sections if part) + "\n", encoding="utf-8"
    )
    tell(began, f"wrote {output}")


SAME_MOTION = ("pendulum-3", "four-bar-clear", "chain-8-loop", "tree-127", "hub-127")


def tell(began: float, what: str) -> None:
    print(f"{time.perf_counter() - began:5.0f} s  {what}", file=sys.stderr, flush=True)


def introduction() -> str:
    names = ("impulse-dynamics", "numba", "numpy", "mujoco")
    versions = ", ".join(f"{name} {version(name)}" for name in names if version(name))
    return f"""# Benchmarks

Written by `make bench`: {processor()}, {os.cpu_count()} cores, Python {platform.python_version()},
{versions}.

One thread; float64, but for sweeps over large heaps; the best of several rounds counts; compile
time is apart. Times vary between machines and with what else runs on them: compare the ratios
within one run.
"""


def script(title: str, what: str, name: str) -> str:
    """What another benchmark of this folder prints, as it stands."""
    return f"## {title}\n\n{what}\n\n```\n{printed(name)}\n```\n"


def printed(name: str) -> str:
    """What another benchmark of this folder prints."""
    return subprocess.run(
        [sys.executable, str(HERE / name)], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout.strip()


def version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def processor() -> str:
    """The processor's name, as the system knows it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
