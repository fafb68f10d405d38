"""What a live session costs: snapshots, commands, the way back, real time.

    python benchmarks/session.py [SECONDS]

SECONDS of real time are kept for each machine, default 60.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from random import Random

import numpy as np

import impulse_core as ic

SAMPLES = Path(__file__).resolve().parents[1] / "sample_scenes"
WALKER = SAMPLES / "walking" / "walking-machine.xml"
LEG = SAMPLES / "machines" / "leg.xml"
JANSEN = SAMPLES / "machines" / "jansen-walker.xml"
ROUNDS = 7


def speed(rate: float) -> float:
    """Simulated seconds of the walking machine per second of processor, with so many snapshots."""
    with ic.Session(ic.load_scene(WALKER), speed=None, paused=True, snapshot_rate=rate) as session:
        session.run_until(1.0)
        began = time.process_time()
        session.run_until(11.0)
        return 10.0 / (time.process_time() - began)


def snapshots() -> None:
    """The speed with and without snapshots, in turns, as the machine has other work too."""
    with_, without = [], []
    for _ in range(ROUNDS):
        without.append(speed(1e-3))
        with_.append(speed(200.0))
    cost = 1.0 - max(with_) / max(without)
    print(f"free: {max(without):.2f}, with 200 snapshots a second {max(with_):.2f} times real time")
    print(f"cost of the snapshots: {100 * cost:.1f} % (best of {ROUNDS} each)")
    began = time.perf_counter()
    ic.simulate(ic.load_scene(WALKER), duration=11.0)
    print(f"simulate, with start: {11.0 / (time.perf_counter() - began):.2f} times real time")


def way_back() -> None:
    """Memory of a minute, and the time to reach any moment of it."""
    with ic.Session(ic.load_scene(WALKER), speed=None, paused=True) as session:
        session.run_until(60.0)
        print(f"moments of 60 s: {session._worker.history.bytes / 1e6:.1f} MB")
        times = []
        for to in np.linspace(59.9, 0.1, 60):
            began = time.perf_counter()
            session.rewind(float(to))
            times.append(time.perf_counter() - began)
        print(f"rewind: mean {1e3 * np.mean(times):.1f} ms, longest {1e3 * max(times):.1f} ms")


def real_time(scene: Path, seconds: float) -> None:
    """How late snapshots come, and what of real time is lost."""
    with ic.Session(ic.load_scene(scene)) as session:
        lags = []
        session.subscribe(lambda now: lags.append(now.lag))
        start, began = session.snapshot().time, time.perf_counter()
        time.sleep(seconds)
        now = session.snapshot()
        drift = time.perf_counter() - began - (now.time - start)
    late = 1e3 * np.array(lags)
    print(
        f"{scene.stem}: drift {1e3 * drift:.1f} ms after {seconds:g} s, {now.lost:.3f} s lost, lag"
        f" mean {late.mean():.2f} ms, 99 % below {np.percentile(late, 99):.2f},"
        f" most {late.max():.1f}"
    )


def commands() -> None:
    """How long a command waits for its step, and what one costs."""
    with ic.Session(ic.load_scene(WALKER)) as session:
        waits = []
        for _ in range(100):
            began = time.perf_counter()
            session.do(ic.SetMotorTargets(()))
            waits.append(time.perf_counter() - began)
        print(f"a command acts after {1e3 * np.median(waits):.2f} ms (median)")
        session.pause()
        for command in (
            ic.ApplyImpulse("torso", (0, 0, 0.001)),
            ic.SetMotorTarget("front-left-servo", 1.0),
            ic.SetParameter("settings.gravity[2]", -9.8),
        ):
            began = time.perf_counter()
            for _ in range(20):
                session.do(command)
            each = (time.perf_counter() - began) / 20
            print(f"{type(command).__name__}: {1e3 * each:.2f} ms")


def storm(count: int = 1_000_000, threads: int = 4) -> None:
    """How long very many commands of several threads take until the last has acted."""
    kinds = (
        lambda x: ic.ApplyImpulse("crank", (x, 0.0, x)),
        lambda x: ic.ApplyForce("shank", (x, 0.0, 0.0), 0.005),
        lambda x: ic.SetMotorTarget("servo", x),
    )

    def post(number: int) -> None:
        random = Random(number)  # NumPy's lets other threads go on at each call
        for _ in range(count // threads):
            session.post(random.choice(kinds)(random.gauss(0.0, 1e-4)))

    with ic.Session(ic.load_scene(LEG), speed=None) as session:
        writers = [threading.Thread(target=post, args=(k,)) for k in range(threads)]
        began = time.perf_counter()
        for thread in writers:
            thread.start()
        for thread in writers:
            thread.join()
        session.pause()
        print(f"{count} commands of {threads} threads: {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    snapshots()
    way_back()
    commands()
    storm()
    for scene in (WALKER, JANSEN):
        real_time(scene, float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
