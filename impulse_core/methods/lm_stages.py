"""Coefficients and scratch of the multiplier methods: states as vectors, and their rates.

What is integrated beside the bodies are the coordinates of free axes, by their rates, the errors
that servos integrate, and the coordinates of the terms of couplings. Angles that are read from
poses are thereby known to the full turn within a step, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import normalized, quat_of, set_quat
from impulse_core.jit import inner_kernel
from impulse_core.joints.table import VELOCITY_MOTOR
from impulse_core.model import AxisState, BodyState, Model, State, Structure, TermState, copy_state
from impulse_core.types import Floats, Ints, Records, by_address, new_records

LOADS, MOTORS, DAMPERS = range(3)

__all__ = [
    "DAMPERS",
    "LOADS",
    "MOTORS",
    "Packed",
    "Stages",
    "Steps",
    "begin_step",
    "combine",
    "copy_motion",
    "new_stages",
    "take_coordinates",
]


class Steps(NamedTuple):
    """The steps of one call."""

    length: float
    """[s]."""
    total: int
    """Their number; with none the forces along the axes are found, as a step would begin."""
    grid: int
    """Number of the first on the grid k · length, negative where the time of the state is right."""


@by_address
class Packed(NamedTuple):
    """Records of the state as one vector of numbers, and their rates.

    n numbers of m records; rates are held by records of the same kind.
    """

    start: Floats
    """At the start of the step, shape (n,)."""
    slope: Floats
    """Rates of all stages, shape (s, n)."""
    slopes: Records
    """The same as records, shape (s, m)."""
    present: Floats
    """Those of the present stage, as ``Stages.stage`` holds them, shape (n,)."""


@by_address
class Stages(NamedTuple):
    """Coefficients and scratch of an explicit Runge-Kutta step of s stages."""

    a: Floats
    """Coefficients, shape (s, s), strictly lower triangular."""
    b: Floats
    """Weights, shape (s,)."""
    nodes: Floats
    """Times of the stages as fractions of the step, shape (s,)."""
    pull: float
    """Baumgarte's α = β [1/s], or 0."""
    corrects: Ints
    """1 where velocities and where poses are corrected after each step, shape (2,)."""
    tolerance: float
    """Largest joint error after a correction of poses [m]."""
    along: int | None
    """1 where anything acts along free axes, None elsewhere: kernels are then compiled without."""
    driven: int
    """1 if any of that is a velocity motor."""
    held: Structure
    """The structure with pivot floors of its own, for ``hold_rows``."""
    fresh: Ints
    """1 until it is known which rows repeat others (``hold_rows``), shape (1,)."""
    bounded: Ints
    """Axis whose motor was last at its largest force in this step, -1 if none was, shape (1,)."""
    bodies: Packed
    """Poses and momenta of the bodies."""
    axes: Packed
    """Coordinates and integrals of the free axes."""
    terms: Packed
    """Coordinates of the terms of couplings."""
    work: Floats
    """Work of loads, of motors, and what dampers dissipate in the step so far [J], shape (3,)."""
    stage: State
    """The state of the present stage."""
    rate: State
    """The poses of ``stage`` with accelerations and torques in place of velocities and momenta."""


def new_stages(
    tableau: tuple[Floats, Floats, Floats],
    model: Model,
    state: State,
    structure: Structure,
    *,
    pull: float,
    corrects: Ints,
    tolerance: float,
) -> Stages:
    """Scratch for a state; which loads act and which rows are loose stays that of the state."""
    a, b, nodes = tableau
    stage = copy_state(state)._replace(loads=state.loads, joints=state.joints)
    return Stages(
        a=a,
        b=b,
        nodes=nodes,
        pull=pull,
        corrects=corrects,
        tolerance=tolerance,
        along=1 if len(model.axes) else None,
        driven=int((model.axes["motor_kind"] == VELOCITY_MOTOR).any()),
        held=structure._replace(pivot_floor=structure.pivot_floor.copy()),
        fresh=np.ones(1, dtype=np.int64),
        bounded=np.full(1, -1, dtype=np.int64),
        bodies=_packed(BodyState, stage.bodies, len(b)),
        axes=_packed(AxisState, stage.axes, len(b)),
        terms=_packed(TermState, stage.terms, len(b)),
        work=np.zeros(3),
        stage=stage,
        rate=stage._replace(bodies=stage.bodies.copy()),
    )


def _packed(kind: type, records: Records, stages: int) -> Packed:
    present = records.view(float)
    slopes = new_records(kind, stages * len(records)).reshape(stages, len(records))
    slope = slopes.view(float)
    return Packed(start=present.copy(), slope=slope, slopes=slopes, present=present)


@inner_kernel
def begin_step(along, coupled, stages):
    """The stage, as it is, is the start of the step."""
    _begin(stages.bodies)
    if along is not None:
        _begin(stages.axes)
    if coupled is not None:
        _begin(stages.terms)


@inner_kernel
def _begin(packed):
    start, present = packed.start, packed.present
    for i in range(len(present)):
        start[i] = present[i]


@inner_kernel
def combine(model, along, coupled, stages, coefficients, count, h):
    """The state start + h Σ coefficients · rates over the first ``count`` stages, into stage."""
    _combine(stages.bodies, coefficients, count, h)
    bodies = stages.stage.bodies
    for i in range(model.dynamic):
        set_quat(bodies[i].orientation, normalized(quat_of(bodies[i].orientation)))
    if along is not None:
        _combine(stages.axes, coefficients, count, h)
    if coupled is not None:
        _combine(stages.terms, coefficients, count, h)


@inner_kernel
def _combine(packed, coefficients, count, h):
    start, present, slope = packed.start, packed.present, packed.slope
    for i in range(len(present)):
        present[i] = start[i]
    for s in range(count):
        factor = h * coefficients[s]
        if factor != 0.0:
            for i in range(len(present)):
                present[i] += factor * slope[s, i]


@inner_kernel
def copy_motion(along, coupled, source, target):
    """Copy poses, velocities and momenta, and what is integrated beside them."""
    for i in range(len(source.bodies)):
        target.bodies[i] = source.bodies[i]
    if along is not None:
        for k in range(len(source.axes)):
            target.axes[k] = source.axes[k]
    if coupled is not None:
        for k in range(len(source.terms)):
            target.terms[k] = source.terms[k]


@inner_kernel
def take_coordinates(stage, work):
    """Coordinates of the terms of couplings at the last look at their errors."""
    for k in range(len(stage.terms)):
        stage.terms[k].position = work.terms[k].next
