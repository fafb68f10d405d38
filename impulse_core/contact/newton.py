"""One island at once: a generalised Newton method on the laws of all its contacts.

The law of a contact is p = P(p - ρu), P the projection onto its cone for the present normal
impulse. Where it is open, sticks or slides it is linear in p and u, and u = u0 + W p: a linear
system, of which the solution is the next iterate (Alart and Curnier 1991). It is solved over the
bodies of the island, or if it is articulated over its contacts, or over its motions at many.
"""

from __future__ import annotations

from impulse_core.algebra import dot, norm, vec3_of
from impulse_core.contact.banded import banded_push, banded_step
from impulse_core.contact.block_band import half_of
from impulse_core.contact.body_order import order_bodies
from impulse_core.contact.dense import dense_delassus, dense_push, dense_step
from impulse_core.contact.islands import is_large
from impulse_core.contact.law import LEAST_PROXIMAL
from impulse_core.contact.motions import LEAST_GIVING, find_motions, motions_push, motions_step
from impulse_core.contact.newton_iterate import (
    NO_NUMBER,
    cut,
    go_on,
    keep_iterate,
    residual,
    return_to_best,
    shorten,
    store,
)
from impulse_core.contact.newton_rows import gather_rows, list_rows
from impulse_core.contact.newton_work import MOST_DENSE, MOST_WORK
from impulse_core.contact.pair_blocks import ANEW, GOES_ON, HELD
from impulse_core.contact.residuals import ENOUGH
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["IMPROVED", "SOLVED", "TOO_MANY", "solve_island"]

SOLVED, IMPROVED, TOO_MANY = 0, 1, 2

_ITERATIONS = 20
_PATIENCE = 6  # whole steps in a row that do not help
_ASTRAY = 1e3  # of the least residual, what a whole step leaves that counts as two of them
_LESS_PATIENCE = 3  # the same of steps with care
_CONTENT = 2  # the same where no more is left than contacts may contradict each other by
_GAIN = 0.7  # of the least residual, what a step that helps leaves at most
_QUICK = 0.1  # of a residual, what a step leaves that leads straight to a solution
_PROXIMAL = 1e-4  # proximal term to begin with, and the least after a step that left more
_CAREFUL = 1e-2  # that of the first step with care
_SOFTER = 100.0  # times, the term after one that had to be shortened
_FEW = 16  # contacts over which it is solved for, however few motions it has there
_SOFT = 0.1  # proximal term of the first step over motions that does not lead straight,
_HARDER = 0.1  # and times which it is in each that follows,
_SLOWLY = 0.3  # or where that ran in a circle,
_CIRCLES = 3  # for more steps with the least term than so many
_MOTION_ITERATIONS = 40
_FINE = 1e-2  # of the accuracy: what steps over motions go on to
_EXACT = 1e-5  # of the accuracy: what the last iterations reach at little cost
_KINKS = 2  # steps that lead over kinks of the laws, where all is to be solved at once,
_NEAR = 1e3  # and no more times the accuracy was given: an impact may lead to another solution
_LITTLE = 0.2  # of the accuracy: what contacts that contradict each other may leave at once,
_LITTLE_OF_GIVEN = 1e-3  # and no more of what was given, so that at rest all is solved for
_ON_BORDER = 1e-9  # of its radius: how near to that of its cone an impulse counts as on it


@deferred_kernel("int64", "int64")
def solve_island(contacts, solver_bodies, delassus, work, i, accuracy, rough, at_once):
    """Improve the impulses of the island of solver body i until its laws hold to accuracy [m/s],
    or to a rough one where steps that follow are not needed or do not help much.

    What is stored is the best iterate within its cones, and nothing worse than the impulses given.
    The velocities in solver_bodies and delassus belong to the impulses it begins with, and stay.
    ``at_once``: an articulated island is solved straight from those, to the rough accuracy, which
    is finer here, or as near as its contacts do not contradict each other, or left as it is, but
    for what is better over motions.
    Returns SOLVED or, where that accuracy was not reached, IMPROVED; TOO_MANY for islands left
    alone. Then how many rows of work are of contacts and of what resists turning.
    """
    n = solver_bodies.mark[i].number
    articulated = solver_bodies.mark[i].articulated == 1
    spare = solver_bodies.mark[i].spare
    by_motions = articulated and (n > MOST_DENSE or (n > _FEW and spare >= n))
    if by_motions and is_large(solver_bodies.mark, i):
        return TOO_MANY, n
    most = 2 * MOST_DENSE if articulated and not by_motions else len(work.mark)
    items = list_rows(contacts, work, solver_bodies.mark[i].head, n, most)
    bodies, bandwidth, motions = 0, 0, -1
    if not articulated:
        bodies, bandwidth = order_bodies(contacts, solver_bodies, work, n)
        half = half_of(bandwidth)
        if 6 * bodies * (2 * half + 1) > len(work.matrix) or 6 * bodies * half * half > MOST_WORK:
            return TOO_MANY, n
    gather_rows(contacts, solver_bodies, delassus, work, n, items)
    if by_motions:
        free = _free_bodies(solver_bodies, i)
        motions = find_motions(contacts, solver_bodies, delassus, work, n, items, free)
        if motions < 0:
            return TOO_MANY, n
    elif articulated:
        dense_delassus(contacts, solver_bodies, delassus, work, n, items)
    given, content = residual(work, n, items, 0.0), rough
    if at_once:
        content = max(rough, min(_LITTLE * accuracy, _LITTLE_OF_GIVEN * given))
    size = bodies, bandwidth, motions
    if by_motions:
        enough = min(rough, _FINE * accuracy)
        best = _solve_by_motions(work, n, items, motions, enough, given)
    elif articulated:
        best = _solve_dense(work, n, items, (accuracy, rough, content), given, at_once)
    else:
        to = accuracy, rough, solver_bodies.mark[i].contradictory == 0
        best = _solve_banded(solver_bodies, work, n, items, size, to, given)
    if best < given:
        best = _take_best(solver_bodies, work, n, items, size, best)
        if best < given and (best <= content or by_motions or not at_once):
            store(contacts, work, n, items)
    return (SOLVED if min(best, given) <= content else IMPROVED), items


@inlined_kernel
def _free_bodies(solver_bodies, i):
    """How many bodies of the island of solver body i move and are held by no joint."""
    count, body = 0, solver_bodies.mark[i].first_body
    while body >= 0:
        count += 1 if solver_bodies.row[body].inverse_mass > 0.0 else 0
        body = solver_bodies.mark[body].next_body
    return count


@inner_kernel
def _solve_by_motions(work, n, items, motions, enough, given):
    """Newton steps over the motions of an articulated island; the least residual, whose iterate is
    kept [m/s].

    As long as they lead straight to a solution contacts share their load by what they give way
    alone. From where they do not, steps are taken whole, and begin with contacts that are soft and
    become harder from step to step: which of them bear, stick and slide then
    follows from what all of them do together, and later ones change little of it. Where they run
    in a circle in the end they begin once more from the best, and become harder more slowly.
    """
    proximal, harder, stalls = LEAST_GIVING, 0.0, 0
    best = worst = given
    keep_iterate(work, items)
    for _iteration in range(_MOTION_ITERATIONS):
        if worst <= enough or not motions_step(work, n, items, motions, proximal):
            break
        motions_push(work, items, motions)
        after = residual(work, n, items, 1.0)
        if harder == 0.0 and not (after < _QUICK * worst):
            proximal, harder = _SOFT, _HARDER
            continue
        go_on(work, items, 1.0)
        worst = after
        stalls += 1 if proximal == LEAST_GIVING and after >= _QUICK * best else 0
        proximal = max(LEAST_GIVING, harder * proximal)
        if worst < best:
            best = worst
            keep_iterate(work, items)
        if stalls > _CIRCLES or worst >= NO_NUMBER:
            if harder == _SLOWLY:
                break
            return_to_best(work, items)
            worst, proximal, harder, stalls = best, _SOFT, _SLOWLY, 0
    return best


@inner_kernel
def _solve_dense(work, n, items, to, given, at_once):
    """Newton steps of an articulated island from the impulses of a residual ``given``; the least
    residual, whose iterate is kept [m/s].

    Iterates may get worse for a while, since that leads over kinks of the laws. The matrix of a
    step serves for the next as well where that is foreseen to be the last. ``at_once``: what
    sticks, slides or is open stays so, as it mostly does from one stage to the next, but for a few
    kinks near to a solution; else what is left is not worth the steps. Even where little was given
    the first is taken, for what is left at rest would be left in each stage again, and add up.
    """
    (accuracy, rough, content), best, worst = to, given, given
    enough, again = _EXACT * accuracy, False
    kinks = _KINKS if given <= _NEAR * accuracy else 0
    keep_iterate(work, items)
    for _iteration in range(_ITERATIONS):
        if worst <= enough or not dense_step(work, n, items, again):
            break
        dense_push(work, items)
        after, share = residual(work, n, items, 1.0), 1.0
        enough = rough if at_once else enough
        slow = not (after < (0.5 if worst <= accuracy else _QUICK) * worst)
        ends = slow and worst <= (content if at_once else accuracy)
        if again and slow and not ends:
            again = False
            continue
        if ends or (at_once and slow and kinks == 0):
            break
        kinks -= 1 if slow else 0
        if not at_once:
            share, after = shorten(work, n, items, worst, after)
        go_on(work, items, share)
        # without the kinks residuals fall by squares, and with an old matrix by the last ratio
        again = share == 1.0 and 2.0 * after * after <= enough * worst
        worst = after
        if worst < best:
            best = worst
            keep_iterate(work, items)
        elif worst >= NO_NUMBER:
            break
    return best


@inner_kernel
def _solve_banded(solver_bodies, work, n, items, size, to, given):
    """The same of free bodies.

    Steps are taken whole at first, whether or not they help: which contacts bear, stick and slide
    follows from each, and a step that was shortened for the sake of the residual never gets there.
    Where they lead nowhere, steps are taken with care: from the best iterate, and shortened until
    they help. The first step finds impulses anew where contacts stick, unless near to a solution,
    and those by which contacts only hold each other go. Once a step leaves more than was given, in
    an island that is ``fresh``, all that bears is taken to stick, as in towers, if that does help.
    What contacts contradict each other by is left out of a step after one that did not help.
    """
    (bodies, bandwidth, _motions), (accuracy, rough, fresh) = size, to
    best = worst = given
    begins = ANEW if given > _PROXIMAL * _largest_velocity(work, n) else GOES_ON
    may_hold = begins == ANEW and fresh
    agreed = begins == GOES_ON and given <= ENOUGH * rough
    proximal = LEAST_PROXIMAL if agreed else _PROXIMAL
    stalls, careful, crossing, slides = 0, False, False, _any_slides(work, n)
    keep_iterate(work, items)
    for _iteration in range(_ITERATIONS):
        if worst <= _EXACT * accuracy or not banded_step(
            solver_bodies, work, n, items, (bodies, bandwidth), proximal, agreed, begins
        ):
            break
        banded_push(solver_bodies, work, n, items, bodies)
        after = residual(work, n, items, 1.0)
        in_vain = after > (_QUICK if begins == HELD else 1.0) * given
        if in_vain and (begins == HELD or may_hold):
            begins, may_hold = (ANEW if begins == HELD else HELD), False
            continue
        slow = worst <= rough and not (after < (0.5 if worst <= accuracy else _QUICK) * worst)
        if slow and (crossing or after < worst):
            break
        share, begins, crossing = 1.0, GOES_ON, slow
        if careful:
            share, after = shorten(work, n, items, worst, after)
        go_on(work, items, share)
        proximal = _next_proximal(proximal, careful, share, after / worst)
        stalls = 0 if after < _GAIN * best else stalls + _counts(careful, after, best)
        agreed = stalls > 0
        worst = after
        if worst < best:
            best = worst
            keep_iterate(work, items)
        content = max(rough, ENOUGH * (rough if slides or best < given else accuracy))
        if (careful and stalls >= _LESS_PATIENCE) or (stalls >= _CONTENT and best <= content):
            break
        if not careful and stalls >= _PATIENCE:
            careful, stalls, proximal = True, 0, _CAREFUL
        if careful and worst > best:
            return_to_best(work, items)
            worst = best
    return best


@inlined_kernel
def _any_slides(work, n):
    """Whether the impulse of one of n contacts is on the border of its cone."""
    for k in range(n):
        row = work.row[k]
        p, normal = vec3_of(row.trial), vec3_of(row.normal)
        p_n = dot(normal, p)
        if p_n > 0.0 and norm(p - normal * p_n) >= (1.0 - _ON_BORDER) * row.friction * p_n:
            return True
    return False


@inlined_kernel
def _largest_velocity(work, n):
    """The largest velocity that the impulse of one of n contacts gives [m/s]."""
    most = 0.0
    for k in range(n):
        most = max(most, norm(vec3_of(work.row[k].trial)) * work.row[k].inverse)
    return most


@inlined_kernel
def _counts(careful, after, best):
    """For how many steps that do not help one counts: a whole one that leads far astray for two."""
    return 2 if not careful and after > _ASTRAY * best else 1


@inlined_kernel
def _next_proximal(proximal, careful, share, left):
    """Proximal term of the next step, after a share of one that left so much of the residual."""
    if careful and share < 1.0:
        return proximal * _SOFTER
    if careful or left < _QUICK:
        return max(LEAST_PROXIMAL, proximal / _SOFTER)
    return max(_PROXIMAL, proximal) if left >= 1.0 else proximal


@inner_kernel
def _take_best(solver_bodies, work, n, items, size, best):
    """Return to the best impulses and velocities, of a residual ``best``, within their cones; their
    residual [m/s]. ``size``: bodies and bandwidth, and motions where it is over these.
    """
    bodies, _bandwidth, motions = size
    return_to_best(work, items)
    if not cut(work, n, items):
        return best
    if motions >= 0:
        motions_push(work, items, motions)
    elif bodies > 0:
        banded_push(solver_bodies, work, n, items, bodies)
    else:
        dense_push(work, items)
    return residual(work, n, items, 1.0)
