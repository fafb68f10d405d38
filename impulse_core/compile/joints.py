"""Joints of the Model: anchors, axes and relative orientations in body frames."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from impulse_core.compile.expansion import row_owners, rows_of_swings
from impulse_core.compile.problems import BAD_JOINT, JOINTS_APART, ProblemList
from impulse_core.geometry.products import dot, length
from impulse_core.geometry.rotations import conjugated, multiplied, rotated
from impulse_core.joints.table import (
    COUPLING,
    LENGTH,
    NO_PART,
    OFFSET,
    POINT_POINT,
    SWING,
    TURNING,
    parts_of,
)
from impulse_core.model import Joint as JointRecord
from impulse_core.types import Floats, Records, new_records
from impulse_schema import Scene, joint_names
from impulse_schema.bounds import BOUNDS
from impulse_schema.checks.joints import angle_of_axes
from impulse_schema.checks.names import WORLD
from impulse_schema.models import Joint, SpringDamper

__all__ = ["REPAIR_FRACTION", "JointRows", "compile_joints"]

RANGE_ROUNDING = 1e-6
"""Part of a length by which a range may be exceeded at the start: it then ends there."""
OPPOSED = 1e-9
"""Length of the sum of two unit vectors that are opposed: any turn by π about an axis across takes
one into the other."""
REPAIR_FRACTION = 0.01
"""Joints that start apart by up to this fraction of the scene's size are pulled together."""


@dataclass
class JointRows:
    """The joints of Model, and what only compiling needs of them.

    Attributes:
        records: Model.joints, without what acts on their axes.
        start_offset: a·(B - A) at the start pose [m], shape (m,).
    """

    records: Records
    start_offset: Floats


def compile_joints(
    scene: Scene,
    rows: dict[str, int],
    position: Floats,
    orientation: Floats,
    gyration: Floats,
) -> JointRows:
    """Turn the joints, after them the springs between two points, and last the couplings and swings
    that joints of the scene bring with them, into records.

    Args:
        scene: The scene; its joint types must all be in the table.
        rows: Row of every body name; that of the world for static bodies and 'world'.
        position: Centres of mass [m], shape (b, 3).
        orientation: Body frame to world, shape (b, 4).
        gyration: Largest radius of gyration of each body [m], shape (b,).
    """
    owners = row_owners(scene)
    records, start_offset = new_records(JointRecord, len(owners)), np.zeros(len(owners))
    records["owner"] = owners
    records["relative_orientation"][:, 0] = 1.0
    records["length"] = records["body_length"] = 1.0
    records["break_force"] = records["break_torque"] = np.inf
    for j, joint in enumerate(scene.joints):
        row, i1, i2 = records[j], rows[joint.body1], rows[joint.body2]
        row["body1"], row["body2"] = i1, i2
        row["translation_part"], row["rotation_part"] = _parts(joint)
        q1, q2 = conjugated(orientation[i1]), conjugated(orientation[i2])
        A, B = _anchors(joint)
        row["anchor1"] = rotated(q1, A - position[i1])
        row["anchor2"] = rotated(q2, B - position[i2])
        if joint.type == "distance":
            row["length"] = _length(joint, A, B)
        if joint.axis is not None:
            axis1, axis2 = _axes(joint)
            row["axis1"], row["across_b"], row["across_c"] = _frame(rotated(q1, axis1))
            row["axis2"] = rotated(q2, axis2)
            row["angle"] = angle_of_axes(joint) if joint.type == "universal" else math.pi / 2.0
            start_offset[j] = dot(axis1, B - A)
        row["break_force"] = joint.break_force or np.inf
        row["break_torque"] = joint.break_torque or np.inf
        row["relative_orientation"] = multiplied(q1, orientation[i2])
        row["body_length"] = max(
            *(gyration[i] for i in (i1, i2)),
            *(length(x - position[i]) for x, i in ((A, i1), (B, i2)) if gyration[i] > 0.0),
            1e-9,
        )
    for j, spring in enumerate(scene.springs, start=len(scene.joints)):
        row, i1, i2 = records[j], rows[spring.body1], rows[spring.body2]
        row["body1"], row["body2"] = i1, i2
        row["translation_part"] = OFFSET if _has_no_direction(spring) else LENGTH
        for anchor, i, point in (("anchor1", i1, spring.anchor), ("anchor2", i2, spring.anchor2)):
            row[anchor] = rotated(conjugated(orientation[i]), np.array(point) - position[i])
    _add_hidden(scene, rows[WORLD], records)
    return JointRows(records, start_offset)


def _add_hidden(scene: Scene, world: int, records: Records) -> None:
    """Fill in the records behind those of joints and springs."""
    hidden = records[len(scene.joints) + len(scene.springs) :]
    hidden["translation_part"], hidden["body1"], hidden["body2"] = COUPLING, world, world
    for j, row in rows_of_swings(scene).items():
        records[row] = records[j]
        _add_swing(records[row])


def _add_swing(row: np.void) -> None:
    """Make the record of a ball joint that of its swing and twist, which are counted from a2 swung
    into a1 the shortest way.
    """
    row["translation_part"], row["rotation_part"] = NO_PART, SWING
    row["break_force"] = row["break_torque"] = np.inf
    Q0 = row["relative_orientation"]
    swing = _shortest_turn(row["axis1"], rotated(Q0, row["axis2"]))
    row["relative_orientation"] = multiplied(conjugated(swing), Q0)


def _shortest_turn(a: Floats, b: Floats) -> Floats:
    """The rotation by the smallest angle that takes one unit vector into another."""
    half = np.array([1.0 + dot(a, b), *np.cross(a, b)])
    size = length(half)
    if size < OPPOSED:
        return np.array([0.0, *_frame(a)[1]])
    return half / size


def has_range(joint: Joint) -> bool:
    """Whether a distance joint has a range of lengths."""
    return joint.min_length is not None or joint.max_length is not None


def _parts(joint: Joint) -> tuple[int, int]:
    """Those of its type, or what carries the axes of a damped ball joint or of a range."""
    parts = parts_of(joint.type)
    if joint.type == "ball" and joint.damping > 0.0:
        return parts.translation, TURNING
    return LENGTH if has_range(joint) else parts.translation, parts.rotation


def _has_no_direction(spring: SpringDamper) -> bool:
    """Whether a spring pulls its points into one: any length is then too long."""
    if spring.rest_length is not None:
        return spring.rest_length == 0.0
    return math.dist(spring.anchor, spring.anchor2) < BOUNDS["m"].least


def _anchors(joint: Joint) -> tuple[Floats, Floats]:
    A = np.array(joint.anchor if joint.anchor is not None else (0.0, 0.0, 0.0))
    B = A if joint.anchor2 is None else np.array(joint.anchor2)
    return A, B


def _length(joint: Joint, A: Floats, B: Floats) -> float:
    return joint.length if joint.length is not None else length(B - A)


def _axes(joint: Joint) -> tuple[Floats, Floats]:
    axis1 = np.array(joint.axis)
    axis2 = axis1 if joint.axis2 is None else np.array(joint.axis2)
    return axis1 / length(axis1), axis2 / length(axis2)


def _frame(a: Floats) -> tuple[Floats, Floats, Floats]:
    """Directions a, b, c of a right-handed frame, b across the smallest component of a."""
    b = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    b /= length(b)
    return a, b, np.cross(a, b)


def check_start(scene: Scene, size: float, problems: ProblemList) -> None:
    """Report joints that start too far apart to be a matter of rounding, for a scene this large.

    Axes that start more than two degrees apart are refused before, by the schema.
    """
    for j, (joint, name) in enumerate(zip(scene.joints, joint_names(scene), strict=True)):
        _check_anchors(joint, j, name, size, problems)


def _check_anchors(joint: Joint, j: int, name: str, size: float, problems: ProblemList) -> None:
    parts = parts_of(joint.type)
    A, B = _anchors(joint)
    gap = length(B - A)
    pair = f"'{joint.body1}' and '{joint.body2}'"
    if parts.translation == POINT_POINT and gap > REPAIR_FRACTION * size:
        problems.add(
            ("joints", j, "anchor2"),
            JOINTS_APART,
            f"joint '{name}' starts {gap:.4g} m apart between {pair}; up to"
            f" {REPAIR_FRACTION * size:.4g} m (1 % of the scene's size) is pulled together",
            "Move the bodies or the anchors together",
        )
    if has_range(joint):
        _check_range(joint, j, name, gap, problems)
    elif joint.type == "distance":
        wanted = _length(joint, A, B)
        if abs(gap - wanted) > REPAIR_FRACTION * size:
            problems.add(
                ("joints", j, "length"),
                JOINTS_APART,
                f"joint '{name}' asks for {wanted:.4g} m between {pair}, but their anchors start"
                f" {gap:.4g} m apart; up to {REPAIR_FRACTION * size:.4g} m is mended",
                "Move the anchors or change the length",
            )
        if gap == 0.0:
            problems.add(
                ("joints", j, "anchor2"),
                BAD_JOINT,
                f"joint '{name}': the anchors coincide, so the distance has no direction",
                "Use a ball joint for distance zero",
            )


def _check_range(joint: Joint, j: int, name: str, gap: float, problems: ProblemList) -> None:
    for key, beyond in (("min_length", -1.0), ("max_length", 1.0)):
        bound = getattr(joint, key)
        if bound is not None and beyond * (gap - bound) > RANGE_ROUNDING * bound:
            problems.add(
                ("joints", j, key),
                BAD_JOINT,
                f"joint '{name}': its anchors start {gap:.6g} m apart, beyond its {key} {bound:g}",
                "Move the anchors or change the range",
            )
