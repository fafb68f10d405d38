"""``Controller``: a function that is asked for targets of motors once a step."""

from __future__ import annotations

from impulse_core.simulation.engine import Engine
from impulse_core.simulation.snapshots import Control, pose_frame, take_snapshot
from impulse_core.simulation.targets import MotorTargets

__all__ = ["Controller"]


class Controller:
    """Asks a function for targets, and lets the motors of an engine at its start have them."""

    def __init__(self, engine: Engine, control: Control) -> None:
        self._engine, self._control = engine, control
        self._targets = MotorTargets(engine.compiled)
        self._start = pose_frame(engine.compiled, engine.state)
        self._bodies = tuple(engine.compiled.body_names)
        self._asked = -1.0

    def ask(self, time: float) -> None:
        """Set the targets of the step that begins at a time [s]; once, however often it is asked.

        Raises:
            TargetError: There is no such motor, or a target is no finite number.
        """
        if time == self._asked:
            return
        self._asked = time
        view = take_snapshot(self._engine, self._start, self._bodies, step=self._engine.steps)
        changed = self._targets.changed(self._control(time, view))
        for joint, motor, value in changed:
            self._targets.put((joint, motor), value)
        if changed:
            self._engine.runner.wake_machines()
