"""Limits of the accuracy by the joint tolerance, measured by kinetic energies, and what contacts
may leave.

A correction λ with A λ = b = -d/h gives bodies at rest the kinetic energy ½ λ·b. Were the worst
row the only one, that would be

    ½ (e/h)² / a,   e: its error [m], a: its diagonal entry of A            (docs/algorithm.md, 63)

and the ratio of both says how much other joints resist: a few in a chain, thousands in a loop of
thin rods. Where rows of joints nearly repeat each other it is beyond 10⁵: bodies are moved by
hundreds of times the error that is corrected. The same ratio times the energy of an *accepted*
error is what a stage with a finer tolerance would have corrected.
"""

from __future__ import annotations

import math

from impulse_core.contact.islands import is_large
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.joints.table import NO_PART
from impulse_core.step.dividing import FINEST_PART

_WORTH_HALVES = (
    3.0  # times what a stage may leave, in large islands: halves take longer than that helps
)
_FAR_MORE = 100.0  # times what a stage may leave, for which it is divided further
_FINER = 0.0625  # of the finest stage, down to which that is done
_NEARLY_REPEATED = 1e5  # ratio from which on rows count as such
_MOST_GROWTH = 10.0  # of the ratio, that counts

__all__ = [
    "accuracy_of_ways",
    "large_leave_too_much",
    "leaves_too_much",
    "misses",
    "note_correction",
    "note_left_open",
]


@inner_kernel
def _correction_energy(model, scale, work):
    """½ λ·b [J] of the correction λ in work.impulse with A λ = b = scale · error, and the joint
    with the largest part of it.
    """
    total, most, joint = 0.0, 0.0, 0
    for j in range(len(model.joints)):
        part = 0.0
        for row in range(6):
            if work.compliance[j, row] == 0.0:  # a constraint, or an axis held at a value
                part += work.error[j, row] * work.impulse[j, row]
        part *= 0.5 * scale
        total += part
        if part > most:
            most, joint = part, j
    return total, joint


@inner_kernel
def _alone(model, structure, joint, error, h):
    """Kinetic energy of the correction of an error [m] if no other joint resisted it [J]."""
    scale = structure.joints[joint].row_scale[0]
    if model.joints[joint].translation_part == NO_PART:
        weight = model.joints[joint].body_length
        scale = structure.joints[joint].row_scale[3] * weight * weight
    return 0.5 * (error / h) ** 2 / scale


@inner_kernel
def note_correction(model, structure, h, error, joint, work, tally):
    """Take note of the first correction of a stage, in work.impulse: of the largest error [m],
    which is that of a joint and not of a law along an axis, and its joint, and of its energy and
    the joint that has most of it. Only where joints close loops rows may nearly repeat others.
    """
    energy, owner = _correction_energy(model, -1.0 / h, work)
    amplification = abs(energy) / _alone(model, structure, joint, error, h)
    recent = max(1.0, tally.totals[0].amplification)
    # one that is out of the ordinary says little about those that follow
    usual = math.sqrt(recent * min(amplification, _MOST_GROWTH * recent))
    tally.totals[0].amplification = usual if usual >= 1.0 else 1.0
    repeats = structure.has_loops and amplification > _NEARLY_REPEATED
    if repeats and energy > tally.totals[0].kick:
        tally.totals[0].kick = energy
        tally.totals[0].kick_joint = owner


@inner_kernel
def note_left_open(model, structure, h, tally):
    """Take note of the largest error that the first half of a part leaves, and of its joint, by
    what its correction in a stage of length h would be.

    That of the whole stage counts: the part itself may be very short, but a stage, or nearly all
    of one, comes after it.
    """
    error, joint = tally.failure[0].error, tally.failure[0].joint
    amplification = max(1.0, tally.totals[0].amplification)
    energy = amplification * _alone(model, structure, joint, error, h)
    tally.totals[0].left += energy
    if energy > tally.totals[0].most_left:
        tally.totals[0].most_left = energy
        tally.totals[0].left_error = error
        tally.totals[0].left_joint = joint


@inlined_kernel
def accuracy_of_ways(contact, h):
    """Violation [m] to which contacts are solved in a part of length h: that of a step, over which
    it would be the same velocity. Short of the finest part round-off of the gaps is near.
    """
    return max(contact.fine * h, contact.accuracy / FINEST_PART)


@inner_kernel
def leaves_too_much(contact, violation, h, unit):
    """Whether rounds of contacts leave a violation [m] for which a stage of length h is divided:
    impacts that are not quite solved for close less of a gap in a shorter one. What is no number is
    always too much. ``unit``: by which those of islands are ways, 1 or the length of the stage [s].
    """
    if contact is None:
        return False
    may_divide = violation > contact.most_left and h > contact.finest
    for large in (False, True):
        if may_divide and _are_worth_halves(contact, unit, large):
            return True
    return misses(contact, violation, h)


@inner_kernel
def large_leave_too_much(contact, violation, h):
    """Whether rounds leave large islands ways [m] for which a stage of length h is divided."""
    may_divide = violation > contact.most_left and h > contact.finest
    return may_divide and _are_worth_halves(contact, 1.0, True)


@inner_kernel
def _are_worth_halves(contact, unit, large):
    """Whether any of the large islands, or of the others, is left with more than it may keep. That
    is more in a large one: halves of a stage take two to three times as long there, to leave half.
    """
    row, mark = contact.solver_bodies.row, contact.solver_bodies.mark
    most = _WORTH_HALVES * contact.most_left if large else contact.most_left
    for i in range(len(mark) - 1):
        asked = mark[i].head >= 0 and is_large(mark, i) == large
        if asked and not (row[i].violation * unit <= most):
            return True
    return False


@inner_kernel
def misses(contact, violation, h):
    """Whether a violation [m] is far more than that: no impact that is not quite solved for, but
    one that is missed, as where a rim slaps down. It is divided for further.
    """
    if contact is None:
        return False
    far_more = violation > _FAR_MORE * contact.most_left and h > _FINER * contact.finest
    return far_more or violation >= 1e300
