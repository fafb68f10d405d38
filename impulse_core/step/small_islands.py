"""Small islands of free bodies, each of which is settled by itself.

    act → predict its bodies → errors → impulses → act …               (docs/algorithm.md, 12)

Islands do not depend on each other. One after the other they stay near the processor from the first
round to the last, take the rounds that they need, and are shared among threads.
"""

from __future__ import annotations

from impulse_core.contact.gauss_seidel import solve_small
from impulse_core.contact.impulses import act_at, new_impulse
from impulse_core.contact.islands import SMALL, is_small
from impulse_core.contact.jacobian import read_body
from impulse_core.contact.residuals import check_small
from impulse_core.contact.sleep import hold
from impulse_core.contact.system import motion_of, motion_with
from impulse_core.free_motion.flow import predict, predict_body
from impulse_core.free_motion.kinematic import predict_kinematic
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel
from impulse_core.jit.team import share
from impulse_core.joints.constraints import angular_velocity
from impulse_core.model.status import CREATED
from impulse_core.model.tasks import BODIES, ISLANDS, PREDICT, SETTLE_VELOCITIES, SETTLE_WAYS
from impulse_core.step.accuracy import accuracy_of_ways

__all__ = [
    "SHARE",
    "is_patient",
    "predict_and_settle",
    "predict_bodies",
    "rounds_end",
    "settle",
    "settle_islands",
    "settle_velocities",
]

_WITH_PATIENCE = 8  # times the rounds, where dividing further would cost more
SHARE = 0.01  # of what contacts lack at t+h, as directions turn: what a round may leave


@inner_kernel
def predict_and_settle(contact, model, state, h, first, work, tally):
    """Poses after h of all bodies, of which those that sleep stay where they are: -1, or one that
    would turn too far. For the first prediction the impulses of small islands are found by which
    their laws hold there.
    """
    if contact is None:
        return predict(model, state, h, work)
    astray = _predict_and_settle(contact, model, state, h, first, work, tally)
    if contact.sleep.number[0] > 0:
        hold(model, state, contact.sleep, work)
    return astray


@inner_kernel
def _predict_and_settle(contact, model, state, h, first, work, tally):
    """The same, as if none slept."""
    team = contact.team
    team.number[0], team.found[0] = h, 0
    given = contact, model, state, work.series, h, work
    share(team, PREDICT, 0, model.dynamic, BODIES, predict_bodies, given)
    if team.found[0]:
        return _first_astray(contact, model, state, h, work)
    predict_kinematic(model, state, h, work)
    if not first or contact.solver_bodies.counted[SMALL] == 0:
        return -1
    settle(contact, model, state, True, h, is_patient(tally), work)
    rounds, astray = _put_together(contact, work)
    tally.totals[0].corrections += rounds
    return astray


@inner_kernel
def predict_bodies(contact, model, state, series, h, work, begin, end):
    """Predict the poses of those of some bodies that are of no small island, with the scratch of a
    thread; team.found[0] is 1 where one would turn too far.
    """
    for i in range(begin, end):
        small = is_small(contact.solver_bodies.mark, i)
        if not small and not predict_body(model, state, i, h, series, work):
            contact.team.found[0] = 1


@inner_kernel
def _first_astray(contact, model, state, h, work):
    """The first of these that would turn too far, -1 if none would."""
    for i in range(model.dynamic):
        small = is_small(contact.solver_bodies.mark, i)
        if not small and not predict_body(model, state, i, h, work.series, work):
            return i
    return -1


@inner_kernel
def settle_velocities(contact, model, state, h, work, tally):
    """Find the impulses of small islands at the end of a part of a stage of length h by which their
    laws hold there.
    """
    if contact is None:
        return
    if contact.solver_bodies.counted[SMALL] == 0:
        return
    settle(contact, model, state, False, h, is_patient(tally), work)
    rounds, _ = _put_together(contact, work)
    tally.totals[0].velocity_corrections += rounds


@inlined_kernel
def is_patient(tally):
    """Whether contacts created energy in the last attempt at a part."""
    return tally.failure[0].what == CREATED


@deferred_kernel("none")
def settle(contact, model, state, ways, h, patient, work):
    """Settle all small islands, for ways or velocities."""
    team, solver_bodies = contact.team, contact.solver_bodies
    motion = motion_of(model, state, work)
    for i in range(model.dynamic, len(model.bodies)):
        read_body(solver_bodies, i, motion)
    team.number[0], team.number[1] = h, 1.0 if patient else 0.0
    task = SETTLE_WAYS if ways else SETTLE_VELOCITIES
    given = contact, contact.own, model, state, ways, work
    share(team, task, 0, solver_bodies.counted[SMALL], ISLANDS, settle_islands, given)


@inner_kernel
def settle_islands(contact, own, model, state, ways, work, begin, end):
    """Settle some of the small islands, with the scratch of a thread."""
    h, patient = contact.team.number[0], contact.team.number[1] > 0.0
    for k in range(begin, end):
        i = contact.solver_bodies.small[k]
        _settle_island(contact, own, model, state, ways, h, i, patient, work)


@inner_kernel
def _settle_island(contact, own, model, state, ways, h, i, patient, work):
    """Settle the island of solver body i in as many rounds as it needs, or may take."""
    contacts, solver_bodies = contact.contacts, contact.solver_bodies
    island = solver_bodies.mark[i]
    motion = motion_with(model, state, work, own.worked)
    accuracy = accuracy_of_ways(contact, h) if ways else contact.fine
    own.worked[0] = 0.0
    island.rounds, island.astray, island.unsolved = 0, -1, 1
    _act(contact, i, motion)
    while not work.stop[0]:
        island.astray = _go(contact, own, model, state, ways, h, i, work)
        if island.astray >= 0:
            break
        first = island.rounds == 0
        done = check_small(contacts, solver_bodies, i, motion, ways, h, accuracy, first, patient)
        left = solver_bodies.row[i].violation * (1.0 if ways else h)
        if done or rounds_end(contact, left, island.rounds, patient):
            break
        _read_bodies(solver_bodies, i, motion)
        lacking = SHARE / h if ways and not patient else 0.0
        solve_small(contacts, solver_bodies, contact.delassus, own.newton, i, contact.fine, lacking)
        _act(contact, i, motion)
        island.rounds += 1
    solver_bodies.row[i].worked = own.worked[0]


@inner_kernel
def rounds_end(contact, left, number, patient):
    """Whether so many rounds are enough: twice as many where they leave a violation [m] for which a
    stage of small islands is divided, since halves take all of theirs again, far more where one
    created energy.
    """
    times = _WITH_PATIENCE if patient else 2 if left > contact.most_left else 1
    return number >= times * contact.rounds


@inner_kernel
def _act(contact, i, motion):
    """Let what of the impulses of an island has not acted yet act on its bodies."""
    c = contact.solver_bodies.mark[i].head
    while c >= 0:
        act_at(contact.contacts, c, motion, new_impulse(contact.contacts.row[c]))
        c = contact.contacts.mark[c].next


@inner_kernel
def _go(contact, own, model, state, ways, h, i, work):
    """Angular velocities of the bodies of an island and, for ways, poses after h: -1, or the body
    that would turn too far.
    """
    mark = contact.solver_bodies.mark
    body = mark[i].first_body
    while body >= 0:
        if ways and not predict_body(model, state, body, h, own.series, work):
            return body
        angular_velocity(model, state, body, work)
        body = mark[body].next_body
    return -1


@inner_kernel
def _read_bodies(solver_bodies, i, motion):
    """Take the present velocities of an island's bodies as those from which impulses are found."""
    body = solver_bodies.mark[i].first_body
    while body >= 0:
        read_body(solver_bodies, body, motion)
        body = solver_bodies.mark[body].next_body


@inner_kernel
def _put_together(contact, work):
    """The most rounds of any island, and the first body that would turn too far, -1 if none would;
    the largest violation that any leaves is noted.
    """
    solver_bodies = contact.solver_bodies
    rounds, worst, astray = 0, 0.0, -1
    for k in range(solver_bodies.counted[SMALL]):
        i = solver_bodies.small[k]
        island, row = solver_bodies.mark[i], solver_bodies.row[i]
        rounds = max(rounds, island.rounds)
        work.kinematic_work[0] += row.worked
        worst = max(worst, row.violation)
        if astray < 0:
            astray = island.astray
    solver_bodies.worst[0] = worst
    return rounds, astray
