"""A controller is asked once a step, and what it says is what the motors do."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core as ic
from tests.live.scenes import arm


def swing(time: float, view: ic.Snapshot) -> dict[str, float]:
    """A law that depends on what the machine does."""
    return {"shoulder": math.sin(3 * time) - 0.2 * view.joints["elbow"]["angle"]}


def test_it_is_asked_once_a_step_at_its_start():
    """With the time and the state there, whatever frames are recorded."""
    asked: list[tuple[float, int]] = []

    def control(time: float, view: ic.Snapshot) -> dict[str, float]:
        asked.append((time, view.step))
        assert view.time == time
        return {}

    ic.simulate(arm(), duration=0.2, fps=333.0, control=control)

    assert [step for _, step in asked] == list(range(20))
    np.testing.assert_allclose([t for t, _ in asked], 0.01 * np.arange(20), atol=1e-12)


def test_the_motion_is_the_same_however_it_is_looked_at():
    """At any frame rate, in a session, and in the replay of its log without the controller."""
    alone = ic.simulate(arm(), duration=1.0, control=swing)
    often = ic.simulate(arm(), duration=1.0, control=swing, fps=70.0)
    with ic.Session(arm(), control=swing, speed=None, paused=True) as session:
        session.run_until(1.0)
        live, log = session.recording(), session.log
        session.rewind(0.5)
        session.run_until(1.0)
        assert session.digest() == log.digest

    hashes = {r.diagnostics["state_sha256"] for r in (alone, often, live, ic.replay(arm(), log))}
    assert len(hashes) == 1
    assert hashes != {ic.simulate(arm(), duration=1.0).diagnostics["state_sha256"]}
    np.testing.assert_array_equal(alone.positions, live.positions)
    np.testing.assert_array_equal(
        alone.joints["shoulder"]["angle"], live.joints["shoulder"]["angle"]
    )


def test_a_constant_target_is_that_of_the_scene():
    """Said by a controller or by the scene, it leads to the same motion."""
    scene = arm()
    scene.joints[0].motors[0].expression = None
    scene.joints[0].motors[0].target = 0.4
    said = ic.simulate(arm(), duration=1.0, control=lambda _t, _view: {("shoulder", 0): 0.4})
    written = ic.simulate(scene, duration=1.0)

    np.testing.assert_allclose(said.positions, written.positions, atol=1e-12)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"shoulderr": 0.0}, "Did you mean 'shoulder'"),
        ({("shoulder", 1): 0.0}, "has the motors"),
        ({"shoulder": math.nan}, "finite"),
        (None, "return a dict"),
    ],
)
def test_what_it_cannot_say_is_refused(answer, says):
    """In simulate at once; a session fails with the same words."""
    with pytest.raises(ic.TargetError, match=says):
        ic.simulate(arm(), duration=0.1, control=lambda _t, _view: answer)
    session = ic.Session(arm(), speed=None, control=lambda _t, _view: answer)
    with pytest.raises(ic.TargetError, match=says):
        session.wait(lambda s: s.time > 1.0, 60.0)
    session.close()
