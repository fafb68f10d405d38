"""Joints that break under too large a reaction, and the model that is left without them."""

from __future__ import annotations

import math

import numpy as np

from impulse_core.algebra import norm, vec3_of
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.coordinates import rotor_energy
from impulse_core.joints.table import COUPLING, NO_MOTOR, NO_PART
from impulse_core.model import Model, State

__all__ = ["break_joints", "can_break", "without_broken"]


def can_break(model: Model) -> bool:
    """Whether any joint breaks under some load."""
    return bool(
        any(np.isfinite(model.joints[key]).any() for key in ("break_force", "break_torque"))
    )


def without_broken(model: Model, state: State) -> Model:
    """The model without the joints that are broken in a state: they have no rows left, and nothing
    acts along their axes. The model itself if none is.
    """
    broken = state.joints["broken"] == 1
    if not broken.any():
        return model
    joints, axes = model.joints.copy(), model.axes.copy()
    gone = broken & (joints["translation_part"] != COUPLING)
    joints["translation_part"][gone] = joints["rotation_part"][gone] = NO_PART
    free = broken[axes["joint"]]
    for key in ("stiffness", "damping", "friction", "armature"):
        axes[key][free] = 0.0
    axes["lower"][free], axes["upper"][free], axes["speed"][free] = -np.inf, np.inf, np.inf
    axes["motor_kind"][free] = NO_MOTOR
    couplings = model.couplings
    released = broken[couplings.joint]
    terms = couplings.terms.copy()
    terms["coefficient"][np.repeat(released, np.diff(couplings.first_term))] = 0.0
    constant = np.where(released, 0.0, couplings.constant)
    couplings = couplings._replace(terms=terms, constant=constant)
    return model._replace(joints=joints, axes=axes, couplings=couplings)


@kernel
def break_joints(model, state, work, tally):
    """Mark joints as broken that carry more than they can; returns whether any is.

    Needs the reactions and angular velocities in work. What is left is the model that
    ``without_broken`` makes.
    """
    any_broken = False
    for j in range(len(model.joints)):
        joint = model.joints[j]
        unbreakable = joint.break_force == math.inf and joint.break_torque == math.inf
        if unbreakable or state.joints[j].broken:
            continue
        F, T = vec3_of(work.reactions[j].force), vec3_of(work.reactions[j].torque)
        if norm(F) > joint.break_force or norm(T) > joint.break_torque:
            _mark(model, state, j)
            _lose_elements(model, state, j, work, tally)
            note = tally.broken[tally.totals[0].broken]
            note.joint, note.time = j, state.clock[0].time
            note.force, note.torque = norm(F), norm(T)
            tally.totals[0].broken += 1
            any_broken = True
    return any_broken


@inner_kernel
def _mark(model, state, j):
    """Mark joint j, its parts and the couplings of its coordinates as broken."""
    state.joints[j].broken = 1
    for row in range(6):
        state.joints[j].multiplier[row] = 0.0
    for part in range(len(model.joints)):
        if model.joints[part].owner == j and part != j:
            state.joints[part].broken = 1
            for row in range(6):
                state.joints[part].multiplier[row] = 0.0
    for c in range(len(model.couplings.joint)):
        for k in range(model.couplings.first_term[c], model.couplings.first_term[c + 1]):
            if model.couplings.terms[k].joint == j:
                state.joints[model.couplings.joint[c]].broken = 1


@inner_kernel
def _lose_elements(model, state, j, work, tally):
    """What the springs and rotors of joint j hold is lost."""
    for k in range(len(model.axes)):
        if model.joints[model.axes[k].joint].owner == j:
            stretch = state.axes[k].position - model.axes[k].rest
            tally.totals[0].dissipated += 0.5 * model.axes[k].stiffness * stretch * stretch
            tally.totals[0].dissipated += rotor_energy(model, k, state, work)
            state.axes[k].compliance = 1.0
