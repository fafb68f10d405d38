"""Couplings that lock the joints they couple: found by how much a push along an axis moves it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from impulse_core.compile import CompiledScene, Problem
from impulse_core.compile.problems import BAD_JOINT, problem_at
from impulse_core.jit import kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    relative_velocities,
)
from impulse_core.joints.coupling import push_term, term_rate
from impulse_core.model import Model, State, Structure, Workspace, copy_state, new_workspace
from impulse_core.model.copies import halt
from impulse_core.solver.direct import prepare, solve
from impulse_core.types import Floats

__all__ = ["overconstraint_problem"]

_LOCKED = 1e-9  # of the velocity that the same push gives the bodies without any joint
_SOFT = 1e30  # compliance that takes a coupling out
_SOLVES = 3  # what one leaves is round-off of the first


def overconstraint_problem(
    compiled: CompiledScene, structure: Structure, state: State
) -> Problem | None:
    """The problem of the couplings that lock what they couple; None if nothing is locked."""
    couplings = compiled.model.couplings
    held_still = _locked_terms(compiled.model, structure, state)
    _let_fine_threads_turn(compiled, held_still)
    locked = np.flatnonzero(held_still)
    if len(locked) == 0:
        return None
    owners = np.searchsorted(couplings.first_term, locked, side="right") - 1
    guilty = sorted(set(compiled.row_owner[couplings.joint[owners]].tolist()))
    held = sorted(set(couplings.terms["joint"][locked].tolist()))
    return problem_at(
        compiled.scene,
        ("joints", guilty[-1]),
        BAD_JOINT,
        f"{_culprits(compiled, guilty)} {'holds' if len(guilty) == 1 else 'together hold'}"
        f" {_names(compiled, held, 'joint')} still: no other value satisfies all of them",
        "Correct the sign of a coefficient or pitch, or leave one of them out",
    )


def _let_fine_threads_turn(compiled: CompiledScene, held: NDArray[np.bool_]) -> None:
    """A screw that moves in one of its coordinates is none that is held, however small its pitch
    makes what the other does.
    """
    couplings = compiled.model.couplings
    for row, (start, end) in zip(couplings.joint, pairwise(couplings.first_term), strict=True):
        if compiled.row_owner[row] != row and not held[start:end].all():
            held[start:end] = False


def _culprits(compiled: CompiledScene, joints: list[int]) -> str:
    """Couplings, and screws, which are couplings too, by their names."""
    kinds: dict[str, list[int]] = {}
    for j in joints:
        kinds.setdefault(compiled.scene.joints[j].type, []).append(j)
    return " and ".join(_names(compiled, members, kind) for kind, members in kinds.items())


def _names(compiled: CompiledScene, joints: list[int], kind: str) -> str:
    quoted = ", ".join(f"'{compiled.joint_names[j]}'" for j in joints)
    return f"{kind} {quoted}" if len(joints) == 1 else f"{kind}s {quoted}"


def _locked_terms(model: Model, structure: Structure, state: State) -> NDArray[np.bool_]:
    """For each term whether the couplings hold still what the other joints let move, shape (t,)."""
    work = new_workspace(model, structure, state)
    still = _mobilities(model, structure, state, work) < _LOCKED
    couplings = model.couplings.joint
    work.compliance[couplings, 0] = _SOFT * structure.joints["row_scale"][couplings, 0]
    still_without = _mobilities(model, structure, state, work) < _LOCKED
    held: NDArray[np.bool_] = still & ~still_without
    return held


def _mobilities(model: Model, structure: Structure, state: State, work: Workspace) -> Floats:
    mobility = np.empty(len(model.couplings.terms))
    _push_each(model, structure, copy_state(state), work, mobility)
    return mobility


@kernel
def _push_each(model, structure, state, work, mobility):
    """Velocity along each term after a unit push, relative to that without joints, shape (t,)."""
    prepare(model, structure, state, work)
    for k in range(len(mobility)):
        halt(state.bodies)
        push_term(model, k, 1.0, state, work)
        for i in range(model.dynamic, len(model.bodies)):
            for axis in range(3):
                state.bodies[i].angular_momentum[axis] = 0.0
        angular_velocities(model, state, work)
        alone = term_rate(model, k, state, work)
        for _ in range(_SOLVES):
            relative_velocities(model, state, work, work.error)
            solve(structure, work.error, -1.0, work)
            apply_impulses(model, work.impulse, state, work)
            angular_velocities(model, state, work)
        mobility[k] = term_rate(model, k, state, work) / alone
