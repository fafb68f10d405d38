"""Sweeps over the contacts of one island, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from impulse_core.contact.gauss_seidel import sweep_one_by_one
from impulse_core.contact.jacobian import diagonal_blocks
from impulse_core.jit import kernel
from impulse_schema.models import Material
from tests.contact.scenes import cube, scene
from tests.contact.test_islands import after_steps, directions_and_masses, find, list_island


@kernel
def sweep(contacts, solver_bodies, delassus, i, times):
    """So many sweeps over the island of solver body i, however little they change."""
    diagonal_blocks(contacts, solver_bodies, delassus, i)
    return sweep_one_by_one(contacts, solver_bodies, delassus, i, 0.0, 1, times)


def heap(rolling: float, seed: int):
    """Cubes that lie on each other askew, three layers of them."""
    rng = np.random.default_rng(seed)
    rough = Material(name="rough", static_friction=0.4, rolling_friction=rolling)
    places = [(x, y, z) for z in range(3) for x in range(2) for y in range(2)]
    return scene(
        *(
            cube(
                f"c{k}",
                position=(1.02 * x + 0.1 * z, 1.02 * y, 0.5 + z),
                velocity=tuple(rng.normal(scale=0.05, size=3)),
                material="rough",
            )
            for k, (x, y, z) in enumerate(places)
        ),
        materials=(rough,),
    )


@pytest.mark.parametrize("times", [2, 5, 17])
@pytest.mark.parametrize("rolling", [0.0, 0.02])
@pytest.mark.parametrize("seed", range(3))
def test_velocities_are_those_of_the_impulses(seed, rolling, times):
    """However the sweeps went on, v - v⁻ = M⁻¹ Gᵀ (p - p⁻), with the torques besides."""
    setup = after_steps(heap(rolling, seed))
    contacts, solver_bodies = setup.contacts, setup.solver_bodies
    find(contacts, solver_bodies, np.zeros(len(contacts.row), dtype=np.int64))
    i = int(np.argmax(solver_bodies.mark["number"]))
    n, bodies, _ = list_island(contacts, solver_bodies, setup.delassus, setup.own.newton, i)
    rows, order = setup.own.newton.mark["contact"][:n], setup.own.newton.order[:bodies]
    solver_bodies.mark["stirred"][:] = -1
    contacts.row["offset"][rows, 2] -= 0.3
    before = velocities(solver_bodies, order)
    impulses, torques = contacts.row["impulse"][rows].copy(), contacts.row["torque"][rows].copy()

    taken, _, _ = sweep(contacts, solver_bodies, setup.delassus, i, times)

    assert taken > 1
    assert bodies > 2
    G, inverse_mass = directions_and_masses(contacts, solver_bodies, rows, order)
    momentum = G.T @ (contacts.row["impulse"][rows] - impulses).ravel()
    for k, c in enumerate(rows):
        for body, sign in (("body1", -1.0), ("body2", 1.0)):
            i = contacts.mark[c][body]
            if solver_bodies.row["inverse_mass"][i] > 0.0:
                at = 6 * solver_bodies.mark["place"][i] + 3
                momentum[at : at + 3] += sign * (contacts.row["torque"][c] - torques[k])
    changed = velocities(solver_bodies, order) - before
    assert np.abs(changed).max() > 0.01
    assert changed == pytest.approx(inverse_mass @ momentum, abs=1e-12)


def velocities(solver_bodies, order):
    """Of bodies, and about their centres, as one row of numbers."""
    row = solver_bodies.row[order]
    return np.hstack([row["velocity"], row["angular_velocity"]]).ravel()
