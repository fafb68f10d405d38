"""Every sample takes a few steps, and a small scene does with every method and solver.

``make bounds`` runs this with NUMBA_BOUNDSCHECK=1: kernels then look at every index into an array,
which they otherwise trust. They are compiled for it anew, so this is no part of ``make test``.
"""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np
import pytest

import impulse_core as ic
from impulse_core.jit import kernel
from impulse_core.methods.comparison import COMPARISON_ORDERS
from impulse_core.methods.imp import ORDERS as COMPOSITION_ORDERS
from impulse_core.simulation.options import SOLVERS
from tests.core.scenes import chain

SAMPLES = sorted(Path(__file__).resolve().parents[2].glob("sample_scenes/*/*.xml"))
STEPS = 6


def in_its_group(path):
    """Scenes with contact go to one worker, which so compiles half of the kernels only."""
    group = "contact" if path.parent.name in ("contact", "walking") else "joints"
    return pytest.param(path, id=path.stem, marks=pytest.mark.xdist_group(group))


@kernel
def read_beyond(values):
    """An element that is not there."""
    return values[len(values)]


def test_indices_are_checked():
    """In this process kernels do refuse an index beyond the end."""
    assert numba.config.BOUNDSCHECK == 1
    with pytest.raises(IndexError):
        read_beyond(np.zeros(3))


@pytest.mark.parametrize("path", [in_its_group(path) for path in SAMPLES])
def test_sample_stays_within_its_arrays(path):
    """No kernel of a sample's first steps and frames reaches beyond an array."""
    scene = ic.load_scene(path)

    recording = ic.simulate(scene, duration=STEPS * scene.settings.step, fps=1000, contacts=True)

    assert recording.complete


@pytest.mark.xdist_group("joints")
@pytest.mark.parametrize("method", COMPOSITION_ORDERS | COMPARISON_ORDERS)
def test_method_stays_within_its_arrays(method):
    """Nor does one of any method, on a chain of three bodies."""
    # the method of generalised coordinates knows hinges only
    types = ["hinge"] * 3 if method.startswith("gc") else ["hinge", "ball", "ball"]

    assert ic.simulate(chain(3, types, tilt=2.5), duration=0.06, method=method).complete


@pytest.mark.xdist_group("joints")
@pytest.mark.parametrize("solver", SOLVERS)
def test_solver_stays_within_its_arrays(solver):
    """Nor one of any solver."""
    scene = chain(3, ["hinge", "ball", "ball"], tilt=2.5)

    assert ic.simulate(scene, duration=0.06, solver=solver).complete


@pytest.mark.xdist_group("contact")
def test_time_of_impact_and_sleep_stay_within_their_arrays():
    """Nor where steps are divided at impacts and bodies fall asleep."""
    scene = ic.load_scene(SAMPLES[0].parents[1] / "contact" / "bouncing-49.xml")
    scene.settings.sleeping = True

    assert ic.simulate(scene, duration=0.3, time_of_impact=True).complete
