"""Gap, normal and points of one contact at any poses of its bodies (docs/algorithm.md, section 11).

A contact is found once in a step, but its gap is wanted at the start of the step, at every
prediction of its end, and at the end: what kind of features touch says how it follows from the
poses. Normals lead from body 1 to body 2.
"""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    conjugate,
    cross,
    dot,
    norm,
    quat_of,
    rotate,
    rotate_back,
    rotation_vector,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.contacts import (
    EDGE_EDGE,
    LINE_LINE,
    LINE_POINT,
    PLANE_ELLIPSOID,
    PLANE_POINT,
    PLANE_RIM,
)
from impulse_core.collision.features import closest_of_segments
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "carried",
    "contact_geometry",
    "fix_lowest",
    "has_direction",
    "line_points",
    "lowest_of_ellipsoid",
    "lowest_of_rim",
    "note_lowest",
    "swept",
    "turn",
]

_NO_CROSSING = 1e-9  # sine of the angle of edges up to which round-off is most of it


@inner_kernel
def contact_geometry(contacts, c, poses):
    """Normal n, points A and B on the cores (world frame) and gap [m] of contact c at these poses.

    The surface points are A + r1 n and B - r2 n with the rounding radii. The lowest point of a
    curved surface runs along it as the body turns, while impulses act where it was. Where it would
    run by more than a quarter of a turn, to the other side of a disc that turns through flat, they
    would press that side down: there the point is the one that was lowest. Points on edges do not
    leave them: of edges nearly side by side the crossing runs off within a step.
    """
    mark, row = contacts.mark, contacts.row
    i1, i2 = mark[c].body1, mark[c].body2
    q1, q2 = quat_of(poses[i1].orientation), quat_of(poses[i2].orientation)
    A = vec3_of(poses[i1].position) + rotate(q1, vec3_of(row[c].point1))
    B = vec3_of(poses[i2].position) + rotate(q2, vec3_of(row[c].point2))
    rounding = row[c].radius1 + row[c].radius2
    kind = mark[c].kind
    if kind in (PLANE_POINT, PLANE_ELLIPSOID, PLANE_RIM):
        n = rotate(q1, vec3_of(row[c].axis1))
        if kind == PLANE_ELLIPSOID:
            frame = quat_of(row[c].frame)
            B = B + _lowest_or_before(q2 * frame, vec3_of(row[c].axis2), n, row[c])
        elif kind == PLANE_RIM:
            e = lowest_of_rim(rotate(q2, vec3_of(row[c].axis2)), n)
            before = rotate(q2, vec3_of(row[c].lowest))
            B = B + row[c].rim * (before if dot(e, before) < 0.0 else e)
        gap = dot(n, B - A)
        return n, B - n * gap, B, gap - rounding
    if kind == LINE_POINT:
        a = rotate(q1, vec3_of(row[c].axis1))
        A = A + a * min(max(dot(a, B - A) / dot(a, a), 0.0), 1.0)
    elif kind == EDGE_EDGE:
        a, b = rotate(q1, vec3_of(row[c].axis1)), rotate(q2, vec3_of(row[c].axis2))
        n = cross(a, b)
        n = n * (1.0 / norm(n))
        A, B = line_points(A, a, B, b)
        return n, A, B, dot(n, B - A) - rounding
    elif kind == LINE_LINE:
        a, b = rotate(q1, vec3_of(row[c].axis1)), rotate(q2, vec3_of(row[c].axis2))
        s, u = closest_of_segments(A, a, B, b)
        A, B = A + a * s, B + b * u
    between = B - A
    distance = norm(between)
    return between * (1.0 / distance), A, B, distance - rounding


@inner_kernel
def has_direction(contacts, c, poses):
    """Whether contact c has a normal at these poses: parallel edges have no crossing."""
    mark, row = contacts.mark[c], contacts.row[c]
    if mark.kind != EDGE_EDGE:
        return True
    a = rotate(quat_of(poses[mark.body1].orientation), vec3_of(row.axis1))
    b = rotate(quat_of(poses[mark.body2].orientation), vec3_of(row.axis2))
    return norm(cross(a, b)) > _NO_CROSSING


@inner_kernel
def note_lowest(contacts, c, poses):
    """Keep which point of a curved surface is lowest at these poses."""
    row, kind = contacts.row[c], contacts.mark[c].kind
    if kind not in (PLANE_ELLIPSOID, PLANE_RIM):
        return
    q1 = quat_of(poses[contacts.mark[c].body1].orientation)
    q2 = quat_of(poses[contacts.mark[c].body2].orientation)
    n = rotate(q1, vec3_of(row.axis1))
    if kind == PLANE_RIM:
        set_vec3(row.lowest, rotate_back(q2, lowest_of_rim(rotate(q2, vec3_of(row.axis2)), n)))
    else:
        w = _downwards(q2 * quat_of(row.frame), vec3_of(row.axis2), n)
        set_vec3(row.lowest, w * (-1.0 / norm(w)))


@inner_kernel
def fix_lowest(contacts, c, poses):
    """Let a contact of a curved surface be at the point that is lowest at these poses, which does
    not run along it any more. It has the name after that of the point that runs.
    """
    row, mark = contacts.row[c], contacts.mark[c]
    if mark.kind not in (PLANE_ELLIPSOID, PLANE_RIM):
        return
    note_lowest(contacts, c, poses)
    down = vec3_of(row.lowest)
    if mark.kind == PLANE_RIM:
        down = down * row.rim
    else:
        half = vec3_of(row.axis2)
        down = rotate(quat_of(row.frame), Vec3(half.x * down.x, half.y * down.y, half.z * down.z))
    set_vec3(row.point2, vec3_of(row.point2) + down)
    mark.kind, mark.feature = PLANE_POINT, mark.feature + 1


@inner_kernel
def _downwards(q, half_axes, n):
    """D n' of an ellipsoid: q turns its axes into the world, D = diag(half axes), n' = n in its
    axes. Its lowest point is -D w/|w| for w = D n'.
    """
    m = rotate_back(q, n)
    return Vec3(half_axes.x * m.x, half_axes.y * m.y, half_axes.z * m.z)


@inner_kernel
def lowest_of_ellipsoid(q, half_axes, n):
    """From the centre of an ellipsoid, whose axes q turns into a frame, to its point farthest
    against n in that frame.
    """
    w = _downwards(q, half_axes, n)
    return _on_ellipsoid(q, half_axes, w, -1.0 / norm(w))


@inlined_kernel
def _on_ellipsoid(q, half_axes, w, s):
    return rotate(q, Vec3(half_axes.x * w.x * s, half_axes.y * w.y * s, half_axes.z * w.z * s))


@inner_kernel
def _lowest_or_before(q, half_axes, n, row):
    """The same in the world frame, or to the point that was the lowest if that lies a quarter of a
    turn away.
    """
    w, before = _downwards(q, half_axes, n), vec3_of(row.lowest)
    s = -1.0 / norm(w)
    if dot(w, before) > 0.0:
        w, s = before, 1.0
    return _on_ellipsoid(q, half_axes, w, s)


@inner_kernel
def lowest_of_rim(axis, n):
    """Unit vector across the axis that goes farthest against n; zero where all go equally far."""
    across = axis * dot(axis, n) - n
    size = norm(across)
    if size < 1e-12:
        return ZERO3
    return across * (1.0 / size)


@inner_kernel
def line_points(A, a, B, b):
    """The points nearest to each other of the lines A + s a and B + t b, a and b unit vectors."""
    between = B - A
    along = dot(a, b)
    sine = 1.0 - along * along
    if sine < 1e-12:  # parallel: B as it is
        return A + a * dot(a, between), B
    t = (along * dot(a, between) - dot(b, between)) / sine
    B = B + b * t
    return A + a * dot(a, B - A), B


@inner_kernel
def carried(i, point, motion):
    """Where body i carries a point of it in a step, world frame."""
    C = vec3_of(motion.states[i].position)
    q, q_next = quat_of(motion.states[i].orientation), quat_of(motion.next[i].orientation)
    return vec3_of(motion.next[i].position) + rotate(q_next, rotate_back(q, point - C))


@inner_kernel
def swept(i, offset, along, motion, h):
    """What the turning of body i moves past the place where it is touched, in a step of length h
    [m], world frame.

    offset leads there from the core, around which the surface rolls: it counts by the rotation
    vector, exact for balls that turn about one axis. That place runs along the body, as under a
    ball on a turntable, by a vector along: the middle of the step stands for it, to h³.
    """
    d = cross(vec3_at(motion.angular_velocity, i), along) * (0.5 * h)
    if offset.x == 0.0 and offset.y == 0.0 and offset.z == 0.0:
        return d
    return d + cross(turn(i, motion), offset)


@inner_kernel
def turn(i, motion):
    """Rotation vector of body i from the present to the prediction [rad], world frame."""
    q, q_next = quat_of(motion.states[i].orientation), quat_of(motion.next[i].orientation)
    return rotation_vector(q_next * conjugate(q))
