# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of issues in the panel, kept in the scene."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import bpy

from ..export import scene_export
from ..issues import Issue, without_repetition

FIELDS = {field.name: field.name for field in fields(Issue)}


def show_issues(scene: bpy.types.Scene, issues: Iterable[Issue], *, stale: bool = False) -> None:
    """Put issues into the list of the panel, errors first; nothing is written if it says so yet."""
    tag = scene.impulse
    wanted = sorted(without_repetition(issues), key=lambda issue: issue.severity)
    if wanted != listed(scene):
        tag.issues.clear()
        for issue in wanted:
            row = tag.issues.add()
            for key in FIELDS:
                setattr(row, key, getattr(issue, key))
        tag.issue_index = 0
    for key, value in (("checked", True), ("stale", stale)):
        if getattr(tag, key) != value:
            setattr(tag, key, value)


def issue_of(row: Any) -> Issue:
    """A row of the list as an issue."""
    return Issue(**{key: getattr(row, key) for key in FIELDS})


def listed(scene: bpy.types.Scene) -> list[Issue]:
    """The issues in the list, in its order."""
    return [issue_of(row) for row in scene.impulse.issues]


def look_again(
    context: bpy.types.Context, *, done: Issue | None = None, shown: bool = False
) -> None:
    """Check anew what can be checked without the simulator; with ``shown``, in the frame shown.

    What that found of the start stays in the list, but for ``done``, which was mended, and for
    objects that are gone. The list is stale afterwards in so far as the start may be another.
    """
    found = scene_export.build(context, shown=shown).issues
    names = {obj.name for obj in context.view_layer.objects}
    of_start = [
        issue
        for issue in listed(context.scene)
        if issue.of_start and issue != done and {issue.object_name, issue.other} - {""} <= names
    ]
    show_issues(context.scene, [*found, *of_start], stale=True)
