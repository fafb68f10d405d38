"""The papers' pendulum: a point mass on a distance joint, against elliptic functions."""

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Body, Joint
from tests.core.scenes import pendulum, scene_of
from tests.references.pendulum import PUBLISHED, period, position

T90 = period(math.pi / 2.0)


@pytest.mark.parametrize(("t", "x", "y"), PUBLISHED)
def test_a01_with_imp8(t, x, y):
    """Benchmark A01: the bob is within 1e-9 m of the published place, at default tolerance."""
    recording = ic.simulate(pendulum(), duration=t, method="imp8", step=0.02, fps=1.0 / t)

    assert recording.positions[-1, 0] == pytest.approx([x, y, 0.0], abs=1e-9)


def test_whole_path_follows_the_elliptic_functions():
    """Frames anywhere between steps lie on the exact path to 1e-9 m, not only grid points."""
    recording = ic.simulate(pendulum(-10.0), duration=5.0, method="imp8", step=0.03, fps=37.0)

    exact = position(recording.times, math.radians(-10.0))

    assert recording.positions[:, 0, :2] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("method", "tolerance", "bound"), [("imp8", None, 1e-9), ("imp10", 1e-14, 1e-11)]
)
def test_energy_of_the_90_degree_pendulum(method, tolerance, bound):
    """Pendulum90 for 60 s at h = T90/59: mean energy error and one-turn drift stay bounded.

    At its default tolerance of 1e-12 m imp10 would show that tolerance (2e-10 J), not its order.
    """
    recording = ic.simulate(
        pendulum(),
        duration=60.0,
        method=method,
        step=T90 / 59.0,
        fps=1.0 / T90,
        tolerance=tolerance,
    )

    assert recording.diagnostics["energy_j"]["mean_abs_drift"] <= bound
    turns = np.round(recording.times / T90)
    whole = np.abs(recording.times - turns * T90) < 1e-9
    assert whole.sum() == 26
    # OTD of the papers is |x(i T) - x(0)|; y is the coordinate that notices a wrong period
    assert np.abs(recording.positions[whole, 0, 0] + 1.0).mean() <= 1e-9
    assert np.abs(recording.positions[whole, 0, 1]).mean() <= 1e-9


def test_energy_of_imp2_oscillates_but_does_not_drift():
    """A symplectic step: over sixty seconds the energy error ends no larger than it began."""
    recording = ic.simulate(pendulum(), duration=60.0, step=T90 / 200.0, fps=50.0, tolerance=1e-10)
    error = np.abs(recording.energy["total"])
    first, last = error[recording.times < 10.0].max(), error[recording.times > 50.0].max()

    assert last <= 1.01 * first
    assert first > 1e-6  # the method's own error, far above the tolerance


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10, 1e-12])
def test_triple_pendulum_at_a_coarse_step(tolerance):
    """Whirling point masses at h = 0.08 s keep their energy near its scale, m g l (1 + 2 + 3).

    Steps in which a line turns far are halved. Were only those halved that have no solution, the
    energy would run away to 1e6 J and more.
    """
    bobs = [
        Body(name=f"bob{k}", position=(k, 0.0, 0.0), mass=1.0, inertia=(0.1, 0.1, 0.1))
        for k in (1, 2, 3)
    ]
    rods = [
        Joint(
            type="distance",
            body1="world" if k == 1 else f"bob{k - 1}",
            body2=f"bob{k}",
            anchor=(k - 1, 0.0, 0.0),
            anchor2=(k, 0.0, 0.0),
        )
        for k in (1, 2, 3)
    ]

    recording = ic.simulate(
        scene_of(bobs, rods), duration=60.0, step=0.08, fps=12.5, tolerance=tolerance
    )

    assert recording.complete
    assert recording.diagnostics["halvings"] > 0
    assert np.abs(recording.energy["total"]).max() <= 3 * 9.81 * (1 + 2 + 3)
