"""What impacts at their very moment cost: balls that bounce beside each other, with
``time_of_impact`` and without.

python benchmarks/bouncing.py [--balls 100 400 1600] [--rounds 3]
"""

from __future__ import annotations

import argparse

import numpy as np

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Material, Settings

RADIUS = 0.5  # m
APART = 1.5  # m, of neighbours
DURATION = 1.0  # s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--balls", nargs="+", type=int, default=[100, 400, 1600])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    for count in given.balls:
        compare(count, given.rounds)


def compare(count: int, rounds: int) -> None:
    """The best of some rounds of both, in turns."""
    best = {False: np.inf, True: np.inf}
    impacts = 0.0
    for _ in range(rounds):
        for divides in (False, True):
            told = ic.simulate(balls(count, divides)).diagnostics
            best[divides] = min(best[divides], told["seconds_per_step"]["mean"])
            impacts = told["contacts"]["divisions"] / told["step_count"]
    print(
        f"{count} balls: {1e3 * best[False]:.3f} ms a step, with {impacts:.1f} impacts a"
        f" step at their moments {1e3 * best[True]:.3f} ms, {best[True] / best[False]:.2f} times"
    )


def balls(count: int, divides: bool) -> Scene:
    """From heights of 0.2 to 2 m on a plane."""
    random = np.random.default_rng(0)
    side = int(np.ceil(np.sqrt(count)))
    solid = Geometry(shape="sphere", radius=RADIUS, material="rubber")
    bodies = [
        Body(
            name=f"ball-{k}",
            density=1000.0,
            position=(
                APART * (k % side),
                APART * (k // side),
                float(RADIUS + random.uniform(0.2, 2.0)),
            ),
            geometry=[solid],
        )
        for k in range(count)
    ]
    ground = Body(name="ground", motion="static", geometry=[Geometry(shape="plane")])
    rubber = Material(name="rubber", restitution=0.9, static_friction=0.3, kinetic_friction=0.3)
    return Scene(
        version=1,
        settings=Settings(step=0.01, duration=DURATION, fps=10.0, time_of_impact=divides),
        materials=[rubber],
        bodies=[ground, *bodies],
    )


if __name__ == "__main__":
    main()
