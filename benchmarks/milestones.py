"""The numbers this project set out to reach, each beside what is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import impulse_core
from cases import FOUR_BARS, sample
from engines import Impulse, MuJoCo, mujoco_is_installed, short
from scaling import Size, exponent
from work_precision import JOINT_TARGET, Result

__all__ = ["Milestone", "milestones"]

STEP = 0.01  # s

# Top of the first upright of A02 [m], from the equation of its one degree of freedom.
WINDOWS = {
    2: (10.0, (0.32845811154082, 0.9445185381786)),
    40: (20.0, (0.41090115376295, 0.91167990097198)),
}


@dataclass(frozen=True)
class Milestone:
    """One number.

    Attributes:
        what: It measures.
        limit: It should not pass.
        value: It has.
        unit: Of both.
        how: Method and settings; beside it MuJoCo's number where there is one.
    """

    what: str
    limit: float
    value: float
    unit: str
    how: str

    @property
    def met(self) -> bool:
        return self.value <= self.limit


def milestones(results: dict[str, Result], families: dict[str, list[Size]]) -> Iterator[Milestone]:
    """All of them, measured or picked from what was."""
    for scene, energy, limit in (
        ("tree-127", 1e-6, 0.6),
        ("tree-127", 1e-9, 0.35),
        ("hub-127", 1e-6, 1.0),
        ("hub-127", 1e-9, 0.7),
    ):
        yield from ratio(results[scene], energy, limit)
    yield from chain(results["chain-8-loop"])
    yield from four_bars()
    yield from windows()
    for name, sizes in families.items():
        yield Milestone(
            f"{name}, {sizes[0].joints} to {sizes[-1].joints} joints: exponent of a step's time",
            1.1,
            exponent(sizes, [size.microseconds for size in sizes]),
            "",
            "imp2",
        )


def ratio(result: Result, energy: float, limit: float) -> Iterator[Milestone]:
    """Our time over MuJoCo's for the same error."""
    ours, theirs = result.cheapest(Impulse, energy), result.cheapest(MuJoCo, energy)
    if ours is None or theirs is None:
        return
    us, them = result.runs[ours].seconds, result.runs[theirs].seconds
    yield Milestone(
        f"`{result.name}`: time to relative energy error {short(energy)} over MuJoCo's",
        limit,
        us / them,
        "",
        f"{1e3 * us:.1f} ms/s ({ours.name}, {ours.details}) : {1e3 * them:.1f} ms/s"
        f" ({theirs.name}, {theirs.details})",
    )


def chain(result: Result) -> Iterator[Milestone]:
    case = result.comparison.case
    exact = Impulse("imp2", STEP, 1e-12)
    runs = [exact.run(case, sampled=False) for _ in range(8)]
    yield Milestone(
        "`chain-8-loop`, joints to 1e-12 m: time of a step",
        60.0,
        1e6 * STEP * min(run.seconds for run in runs),
        "µs",
        f"imp2, {exact.details}; {runs[0].corrections:.1f} corrections",
    )
    setting = result.cheapest(Impulse, 1e-6)
    if setting is not None:
        yield Milestone(
            f"`chain-8-loop`, relative energy error 1e-6, joints to {short(JOINT_TARGET)} m: time"
            " per simulated second",
            20.0,
            1e3 * result.runs[setting].seconds,
            "ms",
            f"{setting.name}, {setting.details}",
        )


def four_bars() -> Iterator[Milestone]:
    """Energy and joints of both four-bars at the step of 1/100 s."""
    setting = Impulse("imp8", STEP, 1e-12)
    for name, limit in (("four-bar", 1e-6), ("four-bar-clear", 1e-9)):
        case = sample(f"mechanisms/{name}")
        run, how = setting.run(case), f"{setting.name}, {setting.details}"
        beside = [MuJoCo("RK4", STEP, loops) for loops in (None, FOUR_BARS[name].at(STEP))]
        theirs = [other.run(case) for other in beside if mujoco_is_installed()]
        for what, bound, reached, unit in (
            ("relative energy error", limit, lambda run: run.energy_error, ""),
            ("joint error", 1e-12, lambda run: run.joint_error, " m"),
        ):
            others = " and tuned ".join(short(reached(other)) + unit for other in theirs)
            yield Milestone(
                f"`{name}` over 10 s: {what}",
                bound,
                reached(run),
                unit.strip(),
                f"{how}; MuJoCo RK4 {others}" if others else how,
            )


def windows() -> Iterator[Milestone]:
    """A02: rows of windows that fold at their flat poses."""
    for count, (duration, (x, z)) in WINDOWS.items():
        case = sample(f"mechanisms/n-four-bar-{count}", duration)
        recording = impulse_core.simulate(case.scene, duration=duration, step=STEP, method="imp6")
        top = top_of_first_upright(recording)
        drift = recording.diagnostics["energy_j"]["max_abs_drift"]
        name, how = f"A02 with {count} windows after {duration:g} s", "imp6, h = 1/100 s"
        yield Milestone(
            f"{name}: distance from the reference", 1e-5, float(np.hypot(*(top - (x, z)))), "m", how
        )
        energy = recording.energy["total"][0]
        yield Milestone(f"{name}: relative energy error", 1e-7, drift / abs(energy), "", how)


def top_of_first_upright(recording: impulse_core.Recording) -> np.ndarray:
    """Its foot is the origin and its centre half way up."""
    center = recording.positions[-1, recording.body_names.index("upright-0")]
    return 2.0 * center[[0, 2]]
