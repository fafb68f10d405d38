"""What each command does to a machine. A command that is refused changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from impulse_core.checkpoints import StateFileError
from impulse_core.compile import SceneError, did_you_mean
from impulse_core.compile.editing import ParameterError, new_load, set_parameters
from impulse_core.simulation.live import commands as c
from impulse_core.simulation.live.commands import Command, CommandError
from impulse_core.simulation.live.machine import Build, LiveMachine
from impulse_core.simulation.live.pushes import Acting, Pull, Push
from impulse_core.simulation.options import OptionError
from impulse_core.simulation.targets import TargetError

__all__ = ["act", "edited", "lasts", "moves"]

Triple = tuple[float, float, float]
_ZERO = (0.0, 0.0, 0.0)
_LARGEST = 1e18  # N, N s and so on, as in a scene file


def moves(command: Command) -> bool:
    """Whether a command changes what the machine does, so that a log needs it for a replay."""
    return type(command) in _ACTIONS


def act(machine: LiveMachine, command: Command) -> None:
    """Carry out a command that ``moves``.

    Raises:
        CommandError: It cannot be; the machine is as it was.
    """
    try:
        _ACTIONS[type(command)](machine, command)
    except (ParameterError, TargetError, OptionError) as error:
        raise CommandError(str(error)) from None
    except StateFileError as error:
        raise CommandError(str(error)) from None
    except SceneError as error:
        first = error.problems[0]
        raise CommandError(f"{first.message}; {first.hint}".rstrip("; ") + ".") from None


def edited(build: Build, command: Command) -> Build:
    """What a machine is made of after a command that changes just that.

    Raises:
        ParameterError: It cannot be.
        CommandError: The same.
    """
    return _EDITS[type(command)](build, command)


def lasts(command: Command) -> bool:
    """Whether a command changes what the machine is made of, and stays when it is reset."""
    return type(command) in _EDITS


def _edit(machine: LiveMachine, command: Command) -> None:
    machine.rebuild(edited(machine.build, command))


def _set_parameter(build: Build, command: c.SetParameter) -> Build:
    scene = set_parameters(build.scene, {command.path: command.value})
    option = command.path.removeprefix("settings.").partition("[")[0]
    given = dict(build.given)
    if command.path.startswith("settings."):
        given.pop("contacts" if option == "record_contacts" else option, None)
    return replace(build, scene=scene, given=MappingProxyType(given))


def _impulse(machine: LiveMachine, command: c.ApplyImpulse) -> None:
    point = None if command.point is None else _vector("point", command.point)
    impulse = _vector("impulse", command.impulse)
    _body(machine, command.body)
    machine.push_once(Push(command.body, impulse, _ZERO, point, _axes(command.axes)))


def _force(machine: LiveMachine, command: c.ApplyForce) -> None:
    point = None if command.point is None else _vector("point", command.point)
    force = _vector("force", command.force)
    _body(machine, command.body)
    push = Push(command.body, force, _ZERO, point, _axes(command.axes))
    machine.acting.append(Acting(push, _steps(machine, command.duration)))
    machine.wake()


def _torque(machine: LiveMachine, command: c.ApplyTorque) -> None:
    torque = _vector("torque", command.torque)
    _body(machine, command.body)
    push = Push(command.body, _ZERO, torque, None, _axes(command.axes))
    machine.acting.append(Acting(push, _steps(machine, command.duration)))
    machine.wake()


def _drag(machine: LiveMachine, command: c.Drag) -> None:
    point, target = _vector("point", command.point), _vector("target", command.target)
    for name in ("stiffness", "damping"):
        value = getattr(command, name)
        if value is not None and not 0.0 <= _number(name, value) <= _LARGEST:
            raise CommandError(f"{name} is {value!r}; it must be zero or more.")
    _body(machine, command.body)
    pull = Pull(command.body, point, target, command.stiffness, command.damping)
    machine.pulls[command.body] = pull
    machine.wake()


def _release(machine: LiveMachine, command: c.Release) -> None:
    if command.body is None:
        machine.pulls.clear()
        machine.acting.clear()
        return
    _known(machine, command.body)
    machine.pulls.pop(command.body, None)
    machine.acting[:] = [a for a in machine.acting if a.push.body != command.body]


def _target(machine: LiveMachine, command: c.SetMotorTarget) -> None:
    _targets(machine, c.SetMotorTargets(((command.joint, command.motor, command.value),)))


def _targets(machine: LiveMachine, command: c.SetMotorTargets) -> None:
    checked = [machine.targets.check(j, motor, x) for j, motor, x in command.targets]
    for key, value in checked:
        machine.targets.put(key, value)
    machine.wake()


def _joint(machine: LiveMachine, command: c.EnableJoint) -> None:
    names = machine.engine.compiled.joint_names
    if command.joint not in names:
        hint = did_you_mean(str(command.joint), names)
        raise CommandError(f"there is no joint '{command.joint}'. {hint}".rstrip())
    if machine.engine.comparison is not None:
        method = machine.engine.options.method
        raise CommandError(f"method {method} cannot let go of joints; use one of imp2 to imp10.")
    machine.enable_joint(names.index(command.joint), bool(command.enabled))


def _enable_body(machine: LiveMachine, command: c.EnableBody) -> None:
    i, build = _known(machine, command.body), machine.build
    if bool(command.enabled) == (command.body not in build.standing):
        return
    standing = dict(build.standing)
    if command.enabled:
        del standing[command.body]
    else:
        snapshot = machine.snapshot()
        pose = snapshot.positions[i].tolist(), snapshot.orientations[i].tolist()
        standing[command.body] = tuple(pose[0]), tuple(pose[1])
    machine.rebuild(replace(build, standing=MappingProxyType(standing)))
    machine.pulls.pop(command.body, None)
    machine.acting[:] = [a for a in machine.acting if a.push.body != command.body]


def _add_load(build: Build, command: c.AddLoad) -> Build:
    load = new_load(command.load)
    if not load.name:
        raise CommandError("the load has no name; give it one, by which it can be removed.")
    if load.name in [known.name for known in (*build.loads, *build.scene.loads)]:
        raise CommandError(f"there is a load '{load.name}' already; give it another name.")
    return replace(build, loads=(*build.loads, load))


def _remove_load(build: Build, command: c.RemoveLoad) -> Build:
    names = [load.name for load in (*build.loads, *build.scene.loads) if load.name]
    if command.name not in names:
        hint = did_you_mean(str(command.name), names)
        raise CommandError(f"there is no load '{command.name}'. {hint}".rstrip())
    scene = build.scene
    own = [load for load in scene.loads if load.name != command.name]
    if len(own) != len(scene.loads):
        scene = scene.model_copy(update={"loads": own})
    added = tuple(load for load in build.loads if load.name != command.name)
    return replace(build, scene=scene, loads=added)


def _load_state(machine: LiveMachine, command: c.LoadState) -> None:
    machine.load(command.path)


_EDITS: dict[type[Command], Callable[[Build, Any], Build]] = {
    c.SetParameter: _set_parameter,
    c.AddLoad: _add_load,
    c.RemoveLoad: _remove_load,
}
_ACTIONS: dict[type[Command], Callable[[LiveMachine, Any], None]] = {
    **dict.fromkeys(_EDITS, _edit),
    c.ApplyImpulse: _impulse,
    c.ApplyForce: _force,
    c.ApplyTorque: _torque,
    c.Drag: _drag,
    c.Release: _release,
    c.SetMotorTarget: _target,
    c.SetMotorTargets: _targets,
    c.EnableJoint: _joint,
    c.EnableBody: _enable_body,
    c.LoadState: _load_state,
}


def _known(machine: LiveMachine, body: Any) -> int:
    """Number of a body of the scene."""
    if body not in machine.bodies:
        hint = did_you_mean(str(body), machine.bodies)
        raise CommandError(f"there is no body '{body}'. {hint}".rstrip())
    return machine.bodies.index(body)


def _body(machine: LiveMachine, body: Any) -> None:
    """Refuse to push what cannot be pushed."""
    i = _known(machine, body)
    if machine.engine.compiled.body_row[i] >= machine.engine.model.dynamic:
        was = "taken out" if body in machine.build.standing else "not dynamic"
        raise CommandError(f"body '{body}' is {was}, so nothing can push it.")


def _axes(axes: Any) -> bool:
    if axes not in ("world", "body"):
        raise CommandError(f"axes is {axes!r}; write 'world' or 'body'.")
    return bool(axes == "body")


def _steps(machine: LiveMachine, duration: Any) -> int:
    seconds = _number("duration", duration)
    if not 0.0 < seconds <= _LARGEST:
        raise CommandError(f"duration is {duration!r} s; it must be positive.")
    return max(1, round(seconds / machine.engine.options.step))


def _number(name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not abs(number) <= _LARGEST:
        raise CommandError(f"{name} is {value!r}; give numbers of at most {_LARGEST:g}.")
    return number


def _vector(name: str, value: Any) -> Triple:
    try:
        x, y, z = value
    except (TypeError, ValueError):
        raise CommandError(f"{name} is {value!r}; give three numbers, as in (0, 0, 1).") from None
    return _number(name, x), _number(name, y), _number(name, z)
