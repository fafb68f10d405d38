"""Servos that the step damps more than they damp themselves: found at the start pose, by name.

An implicit servo moves by a share σ towards the end of the stage (docs/algorithm.md, 34). That
makes every gain stable, and takes energy out of a motion which the step resolves poorly. Along an
axis of inverse mass w, with gains P and D, a spring k and a damper d beside them, F half the step,

    p = -F (P ½((1-σ) s + (1+σ) x) + k ½(s + x) + (D + d)(x - s)/h),       x = s + h (u + w p)
    p' = (1-σ) p_P,D + p_k,d - σ F (P x + (D + hP) u'),                    u' = u + w (p + p')

is linear in s and u: its eigenvalues, beside those of the oscillator, tell what the step adds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.forces.axes import add_axis_impulses, read_axes, release_axes, rotor_errors
from impulse_core.jit import kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    relative_velocities,
)
from impulse_core.joints.table import IMPLICIT_SERVO
from impulse_core.model import Model, copy_state, new_workspace
from impulse_core.model.copies import halt
from impulse_core.solver.direct import prepare, set_compliances, solve
from impulse_core.solver.layout import plan_structure
from impulse_core.types import Floats

__all__ = ["damping_warnings", "inverse_masses"]

_LOST = 0.003  # of the amplitude in a period: less is not worth a word
_SOLVES = 3  # what one leaves is round-off of the first


@dataclass(frozen=True)
class _Servo:
    """A servo and what it moves; fields as in Model, ``moved`` the inverse mass in the machine."""

    proportional: float
    derivative: float
    stiffness: float
    damping: float
    inverse_mass: float
    moved: float

    @property
    def frequency(self) -> float:
        """ω [rad/s] of the undamped motion."""
        return math.sqrt((self.proportional + self.stiffness) * self.moved)

    @property
    def ratio(self) -> float:
        """Its own damping, of the critical one."""
        return 0.5 * (self.derivative + self.damping) * self.moved / self.frequency

    def ratio_in_steps(self, h: float) -> float:
        """The same in steps of h [s]: -ln |λ| / (ω h) of the larger eigenvalue λ."""
        columns = [self._step(h, *start) for start in ((1.0, 0.0), (0.0, 1.0))]
        size = float(np.abs(np.linalg.eigvals(np.array(columns).T)).max())
        return -math.log(max(size, 1e-300)) / (self.frequency * h)

    def _step(self, h: float, s: float, u: float) -> tuple[float, float]:
        P, D, k, d, w = (
            self.proportional,
            self.derivative,
            self.stiffness,
            self.damping,
            self.moved,
        )
        z = h * self.inverse_mass * (D + h * P)
        share = z * z / (1.0 + z * z)
        F = 0.5 * h
        servo, spring = F * P * 0.5 * (1.0 + share), F * k * 0.5
        slope = servo * h + spring * h + F * (D + d)
        force = F * P * s + F * k * s
        speed = (u - w * force) / (1.0 + w * slope)
        x = s + h * speed
        first = -F * P * 0.5 * (1.0 - share) * s - servo * x - F * D * speed
        second = (1.0 - share) * first - spring * (s + x) - F * d * speed - share * F * P * x
        return x, (speed + w * second) / (1.0 + w * share * F * (D + h * P))

    def is_damped_by(self, h: float) -> bool:
        """Whether steps of h [s] take more from it than it takes itself, and noticeably."""
        own, stepped = self.ratio, self.ratio_in_steps(h)
        # More than the share L of the amplitude: 1 - exp(-2π (stepped - own)) > L, without exp,
        # which overflows where the servo damps itself by far the most.
        noticeable = -math.log1p(-_LOST) / (2.0 * math.pi)
        return stepped > 2.0 * own and stepped - own > noticeable

    def longest_step(self, h: float) -> float:
        """A step [s] below h that leaves it as it is."""
        while self.is_damped_by(h):
            h *= 0.9
        return h


def damping_warnings(compiled: CompiledScene, h: float) -> list[str]:
    """The warning that names the servo which steps of h [s] damp most; none if there is no such."""
    model = compiled.model
    implicit = np.flatnonzero(model.axes["motor_kind"] == IMPLICIT_SERVO)
    suspects = [k for k in implicit if _is_suspect(model, k, h)]
    if not suspects:
        return []
    moved = np.diagonal(inverse_masses(compiled))
    servos = {k: _servo(model, k, moved[k]) for k in suspects}
    damped = [k for k in suspects if moved[k] > 0.0 and servos[k].is_damped_by(h)]
    if not damped:
        return []
    worst = max(damped, key=lambda k: servos[k].ratio_in_steps(h) - servos[k].ratio)
    servo, name = servos[worst], compiled.joint_names[model.axes["joint"][worst]]
    step = min(servos[k].longest_step(h) for k in damped)
    others = f" (and {len(damped) - 1} more)" if len(damped) > 1 else ""
    ratio, stepped = servo.ratio, servo.ratio_in_steps(h)
    warning = (
        f"the servo of joint '{name}'{others} has ω h = {servo.frequency * h:.3g}, with"
        f" ω = {servo.frequency:.3g} rad/s by its gain and what it moves, and little damping of its"
        f" own: the step damps it, to {stepped:.2g} of the critical damping instead of {ratio:.2g};"
        f" use a step of {step:.2g} s or less, or give it a derivative gain"
    )
    return [warning]


def _is_suspect(model: Model, k: int, h: float) -> bool:
    """Whether axis k moved alone, which is lightest, would be damped at all: σ ω h bounds it."""
    servo = _servo(model, k, model.axes["inverse_mass"][k])
    if not (servo.proportional > 0.0):
        return False
    z = h * servo.inverse_mass * (servo.derivative + h * servo.proportional)
    return min(z * z, 1.0) * min(servo.frequency * h, 1.0) > 0.1 * _LOST


def _servo(model: Model, k: int, moved: float) -> _Servo:
    P, _, D = (float(gain) for gain in model.axes["motor_gain"][k])
    return _Servo(
        P,
        D,
        float(model.axes["stiffness"][k]),
        float(model.axes["damping"][k]),
        float(model.axes["inverse_mass"][k]),
        float(moved),
    )


def inverse_masses(compiled: CompiledScene) -> Floats:
    """Velocities along all axes after a unit impulse along each, with the machine behind them and
    all rotors, other axes free, at the start pose, shape (a, a).
    """
    model = compiled.model
    structure = plan_structure(model)
    work = new_workspace(model, structure, compiled.state)
    masses = np.empty((len(model.axes), len(model.axes)))
    _push_each(model, structure, copy_state(compiled.state), work, masses)
    return masses


@kernel
def _push_each(model, structure, state, work, masses):
    """Velocities along all axes after a unit impulse along each, shape (a, a)."""
    release_axes(model, state, work)
    set_compliances(model, structure, state, work)
    prepare(model, structure, state, work)
    for k in range(len(masses)):
        halt(state.bodies)
        for i in range(len(masses)):
            work.axes[i].rate, work.axes[i].impulse = 0.0, 0.0
        for j in range(len(model.joints)):
            for row in range(6):
                work.impulse[j, row] = 0.0
        work.impulse[model.axes[k].joint, model.axes[k].row] = 1.0
        apply_impulses(model, work.impulse, state, work)
        angular_velocities(model, state, work)
        for _ in range(_SOLVES):
            relative_velocities(model, state, work, work.error)
            rotor_errors(model, work)
            solve(structure, work.error, -1.0, work)
            apply_impulses(model, work.impulse, state, work)
            add_axis_impulses(model, work)
            angular_velocities(model, state, work)
        relative_velocities(model, state, work, work.error)
        read_axes(model, work.error, work.axes.after)
        for i in range(len(masses)):
            masses[k, i] = work.axes[i].after
