"""No sample scene moves or reports differently because of how many frames are recorded.

In short by default; with IMPULSE_SOAK=1 in the environment for the whole duration of each scene.
"""

from __future__ import annotations

import os

import pytest

import impulse_core
from impulse_schema import load_scene
from tests.determinism.runs import outcome
from tests.samples.test_samples import SCENES

LONG = os.environ.get("IMPULSE_SOAK") == "1"
BODY_STEPS = 2000  # of the short form


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_frames_change_nothing_of_a_sample(path):
    """Same last state, report and events with frames at the end alone, at every step, between
    steps, several in a step, and at rates that no step divides.
    """
    scene = load_scene(path)
    step, duration = scene.settings.step, scene.settings.duration
    if not LONG:
        steps = min(max(BODY_STEPS // len(scene.bodies), 3), 30)
        duration = min(duration, (steps + 0.5) * step)  # the last one is cut
    rates = (1.0 / duration, 24.0, 1.0 / step, 0.61 / step, 2.3 / step)

    outcomes = [outcome(impulse_core.simulate(scene, duration=duration, fps=fps)) for fps in rates]

    assert all(found == outcomes[0] for found in outcomes[1:])
