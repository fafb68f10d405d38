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
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import joint_trees  # noqa: E402
import start_up  # noqa: E402

ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "benchmarks.md")
    output = parser.parse_args().output
    picture = output.parent / "images" / "tree-growth.png"
    picture.parent.mkdir(parents=True, exist_ok=True)

    comparisons = [
        joint_trees.compare(scene, ROUNDS)
        for scene in (joint_trees.tree(127), joint_trees.hub(127))
    ]
    growth = joint_trees.growth(joint_trees.SIZES, ROUNDS)
    draw_growth(growth, picture)
    sections = [
        introduction(),
        trees(comparisons),
        sizes(growth, picture.relative_to(output.parent)),
        waiting(start_up.measure()),
        script("Mass properties", "A mesh of one million triangles.", "mass_properties.py"),
        script("Keyframes", "Writing an animation into Blender.", "keyframes.py", needs="bpy"),
    ]
    output.write_text("\n".join(sections), encoding="utf-8")
    print(f"wrote {output} and {picture}")


def introduction() -> str:
    names = ("impulse-dynamics", "numba", "numpy", "mujoco")
    versions = ", ".join(f"{name} {version(name)}" for name in names if version(name))
    return f"""# Benchmarks

Written by `make bench`: {processor()}, {os.cpu_count()} cores, Python {platform.python_version()},
{versions}.

One thread, float64. The best of {ROUNDS} rounds counts; compile time is apart. Times vary
between machines and with what else runs on them: compare the ratios within one run.
"""


def trees(comparisons: list[joint_trees.Comparison]) -> str:
    lines = [
        "## A step of a tree and of a hub",
        "",
        (
            f"imp2, h = {joint_trees.STEP:g} s, tolerance {joint_trees.TOLERANCE:g} m; the first"
            f" {joint_trees.SIMULATED:g} s, while the torque acts. MuJoCo steps the same scene in"
            " turns in the same process, with its default semi-implicit Euler method of order one;"
            " its coordinates keep the joints of a tree closed."
        ),
        "",
        "| scene | µs a step | corrections | largest joint error [m] | MuJoCo Euler µs | ratio |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for c in comparisons:
        beside = "not installed | –" if c.mujoco is None else f"{c.mujoco:.1f} | {c.ratio:.2f}"
        lines.append(
            f"| `{c.scene}` | {c.impulse:.1f} | {c.corrections:.2f} | {c.joint_error:.1e}"
            f" | {beside} |"
        )
    return "\n".join([*lines, ""])


def sizes(growth: joint_trees.Growth, picture: Path) -> str:
    lines = [
        "## Growth with the number of bodies",
        "",
        (
            "The same mobile with a tenth of the torque, 0.5 s. Time grows as N to the power of"
            f" **{growth.exponent:.2f}** (least squares over all sizes, corrections included)."
            " At the full torque the largest trees whirl too fast for this step"
            " (design/direct-solver.md)."
        ),
        "",
        f"![Microseconds per step against bodies]({picture.as_posix()})",
        "",
        "| bodies | µs a step | µs a body-step | corrections |",
        "| --- | --- | --- | --- |",
    ]
    for bodies, microseconds, corrections in zip(
        growth.sizes, growth.microseconds, growth.corrections, strict=True
    ):
        each = microseconds / bodies
        lines.append(f"| {bodies} | {microseconds:.1f} | {each:.3f} | {corrections:.2f} |")
    return "\n".join([*lines, ""])


def waiting(result: start_up.StartUp) -> str:
    return f"""## Waiting

Wall time of the whole command, Python's own start included, on `pendulum.xml` (10 s of imp8).

| command | seconds |
| --- | --- |
| `impulse run` for the first time: compiles kernels, and says so | {result.cold:.1f} |
| `impulse run`, later | {result.warm:.2f} |
| `impulse validate` | {result.validate:.2f} |
"""


def script(title: str, what: str, name: str, *, needs: str | None = None) -> str:
    """What another benchmark of this folder prints."""
    heading = f"## {title}\n\n{what}\n"
    if needs is not None and importlib.util.find_spec(needs) is None:
        return f"{heading}\nNot run: {needs} is not installed here.\n"
    printed = subprocess.run(
        [sys.executable, str(HERE / name)], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout
    return f"{heading}\n```\n{printed.strip()}\n```\n"


def draw_growth(growth: joint_trees.Growth, path: Path) -> None:
    sizes, microseconds = np.array(growth.sizes), np.array(growth.microseconds)
    figure, axes = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
    axes.loglog(sizes, microseconds, "o-", label=f"imp2, exponent {growth.exponent:.2f}")
    axes.loglog(sizes, microseconds[0] * sizes / sizes[0], "--", color="0.6", label="proportional")
    axes.set(xlabel="bodies", ylabel="µs a step")
    axes.grid(alpha=0.3, which="both")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


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
