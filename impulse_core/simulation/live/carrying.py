"""The state of one machine as that of another: what both have by name keeps its place and motion.

A body keeps the pose of its origin and the motion of its material points. So where its centre of
mass or its inertia changes, its momentum does.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from impulse_core.checkpoints import model_digest
from impulse_core.compile import CompiledScene
from impulse_core.geometry.rotations import conjugated, multiplied, rotated
from impulse_core.model import State
from impulse_core.observables.invariants import observe
from impulse_core.simulation.engine import Engine
from impulse_core.types import Floats

__all__ = ["angular_velocities", "carry_over", "energy_of", "put_angular_velocity"]

_COPIED = ("joints", "axes", "terms", "turns")


def carry_over(old: Engine, new: Engine) -> None:
    """Let a new engine go on from where an old one is.

    Memory of contacts goes along where the machines are built alike. What the energy changes by is
    booked as work from outside.
    """
    before, totals = energy_of(old), old.tally.totals[0].copy()
    noise, fall = (float(new.tally.totals[name][0]) for name in ("noise", "fall"))
    if _built_alike(old, new):
        new.restore(old.snapshot())
    else:
        _carry_rows(old, new)
        new.tally.totals[0] = totals
        if len(old.tally.broken) == len(new.tally.broken):
            new.tally.broken[:] = old.tally.broken
        else:
            new.tally.totals["broken"] = 0
    _carry_bodies(old, new)
    new.state.clock[:] = old.state.clock
    new.state.clock["multiplier_step"] = 0.0
    new.runner.take_up(new.state)
    if new.comparison:
        new.comparison.start()
    new.tally.totals["noise"], new.tally.totals["fall"] = noise, fall
    new.tally.totals["work"] += energy_of(new) - before
    new.events[:0] = old.events


def energy_of(engine: Engine) -> float:
    """Kinetic and potential energy of the present state [J]."""
    kinetic, potential, _, _ = observe(engine.model, engine.state, engine.work)
    return float(kinetic + potential)


def _built_alike(old: Engine, new: Engine) -> bool:
    """Whether every number that a step of one keeps means the same to the other."""
    same = ("method", "solver", "sleeping", "time_of_impact")
    if any(getattr(old.options, name) != getattr(new.options, name) for name in same):
        return False
    if _keys(old.compiled) != _keys(new.compiled):
        return False
    if any(len(a) != len(b) for a, b in zip(old.state, new.state, strict=True)):
        return False
    shapes = [engine.compiled.shapes for engine in (old, new)]
    if shapes[0] is None or shapes[1] is None:
        return shapes[0] is shapes[1]
    return model_digest(shapes[0]) == model_digest(shapes[1])


def _carry_rows(old: Engine, new: Engine) -> None:
    """Copy what joints and axes of the same name carry from step to step."""
    before, after = _keys(old.compiled), _keys(new.compiled)
    for kind in _COPIED:
        row = {key: i for i, key in enumerate(before[kind])}
        source, target = getattr(old.state, kind), getattr(new.state, kind)
        for i, key in enumerate(after[kind]):
            if key in row:
                target[i] = source[row[key]]


def _keys(compiled: CompiledScene) -> dict[str, list[Hashable]]:
    """What tells apart the rows of each array of a State."""
    model, owner = compiled.model, compiled.row_owner
    names = [*compiled.joint_names, *(f"spring {k}" for k in range(len(compiled.scene.springs)))]
    counts: dict[str, int] = {}
    joints: list[Hashable] = []
    for j in range(len(model.joints)):
        name = names[owner[j]]
        counts[name] = counts.get(name, 0) + 1
        joints.append((name, counts[name]))
    axes = [(joints[j], row) for j, row in model.axes[["joint", "row"]].tolist()]
    terms = [
        (joints[model.couplings.joint[c]], k - model.couplings.first_term[c])
        for c in range(len(model.couplings.joint))
        for k in range(model.couplings.first_term[c], model.couplings.first_term[c + 1])
    ]
    turns = [(joints[j], row) for j, row in model.counted[["joint", "row"]].tolist()]
    return {"joints": joints, "axes": [*axes], "terms": [*terms], "turns": [*turns]}


def _carry_bodies(old: Engine, new: Engine) -> None:
    """Give the dynamic bodies of the new engine the motion that those of the old have."""
    was, now = old.compiled, new.compiled
    place = {name: i for i, name in enumerate(was.body_names)}
    spin = angular_velocities(old)
    positions, orientations = was.user_poses(
        old.state.bodies["position"], old.state.bodies["orientation"]
    )
    bodies = new.state.bodies
    for i, name in enumerate(now.body_names):
        row = int(now.body_row[i])
        if row >= new.model.dynamic or name not in place:
            continue
        j = place[name]
        source = int(was.body_row[j])
        moves = source < old.model.dynamic
        if moves and _same_frame(was, now, j, i):
            bodies[row] = old.state.bodies[source]
        else:
            q = multiplied(orientations[j], conjugated(now.axes[i]))
            bodies["orientation"][row] = q / np.linalg.norm(q)
            bodies["position"][row] = positions[j] - rotated(q, now.origin[i])
            arm = bodies["position"][row] - old.state.bodies["position"][source]
            velocity = old.state.bodies["velocity"][source] + np.cross(spin[source], arm)
            bodies["velocity"][row] = velocity if moves else 0.0
        if not _same_inertia(old, new, source, row):
            put_angular_velocity(new, row, spin[source] if moves else np.zeros(3))


def _same_frame(was: CompiledScene, now: CompiledScene, j: int, i: int) -> bool:
    return bool((was.origin[j] == now.origin[i]).all() and (was.axes[j] == now.axes[i]).all())


def _same_inertia(old: Engine, new: Engine, source: int, row: int) -> bool:
    before, after = old.model.bodies[source], new.model.bodies[row]
    frames = old.state.bodies["orientation"][source] == new.state.bodies["orientation"][row]
    return bool((before["inertia"] == after["inertia"]).all() and frames.all())


def angular_velocities(engine: Engine) -> Floats:
    """Of all body rows [rad/s], world frame, shape (b, 3)."""
    state, model = engine.state, engine.model
    return spins(state, model.bodies["inverse_inertia"], model.dynamic)


def spins(state: State, inverse_inertia: Floats, dynamic: int) -> Floats:
    """The same of a state."""
    q = state.bodies["orientation"]
    w: Floats = rotated(
        q, inverse_inertia * rotated(conjugated(q), state.bodies["angular_momentum"])
    )
    w[dynamic:-1] = state.kinematic["spin"]
    return w


def put_angular_velocity(engine: Engine, row: int, w: Floats) -> None:
    """Let a dynamic body turn at w [rad/s], world frame."""
    q = engine.state.bodies["orientation"][row]
    inertia = engine.model.bodies["inertia"][row]
    engine.state.bodies["angular_momentum"][row] = rotated(q, inertia * rotated(conjugated(q), w))
