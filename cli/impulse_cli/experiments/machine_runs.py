"""What the experiments with machines share: parts, times, and how well motors follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

import impulse_core
from impulse_cli.experiments import Meter
from impulse_cli.experiments.measure import Measured, time_of
from impulse_cli.experiments.numbers import milliseconds, power, short
from impulse_cli.experiments.result import Line, Number, Panel, Table
from impulse_cli.samples import sample_scenes
from impulse_schema import Joint, Motor, Scene, load_scene
from impulse_schema.expressions import parse_expression

__all__ = ["Driven", "MachineRuns", "follow", "run_machine"]

Floats = NDArray[np.float64]

STEPS = (0.01, 0.005, 0.0025)  # s
FPS = 100.0
_SETTLED = 2.0  # s, after which a motor is expected to follow


@dataclass(frozen=True)
class Driven:
    """A motor and how it follows its target.

    Attributes:
        joint: Name of its joint.
        motor: As in the scene.
        unit: Of the target: rad, m, rad/s or m/s.
        times: [s], shape (F,).
        target: What it should be, shape (F,).
        actual: What it is, shape (F,).
        drive: Force [N] or torque [N m] of all that acts on the axis, shape (F,).
    """

    joint: str
    motor: Motor
    unit: str
    times: Floats
    target: Floats
    actual: Floats
    drive: Floats

    @property
    def deviation(self) -> float:
        """Largest deviation from the target once it has settled, in ``unit``."""
        late = self.times >= min(_SETTLED, 0.5 * self.times[-1])
        return float(np.abs(self.actual - self.target)[late].max())


@dataclass(frozen=True)
class MachineRuns:
    """A machine, simulated with several steps.

    Attributes:
        scene: The machine.
        facts: What ``impulse info`` says of it.
        runs: By step [s], the largest first.
        motors: How they follow, at the middle step.
    """

    scene: Scene
    facts: dict[str, object]
    runs: dict[float, Measured]
    motors: tuple[Driven, ...]

    @property
    def middle(self) -> Measured:
        """The run with the middle step, whose recording is shown."""
        return next(islice(self.runs.values(), len(self.runs) // 2, None))

    def parts(self) -> Table:
        """What the machine is made of."""
        joints = Counter(joint.type for joint in self.scene.joints)
        elements = {
            "motors": sum(len(joint.motors) for joint in self.scene.joints),
            "springs with dampers": sum(len(joint.springs) for joint in self.scene.joints),
            "stops": sum(len(joint.limits) for joint in self.scene.joints),
        }
        loops, redundant = self.facts["loops"], self.facts["redundant_joints"]
        assert isinstance(redundant, list)
        return Table(
            title="What it is made of",
            columns=("part", "number"),
            rows=(
                ("bodies", str(len(self.scene.bodies))),
                ("joints", ", ".join(f"{count} {name}" for name, count in joints.items())),
                *((name, str(count)) for name, count in elements.items() if count),
                ("degrees of freedom", str(self.facts["degrees_of_freedom"])),
                ("closed loops", str(loops)),
                ("redundant joints", ", ".join(redundant) or "none"),
            ),
        )

    def speeds(self) -> Table:
        """How long steps take, and how well the joints hold."""
        rows = []
        for step, run in self.runs.items():
            report = run.report
            rows.append(
                (
                    f"{step:g}",
                    milliseconds(self.seconds(step)),
                    short(self.times_real_time(step)),
                    short(report["corrections_per_step"]["mean"]),
                    str(report["halvings"]),
                    power(report["max_joint_error_m"]),
                )
            )
        return Table(
            title="A step, imp2, tolerance 1e-6 m",
            columns=("h [s]", "ms", "times real time", "corrections", "halvings", "error [m]"),
            rows=tuple(rows),
        )

    def followed(self) -> Table:
        """How the motors follow their targets."""
        rows = []
        for driven in self.motors:
            motor = driven.motor
            rows.append(
                (
                    driven.joint,
                    motor.kind,
                    f"`{motor.expression}`" if motor.expression else short(motor.target),
                    f"{power(driven.deviation, 2)} {driven.unit}",
                    short(float(np.abs(driven.drive).max())),
                    short(motor.max_force),
                )
            )
        return Table(
            title=f"Motors, from t = {_SETTLED:g} s on",
            columns=("joint", "motor", "target", "deviation", "most drive", "its limit"),
            rows=tuple(rows),
        )

    def seconds(self, step: float) -> float:
        """Mean time of a step [s]."""
        return float(self.runs[step].report["seconds_per_step"]["mean"])

    def times_real_time(self, step: float) -> float:
        """Simulated over needed time."""
        return step / self.seconds(step)

    def records(self) -> tuple[dict[str, Number], ...]:
        """One record per run."""
        return tuple(
            {
                "step_s": step,
                "seconds_per_step": self.seconds(step),
                "times_real_time": self.times_real_time(step),
                "corrections_per_step": run.report["corrections_per_step"]["mean"],
                "halvings": run.report["halvings"],
                "max_joint_error_m": run.report["max_joint_error_m"],
                "failure": run.failure,
            }
            for step, run in self.runs.items()
        )


def run_machine(name: str, meter: Meter, *, quick: bool) -> MachineRuns:
    """Simulate a sample scene with several steps."""
    scene = load_scene(sample_scenes()[name])
    duration = 1.0 if quick else scene.settings.duration
    runs = {}
    for done, step in enumerate(STEPS):
        meter(done, len(STEPS), f"h = {step:g} s")
        runs[step] = time_of(
            scene,
            rounds=1 if quick else 3,
            step=step,
            duration=duration,
            fps=FPS,
            method="imp2",
            solver="direct",
            tolerance=1e-6,
        )
    meter(len(STEPS), len(STEPS), "")
    motors = tuple(_driven(scene, runs[STEPS[1]]))
    return MachineRuns(scene, impulse_core.describe(scene), runs, motors)


def follow(driven: Driven, label: str) -> Panel:
    """A panel with a motor's target and what it makes of it."""
    times = driven.times.tolist()
    return Panel(
        title=f"{driven.joint}: {driven.motor.kind}",
        x_label="t [s]",
        y_label=f"{label} [{driven.unit}]",
        lines=(
            Line("simulated", times, driven.actual.tolist(), "-", "tab:blue"),
            Line("target", times, driven.target.tolist(), ":", "0.1"),
        ),
        logarithmic=False,
    )


def _driven(scene: Scene, run: Measured) -> Iterator[Driven]:
    times = run.recording.times
    for index, joint in enumerate(scene.joints, start=1):
        quantities = run.recording.joints.get(joint.name or f"joint-{index}", {})
        for motor in joint.motors:
            turns = _turns(joint, motor)
            actual = quantities["angle" if turns else "displacement"]
            unit = "rad" if turns else "m"
            if motor.kind == "velocity":
                actual, unit = np.gradient(actual, times), f"{unit}/s"
            yield Driven(
                joint=joint.name or f"joint-{index}",
                motor=motor,
                unit=unit,
                times=times,
                target=_target(motor, times),
                actual=actual,
                drive=quantities["drive_torque" if turns else "drive_force"],
            )


def _turns(joint: Joint, motor: Motor) -> bool:
    return joint.type == "hinge" or motor.freedom == "rotation"


def _target(motor: Motor, times: Floats) -> Floats:
    if motor.expression is not None:
        value = parse_expression(motor.expression)
        return np.array([value(t) for t in times])
    assert motor.target is not None, "the machines here have no sampled targets"
    return np.full(len(times), motor.target)
