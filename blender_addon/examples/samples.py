# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that are sample scenes, which come with the simulator: they are opened."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import bpy

from ..importing.report import ImportReport, ImportSceneError
from ..importing.scene_import import import_scene


def add_sample(context: bpy.types.Context, name: str) -> ImportReport:
    """Open a sample scene at the 3D cursor. Raises ImportSceneError."""
    report = import_scene(context, sample_file(name))
    for obj in bpy.data.collections[report.collection].objects:
        if obj.parent is None:
            obj.location += context.scene.cursor.location
    context.view_layer.update()
    return report


def sample_file(name: str) -> Path:
    """The file of a sample scene, in the simulator's package or beside it in a checkout.

    Raises ImportSceneError where there is no simulator.
    """
    package = importlib.util.find_spec("impulse_cli")
    for folder in (package and package.submodule_search_locations) or ():
        for place in (Path(folder), Path(folder).parents[1]):
            for file in (place / "sample_scenes").glob(f"*/{name}.xml"):
                return file
    raise ImportSceneError(
        f"The sample scene {name} is missing: it comes with the simulator, which is not installed"
        " with this add-on."
    )
