"""Bodies at rest nap, and wake for what a session does to them."""

from __future__ import annotations

import pytest

import impulse_core as ic
from tests.contact.scenes import cube, scene

G = 9.81


def at_rest() -> ic.Session:
    """A cube of 1 kg that has lain on the ground for half a second, friction 0.5."""
    session = ic.Session(scene(cube("c")), step=0.01, paused=True)
    session.step(50)
    return session


@pytest.mark.parametrize("steps", [0, 5, 11])
def test_a_push_acts_on_what_naps_from_its_first_step(steps: int) -> None:
    """At any moment of a nap: ½ (F/m - μ g) t², and ½ F/m h t since F h/m comes at the start of
    each step. Four points bear the cube, however often it napped.
    """
    with at_rest() as session:
        session.step(steps + 1)
        session.post(ic.ApplyForce("c", (10.0, 0.0, 0.0), duration=0.3))
        after = session.step(30)
        session.step(200)
        contacts = session.recording().diagnostics["contacts"]

    way = 0.5 * (10.0 - 0.5 * G) * 0.3**2 + 0.5 * 10.0 * 0.01 * 0.3
    assert after.positions[1][0] == pytest.approx(way, rel=1e-6)
    assert contacts["max"] == 4


def test_the_work_of_pushes_is_lost_to_friction() -> None:
    """Those that move a body only as long as they last, in every step."""
    with at_rest() as session:
        before = session.snapshot().energy
        session.post(ic.ApplyForce("c", (3.0, 0.0, 0.0), duration=0.5))
        after = session.step(60).energy

    work = after["work_of_loads"] - before["work_of_loads"]
    lost = after["dissipated"] - before["dissipated"]
    assert work > 1e-3
    assert after["total"] - before["total"] == pytest.approx(work - lost, abs=1e-9 * work)


def test_a_pull_that_grows_moves_what_napped() -> None:
    """Beyond friction the body follows, however long it lay."""
    with at_rest() as session:
        session.post(ic.Drag("c", (0.0, 0.0, 0.0), (0.001, 0.0, 0.5)))
        session.step(40)
        session.post(ic.Drag("c", (0.0, 0.0, 0.0), (2.0, 0.0, 0.5)))
        after = session.step(200)

    assert after.positions[1][0] == pytest.approx(2.0, abs=0.2)
