# SPDX-License-Identifier: GPL-3.0-or-later
"""From tagged objects to a checked scene file.

``build`` reads Blender and returns the scene with every issue; ``export`` writes it, and writes
nothing where there is an error. The start of the simulation is the pose at the scene's first frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from pydantic import ValidationError

from impulse_schema import SceneError, check_scene, models
from impulse_schema.models import Element, Scene
from impulse_schema.partial_validation import validate_partially
from impulse_schema.source import ScenePath, Source
from impulse_schema.translate import translate

from ..convert import (
    Placement,
    decimals,
    frame_to_time,
    length_to_scene,
    quaternion_to_scene,
    rotation_to_quaternion,
    take_apart,
)
from ..issues import (
    ExportError,
    Issue,
    errors,
    from_findings,
    from_problems,
    without_repetition,
)
from ..properties.pointers import pointer_problems
from ..properties.schema_properties import values_of
from .collect import Tagged, collect, handedness, is_carried, objects_of, placement_of
from .deforming import report_deforming
from .files import INLINE_FACES, write_scene
from .instances import exported_instances, of_instances, written_instances
from .joints import joint_data, part_data, spring_data
from .keyed import moved_by_hand, report_keyed
from .meshes import Polygons
from .realising import realised
from .solids import SolidExporter
from .timeline import Timeline
from .undisturbed import without_motion


@dataclass
class Build:
    """What ``build`` made: the scene (None where it is invalid), its large meshes, the issues."""

    scene: Scene | None = None
    meshes: dict[str, Polygons] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)


def build(
    context: bpy.types.Context,
    collection: bpy.types.Collection | None = None,
    *,
    shown: bool = False,
    played: bool = True,
) -> Build:
    """The tagged objects of the current view layer as a scene, with all that is wrong with it.

    ``collection`` takes those of one collection only. With ``shown``, for a look that disturbs
    nobody, no other frame is shown: poses are those of the present frame, and what the timeline
    says over time is left out; so are instances. With ``played`` the motion is to come back, which
    instances cannot take: only those of what stands still are part of the scene then.
    """
    if moved := moved_in_between(context):
        return Build(issues=moved)
    made: dict[str, tuple[str, str]] = {}
    written: list[Issue] = []
    with ExitStack() as stack:
        if not shown:
            stack.enter_context(at_start(context.scene))
            present = objects_of(context.view_layer, collection)
            instances = exported_instances(present, played=played)
            written = written_instances(instances)
            made = stack.enter_context(realised(context, instances))
        tagged = collect(context.view_layer, collection)
        tagged.issues += written
        tagged.shown = shown
        timeline = Timeline(context, tagged)
        report_keyed(tagged, context.scene, timeline.exported)
        report_deforming(tagged)
        exporter = SolidExporter(context, metres_of(context.scene))
        names = {obj.name for obj in objects_of(context.view_layer, collection)}
        data = _scene_data(context, tagged, exporter, timeline, names)
    result = Build(meshes=exporter.meshes, issues=tagged.issues)
    if not tagged.bodies:
        text = "No object is tagged as a body."
        result.issues.append(Issue(text, hint="Select the parts and press Body.", code="B101"))
    try:
        scene = Scene.model_validate(data)
    except ValidationError as error:
        findings = list(translate(error.errors(), data))
        findings += validate_partially(
            data, findings, Source(Path(), b"", NoLayout(), allow_outside=True)
        )
        found = of_instances(result.issues + from_findings(findings, data), made)
        result.issues = without_repetition(found)
        return result
    found = of_instances(result.issues + from_problems(check_scene(scene), data), made)
    result.issues = without_repetition(found)
    if not errors(result.issues):
        result.scene = scene
    return result


class NoLayout:
    """The layout of a scene that is in no file, for the schema to find no places in."""

    def offset(self, _path: ScenePath) -> int | None:
        return None

    def has(self, _path: ScenePath) -> bool:
        return False


def metres_of(scene: bpy.types.Scene) -> float:
    """Length of a Blender unit [m]."""
    return decimals(scene.unit_settings.scale_length)


def export(
    context: bpy.types.Context,
    path: str | Path,
    collection: bpy.types.Collection | None = None,
    *,
    played: bool = False,
) -> Build:
    """Write the scene to ``path`` (.xml or .json), large meshes beside it.

    ``collection`` takes the tagged objects of one collection only; ``played`` as in ``build``.

    Raises ExportError with every issue where the scene is invalid or cannot be written; files
    that exist are untouched then.
    """
    path = Path(path)
    if path.suffix.lower() not in (".xml", ".json"):
        text = f"'{path.name}' must end in .xml or .json."
        raise ExportError([Issue(text, code="B151")])
    result = build(context, collection, played=played)
    write(result, path)
    return result


def write(result: Build, path: Path) -> None:
    """Write what was built; raises ExportError as ``export`` does."""
    if result.scene is None:
        raise ExportError(errors(result.issues))
    try:
        write_scene(result.scene, result.meshes, path)
    except SceneError as error:
        issues = [
            Issue(f"{path}: {problem.message}. {problem.hint}", code=problem.code)
            for problem in error.problems
        ]
        raise ExportError(issues) from error
    except OSError as error:
        text = f"{path}: the file cannot be written: {error.strerror}."
        raise ExportError([Issue(text, code="B151")]) from error


def moved_in_between(context: bpy.types.Context) -> list[Issue]:
    """Animated objects that were moved by hand elsewhere than in the first frame.

    To show that frame would put them back to where their keys are.
    """
    scene = context.scene
    context.view_layer.update()
    if _is_start(scene):
        return []
    return [
        Issue(
            f"was moved in frame {scene.frame_current}, where its keys say otherwise, and is put"
            " back as soon as another frame is shown. Move it in the first frame"
            f" ({scene.frame_start}) to start from there, key it (I), or press Clear to keep it"
            " where it is.",
            obj.name,
            code="B124",
        )
        for obj in context.view_layer.objects
        if obj.impulse.kind != "NONE" and moved_by_hand(obj, scene)
    ]


def _is_start(scene: bpy.types.Scene) -> bool:
    return bool(scene.frame_current == scene.frame_start and scene.frame_subframe == 0.0)


@contextmanager
def start_frame(scene: bpy.types.Scene) -> Iterator[None]:
    """Show the first frame of the scene for a while, as that is where the simulation starts."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    if _is_start(scene):
        bpy.context.view_layer.update()
        yield
        return
    scene.frame_set(scene.frame_start)
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)


@contextmanager
def at_start(scene: bpy.types.Scene) -> Iterator[None]:
    """Show for a while what the simulation starts from: the first frame, without its motion."""
    with start_frame(scene), without_motion(scene):
        yield


def _scene_data(
    context: bpy.types.Context,
    tagged: Tagged,
    exporter: SolidExporter,
    timeline: Timeline,
    names: set[str],
) -> dict[str, Any]:
    """The scene as the plain data its model is validated from."""
    scene = context.scene
    metres = metres_of(scene)
    bodies = [_body_data(scene, obj, tagged, exporter, timeline) for obj in tagged.bodies]
    data: dict[str, Any] = {
        "version": 1,
        "name": scene.impulse.title or scene.name,
        "settings": settings_data(scene),
        "constants": _values(scene.impulse.constants, models.Constant),
        "materials": _values(scene.impulse.materials, models.Material),
        "material_pairs": _values(scene.impulse.material_pairs, models.MaterialPair),
        "meshes": exporter.mesh_data(INLINE_FACES),
        "bodies": bodies,
        "loads": [
            load for obj in tagged.bodies for load in _load_data(obj, names, tagged, timeline)
        ],
        "joints": [joint_data(obj, metres, names, tagged, timeline) for obj in tagged.joints],
        "springs": [spring_data(obj, metres, names, tagged) for obj in tagged.springs],
    }
    if scene.impulse.description:
        data["description"] = scene.impulse.description
    if scene.impulse.use_collision_filter:
        data["collision_filter"] = {
            "default": scene.impulse.collide_by_default,
            "pairs": _pair_data(scene.impulse.collision_pairs, names, tagged),
            "groups": _values(scene.impulse.collision_groups, models.CollisionGroupRule),
        }
    return data


def _values(items: Any, model: type[Element]) -> list[dict[str, Any]]:
    return [values_of(item, model) for item in items]


def _pair_data(pairs: Any, names: set[str], tagged: Tagged) -> list[dict[str, Any]]:
    for number, pair in enumerate(pairs, start=1):
        tagged.issues += [
            Issue(
                f"Pair {number} of the collision filter {problem}.",
                code=problem.code,
                other=problem.other,
                detail=f"collision_pairs[{number - 1}].{problem.detail}",
            )
            for problem in pointer_problems(pair, names)
        ]
    return _values(pairs, models.CollisionPair)


def settings_data(scene: bpy.types.Scene) -> dict[str, Any]:
    """Settings of the scene; gravity, frame rate and duration are Blender's unless set for Impulse.

    The duration is that of the scene's frames.
    """
    group = scene.impulse.settings
    values = values_of(group, models.Settings)
    if not group.use_gravity:
        gravity = np.array(scene.gravity) if scene.use_gravity else np.zeros(3)
        values["gravity"] = tuple(decimals(length_to_scene(gravity, metres_of(scene))))
    if not group.use_fps:
        values["fps"] = scene.render.fps / decimals(scene.render.fps_base)
    if not group.use_duration:
        fps = scene.render.fps / decimals(scene.render.fps_base)
        frames = max(scene.frame_end - scene.frame_start, 1)
        values["duration"] = float(frame_to_time(frames, 0, fps))
    return values


def _body_data(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    tagged: Tagged,
    exporter: SolidExporter,
    timeline: Timeline,
) -> dict[str, Any]:
    group = obj.impulse.body
    values = values_of(group, models.Body)
    values["name"] = obj.name
    values.update(_mass_data(values, group))
    metres = metres_of(scene)
    try:
        values["position"], values["orientation"] = pose_of(obj, metres)
        values["geometry"] = exporter.solids(obj, tagged)
    except ValueError:  # a zero scale, reported by collect
        return values
    if values.get("center_of_mass") is not None:
        values["center_of_mass"] = to_body_frame(obj, values["center_of_mass"])
    if group.motion == "kinematic" and is_carried(obj) and not tagged.shown:
        try:
            keyframes = _keyframe_data(timeline, obj, metres)
        except ValueError:
            tagged.report(obj, "has a scale that becomes zero in its animation")
            return values
        values["keyframes"] = keyframes
        # the scene starts with the first frame, whichever is shown
        values |= {key: keyframes[0][key] for key in ("position", "orientation")}
    return values


def _mass_data(values: dict[str, Any], group: Any) -> dict[str, Any]:
    """Mass fields that the chosen source uses; the others are taken out of ``values``."""
    mass = {key: values.pop(key) for key in ("density", "mass", "center_of_mass", "inertia")}
    if group.mass_source == "density":
        return {"density": mass["density"]}
    if group.mass_source == "mass":
        return {"mass": mass["mass"]}
    if group.mass_source == "material":
        return {}
    del mass["density"]
    products = tuple(decimals(group.inertia_products))
    if any(products):
        mass["inertia"] += products
    return mass


def pose_of(obj: bpy.types.Object, metres: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Position [m] and quaternion of an object's origin in the world, scale left out."""
    return _pose(placement_of(obj), metres)


def _pose(placement: Placement, metres: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    position = tuple(decimals(length_to_scene(placement.translation, metres)))
    return position, quaternion_to_scene(rotation_to_quaternion(placement.rotation))


def _load_data(
    obj: bpy.types.Object, names: set[str], tagged: Tagged, timeline: Timeline
) -> list[dict[str, Any]]:
    loads = []
    for number, group in enumerate(obj.impulse.body.loads):
        load = part_data(group, models.Load)
        if "expression" not in load:
            del load["phase"]
        for problem in pointer_problems(group, names):
            tagged.report(obj, problem)
        load["body"] = obj.name
        load["from"] = load.pop("from_")
        in_body = ("point", "force") if load["axes"] == "body" else ("point",)
        changing = timeline.loads(obj, number)
        for part in [{}] if changing is None else changing:
            timed = load | part
            if part and not any(part["force"]):
                timed.pop("point", None)
            timed |= {key: to_body_frame(obj, timed[key]) for key in in_body if key in timed}
            loads.append(timed)
    return loads


def to_body_frame(obj: bpy.types.Object, vector: Iterable[float]) -> tuple[float, ...]:
    """A position or force in the axes of an object, in those of its body.

    The axes of a body are right-handed. Those of a mirrored object are not: they are the opposite
    of the body's (``take_apart``). A torque, an axial vector, is the same in both.
    """
    return tuple(0.0 + handedness(obj) * component for component in vector)


def _keyframe_data(
    timeline: Timeline, obj: bpy.types.Object, metres: float
) -> list[dict[str, Any]]:
    """Poses of an animated object over time; raises ValueError where a scale becomes zero."""
    keyframes = []
    for time, matrix in timeline.poses(obj):
        position, orientation = _pose(take_apart(matrix), metres)
        keyframes.append({"time": time, "position": position, "orientation": orientation})
    return keyframes
