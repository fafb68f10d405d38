"""Scenes that are changed while they are simulated: values by path, loads that come and go, and
bodies that are taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import ValidationError

from impulse_schema import Load, Scene
from impulse_schema.parameters import (
    Parameter,
    ParameterError,
    find_parameters,
    list_parameters,
    set_parameters,
)
from impulse_schema.translate import translate

__all__ = [
    "Load",
    "Parameter",
    "ParameterError",
    "find_parameters",
    "list_parameters",
    "new_load",
    "set_parameters",
    "with_loads",
    "without_bodies",
]

Pose = tuple[tuple[float, ...], tuple[float, ...]]
"""Position [m] and orientation of a body's origin."""


def new_load(values: Mapping[str, Any]) -> Load:
    """A load with the keys that it has in a scene file.

    Raises:
        ParameterError: A key or a value cannot be there.
    """
    raw: dict[str, Any] = {"version": 1, "loads": [dict(values)]}
    try:
        return Scene.model_validate(raw).loads[0]
    except ValidationError as error:
        first = next(iter(translate(error.errors(), raw)))
        hint = first.hint if isinstance(first.hint, str) else first.hint()
        raise ParameterError(f"the load: {first.message}. {hint}".rstrip()) from None


def with_loads(scene: Scene, loads: Iterable[Load]) -> Scene:
    """A copy of a scene with more loads."""
    return scene.model_copy(update={"loads": [*scene.loads, *loads]})


def without_bodies(scene: Scene, poses: Mapping[str, Pose]) -> Scene:
    """A copy of a scene in which bodies stand still at poses, untouched, without the joints,
    couplings, springs and loads that need them.
    """
    if not poses:
        return scene
    out = poses.keys()
    bodies = [
        body if body.name not in out else _standing(body, poses[body.name]) for body in scene.bodies
    ]
    names = [joint.name or f"joint-{k + 1}" for k, joint in enumerate(scene.joints)]
    free = {n for n, j in zip(names, scene.joints, strict=True) if {j.body1, j.body2} & out}
    joints = [
        joint.model_copy(update={"name": name})
        for name, joint in zip(names, scene.joints, strict=True)
        if name not in free and not any(term.joint in free for term in joint.terms)
    ]
    return scene.model_copy(
        update={
            "bodies": bodies,
            "joints": joints,
            "springs": [s for s in scene.springs if not {s.body1, s.body2} & out],
            "loads": [n for n in scene.loads if not {n.body, n.reaction_body} & out],
        }
    )


def _standing(body: Any, pose: Pose) -> Any:
    position, orientation = pose
    geometry = [solid.model_copy(update={"role": "visual"}) for solid in body.geometry]
    return body.model_copy(
        update={
            "motion": "static",
            "position": position,
            "orientation": orientation,
            "velocity": (0.0, 0.0, 0.0),
            "angular_velocity": (0.0, 0.0, 0.0),
            "keyframes": [],
            "record_clearance": False,
            "geometry": geometry,
        }
    )
