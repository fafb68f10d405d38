"""Work and mean forces of loads and force elements in a half of a stage."""

from __future__ import annotations

from impulse_core.forces.axes import read_axes
from impulse_core.forces.force_elements import element_work
from impulse_core.forces.loads import load_power
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import relative_velocities

__all__ = [
    "add_element_work",
    "add_forces",
    "add_load_work",
    "add_work_over_stage",
    "note_load_power",
    "read_rates",
]


@inner_kernel
def read_rates(model, state, rates, work):
    """Velocities along the axes into rates (a,), with the angular velocities in work."""
    relative_velocities(model, state, work, work.error)
    read_axes(model, work.error, rates)


@inner_kernel
def note_load_power(model, state, work):
    """Save the power of the loads before they act; needs the angular velocities."""
    if len(model.loads):
        work.load_power[0] = load_power(model, state, work)


@inner_kernel
def add_load_work(model, state, h, work, tally):
    """Work of the loads in one half of a stage of length h; needs the angular velocities.

    A load acts for h/2 and does the work of the mean power before and after, as the elements do of
    theirs: what loads and elements do is the change of the energy, whatever jumps in between.
    """
    if len(model.loads):
        power = work.load_power[0] + load_power(model, state, work)
        tally.totals[0].work += 0.25 * h * power


@inner_kernel
def add_work_over_stage(model, state, h, work, tally):
    """Work of the loads over a stage of bare joints, by their power at both ends: a symmetric
    quadrature of second order, so that a composition raises its order as well.
    """
    if len(model.loads):
        power = work.load_power[0] + load_power(model, state, work)
        tally.totals[0].work += 0.5 * h * power


@inner_kernel
def add_element_work(model, h, before, at, work, tally):
    """Work along the axes in one half of a stage, whose final rates are in work.axes.after: that
    of the motors apart from what friction, dampers and limits dissipate.
    """
    motors, dissipated = element_work(model, h, before, work.axes.after, at, work)
    tally.totals[0].motor_work += motors
    tally.totals[0].dissipated += dissipated


@inner_kernel
def add_forces(model, state, first, h, work):
    """Add the impulses of a half to the mean forces over a stage of length h, which begin anew
    with the first half; those of rotors resist, and drive nothing.
    """
    for k in range(len(model.axes)):
        if work.resting[model.axes[k].joint]:
            continue
        before = 0.0 if first else state.axes[k].force
        driving = work.axes[k].impulse - work.axes[k].rotor_impulse
        state.axes[k].force = before + driving / h
