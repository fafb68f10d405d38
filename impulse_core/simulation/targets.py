"""Targets of motors that are set while a machine runs, in place of what the scene says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from impulse_core.compile import CompiledScene, did_you_mean
from impulse_core.joints.table import FIRST_ROTATION, NO_MOTOR
from impulse_core.model.signals import CONSTANT

__all__ = ["MotorTargets", "TargetError"]

Targets = Mapping[tuple[str, int], float]


class TargetError(ValueError):
    """A target of a motor that is not there, or that cannot be; the message says what to write."""


class MotorTargets:
    """The motors of a machine and the targets that were set so far.

    Attributes:
        values: Targets that were set, by name of the joint and number of its motor.
    """

    def __init__(self, compiled: CompiledScene) -> None:
        self._signals = compiled.model.signals
        self._kind, self._constant = self._signals.kind.copy(), self._signals.constant.copy()
        self._signal = _signals_of(compiled)
        self.values: dict[tuple[str, int], float] = {}

    def known(self) -> list[tuple[str, int]]:
        """The motors there are: name of the joint and number."""
        return [*self._signal]

    def check(self, joint: Any, motor: Any, value: Any) -> tuple[tuple[str, int], float]:
        """The motor and the target that are meant.

        Raises:
            TargetError: There is no such motor, or the target is no finite number.
        """
        key = (joint, motor)
        if key not in self._signal:
            raise TargetError(self._unknown(joint, motor))
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number) or isinstance(value, (bool, str)):
            raise TargetError(f"the target of joint '{joint}' is {value!r}; give a finite number.")
        return key, number

    def _unknown(self, joint: Any, motor: Any) -> str:
        motors = [number for name, number in self._signal if name == joint]
        if motors:
            return f"joint '{joint}' has the motors {motors}, and no {motor!r}."
        names = list(dict.fromkeys(name for name, _ in self._signal))
        if not names:
            return "no joint of the scene has a motor."
        hint = did_you_mean(str(joint), names)
        return f"there is no joint '{joint}' with a motor. {hint}".rstrip()

    def changed(self, wanted: Any) -> tuple[tuple[str, int, float], ...]:
        """What a controller wants that is not so yet: (joint, number of the motor, value).

        Args:
            wanted: Targets by joint, or by (joint, number of the motor).

        Raises:
            TargetError: There is no such motor, or a target is no finite number.
        """
        if not isinstance(wanted, Mapping):
            raise TargetError(f"the controller gave {wanted!r}; let it return a dict of targets.")
        found = []
        for name, value in wanted.items():
            joint, motor = name if isinstance(name, tuple) and len(name) == 2 else (name, 0)
            key, number = self.check(joint, motor, value)
            if self.values.get(key) != number:
                found.append((*key, number))
        return tuple(found)

    def put(self, key: tuple[str, int], value: float) -> None:
        """Give a motor a constant target."""
        number = self._signal[key]
        self._signals.kind[number], self._signals.constant[number] = CONSTANT, value
        self.values[key] = value

    def put_all(self, values: Targets) -> None:
        """Give motors these targets, and all others those of the scene again."""
        self._signals.kind[:], self._signals.constant[:] = self._kind, self._constant
        self.values = {}
        for key, value in values.items():
            if key in self._signal:
                self.put(key, value)


def _signals_of(compiled: CompiledScene) -> dict[tuple[str, int], int]:
    """The signal that is the target of each motor."""
    model, found = compiled.model, dict[tuple[str, int], int]()
    for j, (joint, name) in enumerate(
        zip(compiled.scene.joints, compiled.joint_names, strict=True)
    ):
        mine = (model.axes["joint"] == j) & (model.axes["motor_kind"] != NO_MOTOR)
        for k in np.flatnonzero(mine):
            turns = bool(model.axes["row"][k] >= FIRST_ROTATION)
            for number, motor in enumerate(joint.motors):
                freedom = motor.freedom or ("translation" if joint.type == "slider" else "rotation")
                if (freedom == "rotation") == turns:
                    found[name, number] = int(model.axes["motor_target"][k])
    return found
