# SPDX-License-Identifier: GPL-3.0-or-later
"""What mends an issue: a table of fixes, each with the codes it is for and what it will do.

A fix is a function of the context, the object and the issue. It changes no more than its label
says, and is offered where ``suits`` says that it would do what is meant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy
from bpy.types import Object

from ..export.realising import is_instance
from ..issues import Issue
from . import mending_meshes, mending_poses, mending_tags

Mend = Callable[[bpy.types.Context, Object, Issue], None]
Suits = Callable[[Object, Issue], bool]


class FixError(Exception):
    """There is no such fix for the issue; the text says why."""


@dataclass(frozen=True)
class Fix:
    """One way to mend an issue; ``{object}``, ``{other}`` and ``{detail}`` stand in its label."""

    name: str
    codes: tuple[str, ...]
    label: str
    mend: Mend
    suits: Suits = lambda _obj, _issue: True

    def text(self, issue: Issue) -> str:
        """What the fix will do, for a button."""
        return self.label.format(object=issue.object_name, other=issue.other, detail=issue.detail)


FIXES = (
    Fix("world", ("B102", "B103", "B104", "B105"), "Join that end to the World",
        mending_tags.to_world, mending_tags.is_free_end),
    Fix("tag_body", ("B105",), "Make {other} a body",
        mending_tags.tag_other, mending_tags.lacks_body),
    Fix("delete_joint", ("B102", "B103", "B104", "B105", "B107", "E702"), "Delete {object}",
        mending_tags.delete_link, mending_tags.is_link),
    Fix("untag", ("B106", "B131"), "Take the tag off {object}", mending_tags.untag),
    Fix("rename", ("E207", "E302"), "Rename {object}",
        mending_tags.rename, mending_tags.has_bad_name),
    Fix("static", ("E406", "B133"), "Make {object} static, as ground",
        mending_tags.make_static, mending_tags.is_moving_body),
    Fix("kinematic", ("B122",), "Make {object} kinematic, moved by its keys",
        mending_tags.make_kinematic, mending_tags.is_moving_body),
    Fix("exclude_pair", ("E615",), "Let {object} and {other} pass through each other",
        mending_tags.exclude_pair, mending_tags.are_bodies),
    Fix("assemble", ("E611", "E612"), "Move the bodies until their joints fit (Assemble)",
        mending_tags.assemble, mending_tags.can_assemble),
    Fix("hull", ("B132", "B139", "E604"), "Use its convex hull", mending_tags.use_hull),
    Fix("mesh_ground", ("E606",), "Use its faces as ground",
        mending_tags.use_faces, mending_tags.is_static_hull),
    Fix("plane", ("B133", "E606"), "Make it a static, endless plane",
        mending_tags.use_plane, mending_meshes.lies_in_its_plane),
    Fix("recalculate", ("B134", "B135"), "Turn its faces outwards",
        mending_meshes.turn_outwards, mending_meshes.is_editable),
    Fix("flip", ("B136",), "Turn its faces over",
        mending_meshes.turn_over, mending_meshes.is_editable),
    Fix("bake", ("B112",), "Apply scale and shear to its mesh",
        mending_meshes.bake_stretch, mending_meshes.can_bake),
    Fix("clear_parent", ("B113", "B114", "B123"), "Clear its parent, keep its place",
        mending_poses.clear_parent),
    Fix("apply_deltas", ("B115",), "Apply its delta transforms", mending_poses.apply_deltas),
    Fix("mute_constraints", ("B116",), "Switch its constraints off, keep its place",
        mending_poses.mute_constraints),
    Fix("leave_rigid_bodies", ("B117",), "Take it out of Blender's rigid bodies",
        mending_poses.leave_rigid_bodies),
    Fix("enable", ("B118",), "Enable it, and hide it with the eye", mending_poses.enable),
    Fix("mute_keys", ("B121", "B122"), "Switch the keys of {detail} off",
        mending_poses.mute_keys, mending_poses.has_own_keys),
    Fix("start_here", ("B124",), "Start from here: move what was moved in the first frame",
        mending_poses.start_here),
    Fix("move_apart", ("E615",), "Move {object} and {other} apart",
        mending_poses.move_apart, mending_poses.can_move_apart),
    Fix("modifier_off", ("B125",), "Switch the modifier {detail} off in viewports",
        mending_meshes.switch_modifier_off),
    Fix("override", ("B126",), "Make it a library override", mending_poses.override_library),
    Fix("realise", ("B119",), "Make objects of its instances",
        mending_poses.realise, mending_poses.shows_collection),
)  # fmt: skip


def fixes_of(issue: Issue) -> list[Fix]:
    """The fixes that suit an issue, the one to try first in front."""
    obj = bpy.data.objects.get(issue.object_name)
    if obj is None:
        return []
    suited = [fix for fix in FIXES if issue.code in fix.codes and fix.suits(obj, issue)]
    if is_instance(obj) and issue.code != "B119":  # it is about an object that it shows
        return []
    if obj.library is not None:  # nothing else can be changed
        return [fix for fix in suited if fix.mend is mending_poses.override_library]
    return suited


def mend(context: bpy.types.Context, issue: Issue, name: str = "") -> str:
    """Mend an issue by the fix of that name, or the first; what was done. Raises FixError."""
    found = {fix.name: fix for fix in fixes_of(issue)}
    if not found:
        raise FixError("There is no fix for this issue; its text says what to do.")
    if name and name not in found:
        raise FixError(f"'{name}' does not mend this issue; {', '.join(found)} would.")
    fix = found[name] if name else next(iter(found.values()))
    fix.mend(context, bpy.data.objects[issue.object_name], issue)
    context.view_layer.update()
    return fix.text(issue)
