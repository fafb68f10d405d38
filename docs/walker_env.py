"""A Gymnasium environment around a machine: learn to walk (docs/live.md).

    pip install "impulse-dynamics[learn]"
    python docs/walker_env.py sample_scenes/walking/walking-machine.xml

Each servo is told how fast to turn; the reward is how far the torso gets along x.
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import numpy as np

import impulse_core as ic

FASTEST = 2 * np.pi  # rad/s, of a servo's target
DECISIONS = 20  # a second
SECONDS = 5.0  # of an episode
HIGHEST = 1e3  # of any observation, in its unit


class WalkerEnv(gymnasium.Env):
    """Height, attitude and motion of a body, and the angles of all servos."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, scene: str, body: str = "torso") -> None:
        self.session = ic.Session(
            ic.load_scene(scene), paused=True, speed=None, snapshot_rate=1e6, rewind_memory_mb=1
        )
        first = self.session.snapshot()
        self.body = first.index(body)
        self.servos = [joint.name for joint in self.session.scene.joints if joint.motors]
        self.steps = max(1, round(1 / DECISIONS / self.session.scene.settings.step))
        one = np.ones(len(self.servos), dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-one, one)
        edge = np.full(self._seen(first).shape, HIGHEST)
        self.observation_space = gymnasium.spaces.Box(-edge, edge, dtype=np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.session.do(ic.Reset())
        self.targets = np.zeros(len(self.servos))
        return self._seen(self.session.snapshot()), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.targets = self.targets + FASTEST / DECISIONS * np.clip(action, -1, 1)
        wanted = tuple((name, 0, float(x)) for name, x in zip(self.servos, self.targets))
        before = self.session.snapshot().positions[self.body, 0]
        self.session.do(ic.SetMotorTargets(wanted))
        try:
            now = self.session.step(self.steps)
        except ic.SessionError as error:  # the machine broke down: the last good state, and over
            return self._seen(self.session.snapshot()), -1.0, True, False, {"error": str(error)}
        fallen = bool(now.positions[self.body, 2] < 0.5 * self._height)
        reward = float(now.positions[self.body, 0] - before)
        return self._seen(now), reward, fallen, now.time > SECONDS, {"time": now.time}

    def close(self) -> None:
        self.session.close()

    def _seen(self, now: ic.Snapshot) -> np.ndarray:
        if now.step == 0:
            self._height = now.positions[self.body, 2]
        b = self.body
        seen = [
            now.positions[b, 2:],
            now.orientations[b],
            now.velocities[b],
            now.angular_velocities[b],
            [now.joints[name]["angle"] for name in self.servos],
        ]
        return np.clip(np.concatenate(seen), -HIGHEST, HIGHEST)


if __name__ == "__main__":
    env = WalkerEnv(sys.argv[1])
    env.reset(seed=0)
    total, over = 0.0, False
    while not over:
        _, reward, fell, timed_out, _ = env.step(np.full(len(env.servos), 0.5))
        total, over = total + reward, fell or timed_out
    print(f"{total:.2f} m")
    env.close()
