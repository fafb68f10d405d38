"""The section of docs/benchmarks.md on contact, and its numbers as a table.

    python benchmarks/contact_page.py [--output docs/benchmarks.md] [--heap 5]

Measures and writes only this section, which make bench writes with all others.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from contact import (
    AT_REST,
    FALLING,
    GROWING,
    LARGE,
    STEP,
    Contact,
    Fall,
    Landing,
    Slide,
    growth_exponents,
    measure_contact,
)
from milestones import Milestone
from pages import goals, table, wrapped
from toppling import NEAR, Wave

__all__ = ["contact_section", "replace_section", "write_contact"]

HEADING = "## Contact"
PUBLISHED = 0.00572  # m, worst stopping error of BFS05 at h = 0.01 s
COLUMNS, HEAP, LARGE_HEAP = "cubes-1000", "cubes-1000-brick", f"cubes-{LARGE**3}-brick"
STONES = "rubble-300"
LIMITS = {  # time over MuJoCo's, largest overlap [m], worst step over the mean
    COLUMNS: (0.45, 1e-4, 4.0),
    HEAP: (0.35, 3e-4, 5.0),
    LARGE_HEAP: (math.nan, 5e-4, 5.0),
    STONES: (math.nan, 3e-4, math.inf),
}


def contact_section(measured: Contact) -> str:
    """Targets and what is reached, then every run."""
    walk = measured.walk
    return f"""{HEADING}

Goals of this project beside what it reaches in this run, in one process with MuJoCo, in turns. A
step of the columns counts with the least time of two rounds, a step of the heap with its only one,
each in processor time of the one thread; the walking machine with the wall time of its best run.

{goals(list(contact_goals(measured)))}

### Cubes and stones

Cubes of 600 kg and 1 m, turned by up to 5 degrees, friction 0.5, in layers 0.1 m apart, fall on a
plane; h = {STEP:g} s. `{COLUMNS}` are 100 columns, `{HEAP}` is one heap whose borders topple.
Columns fall for {FALLING:g} s, heaps for {simulated(measured, HEAP):g} s. `{STONES}` is a
wall of convex stones without mortar that a ball on a chain knocks down; h = 0.005 s,
{simulated(measured, STONES):g} s. MuJoCo has the same bodies, elliptic cones and its default
stiffness, Bullet its defaults with 50 iterations. Overlaps are what each engine's own detection
finds; "later" is the largest of the second half of the run; the ratio is to the next row. Rest is
the time from which the kinetic energy stays below {AT_REST:g} J. Columns at rest are looked at in
one step of seventeen ([naps](algorithm.md#naps)), by which their mean gains, and by which their
worst step, which is one of the landing, is more times the mean.

{table(FALL_HEAD, [fall_row(run, measured.falls) for run in measured.falls])}

Time of a step over the first {GROWING:g} s, in which heaps land. A larger one lands for longer, and
each layer that lands disturbs all below it, so that the mean grows faster than the slowest step.
Columns of ten are as high, whatever their number.

{table(GROWTH_HEAD, [growth_row(*family) for family in measured.growth.items()])}

### Dominoes

Rows that topple, at the largest step whose wave is as fast, within {100 * NEAR:g} %, as the same
engine's at an eighth of it. The rise of the energy is the largest in a step, over the energy at the
start.

{table(WAVE_HEAD, [wave_row(wave, measured.waves) for wave in measured.waves])}

### Sliding cubes

Ten cubes on a slope of 22.5 degrees, each with its own friction, stop after distances that are
exact (BFS05, table 1; published error {PUBLISHED:g} m). MuJoCo with elliptic cones, its default
stiffness and impratio 1.

{table(SLIDE_HEAD, [slide_row(run) for run in measured.slides])}

### Walking machine

Six legs on a plane with friction, h = {walk.step:g} s, 10 s: {1 / walk.seconds:.3g} × real time
({1e3 * walk.seconds * walk.step:.3g} ms a step, at most {1e3 * walk.worst:.3g} ms),
{walk.distance:.2f} m walked, joint error at most {walk.joint_error:.1e} m (allowed
{walk.tolerance:.0e} m), {walk.halvings} halvings, energy balance closed to {walk.drift:.1e} of the
work of the motors.

All numbers are in [benchmarks-contact.csv](benchmarks-contact.csv).
"""


FALL_HEAD = [
    "scene", "engine", "ms/step", "worst ms", "ratio", "largest overlap [mm]", "later",
    "at the end", "kinetic energy at the end [J]", "rest [s]", "points",
]  # fmt: skip
GROWTH_HEAD = ["heap", "mean [ms] (cubes)", "exponent", "slowest step [ms] (cubes)", "exponent"]
WAVE_HEAD = [
    "dominoes", "engine", "h [ms]", "wave [m/s]", "ms/s", "ratio", "rise of the energy",
    "largest overlap [mm]",
]  # fmt: skip
SLIDE_HEAD = ["engine", "h [s]", "largest error [m]", "largest hop [m]", "ms/s"]


def fall_row(run: Fall, falls: list[Fall]) -> list[str]:
    beside = [other for other in falls if other.scene == run.scene and ours(other) != ours(run)]
    ratio = "–"
    if ours(run) and beside:
        ratio = f"{run.seconds.mean() / beside[0].seconds.mean():.2f}"
    return [
        f"`{run.scene}`",
        run.engine,
        f"{1e3 * run.seconds.mean():.2f}",
        f"{1e3 * run.seconds.max():.1f}",
        ratio,
        *(f"{1e3 * depth:.2g}" for depth in (run.depth.max(), later(run), run.depth[-1])),
        f"{run.kinetic[-1]:.2g}",
        f"{run.rest:.2f}" if math.isfinite(run.rest) else "not yet",
        str(run.contacts),
    ]


def growth_row(family: str, growth: dict[int, Landing]) -> list[str]:
    exponents = growth_exponents(growth)
    cells = [family]
    for k in range(len(exponents)):
        times = ", ".join(f"{1e3 * times[k]:.3g} ({count})" for count, times in growth.items())
        cells += [times, f"{exponents[k]:.2f}"]
    return cells


def slide_row(run: Slide) -> list[str]:
    return [
        run.engine, f"{run.step:g}", f"{run.error:.2g}", f"{run.hop:.1e}",
        f"{1e3 * run.seconds:.3g}",
    ]  # fmt: skip


def wave_row(wave: Wave, waves: list[Wave]) -> list[str]:
    beside = [other for other in waves if other.count == wave.count and other is not wave]
    ratio = "–"
    if beside and wave.engine == "Impulse":
        ratio = f"{wave.seconds / beside[0].seconds:.2f}"
    return [
        str(wave.count), wave.engine, f"{1e3 * wave.step:.3g}", f"{wave.speed:.3f}",
        f"{1e3 * wave.seconds:.3g}", ratio, f"{wave.rise:.1e}", f"{1e3 * wave.depth:.2g}",
    ]  # fmt: skip


def contact_goals(measured: Contact) -> Iterator[Milestone]:
    """The numbers set out to reach."""
    for run in measured.falls:
        if ours(run):
            yield from fall_goals(run, measured.falls)
    yield Milestone(
        f"`{COLUMNS}` at rest: detection alone", 2.0, 1e3 * measured.detection, "ms", "all phases"
    )
    for family, growth in measured.growth.items():
        yield Milestone(
            f"{family}, {min(growth)} to {max(growth)} cubes: exponent of a step's time",
            1.1,
            growth_exponents(growth).mean,
            "",
            f"the first {GROWING:g} s; of the slowest step {growth_exponents(growth).slowest:.2f}",
        )
    for wave, other in zip(measured.waves[::2], measured.waves[1::2], strict=False):
        yield Milestone(
            f"{wave.count} dominoes: time of a second over MuJoCo's",
            3.0,
            wave.seconds / other.seconds,
            "",
            f"rise of the energy in a step {wave.rise:.0e}; MuJoCo's {other.rise:.0e}",
        )
    theirs = {run.step: run for run in measured.slides if not ours(run)}
    for run, error in zip(filter(ours, measured.slides), (1e-4, 1e-6), strict=True):
        what = f"sliding cubes, h = {run.step:g} s:"
        other = theirs.get(run.step)
        beside = f"published {PUBLISHED:g} m" if run.step == STEP else ""
        if other:
            beside += f"{', ' if beside else ''}MuJoCo {other.error:.2g} m"
        yield Milestone(
            f"{what} largest error of a stopping distance", error, run.error, "m", beside
        )
        yield Milestone(f"{what} largest hop", 1e-6, run.hop, "m", "normal to the slope")
    walk = measured.walk
    yield Milestone(
        "walking machine: time per simulated second",
        50.0,
        1e3 * walk.seconds,
        "ms",
        f"h = {walk.step:g} s; {1 / walk.seconds:.3g} × real time",
    )
    yield Milestone("walking machine: joint error", walk.tolerance, walk.joint_error, "m", "10 s")
    yield Milestone(
        "walking machine: energy balance over the work of the motors", 1e-6, walk.drift, "", "10 s"
    )


def fall_goals(run: Fall, falls: list[Fall]) -> Iterator[Milestone]:
    ratio, overlap, worst = LIMITS[run.scene]
    others = [other for other in falls if other.scene == run.scene and not ours(other)]
    mean = run.seconds.mean()
    for other in others:
        if other.engine.startswith("MuJoCo") and math.isfinite(ratio):
            yield Milestone(
                f"`{run.scene}`: time of a step over MuJoCo's",
                ratio,
                mean / other.seconds.mean(),
                "",
                f"{1e3 * mean:.2f} ms : {1e3 * other.seconds.mean():.2f} ms ({other.engine})",
            )
    name = f"`{run.scene}`:"
    beside = "".join(f"; {other.engine} {other.depth.max():.1e} m" for other in others)
    yield Milestone(f"{name} largest overlap", overlap, run.depth.max(), "m", f"every step{beside}")
    for other in others:
        if other.engine.startswith("MuJoCo"):
            yield Milestone(
                f"{name} time to rest", other.rest, run.rest, "s", f"at most that of {other.engine}"
            )
    if run.scene == LARGE_HEAP:
        small = next(other for other in falls if other.scene == HEAP and ours(other))
        yield Milestone(
            f"{name} time of a step over that of a thousand", 3.2, mean / small.seconds.mean(), "",
            f"{1e3 * mean:.1f} ms",
        )  # fmt: skip
    if math.isfinite(worst):
        yield Milestone(
            f"{name} worst step over the mean", worst, run.seconds.max() / mean, "",
            f"{1e3 * run.seconds.max():.1f} ms",
        )  # fmt: skip


def ours(run: Fall | Slide) -> bool:
    return run.engine == "Impulse"


def later(run: Fall) -> float:
    """Deepest overlap of the second half of a run [m]."""
    return float(run.depth[len(run.depth) // 2 :].max())


def simulated(measured: Contact, scene: str) -> float:
    return next(run.step * len(run.seconds) for run in measured.falls if run.scene == scene)


def write_contact(measured: Contact, path: Path) -> None:
    """One line for each run; a cell without meaning for a run stays empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["scene", "engine", "step_s", "mean_ms_per_step", "worst_ms_per_step",
             "largest_overlap_m", "overlap_at_end_m", "kinetic_energy_at_end_j", "rest_s",
             "stopping_error_m", "hop_m"]
        )  # fmt: skip
        for run in measured.falls:
            writer.writerow(
                [run.scene, run.engine, run.step, f"{1e3 * run.seconds.mean():.4g}",
                 f"{1e3 * run.seconds.max():.4g}", f"{run.depth.max():.3e}",
                 f"{run.depth[-1]:.3e}", f"{run.kinetic[-1]:.3e}", f"{run.rest:g}", "", ""]
            )  # fmt: skip
        for family, growth in measured.growth.items():
            for count, (mean, slowest) in growth.items():
                writer.writerow(
                    [f"{family}: {count} cubes", "Impulse", STEP, f"{1e3 * mean:.4g}",
                     f"{1e3 * slowest:.4g}", *[""] * 6]
                )  # fmt: skip
        for slide in measured.slides:
            writer.writerow(
                ["sliding-cubes", slide.engine, slide.step,
                 f"{1e3 * slide.seconds * slide.step:.4g}", *[""] * 5,
                 f"{slide.error:.3e}", f"{slide.hop:.3e}"]
            )  # fmt: skip
        walk = measured.walk
        writer.writerow(
            ["walking-machine", "Impulse", walk.step, f"{1e3 * walk.seconds * walk.step:.4g}",
             f"{1e3 * walk.worst:.4g}", *[""] * 6]
        )  # fmt: skip


def replace_section(page: Path, section: str) -> None:
    """Put the section in the place of the last one, or before the hard cases."""
    text = page.read_text(encoding="utf-8")
    begin = text.find(f"\n{HEADING}\n") + 1 or text.index("## Hard cases\n")
    end = text.find("\n## ", begin) + 1 if text[begin:].startswith(HEADING) else begin
    page.write_text(f"{text[:begin]}{wrapped(section.strip())}\n\n{text[end:]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    docs = Path(__file__).resolve().parents[1] / "docs"
    parser.add_argument("--output", type=Path, default=docs / "benchmarks.md")
    parser.add_argument("--heap", type=float, default=FALLING, help="simulated time of it [s]")
    arguments = parser.parse_args()
    began = time.perf_counter()

    def tell(what: str) -> None:
        print(f"{time.perf_counter() - began:5.0f} s  {what}", file=sys.stderr, flush=True)

    measured = measure_contact(tell, arguments.heap)
    page: Path = arguments.output
    write_contact(measured, page.with_name(f"{page.stem}-contact.csv"))
    replace_section(page, contact_section(measured))
    tell(f"wrote {page}")


if __name__ == "__main__":
    main()
