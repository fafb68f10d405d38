"""What a session did can be done again, bit for bit, from its log."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from random import Random

import numpy as np
import pytest

import impulse_core as ic
from tests.live.scenes import arm, brick, walker

SECONDS = 60.0 if os.environ.get("IMPULSE_SOAK") else 1.0
COMMANDS = 1_000_000 if os.environ.get("IMPULSE_SOAK") else 4_000
EVERY = 100 if os.environ.get("IMPULSE_SOAK") else 1  # step of which all that may be seen is known
THREADS = 4


def test_a_log_leads_to_the_same_bits(tmp_path):
    """Commands of every kind, posted while it runs, and read again from a file."""
    with ic.Session(walker(), speed=None, step=0.004) as session:
        session.post(ic.ApplyImpulse("torso", (0.1, 0.0, 0.3), point=(0.1, 0.0, 0.0)))
        session.wait(lambda s: s.step > 40)
        session.do(ic.SetParameter("settings.gravity[2]", -5.0))
        session.do(ic.SetMotorTarget("front-left-servo", 1.0))
        session.wait(lambda s: s.step > 80)
        session.do(ic.EnableJoint("rear-right-servo", enabled=False))
        session.do(ic.ApplyForce("torso", (0, 3, 0), 0.05, axes="body"))
        session.do(ic.Drag("torso", (0, 0, 0.1), (0, 0, 1.2)))
        session.wait(lambda s: s.step > 120)
        session.do(ic.EnableBody("rear-left-shank", enabled=False))
        session.do(ic.AddLoad({"name": "wind", "body": "torso", "force": (1, 0, 0)}))
        session.do(ic.SetParameter("settings.step", 0.003))
        session.wait(lambda s: s.step > 160)
        session.do(ic.Release())
        session.do(ic.ApplyTorque("torso", (0, 0, 1), 0.02))
        session.rewind(session.pause().time - 0.05)
        session.log.save(tmp_path / "session.log")
        recording = session.recording()

    log = ic.load_log(tmp_path / "session.log")
    again = ic.replay(walker(), log)

    assert again.diagnostics["digest"] == log.digest
    np.testing.assert_array_equal(again.positions, recording.positions)
    np.testing.assert_array_equal(again.times, recording.times)
    assert again.joints.keys() == recording.joints.keys()


def test_many_threads_and_readers():
    """Random commands from four threads, none lost, each acted or was refused; every snapshot is
    what the machine was at its step, which a replay shows; and the replay ends with the same bits.
    """
    seen: dict[int, bytes] = {}
    receipts: list[list[ic.Receipt]] = [[] for _ in range(THREADS)]
    session = ic.Session(arm(), speed=None, snapshot_rate=1000.0, rewind_memory_mb=1.0)
    over = threading.Event()

    def command(number: int) -> None:
        random = Random(number)  # NumPy's lets other threads go on at each call
        began = time.monotonic()
        for k in range(COMMANDS // THREADS):
            receipts[number].append(session.post(any_command(random)))
            if k % 50 == 0:  # even over the time
                ahead = began + SECONDS * k * THREADS / COMMANDS - time.monotonic()
                time.sleep(max(ahead, 0.0))

    def read() -> None:
        while not over.is_set():
            now = session.snapshot()
            seen[now.step] = now.positions.tobytes() + now.velocities.tobytes()
            time.sleep(0.001)

    readers = [threading.Thread(target=read) for _ in range(2)]
    writers = [threading.Thread(target=command, args=(k,)) for k in range(THREADS)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join(60 * SECONDS + 100)  # a session that cannot keep up lets them wait
    assert not any(thread.is_alive() for thread in writers)
    session.pause()
    over.set()
    for thread in readers:
        thread.join()
    log = session.log
    session.close()

    posted = [receipt for of_thread in receipts for receipt in of_thread]
    assert len(posted) == COMMANDS // THREADS * THREADS
    assert all(receipt.done for receipt in posted)
    for of_thread in receipts:  # in the order in which they were posted
        steps = [receipt.step for receipt in of_thread if receipt.step is not None]
        assert steps == sorted(steps)
    assert all(isinstance(r.error, ic.CommandError | None) for r in posted)
    assert sum(r.error is not None for r in posted) > 0
    assert len(seen) > 5
    assert ic.replay(arm(), log).diagnostics["digest"] == log.digest
    with ic.Session(arm(), speed=None, paused=True) as again:
        entries = deque(log.entries)
        for step in range(log.steps + 1):
            now = again.snapshot() if step == 0 else again.step()
            could_be = {now.positions.tobytes() + now.velocities.tobytes()}
            known = step in seen and step % EVERY == 0
            while entries and entries[0].step == step:
                receipt = again.post(entries.popleft().command)
                if known:
                    receipt.wait()
                    now = again.snapshot()
                    could_be.add(now.positions.tobytes() + now.velocities.tobytes())
            assert not known or seen[step] in could_be


def any_command(random: Random) -> ic.Command:
    """One that costs little; some are wrong."""
    x, y, z = (random.gauss(0.0, 1e-3) for _ in range(3))
    kinds = [
        lambda: ic.ApplyImpulse("lower", (x, y, z)),
        lambda: ic.ApplyImpulse("nobody", (x, y, z)),
        lambda: ic.SetMotorTarget("shoulder", x),
        lambda: ic.SetMotorTarget("elbow", x),
        lambda: ic.ApplyForce("upper", (x, y, z), 0.01),
        ic.Resume,
        lambda: ic.SetSpeed(None),
    ]
    return random.choice(kinds)()


def test_a_log_of_something_else_is_refused(tmp_path):
    """Another scene, a file that is no log, one that is cut off, and one that leads elsewhere."""
    with ic.Session(brick(), speed=None, paused=True) as session:
        session.do(ic.ApplyImpulse("brick", (0, 0, 1)))
        session.step(4)
        log = session.log
    with pytest.raises(ic.LogError, match="another scene"):
        ic.replay(arm(), log)
    path = tmp_path / "x.log"
    log.save(path)
    lines = path.read_text().splitlines(keepends=True)
    for text, says in (
        ("".join(lines[:-1]), "cut off"),
        ("{}\n", "no part of a log"),
        ("".join([lines[0], '{"step": 1, "command": "Explode"}\n', lines[-1]]), "no command"),
        ("".join([lines[0], '{"step": 1, "command": "Step", "x": 1}\n']), "has no x"),
        ("nonsense", ":1: this line"),
    ):
        path.write_text(text)
        with pytest.raises(ic.LogError, match=says):
            ic.load_log(path)
    path.write_text("".join([lines[0], lines[1].replace("1", "2"), lines[-1]]))
    with pytest.raises(ic.LogError, match="did not lead"):
        ic.replay(brick(), ic.load_log(path))
    with pytest.raises(ic.LogError, match="no-such"):
        ic.load_log(tmp_path / "no-such.log")


def test_every_command_is_written_and_read():
    """What goes into a line of a log comes out of it equal."""
    from impulse_core.simulation.live.commands import COMMANDS as KINDS
    from impulse_core.simulation.live.commands import command_from, command_line

    examples = {
        "Step": [3], "SetSpeed": [None], "SetParameter": ["settings.gravity", (0.0, 0.0, 1.0)],
        "ApplyImpulse": ["b", (1.0, 2.0, 3.0), None, "body"], "ApplyForce": ["b", (1, 2, 3), 0.5],
        "ApplyTorque": ["b", (1, 2, 3), 0.5], "Drag": ["b", (1, 2, 3), (4, 5, 6), 7.0],
        "SetMotorTarget": ["j", 1.0, 2], "SetMotorTargets": [(("j", 0, 1.0), ("k", 1, 2.0))],
        "EnableJoint": ["j", False], "EnableBody": ["b", False], "AddLoad": [{"name": "wind"}],
        "RemoveLoad": ["wind"], "Rewind": [1.5], "SaveState": ["x"], "LoadState": ["x"],
    }  # fmt: skip
    for name, kind in KINDS.items():
        command = kind(*examples.get(name, []))
        assert command_from(command_line(command)) == command
