"""Impulse: impulse-based simulation of jointed machines.

    import impulse_core as ic
    scene = ic.load_scene("walker.xml")
    recording = ic.simulate(scene, duration=10)
    recording.save("anim.json")

Importing this package is cheap: names, and with them the compiled kernels, load when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from impulse_core.analysis.description import describe
    from impulse_core.compile import SceneError, load_scene
    from impulse_core.recording import Recording, RecordingError, load_recording
    from impulse_core.simulation.checks import check
    from impulse_core.simulation.options import OptionError
    from impulse_core.simulation.run_keys import run_key
    from impulse_core.simulation.simulate import Progress, SimulationError, simulate

__version__ = "0.1.0"

_HOME = {
    "OptionError": "simulation.options",
    "Progress": "simulation.simulate",
    "Recording": "recording",
    "RecordingError": "recording",
    "SceneError": "compile",
    "SimulationError": "simulation.simulate",
    "check": "simulation.checks",
    "describe": "analysis.description",
    "load_recording": "recording",
    "load_scene": "compile",
    "run_key": "simulation.run_keys",
    "simulate": "simulation.simulate",
}

__all__ = [
    "OptionError",
    "Progress",
    "Recording",
    "RecordingError",
    "SceneError",
    "SimulationError",
    "check",
    "describe",
    "load_recording",
    "load_scene",
    "run_key",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
