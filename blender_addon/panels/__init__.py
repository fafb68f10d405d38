# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels in the sidebar of the 3D view, tab Impulse."""

import bpy

from . import issues, legs, main, masses, objects, plot, results, scene

CLASSES = (
    *issues.CLASSES,
    *main.CLASSES,
    *results.CLASSES,
    *objects.CLASSES,
    *masses.CLASSES,
    *legs.CLASSES,
    *scene.CLASSES,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    plot.register()


def unregister() -> None:
    plot.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
