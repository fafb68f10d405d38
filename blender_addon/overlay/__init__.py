# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over the machine in the 3D view: joints, colliders, masses, contacts."""

from . import gizmos, painting, settings

show_contacts = painting.show_contacts


def register() -> None:
    settings.register()
    painting.register()
    gizmos.register()


def unregister() -> None:
    gizmos.unregister()
    painting.unregister()
    settings.unregister()
