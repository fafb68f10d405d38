"""A row of dominoes that topple one after another."""

from __future__ import annotations

import math

import numpy as np
from solids import friction, ground

from impulse_core.geometry.rotations import rotated
from impulse_core.recording import Recording
from impulse_core.types import Floats
from impulse_schema import Body, Geometry, Scene, Settings

SIZE = (0.0075, 0.025, 0.05)  # m, along the row, across it, upwards
PITCH = 0.025  # m
DENSITY = 1200.0  # kg/m³
FRICTION = 0.3
PUSH = 6.0  # rad/s, of the first one of this height about its lower front edge
PASSED, SETTLED = 0.03, 1.0  # s, what the wave needs for one of this height at most, and to end
FALLEN = 0.2  # rad, the tilt that a wave is timed by


def dominoes(
    count: int = 50, *, pitch: float = PITCH, size: tuple[float, float, float] = SIZE
) -> Scene:
    """Dominoes on a plane, of which the first is pushed over.

    Args:
        count: How many.
        pitch: From one to the next [m].
        size: Edges along the row, across it and upwards [m].
    """
    row = []
    thickness, _, height = size
    slower = math.sqrt(height / SIZE[2])  # what is larger falls more slowly
    for k in range(count):
        rate = PUSH / slower if k == 0 else 0.0
        row.append(
            Body(
                name=f"domino-{k}",
                position=(k * pitch, 0.0, height / 2),
                density=DENSITY,
                velocity=(rate * height / 2, 0.0, rate * thickness / 2),
                angular_velocity=(0.0, rate, 0.0),
                geometry=[Geometry(shape="box", size=size, material="wood")],
            )
        )
    return Scene(
        version=1,
        name=f"dominoes-{count}",
        description=f"{count} dominoes topple, each pushed by the one before.",
        settings=Settings(step=0.005, duration=round(slower * (count * PASSED + SETTLED), 3)),
        materials=[friction("wood", FRICTION)],
        bodies=[ground("wood"), *row],
    )


def fall_times(times: Floats, orientations: Floats) -> Floats:
    """When each domino is first tilted by FALLEN [s], shape (dominoes,); infinite where never.

    Args:
        times: Of the frames [s], shape (frames,).
        orientations: Of the dominoes, shape (frames, dominoes, 4).
    """
    upwards = rotated(orientations, np.array([0.0, 0.0, 1.0]))
    tilt = np.arctan2(upwards[..., 0], upwards[..., 2])
    after = np.argmax(tilt >= FALLEN, axis=0)
    k = np.arange(tilt.shape[1])
    low, high = tilt[after - 1, k], tilt[after, k]
    share = np.where(after > 0, (FALLEN - low) / np.where(high > low, high - low, 1.0), 0.0)
    found = times[after] - (1.0 - share) * (times[after] - times[after - 1])
    return np.where(after > 0, found, np.inf)


def wave_speed(recording: Recording, pitch: float = PITCH) -> float:
    """Of the wave over the second half of the row [m/s]: the slope of place over time."""
    rows = [k for k, name in enumerate(recording.body_names) if name.startswith("domino-")]
    return speed_of(fall_times(recording.times, recording.orientations[:, rows]), pitch)


def speed_of(reached: Floats, pitch: float = PITCH) -> float:
    """Slope of place over the times at which dominoes fell, in the second half of a row [m/s]; nan
    where one of these never fell.
    """
    half = reached[len(reached) // 2 : -2]  # the last ones have less to push
    if not np.isfinite(half).all():
        return math.nan
    return float(np.polyfit(half, pitch * np.arange(len(half)), 1)[0])
