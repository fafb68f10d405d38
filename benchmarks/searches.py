"""Searches for a better gait and better legs (docs/scale.md): how much is gained, and in what time.

    .venv/bin/python benchmarks/searches.py gait FOLDER [TRIALS]
    .venv/bin/python benchmarks/searches.py legs FOLDER [TRIALS]

``gait``: the six-legged walking machine. How fast its cranks turn and the three sines by which they
turn unevenly are searched for the longest way in ten seconds. It is what ``impulse optimise`` does.

``legs``: Theo Jansen's walker. The lengths of ten bars of its legs, each within a tenth of his, are
searched for a long and even way: that of the frame in five seconds, less twenty times the standard
deviation of its height after the first. Lengths change where joints are, so the machine is
built anew for each trial; Optuna chooses, and ``simulate_many`` simulates.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path

import numpy as np

import impulse_core as ic
from impulse_schema import Constant, Scene, SceneError, save_scene

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "sample_scenes" / folder) for folder in ("walking", "machines")]

RANGES = {"rate": (3.0, 14.0), "first": (-1.2, 0.2), "second": (-0.5, 0.5), "third": (-0.3, 0.3)}
AT_ONCE = 10  # trials of legs that are chosen together, so that any number of threads find the same
ROUGHNESS = 20.0  # m of way that a metre of standard deviation of the height costs
SECONDS = 5.0


def six_legged() -> Scene:
    """The walking machine whose gait is said by four constants."""
    from gait import HARMONICS, PERIOD, START_UP
    from walking_machine import LEGS

    scene = ic.load_scene(ROOT / "sample_scenes" / "walking" / "walking-machine.xml")
    values = (2.0 * math.pi / PERIOD, *HARMONICS)
    scene.constants = [
        Constant(name=name, value=value) for name, value in zip(RANGES, values, strict=True)
    ]
    turned = f"rate*(t - {START_UP:g}*(1 - exp(-t/{START_UP:g})))"
    sines = " + ".join(
        f"{name}*(sin({k}*(phase + {turned})) - sin({k}*phase))"
        for k, name in enumerate(("first", "second", "third"), start=1)
    )
    for joint in scene.joints:
        for motor in joint.motors:
            [joint.phase] = [leg[-1] for name, leg in LEGS.items() if joint.name.startswith(name)]
            motor.expression = f"{turned} + {sines}"
    return scene


def search_gait(folder: Path, trials: int) -> None:
    """Print what was found; the folder gets the best scene."""
    from impulse_cli.studies import optimise

    began = time.perf_counter()
    vary = [f"constants[{name}].value={low}:{high}" for name, (low, high) in RANGES.items()]
    scene = six_legged()
    found = optimise(
        scene, vary, folder, maximise=["recording.bodies[torso].position[-1].x"],
        trials=trials, seed=1,
    )  # fmt: skip
    print(f"{trials} trials in {time.perf_counter() - began:.0f} s")
    [best] = found.best
    save_scene(ic.set_parameters(scene, best.values), folder / "best.xml")
    print("start:", found.start.measures)
    print("best:", best.measures, best.values)


def search_legs(folder: Path, trials: int) -> None:
    """Print what was found; the folder gets the best scene."""
    import optuna
    from jansen_walker import Bars, jansen_walker, leg

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.CmaEsSampler(seed=1)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.enqueue_trial(dict.fromkeys(Bars._fields, 1.0))
    began, start = time.perf_counter(), measured([jansen_walker()])[0]
    for first in range(0, trials, AT_ONCE):
        asked = [study.ask() for _ in range(min(AT_ONCE, trials - first))]
        scenes = {}
        for trial in asked:
            changes = {name: trial.suggest_float(name, 0.9, 1.1) for name in Bars._fields}
            bars = Bars(*(changes[name] * length for name, length in Bars()._asdict().items()))
            try:
                for angle in np.linspace(0.0, 2.0 * math.pi, 200):
                    leg(float(angle), bars)
                scenes[trial.number] = jansen_walker(bars)
            except ValueError:  # bars that do not meet all the way round
                study.tell(trial, -1.0)
        values = dict(zip(scenes, measured(list(scenes.values())), strict=True))
        for trial in asked:
            if trial.number in values:
                study.tell(trial, values[trial.number])
                if values[trial.number] >= study.best_value:
                    save_scene(scenes[trial.number], folder / "best.xml")
                    (folder / "best.json").write_text(json.dumps(study.best_params, indent=2))
        print(f"{first + len(asked)}: {study.best_value:.4g} of {start:.4g}", flush=True)
    took = time.perf_counter() - began
    print(f"{trials} trials in {took:.0f} s: {start:.4g} -> {study.best_value:.4g}")
    print({name: round(value, 4) for name, value in study.best_params.items()})


def measured(scenes: list[Scene]) -> list[float]:
    """Way and evenness of machines [m], -1 of those that fail, or whose legs overlap."""
    try:
        return [
            quality(recording) for recording in ic.simulate_many(scenes, duration=SECONDS, fps=50.0)
        ]
    except SceneError:
        return [-1.0] if len(scenes) == 1 else [measured([scene])[0] for scene in scenes]


def quality(recording: ic.Recording) -> float:
    """Of one machine [m]."""
    if not recording.complete:
        return -1.0
    frame = recording.positions[:, recording.body("frame")]
    height = frame[recording.times > 1.0, 2]
    return float(frame[-1, 0] - frame[0, 0]) - ROUGHNESS * float(np.std(height))


if __name__ == "__main__":
    search, folder = {"gait": search_gait, "legs": search_legs}[sys.argv[1]], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    search(folder, int(sys.argv[3]) if len(sys.argv) > 3 else 300)
