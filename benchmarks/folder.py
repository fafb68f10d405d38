"""Runs every scene of a folder and says how each ended, what it cost and what nothing explains.

python benchmarks/folder.py FOLDER [--step S] [--duration S] [--tolerance M] [--assemble]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import impulse_core as ic
from impulse_schema import Scene, load_scene

_WIDTH = 28  # columns of a name


@dataclass(frozen=True)
class Outcome:
    """How a scene ended.

    Attributes:
        name: Of the file.
        ended: "complete", "refused" or "ended".
        why: The sentence of a scene that was refused or given up; warnings of one that was not.
        simulated: Simulated time [s].
        step: Mean time of a step [ms].
        slowest: The slowest of those that were timed, over their median.
        halved: Steps that were halved, for a hundred.
        corrections: Of joints, per step.
        unexplained: Largest energy that nothing explains [J].
        share: The same over the largest kinetic energy.
        error: Largest joint error [m].
    """

    name: str
    ended: str
    why: list[str]
    simulated: float = 0.0
    step: float = 0.0
    slowest: float = 0.0
    halved: float = 0.0
    corrections: float = 0.0
    unexplained: float = 0.0
    share: float = 0.0
    error: float = 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--step", type=float, help="of all scenes [s]; default their own")
    parser.add_argument("--duration", type=float, help="the same [s]")
    parser.add_argument("--tolerance", type=float, help="the same [m]")
    parser.add_argument("--assemble", action="store_true", default=None)
    given = parser.parse_args()
    if not given.folder.is_dir():
        parser.error(f"{given.folder} is no folder")
    options = {key: value for key, value in vars(given).items() if key != "folder"}
    print(
        f"{'scene':{_WIDTH}} {'ended':>8} {'s':>6} {'ms/step':>8} {'slowest':>8} {'halved %':>8}"
        f" {'corr.':>6} {'unexpl. J':>9} {'share':>8} {'error m':>8}"
    )
    bad = 0
    for outcome in outcomes(given.folder, options):
        bad += outcome.ended == "ended"
        print(
            f"{outcome.name[:_WIDTH]:{_WIDTH}} {outcome.ended:>8} {outcome.simulated:6.3g}"
            f" {outcome.step:8.3g} {outcome.slowest:8.3g} {outcome.halved:8.3g}"
            f" {outcome.corrections:6.3g} {outcome.unexplained:9.2g} {outcome.share:8.1e}"
            f" {outcome.error:8.1e}"
        )
        for sentence in outcome.why:
            print(f"    {sentence}")
        sys.stdout.flush()
    return 1 if bad else 0


def outcomes(folder: Path, options: dict[str, float | bool | None]) -> Iterator[Outcome]:
    """Of every scene of a folder and the folders below, in the order of their names."""
    for path in sorted((*folder.rglob("*.xml"), *folder.rglob("*.json"))):
        try:
            scene = load_scene(path)
        except ic.SceneError as error:
            yield Outcome(path.stem, "refused", str(error).splitlines()[:1])
            continue
        yield outcome_of(path.stem, scene, options)


def outcome_of(name: str, scene: Scene, options: dict[str, float | bool | None]) -> Outcome:
    ended, why = "complete", []
    try:
        one = options["step"] or scene.settings.step
        ic.simulate(scene, **{**options, "duration": one})  # loads the kernels
        run = ic.simulate(scene, **options)
    except (ic.SceneError, ic.OptionError) as error:
        return Outcome(name, "refused", str(error).splitlines()[:1])
    except ic.SimulationError as error:
        run, ended, why = error.recording, "ended", [str(error)]
    report = run.diagnostics
    steps = max(int(report["step_count"]), 1)
    times = report["seconds_per_step"]
    kinetic = float(run.energy["kinetic"].max())
    unexplained = float(report["energy_j"]["max_abs_drift"])
    return Outcome(
        name=name,
        ended=ended,
        why=why + report["warnings"],
        simulated=float(run.times[-1]),
        step=1e3 * float(times["mean"]),
        slowest=float(times["max"]) / max(float(times["median"]), 1e-9),
        halved=100.0 * int(report["halvings"]) / steps,
        corrections=float(report["corrections_per_step"]["mean"]),
        unexplained=unexplained,
        share=unexplained / kinetic if kinetic > 0.0 else 0.0,
        error=float(report["max_joint_error_m"]),
    )


if __name__ == "__main__":
    sys.exit(main())
