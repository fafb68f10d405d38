# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles at the active joint: its anchor, its axis, and the bounds of its limits.

Anchor and axis are dragged by Blender's own transform operators, with all that belongs to them
(undo, snapping, numbers typed); bounds by a gizmo of this file. Gizmos remember names and numbers,
never objects, as undo makes objects invalid.
"""

import math

import bpy
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Matrix

from ..export.scene_export import metres_of
from . import glyphs, handles

# Limits with more bounds than this have no handles for the rest.
MOST_BOUNDS = 8
# Which of several gizmos under the mouse is taken.
PREFERRED = 8.0


def sphere_triangles(rings=6):
    """Corners of the triangles of a ball, for the shape of a handle."""

    def point(i, k):
        a, b = math.pi * i / rings, 2 * math.pi * k / (2 * rings)
        return (math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a))

    corners = []
    for i in range(rings):
        for k in range(2 * rings):
            quad = [point(i, k), point(i + 1, k), point(i + 1, k + 1), point(i, k + 1)]
            corners += [quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]]
    return corners


class IMPULSE_GT_bound(bpy.types.Gizmo):
    """A ball at a bound of a limit, dragged around or along the axis"""

    __slots__ = ("handle", "shape", "start")

    def setup(self):
        self.handle = None
        self.shape = self.new_custom_shape("TRIS", sphere_triangles())

    def draw(self, _context):
        self.draw_custom_shape(self.shape)

    def draw_select(self, _context, select_id):
        self.draw_custom_shape(self.shape, select_id=select_id)

    def invoke(self, context, _event):
        self.start = self._value(context)
        return {"RUNNING_MODAL"}

    def modal(self, context, event, _tweak):
        joint, handle = context.object, self.handle
        mouse = (event.mouse_region_x, event.mouse_region_y)
        ray = [view(context.region, context.region_data, mouse)
               for view in (region_2d_to_origin_3d, region_2d_to_vector_3d)]  # fmt: skip
        metres = metres_of(context.scene)
        value = handles.dragged(handle, joint, *ray, metres, self._value(context))
        if event.ctrl:
            value = handles.snapped(handle, value, metres)
        self._set(context, handles.allowed(handle, joint, value))
        is_length = handle.freedom == "translation"
        shown = f"{value:.4g} m" if is_length else f"{math.degrees(value):.1f}°"
        context.area.header_text_set(f"{handle.key.capitalize()} bound {shown} (Ctrl snaps)")
        return {"RUNNING_MODAL"}

    def exit(self, context, cancel):
        context.area.header_text_set(None)
        if cancel:
            self._set(context, self.start)
        else:
            bpy.ops.ed.undo_push(message="Bound of a Limit")

    def _value(self, context):
        return getattr(context.object.impulse.joint.limits[self.handle.limit], self.handle.key)

    def _set(self, context, value):
        setattr(context.object.impulse.joint.limits[self.handle.limit], self.handle.key, value)
        context.object.update_tag()
        context.area.tag_redraw()


class IMPULSE_GGT_joint(bpy.types.GizmoGroup):
    """Handles at the active joint"""

    bl_label = "Impulse joint"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @classmethod
    def poll(cls, context):
        obj = context.object
        settings = context.scene.impulse_overlay
        return (
            context.mode == "OBJECT"
            and obj is not None
            and obj.impulse.kind == "JOINT"
            and obj.select_get()
            and settings.show
            and settings.joints
        )

    def setup(self, _context):
        self.move = self._operator_gizmo("GIZMO_GT_move_3d", "transform.translate", glyphs.MOVER)
        self.move.draw_options = {"ALIGN_VIEW"}
        self.move.scale_basis = 0.12
        self.move.select_bias = PREFERRED  # the arrow and the dials begin where it is
        self.along = self._operator_gizmo(
            "GIZMO_GT_arrow_3d", "transform.translate", glyphs.AXIS, (False, False, True)
        )
        self.along.scale_basis = 0.7
        # Beyond the ring at the anchor, which it would cover.
        self.along.matrix_offset = Matrix.Translation((0.0, 0.0, 0.4))
        self.turns = []
        for axis in ((True, False, False), (False, True, False)):
            dial = self._operator_gizmo("GIZMO_GT_dial_3d", "transform.rotate", glyphs.FRAME, axis)
            dial.draw_options = {"CLIP"}
            dial.scale_basis = 0.5
            self.turns.append(dial)
        self.bounds = [self.gizmos.new(IMPULSE_GT_bound.__name__) for _ in range(MOST_BOUNDS)]
        for gizmo in self.bounds:
            gizmo.color, gizmo.alpha = glyphs.LIMIT[:3], 0.9
            gizmo.color_highlight, gizmo.alpha_highlight = (1.0, 1.0, 1.0), 1.0
            gizmo.scale_basis = 0.06
            gizmo.use_draw_modal = True

    def _operator_gizmo(self, kind, operator, colour, axis=None):
        """A gizmo that starts an operator, which acts along or about a local axis only if given."""
        gizmo = self.gizmos.new(kind)
        properties = gizmo.target_set_operator(operator)
        properties.release_confirm = True
        if axis is not None:
            properties.constraint_axis = axis
            properties.orient_type = "LOCAL"
        gizmo.color, gizmo.alpha = colour[:3], 0.7
        gizmo.color_highlight, gizmo.alpha_highlight = (1.0, 1.0, 1.0), 1.0
        return gizmo

    def draw_prepare(self, context):
        joint = context.object
        frame = handles.joint_frame(joint)
        self.move.matrix_basis = Matrix.Translation(frame.translation)
        self.along.matrix_basis = frame
        across = (Matrix.Rotation(math.pi / 2, 4, "Y"), Matrix.Rotation(-math.pi / 2, 4, "X"))
        for dial, turn in zip(self.turns, across, strict=True):
            dial.matrix_basis = frame @ turn
        found = handles.handles_of(joint)
        metres, size = metres_of(context.scene), context.scene.impulse_overlay.size
        for number, gizmo in enumerate(self.bounds):
            gizmo.hide = number >= len(found)
            if not gizmo.hide:
                gizmo.handle = found[number]
                value = gizmo._value(context)
                place = handles.place_of(found[number], joint, size, metres, value)
                gizmo.matrix_basis = Matrix.Translation(place)


CLASSES = (IMPULSE_GT_bound, IMPULSE_GGT_joint)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
