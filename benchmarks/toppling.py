"""Rows of dominoes that topple: what the right speed of the wave costs, by either engine."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from impulse_schema import Scene

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sample_scenes" / "contact"))

from dominoes import dominoes, fall_times, speed_of

__all__ = ["FINER", "NEAR", "Wave", "cheapest_wave"]

COARSEST, HALVED = 0.04, 8  # s, the longest step that is tried, and how often it is halved at most
FINER = 8  # parts of a step, whose wave is the one to reach
NEAR = 0.01  # of its speed
_WARM = 30  # dominoes of a row before those that count


@dataclass(frozen=True)
class Wave:
    """A row that topples, at the largest step whose wave is as fast as at an eighth of it.

    Attributes:
        count: Dominoes.
        engine: And solver.
        step: [s], nan where none of those that were tried will do.
        speed: Of the wave [m/s].
        seconds: Processor time for a simulated second [s].
        rise: Largest rise of the energy in a step, over the energy at the start.
        depth: Largest overlap at the start of a step [m].
    """

    count: int
    engine: str
    step: float
    speed: float
    seconds: float
    rise: float
    depth: float


def cheapest_wave(count: int, build: Callable[[Scene, float], Any]) -> Wave:
    """Of an engine that is built for a scene and a step."""
    scene = dominoes(count)
    topple(dominoes(_WARM), _WARM, build, COARSEST)  # kernels are loaded at their first call
    waves: dict[int, Wave] = {}

    def wave(halved: int) -> Wave:
        if halved not in waves:
            waves[halved] = topple(scene, count, build, COARSEST / 2**halved)
        return waves[halved]

    deeper = FINER.bit_length() - 1
    for halved in range(HALVED + 1):
        if abs(wave(halved).speed / wave(halved + deeper).speed - 1.0) <= NEAR:
            return wave(halved)
    return replace(wave(HALVED), step=math.nan)


def topple(scene: Scene, count: int, build: Callable[[Scene, float], Any], step: float) -> Wave:
    """A whole run at one step."""
    engine = build(scene, step)
    steps = round(scene.settings.duration / step)
    turned = np.zeros((steps + 1, count, 4))
    turned[0] = engine.orientations()
    energy = np.zeros(steps + 1)
    energy[0] = engine.energy()
    seconds, depth = 0.0, 0.0
    for k in range(steps):
        began = time.thread_time()
        engine.advance()
        seconds += time.thread_time() - began
        turned[k + 1], energy[k + 1] = engine.orientations(), engine.energy()
        depth = max(depth, engine.depth())
    speed = speed_of(fall_times(step * np.arange(steps + 1), turned))
    rise = float(np.diff(energy).max()) / float(energy[0])
    return Wave(count, engine.name, step, speed, seconds / (steps * step), rise, depth)
