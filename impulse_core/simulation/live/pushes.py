"""Impulses, forces and springs from outside, entered into the velocities before a step.

    Δv = p/m,   ΔL = r × p + J                                          (docs/algorithm.md, 7)

A force acts with the whole of its impulse h F at the start of a step, with F as it is then; so the
momentum it gives is exact, and its work is that over the mean of the velocities before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impulse_core.geometry.rotations import conjugated, multiplied, rotated
from impulse_core.simulation.engine import Engine
from impulse_core.types import Floats

__all__ = ["Acting", "Pull", "Push", "push", "push_for"]

_SWINGS = 2.0  # 1/s, of a drag without numbers


class Push(NamedTuple):
    """A force and a torque, or an impulse and an angular one, on a body by its name."""

    body: str
    linear: tuple[float, float, float]
    angular: tuple[float, float, float]
    point: tuple[float, float, float] | None
    in_body_axes: bool


@dataclass(frozen=True)
class Acting:
    """A push for a number of steps."""

    push: Push
    steps: int


class Pull(NamedTuple):
    """A spring from a point of a body to a target."""

    body: str
    point: tuple[float, float, float]
    target: tuple[float, float, float]
    stiffness: float | None
    damping: float | None


def push(engine: Engine, acting: Push, h: float) -> None:
    """Enter a push times ``h``, and count its work."""
    row, arm = _row_and_arm(engine, acting.body, acting.point)
    linear, angular = np.array(acting.linear), np.array(acting.angular)
    if acting.in_body_axes:
        axes = engine.compiled.axes[engine.compiled.body_names.index(acting.body)]
        q = multiplied(engine.state.bodies["orientation"][row], axes)
        linear, angular = rotated(q, linear), rotated(q, angular)
    _enter(engine, row, h * linear, h * (angular + _crossed(arm, linear)))


def push_for(engine: Engine, pull: Pull, h: float) -> None:
    """Enter the pull of a spring over a step of length h.

    The force is that at the end of a step of the body alone, so no stiffness is too large for the
    step:  (1 + (h c + h² k) K) F = k (x_t - x - h u) - c u,  where K gives the change of the
    velocity of its point for an impulse there.
    """
    row, arm = _row_and_arm(engine, pull.body, pull.point)
    state, model = engine.state, engine.model
    mass = float(model.bodies["mass"][row])
    k = mass * (2.0 * np.pi * _SWINGS) ** 2 if pull.stiffness is None else pull.stiffness
    c = 2.0 * float(np.sqrt(k * mass)) if pull.damping is None else pull.damping
    way = np.array(pull.target) - (state.bodies["position"][row] + arm)
    u = state.bodies["velocity"][row] + _crossed(_spin(engine, row), arm)
    K = _inverse_mass_at(engine, row, arm)
    force: Floats = np.linalg.solve(np.eye(3) + h * (c + h * k) * K, k * (way - h * u) - c * u)
    _enter(engine, row, h * force, h * _crossed(arm, force))


def _row_and_arm(
    engine: Engine, body: str, point: tuple[float, float, float] | None
) -> tuple[int, Floats]:
    """Row of a body, and the way from its centre of mass to a point [m], world axes."""
    compiled, state = engine.compiled, engine.state
    i = compiled.body_names.index(body)
    row = int(compiled.body_row[i])
    if point is None:
        return row, np.zeros(3)
    q = state.bodies["orientation"][row]
    return row, rotated(q, compiled.origin[i] + rotated(compiled.axes[i], np.array(point)))


def _inverse_mass_at(engine: Engine, row: int, arm: Floats) -> Floats:
    """K of a point of a body: 1/m - [r]× I⁻¹ [r]×, world axes, shape (3, 3)."""
    body = engine.model.bodies[row]
    x, y, z = arm.tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    axes = rotated(engine.state.bodies["orientation"][row], np.eye(3))  # rows: its axes
    inverse_inertia = (axes.T * body["inverse_inertia"]) @ axes
    found: Floats = body["inverse_mass"] * np.eye(3) - cross @ inverse_inertia @ cross
    return found


def _spin(engine: Engine, row: int) -> Floats:
    q = engine.state.bodies["orientation"][row]
    L = engine.state.bodies["angular_momentum"][row]
    w: Floats = rotated(q, engine.model.bodies["inverse_inertia"][row] * rotated(conjugated(q), L))
    return w


def _crossed(a: Floats, b: Floats) -> Floats:
    """a × b; np.cross takes five times as long for a single vector."""
    x, y, z = a.tolist()
    u, v, w = b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def _enter(engine: Engine, row: int, impulse: Floats, angular: Floats) -> None:
    """Add to the momenta of a body, and the work to the account."""
    bodies = engine.state.bodies
    v, w = bodies["velocity"][row].copy(), _spin(engine, row)
    bodies["velocity"][row] += impulse * engine.model.bodies["inverse_mass"][row]
    bodies["angular_momentum"][row] += angular
    of_centre = impulse @ (v + bodies["velocity"][row])
    of_turning = angular @ (w + _spin(engine, row))
    engine.tally.totals["work"] += 0.5 * float(of_centre + of_turning)
