"""Made-up motion for the tests of playback."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Motion:
    """What playback needs of a recording."""

    times: np.ndarray
    body_names: list[str]
    positions: np.ndarray
    orientations: np.ndarray


def turning(names, *, frames=20, fps=25.0, seed=1, rate=1.2) -> Motion:
    """Bodies that move and turn about axes of their own; ``rate`` [rad] per frame."""
    random = np.random.default_rng(seed)
    count = len(names)
    angles = rate * np.arange(frames)[:, None] / 2 + random.uniform(0, 3, count)
    axes = random.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    orientations = np.concatenate(
        [np.cos(angles)[..., None], np.sin(angles)[..., None] * axes], axis=-1
    )
    # A solver may write q or -q, which is the same rotation.
    orientations *= random.choice([-1.0, 1.0], size=(frames, count, 1))
    positions = np.cumsum(random.normal(scale=0.1, size=(frames, count, 3)), axis=0)
    return Motion(np.arange(frames) / fps, list(names), positions, orientations)


def recording_of(motion: Motion):
    """The motion as a recording of the simulator's own library, without energies."""
    from impulse_core.recording import Recording

    return Recording(
        scene="test",
        fps=25.0,
        step=0.01,
        method="imp2",
        solver="direct",
        times=motion.times,
        body_names=motion.body_names,
        positions=motion.positions,
        orientations=motion.orientations,
    )
