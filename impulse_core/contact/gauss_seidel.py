"""Nonlinear block Gauss-Seidel over the contacts of an island: each in turn gets the impulse of its
own law.

A contact is visited again only if one of its bodies was moved noticeably since. A sweep is also a
step of a conjugate gradient method, whose direction goes on as long as changes become smaller
(Silcowitz, Niebe and Erleben 2010): a tower whose contacts stick is as ill-conditioned as the beam
that it is. Islands that a few sweeps do not solve are solved by Newton's method where that is
cheap, and those with jointed bodies are so without sweeps where it gets there at once. Large ones
are swept in batches (batch_sweeps.py) where that is worth it.

Small islands are solved by any thread, so nothing that stands for more than one of them is changed.
"""

from __future__ import annotations

import math

from impulse_core.algebra import (
    ZERO3,
    cross,
    dot,
    mat3_of,
    norm,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.contact.batch_sweeps import FALL, LOOK, QUIET, RESTLESS, UNDIVIDED, sweep_batches
from impulse_core.contact.delassus import delassus_block, push_articulated, turn_articulated
from impulse_core.contact.islands import is_large
from impulse_core.contact.jacobian import diagonal_blocks
from impulse_core.contact.law import JOINTED_TIMES, contact_law, in_disc
from impulse_core.contact.newton import IMPROVED, SOLVED, TOO_MANY, solve_island
from impulse_core.contact.residuals import ENOUGH
from impulse_core.contact.solver_bodies import push_solver_body
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["solve_contacts", "solve_small", "sweep_one_by_one"]

_AT_ONCE = 1e-2  # of the accuracy: what impulses found without sweeps leave at most
_FIRST_SWEEPS = 8  # before an island is solved for by Newton's method
_LAST_SWEEPS = 8  # of a small one after that, which mostly has laws that contradict each other
_MOST_SWEEPS = 100
_MOST_OF_LARGE = 20
_CALM = 0.3  # of the accuracy, the change of a velocity that counts as none
_ENOUGH = 0.03  # of the changes in the first sweep, what large islands are left with


@deferred_kernel("none")
def solve_contacts(
    contacts, solver_bodies, delassus, newton, batches, team, accuracy, coarse, share, patient
):
    """Find the impulses of all unsolved islands for the velocities of the solver bodies.

    The laws are to hold to accuracy [m/s], those of large islands to a coarse one. Islands of free
    bodies that are not large and will be solved for again are left with a share of what they lack,
    in m/s over the unit of that. ``patient``: large ones may take many sweeps.
    """
    world = len(solver_bodies.mark) - 1
    for i in range(world):
        solver_bodies.mark[i].stirred = -1
    for i in range(world):
        island = solver_bodies.mark[i]
        if island.unsolved == 0:
            continue
        large = is_large(solver_bodies.mark, i)
        calm = _CALM * (coarse if large else accuracy)
        how = UNDIVIDED
        if large:
            how = sweep_batches(contacts, solver_bodies, delassus, batches, team, i, calm, patient)
        if how == UNDIVIDED:
            rough = _rough(solver_bodies, i, accuracy, share)
            to = accuracy, rough, coarse, patient
            how = _solve_one(contacts, solver_bodies, delassus, newton, batches, team, i, to)
        island.contradictory = 0 if how == QUIET else 1


@inner_kernel
def solve_small(contacts, solver_bodies, delassus, newton, i, accuracy, share):
    """The same for one small island, that of solver body i."""
    body = solver_bodies.mark[i].first_body
    while body >= 0:
        solver_bodies.mark[body].stirred = -1
        body = solver_bodies.mark[body].next_body
    calm, rough = _CALM * accuracy, _rough(solver_bodies, i, accuracy, share)
    result, sweeps, _ = _begin(
        contacts, solver_bodies, delassus, newton, i, calm, accuracy, rough, False
    )
    quiet = result == SOLVED
    if not quiet:
        calm, last = max(calm, _CALM * rough), sweeps + _LAST_SWEEPS
        _, _, quiet = sweep_one_by_one(contacts, solver_bodies, delassus, i, calm, sweeps + 1, last)
    solver_bodies.mark[i].contradictory = 0 if quiet else 1


@inlined_kernel
def _rough(solver_bodies, i, accuracy, share):
    """Accuracy to which the island of solver body i is solved for."""
    rough = share * solver_bodies.row[i].left
    if not rough > ENOUGH * accuracy or is_large(solver_bodies.mark, i):
        return accuracy
    return accuracy if solver_bodies.mark[i].articulated else rough


@inner_kernel
def _solve_one(contacts, solver_bodies, delassus, newton, batches, team, i, to):
    """Solve for the island of solver body i by a few sweeps, by Newton's method, or by many sweeps;
    QUIET or RESTLESS. Beyond the rough accuracy only what comes easily is solved for.
    """
    accuracy, rough, coarse, patient = to
    large = is_large(solver_bodies.mark, i)
    calm = _CALM * (coarse if large else accuracy)
    result, sweeps, first = _begin(
        contacts, solver_bodies, delassus, newton, i, calm, accuracy, rough, large
    )
    if result == SOLVED:
        return QUIET
    how, most, calm = UNDIVIDED, _MOST_SWEEPS, max(calm, _CALM * rough)
    if result == TOO_MANY and large:
        calm = max(calm, _ENOUGH * first)
        most = _MOST_OF_LARGE
    elif result == TOO_MANY:
        solver_bodies.mark[i].too_many = 1
        calm = _CALM * coarse
    if not large:
        how = sweep_batches(contacts, solver_bodies, delassus, batches, team, i, calm, patient)
    if how == UNDIVIDED:
        _, _, quiet = sweep_one_by_one(contacts, solver_bodies, delassus, i, calm, sweeps + 1, most)
        how = QUIET if quiet else RESTLESS
    return how


@deferred_kernel("int64", "int64", "float64")
def _begin(contacts, solver_bodies, delassus, newton, i, calm, accuracy, rough, large):
    """A few sweeps and Newton's method, or where bodies are jointed this alone if it gets there at
    once: what that came to, SOLVED, IMPROVED or TOO_MANY, the number of sweeps, and the largest
    change of a velocity in the first [m/s].
    """
    diagonal_blocks(contacts, solver_bodies, delassus, i)
    if solver_bodies.mark[i].articulated and not large:
        exact = _AT_ONCE * accuracy
        result, items = solve_island(
            contacts, solver_bodies, delassus, newton, i, accuracy, exact, True
        )
        if result == SOLVED:
            return SOLVED, 0, 0.0
        if result == IMPROVED:
            _apply_changes(contacts, solver_bodies, delassus, newton, i, items)
    sweeps, first, quiet = sweep_one_by_one(
        contacts, solver_bodies, delassus, i, calm, 1, _FIRST_SWEEPS
    )
    if quiet and large:
        return SOLVED, sweeps, first
    result, items = solve_island(
        contacts, solver_bodies, delassus, newton, i, accuracy, rough, False
    )
    if result == IMPROVED:
        _apply_changes(contacts, solver_bodies, delassus, newton, i, items)
    return result, sweeps, first


@inner_kernel
def _apply_changes(contacts, solver_bodies, delassus, newton, i, items):
    """Apply what Newton's method changed of an island's impulses to its bodies."""
    n = solver_bodies.mark[i].number
    for k in range(items):
        c = newton.mark[k].contact
        found = contacts.row[c].impulse if k < n else contacts.row[c].torque
        change = vec3_of(found) - vec3_of(newton.row[k].begun)
        if change == ZERO3:
            continue
        if k < n:
            _apply_impulse(contacts.row, contacts.mark, solver_bodies, delassus, c, change)
        else:
            _apply_torque(contacts.mark, solver_bodies, delassus, c, change)


@deferred_kernel("int64", "float64", "boolean")
def sweep_one_by_one(contacts, solver_bodies, delassus, i, calm, first, last):
    """Sweeps number ``first`` to ``last`` at most over the island of solver body i, as long as they
    help.

    Returns the number of the last one, the largest change of a velocity in the first [m/s], and
    whether there was none above ``calm`` in the last. ``before_sweep`` is left with the impulses
    that the velocities of the solver bodies belong to.
    """
    row, mark, solver_body = contacts.row, contacts.mark, solver_bodies.mark
    before, most = 0.0, 0.0
    least, looked = math.inf, math.inf
    quiet, stalls = False, False
    free = _begin_search(solver_bodies, i)
    sweep = first - 1
    while sweep < last and not quiet and not stalls:
        sweep += 1
        largest, change = 0.0, 0.0
        c = solver_body[i].head
        while c >= 0:
            if sweep == first:
                set_vec3(row[c].search, ZERO3)
                free = free and row[c].resists == 0.0
            set_vec3(row[c].before_sweep, vec3_of(row[c].impulse))
            m1, m2 = (
                solver_body[mark[c].body1].articulation,
                solver_body[mark[c].body2].articulation,
            )
            stirred = max(solver_body[m1].stirred, solver_body[m2].stirred)
            if stirred >= sweep - 1 or (sweep == first and mark[c].violated):
                changed = _visit(row, mark, solver_bodies, delassus, c)
                largest = max(largest, changed)
                if changed > calm:
                    _stir(solver_body, m1, sweep)
                    _stir(solver_body, m2, sweep)
                d = vec3_of(row[c].impulse) - vec3_of(row[c].before_sweep)
                change += dot(d, d)
            c = mark[c].next
        quiet = largest <= calm
        if sweep == first:
            most = largest
        least = min(least, change)
        if (sweep - first + 1) % LOOK == 0:
            stalls = least > FALL * looked and not solver_body[i].articulated
            looked = least
        if not quiet and not stalls and sweep < last:
            beta = change / before if before > change else 0.0
            _go_on(contacts, solver_bodies, delassus, i, beta, sweep, free)
        before = change
    c = solver_body[i].head
    while c >= 0:
        set_vec3(row[c].before_sweep, vec3_of(row[c].impulse))
        c = mark[c].next
    return sweep, most, quiet


@inner_kernel
def _begin_search(solver_bodies, i):
    """Let the bodies of an island begin with no direction; whether all of them are free."""
    body = solver_bodies.mark[i].first_body
    while body >= 0:
        row = solver_bodies.row[body]
        set_vec3(row.before_sweep, vec3_of(row.velocity))
        set_vec3(row.turn_before_sweep, vec3_of(row.angular_velocity))
        set_vec3(row.search, ZERO3)
        set_vec3(row.turn_search, ZERO3)
        body = solver_bodies.mark[body].next_body
    return not solver_bodies.mark[i].articulated


@inner_kernel
def _go_on(contacts, solver_bodies, delassus, i, beta, sweep, free):
    """Go on by β in the direction of the sweeps before, s ← β s + Δp; 0 begins a new direction.
    Velocities follow from impulses; those of free bodies have such a direction themselves, where
    nothing but impulses changes them.
    """
    row, mark, solver_body = contacts.row, contacts.mark, solver_bodies.mark
    c = solver_body[i].head
    while c >= 0:
        s = vec3_of(row[c].search) * beta
        p = vec3_of(row[c].impulse)
        set_vec3(row[c].search, s + p - vec3_of(row[c].before_sweep))
        if s.x != 0.0 or s.y != 0.0 or s.z != 0.0:
            set_vec3(row[c].impulse, p + s)
            if not free:
                _apply_impulse(row, mark, solver_bodies, delassus, c, s)
            _stir(solver_body, solver_body[mark[c].body1].articulation, sweep)
            _stir(solver_body, solver_body[mark[c].body2].articulation, sweep)
        c = mark[c].next
    if free:
        body = solver_body[i].first_body
        while body >= 0:
            _move_on(solver_bodies.row[body], beta)
            body = solver_body[body].next_body


@inlined_kernel
def _move_on(body, beta):
    """Let the velocities of a SolverBody go on in the same way."""
    s, t = vec3_of(body.search) * beta, vec3_of(body.turn_search) * beta
    v, w = vec3_of(body.velocity), vec3_of(body.angular_velocity)
    set_vec3(body.search, s + v - vec3_of(body.before_sweep))
    set_vec3(body.turn_search, t + w - vec3_of(body.turn_before_sweep))
    v, w = v + s, w + t
    set_vec3(body.velocity, v)
    set_vec3(body.angular_velocity, w)
    set_vec3(body.before_sweep, v)
    set_vec3(body.turn_before_sweep, w)


@inlined_kernel
def _stir(solver_body, m, sweep):
    """Note that a solver body was moved noticeably, which the world never is."""
    if m < len(solver_body) - 1:
        solver_body[m].stirred = sweep


@inlined_kernel
def _visit(row, mark, solver_bodies, delassus, c):
    """Give contact c the impulse of its law; returns the change of its velocity [m/s]."""
    i1, i2, k = mark[c].body1, mark[c].body2, mark[c].delassus_row
    n, r1, r2 = vec3_of(row[c].normal), vec3_of(row[c].arm1), vec3_of(row[c].arm2)
    u = vec3_of(row[c].offset)
    u = u + vec3_of(solver_bodies.row[i2].velocity) - vec3_of(solver_bodies.row[i1].velocity)
    u = (
        u
        + cross(vec3_of(solver_bodies.row[i2].angular_velocity), r2)
        - cross(vec3_of(solver_bodies.row[i1].angular_velocity), r1)
    )
    if k >= 0:
        u = u + vec3_at(delassus.velocity, k)
    p = vec3_of(row[c].impulse)
    min_impulse = row[c].min_impulse
    bears = p.x != 0.0 or p.y != 0.0 or p.z != 0.0 or dot(n, u) < 0.0 or min_impulse > 0.0
    if not bears:
        return 0.0
    W, W_inverse = mat3_of(row[c].block), mat3_of(row[c].block_inverse)
    times = JOINTED_TIMES if k >= 0 else 1
    new, moved = contact_law(W, W_inverse, n, u, p, row[c].friction, min_impulse, times)
    set_vec3(row[c].impulse, new)
    _apply_impulse(row, mark, solver_bodies, delassus, c, new - p)
    if row[c].resists > 0.0:
        spun = _resist_turning(row, mark, solver_bodies, delassus, c, dot(n, new))
        return max(norm(moved), spun)
    return norm(moved)


@inlined_kernel
def _apply_impulse(row, mark, solver_bodies, delassus, c, p):
    """Apply a change p of the impulse of contact c to its bodies."""
    i1, i2 = mark[c].body1, mark[c].body2
    if solver_bodies.row[i1].inverse_mass > 0.0:
        push_solver_body(solver_bodies.row[i1], -p, vec3_of(row[c].arm1))
    if solver_bodies.row[i2].inverse_mass > 0.0:
        push_solver_body(solver_bodies.row[i2], p, vec3_of(row[c].arm2))
    if mark[c].delassus_row >= 0:
        push_articulated(delassus, mark[c].delassus_row, p)


@inlined_kernel
def _resist_turning(row, mark, solver_bodies, delassus, c, p_n):
    """Rolling resistance and torsional friction: torques against the relative turning across the
    normal and about it, each at most its lever arm × p_n. Returns what the latter changed, as the
    velocity at the longer arm [m/s].
    """
    i1, i2, k, n = mark[c].body1, mark[c].body2, mark[c].delassus_row, vec3_of(row[c].normal)
    bodies = solver_bodies.row
    J1, J2 = mat3_of(bodies[i1].inverse_inertia), mat3_of(bodies[i2].inverse_inertia)
    inverse_inertia = max(J1.xx + J1.yy + J1.zz + J2.xx + J2.yy + J2.zz, 1e-300)
    about = dot(n, J1 @ n) + dot(n, J2 @ n)
    w = (
        vec3_of(row[c].turn_offset)
        + vec3_of(bodies[i2].angular_velocity)
        - vec3_of(bodies[i1].angular_velocity)
    )
    if k >= 0:
        T = delassus_block(delassus.angular, 3 * k, 3 * k)
        inverse_inertia += T.xx + T.yy + T.zz
        about += dot(n, T @ n)
        w = w + vec3_at(delassus.angular_velocity, k)
    spin, t = dot(n, w), vec3_of(row[c].torque)
    w = w - n * spin
    most, along, held = row[c].torsion * p_n, 0.0, 0.0
    if row[c].torsion > 0.0:
        along = dot(n, t)
        held = min(max(along - spin / max(about, 1e-300), -most), most)
    new = in_disc(t - n * along - w * (1.0 / inverse_inertia), row[c].rolling * p_n) + n * held
    set_vec3(row[c].torque, new)
    _apply_torque(mark, solver_bodies, delassus, c, new - t)
    arm = max(norm(vec3_of(row[c].arm1)), norm(vec3_of(row[c].arm2)))
    return abs(held - along) * about * arm


@inlined_kernel
def _apply_torque(mark, solver_bodies, delassus, c, t):
    """Apply a change t of the torque impulse of contact c to its bodies."""
    bodies, i1, i2 = solver_bodies.row, mark[c].body1, mark[c].body2
    if bodies[i1].inverse_mass > 0.0:
        J = mat3_of(bodies[i1].inverse_inertia)
        set_vec3(bodies[i1].angular_velocity, vec3_of(bodies[i1].angular_velocity) - J @ t)
    if bodies[i2].inverse_mass > 0.0:
        J = mat3_of(bodies[i2].inverse_inertia)
        set_vec3(bodies[i2].angular_velocity, vec3_of(bodies[i2].angular_velocity) + J @ t)
    if mark[c].delassus_row >= 0:
        turn_articulated(delassus, mark[c].delassus_row, t)
