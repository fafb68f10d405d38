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
        self._last: dict[tuple[str, str], Any] = {}

    def click(self, operator: Callable[..., Any], **chosen: Any) -> Any:
        """Press a button; ``chosen`` are menus, checkboxes and fields of its dialog, each of which
        counts: a number or a vector as fields, anything else as a click. What Blender remembers of
        the last time the button was pressed need not be chosen again.
        """
        self.clicks += 1
        properties = operator.get_rna_type().properties
        for name, value in chosen.items():
            key = (operator.idname(), name)
            default = getattr(properties[name], "default", None)
            if self._last.get(key, default) != value:
                self._count(value)
            if not properties[name].is_skip_save:
                self._last[key] = value
        return operator(**chosen)

    def press(self, operator: Callable[..., Any], **arguments: Any) -> Any:
        """Press a button or an entry of a menu, which is one click whatever it hands over."""
        self.clicks += 1
        return operator(**arguments)

    def menu(self, owner: Any, name: str, value: Any) -> None:
        """Choose from a menu, tick a checkbox or pick an object."""
        self.clicks += 1
        setattr(owner, name, value)

    def field(self, owner: Any, name: str, value: Any) -> None:
        """Type or drag a value; of a vector only what differs from what is there. ``owner`` may be
        the name of an object.
        """
        owner = bpy.data.objects[owner] if isinstance(owner, str) else owner
        if isinstance(value, Iterable) and not isinstance(value, str):
            before = list(getattr(owner, name))
            self.fields += sum(
                abs(a - b) > 1e-6 for a, b in zip(before, value, strict=True)
            )  # fmt: skip
        else:
            self.fields += 1
        setattr(owner, name, value)

    def add(self, operator: Callable[..., Any], **typed: Any) -> str:
        """Add an object from Blender's menu; its name."""
        self.click(operator, **typed)
        return str(bpy.context.object.name)

    def everything(self) -> None:
        """Select all objects."""
        self.clicks += 1
        bpy.ops.object.select_all(action="SELECT")

    def select(self, *names: str) -> None:
        """Click objects, with Shift from the second on; the last becomes the active one."""
        for other in bpy.context.selected_objects:
            other.select_set(False)
        self.select_too(*names)

    def select_too(self, *names: str) -> None:
        """Click objects with Shift; the last becomes the active one."""
        self.clicks += len(names)
        for name in names:
            bpy.data.objects[name].select_set(True)
        bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]

    def leave_out(self, *names: str) -> None:
        """Click selected objects with Ctrl, so that they are no longer."""
        self.clicks += len(names)
        for name in names:
            bpy.data.objects[name].select_set(False)

    def _count(self, value: Any) -> None:
        if isinstance(value, (bool, str)):
            self.clicks += 1
        elif isinstance(value, Iterable):
            self.fields += len(list(value))
        else:
            self.fields += 1
