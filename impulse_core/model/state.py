"""State of the bodies and joints: with the memory of contacts, all that the next step depends on.

Body rows are those of the Model: dynamic bodies, kinematic ones, the world.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.types import Records, by_address, f8, i8, new_records, quat, record, six, vec3

__all__ = [
    "AxisState",
    "BodyState",
    "Clock",
    "JointState",
    "KinematicState",
    "LoadState",
    "State",
    "TermState",
    "TurnState",
    "copy_state",
    "new_state",
    "restore_state",
]


@record
class BodyState:
    """Pose and momentum of a body; world frame."""

    position: vec3
    """Centre of mass [m]."""
    orientation: quat
    """Body frame to world frame, quaternion w x y z."""
    velocity: vec3
    """Velocity of the centre of mass [m/s]."""
    angular_momentum: vec3
    """About the own centre of mass [kg m²/s]. Free motion leaves it exactly constant, which is why
    it is kept instead of the angular velocity."""


@record
class JointState:
    """What a joint carries from step to step."""

    multiplier: six
    """Impulses of the last velocity correction [N s | N m s]: the warm start."""
    broken: i8
    """1 where it holds nothing any more: it has broken, or is a coupling of one that has."""
    loose: i8
    """Rows, as bits, that nearly repeat those of others and contradict them (solver/loose.py)."""


@record
class AxisState:
    """A free axis on which something acts."""

    position: f8
    """Coordinate [m | rad]; angles go on over full turns."""
    motor_integral: f8
    """Integrated error of a servo [m s | rad s]."""
    compliance: f8
    """E of the piece of the force law that was active last, with which the next stage begins."""
    force: f8
    """Mean force over the last stage [N | N m], without what its rotor takes to be moved; of the
    multiplier methods that at the state."""


@record
class TermState:
    """A term of a coupling."""

    position: f8
    """Its coordinate [m | rad]; angles go on over full turns."""


@record
class KinematicState:
    """A kinematic body, of which position and velocity stand among the bodies."""

    spin: vec3
    """Angular velocity [rad/s], world frame."""
    interval: i8
    """Interval of Model.paths in which it is."""


@record
class LoadState:
    """A load."""

    active: i8
    """1 while it acts."""


@record
class TurnState:
    """An angle of a joint along which nothing acts (Model.counted)."""

    angle: f8
    """[rad]; goes on over full turns."""
    rate: f8
    """[rad/s]."""
    time: f8
    """Of both [s]."""
    steps: i8
    """Since the angle was last read from the poses, and not followed by its rate."""


@record
class Clock:
    """When a state is."""

    time: f8
    """[s]."""
    corrected: i8
    """0 if the first half of the last stage, or of this one, needed no correction; 1 if it did, but
    2 if that of the stage before was the first to do so."""
    multiplier_step: f8
    """Length of the stage to which the multipliers of the joints belong [s]."""
    progress: i8
    """How much of the step under way is done, in parts of its finest division: 0 but where a signal
    ended a call within a step."""


@by_address
class State(NamedTuple):
    """What a step changes."""

    bodies: Records
    """BodyState, shape (b,)."""
    joints: Records
    """JointState, shape (m,)."""
    axes: Records
    """AxisState, shape (a,)."""
    terms: Records
    """TermState, shape (t,)."""
    kinematic: Records
    """KinematicState, shape (k,)."""
    loads: Records
    """LoadState, shape (l,)."""
    turns: Records
    """TurnState, shape (r,)."""
    clock: Records
    """Clock, shape (1,)."""


def new_state(
    *, bodies: int, joints: int, axes: int, terms: int, kinematic: int, loads: int, turns: int
) -> State:
    """A state of zeros, for so many of each."""
    return State(
        bodies=new_records(BodyState, bodies),
        joints=new_records(JointState, joints),
        axes=new_records(AxisState, axes),
        terms=new_records(TermState, terms),
        kinematic=new_records(KinematicState, kinematic),
        loads=new_records(LoadState, loads),
        turns=new_records(TurnState, turns),
        clock=new_records(Clock, 1),
    )


def copy_state(state: State) -> State:
    """An independent copy."""
    return State._make(array.copy() for array in state)


def restore_state(state: State, values: State) -> None:
    """Overwrite the arrays of ``state`` in place with those of another."""
    for array, value in zip(state, values, strict=True):
        array[:] = value
