"""The programs of docs/live.md around a session do what the page says."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from types import ModuleType

import matplotlib as mpl
import numpy as np

import impulse_core as ic
from tests.live.scenes import SAMPLES, walker

DOCS = Path(__file__).resolve().parents[2] / "docs"
WALKER = SAMPLES / "walking" / "walking-machine.xml"


def program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_another_loop_watches_and_commands():
    """Its own window, here without a screen, draws what the session does; its keys act."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    with ic.Session(walker(), speed=None) as session:
        scope = program("foreign_loop").Scope(session, "torso")
        for _ in range(5):
            session.wait()
            scope.draw()
        key = type("Key", (), {"key": "p"})
        scope.on_key(key)
        paused = session.wait(lambda s: s.state == "paused", 60.0)
        key.key = " "
        scope.on_key(key)
        session.step()
        assert session.log.entries[-1].command == ic.ApplyImpulse("torso", (0, 0, 20))
        key.key = "p"
        scope.on_key(key)
        session.wait(lambda s: s.step > paused.step + 10, 60.0)
        scope.draw()
    plt.close(scope.figure)

    assert len(scope.times) == 6
    assert scope.times == sorted(scope.times)
    assert 0.3 < np.mean(scope.heights) < 2.0


def test_the_environment_is_one_that_learners_can_use():
    """It passes Gymnasium's own check, starts again bit for bit, and rewards the way walked."""
    from gymnasium.utils.env_checker import check_env

    env = program("walker_env").WalkerEnv(str(WALKER))
    with warnings.catch_warnings():
        warnings.filterwarnings("error")
        check_env(env, skip_render_check=True)
    rewards = []
    for _ in range(2):
        env.reset(seed=1)
        told = [env.step(np.full(len(env.servos), 0.5, np.float32)) for _ in range(10)]
        rewards.append([reward for _, reward, *_ in told])
        way = env.session.snapshot().positions[env.body, 0]
    env.close()

    assert rewards[0] == rewards[1]
    np.testing.assert_allclose(sum(rewards[0]), way, atol=1e-12)
    assert abs(way) > 0.02
