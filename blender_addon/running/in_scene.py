# SPDX-License-Identifier: GPL-3.0-or-later
"""What is common to all that goes on in a scene for a while."""

from __future__ import annotations

import bpy


class InScene:
    """Something under way in a scene. It holds the scene's name, as undo takes references away."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self._scene = scene.name
        self._is_over = False

    @property
    def scene(self) -> bpy.types.Scene | None:
        """The scene, None where it is gone."""
        return bpy.data.scenes.get(self._scene)

    @property
    def is_going(self) -> bool:
        """Whether it is not over."""
        return not self._is_over
