"""Machines side by side: steps of a batch of walking machines on one thread and on more.

    python benchmarks/batch.py [COUNT [STEPS]]

Default 256 machines and 100 steps, best of five; beside them MuJoCo's rollout module, where it is
installed, with a machine of as many legs (six legs of three hinges with servos on a torso).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import impulse_core as ic

WALKER = Path(__file__).resolve().parents[1] / "sample_scenes" / "walking" / "walking-machine.xml"
ROUNDS = 5


def best(run: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds of the fastest of some runs."""
    found = []
    for _ in range(ROUNDS):
        wall, own = time.perf_counter(), time.process_time()
        run()
        found.append((time.perf_counter() - wall, time.process_time() - own))
    return min(found)


def batches(count: int, steps: int) -> None:
    """Machine-steps per second of a batch, by threads."""
    scene, alone = ic.load_scene(WALKER), 0.0
    for threads in dict.fromkeys((1, 2, os.cpu_count() or 1)):
        batch = ic.Batch(scene, count, threads=threads)
        batch.step(200)  # on its feet
        start = dict(enumerate(batch.moments()))

        def run(batch: ic.Batch = batch, start: dict = start) -> None:
            batch.restore(start)
            batch.step(steps)

        wall, own = best(run)
        rate = count * steps / wall
        alone = alone or rate
        print(
            f"{count} walking machines, {threads} threads: {rate:.0f} machine-steps a second"
            f" ({rate / alone:.2f} x), {1e6 * own / count / steps:.0f} us of processor each"
        )


def rollouts(count: int, steps: int) -> None:
    """The same of MuJoCo."""
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        print("MuJoCo is not installed")
        return
    model = mujoco.MjModel.from_xml_string(six_legs())
    model.opt.timestep = 0.005
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 200)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(size)
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.tile(state, (count, 1))
    for threads in (1, 2):
        datas = [mujoco.MjData(model) for _ in range(threads)]

        def run(datas: list = datas) -> None:
            rollout.rollout(model, datas, states, np.zeros((count, steps, model.nu)))

        wall, own = best(run)
        print(
            f"MuJoCo, {count} machines of {model.nbody - 1} bodies, {threads} threads:"
            f" {count * steps / wall:.0f} machine-steps a second,"
            f" {1e6 * own / count / steps:.0f} us of processor each"
        )


def six_legs() -> str:
    """A torso on six legs of three hinges, in MuJoCo's format; it stands by its servos."""
    legs, servos = [], []
    for k, (x, y) in enumerate((x, y) for x in (-0.4, 0.0, 0.4) for y in (-0.2, 0.2)):
        legs.append(
            f"""
      <body pos="{x} {y} 0"><joint name="a{k}" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0 {y / 2} 0" size="0.03" mass="0.3"/>
        <body pos="0 {y / 2} 0"><joint name="b{k}" axis="1 0 0"/>
          <geom type="capsule" fromto="0 0 0 0 {y / 2} -0.15" size="0.03" mass="0.3"/>
          <body pos="0 {y / 2} -0.15"><joint name="c{k}" axis="1 0 0"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.03" mass="0.3"/>
          </body></body></body>"""
        )
        servos += [f'<position joint="{joint}{k}" kp="80" kv="4"/>' for joint in "abc"]
    return f"""<mujoco>
      <option solver="Newton" cone="elliptic" integrator="implicitfast"/>
      <default><joint armature="0.01" damping="0.5"/></default><worldbody>
      <geom type="plane" size="5 5 1"/><body pos="0 0 0.44"><freejoint/>
      <geom type="box" size="0.5 0.15 0.05" mass="5"/>{"".join(legs)}</body></worldbody>
      <actuator>{"".join(servos)}</actuator></mujoco>"""


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    count = arguments[0] if arguments else 256
    steps = arguments[1] if len(arguments) > 1 else 100
    batches(count, steps)
    rollouts(count, steps)
