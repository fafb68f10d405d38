"""What takes long to find is found from a snapshot, at any time after it."""

from __future__ import annotations

import numpy as np

import impulse_core as ic
from tests.live.scenes import arm, walker


def test_reactions_and_clearances_are_those_that_are_recorded():
    """The same bits as in the frames of a run, though the session has gone on since."""
    scene = walker().model_copy(deep=True)
    for body in scene.bodies:
        body.record_clearance = True
    recorded = ic.simulate(scene, duration=0.2, fps=20)
    kept = []
    with ic.Session(scene, paused=True, speed=None, fps=20) as session:
        for time in recorded.times[1:]:
            session.run_until(float(time))
            kept.append(session.snapshot())
        session.step(3)

    for k, now in enumerate(kept, start=1):
        for name, quantities in recorded.joints.items():
            force, torque = now.reactions[name]
            assert np.array_equal(force, quantities["force"][k])
            assert np.array_equal(torque, quantities["torque"][k])
        assert dict(now.clearances) == {
            name: quantities["clearance"][k] for name, quantities in recorded.bodies.items()
        }


def test_they_leave_no_trace():
    """A machine that is looked at after every step goes the same way, and what is not recorded is
    not measured.
    """
    alone = ic.simulate(arm(), duration=0.3).diagnostics["state_sha256"]
    with ic.Session(arm(), paused=True, speed=None) as session:
        while session.snapshot().time < 0.3 - 1e-9:
            session.step()
            assert np.isfinite(session.snapshot().reactions["elbow"][0]).all()
            assert not session.snapshot().clearances

        assert session.recording().diagnostics["state_sha256"] == alone
