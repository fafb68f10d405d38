"""What a session has shown so far: snapshots at even times, as many as there is room for."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from impulse_cli.plots.curves import Curve, unit_of
from impulse_cli.viewer.joint_errors import JointErrors
from impulse_core.recording import Recording, RecordingError

if TYPE_CHECKING:
    from impulse_core import Snapshot
    from impulse_schema import Scene

__all__ = ["FPS", "History"]

FPS = 50.0
"""Moments that are kept of a simulated second."""

_BYTES = 256e6
_OF_A_BODY = 200  # bytes that a snapshot keeps of it
_POINTS = 300  # of a curve
_WHOLE = ("kinetic", "potential", "total")


class _Line(NamedTuple):
    """What can be plotted: on which axes, whose, called what, and its value at a moment."""

    panel: str
    owner: str
    name: str
    value: Callable[[Snapshot], float]


class History:
    """Snapshots of one session, oldest first; of long ones the oldest are forgotten."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._lock = threading.Lock()
        self._snapshots: list[Snapshot] = []
        self._times: list[float] = []
        self._errors = JointErrors(scene)
        self._most = int(_BYTES / (_OF_A_BODY * (len(scene.bodies) + 10)))

    def add(self, snapshot: Snapshot) -> None:
        """Keep a snapshot if it is time for one; what was kept of later times did not happen."""
        with self._lock:
            after = bisect.bisect_left(self._times, snapshot.time - 1e-9)
            del self._times[after:], self._snapshots[after:]
            if self._times and snapshot.time < self._times[-1] + (1.0 - 1e-6) / FPS:
                return
            self._times.append(snapshot.time)
            self._snapshots.append(snapshot)
            if len(self._times) > self._most:
                del self._times[: self._most // 10], self._snapshots[: self._most // 10]

    def _few(self) -> list[Snapshot]:
        """As many as a plot has room for, mostly the same ones, so that each is looked at once."""
        with self._lock:
            stride = 1
            while len(self._snapshots) > stride * _POINTS:
                stride *= 2
            few = self._snapshots[::stride]
            return (
                few if len(self._snapshots) % stride == 1 % stride else [*few, self._snapshots[-1]]
            )

    def quantities(self) -> list[str]:
        """Names of what can be plotted."""
        with self._lock:
            newest = self._snapshots[-1] if self._snapshots else None
        joints = newest.joints if newest else {}
        more = ["force", "torque"] if joints else []
        more += ["clearance"] if newest and newest.clearances else []
        errors = ["joint_error"] if self._errors.names else []
        known = ["energy", "work", "momentum", *errors, "positions", "speed", "contact_force"]
        return known + sorted({*more, *(name for values in joints.values() for name in values)})

    def names(self, quantity: str) -> list[str]:
        """The bodies or joints that have a quantity; empty where it is of the whole scene."""
        owners = dict.fromkeys(line.owner for line in self._lines(quantity))
        return [owner for owner in owners if owner]

    def curves(self, quantity: str, only: Sequence[str]) -> list[Curve]:
        """The curves of a quantity."""
        few = self._few()
        times = np.array([snapshot.time for snapshot in few])
        return [
            Curve(line.panel, line.name, times, np.array([line.value(s) for s in few]))
            for line in self._lines(quantity)
            if not only or line.owner in only
        ]

    def _lines(self, quantity: str) -> Iterator[_Line]:
        with self._lock:
            if not self._snapshots:
                return
            newest = self._snapshots[-1]
        match quantity:
            case "energy" | "work":
                for name in newest.energy:
                    if (name in _WHOLE) == (quantity == "energy"):
                        yield _Line(f"{quantity} [J]", "", name, partial(_energy, name))
            case "momentum":
                for name in newest.momentum:
                    for k, axis in enumerate("xyz"):
                        panel = f"momentum [{unit_of(name)}]"
                        yield _Line(panel, "", f"{name} {axis}", partial(_momentum, name, k))
            case "positions":
                for b, body in enumerate(newest.bodies):
                    for k, axis in enumerate("xyz"):
                        yield _Line("position [m]", body, f"{body} {axis}", partial(_place, b, k))
            case "speed":
                for b, body in enumerate(newest.bodies):
                    yield _Line("speed [m/s]", body, body, partial(_speed, b))
            case "contact_force":
                for b, body in enumerate(newest.bodies):
                    yield _Line("contact force [N]", body, body, partial(_contact_force, b))
            case "joint_error":
                for joint in self._errors.names:
                    yield _Line("joint error [m]", joint, joint, partial(self._error, joint))
            case "clearance":
                for body in newest.clearances:
                    yield _Line("clearance [m]", body, body, partial(_clearance, body))
            case "force" | "torque":
                panel = f"{quantity} [{unit_of(quantity)}]"
                for joint in newest.joints:
                    of = partial(_reaction, joint, quantity == "torque")
                    yield _Line(panel, joint, joint, of)
            case _:
                panel = f"{quantity} [{unit_of(quantity)}]"
                for joint, values in newest.joints.items():
                    if quantity in values:
                        yield _Line(panel, joint, joint, partial(_of_joint, joint, quantity))

    def _error(self, joint: str, snapshot: Snapshot) -> float:
        return self._errors.of(joint, snapshot.positions, snapshot.orientations)

    def recording(self, **about: Any) -> Recording:
        """All that is kept, as ``simulate`` would have recorded it at 50 frames a second.

        Args:
            about: What a recording says of its scene, step, method and solver.

        Raises:
            RecordingError: Nothing is kept so far.
        """
        with self._lock:
            kept = list(self._snapshots)
        if not kept:
            raise RecordingError("Nothing has been simulated so far.")
        return Recording(
            fps=FPS,
            times=np.array([s.time for s in kept]),
            body_names=kept[0].bodies,
            positions=np.stack([s.positions for s in kept]),
            orientations=np.stack([s.orientations for s in kept]),
            energy={name: np.array([s.energy[name] for s in kept]) for name in _WHOLE},
            momentum={
                name: np.stack([s.momentum[name] for s in kept]) for name in kept[0].momentum
            },
            joints=_joints_of(kept),
            contacts=_contacts_of(kept),
            **about,
        )


def _energy(name: str, snapshot: Snapshot) -> float:
    return snapshot.energy[name]


def _momentum(name: str, axis: int, snapshot: Snapshot) -> float:
    return float(snapshot.momentum[name][axis])


def _place(body: int, axis: int, snapshot: Snapshot) -> float:
    return float(snapshot.positions[body, axis])


def _speed(body: int, snapshot: Snapshot) -> float:
    return float(np.linalg.norm(snapshot.velocities[body]))


def _contact_force(body: int, snapshot: Snapshot) -> float:
    contacts = snapshot.contacts
    total = contacts.forces[contacts.body2 == body].sum(axis=0)
    total = total - contacts.forces[contacts.body1 == body].sum(axis=0)
    return float(np.linalg.norm(total))


def _clearance(body: str, snapshot: Snapshot) -> float:
    return snapshot.clearances.get(body, np.nan)


def _reaction(joint: str, which: int, snapshot: Snapshot) -> float:
    if joint not in snapshot.reactions:
        return np.nan
    return float(np.linalg.norm(snapshot.reactions[joint][which]))


def _of_joint(joint: str, quantity: str, snapshot: Snapshot) -> float:
    """What a joint may not have, while it is let go of or its body is taken out, is no number."""
    return snapshot.joints.get(joint, {}).get(quantity, np.nan)


def _joints_of(kept: list[Snapshot]) -> dict[str, dict[str, Any]]:
    """Quantities that joints had all the time."""
    return {
        joint: {
            quantity: np.array([s.joints[joint][quantity] for s in kept])
            for quantity in values
            if all(quantity in s.joints.get(joint, {}) for s in kept)
        }
        for joint, values in kept[-1].joints.items()
    }


def _contacts_of(kept: list[Snapshot]) -> dict[str, Any]:
    """The contacts of all frames, one after the other; empty where nothing ever touched."""
    counts = [len(s.contacts.body1) for s in kept]
    if not sum(counts):
        return {}
    names = {
        "body1": "body1",
        "body2": "body2",
        "point": "points",
        "normal": "normals",
        "force": "forces",
    }
    columns = {
        name: np.concatenate([getattr(s.contacts, attribute) for s in kept])
        for name, attribute in names.items()
    }
    return {"frame": np.repeat(np.arange(len(kept)), counts), **columns}
