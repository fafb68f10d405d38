"""The comparison methods behind one interface, and why a scene cannot be run by one.

The kernels of a family are imported, and so compiled, only when one of its methods is chosen.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from impulse_core.compile import CompiledScene
from impulse_core.compile.signals import changes, described_load
from impulse_core.joints.table import parts_of
from impulse_core.methods.chains import NotAChainError, plan_chain
from impulse_core.methods.tableaus import MULTIPLIER_METHODS, tableau
from impulse_core.model import Model, State, Structure, Tally, Workspace
from impulse_core.model.status import LIMIT, RATE, WEAK
from impulse_core.types import Floats

__all__ = [
    "COMPARISON_ORDERS",
    "ComparisonRun",
    "cannot_express",
    "more_than_joints",
    "new_comparison_run",
]

COMPARISON_ORDERS = {name: method.order for name, method in MULTIPLIER_METHODS.items()} | {"gc4": 4}

_OTHERWISE = "use imp2"


class ComparisonRun(Protocol):
    """One run of a comparison method."""

    fractions: Floats
    """Gaps between the times at which a step evaluates accelerations, as fractions of it."""

    def start(self) -> None:
        """Take up the state as it is now."""

    def advance(self, length: float, count: int, grid: int) -> int:
        """Take count steps of ``length`` [s]; how many were completed. The first is step number
        grid of the grid k·length unless grid is negative.
        """

    def find_forces(self, length: float) -> bool:
        """Find what acts along free axes now, where a step of ``length`` [s] begins, into the
        state; whether there is anything to find.
        """

    def kept(self) -> dict[str, NDArray[Any]]:
        """The arrays of its own that the next step depends on, by name."""

    def failure(self, what: int, error: float) -> str:
        """What became of a joint of which a step failed with a status (model/status.py): it is
        ``error`` [m] open, unless that says something else.
        """


def cannot_express(compiled: CompiledScene, method: str) -> str:
    """What in a scene a comparison method cannot simulate, "" if nothing."""
    if method in MULTIPLIER_METHODS:
        return _more_than_smooth(compiled, method)
    if more := more_than_joints(compiled):
        return more
    if method == "gc4":
        try:
            plan_chain(compiled.model, compiled.state)
        except NotAChainError as problem:
            return str(problem)
    return ""


def _more_than_smooth(compiled: CompiledScene, method: str) -> str:
    """What in a scene is no smooth function of time, poses and velocities, "" if nothing."""
    scene = compiled.scene
    for body in scene.bodies:
        if body.motion == "kinematic":
            return f"body '{body.name}' is kinematic"
    for joint, name in zip(scene.joints, compiled.joint_names, strict=True):
        if any(friction.force > 0.0 for friction in joint.frictions):
            return f"joint '{name}' has dry friction"
        for limit in joint.limits:
            if limit.freedom in ("swing", "twist"):
                return f"joint '{name}' has a limit of its {limit.freedom}"
        if joint.break_force is not None or joint.break_torque is not None:
            return f"joint '{name}' can break"
        driven = any(motor.kind == "velocity" for motor in joint.motors)
        if driven and not MULTIPLIER_METHODS[method].corrects_velocities:
            return f"joint '{name}' has a velocity motor, and {method} corrects no velocities"
    return ""


def more_than_joints(compiled: CompiledScene) -> str:
    """What in a scene is more than dynamic bodies, plain joints and loads, "" if nothing."""
    scene = compiled.scene
    for body in scene.bodies:
        if body.motion == "kinematic":
            return f"body '{body.name}' is kinematic"
    for joint, name in zip(scene.joints, compiled.joint_names, strict=True):
        if joint.type == "coupling" or parts_of(joint.type).tied:
            return f"joint '{name}' is a {joint.type}"
        for key in ("motors", "limits", "springs", "frictions"):
            if getattr(joint, key):
                return f"joint '{name}' has {key}"
        for key in ("armature", "damping", "min_length", "max_length"):
            if getattr(joint, key):
                return f"joint '{name}' has {key}"
        if joint.break_force is not None or joint.break_torque is not None:
            return f"joint '{name}' can break"
    if scene.springs:
        return "it has springs between points"
    for load in scene.loads:
        if changes(load):
            return f"{described_load(load)} changes with time"
    return ""


def new_comparison_run(
    method: str,
    step: float,
    tolerance: float,
    model: Model,
    structure: Structure,
    state: State,
    work: Workspace,
    tally: Tally,
) -> ComparisonRun | None:
    """The run of a comparison method, None if ``method`` is none."""
    if method in MULTIPLIER_METHODS:
        return _MultiplierRun(method, step, tolerance, model, structure, state, work, tally)
    if method == "gc4":
        return _ChainRun(model, state, work, tally)
    return None


def _gaps(nodes: Floats) -> Floats:
    return np.diff(np.append(np.sort(nodes), 1.0))


class _MultiplierRun:
    """lm4, lmbs4, lmv4, lmvd4 and lmvd8."""

    def __init__(
        self,
        method: str,
        step: float,
        tolerance: float,
        model: Model,
        structure: Structure,
        state: State,
        work: Workspace,
        tally: Tally,
    ) -> None:
        from impulse_core.methods.lm import run_explicit_steps
        from impulse_core.methods.lm_axes import compliances
        from impulse_core.methods.lm_stages import Steps, new_stages

        self.method = method
        self.tolerance = tolerance
        # which rows hold is told at closed poses, and is to stay so while they turn
        structure = structure._replace(most_growth=math.inf)
        chosen = MULTIPLIER_METHODS[method]
        coefficients = tableau(chosen.order)
        self.fractions = _gaps(coefficients[2])
        self.state, self._compliances = state, compliances(model)
        corrects = np.array([chosen.corrects_velocities, chosen.corrects_positions], dtype=np.int64)
        self.stages = stages = new_stages(
            coefficients,
            model,
            state,
            structure,
            pull=1.0 / step if chosen.baumgarte else 0.0,
            corrects=corrects,
            tolerance=tolerance,
        )

        def advance(length: float, count: int, grid: int) -> int:
            steps = Steps(length, count, grid)
            return int(run_explicit_steps(model, structure, stages, state, steps, work, tally))

        self.advance = advance

    def start(self) -> None:
        """Find out which rows repeat others anew: closing the joints may have moved them. Axes get
        the compliances that stay theirs.
        """
        self.stages.fresh[0] = 1
        self.state.axes["compliance"] = self._compliances
        self.state.axes["force"] = 0.0

    def find_forces(self, length: float) -> bool:
        """As the protocol says."""
        self.advance(length, 0, -1)
        return True

    def kept(self) -> dict[str, NDArray[Any]]:
        """As the protocol says: which rows repeat others."""
        return {"fresh": self.stages.fresh, "pivot_floor": self.stages.held.pivot_floor}

    def failure(self, what: int, error: float) -> str:
        """As the protocol says."""
        if what == LIMIT:
            return f"reaches a limit, which {self.method} does not simulate; {_OTHERWISE}"
        if what == WEAK:
            return (
                "would need more than the largest force of its velocity motor, which"
                f" {self.method} does not simulate; {_OTHERWISE}"
            )
        if what == RATE:
            return (
                f"has a velocity motor that cannot have its way: {error:.3g} m/s stay wrong, since"
                " other joints or motors hold what it drives"
            )
        if MULTIPLIER_METHODS[self.method].corrects_positions:
            return (
                f"could not be closed to {self.tolerance:.3g} m after the step (it stays"
                f" {error:.3g} m open); use a smaller step"
            )
        return (
            f"has drifted {error:.3g} m open, which {self.method} does not correct; use a smaller"
            " step, or lmvd4 or imp2"
        )


class _ChainRun:
    """gc4."""

    def __init__(self, model: Model, state: State, work: Workspace, tally: Tally) -> None:
        from impulse_core.methods.gc import new_chain_scratch, run_chain_steps

        self.fractions = _gaps(tableau(4)[2])
        self.model = model
        self.state = state
        self.work = work
        self.tally = tally
        self.chain = plan_chain(model, state)
        self.scratch = new_chain_scratch(self.chain, state)
        self._kernel: Any = run_chain_steps

    def start(self) -> None:
        """Measure the links anew: closing the joints may have moved them."""
        self.chain = plan_chain(self.model, self.state)

    def kept(self) -> dict[str, NDArray[Any]]:
        """As the protocol says: the state is all there is."""
        return {}

    def advance(self, length: float, count: int, grid: int) -> int:  # noqa: ARG002
        """As the protocol says; the angles are read from the state at every step."""
        done = self._kernel(
            self.model,
            self.chain,
            self.state,
            length,
            count,
            self.scratch,
            self.work,
            self.tally,
        )
        return int(done)

    def find_forces(self, length: float) -> bool:  # noqa: ARG002
        """As the protocol says: nothing acts along axes."""
        return False

    def failure(self, what: int, error: float) -> str:  # noqa: ARG002
        """As the protocol says."""
        return f"is {error:.3g} m open: the angles are no longer numbers; use a smaller step"
