# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: each reads its arguments, calls a plain function and reports.

A module has CLASSES and, where it hangs more into Blender, ``register`` and ``unregister``.
"""

import bpy

from . import (
    check,
    child,
    examples,
    exchange,
    joints,
    legs,
    lists,
    parts,
    self_test,
    session,
    simulate,
    tag,
    takes,
)

MODULES = (
    tag,
    joints,
    legs,
    parts,
    lists,
    exchange,
    child,
    check,
    simulate,
    session,
    self_test,
    takes,
    examples,
)


def register() -> None:
    for module in MODULES:
        for cls in getattr(module, "CLASSES", ()):
            bpy.utils.register_class(cls)
        getattr(module, "register", _nothing)()


def unregister() -> None:
    for module in reversed(MODULES):
        getattr(module, "unregister", _nothing)()
        for cls in reversed(getattr(module, "CLASSES", ())):
            bpy.utils.unregister_class(cls)


def _nothing() -> None:
    pass
