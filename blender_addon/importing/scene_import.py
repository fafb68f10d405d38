# SPDX-License-Identifier: GPL-3.0-or-later
"""From a scene to tagged objects in a collection of their own.

Exporting them gives the same scene, in single precision (tests/blender/test_import.py says what
counts as the same). What Blender holds in another way is noted in the report.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy
import numpy as np

from impulse_schema import Scene, SceneError, check_scene, expand_parts, load_scene
from impulse_schema.models import Body

from ..export.scene_export import metres_of
from ..properties.assignment import Named, set_values
from .joints import make_joints, make_springs
from .loads import make_loads
from .motion import animate
from .objects import Maker, note_name
from .report import ImportReport, ImportSceneError
from .scene_settings import add_constants, add_filter, add_materials, keep_settings, set_scene
from .solids import SolidMaker, read_meshes

MASS = ("mass", "density", "center_of_mass", "inertia")
# Edge of what stands for an endless plane, in extents of the scene.
PLANE = 4.0


def import_scene(context: bpy.types.Context, path: str | Path) -> ImportReport:
    """Open a scene file (.xml, .json). Raises ImportSceneError; nothing is made then."""
    try:
        scene = load_scene(path)
    except SceneError as error:
        raise ImportSceneError(str(error)) from error
    return add_scene(context, scene, Path(path).stem)


def add_scene(context: bpy.types.Context, scene: Scene, name: str = "") -> ImportReport:
    """Make objects of the bodies, joints and springs of a scene.

    Its settings and title are taken over where the Blender scene holds no tagged body yet.
    ``name`` is the title of a scene without one. Raises ImportSceneError; nothing is made then.
    """
    problems = check_scene(scene)
    if problems:
        raise ImportSceneError("\n".join(str(problem) for problem in problems))
    scene = expand_parts(scene)
    surfaces = read_meshes(scene)
    view = context.scene
    is_first = not any(obj.impulse.kind == "BODY" for obj in context.view_layer.objects)
    report = ImportReport()
    title = scene.name or name or "Impulse"
    reach = _reach(scene)
    maker = Maker(view, title, metres_of(view), _usual_size(scene) or reach)
    report.collection = maker.collection.name
    if is_first:
        set_scene(view, scene, title)
    else:
        keep_settings(view, scene, report)
    materials = add_materials(view, scene, report)
    solids = SolidMaker(maker, surfaces, PLANE * reach, report)
    objects = {body.name: _body(maker, body, solids, report) for body in scene.bodies}
    _rename_materials(maker.collection.objects, materials)
    named: Named = objects.get
    constants = add_constants(view, scene, report)
    make_loads(view, scene.loads, objects, constants, report)
    make_joints(maker, scene, named, constants, report)
    make_springs(maker, scene, named, report)
    add_filter(view, scene, named, is_first, report)
    moving = [(body, objects[body.name]) for body in scene.bodies if body.keyframes]
    animate(view, moving, maker.metres, report)
    context.view_layer.update()
    return report


def _body(maker: Maker, body: Body, solids: SolidMaker, report: ImportReport) -> bpy.types.Object:
    data, own = solids.body_mesh(body)
    obj = maker.make(body.name, data, body.position, body.orientation)
    note_name("body", body.name, obj, report)
    report.bodies[body.name] = obj.name
    obj.impulse.kind = "BODY"
    group = obj.impulse.body
    set_values(group, body, skip=MASS)
    group.own_geometry = own is not None
    _set_mass(group, body)
    solids.add(body, obj, own)
    return obj


def _set_mass(group: bpy.types.PropertyGroup, body: Body) -> None:
    if body.inertia is not None:
        group.mass_source = "explicit"
        group.center_of_mass = body.center_of_mass or (0.0, 0.0, 0.0)
        group.inertia = body.inertia[:3]
        group.inertia_products = (*body.inertia[3:], 0.0, 0.0, 0.0)[:3]
    elif body.mass is not None:
        group.mass_source = "mass"
    elif body.density is not None:
        group.mass_source = "density"
    else:
        group.mass_source = "material"
    if body.mass is not None:
        group.mass = body.mass
    if body.density is not None:
        group.density = body.density


def _rename_materials(objects: Iterable[bpy.types.Object], names: dict[str, str]) -> None:
    for obj in objects:
        solid = obj.impulse.geometry
        solid.material = names.get(solid.material, solid.material)


def _reach(scene: Scene) -> float:
    """How far a scene extends [m], for what has no size of its own."""
    points = [body.position for body in scene.bodies]
    points += [joint.anchor for joint in scene.joints if joint.anchor is not None]
    sizes = [_size(body) for body in scene.bodies]
    extent = float(np.ptp(np.array(points), axis=0).max()) if points else 0.0
    return max(extent, *sizes, 1e-3) if sizes else 1.0


def _usual_size(scene: Scene) -> float:
    """Of the solids of bodies that move [m], the middle one; 0 where none has any."""
    sizes = [_size(body) for body in scene.bodies if body.motion != "static"]
    return float(np.median(sizes)) if sizes else 0.0


def _size(body: Body) -> float:
    measures = [0.0]
    for solid in body.geometry:
        found = (*(solid.size or ()), solid.radius, solid.height, solid.major_radius)
        measures += [2.0 * value for value in found if value is not None]
    return max(measures)
