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
    from impulse_core.checkpoints import StateFileError
    from impulse_core.compile import SceneError, load_scene
    from impulse_core.compile.editing import (
        Parameter,
        ParameterError,
        find_parameters,
        list_parameters,
        set_parameters,
    )
    from impulse_core.recording import Recording, RecordingError, load_recording
    from impulse_core.simulation.batch import Batch
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
        SetMotorTargets,
        SetParameter,
        SetSpeed,
        Step,
    )
    from impulse_core.simulation.live.history import Entry
    from impulse_core.simulation.live.log import Log, LogError, load_log, replay
    from impulse_core.simulation.live.receipts import Receipt, SessionError
    from impulse_core.simulation.live.session import Session
    from impulse_core.simulation.live.subscriptions import Subscription
    from impulse_core.simulation.many import simulate_many
    from impulse_core.simulation.options import OptionError
    from impulse_core.simulation.run_keys import run_key
    from impulse_core.simulation.running import Progress, SimulationError
    from impulse_core.simulation.simulate import simulate
    from impulse_core.simulation.snapshots import Contacts, Snapshot
    from impulse_core.simulation.targets import TargetError
    from impulse_core.simulation.to_file import simulate_to_file
    from impulse_core.simulation.written import Written

__version__ = "0.1.0"

_HOME = {
    "AddLoad": "simulation.live.commands",
    "ApplyForce": "simulation.live.commands",
    "ApplyImpulse": "simulation.live.commands",
    "ApplyTorque": "simulation.live.commands",
    "Batch": "simulation.batch",
    "Command": "simulation.live.commands",
    "CommandError": "simulation.live.commands",
    "Contacts": "simulation.snapshots",
    "Drag": "simulation.live.commands",
    "EnableBody": "simulation.live.commands",
    "EnableJoint": "simulation.live.commands",
    "Entry": "simulation.live.history",
    "LoadState": "simulation.live.commands",
    "Log": "simulation.live.log",
    "LogError": "simulation.live.log",
    "OptionError": "simulation.options",
    "Parameter": "compile.editing",
    "ParameterError": "compile.editing",
    "Pause": "simulation.live.commands",
    "Progress": "simulation.running",
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
    "SetMotorTargets": "simulation.live.commands",
    "SetParameter": "simulation.live.commands",
    "SetSpeed": "simulation.live.commands",
    "SimulationError": "simulation.running",
    "Snapshot": "simulation.snapshots",
    "Step": "simulation.live.commands",
    "Subscription": "simulation.live.subscriptions",
    "StateFileError": "checkpoints",
    "TargetError": "simulation.targets",
    "Written": "simulation.written",
    "check": "simulation.checks",
    "describe": "analysis.description",
    "find_parameters": "compile.editing",
    "list_parameters": "compile.editing",
    "load_log": "simulation.live.log",
    "load_recording": "recording",
    "load_scene": "compile",
    "replay": "simulation.live.log",
    "run_key": "simulation.run_keys",
    "set_parameters": "compile.editing",
    "simulate": "simulation.simulate",
    "simulate_many": "simulation.many",
    "simulate_to_file": "simulation.to_file",
}

__all__ = [
    "AddLoad",
    "ApplyForce",
    "ApplyImpulse",
    "ApplyTorque",
    "Batch",
    "Command",
    "CommandError",
    "Contacts",
    "Drag",
    "EnableBody",
    "EnableJoint",
    "Entry",
    "LoadState",
    "Log",
    "LogError",
    "OptionError",
    "Parameter",
    "ParameterError",
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
    "SetMotorTargets",
    "SetParameter",
    "SetSpeed",
    "SimulationError",
    "Snapshot",
    "StateFileError",
    "Step",
    "Subscription",
    "TargetError",
    "Written",
    "check",
    "describe",
    "find_parameters",
    "list_parameters",
    "load_log",
    "load_recording",
    "load_scene",
    "replay",
    "run_key",
    "set_parameters",
    "simulate",
    "simulate_many",
    "simulate_to_file",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
