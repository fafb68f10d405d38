"""Accelerated Gauss-Seidel sweeps over the batches of an island.

Each sweep gives every contact the impulse of its own law, first along its normal, then across it,
and the changes of impulses and velocities go on by Nesterov's momentum unless they grow much. Where
momentum is kept is the velocities as well, so that nothing has to be pushed through contacts.

Where friction presses two bodies apart, a step of p_n takes into account that p_t will grow with
it: in the cone u_n changes as if w_n were n·W p/p_n, here of the impulse before. Steps by w_n alone
would go to and fro, further each time where that is more than 2 w_n.

Everything below is written for the compiler to work on several lanes at once: arrays of one
dimension, unsigned indices with constant distances, a number of lanes that it does not know, and
choices in place of branches. tests/contact/test_batches.py looks at the machine code.
"""

from __future__ import annotations

import math

from impulse_core.contact.articulated_visits import (
    begin_articulated,
    extrapolate_articulated,
    visit_articulated,
)
from impulse_core.contact.batch_plan import plan_batches
from impulse_core.contact.batch_shares import visit_shares
from impulse_core.contact.batches import (
    ARM1,
    ARM2,
    FLOOR,
    FRICTION,
    GIVE_ACROSS,
    GIVE_ALONG,
    IMPULSE,
    INERTIA_NUMBERS,
    LANES,
    NORMAL,
    OFFSET,
    POINT_NUMBERS,
    PULL,
    read_island,
    shares_of,
    write_island,
)
from impulse_core.jit import deferred_kernel, inner_kernel
from impulse_core.jit.atomics import prefetch
from impulse_core.jit.team import SEAT, share
from impulse_core.model.tasks import GO_ON, SWEEP
from impulse_core.types import single, unsigned

__all__ = [
    "FALL",
    "LOOK",
    "QUIET",
    "RESTLESS",
    "UNDIVIDED",
    "extrapolate",
    "sweep_batches",
    "sweep_shares",
]

UNDIVIDED, QUIET, RESTLESS = 0, 1, 2

_MOST_SWEEPS = 60
_MOST_PATIENT = 400  # where contacts created energy
_LITTLE = 200.0  # times what counts as calm: as much as large islands may be left with
_MOST_MOMENTUM = 0.7  # β: what every sweep does alike goes three times as fast
_GROWTH = 1.5  # of the change from one sweep to the next, with which momentum begins anew
LOOK = 8  # sweeps in which the least change is to fall
FALL = 0.8  # to this part, or sweeps no longer help
_NUMBERS = 1024  # of velocities that it takes

# Distances between numbers of a lane.
_0, _1, _2, _3, _4, _5, _6, _7 = (unsigned(LANES * k) for k in range(8))
_8, _9, _10, _11, _12, _13, _14 = (unsigned(LANES * k) for k in range(8, 15))
_SUM, _LARGEST = _12, _13
_NX, _NY, _NZ = (unsigned(LANES * (NORMAL + k)) for k in range(3))
_AX, _AY, _AZ = (unsigned(LANES * (ARM1 + k)) for k in range(3))
_BX, _BY, _BZ = (unsigned(LANES * (ARM2 + k)) for k in range(3))
_UX, _UY, _UZ = (unsigned(LANES * (OFFSET + k)) for k in range(3))
_PX, _PY, _PZ = (unsigned(LANES * (IMPULSE + k)) for k in range(3))
_WX, _WY, _WZ = (unsigned(LANES * (PULL + k)) for k in range(3))
_ALONG, _ACROSS = unsigned(LANES * GIVE_ALONG), unsigned(LANES * GIVE_ACROSS)
_FRICTION, _FLOOR = unsigned(LANES * FRICTION), unsigned(LANES * FLOOR)
_POINT, _INERTIA = unsigned(LANES * POINT_NUMBERS), unsigned(LANES * INERTIA_NUMBERS)
_LANES, _BOTH = unsigned(LANES), unsigned(2 * LANES)
_IMPULSES = unsigned(3 * LANES)
_ONE = unsigned(1)
_NONE, _UNIT = single(0.0), single(1.0)


@deferred_kernel("int64")
def sweep_batches(contacts, solver_bodies, delassus, batches, team, i, calm, patient):
    """Improve the impulses of the island of solver body i until a sweep changes no velocity by more
    than calm [m/s], and it is QUIET, or sweeps no longer help, and it is RESTLESS. What is not
    worth batches is left as it is, UNDIVIDED.

    Between bodies that wedge impulses grow by the same in each of some hundred sweeps, until
    something slides. That is gone through only where ``patient``.
    """
    fresh = solver_bodies.mark[i].batches == 0  # and filled by the plan
    if not plan_batches(contacts, solver_bodies, batches, team, i):
        return UNDIVIDED
    _begin_changes(batches)
    if not fresh:
        read_island(contacts, solver_bodies, batches, team, i)
    begin_articulated(contacts, solver_bodies, delassus, i)
    begin = solver_bodies.mark[i].first_batch
    end = begin + solver_bodies.mark[i].batches
    before, least, looked, turns, beta = 0.0, math.inf, math.inf, 0.0, 0.0
    quiet = False
    most, little = (_MOST_PATIENT, _LITTLE * calm) if patient else (_MOST_SWEEPS, math.inf)
    for sweep in range(1, most + 1):
        _sweep(solver_bodies, batches, team, i, beta)
        change, largest = _changes(batches, begin, end)
        more, also = visit_articulated(contacts, solver_bodies, delassus, batches.velocity, i)
        change, largest = change + more / batches.unit[begin], max(largest, also)
        least = min(least, change)
        stalls = False
        if sweep % LOOK == 0:
            stalls = least > FALL * looked and largest <= little
            looked = least
        quiet = largest <= calm
        if quiet or stalls or sweep == most:
            break
        turns = turns + 1.0 if change < _GROWTH * before or before == 0.0 else 0.0
        before = change
        beta = min(turns / (turns + 3.0), _MOST_MOMENTUM)
        _go_on(batches, team, beta)
        extrapolate_articulated(contacts, solver_bodies, delassus, i, beta)
    write_island(contacts, solver_bodies, batches, team, i)
    return QUIET if quiet else RESTLESS


@inner_kernel
def _begin_changes(batches):
    """Changes of velocities begin with none."""
    for t in range(len(batches.velocity)):
        batches.velocity[t] = 0.0
        batches.last_velocity[t] = 0.0


@inner_kernel
def _changes(batches, begin, end):
    """Σ w Δp² of the last sweep by the unit of mass [J/kg], in the order of groups, and the largest
    w Δp [m/s].
    """
    lane, change = batches.lane[0], batches.change
    for x in range(_LANES):
        lane[_SUM + x] = 0.0
    for k in range(unsigned(begin), unsigned(end)):
        for x in range(_LANES):
            lane[_SUM + x] += change[k * _LANES + x]
    total, largest = 0.0, 0.0
    for x in range(_LANES):
        total += lane[_SUM + x]
        for thread in range(len(batches.lane)):
            largest = max(largest, batches.lane[thread, _LARGEST + x])
    return total, math.sqrt(largest)


@inner_kernel
def _sweep(solver_bodies, batches, team, i, beta):
    """Give all contacts the impulses of their laws, level after level; impulses go on by β before,
    as velocities have.
    """
    begin = solver_bodies.mark[i].first_batch
    for d in range(team.threads):
        batches.done[d * SEAT] = 0
        for x in range(_LANES):
            batches.lane[d, _LARGEST + x] = 0.0
    team.number[0], team.number[1] = beta, begin
    given = batches, team, 0, begin, beta
    share(team, SWEEP, 0, shares_of(batches, begin), 1, sweep_shares, given)


@inner_kernel
def sweep_shares(batches, team, thread, begin, beta, first, last):
    """Give the contacts of some shares of an island the impulses of their laws."""
    visit_shares(batches, team, thread, begin, _visit_batch, beta, first, last)


@inner_kernel
def _visit_batch(batches, thread, beta, k, end):
    """Give the contacts of a batch the impulses of their laws."""
    lane, lanes = batches.lane[thread], unsigned(batches.lanes[0])
    k, beta = unsigned(k), single(beta)
    _gather(batches.velocity, batches.body, lane, k * _BOTH)
    if k + _ONE < unsigned(end):
        _ask_for(batches.velocity, batches.body, (k + _ONE) * _BOTH)
    for q in range(unsigned(batches.start[k]), unsigned(batches.start[k + _ONE])):
        _go_on_from(batches.point, batches.last, q * _POINT + _PX, q * _IMPULSES, beta)
        at, kept, held = q * _POINT, q * _IMPULSES, k * _INERTIA
        _visit(batches.point, batches.last, batches.inertia, lane, at, kept, held, lanes)
    _scatter(batches.velocity, batches.body, lane, k * _BOTH)
    for x in range(_LANES):
        batches.change[unsigned(batches.slot[k * _LANES + x])] = lane[_SUM + x]


@inner_kernel
def _gather(velocity, body, lane, bodies):
    """Read the velocities of the bodies of a batch; nothing has changed so far."""
    for x in range(_LANES):
        lane[_SUM + x] = 0.0
    for x in range(_LANES):
        i, j = unsigned(body[bodies + x]) * _LANES, unsigned(body[bodies + _LANES + x]) * _LANES
        for k in range(unsigned(6)):
            lane[k * _LANES + x] = velocity[i + k]
            lane[(k + unsigned(6)) * _LANES + x] = velocity[j + k]


@inner_kernel
def _ask_for(velocity, body, bodies):
    """Ask for the velocities of the bodies of a batch, which other threads may have written."""
    for x in range(_BOTH):
        prefetch(velocity, unsigned(body[bodies + x]) * _LANES, 0)


@inner_kernel
def _scatter(velocity, body, lane, bodies):
    """Write them back; not those of nothing, for which threads would wait for each other."""
    nothing = unsigned(len(velocity)) - _LANES
    for x in range(_LANES):
        i, j = unsigned(body[bodies + x]) * _LANES, unsigned(body[bodies + _LANES + x]) * _LANES
        if i < nothing:
            for k in range(unsigned(6)):
                velocity[i + k] = lane[k * _LANES + x]
        if j < nothing:
            for k in range(unsigned(6)):
                velocity[j + k] = lane[(k + unsigned(6)) * _LANES + x]


@inner_kernel
def _visit(point, before, inertia, lane, at, kept, held, lanes):
    """Give a point of each lane the impulse of its law: 0 ≤ p_n - p_0 ⟂ u_n ≥ 0, and p_t nearest to
    p_t - u_t/w_t in the disc of radius μ p_n.
    """
    for x in range(lanes):
        e, f, g = at + x, held + x, kept + x
        nx, ny, nz = point[e + _NX], point[e + _NY], point[e + _NZ]
        ax, ay, az = point[e + _AX], point[e + _AY], point[e + _AZ]
        bx, by, bz = point[e + _BX], point[e + _BY], point[e + _BZ]
        # u = u_0 + v2 + ω2 × r2 - v1 - ω1 × r1
        ux = point[e + _UX] + lane[x + _6] - lane[x + _0] + lane[x + _10] * bz - lane[x + _11] * by
        ux = ux - lane[x + _4] * az + lane[x + _5] * ay
        uy = point[e + _UY] + lane[x + _7] - lane[x + _1] + lane[x + _11] * bx - lane[x + _9] * bz
        uy = uy - lane[x + _5] * ax + lane[x + _3] * az
        uz = point[e + _UZ] + lane[x + _8] - lane[x + _2] + lane[x + _9] * by - lane[x + _10] * bx
        uz = uz - lane[x + _3] * ay + lane[x + _4] * ax
        px, py, pz = point[e + _PX], point[e + _PY], point[e + _PZ]
        p_n = px * nx + py * ny + pz * nz
        u_n = ux * nx + uy * ny + uz * nz
        sx, sy, sz = before[g + _0], before[g + _1], before[g + _2]
        s_n = sx * nx + sy * ny + sz * nz
        apart = sx * point[e + _WX] + sy * point[e + _WY] + sz * point[e + _WZ]
        apart = apart * point[e + _ALONG]
        q_n = p_n - u_n * point[e + _ALONG] * (s_n / apart if apart > s_n else _UNIT)
        q_n = q_n if q_n > point[e + _FLOOR] else point[e + _FLOOR]
        d = q_n - p_n
        ux = ux + point[e + _WX] * d
        uy = uy + point[e + _WY] * d
        uz = uz + point[e + _WZ] * d
        u_n = ux * nx + uy * ny + uz * nz
        across = point[e + _ACROSS]
        tx = px - nx * p_n - (ux - nx * u_n) * across
        ty = py - ny * p_n - (uy - ny * u_n) * across
        tz = pz - nz * p_n - (uz - nz * u_n) * across
        square = tx * tx + ty * ty + tz * tz
        radius = point[e + _FRICTION] * q_n
        share = radius / single(math.sqrt(square)) if square > radius * radius else _UNIT
        qx, qy, qz = nx * q_n + tx * share, ny * q_n + ty * share, nz * q_n + tz * share
        point[e + _PX] = qx
        point[e + _PY] = qy
        point[e + _PZ] = qz
        dx, dy, dz = qx - px, qy - py, qz - pz
        lane[x + _0] -= inertia[f + _0] * dx
        lane[x + _1] -= inertia[f + _0] * dy
        lane[x + _2] -= inertia[f + _0] * dz
        lane[x + _6] += inertia[f + _7] * dx
        lane[x + _7] += inertia[f + _7] * dy
        lane[x + _8] += inertia[f + _7] * dz
        hx, hy, hz = ay * dz - az * dy, az * dx - ax * dz, ax * dy - ay * dx
        lane[x + _3] -= inertia[f + _1] * hx + inertia[f + _4] * hy + inertia[f + _5] * hz
        lane[x + _4] -= inertia[f + _4] * hx + inertia[f + _2] * hy + inertia[f + _6] * hz
        lane[x + _5] -= inertia[f + _5] * hx + inertia[f + _6] * hy + inertia[f + _3] * hz
        hx, hy, hz = by * dz - bz * dy, bz * dx - bx * dz, bx * dy - by * dx
        lane[x + _9] += inertia[f + _8] * hx + inertia[f + _11] * hy + inertia[f + _12] * hz
        lane[x + _10] += inertia[f + _11] * hx + inertia[f + _9] * hy + inertia[f + _13] * hz
        lane[x + _11] += inertia[f + _12] * hx + inertia[f + _13] * hy + inertia[f + _10] * hz
        moved = (dx * dx + dy * dy + dz * dz) / (across if across > _NONE else _UNIT)
        lane[x + _SUM] += moved
        moved = moved / (across if across > _NONE else _UNIT)
        lane[x + _LARGEST] = moved if moved > lane[x + _LARGEST] else lane[x + _LARGEST]


@inner_kernel
def _go_on_from(now, before, at, kept, beta):
    """Let impulses go on by β of their way since the sweep before, p ← p + β (p - p_before)."""
    for x in range(_IMPULSES):
        p = now[at + x]
        now[at + x] = p + beta * (p - before[kept + x])
        before[kept + x] = p


@inner_kernel
def _go_on(batches, team, beta):
    """Let velocities go on by β of their way; impulses do when they are visited."""
    team.number[0] = beta
    share(team, GO_ON, 0, len(batches.velocity), _NUMBERS, extrapolate, (batches, beta))


@inner_kernel
def extrapolate(batches, beta, first, last):
    """Let some of the velocities go on."""
    now, before, beta = batches.velocity, batches.last_velocity, single(beta)
    for k in range(unsigned(first), unsigned(last)):
        v = now[k]
        now[k] = v + beta * (v - before[k])
        before[k] = v
