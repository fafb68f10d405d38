# SPDX-License-Identifier: GPL-3.0-or-later
"""The tagged objects of a scene: which ones there are and how they hang together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import bpy
import numpy as np

from ..convert import Floats, Placement, is_sheared, take_apart
from ..issues import Defect, Issue
from ..properties.pointers import pointer_problems
from .instances import instance_problems

# Delta transforms below this do nothing that one could see.
UNMOVED = 1e-7


@dataclass
class Tagged:
    """Tagged objects by kind, each list sorted by name; geometry by the name of its body."""

    bodies: list[bpy.types.Object] = field(default_factory=list)
    joints: list[bpy.types.Object] = field(default_factory=list)
    springs: list[bpy.types.Object] = field(default_factory=list)
    geometry: dict[str, list[bpy.types.Object]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    shown: bool = False  # whether nothing but the present frame may be shown
    places: dict[str, Floats] = field(default_factory=dict)

    def solids(self) -> list[bpy.types.Object]:
        """The objects that solids are made from."""
        found = [obj for members in self.geometry.values() for obj in members]
        return found + [obj for obj in self.bodies if obj.impulse.body.own_geometry]

    def read_places(self, objects: Iterable[bpy.types.Object]) -> None:
        """Keep where objects stand now, for what is asked of it later, in whatever frame."""
        self.places |= {obj.name: np.array(obj.matrix_world, float) for obj in objects}

    def place_of(self, obj: bpy.types.Object) -> Floats:
        """World matrix (4, 4) of an object: as it was kept, else as it is."""
        place = self.places.get(obj.name)
        return np.array(obj.matrix_world, float) if place is None else place

    def placement_of(self, obj: bpy.types.Object) -> Placement:
        """World matrix of an object taken apart; raises ValueError where a scale is zero."""
        return _taken_apart(self.place_of(obj).tobytes())

    def handedness(self, obj: bpy.types.Object) -> float:
        """-1 where an object is mirrored, by its own scale or by that of a parent, else 1."""
        return handedness_of(self.place_of(obj))

    def report(self, obj: bpy.types.Object, what: Defect | str, severity: str = "ERROR") -> None:
        defect = Defect(what, "B100") if isinstance(what, str) else what
        self.issues.append(defect.of(obj.name, severity))


def collect(
    view_layer: bpy.types.ViewLayer, collection: bpy.types.Collection | None = None
) -> Tagged:
    """Tagged objects of a view layer; those of excluded collections are not part of the scene.

    ``collection`` takes those of one collection only, and of all in it.
    """
    tagged = Tagged()
    present = sorted(objects_of(view_layer, collection), key=lambda obj: obj.name)
    geometry = []
    for obj in present:
        kind = obj.impulse.kind
        if kind == "BODY":
            tagged.bodies.append(obj)
        elif kind == "JOINT":
            tagged.joints.append(obj)
        elif kind == "SPRING":
            tagged.springs.append(obj)
        elif kind == "GEOMETRY":
            geometry.append(obj)
    names = {obj.name for obj in present}
    tagged.read_places([*tagged.bodies, *geometry, *_standing(tagged)])
    for obj in geometry:
        body = body_of(obj)
        if body is None:
            text = "is geometry of no body; choose its body or parent it to one"
            tagged.report(obj, Defect(text, "B106"))
        elif body.name not in names:
            text = f"belongs to {body.name}, which is not in this view layer"
            tagged.report(obj, Defect(text, "B104", body.name, "body"))
        else:
            tagged.geometry.setdefault(body.name, []).append(obj)
    for obj in geometry:
        for problem in pointer_problems(obj.impulse.geometry, names):
            tagged.report(obj, problem)
    for obj, defect in instance_problems(view_layer):
        tagged.report(obj, defect)
    return tagged


def check_place(tagged: Tagged, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Report what is wrong with where an object stands that solids are made from."""
    _check_transform(tagged, obj)
    if not obj.evaluated_get(depsgraph).is_evaluated:
        what = "" if obj.hide_viewport else "in a collection that is "
        text = (
            f"is {what}disabled in viewports, where Blender keeps neither its transform nor its"
            " modifiers up to date; enable it, or hide it with the eye instead"
        )
        tagged.report(obj, Defect(text, "B118"), "WARNING")


def _standing(tagged: Tagged) -> Iterator[bpy.types.Object]:
    """Joints and springs, and what their anchors and axes are."""
    for obj in (*tagged.joints, *tagged.springs):
        group = obj.impulse.joint if obj.impulse.kind == "JOINT" else obj.impulse.spring
        yield obj
        for key in ("anchor2", "axis2"):
            other = getattr(group, key, None)
            if other is not None:
                yield other


def objects_of(
    view_layer: bpy.types.ViewLayer, collection: bpy.types.Collection | None
) -> list[bpy.types.Object]:
    """The objects of a view layer, or those of them that are in a collection."""
    if collection is None:
        return list(view_layer.objects)
    inside = {obj.name for obj in collection.all_objects}
    return [obj for obj in view_layer.objects if obj.name in inside]


def body_of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The body a geometry object belongs to: the one it names, else the nearest parent body."""
    if obj.impulse.geometry.body is not None:
        return obj.impulse.geometry.body
    return next((up for up in ancestors(obj) if up.impulse.kind == "BODY"), None)


def ancestors(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    while obj.parent is not None:
        obj = obj.parent
        yield obj


# An export asks some four times for each placement.
@lru_cache(maxsize=4096)
def _taken_apart(matrix: bytes) -> Placement:
    placement = take_apart(np.frombuffer(matrix).reshape(4, 4))
    for part in placement:
        part.setflags(write=False)
    return placement


def handedness(obj: bpy.types.Object) -> float:
    """-1 where an object is mirrored as it stands now, else 1."""
    return handedness_of(np.array(obj.matrix_world))


def handedness_of(place: Floats) -> float:
    """-1 where a world matrix (4, 4) mirrors, else 1."""
    return -1.0 if np.linalg.det(place[:3, :3]) < 0 else 1.0


def is_animated(obj: bpy.types.Object) -> bool:
    animation = obj.animation_data
    return animation is not None and bool(
        animation.action is not None or len(animation.drivers) or len(animation.nla_tracks)
    )


def is_carried(obj: bpy.types.Object) -> bool:
    """Whether an object moves by an animation or a constraint, its own or one of its parents'.

    A simulated parent does not count: it moves only once there is a simulation.
    """
    chain = [obj]
    for parent in ancestors(obj):
        if parent.impulse.kind == "BODY" and parent.impulse.body.motion == "dynamic":
            break
        chain.append(parent)
    return any(is_animated(o) or any(not c.mute for c in o.constraints) for o in chain)


def _check_transform(tagged: Tagged, obj: bpy.types.Object) -> None:
    try:
        placement = tagged.placement_of(obj)
    except ValueError:
        text = "has a scale of zero; give it a scale, or apply it if the object is to be flat"
        tagged.report(obj, Defect(text, "B111"))
        return
    if obj.impulse.kind != "BODY":
        return
    if is_sheared(placement.stretch):
        text = (
            "is sheared: a parent with an uneven scale is turned against it; apply the parent's"
            " scale (Object > Apply > Scale)"
        )
        tagged.report(obj, Defect(text, "B112"))
    if obj.impulse.body.motion == "dynamic":
        _check_movable(tagged, obj)


def _check_movable(tagged: Tagged, obj: bpy.types.Object) -> None:
    """Report what would make an imported animation of a dynamic body land elsewhere."""
    if not is_identity(obj.delta_location, obj.delta_scale, obj.delta_rotation_quaternion):
        text = "has delta transforms; apply them (Object > Apply > Deltas)"
        tagged.report(obj, Defect(text, "B115"))
    if obj.library is not None:
        text = (
            f"is linked from {obj.library.name}, so its motion is not saved with this file; make it"
            " local, or a library override (Object > Library Override)"
        )
        tagged.report(obj, Defect(text, "B126"), "WARNING")
    if any(not constraint.mute for constraint in obj.constraints):
        text = "has constraints, which would fight the simulated motion"
        tagged.report(obj, Defect(text, "B116"), "WARNING")
    if obj.rigid_body is not None:
        text = "is also in Blender's rigid body world, which would move it again"
        tagged.report(obj, Defect(text, "B117"), "WARNING")
    if obj.parent is not None and not is_even(parent_space(obj)):
        text = (
            f"hangs on {obj.parent.name}, whose scale is uneven and would distort it when it turns;"
            " apply that scale (Object > Apply > Scale) or clear the parent"
        )
        tagged.report(obj, Defect(text, "B113", obj.parent.name))
    for parent in ancestors(obj):
        if is_animated(parent) and parent.impulse.kind != "BODY":
            text = (
                f"hangs on {parent.name}, which has an animation of its own; clear the parent and"
                " keep the transform (Alt P)"
            )
            tagged.report(obj, Defect(text, "B114", parent.name))


def parent_space(obj: bpy.types.Object) -> Floats:
    """Matrix (4, 4) from an object's own transform to the world, as it stands now."""
    return np.array(obj.matrix_world) @ np.linalg.inv(np.array(obj.matrix_basis))


def is_even(matrix: Floats) -> bool:
    """Whether a 4x4 matrix scales all directions alike."""
    linear = matrix[:3, :3]
    square = linear.T @ linear
    return bool(
        np.allclose(square, np.trace(square) / 3 * np.eye(3), rtol=0, atol=2e-4 * np.trace(square))
    )


def is_identity(
    location: Iterable[float], scale: Iterable[float], quaternion: Iterable[float]
) -> bool:
    """Whether a transform does nothing; all three are sequences of numbers."""
    turn = [abs(component) for component in quaternion]
    expected = (*(0.0,) * 3, *(1.0,) * 3, 1.0, *(0.0,) * 3)
    given = (*location, *scale, *turn)
    return all(abs(a - b) <= UNMOVED for a, b in zip(given, expected, strict=True))
