"""Bender and Schmitt 2006, section 5: the car, without ground."""

from __future__ import annotations

from impulse_cli.experiments import Meter
from impulse_cli.experiments.machine_runs import MachineRuns, follow, run_machine
from impulse_cli.experiments.numbers import short
from impulse_cli.experiments.result import Claim, Figure, Result

__all__ = ["run"]

PAPER_TIMES_REAL_TIME = 6.0  # "nearly six times faster than real-time", Pentium 4, 3.4 GHz

_REMARKS = (
    (
        "The paper's car drives on ground; here only its joints are measured, so the car stands on"
        " a lift that shakes it up and down, its wheels turn in the air, and the servo of the"
        " steering follows a sine."
    ),
    (
        "The paper gives neither step nor tolerance of its car; it speaks of “the simulation of"
        " the joints” as we do."
    ),
)


def run(meter: Meter, *, quick: bool = False) -> Result:
    """Simulate the sample scene `car`."""
    car = run_machine("car", meter, quick=quick)
    return Result(
        name="bs06-car",
        title="a car with servo motors, steering and suspension",
        paper="Bender and Schmitt 2006, section 5, figure 9",
        setup="The sample scene `car`: a motor for each wheel, a servo motor for the steering"
        " rack, whose tie rods close two loops, and wheels on sliders with springs, dampers and"
        " stops; one thread.",
        tables=(car.parts(), car.speeds(), car.followed()),
        claims=(_claim(car),),
        figures=(_figure(car),),
        remarks=_REMARKS,
        data=car.records(),
    )


def _claim(car: MachineRuns) -> Claim:
    slowest = min(map(car.times_real_time, car.runs))
    return Claim(
        "“The simulation of the joints of this car ran nearly six times faster than real-time.”",
        ", ".join(
            f"{short(car.times_real_time(step))} times at h = {step:g} s" for step in car.runs
        ),
        slowest >= PAPER_TIMES_REAL_TIME,
    )


def _figure(car: MachineRuns) -> Figure:
    by_joint = {driven.joint: driven for driven in car.motors}
    return Figure(
        name="bs06-car",
        caption="The rack of the steering and the speed of a front wheel, beside their targets.",
        panels=(
            follow(by_joint["steering"], "displacement"),
            follow(by_joint["front-left-axle"], "speed"),
        ),
    )
