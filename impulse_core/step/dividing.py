"""Division of a step into the stages of a composition, and into halves where a stage fails.

Parts of a stage that end at a time of impact are in touching.py.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.jit import inlined_kernel, kernel
from impulse_core.model.status import COMPLETED, NO_ROOM
from impulse_core.observables.invariants import MOST_RISE, tally_step, weigh
from impulse_core.types import Floats

__all__ = [
    "FINEST_PART",
    "MOST_OF_AN_ATTEMPT",
    "MOST_OF_A_STAGE",
    "Plan",
    "halving_step",
    "longest_part",
    "note_most",
    "restore_totals",
    "take_steps",
]

FINEST_PART = 1024  # a step is divided into at most this many; a power of two
MOST_OF_A_STAGE = 10 * FINEST_PART  # corrections after which a step is no longer divided
MOST_OF_AN_ATTEMPT = FINEST_PART  # of those, at one part, after which no other descent begins


class Plan(NamedTuple):
    """The steps of one call."""

    length: float
    """[s]."""
    steps: int
    """Their number."""
    grid: int
    """Number of the first on the grid k · length, so that its time does not depend on how steps are
    shared out to calls; negative where the time of the state is right as it is."""
    fractions: Floats
    """Lengths γ of the stages as fractions of a step."""
    tolerance: float
    """Largest joint error after a stage [m]."""


@kernel
def longest_part(done):
    """The longest part that may follow the first ``done`` of a step: the whole, a half, …"""
    part = FINEST_PART
    while done % part:
        part //= 2
    return part


@inlined_kernel
def halving_step(stage, save, restore, model, system, state, plan, work, tally):
    """One step of the method: stages of lengths γh. Where one of them does not converge, or the
    energy rises out of nowhere, the whole step again in halves, quarters, …

    Why the last attempt at a part failed is in the tally during the next, COMPLETED before the
    first. Always the composed step is halved, never a single stage: a composition of unequal parts
    would lose its order. False at the floor h / FINEST_PART, or where a stage fails after
    MOST_OF_A_STAGE corrections for each stage of the method, with the state before the failure.
    False also once work.stop is set; the next call then goes on where this one stopped.

    stage, save and restore are functions of a solver, and system is what it keeps beside the
    workspace; those of a solver written in Python make this one run as Python.
    """
    h, fractions = plan.length, plan.fractions
    done = state.clock[0].progress
    state.clock[0].progress = 0
    part = longest_part(done)
    most = corrections_so_far(tally) + MOST_OF_A_STAGE * len(fractions)
    tally.failure[0].what = COMPLETED
    while done < FINEST_PART:
        save(state, work)
        work.totals[0] = tally.totals[0]
        length = h if part == FINEST_PART else h * (part / FINEST_PART)
        status = COMPLETED
        for s in range(len(fractions)):
            status = stage(model, system, state, fractions[s] * length, plan.tolerance, work, tally)
            if status != COMPLETED:
                break
        if status == COMPLETED:
            status = weigh(model, state, work, MOST_RISE, tally)
        if status == COMPLETED:
            done += part
            part = longest_part(done)
            tally.failure[0].what = COMPLETED
            continue
        restore(model, system, state, work)
        restore_totals(work, tally)
        tally.failure[0].what = status
        if work.stop[0]:
            state.clock[0].progress = done
            return False
        if status == NO_ROOM or part == 1 or corrections_so_far(tally) > most:
            tally.failure[0].begin = h * (done / FINEST_PART)
            tally.failure[0].part = length
            return False
        part //= 2
        tally.totals[0].halvings += 1
    return True


@kernel
def restore_totals(kept, tally):
    """Restore the totals that were kept before a failed attempt, but for what it has cost."""
    totals, before = tally.totals[0], kept.totals[0]
    before.corrections = totals.corrections
    before.velocity_corrections = totals.velocity_corrections
    before.impulses = totals.impulses
    tally.totals[0] = before


@kernel
def corrections_so_far(tally):
    """Corrections of joints and of velocities since the start."""
    return tally.totals[0].corrections + tally.totals[0].velocity_corrections


@kernel
def note_most(totals, corrections, velocity_corrections):
    """Note how many corrections a step made, from how many there were before it."""
    totals.most_corrections = max(totals.most_corrections, totals.corrections - corrections)
    made = totals.velocity_corrections - velocity_corrections
    totals.most_velocity_corrections = max(totals.most_velocity_corrections, made)


@inlined_kernel
def take_steps(stage, save, restore, model, system, state, plan, work, tally):
    """Take the steps of a plan in stages of a kind; returns how many were completed.

    stage, save, restore and system are those of halving_step; the workspace fits the state.
    """
    for done in range(plan.steps):
        if plan.grid >= 0 and state.clock[0].progress == 0:
            state.clock[0].time = (plan.grid + done) * plan.length
        totals = tally.totals[0]
        before, velocities_before = totals.corrections, totals.velocity_corrections
        if not halving_step(stage, save, restore, model, system, state, plan, work, tally):
            return done
        note_most(totals, before, velocities_before)
        tally_step(model, state, work, tally)
    return plan.steps
