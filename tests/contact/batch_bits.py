"""Prints what sweeps over batches of random contacts lead to, bit by bit, and how many packed
instructions they take: run by test_batches.py for several processors.
"""

from __future__ import annotations

import hashlib
import re

import numpy as np

from impulse_core.contact.batch_sweeps import _go_on, _sweep
from impulse_core.contact.batches import (
    ARM1,
    FLOOR,
    FRICTION,
    GIVE_ACROSS,
    IMPULSE,
    INERTIA_NUMBERS,
    LANES,
    NORMAL,
    POINT_NUMBERS,
    Batches,
    new_batches,
)
from impulse_core.contact.solver_bodies import SolverBodies, SolverBody, SolverBodyMark
from impulse_core.jit import kernel
from impulse_core.jit.team import new_team
from impulse_core.types import PLAIN, new_records

BATCHES, POINTS, BODIES, SWEEPS, MOMENTUM = 6, 3, 96, 5, 0.3


@kernel
def improve(bodies, batches, team, sweeps, beta):  # type: ignore[no-untyped-def]
    """So many sweeps with momentum."""
    for _ in range(sweeps):
        _sweep(bodies, batches, team, 0, beta)
        _go_on(batches, team, beta)


def random_batches(seed: int) -> Batches:
    """Contacts of any direction, arm, friction and mass; no lane shares a body with another."""
    random = np.random.default_rng(seed)
    batches = new_batches(BATCHES * POINTS * LANES, BODIES, 1)
    batches.bounds[0] = 0, BATCHES
    batches.slot[: LANES * BATCHES] = np.arange(LANES * BATCHES)
    batches.start[: BATCHES + 1] = POINTS * np.arange(BATCHES + 1)
    for k in range(BATCHES):
        lanes = random.permutation(BODIES)[: 2 * LANES]
        batches.body[2 * LANES * k : 2 * LANES * (k + 1)] = lanes
    inertia = batches.inertia.reshape(-1, INERTIA_NUMBERS, LANES)[:BATCHES]
    inertia[:] = random.uniform(0.1, 0.3, inertia.shape)
    inertia[:, [1, 2, 3, 8, 9, 10]] += 2.0  # positive definite
    point = batches.point.reshape(-1, POINT_NUMBERS, LANES)[: BATCHES * POINTS]
    point[:] = random.normal(size=point.shape)
    point[:, NORMAL:ARM1] /= np.linalg.norm(point[:, NORMAL:ARM1], axis=1, keepdims=True)
    point[:, IMPULSE - 3 : IMPULSE] *= 3.0  # velocities by no impulse
    point[:, GIVE_ACROSS - 1 : GIVE_ACROSS + 1] = random.uniform(0.05, 0.1, point[:, 18:20].shape)
    point[:, FRICTION] = random.uniform(0.0, 1.0, point[:, FRICTION].shape)
    point[:, FLOOR] = np.maximum(random.normal(size=point[:, FLOOR].shape), 0.0)
    return batches


def island() -> SolverBodies:
    """Of all batches."""
    mark = new_records(SolverBodyMark, 1)
    mark["batches"] = BATCHES
    none = np.zeros(1, dtype=np.int64)
    return SolverBodies(
        mark, new_records(SolverBody, 1), none, np.zeros(2, none.dtype), np.zeros(1)
    )


def packed_instructions() -> int:
    """Multiplications of several numbers at once in the compiled sweeps."""
    code = "".join(improve.dispatcher.inspect_asm().values())
    return len(re.findall(r"\bv?mulps\b|\bfmul\.4s\b", code))


if __name__ == "__main__":
    digest = hashlib.sha256()
    for seed in range(4):
        found = random_batches(seed)
        improve(island(), found, new_team(1), SWEEPS, MOMENTUM)
        digest.update(found.point.tobytes() + found.velocity.tobytes() + found.change.tobytes())
    print(digest.hexdigest(), 0 if PLAIN else packed_instructions())
