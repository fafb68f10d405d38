"""Counts what a user does with the hand: clicks, and fields that are typed or dragged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import bpy


class Hand:
    """Models like a user, and counts.

    A click is one operator call, selection, menu or checkbox; a field one typed or dragged value,
    of a vector each component that changes. What a test does without the hand counts nothing.
    """

    def __init__(self) -> None:
        self.clicks = 0
        self.fields = 0

    def click(self, operator: Callable[..., Any], **chosen: Any) -> Any:
        """Press a button; ``chosen`` are menus, checkboxes and fields of its dialog, each of which
        counts: a number or a vector as fields, anything else as a click.
        """
        self.clicks += 1
        for value in chosen.values():
            self._count(value)
        return operator(**chosen)

    def menu(self, owner: Any, name: str, value: Any) -> None:
        """Choose from a menu, tick a checkbox or pick an object."""
        self.clicks += 1
        setattr(owner, name, value)

    def field(self, owner: Any, name: str, value: Any) -> None:
        """Type or drag a value; of a vector only what differs from what is there."""
        if isinstance(value, Iterable) and not isinstance(value, str):
            before = list(getattr(owner, name))
            self.fields += sum(
                abs(a - b) > 1e-6 for a, b in zip(before, value, strict=True)
            )  # fmt: skip
        else:
            self.fields += 1
        setattr(owner, name, value)

    def select(self, *names: str) -> None:
        """Click objects, with Shift from the second on; the last becomes the active one."""
        self.clicks += len(names)
        for other in bpy.context.selected_objects:
            other.select_set(False)
        for name in names:
            bpy.data.objects[name].select_set(True)
        bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]

    def _count(self, value: Any) -> None:
        if isinstance(value, (bool, str)):
            self.clicks += 1
        elif isinstance(value, Iterable):
            self.fields += len(list(value))
        else:
            self.fields += 1
