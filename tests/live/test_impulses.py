"""Joints answer to all impulses of a step together, and looking in between makes no difference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from tests.live.scenes import arm, walker

LOOKS = {
    "a snapshot": lambda session, _: session.snapshot(),
    "a digest": lambda session, _: session.digest(),
    "a recording": lambda session, _: session.recording(),
    "a log": lambda session, _: session.log,
    "a file": lambda session, folder: session.save(folder / "x.state"),
    "what is refused": lambda session, _: _refused(session),
}
"""Of a session, or what changes nothing."""

triple = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
pushes = st.tuples(st.sampled_from(["upper", "lower"]), triple, st.sampled_from([None, *LOOKS]))


def _refused(session):
    for command in (
        ic.SetParameter("bodies[lower].mass", -1.0),
        ic.ApplyImpulse("nobody", (0, 0, 1)),
        ic.EnableJoint("nothing", True),
        ic.EnableJoint("elbow", True),  # as it is
    ):
        try:
            session.do(command)
        except ic.CommandError:
            continue


@settings(max_examples=25)
@given(st.lists(pushes, min_size=1, max_size=6), st.integers(0, 30), st.booleans())
def test_looks_between_impulses_change_no_bit(tmp_path_factory, strokes, first, contacts):
    """Whatever is asked between two impulses, the steps after them are the same."""
    folder = tmp_path_factory.mktemp("looks")
    digests = []
    for looks in (True, False):
        with ic.Session(arm(), speed=None, paused=True, contacts=contacts) as session:
            if first:
                session.step(first)
            for body, impulse, look in strokes:
                session.do(ic.ApplyImpulse(body, impulse))
                if looks and look is not None:
                    LOOKS[look](session, folder)
            pushed = session.digest()
            session.step(7)
            digests.append((pushed, session.digest()))
            log = session.log
        assert ic.replay(arm(), log).diagnostics["digest"] == digests[-1][1]
    assert digests[0] == digests[1]


@settings(max_examples=25)
@given(st.lists(pushes, min_size=1, max_size=8))
def test_the_answer_to_many_is_that_to_each(strokes):
    """Velocities depend on the impulses linearly, so together they do what one by one they do."""
    ends = []
    for apart in (True, False):
        with ic.Session(arm(), speed=None, paused=True, tolerance=1e-12) as session:
            session.step(3)
            for body, impulse, _ in strokes:
                session.do(ic.ApplyImpulse(body, impulse))
                if apart:  # what is carried out in between lets joints answer
                    session.do(ic.SetParameter("settings.gravity[2]", -9.81))
            ends.append((session.snapshot(), session.recording()))
    scale = 1.0 + sum(np.linalg.norm(impulse) for _, impulse, _ in strokes)
    for name in ("velocities", "angular_velocities"):
        together, one_by_one = (getattr(end, name) for end, _ in ends)
        np.testing.assert_allclose(together, one_by_one, atol=1e-9 * scale)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_work_of_impulses_is_what_the_energy_changes_by(count):
    """Also of a machine with loops, contacts and servos."""
    with ic.Session(walker(), speed=None, paused=True) as session:
        session.step(20)
        before = session.snapshot()
        for k in range(count):
            session.do(ic.ApplyImpulse("torso", (0.1 * k, 0.2, 0.5), point=(0.1, 0.0, 0.0)))
        after = session.snapshot()
        assert after.energy["work_of_loads"] - before.energy["work_of_loads"] == pytest.approx(
            after.energy["total"] - before.energy["total"], rel=1e-9
        )
        assert after.energy["total"] > before.energy["total"] + 0.01


def test_a_moment_between_two_impulses_is_gone_back_to_whole():
    """Rewinding drops impulses to which nothing has answered yet, and a reset does."""
    with ic.Session(arm(), speed=None, paused=True) as session:
        session.step(5)
        now = session.digest()
        session.do(ic.ApplyImpulse("lower", (1, 2, 3)))
        assert session.digest() != now
        session.rewind(session.snapshot().time)
        assert session.digest() == now
        session.do(ic.ApplyImpulse("lower", (1, 2, 3)))
        session.do(ic.Reset())
        session.step(5)
        assert session.digest() == now
