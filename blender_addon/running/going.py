# SPDX-License-Identifier: GPL-3.0-or-later
"""The one thing that is under way beside Blender, and what ends it."""

from __future__ import annotations

import atexit
from typing import Any

import bpy
from bpy.app.handlers import persistent

from .. import compat
from ..simulator.runner import Child
from .live import LiveRun
from .pieces import Pieces
from .session import Session


class Going:
    """What is waited for: there may be one, for a second would share its Stop and its progress."""

    child: Child | LiveRun | Session | Pieces[Any] | None = None

    @classmethod
    def is_on(cls) -> bool:
        """Whether something is under way; changes nothing, so that panels may ask."""
        return cls.child is not None and cls.child.is_going

    @classmethod
    def session(cls) -> Session | None:
        """The live session that is under way, None where there is none."""
        child = cls.child
        return child if isinstance(child, Session) and child.is_going else None

    @classmethod
    def stop(cls) -> None:
        """Ask for an early end, the second time for an immediate one."""
        if cls.child is not None:
            cls.child.stop()

    @classmethod
    def abandon(cls) -> None:
        """End it at once; what asked for it is gone."""
        if cls.child is not None:
            cls.child.abandon()
            cls.child = None


@persistent
def abandon_on_load(*_arguments: Any) -> None:
    """Another file is opened, which knows nothing of the run."""
    Going.abandon()


@persistent
def settle_after_load(*_arguments: Any) -> None:
    """A file that was saved during a run holds the motion as far as it was then."""
    compat.settle_imports()


def register() -> None:
    bpy.app.handlers.load_pre.append(abandon_on_load)
    bpy.app.handlers.load_post.append(settle_after_load)
    atexit.register(Going.abandon)


def unregister() -> None:
    bpy.app.handlers.load_pre.remove(abandon_on_load)
    bpy.app.handlers.load_post.remove(settle_after_load)
    atexit.unregister(Going.abandon)
    Going.abandon()
