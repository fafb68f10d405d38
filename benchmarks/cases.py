"""The scenes that are compared, with step sizes on both sides of every target.

Steps per second were chosen by bisection, for either engine alike, so that the cheapest setting
that reaches a target hardly depends on how fine the list is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from engines import Case, Impulse, MuJoCo
from impulse_cli.experiments.scenes.trees import hub, tree
from impulse_schema import Body, Joint, Scene, Settings, load_scene
from mujoco_scene import LoopStiffness

SAMPLES = Path(__file__).resolve().parents[1] / "sample_scenes"

__all__ = ["Comparison", "Tuning", "comparisons"]

POINT = 1e-6  # kg m², the inertia of a point mass on a hinge


def pendulum(bobs: int, *, speed: float = 0.0, duration: float = 10.0) -> Case:
    """Point masses of 1 kg on hinges, 1 m apart.

    Stretched out horizontally at rest, or hanging and pushed at the given speed [m/s].
    """
    hanging = speed > 0.0
    names = [f"bob{k}" for k in range(bobs)]
    bodies = [
        Body(
            name=name,
            position=(0.0, 0.0, -(k + 1.0)) if hanging else (k + 1.0, 0.0, 0.0),
            velocity=(speed * (k + 1.0), 0.0, 0.0),
            angular_velocity=(0.0, -speed, 0.0),
            mass=1.0,
            inertia=(POINT, POINT, POINT),
        )
        for k, name in enumerate(names)
    ]
    joints = [
        Joint(
            type="hinge",
            body1=above,
            body2=below,
            anchor=(0.0, 0.0, -float(k)) if hanging else (float(k), 0.0, 0.0),
            axis=(0.0, 1.0, 0.0),
        )
        for k, (above, below) in enumerate(zip(["world", *names], names, strict=False))
    ]
    name = "pendulum90" if hanging else f"pendulum-{bobs}"
    scene = Scene(version=1, name=name, settings=Settings(), bodies=bodies, joints=joints)
    return Case(scene, duration)


def sample(path: str, duration: float = 10.0) -> Case:
    return Case(load_scene(SAMPLES / f"{path}.xml"), duration)


@dataclass(frozen=True)
class Tuning:
    """MuJoCo's loop constraints as springs of stiffness (rate/h)²; the best of 60 pairs tried.

    Attributes:
        rate: Natural frequency times step.
        damping: Damping over the frequency; 2 is critical.
    """

    rate: float
    damping: float

    def at(self, step: float) -> LoopStiffness:
        frequency = self.rate / step
        return LoopStiffness(
            (-frequency * frequency, -self.damping * frequency), (0.9999, 0.9999, 0.001, 0.5, 2.0)
        )


FOUR_BARS = {"four-bar": Tuning(1.5, 0.5), "four-bar-clear": Tuning(0.5, 1.0)}


@dataclass(frozen=True)
class Comparison:
    """A case and the settings to run it with.

    Attributes:
        case: The scene and how its errors are measured.
        ours: Our settings.
        mujoco: MuJoCo's.
        tuning: Of loops.
    """

    case: Case
    ours: tuple[Impulse, ...]
    mujoco: tuple[MuJoCo, ...]
    tuning: Tuning | None = None


def comparison(
    case: Case,
    ours: dict[str, dict[float, tuple[float, ...]]],
    mujoco: dict[str, tuple[float, ...]],
    tuning: Tuning | None = None,
) -> Comparison:
    """Settings from steps per second.

    Args:
        case: What to run.
        ours: By method, by tolerance [m].
        mujoco: By integrator. Loops are run with its default stiffness and tuned.
        tuning: Of loops.
    """
    return Comparison(
        case,
        tuple(
            Impulse(method, 1.0 / rate, tolerance)
            for method, by_tolerance in ours.items()
            for tolerance, rates in by_tolerance.items()
            for rate in rates
        ),
        tuple(
            MuJoCo(integrator, 1.0 / rate, stiffness)
            for integrator, rates in mujoco.items()
            for rate in rates
            for stiffness in dict.fromkeys((None, tuning and tuning.at(1.0 / rate)))
        ),
        tuning,
    )


def comparisons() -> list[Comparison]:
    """Every scene, small ones first."""
    low = {"Euler": (100.0, 1000.0), "implicitfast": (1000.0,)}
    pendulum90 = pendulum(1, speed=math.sqrt(2.0 * 9.81), duration=60.0)
    return [
        comparison(
            pendulum90,
            {
                "imp2": {1e-6: (61, 100)},
                "imp4": {1e-8: (20, 41)},
                "imp6": {1e-7: (17,), 1e-10: (50,)},
                "imp8": {1e-8: (7, 10), 1e-11: (15, 20)},
                "imp10": {1e-11: (8, 10)},
                "lmvd8": {1e-6: (5, 8, 10, 12, 15, 20)},
            },
            low | {"RK4": (14, 30, 55, 110, 226)},
        ),
        comparison(
            pendulum(2),
            {
                "imp2": {1e-6: (100, 217)},
                "imp4": {1e-8: (80, 160)},
                "imp6": {1e-7: (68,), 1e-10: (216,)},
                "imp8": {1e-7: (20, 29), 1e-11: (51, 60)},
                "imp10": {1e-11: (39, 50)},
                "lmvd8": {1e-6: (20, 31, 40, 50, 70, 75)},
            },
            low | {"RK4": (29, 75, 197, 450, 1130)},
        ),
        comparison(
            pendulum(3),
            {
                "imp2": {1e-6: (100, 400)},
                "imp4": {1e-8: (100, 217)},
                "imp6": {1e-8: (60, 114), 1e-11: (275,)},
                "imp8": {1e-7: (40, 53, 63), 1e-11: (110, 128)},
                "imp10": {1e-11: (60, 90)},
                "lmvd8": {1e-6: (40, 60, 80, 100, 130, 160)},
            },
            low | {"RK4": (80, 180, 365, 750, 1560)},
        ),
        comparison(
            sample("spinning/intermediate-axis", 60.0),
            {"imp2": {1e-6: (3, 10, 30)}, "lmvd8": {1e-6: (10, 20, 30)}},
            low | {"RK4": (10, 38, 80, 168)},
        ),
        comparison(
            sample("mechanisms/four-bar"),
            {
                "imp2": {1e-6: (93, 200)},
                "imp4": {1e-8: (30, 57)},
                "imp6": {1e-7: (23,), 1e-10: (71,)},
                "imp8": {1e-8: (7, 10), 1e-11: (22, 30), 1e-12: (100,)},
                "imp10": {1e-11: (10, 15)},
                "lmvd8": {1e-9: (30, 50, 65, 75, 100, 130)},
            },
            low | {"RK4": (100, 183, 320, 1000, 5080)},
            FOUR_BARS["four-bar"],
        ),
        comparison(
            sample("mechanisms/four-bar-clear"),
            {
                "imp2": {1e-6: (28, 100)},
                "imp4": {1e-8: (25,), 1e-9: (100, 153)},
                "imp6": {1e-7: (13,), 1e-10: (32,)},
                "imp8": {1e-8: (8,), 1e-11: (17, 30), 1e-12: (100,)},
                "imp10": {1e-11: (13,)},
                "lmvd8": {1e-6: (6, 8, 10, 15, 20, 25)},
            },
            low | {"RK4": (100, 153, 400, 1760)},
            FOUR_BARS["four-bar-clear"],
        ),
        comparison(
            sample("chains/chain-8-loop"),
            {
                "imp2": {1e-6: (100, 500)},
                "imp4": {1e-6: (100,), 1e-8: (200,)},
                "imp6": {1e-8: (80, 200)},
                "imp8": {1e-6: (40,), 1e-8: (60, 90, 95, 100), 1e-11: (150, 200)},
                "imp10": {1e-8: (80,), 1e-11: (120,)},
                "lmvd8": {1e-6: (60, 80, 105, 110, 120, 150, 180, 220)},
            },
            low | {"RK4": (100, 400, 1600, 2800)},
            Tuning(0.5, 0.5),
        ),
        *(tree_comparison(bodies) for bodies in TREE_RATES),
        comparison(
            Case(hub(127), settled=1.0),
            {
                "imp2": {1e-6: (100,), 1e-7: (400,)},
                "imp4": {1e-7: (20, 25, 30)},
                "imp6": {1e-7: (10, 12, 15), 1e-9: (20, 25)},
                "imp8": {1e-6: (5, 6), 1e-7: (5, 6), 1e-9: (8, 9), 1e-10: (7, 8, 10)},
                "imp10": {1e-10: (5, 6)},
                "lmvd8": {1e-6: (3, 4, 5, 6, 7, 8, 10, 15)},
            },
            {"Euler": (100, 1000), "implicitfast": (100,), "RK4": (15, 31, 60, 125, 240)},
        ),
    ]


TREE_RATES = {  # steps per second: ours over those of tree-127, MuJoCo's RK4
    31: (0.4, (40, 70, 145, 300, 850)),
    63: (0.65, (55, 95, 275, 600, 1500)),
    127: (1.0, (95, 200, 490, 1100, 2600)),
    255: (1.8, (190, 450, 950)),
}


def tree_comparison(bodies: int) -> Comparison:
    """The mobile; the tips of a larger one turn faster."""
    factor, rates = TREE_RATES[bodies]
    ours: dict[str, dict[float, tuple[float, ...]]] = {
        "imp2": {1e-6: (100, 400)},
        "imp4": {1e-7: (100, 200)},
        "imp6": {1e-8: (80, 110, 120)},
        "imp8": {1e-7: (30, 40, 50), 1e-8: (57, 60, 65), 1e-10: (100, 130, 150)},
        "imp10": {1e-8: (45, 50), 1e-10: (80,)},
        "lmvd8": {1e-6: (30, 40, 60, 67, 70, 74, 80, 100, 130, 145, 150, 160)},
    }
    if bodies > 127:  # the others take minutes and show what they show above
        ours = {method: ours[method] for method in ("imp2", "imp6", "lmvd8")}
    scaled = {
        method: {
            tolerance: tuple(float(round(factor * rate)) for rate in each)
            for tolerance, each in by_tolerance.items()
        }
        for method, by_tolerance in ours.items()
    }
    low: dict[str, tuple[float, ...]] = {"Euler": (100, 500), "implicitfast": (500,)}
    return comparison(Case(tree(bodies), settled=1.0), scaled, low | {"RK4": rates})
