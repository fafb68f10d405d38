"""``Snapshot``: a machine at one moment, in arrays that nobody changes any more.

It is a copy, taken between two steps. What takes long to find, as coordinates of joints, is
computed from the copy when it is first asked for, by whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from impulse_core.compile import CompiledScene
from impulse_core.geometry.rotations import conjugated, rotated
from impulse_core.model import State
from impulse_core.observables.invariants import observe
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.examining import Examiner
from impulse_core.simulation.frames import frame_record
from impulse_core.simulation.joint_quantities import joint_quantities
from impulse_core.types import Floats, Ints

__all__ = ["Contacts", "Control", "Snapshot", "pose_frame", "take_snapshot"]

Frame = NDArray[np.void]
_Array = TypeVar("_Array", Floats, Ints)


@dataclass(frozen=True)
class Contacts:
    """Points that bore a force in the last step, world frame, shapes (k,) and (k, 3).

    Attributes:
        body1: Numbers of the first bodies, in the order of ``Snapshot.bodies``.
        body2: Those of the second.
        points: Where they touch [m].
        normals: From body 1 to body 2.
        forces: On body 2 [N], mean over the step.
    """

    body1: Ints
    body2: Ints
    points: Floats
    normals: Floats
    forces: Floats


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A machine at one moment. All arrays are read-only.

    Attributes:
        time: Simulated time [s].
        step: Steps since the start of the session, or since it was reset.
        state: Of the session: "running", "paused", "stopped" or "failed".
        lag: By how much this moment came later than real time asked for [s]; 0 where speed is None.
        lost: Real time that was given up so far, because the machine could not keep up [s].
        bodies: Names of all bodies, in whose order arrays are.
        energy: "kinetic", "potential" and "total" [J]; and since the start "work_of_loads", which
            counts what commands did, "work_of_kinematic_bodies", "work_of_motors" and "dissipated".
    """

    time: float
    step: int
    state: str
    lag: float
    lost: float
    bodies: tuple[str, ...]
    energy: Mapping[str, float]
    _compiled: CompiledScene
    _start: Frame
    _state: State
    _momenta: tuple[Any, Any]
    _points: Any
    _acting: Any
    _examiner: Examiner

    @cached_property
    def _poses(self) -> tuple[Floats, Floats]:
        bodies = self._state.bodies
        positions, orientations = self._compiled.user_poses(
            bodies["position"], bodies["orientation"]
        )
        return _frozen(positions), _frozen(orientations)

    @cached_property
    def momentum(self) -> Mapping[str, Floats]:
        """Total "linear" [N s] and "angular" [N m s] momentum, about the world's origin."""
        linear, angular = (_frozen(np.array(momentum)) for momentum in self._momenta)
        return MappingProxyType({"linear": linear, "angular": angular})

    @property
    def positions(self) -> Floats:
        """Of the origins of all bodies [m], world frame, shape (n, 3)."""
        return self._poses[0]

    @property
    def orientations(self) -> Floats:
        """Body axes to world axes, quaternions (w, x, y, z), shape (n, 4)."""
        return self._poses[1]

    @cached_property
    def centers_of_mass(self) -> Floats:
        """Of all bodies [m], world frame, shape (n, 3); of static and kinematic ones the origin."""
        rows = self._compiled.body_row
        moves = (rows < self._compiled.model.dynamic)[:, None]
        found: Floats = np.where(moves, self._state.bodies["position"][rows], self.positions)
        return _frozen(found)

    @cached_property
    def velocities(self) -> Floats:
        """Of the centres of mass [m/s], world frame, shape (n, 3)."""
        velocities: Floats = self._state.bodies["velocity"][self._compiled.body_row]
        return _frozen(velocities)

    @cached_property
    def angular_velocities(self) -> Floats:
        """Of all bodies [rad/s], world frame, shape (n, 3)."""
        bodies, model = self._state.bodies, self._compiled.model
        q, L = bodies["orientation"], bodies["angular_momentum"]
        w = rotated(q, model.bodies["inverse_inertia"] * rotated(conjugated(q), L))
        w[model.dynamic : -1] = self._state.kinematic["spin"]
        found: Floats = w[self._compiled.body_row]
        return _frozen(found)

    @cached_property
    def joints(self) -> Mapping[str, Mapping[str, float]]:
        """Coordinates of joints and what acts along them, by the names that recordings have:
        "angle" [rad], "displacement" [m], "drive_torque" [N m], "drive_force" [N] and others.
        """
        frame = pose_frame(self._compiled, self._state)
        found = joint_quantities(self._compiled, frame, self._start)
        return MappingProxyType(
            {
                name: MappingProxyType(
                    {
                        quantity: float(values[0])
                        for quantity, values in quantities.items()
                        if quantity not in ("force", "torque")  # reactions, which are not looked up
                    }
                )
                for name, quantities in found.items()
            }
        )

    @cached_property
    def reactions(self) -> Mapping[str, tuple[Floats, Floats]]:
        """What joints do to their second bodies at their joint points, drives included: force [N]
        and torque [N m], world frame, shapes (3,). Where joints repeat each other only their sum
        has a meaning.
        """
        if self._acting is None:
            loads = np.zeros((len(self._state.bodies), 6))
        else:
            loads = self._acting.loads()
        found = self._examiner.reactions(self._state, loads)
        names = self._compiled.joint_names
        return MappingProxyType(
            {name: (_frozen(found[j, 0]), _frozen(found[j, 1])) for j, name in enumerate(names)}
        )

    @cached_property
    def clearances(self) -> Mapping[str, float]:
        """Least distance of each body with ``record_clearance`` to what it may touch [m], negative
        where it overlaps.
        """
        return MappingProxyType(self._examiner.clearances(self._state))

    @cached_property
    def contacts(self) -> Contacts:
        """Points that bore a force in the last step."""
        if self._points is None:
            none, vectors = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
            return Contacts(none, none, vectors, vectors, vectors)
        return Contacts(*map(_frozen, self._points.points()))

    def index(self, body: str) -> int:
        """Number of a body in the order of the arrays.

        Raises:
            KeyError: There is no such body.
        """
        try:
            return self.bodies.index(body)
        except ValueError:
            raise KeyError(f"there is no body '{body}'") from None


Control = Callable[[float, Snapshot], Mapping[Any, float]]
"""A controller: of the time [s] and what the machine is like, targets of motors by joint or by
(joint, number of the motor)."""


def pose_frame(compiled: CompiledScene, state: State) -> Frame:
    """What coordinates of joints are found from, shape (1,)."""
    frame = np.zeros(1, dtype=frame_record(compiled.model, 0))
    frame["time"] = state.clock["time"]
    frame["position"][0] = state.bodies["position"]
    frame["orientation"][0] = state.bodies["orientation"]
    frame["term_position"][0] = state.terms["position"]
    frame["axis_position"][0] = state.axes["position"]
    frame["axis_force"][0] = state.axes["force"]
    frame["turned"][0] = state.turns["angle"]
    return frame


def take_snapshot(
    engine: Engine,
    start: Frame,
    bodies: tuple[str, ...],
    *,
    step: int,
    state: str = "running",
    lag: float = 0.0,
    lost: float = 0.0,
) -> Snapshot:
    """Copy what a snapshot tells of the present state.

    Args:
        engine: The machine, between two steps.
        start: Its ``pose_frame`` at the start, from which coordinates count.
        bodies: Names of its bodies.
        step: What the snapshot says.
        state: The same.
        lag: The same [s].
        lost: The same [s].
    """
    kinetic, potential, linear, angular = observe(engine.model, engine.state, engine.work)
    totals = engine.tally.totals
    points = engine.runner.contact_copy(engine.state)
    energy = {
        "kinetic": kinetic,
        "potential": potential,
        "total": kinetic + potential,
        "work_of_loads": float(totals["work"][0]),
        "work_of_kinematic_bodies": float(totals["kinematic_work"][0]),
        "work_of_motors": float(totals["motor_work"][0]),
        "dissipated": float(totals["settled"][0]),
    }
    return Snapshot(
        time=float(engine.state.clock["time"][0]),
        step=step,
        state=state,
        lag=lag,
        lost=lost,
        bodies=bodies,
        energy=MappingProxyType(energy),
        _compiled=engine.compiled,
        _start=start,
        _state=_copied(engine.state),
        _momenta=(linear, angular),
        _points=points,
        _acting=points if points is None or points.step else engine.acting_contacts(),
        _examiner=engine.examiner,
    )


def _copied(state: State) -> State:
    """A copy that cannot be written; by bytes, since NumPy copies records field by field."""
    return State._make(np.frombuffer(array.tobytes(), array.dtype) for array in state)


def _frozen(array: _Array) -> _Array:
    copy: Any = np.array(array)
    copy.flags.writeable = False
    return cast(_Array, copy)
