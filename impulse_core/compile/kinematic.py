"""Keyframes of kinematic bodies → Paths."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from impulse_core.compile.problems import BAD_START, ProblemList
from impulse_core.geometry.products import dot, length, product, solved
from impulse_core.geometry.rotations import conjugated, multiplied
from impulse_core.model.paths import Paths
from impulse_core.types import Floats, Ints
from impulse_schema import Scene
from impulse_schema.models import Body

__all__ = ["Kinematics", "check_keyframes", "compile_kinematics", "keyframe_times"]

_SAME_PLACE = 1e-5  # m and rad that a start pose may differ from its keyframes: files are rounded


@dataclass
class Kinematics:
    """Motion of the kinematic bodies of a scene, and where it begins.

    Attributes:
        paths: For the kernels.
        start_interval: Interval of each body at t = 0, shape (k,).
        position: Poses at t = 0 [m], shape (k, 3).
        orientation: The same, shape (k, 4).
        farthest: Largest coordinate of any keyframe [m].
    """

    paths: Paths
    start_interval: Ints
    position: Floats
    orientation: Floats
    farthest: float


@dataclass
class _Piece:
    """Intervals of one body, as in Paths."""

    begin: Floats
    origin: Floats
    position: Floats  # (i, 4, 3)
    orientation: Floats
    turn: Floats  # (i, 3, 3)


def compile_kinematics(bodies: list[Body]) -> Kinematics:
    """The motion of these bodies, in this order."""
    pieces = [_path(body) for body in bodies]
    counts = [len(piece.begin) for piece in pieces]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    paths = Paths(
        interval=first,
        begin=_joined([p.begin for p in pieces], ()),
        origin=_joined([p.origin for p in pieces], ()),
        position=_joined([p.position.reshape(-1, 12) for p in pieces], (12,)),
        orientation=_joined([p.orientation for p in pieces], (4,)),
        turn=_joined([p.turn.reshape(-1, 9) for p in pieces], (9,)),
    )
    at_start = [int(np.searchsorted(piece.begin, 0.0, side="right")) - 1 for piece in pieces]
    poses = [_pose(piece, k, 0.0) for piece, k in zip(pieces, at_start, strict=True)]
    coordinates = [abs(x) for body in bodies for key in body.keyframes for x in key.position]
    return Kinematics(
        paths=paths,
        start_interval=first[:-1] + np.array(at_start, dtype=np.int64),
        position=np.array([C for C, _ in poses]).reshape(-1, 3),
        orientation=np.array([q for _, q in poses]).reshape(-1, 4),
        farthest=max(coordinates, default=0.0),
    )


def _joined(parts: list[Floats], shape: tuple[int, ...]) -> Floats:
    return np.concatenate([np.zeros((0, *shape)), *parts])


def _pose(piece: _Piece, k: int, t: float) -> tuple[Floats, Floats]:
    """Position and orientation at time t, in interval k."""
    s = t - piece.origin[k]
    C = product(_powers(s, 4), piece.position[k])
    phi = product(_powers(s, 4)[1:], piece.turn[k])
    return C, multiplied(piece.orientation[k], _exp(phi))


def _exp(phi: Floats) -> Floats:
    """The quaternion of a rotation vector."""
    half = 0.5 * length(phi)
    share = math.sin(half) / half if half > 0.0 else 1.0
    return np.array([math.cos(half), *(0.5 * share * phi)])


def _powers(s: float, count: int) -> Floats:
    """1, s, s², …"""
    return np.cumprod([1.0, *[s] * (count - 1)])


def _log(q: Floats) -> Floats:
    """Shortest rotation vectors of quaternions, shapes (…, 4) → (…, 3)."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.sqrt(np.sum(q[..., 1:] ** 2, axis=-1, keepdims=True))
    angle = 2.0 * _arc_tangents(sine, q[..., :1])
    vector: Floats = np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0) * q[..., 1:]
    return vector


def _arc_tangents(y: Floats, x: Floats) -> Floats:
    """Angles of the points (x, y); those of NumPy differ between processors in the last digit."""
    each = zip(y.ravel().tolist(), x.ravel().tolist(), strict=True)
    return np.array([math.atan2(one, other) for one, other in each]).reshape(y.shape)


def _path(body: Body) -> _Piece:
    """At rest before the first keyframe and after the last, and one interval between any two."""
    if body.keyframes:
        keys = [(key.time, key.position, key.orientation) for key in body.keyframes]
    else:
        keys = [(0.0, body.position, body.orientation)]
    times = np.array([time for time, _, _ in keys], dtype=float)
    places = np.array([place for _, place, _ in keys], dtype=float)
    turned = np.array([q for _, _, q in keys], dtype=float)
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    count = len(keys) + 1
    position = np.zeros((count, 4, 3))
    position[:, 0] = places[[0, *range(len(keys))]]
    turn = np.zeros((count, 3, 3))
    if len(keys) > 1:
        steps = np.diff(times)[:, None]
        phi = _log(multiplied(conjugated(turned[:-1]), turned[1:]))
        if body.keyframe_interpolation == "linear":
            position[1:-1, 1] = np.diff(places, axis=0) / steps
            turn[1:-1, 0] = phi / steps
        else:
            position[1:-1] = _spline(times, places)
            turn[1:-1] = _turning_spline(steps, phi)
    return _Piece(
        begin=np.concatenate([[-np.inf], times]),
        origin=times[[0, *range(len(keys))]],
        position=position,
        orientation=turned[[0, *range(len(keys))]],
        turn=turn,
    )


def _spline(times: Floats, places: Floats) -> Floats:
    """Coefficients (intervals, power, 3) of the cubic spline that is at rest at both ends."""
    from scipy.interpolate import CubicSpline

    coefficients: Floats = CubicSpline(times, places, bc_type="clamped").c
    return np.moveaxis(coefficients[::-1], 0, 1)


def _turning_spline(steps: Floats, phi: Floats) -> Floats:
    """Coefficients f1, f2, f3 of each interval, shape (intervals, 3, 3).

    Every interval is the cubic φ with φ(0) = 0 and φ(Δ) = φ_k whose end velocities are ω_k and
    Jr⁻¹(φ_k) ω_{k+1}, so that the angular velocity is continuous. The ω_k (frame of key k) are
    those that make φ̈ continuous in the chart around each key: for a fixed axis this is the
    cubic spline of the angle. Both ends are at rest.
    """
    w = _key_velocities(steps, phi)
    start = w[:-1]
    end = np.einsum("kij,kj->ki", _inverse_right_jacobian(phi), w[1:])
    mean = phi / steps
    return np.stack(
        [start, (3.0 * mean - 2.0 * start - end) / steps, (start + end - 2.0 * mean) / steps**2],
        axis=1,
    )


def _key_velocities(steps: Floats, phi: Floats) -> Floats:
    """ω_k of every key: with s = 1/Δ, Jr⁻¹ of the way back and forth as B and F,

    s_{k-1} B ω_{k-1} + 2 (s_{k-1} + s_k) ω_k + s_k F ω_{k+1} = 3 (s²_{k-1} φ_{k-1} + s²_k φ_k).
    """
    keys = len(phi) + 1
    w = np.zeros((keys, 3))
    s = 1.0 / steps
    forth = s[1:, :, None] * _inverse_right_jacobian(phi)[1:]
    back = s[:-1, :, None] * _inverse_right_jacobian(-phi)[:-1]
    right = 3.0 * (s[:-1] ** 2 * phi[:-1] + s[1:] ** 2 * phi[1:])
    # Blocks of three rows from the first to the last, and back: the diagonal is the largest, since
    # |Jr⁻¹| ≤ π/2 for turns by up to half a circle.
    passed, reduced = np.zeros((3, 3)), np.zeros(3)
    follow = []
    for k in range(keys - 2):
        block = 2.0 * float((s[k] + s[k + 1])[0]) * np.eye(3) - product(back[k], passed)
        solution = solved(block, np.column_stack([forth[k], right[k] - product(back[k], reduced)]))
        passed, reduced = solution[:, :3], solution[:, 3]
        follow.append((passed, reduced))
    for k in range(keys - 3, -1, -1):
        passed, reduced = follow[k]
        w[k + 1] = reduced - product(passed, w[k + 2])
    return w


def _inverse_right_jacobian(phi: Floats) -> Floats:
    """Jr⁻¹(φ) = 1 + ½ [φ]× + c [φ]×², c = (1 - (θ/2) cot(θ/2))/θ²; shapes (k, 3) → (k, 3, 3)."""
    y: Floats = np.sum(phi**2, axis=-1)[:, None, None]
    half = 0.5 * np.sqrt(np.where(y < 1e-4, 1.0, y))
    tangent = np.array([math.tan(each) for each in half.ravel().tolist()]).reshape(half.shape)
    c = np.where(y < 1e-4, 1 / 12 + y / 720, (1.0 - half / tangent) / (4.0 * half**2))
    x: Floats = np.cross(phi[:, None, :], np.eye(3)).transpose(0, 2, 1)
    jacobian: Floats = np.eye(3) + 0.5 * x + c * product(x, x)
    return jacobian


def check_keyframes(scene: Scene, problems: ProblemList) -> None:
    """Report kinematic bodies whose own pose, where given, is not that of their keyframes."""
    for i, body in enumerate(scene.bodies):
        if body.motion != "kinematic" or not body.keyframes:
            continue
        start = compile_kinematics([body])
        away = length(start.position[0] - body.position)
        aligned = abs(dot(start.orientation[0], body.orientation))
        angle = 2.0 * math.acos(min(aligned, 1.0))
        farthest = max(1.0, start.farthest)
        for key, default, differs in (
            ("position", (0.0, 0.0, 0.0), away > _SAME_PLACE * farthest),
            ("orientation", (1.0, 0.0, 0.0, 0.0), angle > _SAME_PLACE),
        ):
            if differs and tuple(getattr(body, key)) != default:
                problems.add(
                    ("bodies", i, key),
                    BAD_START,
                    f"the {key} of kinematic body '{body.name}' is not that of its keyframes at"
                    " t = 0",
                    "Leave it out: the keyframes say where the body is",
                )


def keyframe_times(scene: Scene, duration: float) -> Floats:
    """Times of all keyframes within the run [s], where velocity or acceleration may jump."""
    times = [key.time for body in scene.bodies for key in body.keyframes]
    within: Floats = np.array(sorted({time for time in times if 0.0 < time < duration}))
    return within
