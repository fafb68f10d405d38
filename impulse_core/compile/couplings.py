"""Couplings of the Model: relations between the coordinates of joints."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from impulse_core.compile.expansion import couplings_of
from impulse_core.compile.joints import REPAIR_FRACTION, JointRows
from impulse_core.compile.problems import JOINTS_APART, ProblemList
from impulse_core.geometry.products import dot
from impulse_core.geometry.rotations import rotated
from impulse_core.joints.table import ROTATION_AXIS, TRANSLATION_AXIS
from impulse_core.model import Couplings, Term
from impulse_core.types import Floats, new_records
from impulse_schema import Scene, joint_names
from impulse_schema.models import FREE_AXES, CouplingTerm, Joint

__all__ = ["check_constants", "compile_couplings"]


def compile_couplings(
    scene: Scene, joints: JointRows, position: Floats, orientation: Floats
) -> Couplings:
    """Turn the couplings into arrays.

    An error of a coupling means as many metres as the most sensitive of its coordinates would have
    to move to mend it alone; angles are weighed by the length of their joint's bodies.

    Args:
        scene: The scene; terms name joints with free axes.
        joints: Its joints.
        position: Centres of mass [m], shape (n+1, 3).
        orientation: Body frame to world, shape (n+1, 4).
    """
    number = {name: j for j, name in enumerate(joint_names(scene))}
    couplings = couplings_of(scene)
    terms = [term for _, joint in couplings for term in joint.terms]
    term_joint = np.array([number[term.joint] for term in terms], dtype=np.int64)
    rows = [_row(term, scene.joints[number[term.joint]]) for term in terms]
    coefficient = np.array([term.coefficient for term in terms], dtype=float)
    first = np.cumsum([0] + [len(joint.terms) for _, joint in couplings])
    lengths = np.where(
        np.array(rows) == ROTATION_AXIS, joints.records["body_length"][term_joint], 1.0
    )
    metres = lengths / np.abs(coefficient)
    records = new_records(Term, len(terms))
    records["joint"], records["row"], records["coefficient"] = term_joint, rows, coefficient
    for k in np.flatnonzero(records["row"] == TRANSLATION_AXIS):
        records["offset"][k] = _displacement(joints, term_joint[k], position, orientation)
    return Couplings(
        joint=np.array([j for j, _ in couplings], dtype=np.int64),
        constant=np.array([joint.constant for _, joint in couplings], dtype=float),
        weight=np.array([metres[a:b].max() for a, b in pairwise(first)]),
        first_term=first.astype(np.int64),
        terms=records,
    )


def _row(term: CouplingTerm, joint: Joint) -> int:
    freedom = term.freedom or FREE_AXES[joint.type][0]
    return ROTATION_AXIS if freedom == "rotation" else TRANSLATION_AXIS


def _displacement(joints: JointRows, j: int, position: Floats, orientation: Floats) -> float:
    """a·(B - A) at these poses [m]."""
    joint = joints.records[j]
    i1, i2 = joint["body1"], joint["body2"]
    A = position[i1] + rotated(orientation[i1], joint["anchor1"])
    B = position[i2] + rotated(orientation[i2], joint["anchor2"])
    return dot(rotated(orientation[i1], joint["axis1"]), B - A)


def check_constants(scene: Scene, couplings: Couplings, size: float, problems: ProblemList) -> None:
    """Report constants that ask for more than a small shift at the start, where all s are zero."""
    names = joint_names(scene)
    for j, constant, weight in zip(
        couplings.joint, couplings.constant, couplings.weight, strict=True
    ):
        if constant == 0.0:
            continue
        gap = abs(constant) * weight
        if gap > REPAIR_FRACTION * size:
            problems.add(
                ("joints", int(j), "constant"),
                JOINTS_APART,
                f"coupling '{names[j]}' asks for {constant:.4g}, but the coordinates of its joints"
                f" are zero at the start: they are {gap:.4g} m away; up to"
                f" {REPAIR_FRACTION * size:.4g} m (1 % of the scene's size) is mended",
                "Turn or move the bodies to the pose that fits, and leave the constant out",
            )
