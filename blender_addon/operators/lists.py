# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add to and remove from the lists a scene or an object holds."""

import bpy
from bpy.props import IntProperty, StringProperty

# Lists an operator may change, by path from the object's or the scene's tag.
OBJECT_LISTS = (
    "body.loads",
    "joint.motors",
    "joint.limits",
    "joint.springs",
    "joint.frictions",
    "joint.terms",
)
SCENE_LISTS = ("constants", "materials", "material_pairs", "collision_pairs", "collision_groups")

# What entries are called that have to have a name, and what is between it and a number.
NAMED_ITEMS = {"constants": ("constant", "_"), "materials": ("Material", " ")}


def find_list(context, path):
    """The collection a path names, such as joint.motors or joint.motors[0].curve.samples."""
    root, _, rest = path.partition(".")
    if path in SCENE_LISTS:
        return getattr(context.scene.impulse, path)
    obj = context.object
    base = path.partition("[")[0]
    if obj is None or base not in OBJECT_LISTS:
        return None
    if base != path and not path.endswith("].curve.samples"):
        return None
    try:
        return getattr(obj.impulse, root).path_resolve(rest)
    except ValueError:
        return None


class ListOperator:
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    path: StringProperty(options={"HIDDEN"})

    def items(self, context):
        items = find_list(context, self.path)
        if items is None:
            known = ", ".join((*OBJECT_LISTS, *SCENE_LISTS))
            self.report({"ERROR"}, f"There is no list '{self.path}' here; there are {known}.")
        return items


class IMPULSE_OT_list_add(ListOperator, bpy.types.Operator):
    """Add an entry"""

    bl_idname = "impulse.list_add"
    bl_label = "Add"

    name: StringProperty(name="Name")

    def execute(self, context):
        items = self.items(context)
        if items is None:
            return {"CANCELLED"}
        item = items.add()
        if self.name:
            item.name = self.name
        elif self.path in NAMED_ITEMS:
            base, between = NAMED_ITEMS[self.path]
            item.name = unused_name(base, [other.name for other in items], between)
        items.id_data.update_tag()
        return {"FINISHED"}


class IMPULSE_OT_list_remove(ListOperator, bpy.types.Operator):
    """Remove this entry"""

    bl_idname = "impulse.list_remove"
    bl_label = "Remove"

    index: IntProperty(min=0)

    def execute(self, context):
        items = self.items(context)
        if items is None:
            return {"CANCELLED"}
        if self.index >= len(items):
            self.report({"ERROR"}, f"The list has {len(items)} entries; there is no {self.index}.")
            return {"CANCELLED"}
        items.remove(self.index)
        items.id_data.update_tag()
        return {"FINISHED"}


def unused_name(base, taken, between=" "):
    number = 1
    while f"{base}{between}{number}" in taken:
        number += 1
    return f"{base}{between}{number}"


CLASSES = (IMPULSE_OT_list_add, IMPULSE_OT_list_remove)
