"""What can be asked of a session: frozen dataclasses, which a log keeps as lines of JSON.

Points on bodies are in the body's own frame, as those of a load in a scene file; forces and targets
are in world axes unless ``axes`` says "body".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Literal

__all__ = [
    "COMMANDS",
    "AddLoad",
    "ApplyForce",
    "ApplyImpulse",
    "ApplyTorque",
    "Command",
    "CommandError",
    "Drag",
    "EnableBody",
    "EnableJoint",
    "LoadState",
    "Pause",
    "Release",
    "RemoveLoad",
    "Reset",
    "Resume",
    "Rewind",
    "SaveState",
    "SetMotorTarget",
    "SetMotorTargets",
    "SetParameter",
    "SetSpeed",
    "Step",
    "command_from",
    "command_line",
]

Triple = tuple[float, float, float]
Axes = Literal["world", "body"]


class CommandError(ValueError):
    """A command that cannot be carried out; the message says what to write instead."""


@dataclass(frozen=True)
class Command:
    """Something asked of a session, done between two steps."""


@dataclass(frozen=True)
class Pause(Command):
    """Stand still after the step under way."""


@dataclass(frozen=True)
class Resume(Command):
    """Go on; after a failure, try again."""


@dataclass(frozen=True)
class Step(Command):
    """Take ``count`` steps, then pause."""

    count: int = 1


@dataclass(frozen=True)
class SetSpeed(Command):
    """Run at ``factor`` times real time; None: as fast as possible."""

    factor: float | None


@dataclass(frozen=True)
class SetParameter(Command):
    """Give what ``path`` names another value, as in ``joints[knee].motors[0].proportional``.

    Every body keeps its pose and its velocities.
    """

    path: str
    value: Any


@dataclass(frozen=True)
class ApplyImpulse(Command):
    """An impulse [N s] at a point [m] of a body, body frame, default its centre of mass."""

    body: str
    impulse: Triple
    point: Triple | None = None
    axes: Axes = "world"


@dataclass(frozen=True)
class ApplyForce(Command):
    """A force [N] at a point [m] of a body for a duration [s], to whole steps; at least one."""

    body: str
    force: Triple
    duration: float
    point: Triple | None = None
    axes: Axes = "world"


@dataclass(frozen=True)
class ApplyTorque(Command):
    """A torque [N m] on a body for a duration [s], to whole steps; at least one."""

    body: str
    torque: Triple
    duration: float
    axes: Axes = "world"


@dataclass(frozen=True)
class Drag(Command):
    """Pull a point [m] of a body to a target [m], world frame, until ``Release``.

    The spring has a stiffness [N/m] and a damping [N s/m]; where they are None they are such that
    the body alone would swing twice a second and not overshoot. Of a body that joints or contacts
    hold back the spring is weaker by (1 + (h c + h² k) K)⁻¹, K the inverse mass felt at the point.
    Another Drag of the same body takes the place of the first.
    """

    body: str
    point: Triple
    target: Triple
    stiffness: float | None = None
    damping: float | None = None


@dataclass(frozen=True)
class Release(Command):
    """End the drag of a body, and the forces and torques on it; None: of all."""

    body: str | None = None


@dataclass(frozen=True)
class SetMotorTarget(Command):
    """Give a motor of a joint a constant target, in place of what the scene says.

    Units are those of the scene file: rad or m for servos, rad/s or m/s for velocities, N or N m
    for forces.
    """

    joint: str
    value: float
    motor: int = 0


@dataclass(frozen=True)
class SetMotorTargets(Command):
    """The same for several motors: (joint, number of the motor, value)."""

    targets: tuple[tuple[str, int, float], ...]


@dataclass(frozen=True)
class EnableJoint(Command):
    """Let go of a joint, or close it again from where its bodies are."""

    joint: str
    enabled: bool = True


@dataclass(frozen=True)
class EnableBody(Command):
    """Take a body out, which then stands still, untouched and without joints; or put it back."""

    body: str
    enabled: bool = True


@dataclass(frozen=True)
class AddLoad(Command):
    """Add a load: ``load`` has the keys of one in a scene file, and a name of its own."""

    load: Mapping[str, Any]


@dataclass(frozen=True)
class RemoveLoad(Command):
    """Remove the load of a name."""

    name: str


@dataclass(frozen=True)
class Reset(Command):
    """Back to the start, with all parameters as they are now; the log begins anew."""


@dataclass(frozen=True)
class Rewind(Command):
    """Back to the first step at or after a time [s]; the log is cut there."""

    time: float


@dataclass(frozen=True)
class SaveState(Command):
    """Write the state to a file."""

    path: str


@dataclass(frozen=True)
class LoadState(Command):
    """Go on from a state that was saved of the same scene and options."""

    path: str


COMMANDS: dict[str, type[Command]] = {
    kind.__name__: kind
    for kind in (
        Pause, Resume, Step, SetSpeed, SetParameter, ApplyImpulse, ApplyForce, ApplyTorque, Drag,
        Release, SetMotorTarget, SetMotorTargets, EnableJoint, EnableBody, AddLoad, RemoveLoad,
        Reset, Rewind, SaveState, LoadState,
    )
}  # fmt: skip


def command_line(command: Command) -> dict[str, Any]:
    """A command as values of JSON."""
    return {"command": type(command).__name__, **asdict(command)}


def command_from(line: Mapping[str, Any]) -> Command:
    """The command that ``command_line`` wrote.

    Raises:
        CommandError: There is no such command, or it has other fields.
    """
    given = dict(line)
    name = given.pop("command", None)
    kind = COMMANDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise CommandError(f"there is no command {name!r}; it is one of {', '.join(COMMANDS)}.")
    known = {field.name: field for field in fields(kind)}
    if unknown := given.keys() - known.keys():
        raise CommandError(f"{name} has no {min(unknown)}; it has {', '.join(known) or 'nothing'}.")
    needed = [n for n, f in known.items() if f.default is MISSING and n not in given]
    if needed:
        raise CommandError(f"{name} lacks {needed[0]}.")
    return kind(**{key: _frozen(value) for key, value in given.items()})


def _frozen(value: Any) -> Any:
    """Arrays of JSON as tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
