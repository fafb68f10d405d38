"""The pictures of docs/benchmarks.md."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from scaling import Size, exponent
from work_precision import JOINT_TARGET, Result

__all__ = ["draw_growth", "draw_work_precision"]

OURS = {"imp2": "C0", "imp4": "C1", "imp6": "C2", "imp8": "C3", "imp10": "C4", "lmvd8": "C5"}
THEIRS = {"Euler": "0.65", "implicitfast": "0.5", "RK4": "0.1"}
FLOOR = 1e-15  # errors below are drawn there


def draw_work_precision(results: list[Result], path: Path) -> None:
    """Time over error, one panel a scene."""
    columns = 3
    rows = math.ceil(len(results) / columns)
    figure, panels = plt.subplots(
        rows, columns, figsize=(10.5, 2.9 * rows), layout="constrained", squeeze=False
    )
    labels: dict[str, object] = {}
    for panel, result in zip(panels.flat, results, strict=False):
        for name, points in curves(result).items():
            (line,) = panel.loglog(*zip(*points, strict=True), **style(name))
            labels.setdefault(name, line)
        panel.set_title(result.name, fontsize=10)
        panel.invert_xaxis()
        panel.grid(alpha=0.25)
        panel.tick_params(labelsize=8)
    for panel in panels.flat[len(results) :]:
        panel.axis("off")
    figure.supxlabel("relative energy error (smaller to the right)", fontsize=10)
    figure.supylabel("wall ms per simulated second", fontsize=10)
    order = sorted(labels, key=lambda name: (name.startswith("MuJoCo"), len(name), name))
    figure.legend(
        [labels[name] for name in order], order, loc="outside upper center", ncols=6, fontsize=8
    )
    figure.savefig(path, dpi=90)
    plt.close(figure)


def curves(result: Result) -> dict[str, list[tuple[float, float]]]:
    """By method, error and ms, in order of the error; only what keeps the joints closed."""
    points: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for setting, run in result.runs.items():
        if run.joint_error <= JOINT_TARGET and run.energy_error < 1.0:
            points[setting.name].append((max(run.energy_error, FLOOR), 1e3 * run.seconds))
    return {name: sorted(each) for name, each in points.items()}


def style(name: str) -> dict[str, object]:
    tuned = name.endswith("tuned")
    if name.startswith("MuJoCo"):
        color = THEIRS[name.removeprefix("MuJoCo ").removesuffix(", tuned")]
        return {"color": color, "marker": "x", "ms": 5, "ls": "--" if tuned else "-", "lw": 1.2}
    return {"color": OURS[name], "marker": "o", "ms": 3, "ls": "-", "lw": 1.0}


def draw_growth(families: dict[str, list[Size]], path: Path) -> None:
    """Time and memory of each family against the number of joints."""
    figure, (time, memory) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
    for name, sizes in families.items():
        joints = [size.joints for size in sizes]
        for axes, values in (
            (time, [size.microseconds for size in sizes]),
            (memory, [size.megabytes for size in sizes]),
        ):
            label = f"{name}, exponent {exponent(sizes, values):.2f}"
            axes.loglog(joints, values, "o-", ms=4, label=label)
    time.set(xlabel="joints", ylabel="µs a step")
    memory.set(xlabel="joints", ylabel="MB of arrays")
    for axes in (time, memory):
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=90)
    plt.close(figure)
