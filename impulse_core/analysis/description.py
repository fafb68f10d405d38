"""``describe``: what a scene is made of, for ``impulse info``."""

from __future__ import annotations

from typing import Any

import numpy as np

from impulse_core.analysis.mobility import Mobility, mobility
from impulse_core.compile import CompiledScene, Scene, compile_scene
from impulse_core.joints.table import parts_of

__all__ = ["describe"]


def describe(scene: Scene) -> dict[str, Any]:
    """Masses, centres, inertias, joints, degrees of freedom, loops and redundant joints.

    Returns:
        A dict that JSON can hold: name, settings, bodies (per body name, motion, mass_kg,
        center_of_mass_m in the body's frame, inertia_kg_m2 about it, principal_moments_kg_m2),
        joints (name, type, body1, body2, rows), total_mass_kg, center_of_mass_m (world, at the
        start), degrees_of_freedom, constraint_rows, rank, loops, redundant_joints, size_m,
        warnings.

    Raises:
        SceneError: The scene cannot be simulated.
    """
    compiled = compile_scene(scene)
    facts = mobility(compiled)
    model, state = compiled.model, compiled.state
    mass = model.bodies["mass"][:-1]
    total = float(mass.sum())
    center = mass @ state.bodies["position"][:-1] / total if total > 0.0 else np.zeros(3)
    return {
        "name": compiled.name,
        "settings": scene.settings.model_dump(),
        "bodies": _bodies(compiled),
        "joints": _joints(compiled, facts),
        "total_mass_kg": total,
        "center_of_mass_m": center.tolist(),
        "degrees_of_freedom": facts.degrees_of_freedom,
        "constraint_rows": facts.rows,
        "rank": facts.rank,
        "loops": facts.loops,
        "redundant_joints": [compiled.joint_names[j] for j in facts.redundant_joints],
        "size_m": compiled.size,
        "warnings": compiled.warnings,
    }


def _bodies(compiled: CompiledScene) -> list[dict[str, Any]]:
    rows = []
    for body, row in zip(compiled.scene.bodies, compiled.body_row, strict=True):
        facts: dict[str, Any] = {"name": body.name, "motion": body.motion}
        if body.motion == "dynamic":
            properties = compiled.mass_properties[row]
            facts |= {
                "mass_kg": properties.mass,
                "volume_m3": properties.volume or None,
                "center_of_mass_m": properties.center_of_mass.tolist(),
                "inertia_kg_m2": properties.inertia.tolist(),
                "principal_moments_kg_m2": compiled.model.bodies["inertia"][row].tolist(),
            }
        rows.append(facts)
    return rows


def _joints(compiled: CompiledScene, facts: Mobility) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "type": joint.type,
            "body1": joint.body1,
            "body2": joint.body2,
            "rows": parts_of(joint.type).rows,
            "redundant": j in facts.redundant_joints,
        }
        for j, (joint, name) in enumerate(
            zip(compiled.scene.joints, compiled.joint_names, strict=True)
        )
    ]
