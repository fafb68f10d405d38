"""Bender and Schmitt 2006, section 5: one leg of the walking machine, without ground."""

from __future__ import annotations

import numpy as np

from impulse_cli.experiments import Meter
from impulse_cli.experiments.machine_runs import MachineRuns, follow, run_machine
from impulse_cli.experiments.result import Claim, Figure, Line, Panel, Result

__all__ = ["run"]

_REMARKS = (
    (
        "The paper shows its walking machine and gives no number of it. The hip is fixed here,"
        " since there is no ground yet, and the foot draws its path in the air."
    ),
    "A servo motor is a hinge with a motor here, so the table counts three hinges.",
)


def run(meter: Meter, *, quick: bool = False) -> Result:
    """Simulate the sample scene `leg`."""
    leg = run_machine("leg", meter, quick=quick)
    return Result(
        name="bs06-leg",
        title="one leg of the walking machine",
        paper="Bender and Schmitt 2006, section 5, figure 9",
        setup="The sample scene `leg`: a servo motor turns a crank, on whose pin the leg hangs and"
        " slides through a swivel; one thread.",
        tables=(leg.parts(), leg.speeds(), leg.followed()),
        claims=(_claim(leg),),
        figures=(_figure(leg),),
        remarks=_REMARKS,
        data=leg.records(),
    )


def _claim(leg: MachineRuns) -> Claim:
    types = [joint.type for joint in leg.scene.joints]
    servos = sum(motor.kind == "servo" for joint in leg.scene.joints for motor in joint.motors)
    hinges = types.count("hinge") - servos
    return Claim(
        "“Each leg is simulated by one servo motor, two hinge joints and one slider. This model"
        " has one closed kinematic chain per leg.”",
        f"{servos} servo, {hinges} other hinges, {types.count('slider')} slider,"
        f" {leg.facts['loops']} closed loop, {leg.facts['degrees_of_freedom']} degree of freedom",
        (servos, hinges, types.count("slider"), leg.facts["loops"]) == (1, 2, 1, 1),
    )


def _figure(leg: MachineRuns) -> Figure:
    (servo,) = leg.motors
    x, z = _foot(leg)
    path = Panel(
        title="Path of the foot",
        x_label="x [m]",
        y_label="z [m]",
        lines=(Line("foot", x, z, "-", "tab:green"),),
        logarithmic=False,
    )
    return Figure(
        name="bs06-leg",
        caption="The servo beside its target, and the path of the foot.",
        panels=(follow(servo, "angle"), path),
    )


def _foot(leg: MachineRuns) -> tuple[list[float], list[float]]:
    """The lower end of the shank, a bar along its own x axis [m]."""
    recording = leg.middle.recording
    index = recording.body("shank")
    (bar,) = leg.scene.bodies[index].geometry
    assert bar.size is not None
    w, x, y, z = recording.orientations[:, index].T
    # what the rotation makes of the x axis
    axis = np.stack([w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)])
    foot = recording.positions[:, index] + 0.5 * bar.size[0] * axis.T
    return foot[:, 0].tolist(), foot[:, 2].tolist()
