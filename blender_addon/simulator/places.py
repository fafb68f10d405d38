# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that the add-on may write to."""

from pathlib import Path

import bpy

from .store import Store

PACKAGE = (__package__ or "").removesuffix(".simulator")


def user_folder() -> Path:
    """The folder of the extension's own files; of Blender's data files where it is none."""
    if PACKAGE.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(PACKAGE))
    return Path(bpy.utils.user_resource("DATAFILES", path="impulse"))


def store() -> Store:
    """The runs of this user."""
    return Store(user_folder())
