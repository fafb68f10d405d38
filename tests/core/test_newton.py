"""Newton corrections: the matrix is the derivative of the predicted errors by the impulses."""

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.algebra import Quat, Vec3, rotation_matrix, rotation_vector
from impulse_core.algebra import conjugate as back
from impulse_core.free_motion.flow import predict
from impulse_core.free_motion.taylor import turn_by_taylor_series
from impulse_core.jit import kernel
from impulse_core.joints.constraints import apply_impulses, joint_errors
from impulse_core.joints.coupling import coupling_errors
from impulse_core.model import TAYLOR_ORDER, copy_state
from impulse_core.solver.direct import prepare
from impulse_core.solver.newton import _turn_by_momentum, prepare_newton, solve_newton
from tests.core.probes import Probe
from tests.core.scenes import four_bar, random_tree


@kernel
def _begin_stage(model, structure, state, work):
    prepare(model, structure, state, work)


@kernel
def _predicted_errors(model, state, h, impulse, work):
    apply_impulses(model, impulse, state, work)
    predict(model, state, h, work)
    joint_errors(model, work.next, work.error)
    coupling_errors(
        model,
        model.coupled,
        work.next,
        state.terms.position,
        work.terms.next,
        work.error,
    )


@kernel
def _newton(model, structure, state, h, right_side, work):
    prepare_newton(model, structure, state, h, work)
    solve_newton(structure, right_side, 1.0 / h, work)


class Stage(Probe):
    """One stage: impulses at t, errors at t+h."""

    def __init__(self, scene, h, spin=0.0):
        super().__init__(scene)
        self.h = h
        self._throw(spin * np.random.default_rng(17).normal(size=6 * (self.model.dynamic)))
        _begin_stage(self.model, self.structure, self.state, self.work)

    def _throw(self, wish):
        """Give the bodies the velocities nearest to these that fit the joints."""
        G = self.gradient()
        allowed = (wish - np.linalg.pinv(G, rcond=1e-9) @ (G @ wish)).reshape(-1, 6)
        for i, velocity in enumerate(allowed):
            self.state.bodies["velocity"][i] = velocity[:3]
            self.state.bodies["angular_momentum"][i] = self.world_inertia(i) @ velocity[3:]

    def errors_after(self, impulse):
        """Errors d(t+h) of the rows in use after these impulses; the state stays."""
        state = copy_state(self.state)
        _predicted_errors(self.model, state, self.h, impulse, self.work)
        return self.work.error[self.used].copy()

    def derivative(self):
        """∂d/∂λ over the rows in use by central differences."""
        columns = []
        size = 1e-3
        for j, row in np.argwhere(self.used):
            impulse = np.zeros(self.used.shape)
            impulse[j, row] = size
            difference = self.errors_after(impulse) - self.errors_after(-impulse)
            columns.append(difference / (2.0 * size))
        return np.array(columns).T

    def newton(self, right_side):
        """Solution of ∂d/∂λ λ = right_side over the rows in use."""
        self.errors_after(np.zeros(self.used.shape))  # leaves the prediction in work
        full = np.zeros(self.used.shape)
        full[self.used] = right_side
        _newton(self.model, self.structure, self.state, self.h, full, self.work)
        return self.work.impulse[self.used].copy()


def relative_error(found, wanted):
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


@pytest.mark.parametrize("seed", range(4))
def test_newton_matrix_of_trees(seed):
    """On fast turning trees of all joint types Newton's matrix is that of finite differences.

    To second order in hω, where the frozen matrix is off by first order.
    """
    coarse, frozen_coarse = residuals(seed, 0.004)
    fine, frozen_fine = residuals(seed, 0.002)

    assert fine < 0.2 * frozen_fine
    assert np.log2(coarse / fine) > 1.7
    assert np.log2(frozen_coarse / frozen_fine) < 1.3


def residuals(seed, h):
    """What one Newton solve and one with the frozen matrix leave of an error, as a fraction."""
    stage = Stage(random_tree(np.random.default_rng(seed), 6), h, spin=8.0)
    D = stage.derivative()
    b = D @ np.random.default_rng(1).normal(size=len(D))
    full = np.zeros(stage.used.shape)
    full[stage.used] = b / h
    return (
        relative_error(D @ stage.newton(b), b),
        relative_error(D @ stage.solve(full)[stage.used], b),
    )


@pytest.mark.parametrize("scene", [four_bar()], ids=["four-bar"])
def test_newton_on_loops(scene):
    """With redundant rows the matrix still inverts its own derivative on what is consistent."""
    stage = Stage(scene, 0.001)
    D = stage.derivative()
    wanted = np.random.default_rng(1).normal(size=len(D))

    assert relative_error(D @ stage.newton(D @ wanted), D @ wanted) < 1e-3


def test_turn_by_momentum_is_of_second_order():
    """K/h, how the angular momentum at t turns the body until t+h, has an error of (hω)²."""
    J, L = Vec3(0.7, 1.1, 1.6), np.array([1.5, -2.0, 0.8])
    inverse = Vec3(1 / 0.7, 1 / 1.1, 1 / 1.6)
    q0 = Quat(0.5, -0.5, 0.5, 0.5)
    series = np.zeros((TAYLOR_ORDER + 1, 7))

    def turned(momentum, h):
        return turn_by_taylor_series(q0, Vec3(*momentum), J, inverse, h, series)

    def error(h):
        exact = np.empty((3, 3))
        for k in range(3):
            change = 1e-5 * np.eye(3)[k]
            ahead, behind = turned(L + change, h), turned(L - change, h)
            exact[:, k] = np.array(rotation_vector(ahead * back(behind))) / (2e-5 * h)
        R0, R1 = rotation_matrix(q0), rotation_matrix(turned(L, h))
        found = np.array(_turn_by_momentum(R0, R1, Vec3(*L), inverse, h)).reshape(3, 3)
        return np.abs(found - exact).max()

    assert error(0.02) < 2e-3
    assert np.log2(error(0.08) / error(0.04)) == pytest.approx(2.0, abs=0.3)


def test_newton_saves_corrections():
    """A tree at a coarse step needs few corrections per stage, and none of its steps is halved."""
    scene = random_tree(np.random.default_rng(5), 31, types=("ball",))

    report = ic.simulate(scene, duration=0.5, step=1 / 60, method="imp8").diagnostics

    assert report["halvings"] == 0
    assert report["corrections_per_step"]["mean"] < 17 * 5
