"""Machines of a batch go the way that they go alone, bit for bit, on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from tests.live.scenes import arm, brick, walker


def test_each_machine_is_what_simulate_computes():
    """With contacts and loops, on one thread and on three, in calls of any length."""
    alone = ic.simulate(walker(), duration=0.5)
    for threads, calls in ((1, (100,)), (3, (1, 36, 63))):
        batch = ic.Batch(walker(), 5, threads=threads)
        for steps in calls:
            batch.step(steps)
        assert len(batch) == 5
        np.testing.assert_allclose(batch.times, 0.5)
        for k in range(5):
            np.testing.assert_array_equal(batch.positions[k], alone.positions[-1])
            np.testing.assert_array_equal(batch.orientations[k], alone.orientations[-1])
        assert len({batch.digest(k) for k in range(5)}) == 1


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_targets_are_each_machines_own(threads):
    """What one is told does not reach another; each is the session that was told the same."""
    batch = ic.Batch(arm(), 6, threads=threads, step=0.005)
    wanted = np.linspace(-1.0, 1.0, 6)[:, None]
    assert batch.motors == (("shoulder", 0),)
    batch.step(10)
    batch.set_targets(wanted)
    batch.step(30)

    for k in range(6):
        with ic.Session(arm(), paused=True, speed=None, step=0.005) as session:
            session.step(10)
            session.do(ic.SetMotorTarget("shoulder", float(wanted[k, 0])))
            now = session.step(30)
        assert session.log.digest == batch.digest(k)
        np.testing.assert_array_equal(now.positions, batch.positions[k])
        np.testing.assert_array_equal(now.velocities, batch.velocities[k])
        np.testing.assert_array_equal(now.angular_velocities, batch.angular_velocities[k])
        assert batch.snapshot(k).joints == now.joints


def test_machines_go_back_alone_and_to_each_others_moments():
    """After a reset the same way again; a moment of one machine is one of any other."""
    batch = ic.Batch(arm(), 3, threads=2)
    batch.set_targets([[0.1], [0.5], [0.9]])
    batch.step(20)
    kept = batch.moments()
    batch.step(15)
    ends = [batch.digest(k) for k in range(3)]
    assert len(set(ends)) == 3

    batch.restore({0: kept[2], 2: kept[0]})
    batch.step(15)
    assert [batch.digest(0), batch.digest(2)] == [ends[2], ends[0]]
    batch.reset([1])
    assert batch.times[1] == 0.0
    batch.set_targets([[0.9], [0.5], [0.1]])
    batch.step(35)
    assert batch.digest(1) == ends[1]
    with pytest.raises(ic.OptionError, match="another batch"):
        batch.restore({0: ic.Batch(arm(), 1).moments()[0]})


def test_states_have_the_machines_first():
    """They are the machines' own, so a change of one is a change of its motion."""
    batch = ic.Batch(brick(), 4, threads=2)
    batch.state.bodies["velocity"][:, 0, 0] = [0.0, 1.0, 2.0, 3.0]
    batch.step(10)
    np.testing.assert_allclose(batch.positions[:, 0, 0], batch.times * [0.0, 1.0, 2.0, 3.0])


def test_one_that_fails_stands_still_and_says_why():
    """The others go on; after a reset it does, too."""
    scene = arm()
    scene.joints[0].motors[0].expression = "0.1 if t < 0.2 else 1/(t - t)"
    batch = ic.Batch(scene, 3, threads=2)
    batch.step(5)
    batch.set_targets([[0.1]] * 3)
    batch._machines[1].targets.put_all({})  # what the scene says
    batch.step(40)

    assert list(batch.failures) == [1]
    assert "shoulder" in batch.failures[1]
    assert batch.times[1] <= 0.2
    assert batch.snapshot(1).state == "failed"
    assert batch.times[0] == batch.times[2] > 0.4
    batch.reset([1])
    assert not batch.failures


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"count": 0}, "count is 0"),
        ({"count": 2.0}, "count is 2.0"),
        ({"count": 1, "threads": 0}, "threads is 0"),
        ({"count": 1, "fps": 5}, "no option fps"),
        ({"count": 1, "step": -1.0}, "step"),
    ],
)
def test_what_cannot_be_is_refused(arguments, says):
    """By name."""
    with pytest.raises(ic.OptionError, match=says):
        ic.Batch(brick(), **arguments)


def test_wrong_targets_and_steps_are_refused():
    """The machines are as they were."""
    batch = ic.Batch(arm(), 2)
    before = batch.digest(0)
    for values, says in (([[1.0]], "shape"), ([[1.0], [np.nan]], "finite")):
        with pytest.raises(ic.TargetError, match=says):
            batch.set_targets(values)
    with pytest.raises(ic.OptionError, match="steps is 0"):
        batch.step(0)
    assert batch.digest(0) == before


def test_many_runs_are_the_runs_alone():
    """Of parameters and of scenes, in their order; one that fails is kept as far as it came."""
    values = [{"settings.gravity[2]": g} for g in (-1.0, -5.0, -9.0)]
    runs = ic.simulate_many(arm(), values, workers=2, duration=0.3)
    scenes = [ic.set_parameters(arm(), each) for each in values]
    again = ic.simulate_many(scenes, workers=1, duration=0.3)
    for scene, one, other in zip(scenes, runs, again, strict=True):
        alone = ic.simulate(scene, duration=0.3).diagnostics["state_sha256"]
        assert one.diagnostics["state_sha256"] == other.diagnostics["state_sha256"] == alone

    bad = arm()
    bad.joints[0].motors[0].expression = "0.1 if t < 0.1 else 1/(t - t)"
    good, failed = ic.simulate_many([arm(), bad], duration=0.3)
    assert good.complete
    assert not failed.complete
    assert failed.events[-1]["kind"] == "failure"
    assert ic.simulate_many([]) == []


def test_many_runs_are_checked_before_the_first():
    """Paths, and what does not go together."""
    with pytest.raises(ic.ParameterError, match="gravity"):
        ic.simulate_many(arm(), [{}, {"settings.gravty[2]": 1.0}])
    with pytest.raises(ic.OptionError, match="one scene"):
        ic.simulate_many([arm()], [{}])
    with pytest.raises(ic.OptionError, match="workers is 0"):
        ic.simulate_many(arm(), workers=0)
