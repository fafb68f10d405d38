# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: each reads its arguments, calls a plain function and reports."""

import bpy

from . import check, child, exchange, lists, self_test, simulate, tag

CLASSES = (
    *tag.CLASSES,
    *lists.CLASSES,
    *exchange.CLASSES,
    *check.CLASSES,
    *simulate.CLASSES,
    *self_test.CLASSES,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    child.register()
    bpy.types.TOPBAR_MT_file_export.append(exchange.draw_export)
    bpy.types.TOPBAR_MT_file_import.append(exchange.draw_import)


def unregister() -> None:
    bpy.types.TOPBAR_MT_file_import.remove(exchange.draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(exchange.draw_export)
    child.unregister()
    self_test.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
