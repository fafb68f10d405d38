"""The rows of an island in Newton's method: its contacts, then what resists turning at them."""

from __future__ import annotations

from impulse_core.algebra import (
    IDENTITY3,
    cross,
    dot,
    inverse,
    mat3_of,
    set_mat3,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.contact.delassus import delassus_block
from impulse_core.contact.give import GIVE
from impulse_core.contact.law import (
    effective_inverse_mass,
    is_plain,
    law_piece,
    solved_piece,
    turning_piece,
)
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "gather_rows",
    "list_rows",
    "piece_of",
    "put_changes",
    "put_law",
    "put_turning_law",
    "turning_piece_of",
]


@inlined_kernel
def list_rows(contacts, work, c, number, most):
    """List the contacts of an island of which c is the first, and what resists turning at them, if
    all of it makes no more than ``most`` rows; returns how many rows that makes.
    """
    items = number
    for k in range(number):
        work.mark[k].contact = c
        work.mark[k].place = k
        c = contacts.mark[c].next
    for k in range(number):
        if contacts.row[work.mark[k].contact].resists > 0.0:
            if items == most:
                return number
            work.mark[items].contact = work.mark[k].contact
            work.mark[items].place = k
            items += 1
    return items


@inner_kernel
def gather_rows(contacts, solver_bodies, delassus, work, n, items):
    """Take the laws, impulses and relative velocities of the contacts of an island, and of what
    resists turning at them.
    """
    mark, row, bodies = contacts.mark, contacts.row, solver_bodies.row
    for k in range(items):
        c, to = work.mark[k].contact, work.row[k]
        i1, i2, j = mark[c].body1, mark[c].body2, mark[c].delassus_row
        work.mark[k].places[0] = 6 * solver_bodies.mark[i1].place
        work.mark[k].places[1] = 6 * solver_bodies.mark[i2].place
        r1, r2 = vec3_of(row[c].arm1), vec3_of(row[c].arm2)
        set_vec3(to.normal, vec3_of(row[c].normal))
        set_vec3(to.arm, r2 if work.mark[k].places[1] >= 0 else r1)
        set_vec3(to.apart, r1 - r2)
        w1, w2 = vec3_of(bodies[i1].angular_velocity), vec3_of(bodies[i2].angular_velocity)
        if k < n:
            u = vec3_of(row[c].offset) + vec3_of(bodies[i2].velocity) - vec3_of(bodies[i1].velocity)
            u = u + cross(w2, r2) - cross(w1, r1)
            if j >= 0:
                u = u + vec3_at(delassus.velocity, j)
            set_vec3(to.rate, u)
            set_vec3(to.trial, vec3_of(row[c].impulse))
            to.inverse = effective_inverse_mass(row, c)
            to.friction, to.min_impulse = row[c].friction, row[c].min_impulse
            gives = j >= 0 and delassus.gives[0] == 1
            to.gives = GIVE * delassus.scale[3 * j] ** 2 if gives else 0.0
        else:
            turn = vec3_of(row[c].turn_offset) + w2 - w1
            if j >= 0:
                turn = turn + vec3_at(delassus.angular_velocity, j)
            set_vec3(to.rate, turn)
            set_vec3(to.trial, vec3_of(row[c].torque))
            to.inverse = _inverse_inertia(contacts, solver_bodies, delassus, c)
            to.rolling, to.torsion = row[c].rolling, row[c].torsion
        set_vec3(to.begun, vec3_of(to.trial))


@inlined_kernel
def _inverse_inertia(contacts, solver_bodies, delassus, c):
    """Mean diagonal of the inverse inertia that torque impulses at contact c meet [1/(kg m²)]."""
    total, k = 0.0, contacts.mark[c].delassus_row
    for i in (contacts.mark[c].body1, contacts.mark[c].body2):
        J = mat3_of(solver_bodies.row[i].inverse_inertia)
        total += J.xx + J.yy + J.zz
    if k >= 0:
        T = delassus_block(delassus.angular, 3 * k, 3 * k)
        total += T.xx + T.yy + T.zz
    return max(total / 3.0, 1e-300)


@inlined_kernel
def piece_of(row, proximal, held):
    """The Piece of a contact's NewtonRow, with a proximal term; sticking where it is held."""
    return law_piece(
        vec3_of(row.normal),
        vec3_of(row.trial),
        vec3_of(row.rate),
        row.inverse,
        row.friction,
        row.min_impulse,
        proximal,
        held,
    )


@inlined_kernel
def turning_piece_of(row, contact, proximal):
    """The same of what resists turning, at a contact: A Δω + w (B Δt + C Δp) = f."""
    n = vec3_of(row.normal)
    return turning_piece(
        n,
        vec3_of(row.trial),
        vec3_of(row.rate),
        row.inverse,
        row.rolling,
        row.torsion,
        max(dot(n, vec3_of(contact.trial)), 0.0),
        proximal,
    )


@inlined_kernel
def put_law(row, piece, f, proximal):
    """Put Δp = g - K Δu, which a Piece is with f on its right, into its NewtonRow; K, and whether
    it is a number.
    """
    w = row.inverse
    if is_plain(piece):
        K = IDENTITY3 * (piece.a_n / (piece.b_n * w))
        set_vec3(row.load, f * (1.0 / (piece.b_n * w)))
        set_mat3(row.softness, IDENTITY3 * (proximal / piece.b_n))
        set_mat3(row.stiffness, K)
        return K, True
    K, C = solved_piece(piece)
    K = K * (1.0 / w)
    set_vec3(row.load, (C @ f) * (1.0 / w))
    set_mat3(row.softness, C * proximal)
    set_mat3(row.stiffness, K)
    return K, False


@inner_kernel
def put_turning_law(work, k, proximal):
    """Put Δt = g - K Δω - E Δp, what resists turning, into row k; K, and -E K' with K' of Δp."""
    place, row = work.mark[k].place, work.row[k]
    A, B, C, f = turning_piece_of(row, work.row[place], proximal)
    w, B = 1.0 / row.inverse, inverse(B)
    K, E = B @ A * w, B @ C
    set_mat3(row.stiffness, K)
    set_mat3(row.coupling, E)
    set_vec3(row.load, (B @ f) * w)
    set_mat3(row.softness, B * proximal)
    return K, E @ mat3_of(work.row[place].stiffness) * -1.0


@inlined_kernel
def put_changes(work, n, items):
    """Put the changes into all rows that belong to their pushes, Δp = g - K Δu and
    Δt = g - K Δω - E Δp.
    """
    for k in range(items):
        row = work.row[k]
        p = vec3_of(row.load) - mat3_of(row.stiffness) @ vec3_of(row.push)
        if k >= n:
            p = p - mat3_of(row.coupling) @ vec3_of(work.row[work.mark[k].place].change)
        set_vec3(row.change, p)
