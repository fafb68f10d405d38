"""Impulses, forces and springs from outside, entered into the velocities before a step.

    Δv = p/m,   ΔL = r × p + J                                          (docs/algorithm.md, 7)

A force acts with the whole of its impulse h F at the start of a step, with F as it is then; so the
momentum it gives is exact, and its work is that over the mean of the velocities before and after.

All in plain numbers: of single vectors arrays take several times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impulse_core.geometry.products import product, solved
from impulse_core.geometry.rotations import crossed, multiplied, rotated, turned
from impulse_core.simulation.engine import Engine
from impulse_core.types import Floats

__all__ = ["Acting", "Pull", "Push", "push", "push_for"]

Triple = tuple[float, float, float]
_SWINGS = 2.0  # 1/s, of a drag without numbers


class Push(NamedTuple):
    """A force and a torque, or an impulse and an angular one, on a body by its name."""

    body: str
    linear: Triple
    angular: Triple
    point: Triple | None
    in_body_axes: bool


@dataclass(frozen=True)
class Acting:
    """A push for a number of steps."""

    push: Push
    steps: int


class Pull(NamedTuple):
    """A spring from a point of a body to a target."""

    body: str
    point: Triple
    target: Triple
    stiffness: float | None
    damping: float | None


def push(engine: Engine, acting: Push, h: float) -> None:
    """Enter a push times ``h``, and count its work."""
    row, arm = _row_and_arm(engine, acting.body, acting.point)
    linear, angular = acting.linear, acting.angular
    if acting.in_body_axes:
        axes = engine.compiled.axes[engine.compiled.body_names.index(acting.body)]
        q = multiplied(engine.state.bodies["orientation"][row], axes).tolist()
        linear, angular = turned(q, linear), turned(q, angular)
    _enter(engine, row, _times(h, linear), _times(h, _sum(angular, crossed(arm, linear))))


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
    u = state.bodies["velocity"][row] + crossed(_spin(engine, row), arm)
    K = _inverse_mass_at(engine, row, arm)
    force = solved(np.eye(3) + h * (c + h * k) * K, k * (way - h * u) - c * u).tolist()
    _enter(engine, row, _times(h, force), _times(h, crossed(arm, force)))


def _row_and_arm(engine: Engine, body: str, point: Triple | None) -> tuple[int, Triple]:
    """Row of a body, and the way from its centre of mass to a point [m], world axes."""
    compiled, state = engine.compiled, engine.state
    i = compiled.body_names.index(body)
    row = int(compiled.body_row[i])
    if point is None:
        return row, (0.0, 0.0, 0.0)
    in_body = _sum(compiled.origin[i].tolist(), turned(compiled.axes[i].tolist(), point))
    return row, turned(state.bodies["orientation"][row].tolist(), in_body)


def _inverse_mass_at(engine: Engine, row: int, arm: Triple) -> Floats:
    """K of a point of a body: 1/m - [r]× I⁻¹ [r]×, world axes, shape (3, 3)."""
    body = engine.model.bodies[row]
    x, y, z = arm
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    axes = rotated(engine.state.bodies["orientation"][row], np.eye(3))  # rows: its axes
    inverse_inertia = product(axes.T * body["inverse_inertia"], axes)
    found: Floats = body["inverse_mass"] * np.eye(3) - product(cross, inverse_inertia, cross)
    return found


def _spin(engine: Engine, row: int) -> Triple:
    """Angular velocity of a body [rad/s], world axes:  w = q (I⁻¹ (q⁻¹ L))."""
    bodies = engine.state.bodies
    w, x, y, z = bodies["orientation"][row].tolist()
    a, b, c = turned((w, -x, -y, -z), bodies["angular_momentum"][row].tolist())
    i, j, k = engine.model.bodies["inverse_inertia"][row].tolist()
    return turned((w, x, y, z), (i * a, j * b, k * c))


def _enter(engine: Engine, row: int, impulse: Triple, angular: Triple) -> None:
    """Add to the momenta of a body, and the work to the account."""
    bodies = engine.state.bodies
    v, w = bodies["velocity"][row].tolist(), _spin(engine, row)
    change = _times(float(engine.model.bodies["inverse_mass"][row]), impulse)
    bodies["velocity"][row] = _sum(v, change)
    bodies["angular_momentum"][row] = _sum(bodies["angular_momentum"][row].tolist(), angular)
    of_centre = _dot(impulse, _sum(v, _times(0.5, change)))
    of_turning = 0.5 * _dot(angular, _sum(w, _spin(engine, row)))
    engine.tally.totals["work"][0] += of_centre + of_turning


def _times(factor: float, a: Triple) -> Triple:
    return factor * a[0], factor * a[1], factor * a[2]


def _sum(a: Triple, b: Triple) -> Triple:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
