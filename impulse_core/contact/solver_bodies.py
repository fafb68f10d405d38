"""Solver bodies: bodies in the contact solver, where those that joints hold count as immovable."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from impulse_core.algebra import cross, mat3_of, set_vec3, vec3_of
from impulse_core.jit import inlined_kernel
from impulse_core.model import Model
from impulse_core.types import (
    Floats,
    Ints,
    Records,
    by_address,
    f8,
    i8,
    mat3,
    new_records,
    record,
    vec3,
)

__all__ = ["SolverBodies", "SolverBody", "SolverBodyMark", "new_solver_bodies", "push_solver_body"]


@record
class SolverBodyMark:
    """A body among those that contacts connect."""

    jointed: i8
    """1 for bodies that a joint holds."""
    articulation: i8
    """Row that stands for all bodies that joints connect with this one; the world's if nothing
    moves it."""
    stirred: i8
    """Sweep in which a solver body was last moved noticeably, -1 for the world."""
    island: i8
    """Towards the solver body that stands for all that contacts connect with this one."""
    head: i8
    """First active contact of the island that a solver body stands for, -1 if none."""
    number: i8
    """Active contacts of that island."""
    meets: f8
    """When any of them meets something, as in ContactMark."""
    articulated: i8
    """1 if the island is articulated: some of them are on jointed bodies."""
    unsolved: i8
    """1 if one of them breaks its law by more than it may."""
    contradictory: i8
    """1 where the last sweeps over that island ended without impulses that meet its linear laws."""
    spare: i8
    """How many impulses at the contacts of that island, if it is articulated, move nothing that
    others do not move."""
    too_many: i8
    """1 where that island has been found too large for Newton's method in this half step."""
    small: i8
    """1 where that island is small: it is settled by itself (step/small_islands.py)."""
    bodies: i8
    """Bodies of that island, if it is not articulated."""
    first_body: i8
    """First of them, -1 if there is none."""
    next_body: i8
    """The one after a body among those of its island, -1 at the end."""
    rounds: i8
    """In which a small island was settled."""
    astray: i8
    """Body of it that would turn too far, -1 if none does."""
    first_batch: i8
    """First of the batches that hold the contacts of that island (batches.py)."""
    batches: i8
    """Their number, 0 before they are planned, -1 where they are not worth it."""
    place: i8
    """Of a body among those of the island that is being solved for."""
    link: i8
    """First contact of a body in that island, as 2 k + side for its k-th contact."""


@record
class SolverBody:
    """Velocities and inertia of a body that no joint holds."""

    velocity: vec3
    """[m/s]."""
    angular_velocity: vec3
    """[rad/s], world frame."""
    inverse_mass: f8
    """[1/kg]; 0 for bodies that a joint holds."""
    inverse_mass_alone: f8
    """[1/kg] of the body alone, whatever holds it."""
    inverse_inertia: mat3
    """[1/(kg m²)], world frame."""
    left: f8
    """What the laws of the island that a solver body stands for were last found to lack, as way or
    velocity [m, m/s]."""
    violation: f8
    """By how much impulses that have acted break the laws of the island that a solver body stands
    for [m, m/s]."""
    worked: f8
    """Work of kinematic bodies on it in this half [J]."""
    before_sweep: vec3
    """Velocity before the last sweep [m/s]."""
    turn_before_sweep: vec3
    """The angular one [rad/s]."""
    search: vec3
    """What the direction of the sweeps so far adds to its velocity [m/s]."""
    turn_search: vec3
    """The same of the angular one [rad/s]."""


@by_address
class SolverBodies(NamedTuple):
    """Bodies that impulses at contacts move, a row for each of b bodies, the world last, and the
    islands that contacts make of them.
    """

    mark: Records
    """SolverBodyMark, shape (b,)."""
    row: Records
    """SolverBody, shape (b,)."""
    small: Ints
    """Bodies that stand for small islands, shape (b,)."""
    counted: Ints
    """How many those are, and active contacts of all other islands; shape (2,)."""
    worst: Floats
    """Largest violation that small islands leave [m, m/s], shape (1,)."""


def new_solver_bodies(model: Model) -> SolverBodies:
    """For the bodies and joints of a model."""
    bodies = len(model.bodies)
    mark, row = new_records(SolverBodyMark, bodies), new_records(SolverBody, bodies)
    mark["jointed"][model.joints["body1"]] = 1
    mark["jointed"][model.joints["body2"]] = 1
    mark["jointed"][model.dynamic :] = 0
    mark["articulation"] = _articulations(model)
    row["inverse_mass_alone"] = model.bodies["inverse_mass"]
    row["inverse_mass"] = np.where(mark["jointed"] == 1, 0.0, model.bodies["inverse_mass"])
    return SolverBodies(
        mark=mark,
        row=row,
        small=np.zeros(bodies, dtype=np.int64),
        counted=np.zeros(2, dtype=np.int64),
        worst=np.zeros(1),
    )


def _articulations(model: Model) -> Ints:
    """Row that stands for all bodies that joints connect with each body; the world's if nothing
    moves it.
    """
    world = len(model.bodies) - 1
    articulation = np.arange(len(model.bodies))
    articulation[model.dynamic :] = world
    inner = [
        pair
        for pair in zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True)
        if max(pair) < model.dynamic
    ] + _coupled(model)
    if inner:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ends = np.array(inner).T
        size = (model.dynamic, model.dynamic)
        graph = coo_array((np.ones(len(inner)), (ends[0], ends[1])), shape=size)
        _, label = connected_components(graph, directed=False)
        _, first = np.unique(label, return_index=True)
        articulation[: model.dynamic] = first[label]
    return articulation.astype(np.int64)


def _coupled(model: Model) -> list[tuple[int, int]]:
    """Pairs of bodies that couplings connect."""
    couplings, pairs = model.couplings, list[tuple[int, int]]()
    for c in range(len(couplings.joint)):
        joints = couplings.terms["joint"][couplings.first_term[c] : couplings.first_term[c + 1]]
        ends = [model.joints[body][joints] for body in ("body1", "body2")]
        bodies = [i for i in np.concatenate(ends).tolist() if i < model.dynamic]
        pairs += list(pairwise(bodies))
    return pairs


@inlined_kernel
def push_solver_body(body, p, arm):  # type: ignore[no-untyped-def]
    """Apply the impulse p to a SolverBody at ``arm`` from its centre."""
    set_vec3(body.velocity, vec3_of(body.velocity) + p * body.inverse_mass)
    set_vec3(
        body.angular_velocity,
        vec3_of(body.angular_velocity) + mat3_of(body.inverse_inertia) @ cross(arm, p),
    )
