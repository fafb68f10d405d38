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
    from impulse_core.simulation.live.commands import (
        AddLoad,
        ApplyForce,
        ApplyImpulse,
        ApplyTorque,
        Command,
        CommandError,
        Drag,
        EnableBody,
        EnableJoint,
        LoadState,
        Pause,
        Release,
        RemoveLoad,
        Reset,
        Resume,
        Rewind,
        SaveState,
        SetMotorTarget,
        SetParameter,
        SetSpeed,
        Step,
    )
    from impulse_core.simulation.live.receipts import Receipt, SessionError
    from impulse_core.simulation.live.session import Session
    from impulse_core.simulation.live.snapshots import Contacts, Snapshot
    from impulse_core.simulation.options import OptionError
    from impulse_core.simulation.run_keys import run_key
    from impulse_core.simulation.simulate import Progress, SimulationError, simulate

__version__ = "0.1.0"

_HOME = {
    "AddLoad": "simulation.live.commands",
    "ApplyForce": "simulation.live.commands",
    "ApplyImpulse": "simulation.live.commands",
    "ApplyTorque": "simulation.live.commands",
    "Command": "simulation.live.commands",
    "CommandError": "simulation.live.commands",
    "Contacts": "simulation.live.snapshots",
    "Drag": "simulation.live.commands",
    "EnableBody": "simulation.live.commands",
    "EnableJoint": "simulation.live.commands",
    "LoadState": "simulation.live.commands",
    "OptionError": "simulation.options",
    "Pause": "simulation.live.commands",
    "Progress": "simulation.simulate",
    "Receipt": "simulation.live.receipts",
    "Recording": "recording",
    "RecordingError": "recording",
    "Release": "simulation.live.commands",
    "RemoveLoad": "simulation.live.commands",
    "Reset": "simulation.live.commands",
    "Resume": "simulation.live.commands",
    "Rewind": "simulation.live.commands",
    "SaveState": "simulation.live.commands",
    "SceneError": "compile",
    "Session": "simulation.live.session",
    "SessionError": "simulation.live.receipts",
    "SetMotorTarget": "simulation.live.commands",
    "SetParameter": "simulation.live.commands",
    "SetSpeed": "simulation.live.commands",
    "SimulationError": "simulation.simulate",
    "Snapshot": "simulation.live.snapshots",
    "Step": "simulation.live.commands",
    "check": "simulation.checks",
    "describe": "analysis.description",
    "load_recording": "recording",
    "load_scene": "compile",
    "run_key": "simulation.run_keys",
    "simulate": "simulation.simulate",
}

__all__ = [
    "AddLoad",
    "ApplyForce",
    "ApplyImpulse",
    "ApplyTorque",
    "Command",
    "CommandError",
    "Contacts",
    "Drag",
    "EnableBody",
    "EnableJoint",
    "LoadState",
    "OptionError",
    "Pause",
    "Progress",
    "Receipt",
    "Recording",
    "RecordingError",
    "Release",
    "RemoveLoad",
    "Reset",
    "Resume",
    "Rewind",
    "SaveState",
    "SceneError",
    "Session",
    "SessionError",
    "SetMotorTarget",
    "SetParameter",
    "SetSpeed",
    "SimulationError",
    "Snapshot",
    "Step",
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
