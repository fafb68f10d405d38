"""What the report of a run says in numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.geometry.rotations import conjugated, rotated
from impulse_core.joints.table import COUPLING
from impulse_core.recording import state_hash
from impulse_core.simulation.engine import Engine

__all__ = ["figures"]


def figures(engine: Engine) -> dict[str, Any]:
    """The keys of ``impulse run --report`` that tell of the run (docs/files.md)."""
    totals = engine.tally.totals[0]
    steps = max(engine.steps, 1)
    isolated = _is_isolated(engine.compiled)
    of_loads, of_motors = float(totals["work"]), float(totals["motor_work"])
    of_kinematics, dissipated = float(totals["kinematic_work"]), float(totals["settled"])
    work = of_loads + of_kinematics + of_motors - dissipated
    return {
        "compile_seconds": engine.compile_seconds,
        "wall_seconds_total": engine.times.total,
        "step_count": engine.steps,
        "seconds_per_step": {
            "mean": engine.times.mean,
            "median": engine.times.median,
            "max": engine.times.longest,
        },
        "corrections_per_step": {
            "mean": float(totals["corrections"]) / steps,
            "max": int(totals["most_corrections"]),
        },
        "velocity_corrections_per_step": {
            "mean": float(totals["velocity_corrections"]) / steps,
            "max": int(totals["most_velocity_corrections"]),
        },
        "impulses_per_step": _impulses(engine, steps),
        "budget": _budget(engine, steps),
        "max_joint_error_m": float(totals["translation_error"]),
        "max_joint_angle_error_rad": float(totals["rotation_error"]),
        "energy_j": {
            "initial": float(totals["start_energy"]),
            "final": float(totals["energy"]) + work,
            "work_of_loads": of_loads,
            "work_of_kinematic_bodies": of_kinematics,
            "work_of_motors": of_motors,
            "dissipated": dissipated,
            "created": float(totals["created"]),
            "unexplained": float(totals["energy"]) - float(totals["start_energy"]),
            "max_unexplained_step": float(totals["largest_increment"]),
            "max_abs_drift": float(totals["largest_drift"]),
            "mean_abs_drift": float(totals["drift_sum"]) / steps,
            "mean_abs_increment": float(totals["increment_sum"]) / steps,
        },
        "momentum_drift": {
            "linear": float(totals["momentum_drift"]) if isolated else None,
            "angular": float(totals["angular_momentum_drift"]) if isolated else None,
        },
        "contacts": engine.runner.contact_figures(totals),
        "state_sha256": _state_hash(engine),
        "halvings": int(totals["halvings"]),
        "tolerance_m": engine.tolerance,
        "start": engine.start,
    }


def _impulses(engine: Engine, steps: int) -> dict[str, float]:
    """Impulses computed for single joints; solvers of the whole system compute them all."""
    totals = engine.tally.totals[0]
    if engine.options.solver == "iterative":
        total, most = int(totals["impulses"]), int(totals["most_impulses"])
    else:
        joints = len(engine.model.joints)
        total = joints * int(totals["corrections"] + totals["velocity_corrections"])
        most = joints * int(totals["most_corrections"] + totals["most_velocity_corrections"])
    return {"mean": total / steps, "max": most}


def _budget(engine: Engine, steps: int) -> dict[str, Any] | None:
    """What a budget cost in accuracy; None if there was none."""
    options, totals = engine.options, engine.tally.totals[0]
    if options.budget_ms is None and options.budget_corrections is None:
        return None
    return {
        "limit_ms": options.budget_ms,
        "limit_corrections": options.budget_corrections,
        "steps_cut": int(totals["cut_steps"]),
        "mean_joint_error_m": float(totals["step_error_sum"]) / steps,
        "max_joint_error_m": float(totals["largest_step_error"]),
    }


def _state_hash(engine: Engine) -> str:
    """Of all bodies in the order of the scene; static ones rest at their pose."""
    rows = engine.compiled.body_row
    w = rotated(
        engine.state.bodies["orientation"],
        engine.model.bodies["inverse_inertia"]
        * rotated(
            conjugated(engine.state.bodies["orientation"]), engine.state.bodies["angular_momentum"]
        ),
    )
    w[engine.model.dynamic : -1] = engine.state.kinematic["spin"]
    positions, orientations = engine.compiled.user_poses(
        engine.state.bodies["position"], engine.state.bodies["orientation"]
    )
    velocities = np.concatenate([engine.state.bodies["velocity"], w], axis=1)
    return state_hash(positions, orientations, velocities[rows])


def _is_isolated(compiled: CompiledScene) -> bool:
    """No gravity, no load, no joint to a body that is not dynamic, and no such body to touch: total
    momentum is conserved.
    """
    model, shapes = compiled.model, compiled.shapes
    if shapes is not None and np.any(shapes.body >= model.dynamic):
        return False
    joins = model.joints["translation_part"] != COUPLING
    return not (
        np.any(model.gravity)
        or len(model.loads)
        or np.any(model.joints["body1"][joins] >= model.dynamic)
        or np.any(model.joints["body2"][joins] >= model.dynamic)
    )
