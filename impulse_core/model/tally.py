"""What is counted and measured over a run, for its report; nothing here changes a step."""

from __future__ import annotations

import math
from typing import NamedTuple

from impulse_core.types import Records, by_address, f8, i8, new_records, pair_i8, record, vec3

__all__ = [
    "BrokenJoint",
    "Failure",
    "Tally",
    "Totals",
    "new_tally",
]


@record
class Totals:
    """Sums and extremes over all steps so far."""

    steps: i8
    """Completed steps."""
    corrections: i8
    """Joint corrections: evaluations of a prediction that needed one, over all steps."""
    most_corrections: i8
    """Largest number of corrections in one step."""
    velocity_corrections: i8
    """Velocity corrections, over all steps."""
    most_velocity_corrections: i8
    """Largest number of velocity corrections in one step."""
    impulses: i8
    """Impulses computed for single joints, over all steps; counted by the iterative solver."""
    most_impulses: i8
    """Largest number of such impulses in one step."""
    cut_steps: i8
    """Steps that a budget ended."""
    largest_step_error: f8
    """Largest joint error after any stage, rotations weighed by body length [m]; the same."""
    step_error_sum: f8
    """Σ largest joint error after a stage of the step [m]; counted by the iterative solver."""
    halvings: i8
    """How often a step was repeated in halves."""
    translation_error: f8
    """Largest translational joint error after any stage [m]."""
    rotation_error: f8
    """Largest rotational joint error after any stage [rad]."""
    fastest: f8
    """Largest angular velocity of a body that moves joints, after any step [rad/s]."""
    most_kinetic: f8
    """Largest kinetic energy after any step [J]."""
    amplification: f8
    """Ratio of recent corrections (accuracy.py)."""
    left: f8
    """Energy of all errors that the joint tolerance left [J]."""
    most_left: f8
    """The largest of one stage [J]."""
    left_error: f8
    """The error of that stage [m]."""
    left_joint: i8
    """Its joint."""
    kick: f8
    """Largest energy of a correction along rows that are nearly repeated [J]."""
    kick_joint: i8
    """Its joint."""
    contradiction: f8
    """Largest error of rows that contradict others which they nearly repeat [m]."""
    contradicting: i8
    """Its joint."""
    work: f8
    """Work done by loads [J]."""
    kinematic_work: f8
    """Work done by kinematic bodies on the others [J]."""
    motor_work: f8
    """Work done by motors [J]."""
    dissipated: f8
    """Energy taken out by dampers, friction, limits and contacts, as their impulses add up [J]."""
    most_dissipated: f8
    """The most of that after any step [J]."""
    moved: f8
    """The largest kinetic energy, and what every kind of work has moved so far [J]."""
    settled: f8
    """What of it stands [J]: what was taken out does not come back, but for a small swing."""
    created: f8
    """Energy that contacts created against their laws [J]."""
    start_energy: f8
    """Total energy at the start [J]."""
    energy: f8
    """Total energy after the last step less the work W of loads, kinematic bodies and motors, plus
    what of the dissipated stands [J]."""
    start_kinetic: f8
    """Kinetic energy at the start [J]."""
    highest: f8
    """The highest it was [J]."""
    largest_drift: f8
    """max |E - E0 - W| [J]."""
    drift_sum: f8
    """Σ |E - E0 - W| [J]."""
    increment_sum: f8
    """Σ |ΔE - ΔW| [J]."""
    largest_increment: f8
    """max |ΔE - ΔW| of a step [J]."""
    noise: f8
    """Energy that the tolerance and the swing of what rests may move [J], inf where overlaps or the
    law of impacts may move any."""
    fall: f8
    """Energy of a fall through the scene, below which no rise counts [J]; inf as before."""
    balance: f8
    """E - W of the state that was weighed last [J]."""
    bounded: i8
    """Steps in which a servo asked for more than its largest force; counted by the multiplier
    methods, whose order is lost there."""
    bounded_joint: i8
    """The joint of the last."""
    start_momentum: vec3
    """Linear momentum at the start [N s]."""
    start_angular_momentum: vec3
    """Angular momentum at the start [N m s], about the world origin."""
    momentum_drift: f8
    """Largest change of the linear momentum [N s]."""
    angular_momentum_drift: f8
    """Largest change of the angular momentum [N m s]."""
    broken: i8
    """Number of joints that broke so far."""
    bearing: f8
    """Contacts that bore an impulse, over all steps."""
    most_bearing: i8
    """Most of them in one step."""
    deepest: f8
    """Largest penetration depth of any two bodies [m]."""
    violation: f8
    """Largest violation of the law of a contact that a step left [m]."""
    divisions: i8
    """How often steps were divided where bodies meet."""
    late: i8
    """Steps with more impacts than parts."""


@record
class Failure:
    """What the last step that failed failed of."""

    joint: i8
    """Joint that did not converge, -1 if none."""
    what: i8
    """How the stage ended (status.py)."""
    error: f8
    """Its error when the step was given up, or left by the ways that were found last [m], of RATE
    [m/s]; that of laws is in the workspace."""
    energy: f8
    """Energy that contacts created in the step that was given up, or by which it rose [J]."""
    bodies: pair_i8
    """Bodies of the scene at the contact that created most of it."""
    begin: f8
    """How far into the failed step its last part began [s]."""
    part: f8
    """Length of that part [s]."""
    body: i8
    """Body that would have turned too far (free_motion/flow.py), or that has most of an energy that
    rose; -1 if none."""


@record
class BrokenJoint:
    """A joint that broke."""

    joint: i8
    """Its number."""
    time: f8
    """When it broke [s]."""
    force: f8
    """Reaction force at which it broke [N]."""
    torque: f8
    """Reaction torque at which it broke [N m]."""


@by_address
class Tally(NamedTuple):
    """What is counted over a run."""

    totals: Records
    """Totals, shape (1,)."""
    failure: Records
    """Failure, shape (1,)."""
    broken: Records
    """BrokenJoint in the order in which they broke, shape (m,)."""


def new_tally(joints: int = 0) -> Tally:
    """A tally of nothing yet, for a model with so many joints that may break; until the bounds of
    its energy are known, any energy may move.
    """
    totals = new_records(Totals, 1)
    totals["noise"], totals["fall"] = math.inf, math.inf
    return Tally(
        totals=totals,
        failure=new_records(Failure, 1),
        broken=new_records(BrokenJoint, joints),
    )
