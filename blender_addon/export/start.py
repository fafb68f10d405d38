# SPDX-License-Identifier: GPL-3.0-or-later
"""The start of a simulation: the first frame of the scene, without the motion of a run before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..issues import Issue
from .keyed import moved_by_hand
from .undisturbed import without_motion


def moved_in_between(context: bpy.types.Context) -> list[Issue]:
    """Animated objects that were moved by hand elsewhere than in the first frame.

    To show that frame would put them back to where their keys are.
    """
    scene = context.scene
    context.view_layer.update()
    if _is_start(scene):
        return []
    return [
        Issue(
            f"was moved in frame {scene.frame_current}, where its keys say otherwise, and is put"
            " back as soon as another frame is shown. Move it in the first frame"
            f" ({scene.frame_start}) to start from there, key it (I), or press Clear to keep it"
            " where it is.",
            obj.name,
            code="B124",
        )
        for obj in context.view_layer.objects
        if obj.impulse.kind != "NONE" and moved_by_hand(obj, scene)
    ]


def _is_start(scene: bpy.types.Scene) -> bool:
    return bool(scene.frame_current == scene.frame_start and scene.frame_subframe == 0.0)


@contextmanager
def start_frame(scene: bpy.types.Scene) -> Iterator[None]:
    """Show the first frame of the scene for a while, as that is where the simulation starts."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    if _is_start(scene):
        bpy.context.view_layer.update()
        yield
        return
    scene.frame_set(scene.frame_start)
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)


@contextmanager
def at_start(scene: bpy.types.Scene) -> Iterator[None]:
    """Show for a while what the simulation starts from: the first frame, without its motion."""
    with start_frame(scene), without_motion(scene):
        yield
