"""Motors that give any force, and what they leave nothing to decide."""

from __future__ import annotations

from impulse_core.compile.axes import FREE_AXES
from impulse_core.compile.problems import BAD_JOINT, ProblemList
from impulse_schema import Scene, joint_names
from impulse_schema.models import Joint

__all__ = ["check_rigid_motors"]


def check_rigid_motors(scene: Scene, problems: ProblemList) -> None:
    """Report what velocity motors without a largest force contradict: friction on their own axes,
    and couplings between axes that are all driven so.
    """
    for j, (joint, name) in enumerate(zip(scene.joints, joint_names(scene), strict=True)):
        driven = _rigid_axes(joint)
        for k, friction in enumerate(joint.frictions):
            freedom = friction.freedom or FREE_AXES[joint.type][0]
            if freedom in driven:
                problems.add(
                    ("joints", j, "frictions", k),
                    BAD_JOINT,
                    f"joint '{name}': its friction resists a velocity motor that gives any force,"
                    f" so the {freedom} is the motor's alone",
                    "Give the motor a max_force, or leave the friction out",
                )
    by_name = {joint.name: joint for joint in scene.joints}
    for j, (joint, name) in enumerate(zip(scene.joints, joint_names(scene), strict=True)):
        if joint.type != "coupling":
            continue
        terms = [(by_name[term.joint], term.freedom) for term in joint.terms]
        if all((freedom or FREE_AXES[of.type][0]) in _rigid_axes(of) for of, freedom in terms):
            problems.add(
                ("joints", j),
                BAD_JOINT,
                f"coupling '{name}' ties axes that velocity motors without a largest force all"
                " drive, each to its own target",
                "Give all but one of the motors a max_force, or leave them out",
            )


def _rigid_axes(joint: Joint) -> set[str]:
    """The free axes of a joint that a velocity motor without a largest force drives."""
    return {
        motor.freedom or FREE_AXES[joint.type][0]
        for motor in joint.motors
        if motor.kind == "velocity" and motor.max_force is None
    }
