# SPDX-License-Identifier: GPL-3.0-or-later
"""From tagged objects to a checked scene file.

``build`` reads Blender and returns the scene with every issue; ``export`` writes it, and writes
nothing where there is an error. The start of the simulation is the pose at the scene's first frame.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
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
    decimals,
    frame_to_time,
    length_to_scene,
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
from .bodies import body_data, load_data
from .collect import Tagged, check_place, collect, objects_of
from .deforming import report_deforming
from .files import INLINE_FACES, write_scene
from .instances import exported_instances, of_instances, written_instances
from .joints import joint_data, spring_data
from .keyed import report_keyed
from .meshes import Polygons
from .realising import realised
from .solids import SolidExporter
from .start import at_start, moved_in_between
from .timeline import Timeline
from .work import MANY_CORNERS, MANY_ELEMENTS, Pause, Work, at_one_go, beside


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
    return at_one_go(building(context, collection, shown=shown, played=played))


def building(
    context: bpy.types.Context,
    collection: bpy.types.Collection | None = None,
    *,
    shown: bool = False,
    played: bool = True,
) -> Work[Build]:
    """``build``, piece by piece. Poses and what the timeline says are read in the first piece,
    which puts the frame back; an edit afterwards is for who does the work to notice.
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
        reading = _scene_data(context, tagged, exporter, timeline, names)
        # What is there for the export alone is gone after it, and what nodes make may be another
        # mesh in another frame.
        data = at_one_go(reading) if made or any(map(_has_nodes, tagged.solids())) else None
    if data is None:
        data = yield from reading
    result = Build(meshes=exporter.meshes, issues=tagged.issues)
    if not tagged.bodies:
        text = "No object is tagged as a body."
        result.issues.append(Issue(text, hint="Select the parts and press Body.", code="B101"))
    size = sum(len(data[key]) for key in ("bodies", "joints", "springs", "meshes"))
    yield Pause("checking", 1.0)
    yield from beside(partial(_check, result, data, made), "checking", large=size > MANY_ELEMENTS)
    return result


def _has_nodes(obj: bpy.types.Object) -> bool:
    return any(modifier.type == "NODES" for modifier in obj.modifiers)


def _check(result: Build, data: dict[str, Any], made: dict[str, tuple[str, str]]) -> None:
    """Validate what was read; nothing here is Blender's."""
    try:
        scene = Scene.model_validate(data)
    except ValidationError as error:
        findings = list(translate(error.errors(), data))
        findings += validate_partially(
            data, findings, Source(Path(), b"", NoLayout(), allow_outside=True)
        )
        found = of_instances(result.issues + from_findings(findings, data), made)
        result.issues = without_repetition(found)
        return
    found = of_instances(result.issues + from_problems(check_scene(scene), data), made)
    result.issues = without_repetition(found)
    if not errors(result.issues):
        result.scene = scene


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


def writing(result: Build, path: Path) -> Work[None]:
    """``write``, piece by piece."""
    size = sum(len(mesh.corners) for mesh in result.meshes.values())
    elements = 0 if result.scene is None else len(result.scene.bodies) + len(result.scene.joints)
    large = size > MANY_CORNERS or elements > MANY_ELEMENTS
    yield Pause("writing", 1.0)
    yield from beside(partial(write, result, path), "writing", large=large)


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


def _scene_data(
    context: bpy.types.Context,
    tagged: Tagged,
    exporter: SolidExporter,
    timeline: Timeline,
    names: set[str],
) -> Work[dict[str, Any]]:
    """The scene as the plain data its model is validated from."""
    scene = context.scene
    metres = metres_of(scene)
    count = len(tagged.bodies) + len(tagged.joints) + len(tagged.springs)
    bodies, loads, joints, springs = [], [], [], []
    for number, obj in enumerate((*tagged.bodies, *tagged.joints, *tagged.springs), start=1):
        yield Pause(f"reading object {number} of {count}", number / count)
        if obj.impulse.kind == "BODY":
            depsgraph = context.evaluated_depsgraph_get()
            for part in (obj, *tagged.geometry.get(obj.name, ())):
                check_place(tagged, part, depsgraph)
            bodies.append((yield from body_data(obj, metres, tagged, exporter, timeline)))
            loads += load_data(obj, names, tagged, timeline)
        elif obj.impulse.kind == "JOINT":
            joints.append(joint_data(obj, metres, names, tagged, timeline))
        else:
            springs.append(spring_data(obj, metres, names, tagged))
    data: dict[str, Any] = {
        "version": 1,
        "name": scene.impulse.title or scene.name,
        "settings": settings_data(scene),
        "constants": _values(scene.impulse.constants, models.Constant),
        "materials": _values(scene.impulse.materials, models.Material),
        "material_pairs": _values(scene.impulse.material_pairs, models.MaterialPair),
        "meshes": exporter.mesh_data(INLINE_FACES),
        "bodies": bodies,
        "loads": loads,
        "joints": joints,
        "springs": springs,
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
