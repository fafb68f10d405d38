"""The file of a live machine: the state of its engine, and beside it what acts from outside."""

from __future__ import annotations

import json
from typing import Any

from impulse_core.simulation.live.machine import LiveMachine
from impulse_core.simulation.live.pushes import Acting, Pull, Push

__all__ = ["load_machine", "save_machine"]


def save_machine(machine: LiveMachine, path: str) -> None:
    """Write all that the future of a machine depends on.

    Raises:
        StateFileError: The file cannot be written.
    """
    values = machine.targets.values
    note = {
        "targets": [[*key, value] for key, value in values.items()],
        "acting": [[*acting.push, acting.steps] for acting in machine.acting],
        "pulls": [[*pull] for pull in machine.pulls.values()],
    }
    machine.targets.put_all({})  # what the scene says, of which the file has a digest
    try:
        with machine.answered():
            machine.engine.save(path, json.dumps(note).encode())
    finally:
        machine.targets.put_all(values)


def load_machine(machine: LiveMachine, path: str) -> None:
    """Go on from a file that ``save_machine`` wrote of the same machine; steps go on counting.

    Raises:
        StateFileError: It is damaged, or of another machine; this one is as it was.
    """
    values = machine.targets.values
    machine.targets.put_all({})
    try:
        note = json.loads(machine.engine.load(path) or b"{}")
    except BaseException:
        machine.targets.put_all(values)
        raise
    machine.targets.put_all({(joint, motor): x for joint, motor, x in note.get("targets", ())})
    machine.acting = [
        Acting(Push(body, _triple(force), _triple(torque), _triple(point), in_axes), steps)
        for body, force, torque, point, in_axes, steps in note.get("acting", ())
    ]
    pulls = [
        Pull(body, _triple(point), _triple(target), k, d)
        for body, point, target, k, d in note.get("pulls", ())
    ]
    machine.pulls = {pull.body: pull for pull in pulls}
    machine.replaced()


def _triple(vector: Any) -> Any:
    return None if vector is None else tuple(vector)
