# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of a live session pulled with the mouse, in the plane through the point that was taken
hold of, across the line of sight.
"""

import numpy as np
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector
from mathutils.geometry import intersect_line_plane


def takes(context, event, session):
    """Whether an event of the window was about pulling a body."""
    is_end = event.type == "LEFTMOUSE" and event.value == "RELEASE"
    if session.grip is not None and (is_end or event.type in {"ESC", "WINDOW_DEACTIVATE"}):
        session.release()
        return True
    if event.type == "LEFTMOUSE" and event.value == "PRESS" and context.mode == "OBJECT":
        return not _has_modifier(event) and _grab(context, event, session)
    if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"} and session.grip is not None:
        _pull(context, event, session)
        return True
    return False


def _has_modifier(event):
    return event.shift or event.ctrl or event.alt or event.oskey


def _grab(context, event, session):
    ray = ray_of(context, event)
    if ray is None:
        return False
    name, place = hit(context, session, *ray)
    if name is None:
        return False
    session.grab(name, np.array(place))
    return True


def _pull(context, event, session):
    ray = ray_of(context, event)
    line = session.line()
    if ray is None or line is None:
        return
    origin, direction = ray
    place = intersect_line_plane(origin, origin + direction, Vector(line[1]), direction)
    if place is not None:
        session.pull(np.array(place))


def ray_of(context, event):
    """Origin and direction of the line of sight under the mouse; None outside of 3D views."""
    window = context.window
    for area in window.screen.areas if window is not None else ():
        if area.type != "VIEW_3D":
            continue
        over = [r for r in area.regions if r.type != "WINDOW" and _is_in(r, event)]
        for region in area.regions:
            if region.type == "WINDOW" and _is_in(region, event) and not over:
                view = area.spaces.active.region_3d
                mouse = event.mouse_x - region.x, event.mouse_y - region.y
                direction = region_2d_to_vector_3d(region, view, mouse)
                return region_2d_to_origin_3d(region, view, mouse), direction
    return None


def _is_in(region, event):
    return (
        0 <= event.mouse_x - region.x < region.width
        and 0 <= event.mouse_y - region.y < region.height
    )


def hit(context, session, origin, direction):
    """Name of the body that a line of sight meets first, and where; (None, None) for none."""
    graph = context.evaluated_depsgraph_get()
    found, place, _normal, _face, obj, _matrix = context.scene.ray_cast(graph, origin, direction)
    name = body_of(obj, session) if found else None
    return (name, place) if name is not None else (None, None)


def body_of(obj, session):
    """Name of the body that an object is, or is a part of; None where the machine moves none."""
    obj = obj.original
    while obj is not None:
        if session.may_pull(obj.name):
            return obj.name
        if obj.impulse.kind == "GEOMETRY" and obj.impulse.geometry.body is not None:
            obj = obj.impulse.geometry.body
        else:
            obj = obj.parent
    return None
