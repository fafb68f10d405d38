"""The kernel that Python calls to take steps with the direct solver."""

from __future__ import annotations

from typing import Any, NamedTuple

from impulse_core.collision.again import look_again
from impulse_core.collision.detect import Search, detect
from impulse_core.contact.apart import Apart
from impulse_core.contact.gauss_seidel import solve_contacts
from impulse_core.contact.newton import solve_island
from impulse_core.contact.system import ContactSetup
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.jit.deferred import Calls
from impulse_core.model import Structure
from impulse_core.model.copies import copy_into
from impulse_core.step.dividing import take_steps
from impulse_core.step.fitting import resume
from impulse_core.step.jump import jump
from impulse_core.step.limited import limited_stage
from impulse_core.step.parts import take_groups
from impulse_core.step.positions import solve_positions
from impulse_core.step.small_islands import settle
from impulse_core.step.step import Part, impulse_step, second_half
from impulse_core.step.touching import contact_stage, restore_memory
from impulse_core.step.velocities import solve_velocities
from impulse_core.types import by_address

__all__ = ["System", "calls_of_step", "run_steps", "save"]


@by_address
class System(NamedTuple):
    """Data of the direct solver beside the workspace."""

    structure: Structure
    axes: int | None
    """1 where anything acts along free axes, or bodies can touch; None elsewhere."""
    limits: int | None
    """1 where steps are divided where axes reach limits; None elsewhere, and with contacts."""
    contact: ContactSetup | None
    """Data of contacts where bodies can touch; None elsewhere."""
    apart: Apart | None
    """Room in which small groups go through a step with impacts; None where steps are not divided
    for these."""


@kernel
def run_steps(model, system, state, plan, work, tally):
    """Take the steps of a plan; returns how many were completed."""
    if work.fits[0] != 1.0:
        resume(model, system.structure, state, work)
    work.fits[0] = 1.0
    return take_steps(_stage, save, _restore, model, system, state, plan, work, tally)


def calls_of_step(model, system, state, work, tally) -> Calls:
    """The large deferred kernels that every step of this machine calls, each with arguments of the
    types with which it does, so that they can be compiled beside ``run_steps``. The first are those
    that a step needs last.
    """
    structure, axes, contact = system.structure, system.axes, system.contact
    whole, part = (model, structure, axes, contact, state), Part(1.0, 1.0, 1.0, True, False)
    calls: list[tuple[Any, tuple[Any, ...]]] = [(second_half, (*whole, part, 1.0, work, tally))]
    if axes is not None:
        velocities = model, structure, contact, state, 1.0, 1.0, 1.0, work, tally
        calls.append((solve_velocities, velocities))
    if system.limits is not None or (contact is not None and contact.time_of_impact):
        ends = model, structure, contact, state, 1.0, True, 1.0, work, tally
        calls.append((jump, ends))
    if system.apart is not None:
        calls.append((take_groups, (model, contact, system.apart, state, 1.0, 1.0, work, tally)))
    calls.append((solve_positions, (*whole, 1.0, 1.0, work, tally)))
    if contact is not None:
        islands = contact.contacts, contact.solver_bodies, contact.delassus, contact.own.newton
        search = Search(*(getattr(contact, name) for name in Search._fields))
        calls.append((solve_island, (*islands, 1, 1.0, 1.0, False)))
        if not contact.solver_bodies.mark["jointed"][: model.dynamic].all():
            calls.append((settle, (contact, model, state, True, 1.0, False, work)))
        calls.append(
            (solve_contacts, (*islands, contact.batches, contact.team, 1.0, 1.0, 1.0, False))
        )
        still = contact.sleep.still
        again = model, search, state, work.part, work.next, still, 1.0, 1.0
        calls.append((look_again, again))
        calls.append((detect, (model, search, state, still, 1.0, 1.0)))
    return calls


@inlined_kernel
def _stage(model, system, state, h, tolerance, work, tally):
    """One stage: COMPLETED, or why not."""
    return _either_stage(
        model,
        system.structure,
        system.axes,
        system.limits,
        system.contact,
        system.apart,
        state,
        h,
        tolerance,
        work,
        tally,
    )


@inner_kernel
def _either_stage(model, structure, axes, limits, contact, apart, state, h, tolerance, work, tally):
    if limits is not None:
        return limited_stage(model, structure, axes, state, h, tolerance, work, tally)
    if contact is None:
        return impulse_step(model, structure, axes, contact, state, h, tolerance, work, tally)
    return contact_stage(model, structure, contact, apart, state, h, tolerance, work, tally)


@inner_kernel
def save(state, work):
    """Keep a copy of the state."""
    copy_into(state, work.saved)


@inlined_kernel
def _restore(model, system, state, work):
    """Restore the saved state; the memory of contacts changes at the end of a step only, or of the
    parts into which impacts divide it.
    """
    restore_memory(system.contact)
    copy_into(work.saved, state)
    resume(model, system.structure, state, work)
