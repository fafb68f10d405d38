"""Circles and ellipsoids, and where an edge or a place is nearest to them.

The point of an edge that is nearest to one of them is where the direction from that is across the
edge.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    cross,
    dot,
    norm,
    quat_at,
    rotate,
    rotate_back,
    unit,
    vec3_at,
)
from impulse_core.collision.edges import SIDE_BY_SIDE
from impulse_core.collision.penetration import NEAR
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["WINDOW", "Nearest", "Round", "nearest_on"]

WINDOW = 0.4  # of the radius of a circle: how far beside the polygon's point the true one may lie
_ALIKE = 0.7  # cosine of the angle by which a direction may be off that of the polygon
_MOST_SECANTS = 60
_ACROSS = 1e-14  # cosine of the angle to an edge that is a right one
_MOST_STEPS = 40  # of Newton's method for the nearest point of an ellipsoid
_CONVERGED = 1e-15


class Round(NamedTuple):
    """A circle or an ellipsoid, body frame of its shape."""

    shape: int
    ellipsoid: bool
    sharp: bool
    """Whether the circle is the rim of a cap, and no torus."""
    center: Vec3
    axis: Vec3
    """Of the circle, unit."""
    radius: float
    """Of the circle [m]."""
    tube: float
    """Radius of the cylinder whose axis it meets, 0 for edges [m]."""


class Nearest(NamedTuple):
    """Where a round and an edge or corner are nearest, frame of the round."""

    on_round: Vec3
    on_other: Vec3
    normal: Vec3
    """Unit, out of the round."""
    distance: float
    """Along it [m]."""
    at_end: bool
    """Whether it is an end of the edge."""
    inside: bool
    """False where the search has left the neighbourhood of the polygon's point."""


@inner_kernel
def nearest_on(shapes, body, P, b, X, toward):
    """Where a round and the edge from P to P + b are nearest: the direction between them increases
    along the edge, and is across it there.
    """
    length = norm(b)
    low, high = 0.0, 1.0
    if length > 0.0 and not body.ellipsoid:
        at, width = dot(X - P, b) / (length * length), WINDOW * body.radius / length
        low, high = min(max(at - width, 0.0), 1.0), min(max(at + width, 0.0), 1.0)
    down = _along(shapes, body, P + b * low, b, toward)
    up = _along(shapes, body, P + b * high, b, toward)
    u, inside = low, True
    if length == 0.0 or down >= 0.0:
        inside = low == 0.0
    elif up <= 0.0:
        u, inside = high, high == 1.0
    else:
        u = _root(shapes, body, P, b, toward, low, high, down, up)
    c, n, found = _of_round(shapes, body, P + b * u, toward)
    if body.sharp and body.tube == 0.0 and found:
        n = _sharp_normal(body, c, n, b, toward, 0.0 < u < 1.0)
    return Nearest(c, P + b * u, n, dot(n, P + b * u - c), not 0.0 < u < 1.0, inside and found)


@inner_kernel
def _root(shapes, body, P, b, toward, low, high, down, up):
    """Where ``_along`` is zero between low, where it is negative, and high: by secants, of which
    the one that keeps an end halves its value (Illinois), so that both ends move.
    """
    length, kept, u = norm(b), 0, low
    for _ in range(_MOST_SECANTS):
        u = high - up * (high - low) / (up - down)
        along = _along(shapes, body, P + b * u, b, toward)
        if abs(along) <= _ACROSS * length or high - low <= _CONVERGED:
            break
        if along < 0.0:
            low, down = u, along
            up = 0.5 * up if kept == 1 else up
            kept = 1
        else:
            high, up = u, along
            down = 0.5 * down if kept == 2 else down
            kept = 2
    return u


@inlined_kernel
def _along(shapes, body, X, b, toward):
    """n·b with the direction n out of a round to X: how the distance changes along b."""
    _, n, _ = _of_round(shapes, body, X, toward)
    return dot(n, b)


@inner_kernel
def _of_round(shapes, body, X, toward):
    """The point of a round nearest to X, the unit normal there towards X, and if it is sure."""
    if body.ellipsoid:
        return _of_ellipsoid(shapes, body, X)
    d = X - body.center
    across = d - body.axis * dot(body.axis, d)
    size = norm(across)
    if size < NEAR * body.radius:
        return X, toward, False
    c = body.center + across * (body.radius / size)
    distance = norm(X - c)
    if distance < NEAR * body.radius:
        return c, toward, True
    return c, (X - c) * (1.0 / distance), True


@inner_kernel
def _sharp_normal(body, c, n, b, toward, between):
    """Unit normal at a point c of a rim, out of it: across the rim, and across an edge b that it
    meets ``between`` its ends. At a corner it is the direction n there, or back where both overlap,
    unless that is none.
    """
    tangent = unit(cross(body.axis, c - body.center))
    across = cross(tangent, b)
    if between and norm(across) > SIDE_BY_SIDE * norm(b):
        n = unit(across)
    elif abs(dot(n, toward)) < _ALIKE:
        n = unit(toward - tangent * dot(tangent, toward))
    return n if dot(n, toward) > 0.0 else -n


@inner_kernel
def _of_ellipsoid(shapes, body, X):
    """The same of an ellipsoid with half axes d: c_i = d_i² x_i / (d_i² + s) where s is the root of
    Σ (d_i x_i / (d_i² + s))² = 1, which Newton's method reaches from below without going past it.
    """
    q, half = quat_at(shapes.frame, body.shape), vec3_at(shapes.extent, body.shape)
    x = rotate_back(q, X - body.center)
    d2 = Vec3(half.x * half.x, half.y * half.y, half.z * half.z)
    w = Vec3(half.x * x.x, half.y * x.y, half.z * x.z)
    s = max(abs(w.x) - d2.x, abs(w.y) - d2.y, abs(w.z) - d2.z)
    if s + min(d2.x, d2.y, d2.z) <= NEAR * max(d2.x, d2.y, d2.z):
        return X, ZERO3, False  # deep inside, as near to one side as to another
    for _ in range(_MOST_STEPS):
        e = Vec3(w.x / (d2.x + s), w.y / (d2.y + s), w.z / (d2.z + s))
        value = dot(e, e) - 1.0
        slope = e.x * e.x / (d2.x + s) + e.y * e.y / (d2.y + s) + e.z * e.z / (d2.z + s)
        change = 0.5 * value / slope
        s += change
        if change <= _CONVERGED * max(d2.x, d2.y, d2.z):
            break
    c = Vec3(d2.x * x.x / (d2.x + s), d2.y * x.y / (d2.y + s), d2.z * x.z / (d2.z + s))
    n = unit(Vec3(c.x / d2.x, c.y / d2.y, c.z / d2.z))
    return body.center + rotate(q, c), rotate(q, n), True
