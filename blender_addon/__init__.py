# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulse in Blender: tag bodies and joints, check, export, simulate, import as keyframes.

Works as the package ``blender_addon`` under pip's bpy and as the extension
``bl_ext.user_default.impulse``; imports within it are relative for that reason.
"""

import sys

try:
    import lxml.etree  # noqa: F401  # compiled for one version of Python, as the next
    import pydantic  # noqa: F401
except ImportError as error:
    python = "{}.{}".format(*sys.version_info)
    raise ImportError(
        f"Impulse lacks libraries for Python {python}, which this Blender has; install the zip"
        f" whose name ends in python{python}.zip ({error})."
    ) from error

from . import operators, overlay, panels, preferences
from .authoring import measuring
from .properties import groups

MODULES = (groups, preferences, measuring, operators, panels, overlay)


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
