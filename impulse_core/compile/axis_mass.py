"""Inverse mass of two bodies along a free axis of the joint between them, at the start pose.

    w = g M⁻¹ gᵀ - g M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹ G M⁻¹ gᵀ

with g the axis row and G the constraint rows of the same joint: how fast a unit impulse along the
axis moves the pair if nothing else holds it. A hinge to the world has 1/(J + m l²). A rotor on the
axis adds to 1/w.
"""

from __future__ import annotations

import math

import numpy as np

from impulse_core.compile.joints import JointRows
from impulse_core.geometry.products import dot, length, product, solved
from impulse_core.geometry.rotations import quaternion_to_matrix, rotated
from impulse_core.joints.table import (
    COMMON_AXIS,
    CONSTANT_ANGLE,
    FIRST_ROTATION,
    FIXED_ROTATION,
    LENGTH,
    OFFSET,
    POINT_LINE,
    POINT_POINT,
    ROTATION_AXIS,
    SWING,
    SWING_AXIS,
    TURNING,
)
from impulse_core.types import Floats

__all__ = ["BodyRows", "inverse_mass_along"]

_NO_ROW = 1e-12  # of the largest element, a pivot of rows that bodies do not feel


class BodyRows:
    """Start of the body rows of the Model, the world last.

    Args:
        position: Centres of mass [m], shape (n+1, 3).
        orientation: Body frame to world, shape (n+1, 4).
        inverse_mass: [1/kg], shape (n+1,).
        inverse_inertia: Inverse principal moments [1/(kg m²)], shape (n+1, 3).
    """

    def __init__(
        self, position: Floats, orientation: Floats, inverse_mass: Floats, inverse_inertia: Floats
    ) -> None:
        self.position = position
        self.orientation = orientation
        self.inverse_mass = inverse_mass
        self.inverse_inertia = inverse_inertia

    def mobility(self, body: int) -> Floats:
        """M⁻¹ of one body, linear before angular, world frame, shape (6, 6)."""
        block = np.zeros((6, 6))
        block[:3, :3] = self.inverse_mass[body] * np.eye(3)
        R = quaternion_to_matrix(self.orientation[body])
        block[3:, 3:] = product(R * self.inverse_inertia[body], R.T)
        return block


def inverse_mass_along(j: int, row: int, joints: JointRows, bodies: BodyRows) -> float:
    """w of axis row ``row`` of joint j [1/kg | 1/(kg m²)]; NaN where no double holds it."""
    joint = joints.records[j]
    i1, i2 = int(joint["body1"]), int(joint["body2"])
    q1, q2 = bodies.orientation[i1], bodies.orientation[i2]
    r1, r2 = rotated(q1, joint["anchor1"]), rotated(q2, joint["anchor2"])
    apart = bodies.position[i2] + r2 - bodies.position[i1] - r1
    part = int(joint["translation_part"])
    if int(joint["rotation_part"]) == SWING:  # of a ball joint, whose row holds the points
        part = POINT_POINT
    if part == POINT_LINE:  # the impulse acts at B on both bodies
        r1 = r1 + apart
    a, b, c = (rotated(q1, joint[key]) for key in ("axis1", "across_b", "across_c"))
    across = np.cross(a, rotated(q2, joint["axis2"]))

    def moving(n: Floats) -> Floats:
        return np.concatenate([-n, -np.cross(r1, n), n, np.cross(r2, n)])

    def turning(n: Floats) -> Floats:
        return np.concatenate([np.zeros(3), -n, np.zeros(3), n])

    if row < FIRST_ROTATION:
        g = moving(_line(part, row, a, apart))
    else:
        carrier = q2 if bodies.inverse_mass[i2] > 0.0 else q1
        g = turning(_turn(joint, row, a, q2, carrier))
    translations = {POINT_POINT: list(np.eye(3)), POINT_LINE: [b, c]}.get(part, [])
    rotations = {
        FIXED_ROTATION: list(np.eye(3)),
        COMMON_AXIS: [b, c],
        CONSTANT_ANGLE: [across],
    }.get(int(joint["rotation_part"]), [])
    G = np.array([moving(n) for n in translations] + [turning(n) for n in rotations])
    mobility = np.zeros((12, 12))
    mobility[:6, :6], mobility[6:, 6:] = bodies.mobility(i1), bodies.mobility(i2)
    free = dot(product(g, mobility), g)
    if len(G) == 0:
        return free
    coupled = product(G, mobility, g)
    if not (np.isfinite(mobility).all() and np.isfinite(G).all() and math.isfinite(free)):
        return math.nan
    # rows that the bodies cannot feel, as those of two that do not turn, are left out
    held = dot(coupled, solved(product(G, mobility, G.T), coupled, least=_NO_ROW))
    return max(free - held, 1e-12 * free)


def _line(part: int, row: int, a: Floats, apart: Floats) -> Floats:
    """Direction of a translational axis."""
    if part == LENGTH:
        line: Floats = apart / max(length(apart), 1e-300)
        return line
    return np.eye(3)[row] if part == OFFSET else a


def _turn(joint: np.void, row: int, a: Floats, q2: Floats, carrier: Floats) -> Floats:
    """Direction of a rotational axis."""
    part = int(joint["rotation_part"])
    if part == TURNING:
        return rotated(carrier, np.eye(3)[row - FIRST_ROTATION])
    if part == CONSTANT_ANGLE:
        a2 = rotated(q2, joint["axis2"])
        c = dot(a, a2)
        one, other = (a, a2) if row == ROTATION_AXIS else (a2, a)
        dual: Floats = (one - c * other) / (1.0 - c * c)
        return dual
    if part == SWING:
        return _swing(row, a, rotated(q2, joint["axis2"]))
    return a


def _swing(row: int, a: Floats, a2: Floats) -> Floats:
    """Direction of a swing or a twist; one across ``a`` for axes that are one or opposed."""
    n, cosine = np.cross(a, a2), dot(a, a2)
    if row == SWING_AXIS and dot(n, n) > 0.0:
        across: Floats = n / length(n)
        return across
    if row == SWING_AXIS or cosine <= -1.0 + 1e-9:
        return _frame_across(a)
    along: Floats = (a + a2) / (1.0 + cosine)
    return along


def _frame_across(a: Floats) -> Floats:
    across: Floats = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    return across / length(across)
