"""Momentum of systems that nothing outside acts on."""

import numpy as np
import pytest

import impulse_core as ic
from tests.core.scenes import NO_GRAVITY, chain, random_tree


def floating_chain():
    """Five bars on ball joints, hinges and a fixed joint, drifting and turning without gravity."""
    scene = chain(5, ["ball", "hinge", "ball", "fixed", "hinge"], gravity=NO_GRAVITY)
    del scene.joints[0]
    rng = np.random.default_rng(8)
    for body in scene.bodies:
        body.velocity = tuple(rng.normal(size=3) + np.array([2.0, 0.0, 0.0]))
        body.angular_velocity = tuple(2.0 * rng.normal(size=3))
    return scene


@pytest.mark.parametrize("method", ["imp2", "imp6"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-12])
def test_floating_chain(method, tolerance):
    """Linear and angular momentum stay within 1e-12 of their size for ten seconds.

    Whatever the tolerance: action equals reaction even while joints are open by a micrometre.
    """
    recording = ic.simulate(
        floating_chain(), duration=10.0, method=method, tolerance=tolerance, fps=10.0
    )

    for name in ("linear", "angular"):
        momentum = recording.momentum[name]
        size = np.linalg.norm(momentum[0])
        assert np.abs(momentum - momentum[0]).max() <= 1e-12 * size
        assert recording.diagnostics["momentum_drift"][name] <= 1e-12 * size
    assert np.abs(recording.orientations[-1] - recording.orientations[0]).max() > 0.1


def test_centre_of_mass_moves_evenly():
    """The common centre of mass of the floating chain flies straight on."""
    recording = ic.simulate(floating_chain(), duration=5.0, fps=4.0)

    center = recording.positions.mean(axis=1)  # five equal masses
    straight = center[0] + np.outer(recording.times, recording.momentum["linear"][0] / 5.0)
    assert center == pytest.approx(straight, abs=1e-11)


@pytest.mark.parametrize("kind", ["universal", "slider", "cylindrical", "distance", "fixed"])
def test_every_joint_conserves_momentum(kind):
    """Two bodies on a joint of each other kind: momentum to 1e-12 over two seconds."""
    scene = random_tree(np.random.default_rng(21), 3, types=(kind,), gravity=NO_GRAVITY)
    for joint in scene.joints[:]:
        if joint.body1 == "world":
            scene.joints.remove(joint)
    scene.bodies[0].angular_velocity = (1.0, -2.0, 0.5)
    scene.bodies[1].velocity = (0.3, 0.4, -0.1)

    recording = ic.simulate(scene, duration=2.0, fps=5.0)

    assert len(scene.joints) >= 1
    for name in ("linear", "angular"):
        momentum = recording.momentum[name]
        assert np.abs(momentum - momentum[0]).max() <= 1e-12 * np.linalg.norm(momentum[0])


def test_floating_chain_keeps_its_energy():
    """Energy of a floating chain by imp8: within 1e-10 of its size for five seconds."""
    recording = ic.simulate(floating_chain(), duration=5.0, method="imp8", tolerance=1e-13)

    energy = recording.diagnostics["energy_j"]
    assert energy["max_abs_drift"] <= 1e-10 * energy["initial"]
