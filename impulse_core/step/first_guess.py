"""With what impulses the first half of a stage begins: those of the last stage, or none.

A stage in which something is hit has impulses like no other. What begins with them may turn light
bodies by many turns and open joints by any length, and no correction leads back from there: where a
guess does that, the half begins with no impulses. Not so in loops: where joints contradict each
other impulses grow by themselves, and a half from none finds an absurd solution.
"""

from __future__ import annotations

from impulse_core.algebra import set_vec3, vec3_of
from impulse_core.contact.guesses import begin_anew
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import apply_impulses
from impulse_core.solver.direct import prepare

__all__ = ["begin_again", "begin_guessed", "begin_with", "keep_start", "take_back"]


@inner_kernel
def keep_start(model, state, work):
    """Keep the velocities with which a first half begins."""
    for i in range(len(model.bodies)):
        set_vec3(work.stage[i].velocity, vec3_of(state.bodies[i].velocity))
        set_vec3(work.stage[i].angular_momentum, vec3_of(state.bodies[i].angular_momentum))


@inner_kernel
def take_back(model, contact, state, work):
    """Take back what was tried."""
    for i in range(len(model.bodies)):
        set_vec3(state.bodies[i].velocity, vec3_of(work.stage[i].velocity))
        set_vec3(state.bodies[i].angular_momentum, vec3_of(work.stage[i].angular_momentum))
    work.kinematic_work[0] = 0.0
    if contact is not None:
        begin_anew(contact.contacts, 1.0)


@inner_kernel
def begin_again(model, structure, contact, state, regularisation, work):
    """Take back what was tried, and factorise with this part of diag(A) added to it."""
    take_back(model, contact, state, work)
    work.regularisation[0] = regularisation
    prepare(model, structure, state, work)


@inner_kernel
def begin_guessed(model, contact, state, h, guessed, work):
    """Begin with the impulses of joints and axes in the second half of the last stage, scaled to
    the length of this one, and those of contacts; with none unless they are ``guessed``.
    """
    if not guessed:
        if contact is not None:
            begin_anew(contact.contacts, 0.0)
        begin_with(model, state, state.joints.multiplier, 0.0, work)
    elif contact is None:
        last = state.clock[0].multiplier_step
        begin_with(model, state, state.joints.multiplier, h / last if last != 0.0 else 0.0, work)
    else:
        last = contact.memory.step[0]
        begin_with(model, state, contact.memory.multiplier, h / last if last > 0.0 else 0.0, work)


@inner_kernel
def begin_with(model, state, multiplier, scale, work):
    """Apply scale times these impulses of joints (m, 6), and say so of the axes among them."""
    for j in range(len(model.joints)):
        begun = 0.0 if work.resting[j] else scale
        for row in range(6):
            work.impulse[j, row] = begun * multiplier[j, row]
    apply_impulses(model, work.impulse, state, work)
    for k in range(len(model.axes)):
        work.axes[k].impulse = work.impulse[model.axes[k].joint, model.axes[k].row]
        work.axes[k].begun = work.axes[k].impulse
