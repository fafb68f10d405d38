"""Machines drawn at random that once ended by name, kept as scenes, and why they did.

``sliding-bar``: a light bar, held on a line at a point half a metre from its centre, is thrown to
and fro and spins by up to two radians in a step; impulses at one end of a stage then said nothing
of the other (docs/algorithm.md, 76), and its energy doubled step by step. ``pressed-screw``: ground
that rises presses on a body whose screw lets it go nowhere, which no force can satisfy; contacts
give way where joints leave no freedom (contact/give.py). ``dead-point``: a loop that starts at its
dead point, held by rows that nearly repeat each other.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import impulse_core as ic
from impulse_schema import load_scene
from tests.verification.test_random_machines import check_complete

ENDED = Path(__file__).parent / "ended"


@pytest.mark.parametrize("name", ["sliding-bar", "pressed-screw"])
def test_it_goes_on_now(name):
    """It completes, and its energy is explained or warned of."""
    scene = load_scene(ENDED / f"{name}.json")
    check_complete(scene, ic.simulate(scene))


@pytest.mark.parametrize("step", [0.007, 0.004])
def test_the_bar_goes_on_with_other_steps(step):
    """With steps at which it was not looked at as well."""
    scene = load_scene(ENDED / "sliding-bar.json")
    scene.settings.step = step
    check_complete(scene, ic.simulate(scene))


def test_a_dead_point_is_named():
    """A loop that starts at its dead point ends by that name, with the frame it began with."""
    with pytest.raises(ic.SimulationError, match="at a dead point, start beside it") as ended:
        ic.simulate(load_scene(ENDED / "dead-point.json"))
    assert ended.value.recording.frame_count >= 1
