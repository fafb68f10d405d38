"""Contacts that slide so that friction presses the bodies apart, in batches.

The normal impulse by which u_n = 0 for a given tangential one lets that grow, which opens the
contact; the next one is too small. Steps to and fro of this kind grow where μ times the part of
W n across n is more than w_n.
"""

from __future__ import annotations

import numpy as np
import pytest

from impulse_core.contact.batches import (
    IMPULSE,
    LANES,
    MOST_POINTS,
    POINT_NUMBERS,
    PULL,
    new_batches,
)
from impulse_core.jit.team import new_team
from tests.contact.batch_bits import improve, island

SWEEPS, MOMENTUM = 60, 0.7  # the most of both that there are
NEAR = 64 * 2.0**-24  # relative: roundings of single precision


def blocks(inertia: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """W = 1 - [r]× J⁻¹ [r]× of bodies of one kilogram, shape (b, 3, 3)."""
    cross = np.zeros((len(arm), 3, 3))
    for row, column, axis, sign in ((0, 1, 2, -1), (0, 2, 1, 1), (1, 2, 0, -1)):
        cross[:, row, column] = sign * arm[:, axis]
        cross[:, column, row] = -sign * arm[:, axis]
    return np.eye(3) - cross @ inertia @ cross


def rods(lean: np.ndarray, turned: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverse inertia of thin rods of two metres and a kilogram that lean by an angle to the plane,
    and the arms to their lower ends.
    """
    along = np.stack(
        [np.cos(lean) * np.cos(turned), np.cos(lean) * np.sin(turned), np.sin(lean)], axis=1
    )
    across = np.eye(3) - along[:, :, None] * along[:, None, :]
    return 3.0 * across + 30.0 * (np.eye(3) - across), -along


def batches_of(inertia: np.ndarray, arm: np.ndarray, slides: np.ndarray, friction: np.ndarray):
    """One contact of each body on a plane with the normal z, one in each lane; how many batches
    these are, and the blocks of the contacts.
    """
    count = len(arm)
    made = new_batches(MOST_POINTS * count, count, 1)
    used = count // LANES
    made.bounds[0] = 0, used
    made.slot[: LANES * used] = np.arange(LANES * used)
    made.start[: used + 1] = np.arange(used + 1)
    W = blocks(inertia, arm)
    body = made.body.reshape(-1, 2, LANES)
    point = made.point.reshape(-1, POINT_NUMBERS, LANES)
    lanes = made.inertia.reshape(-1, 2, 7, LANES)
    for k in range(count):
        q, x = divmod(k, LANES)
        body[q, :, x] = count, k
        J = inertia[k]
        lanes[q, 1, :, x] = 1.0, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
        widest = np.linalg.eigvalsh(W[k][:2, :2])[-1]
        point[q, :, x] = [
            *(0.0, 0.0, 1.0), *(0.0, 0.0, 0.0), *arm[k], *slides[k], *(0.0, 0.0, 0.0), *W[k][:, 2],
            1.0 / W[k][2, 2], 1.0 / widest, friction[k], 0.0,
        ]  # fmt: skip
    return made, used, W


def broken_by(W, slides, friction, p) -> np.ndarray:
    """‖p - P(p - u)‖ of each contact, by what it is the difference of: none if it keeps its law."""
    u = slides + np.einsum("kij,kj->ki", W, p)
    normal = np.maximum(p[:, 2] - u[:, 2], 0.0)
    across = p[:, :2] - u[:, :2]
    radius = friction * p[:, 2]
    long = np.linalg.norm(across, axis=1)
    across = across * np.minimum(1.0, radius / np.maximum(long, 1e-300))[:, None]
    broken = np.hypot(p[:, 2] - normal, np.linalg.norm(p[:, :2] - across, axis=1))
    terms = (p, slides, np.einsum("kij,kj->ki", abs(W), abs(p)))
    return broken / sum(np.linalg.norm(term, axis=1) for term in terms)


def solved(inertia, arm, slides, friction) -> tuple[np.ndarray, np.ndarray]:
    """Blocks of the contacts, and their impulses after all sweeps."""
    made, used, W = batches_of(inertia, arm, slides, friction)
    bodies = island()
    bodies.mark["batches"] = used
    improve(bodies, made, new_team(1), SWEEPS, MOMENTUM)
    point = made.point.reshape(-1, POINT_NUMBERS, LANES)[:used]
    return W, point[:, IMPULSE:PULL].transpose(0, 2, 1).reshape(-1, 3)


def test_a_rod_that_is_pushed_over_its_end():
    """Its end slides towards its middle at 2 m/s, and meets the plane at 1 m/s. It bears
    p_n = (1 m/s) / (w_n - μ w_nt).
    """
    lean, friction = np.full(LANES, 0.6), np.full(LANES, 0.9)
    slides = np.tile([2.0, 0.0, -1.0], (LANES, 1))
    W, p = solved(*rods(lean, np.zeros(LANES)), slides, friction)

    assert 0.9 * -W[0, 0, 2] / W[0, 2, 2] > 0.4
    assert p[:, 2] == pytest.approx(1.0 / (W[0, 2, 2] - 0.9 * W[0, 0, 2]), rel=NEAR)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_drawn_rods(seed):
    """Any lean, directions of sliding that press apart, friction up to 1.5."""
    random = np.random.default_rng(seed)
    count = 64 * LANES
    lean = random.uniform(0.05, 1.5, count)
    turned = random.uniform(0.0, 6.3, count)
    friction = random.uniform(0.0, 1.5, count)
    away = turned + random.uniform(-1.2, 1.2, count)
    speed = random.uniform(0.5, 5.0, count)
    slides = np.stack(
        [speed * np.cos(away), speed * np.sin(away), random.uniform(-2.0, -0.1, count)], axis=1
    )
    W, p = solved(*rods(lean, turned), slides, friction)

    assert p[:, 2].max() > 0.1
    assert broken_by(W, slides, friction, p).max() <= NEAR
