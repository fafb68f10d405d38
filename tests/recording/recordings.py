"""Recordings the tests of this folder share."""

from __future__ import annotations

from typing import Any

import numpy as np

from impulse_core.recording import Recording


def turning(
    frames: int = 5, names: tuple[str, ...] = ("hook", "boom/1"), **changes: Any
) -> Recording:
    """Bodies that move with irrational numbers and turn about z by half a radian per frame."""
    times = np.arange(frames) / 25
    angle = 0.5 * np.arange(frames)[:, None] + np.arange(len(names))[None, :]
    zero = np.zeros_like(angle)
    parts: dict[str, Any] = {
        "scene": "crane",
        "scene_sha256": "ab" * 32,
        "fps": 25.0,
        "step": 0.01,
        "method": "imp2",
        "solver": "direct",
        "times": times,
        "body_names": names,
        "positions": np.stack([np.sqrt(2) * angle, np.sin(angle), np.pi * angle], axis=2),
        "orientations": np.stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)], axis=2),
        "joints": {
            "pin": {
                "angle": np.sin(times),
                "force": np.outer(times, [1.0, -2.0, np.e]),
                "error": 1e-9 * times,
            },
            "weld": {},
        },
        "bodies": {name: {"clearance": np.cos(times) / 7.0} for name in names[-1:]},
        "energy": {"kinetic": times**2, "potential": -(times**2), "total": 0 * times},
        "momentum": {
            "linear": np.outer(times, [1, 2, 3]),
            "angular": np.outer(times, [3, 2, 1]),
        },
        "events": [{"time": 0.1, "kind": "note", "message": "half way"}],
        "diagnostics": {"step_count": 16, "momentum_drift": {"linear": None}},
    }
    return Recording(**{**parts, **changes})


def parts(recording: Recording) -> dict[str, Any]:
    """Everything a recording holds, with arrays as lists, so that two can be compared."""
    return {
        **vars(recording),
        "times": recording.times.tolist(),
        "positions": recording.positions.tolist(),
        "orientations": recording.orientations.tolist(),
        "joints": {
            joint: {name: values.tolist() for name, values in quantities.items()}
            for joint, quantities in recording.joints.items()
        },
        "bodies": {
            body: {name: values.tolist() for name, values in quantities.items()}
            for body, quantities in recording.bodies.items()
        },
        "energy": {name: values.tolist() for name, values in recording.energy.items()},
        "momentum": {name: values.tolist() for name, values in recording.momentum.items()},
    }
