# SPDX-License-Identifier: GPL-3.0-or-later
"""What all panels share: where they are, labels left of values, lists with add and remove."""

from ..properties.schema_properties import draw_fields


class ImpulsePanel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Impulse"


def prepare(layout):
    """Labels left of the values, as in Blender's own property editors."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def draw_list(layout, items, path, model, title, *, draw=None, skip=(), rotating=False):
    """A list of the file format: a box for each entry with its fields, add and remove."""
    header = layout.row()
    header.label(text=title)
    header.operator("impulse.list_add", text="", icon="ADD").path = path
    for index, item in enumerate(items):
        box = layout.box()
        row = box.row()
        row.label(text=getattr(item, "name", "") or f"{title.removesuffix('s')} {index + 1}")
        remove = row.operator("impulse.list_remove", text="", icon="X", emboss=False)
        remove.path, remove.index = path, index
        if draw is None:
            draw_fields(box, item, model, skip=skip, rotating=rotating)
        else:
            draw(box, item, index)
