"""Force laws of many axes at once: one solution, which is found from any start.

Velocity halves of planar trees, with any laws and no impulses to begin with, against equations in
the rates of the hinges that the test derives from positions alone.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from impulse_core.compile import compile_scene
from impulse_core.jit import kernel
from impulse_core.model.status import COMPLETED
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.step import velocities
from impulse_core.step.fitting import resume
from impulse_schema.models import Body, Friction, Joint
from tests.core.scenes import scene_of

Y = (0.0, 1.0, 0.0)
STEP, TOLERANCE = 1.0, 1e-6  # laws are met to a thousandth of it


@kernel
def solve(model, structure, state, h, tolerance, work, tally):
    """The second half of a step, from no impulses at all."""
    resume(model, structure, state, work)
    for k in range(len(model.axes)):
        work.axes[k].impulse = 0.0
    enough = velocities.JOINT_RATE * tolerance / h
    return velocities.solve_velocities(
        model, structure, None, state, h, tolerance, enough, work, tally
    )


class PlanarTree:
    """Links on hinges across one plane, held by the world, and its equations in the rates of the
    hinges, derived from the positions alone: velocities B u, M = Bᵀ diag B.
    """

    def __init__(self, rng: np.random.Generator, count: int, branching: float) -> None:
        ends, anchors, centres = [np.zeros(2)], [], []
        self.parents = []
        for k in range(count):
            parent = k - 1 if rng.random() >= branching else int(rng.integers(-1, k))
            angle = rng.uniform(0.0, 2.0 * np.pi)
            way = rng.uniform(0.1, 0.3) * np.array([np.cos(angle), np.sin(angle)])
            self.parents.append(parent)
            anchors.append(ends[parent + 1])
            centres.append(ends[parent + 1] + 0.5 * way)
            ends.append(ends[parent + 1] + way)
        self.mass = 10.0 ** rng.uniform(-1.0, 1.0, count)
        self.inertia = self.mass * rng.uniform(1e-3, 4e-3, count)
        self.B = np.zeros((3 * count, count))
        for k in range(count):
            i = k
            while i >= 0:
                x, z = centres[k] - anchors[i]
                self.B[3 * k : 3 * k + 3, i] = z, -x, 1.0
                i = self.parents[i]
        self.diagonal = np.stack([self.mass, self.mass, self.inertia], axis=1).ravel()
        self.M = self.B.T @ (self.diagonal[:, None] * self.B)
        self.engine = self._engine(anchors, centres)

    def _engine(self, anchors, centres) -> Engine:
        names = [*(f"link-{k}" for k in range(len(self.mass))), "world"]
        bodies = [
            Body(name=names[k], position=(x, 0.0, z), mass=mass, inertia=(J, J, J))
            for k, ((x, z), mass, J) in enumerate(
                zip(centres, self.mass, self.inertia, strict=True)
            )
        ]
        joints = [
            Joint(
                type="hinge",
                body1=names[parent],
                body2=names[k],
                anchor=(x, 0.0, z),
                axis=Y,
                frictions=[Friction(force=1.0)],
            )
            for k, (parent, (x, z)) in enumerate(zip(self.parents, anchors, strict=True))
        ]
        compiled = compile_scene(scene_of(bodies, joints), assemble=False)
        return Engine(compiled, choose_options(compiled, step=1e-3), assemble=False)

    def push(self, v: np.ndarray) -> None:
        """Velocities (x, z, turn) of all bodies, whether or not joints allow them, shape (3n,)."""
        bodies, count = self.engine.state.bodies, len(self.mass)
        v = v.reshape(count, 3)
        bodies["velocity"][:count] = np.stack([v[:, 0], np.zeros(count), v[:, 1]], axis=1)
        bodies["angular_momentum"][:count] = np.outer(self.inertia * v[:, 2], Y)

    def solve(self) -> tuple[int, np.ndarray, np.ndarray]:
        """How the half ended, the impulses and the rates along the axes."""
        engine, count = self.engine, len(self.mass)
        ended = solve(
            engine.model, engine.structure, engine.state, STEP, TOLERANCE, engine.work, engine.tally
        )
        turn = engine.state.bodies["angular_momentum"][:count, 1] / self.inertia
        u = turn - np.where(np.array(self.parents) >= 0, turn[self.parents], 0.0)
        return ended, engine.work.axes["impulse"].copy(), u


def random_laws(rng: np.random.Generator, laws, size: float, frictions_only: bool) -> None:
    """Any laws whose impulses are of a size; every law allows the velocity zero."""
    for law in laws:
        for name in law.dtype.names:
            law[name] = 0.0
        law["lower"], law["upper"] = -math.inf, math.inf
        law["friction"] = size * 10.0 ** rng.uniform(-1.5, 1.0)
        if frictions_only:
            continue
        law["friction"] *= rng.random() < 0.8
        if rng.random() < 0.2:
            law["lower"] = -rng.choice([0.0, 0.3])
        if rng.random() < 0.2:
            law["upper"] = rng.choice([0.0, 0.3])
        if rng.random() < 0.3:
            law["drive_at"], law["drive"] = rng.normal(), size * 10.0 ** rng.uniform(-1.0, 0.5)
            law["drive_back"] = rng.choice([law["drive"], 0.1 * law["drive"]])
        if rng.random() < 0.4:
            law["servo"] = size * rng.normal()
            law["servo_slope"] = size * 10.0 ** rng.uniform(-2.0, 4.0)
            law["servo_bound"] = size * 10.0 ** rng.uniform(-1.0, 1.0)
            law["servo_back"] = rng.choice([law["servo_bound"], 0.1 * law["servo_bound"]])
        if rng.random() < 0.3:
            law["passive"] = size * rng.normal()
            law["passive_slope"] = size * 10.0 ** rng.uniform(-2.0, 2.0)


def impulses_at(law, u: float, side: int) -> float:
    """p(u) from the formula, of a vertical piece its end on that side."""
    if u < law["lower"] or (u == law["lower"] and side < 0):
        return math.inf
    if u > law["upper"] or (u == law["upper"] and side > 0):
        return -math.inf
    p = law["passive"] - law["passive_slope"] * u
    p += min(max(law["servo"] - law["servo_slope"] * u, -law["servo_back"]), law["servo_bound"])
    jumps = (("friction_at", "friction", "friction"), ("drive_at", "drive", "drive_back"))
    for at, size, back in jumps:
        left = u < law[at] or (u == law[at] and side < 0)
        p += law[size] if left else -law[back]
    return p


def outside(laws, p: np.ndarray, u: np.ndarray, near: float, size: float) -> float:
    """By how much an impulse lies outside its law, relative to their size, for rates ± near."""
    worst = 0.0
    for law, impulse, rate in zip(laws, p, u, strict=True):
        most = impulses_at(law, rate - near, -1)
        least = impulses_at(law, rate + near, 1)
        worst = max(worst, impulse - most, least - impulse)
    return worst / size


@pytest.mark.parametrize("count", [6, 12, 24, 44])
@pytest.mark.parametrize("frictions_only", [True, False])
@pytest.mark.parametrize("branching", [0.0, 0.4])
def test_laws_are_met_from_a_cold_start(count, frictions_only, branching):
    """A thousand and more problems, each solved: the velocities are those of the impulses, and each
    impulse is one of its law. The problem is strictly convex, so there is no other solution.
    """
    rng = np.random.default_rng([count, frictions_only, int(10 * branching)])
    for machine in range(4):
        tree = PlanarTree(rng, count, branching)
        laws = tree.engine.work.laws
        for _ in range(20):
            v = rng.normal(size=3 * count)
            r = tree.B.T @ (tree.diagonal * v)
            size = float(np.median(np.abs(r)))
            random_laws(rng, laws, size, frictions_only)
            tree.push(v)

            ended, p, u = tree.solve()

            assert ended == COMPLETED, machine
            speed = np.abs(np.linalg.solve(tree.M, r)).max()
            assert u == pytest.approx(np.linalg.solve(tree.M, r + p), abs=1e-9 * speed)
            assert outside(laws, p, u, 1e-9 * speed, size) <= 1e-9
            if frictions_only and count <= 12:
                best = quadratic_programme(tree, r, laws["friction"])
                assert u == pytest.approx(np.linalg.solve(tree.M, r + best), abs=1e-6 * speed)


def quadratic_programme(tree: PlanarTree, r: np.ndarray, most: np.ndarray) -> np.ndarray:
    """The impulses within ±most that leave the least energy ½ (r + p)ᵀ M⁻¹ (r + p), by SciPy."""
    L = np.linalg.cholesky(np.linalg.inv(tree.M))
    found = lsq_linear(L.T, -L.T @ r, bounds=(-most, most), method="bvls", tol=1e-14)
    return found.x


def plain_period(W: np.ndarray, free: np.ndarray, most: np.ndarray, w: np.ndarray) -> int:
    """After how many whole Newton steps on dry friction the pieces repeat; 0 if they settle."""
    p, u, seen = np.zeros(len(free)), free.copy(), {}
    while True:
        side = np.where(np.abs(u - w * p) <= w * most, 0.0, -np.sign(u - w * p))
        before = len(seen) - seen.setdefault(tuple(side), len(seen))
        if before:
            return before if before > 1 else 0
        p, sticks = side * most, side == 0.0
        p[sticks] = np.linalg.solve(
            W[np.ix_(sticks, sticks)], -free[sticks] - W[np.ix_(sticks, ~sticks)] @ p[~sticks]
        )
        u = free + W @ p


@pytest.mark.parametrize(("count", "seed"), [(5, 30), (6, 25), (6, 133)])
def test_whole_newton_steps_run_in_a_circle_there(count, seed):
    """Five or six hinges with dry friction for which whole Newton steps repeat three to five
    choices of what sticks for ever: the half is solved all the same.
    """
    rng = np.random.default_rng(seed)
    tree = PlanarTree(rng, count, 0.0)
    v = rng.normal(size=3 * count)
    r = tree.B.T @ (tree.diagonal * v)
    size = float(np.median(np.abs(r)))
    laws, most = tree.engine.work.laws, size * 10.0 ** rng.uniform(-1.5, 1.0, count)
    random_laws(rng, laws, size, True)
    laws["friction"] = most
    W, w = np.linalg.inv(tree.M), tree.engine.model.axes["inverse_mass"]
    assert plain_period(W, W @ r, most, w) >= 3
    tree.push(v)

    ended, p, u = tree.solve()

    assert ended == COMPLETED
    assert outside(laws, p, u, 1e-9 * np.abs(W @ r).max(), size) <= 1e-9
