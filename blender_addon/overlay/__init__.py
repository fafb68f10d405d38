# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over the machine in the 3D view: joints, colliders, masses, contacts."""

from ..playback import contact_points
from . import gizmos, menus, painting, pull_line, settings

show_contacts = painting.show_contacts


MODULES = (contact_points, settings, painting, gizmos, pull_line, menus)


def register() -> None:
    for module in MODULES:
        module.register()
    show_contacts(contact_points.shown)


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
