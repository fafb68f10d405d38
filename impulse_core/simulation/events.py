"""What happened in steps, as the events of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from impulse_core.methods.runners import Runner
from impulse_core.model import Tally
from impulse_core.simulation.names import Names

__all__ = ["broken_joints", "contact_events"]


def contact_events(runner: Runner, names: Sequence[str]) -> list[dict[str, Any]]:
    """Touches and lift-offs of bodies with these names since the last call."""
    return [
        {"time": e.time, "kind": e.kind, "body1": names[e.body1], "body2": names[e.body2]}
        for e in runner.take_events()
    ]


def broken_joints(tally: Tally, names: Names, known: int) -> list[dict[str, Any]]:
    """Breaks of joints but for the first ``known``."""
    events = []
    for j, moment, force, torque in tally.broken[known : int(tally.totals["broken"][0])].tolist():
        name, body1, body2 = names.joint(j)
        event = {"time": moment, "kind": "break", "joint": name, "body1": body1, "body2": body2}
        events.append({**event, "force_n": force, "torque_n_m": torque})
    return events
