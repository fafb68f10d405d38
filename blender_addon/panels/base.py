# SPDX-License-Identifier: GPL-3.0-or-later
"""What all panels share: where they are, labels left of values, lists with add and remove."""

from impulse_schema import models

from .. import documentation
from ..properties.schema_properties import draw_fields


class ImpulsePanel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Impulse"
    # The page of the documentation that the question mark opens, and the heading on it.
    page = ("blender", "")

    def draw_header_preset(self, _context):
        link = self.layout.operator("wm.url_open", text="", icon="QUESTION", emboss=False)
        link.url = documentation.url(*self.page)


def prepare(layout):
    """Labels left of the values, as in Blender's own property editors."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def folded(layout, name, title):
    """The layout of a section that is closed at first; None while it is."""
    header, body = layout.panel(f"impulse_{name}", default_closed=True)
    header.label(text=title)
    return body


def draw_list(layout, items, path, model, title, *, draw=None, skip=(), rotating=False, add=None):
    """A list of the file format: a box for each entry with its fields, add and remove.

    ``add`` is an operator that adds an entry with numbers that work, and the one of its arguments
    that a menu asks for, '' for none.
    """
    header = layout.row()
    header.label(text=title)
    if add is None:
        header.operator("impulse.list_add", text="", icon="ADD").path = path
    elif add[1]:
        header.operator_menu_enum(*add, text="", icon="ADD")
    else:
        header.operator(add[0], text="", icon="ADD")
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


def draw_curve(layout, owner, path):
    """The samples that a motor or a load follows; ``path`` leads to it from its object's tag."""
    layout.prop(owner, "use_curve")
    if owner.use_curve:
        draw_fields(layout, owner.curve, models.Curve)
        draw_list(
            layout, owner.curve.samples, f"{path}.curve.samples", None, "Samples",
            draw=lambda box, item, _index: draw_sample(box, item),
        )  # fmt: skip


def draw_sample(layout, sample):
    row = layout.row(align=True)
    row.prop(sample, "time")
    row.prop(sample, "value")
