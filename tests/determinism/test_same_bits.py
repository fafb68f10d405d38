"""Same bits: in one process, in two, on more threads, and after a longer history.

The scene is chaotic: a difference in the last bit of any step would be a different end.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import impulse_core as ic
from tests.core.scenes import chain, random_tree
from tests.processes import said_by

RUN = """
import impulse_core as ic
from tests.determinism.test_same_bits import chaotic
print(ic.simulate(chaotic(), duration={duration}, method="{method}").diagnostics["state_sha256"])
"""


def chaotic(change=0.0):
    """Bars thrown over from 143°: the first on a hinge, two more on ball joints."""
    scene = chain(3, ["hinge", "ball", "ball"], tilt=2.5, axis=(0.3, 1.0, 0.2))
    axis = np.array([0.3, 1.0, 0.2]) / np.linalg.norm([0.3, 1.0, 0.2])
    scene.bodies[0].angular_velocity = tuple(3.0 * axis * (1.0 + change))
    return scene


@cache
def end_state(method="imp2", duration=20.0, threads=1):
    report = ic.simulate(chaotic(), duration=duration, method=method, threads=threads)
    return report.diagnostics["state_sha256"]


def in_another_process(method="imp2", duration=20.0, **environment):
    return said_by(RUN.format(duration=duration, method=method), **environment)


@pytest.mark.parametrize("method", ["imp2", "imp6", "lmvd8"])
def test_twice_in_one_process(method):
    """A second run in the same process ends with the same bits, and so do all its frames."""
    runs = [ic.simulate(chaotic(), duration=20.0, method=method) for _ in range(2)]

    assert runs[0].diagnostics["state_sha256"] == runs[1].diagnostics["state_sha256"]
    assert np.array_equal(runs[0].positions, runs[1].positions)
    assert np.array_equal(runs[0].orientations, runs[1].orientations)
    assert np.array_equal(runs[0].energy["total"], runs[1].energy["total"])


def test_in_two_processes():
    """Another process with another hash seed ends with the same bits."""
    assert in_another_process(PYTHONHASHSEED="1") == end_state()
    assert in_another_process(PYTHONHASHSEED="2") == end_state()


def test_on_two_threads():
    """The number of threads allowed does not change the result."""
    assert end_state(threads=2) == end_state(threads=1)


def test_the_scene_is_chaotic():
    """A change of 1e-13 of a start velocity becomes another motion within these twenty seconds."""
    plain = ic.simulate(chaotic(), duration=20.0)
    other = ic.simulate(chaotic(1e-13), duration=20.0)

    assert np.abs(plain.positions[-1] - other.positions[-1]).max() > 0.1


def test_order_of_joints_and_bodies_only_rounds():
    """Bodies and joints listed backwards give the same motion to round-off, for half a second."""
    scene = random_tree(np.random.default_rng(12), 8, types=("ball", "hinge", "fixed"))
    turned = scene.model_copy(deep=True)
    turned.bodies.reverse()
    turned.joints.reverse()

    found = ic.simulate(turned, duration=0.5, tolerance=1e-12, method="imp4")
    expected = ic.simulate(scene, duration=0.5, tolerance=1e-12, method="imp4")

    assert found.positions[:, ::-1] == pytest.approx(expected.positions, abs=1e-9)


@pytest.mark.parametrize("method", ["imp2", "imp4", "lmvd8"])
def test_without_compilation(method):
    """NUMBA_DISABLE_JIT=1 runs the kernels as Python, with the same bits."""
    plain = in_another_process(method, 0.2, NUMBA_DISABLE_JIT="1")

    assert plain == end_state(method, 0.2)
