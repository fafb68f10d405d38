"""Where a copy of a part is placed, and what that makes of points, vectors and rotations.

A point x of the part is placed at p + Q M x: M mirrors, Q turns, p moves. What M leaves alone, and
what a placement without rotation leaves alone, keeps its bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from impulse_schema.models import Use

Triple = tuple[float, float, float]
Quad = tuple[float, float, float, float]

_NOT_TURNED = (1.0, 0.0, 0.0, 0.0)
_NOT_MOVED = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Placement:
    """x ↦ p + Q M x.

    Attributes:
        position: p [m].
        orientation: Q as a unit quaternion.
        mirror: Number of the axis that M turns round, None where M is the identity.
    """

    position: Triple
    orientation: Quad
    mirror: int | None

    @classmethod
    def of(cls, use: Use) -> Placement:
        """That of a use, whose orientation has unit length but for rounding."""
        orientation = use.orientation
        if orientation != _NOT_TURNED:
            length = math.hypot(*orientation)
            w, x, y, z = orientation
            orientation = (w / length, x / length, y / length, z / length)
        mirror = None if use.mirror == "none" else "xyz".index(use.mirror)
        return cls(use.position, orientation, mirror)

    def point(self, x: Triple) -> Triple:
        """Where a point of the part comes to lie [m]."""
        a, b, c = self.vector(x)
        p = self.position
        return (a, b, c) if p == _NOT_MOVED else (p[0] + a, p[1] + b, p[2] + c)

    def vector(self, v: Triple) -> Triple:
        """What becomes of a direction, a velocity or a force: Q M v."""
        return self._turned(self.image(v))

    def axial(self, v: Triple) -> Triple:
        """What becomes of an axis of rotation, an angular velocity or a torque: det(M) Q M v."""
        return self._turned(self.axial_image(v))

    def rotation(self, q: Quad) -> Quad:
        """The orientation Q M R M of a body, whose own axes are mirrored like those of the part."""
        image = self.rotation_image(q)
        return image if self.orientation == _NOT_TURNED else product(self.orientation, image)

    def image(self, v: Triple) -> Triple:
        """M v."""
        return v if self.mirror is None else _negated(v, (self.mirror,))

    def axial_image(self, v: Triple) -> Triple:
        """det(M) M v."""
        return v if self.mirror is None else _negated(v, others(self.mirror))

    def rotation_image(self, q: Quad) -> Quad:
        """M R M, of which the axis of rotation is axial."""
        return (q[0], *self.axial_image((q[1], q[2], q[3])))

    def _turned(self, v: Triple) -> Triple:
        return v if self.orientation == _NOT_TURNED else _rotated(self.orientation, v)


def others(axis: int) -> tuple[int, int]:
    """The other two of the axes 0, 1 and 2."""
    return ((1, 2), (0, 2), (0, 1))[axis]


def product(a: Quad, b: Quad) -> Quad:
    """The rotation b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def _rotated(q: Quad, v: Triple) -> Triple:
    """v + 2 u × (u × v + w v) of a unit quaternion (w, u)."""
    w, x, y, z = q
    a = y * v[2] - z * v[1] + w * v[0]
    b = z * v[0] - x * v[2] + w * v[1]
    c = x * v[1] - y * v[0] + w * v[2]
    return (
        v[0] + 2.0 * (y * c - z * b),
        v[1] + 2.0 * (z * a - x * c),
        v[2] + 2.0 * (x * b - y * a),
    )


def _negated(v: Triple, axes: tuple[int, ...]) -> Triple:
    """``v`` with some components turned round; zero stays zero without a sign."""
    a, b, c = v
    return (
        0.0 - a if 0 in axes else a,
        0.0 - b if 1 in axes else b,
        0.0 - c if 2 in axes else c,
    )
