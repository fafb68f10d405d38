# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over the machine in the 3D view: joints, colliders, masses, contacts."""

from . import gizmos, menus, painting, settings

show_contacts = painting.show_contacts


MODULES = (settings, painting, gizmos, menus)


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
