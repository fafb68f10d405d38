"""Batches: contacts of an island, sixteen at a time, between bodies that no other of them moves.

A sweep over contacts one after another is held up by their records, not by their arithmetic. So
the contacts of a pair of shapes, at most four together, are a group, and sixteen groups that have
no moving body in common are a batch: its numbers lie lane beside lane, and the processor works on
several lanes at once (docs/design/batches.md). Each number of a lane takes the same roundings as it
would alone, so that the width of a processor's vectors changes no bit.

Sweeps work in single precision, on changes: velocities begin with none, and what contacts lack at
the beginning of a round was found in double precision. Impulses are kept in that as well, within
their cones, and next to what they were by a rounding of single precision. Masses are in a unit of
their island, so that it does not matter what the unit of a scene is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from impulse_core.algebra import Vec3, cross, dot, mat3_of, set_vec3, vec3_of
from impulse_core.contact.jacobian import own_block
from impulse_core.contact.law import in_disc
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.jit.atomics import LINE, prefetch
from impulse_core.jit.team import SEAT, share
from impulse_core.model.tasks import FILL, READ, WRITE
from impulse_core.types import Floats, Ints, Singles, by_address, new_zeros, single

__all__ = [
    "ARM1",
    "ARM2",
    "FLOOR",
    "FRICTION",
    "GIVE_ACROSS",
    "GIVE_ALONG",
    "IMPULSE",
    "INERTIA_NUMBERS",
    "LANES",
    "LEAST_FILLED",
    "MOST_POINTS",
    "NORMAL",
    "OFFSET",
    "POINT_NUMBERS",
    "PULL",
    "Batches",
    "fill_batches",
    "fill_island",
    "level_of",
    "new_batches",
    "read_batches",
    "read_island",
    "shares_of",
    "write_batches",
    "write_island",
]

LANES = 16
MOST_POINTS = 4  # of a group
LEAST_FILLED = 4  # lanes to each that is used: batches that are emptier are not worth it
_ROUNDED = 1.0 + 2.0**-20  # of the least impulse: what single precision may have made of it

# Numbers of a point, each LANES wide.
NORMAL, ARM1, ARM2, OFFSET, IMPULSE, PULL = 0, 3, 6, 9, 12, 15
GIVE_ALONG, GIVE_ACROSS, FRICTION, FLOOR = 18, 19, 20, 21
POINT_NUMBERS = 22
_LANE_NUMBERS = 16 * LANES  # a thread's own cache lines
_READ_LINES = 3  # of memory, in which lies what batches read of a ContactRow; they write to one
# Of the two bodies of a lane: 1/m, then xx, yy, zz, xy, xz, yz of the inverse inertia.
INERTIA_NUMBERS = 14


@by_address
class Batches(NamedTuple):
    """Batches of all islands of a half step that are swept in them, at most b with q points."""

    used: Ints
    """Batches and points in use, shape (2,)."""
    start: Ints
    """First point of each batch, shape (b+1,)."""
    bounds: Ints
    """Where the batches of each thread's share of an island begin, and the last ends, in the row of
    the first batch of the island, shape (b, n+1)."""
    awaits: Ints
    """One after the last batch of each share that is to be done before a batch begins, shape
    (b, n)."""
    done: Ints
    """One after the last batch of each share that is done in a sweep, shape (16 n,)."""
    place: Ints
    """The same for each share that a thread has taken, shape (n, 16 or more)."""
    seen: Ints
    """The same of all shares, as far as a thread knows, shape (n, 16 or more)."""
    body: Ints
    """Rows of the bodies of each lane; of nothing, and of what does not move, the one after the
    last. Shape (b × 2 × 16,)."""
    contact: Ints
    """Row of the contact in each lane of a point, -1 for none, shape (q × 16,)."""
    unit: Floats
    """Unit of mass of each island, in the row of its first batch: a power of two [kg], shape (b,).
    """
    inertia: Singles
    """1/m and inverse inertia of the bodies, by that unit, shape (b × 14 × 16,)."""
    point: Singles
    """What a sweep reads and writes of the points: normal, arms, velocity by no impulse, impulse,
    velocity by a unit normal impulse, 1/w along and across the normal, friction, least normal
    impulse; masses and impulses by that unit, shape (q × 22 × 16,)."""
    last: Singles
    """Impulses after the sweep before, by that unit [m/s], shape (q × 3 × 16,)."""
    lane: Singles
    """Scratch of each thread: velocities of the bodies of a batch, Σ w Δp² of it [J/kg], and the
    largest (w Δp)² of a sweep so far [m²/s²]; shape (n, 16 × 16)."""
    slot: Ints
    """Where the change of each lane is noted: those of an island lie in the order of its groups,
    whatever batches they are in; at the end what lanes without a group note. Shape (b × 16,)."""
    change: Singles
    """How much the impulses of each group changed in a sweep, Σ w Δp² by that unit [J/kg], shape
    (b × 16 + 1,)."""
    velocity: Singles
    """Change of the velocities [m/s] and angular velocities [rad/s] of all bodies, a row of
    sixteen numbers each, and of nothing."""
    last_velocity: Singles
    """The same after the sweep before."""
    lanes: Ints
    """16: a number that the compiler does not know, shape (1,)."""
    listed: Ints
    """Plan: contacts of an island, shape (n,)."""
    first: Ints
    """Plan: first of them in each group, shape (n+1,)."""
    level: Ints
    """Plan: level of each group, shape (n,)."""
    counted: Ints
    """Plan: groups of a level by their number of points, shape (4 n + 4,)."""
    group: Ints
    """Plan: group in each lane, shape (16 b,)."""
    reached: Ints
    """Plan: highest level of each body so far, shape (bodies,)."""


def new_batches(contacts: int, bodies: int, threads: int) -> Batches:
    """For so many contacts and bodies of a scene, and for threads that share them."""
    points = LEAST_FILLED * contacts // LANES + 1
    seats = (threads + SEAT - 1) // SEAT * SEAT
    return Batches(
        used=np.zeros(2, dtype=np.int64),
        start=np.zeros(points + 1, dtype=np.int64),
        bounds=np.zeros((points, threads + 1), dtype=np.int64),
        awaits=np.zeros((points, threads), dtype=np.int64),
        done=new_zeros(threads * SEAT, np.int64),
        place=new_zeros(threads * seats, np.int64).reshape(threads, seats),
        seen=new_zeros(threads * seats, np.int64).reshape(threads, seats),
        body=np.zeros(points * 2 * LANES, dtype=np.int64),
        contact=np.zeros(points * LANES, dtype=np.int64),
        unit=np.zeros(points),
        inertia=new_zeros(points * INERTIA_NUMBERS * LANES, single),
        point=new_zeros(points * POINT_NUMBERS * LANES, single),
        last=new_zeros(points * 3 * LANES, single),
        lane=new_zeros(threads * _LANE_NUMBERS, single).reshape(threads, _LANE_NUMBERS),
        slot=np.zeros(points * LANES, dtype=np.int64),
        change=new_zeros(points * LANES + 1, single),
        velocity=new_zeros((bodies + 1) * LANES, single),
        last_velocity=new_zeros((bodies + 1) * LANES, single),
        lanes=np.full(1, LANES, dtype=np.int64),
        listed=np.zeros(contacts, dtype=np.int64),
        first=np.zeros(contacts + 1, dtype=np.int64),
        level=np.zeros(contacts, dtype=np.int64),
        counted=np.zeros(MOST_POINTS * (contacts + 1), dtype=np.int64),
        group=np.zeros(points * LANES, dtype=np.int64),
        reached=np.zeros(bodies, dtype=np.int64),
    )


@inlined_kernel
def _share_batches(team, task, batches, begin, do, given):
    """Have something done with the batches of an island that begins with a batch: by each thread
    with those of its share, so that they stay with its processor.
    """
    team.number[1] = begin
    share(team, task, 0, shares_of(batches, begin), 1, do, given)


@inlined_kernel
def shares_of(batches, begin):
    """How many shares an island has: one, or as many as there are threads."""
    bounds, threads = batches.bounds[begin], len(batches.lane)
    return threads if bounds[1] < bounds[threads] else 1


@inlined_kernel
def level_of(batches, begin, k):
    """Plan: level of batch k of the island that begins with another one."""
    return batches.level[batches.group[LANES * batches.counted[k - begin]]]


@inner_kernel
def fill_island(contacts, solver_bodies, batches, team, i):
    """What stays the same in a half step, as sweeps share them."""
    begin = solver_bodies.mark[i].first_batch
    batches.unit[begin] = _unit_of_mass(solver_bodies, i)
    given = contacts, solver_bodies, batches, begin
    _share_batches(team, FILL, batches, begin, fill_batches, given)


@inner_kernel
def _unit_of_mass(solver_bodies, i):
    """The power of two next to the mass of the heaviest free body of an island [kg]."""
    least, unit, body = math.inf, 1.0, solver_bodies.mark[i].first_body
    while body >= 0:
        if solver_bodies.row[body].inverse_mass > 0.0:
            least = min(least, solver_bodies.row[body].inverse_mass)
        body = solver_bodies.mark[body].next_body
    if least < math.inf:
        while unit * least > 1.0:
            unit *= 0.5
        while unit * least < 0.5:
            unit *= 2.0
    return unit


@inlined_kernel
def _ask_for(contacts, batches, q, lines):
    """Ask for so many lines of the contacts of point q, which lie anywhere in memory, and for their
    marks where that is more than one.
    """
    if LANES * (q + 1) > len(batches.contact):
        return
    for lane in range(LANES):
        c = batches.contact[LANES * q + lane]
        if c >= 0:
            if lines > 1:
                prefetch(contacts.mark, c, 0)
            for line in range(lines):
                prefetch(contacts.row, c, LINE * line)


@inner_kernel
def fill_batches(contacts, solver_bodies, batches, begin, first, last):
    """What of the batches of some shares stays the same in a half step, and the rest as it is."""
    nothing, unit = len(solver_bodies.row), batches.unit[begin]
    for k in range(batches.bounds[begin, first], batches.bounds[begin, last]):
        if k + 1 < batches.bounds[begin, last]:
            for q in range(batches.start[k + 1], batches.start[k + 2]):
                _ask_for(contacts, batches, q, _READ_LINES)
        for lane in range(LANES):
            c = batches.contact[LANES * batches.start[k] + lane]
            for side in range(2):
                b = nothing
                if c >= 0:
                    b = contacts.mark[c].body2 if side else contacts.mark[c].body1
                    if solver_bodies.row[b].inverse_mass == 0.0:
                        b = nothing
                batches.body[(2 * k + side) * LANES + lane] = b
                at = (INERTIA_NUMBERS * k + INERTIA_NUMBERS // 2 * side) * LANES + lane
                _fill_inertia(solver_bodies, batches.inertia, at, b, unit)
            for q in range(batches.start[k], batches.start[k + 1]):
                c = batches.contact[LANES * q + lane]
                _fill_point(contacts, solver_bodies, batches.point, q, lane, c, unit)
                _read_point(contacts, solver_bodies, batches, q, lane, c, unit)


@inner_kernel
def _fill_inertia(solver_bodies, inertia, at, b, unit):
    """1/m and the inverse inertia of body b, by a unit of mass; none of nothing."""
    for j in range(INERTIA_NUMBERS // 2):
        inertia[at + LANES * j] = 0.0
    if b < len(solver_bodies.row):
        J = mat3_of(solver_bodies.row[b].inverse_inertia) * unit
        inertia[at] = solver_bodies.row[b].inverse_mass * unit
        _put3(inertia, at + LANES, J.xx, J.yy, J.zz)
        _put3(inertia, at + 4 * LANES, J.xy, J.xz, J.yz)


@inlined_kernel
def _put3(array, at, x, y, z):
    """Three numbers, one in each row of lanes."""
    array[at] = x
    array[at + LANES] = y
    array[at + 2 * LANES] = z


@inner_kernel
def _fill_point(contacts, solver_bodies, point, q, lane, c, unit):
    """Geometry and law of contact c; nothing that could bear an impulse where there is none."""
    at = POINT_NUMBERS * LANES * q + lane
    if c < 0:
        for j in range(POINT_NUMBERS):
            point[at + LANES * j] = 0.0
        return
    row = contacts.row[c]
    n = vec3_of(row.normal)
    r1, r2 = vec3_of(row.arm1), vec3_of(row.arm2)
    W = own_block(contacts, solver_bodies, c)
    pull = W @ n
    along, across = _gives(W, n, pull)
    pull, along, across = pull * unit, along * unit, across * unit
    _put3(point, at + LANES * NORMAL, n.x, n.y, n.z)
    _put3(point, at + LANES * ARM1, r1.x, r1.y, r1.z)
    _put3(point, at + LANES * ARM2, r2.x, r2.y, r2.z)
    _put3(point, at + LANES * PULL, pull.x, pull.y, pull.z)
    point[at + LANES * GIVE_ALONG] = 1.0 / along
    point[at + LANES * GIVE_ACROSS] = 1.0 / across
    point[at + LANES * FRICTION] = row.friction
    point[at + LANES * FLOOR] = row.min_impulse / unit


@inner_kernel
def _gives(W, n, pull):
    """Inverse mass along n, and the largest across it: of P W P with P = 1 - n nᵀ, whose trace and
    sum of squares are those of two eigenvalues.
    """
    along = dot(n, pull)
    trace = W.xx + W.yy + W.zz - along
    squares = W.xx * W.xx + W.yy * W.yy + W.zz * W.zz
    squares += 2.0 * (W.xy * W.xy + W.xz * W.xz + W.yz * W.yz)
    squares += along * along - 2.0 * dot(pull, pull)
    apart = max(0.5 * squares - 0.25 * trace * trace, 0.0)
    return along, 0.5 * trace + math.sqrt(apart)


@inner_kernel
def read_island(contacts, solver_bodies, batches, team, i):
    """Take impulses and velocities as they are now; ``fill_island`` does so as well."""
    begin = solver_bodies.mark[i].first_batch
    given = contacts, solver_bodies, batches, begin
    _share_batches(team, READ, batches, begin, read_batches, given)


@inner_kernel
def read_batches(contacts, solver_bodies, batches, begin, first, last):
    """Take impulses and velocities of the contacts of some shares."""
    bounds, unit = batches.bounds[begin], batches.unit[begin]
    for q in range(batches.start[bounds[first]], batches.start[bounds[last]]):
        _ask_for(contacts, batches, q + 1, _READ_LINES)
        for lane in range(LANES):
            c = batches.contact[LANES * q + lane]
            _read_point(contacts, solver_bodies, batches, q, lane, c, unit)


@inner_kernel
def _read_point(contacts, solver_bodies, batches, q, lane, c, unit):
    """Take impulse and velocity of contact c."""
    if c < 0:
        _put3(batches.last, 3 * LANES * q + lane, 0.0, 0.0, 0.0)
        return
    bodies = solver_bodies.row
    at, row = POINT_NUMBERS * LANES * q + lane, contacts.row[c]
    b1, b2 = contacts.mark[c].body1, contacts.mark[c].body2
    u = vec3_of(row.offset) + vec3_of(bodies[b2].velocity) - vec3_of(bodies[b1].velocity)
    u = u + cross(vec3_of(bodies[b2].angular_velocity), vec3_of(row.arm2))
    u = u - cross(vec3_of(bodies[b1].angular_velocity), vec3_of(row.arm1))
    p = vec3_of(row.impulse) * (1.0 / unit)
    _put3(batches.point, at + LANES * OFFSET, u.x, u.y, u.z)
    _put3(batches.point, at + LANES * IMPULSE, p.x, p.y, p.z)
    _put3(batches.last, 3 * LANES * q + lane, p.x, p.y, p.z)


@inner_kernel
def write_island(contacts, solver_bodies, batches, team, i):
    """Give the contacts the impulses that were found."""
    begin = solver_bodies.mark[i].first_batch
    _share_batches(team, WRITE, batches, begin, write_batches, (contacts, batches, begin))


@inner_kernel
def write_batches(contacts, batches, begin, first, last):
    """Give the contacts of some shares the impulses that were found."""
    bounds, unit = batches.bounds[begin], batches.unit[begin]
    for q in range(batches.start[bounds[first]], batches.start[bounds[last]]):
        _ask_for(contacts, batches, q + 1, 1)
        for lane in range(LANES):
            c = batches.contact[LANES * q + lane]
            if c >= 0:
                at = (POINT_NUMBERS * q + IMPULSE) * LANES + lane
                found = batches.point[at], batches.point[at + LANES], batches.point[at + 2 * LANES]
                _write_impulse(contacts.row[c], found, unit)


@inlined_kernel
def _write_impulse(row, found, unit):
    """Give a contact (ContactRow) the impulse that was found for it, by a unit of mass, cut to its
    cone. One that nothing changed is told apart, and keeps its digits.
    """
    (x, y, z), p = found, vec3_of(row.impulse)
    before = p * (1.0 / unit)
    if not (x == single(before.x) and y == single(before.y) and z == single(before.z)):
        p = Vec3(x * unit, y * unit, z * unit)
    n = vec3_of(row.normal)
    p_n = dot(n, p)
    across = p - n * p_n
    least = row.min_impulse
    if p_n <= least * _ROUNDED:
        p_n = least
    set_vec3(row.impulse, n * p_n + in_disc(across, row.friction * p_n))
