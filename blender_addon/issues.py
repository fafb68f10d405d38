# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a tagged scene, each finding with the Blender object it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy

from impulse_schema import Problem
from impulse_schema.models import Element, Scene

# What only Blender knows of; the codes of the file and of the simulator begin with E.
CODES = {
    "B100": "Something cannot be exported as it is.",
    "B101": "No object is a body.",
    "B102": "An object that was chosen here was removed.",
    "B103": "An end of a joint or spring is neither a body nor the world.",
    "B104": "An object that was chosen here is not in this scene.",
    "B105": "An object that was chosen here is not tagged as what it should be.",
    "B106": "Geometry belongs to no body.",
    "B107": "A coupling has a term without a joint, or a spring has no second end.",
    "B111": "A scale is zero.",
    "B112": "A body is sheared.",
    "B113": "The parent of a dynamic body has an uneven scale.",
    "B114": "The parent of a dynamic body has an animation.",
    "B115": "A dynamic body has delta transforms.",
    "B116": "A dynamic body has constraints.",
    "B117": "A body is also in Blender's rigid body world.",
    "B118": "An object is disabled in viewports.",
    "B119": "Tagged objects are shown as instances.",
    "B121": "A property changes over time of which the file holds one value.",
    "B122": "A dynamic or static body is keyed or driven.",
    "B123": "A parent is keyed or driven.",
    "B124": "An object was moved in a frame where its keys say otherwise.",
    "B125": "A modifier changes the shape of a solid over time.",
    "B126": "A body is linked from another file.",
    "B131": "A solid has no faces.",
    "B132": "A mesh is open.",
    "B133": "A mesh is open and flat.",
    "B134": "Faces of a mesh point opposite ways.",
    "B135": "A mesh is inside out.",
    "B136": "Ground looks down.",
    "B137": "A shape does not suit a mesh.",
    "B138": "A fitted shape is much larger than its mesh.",
    "B139": "More than two faces of a mesh meet at an edge, or some are doubled.",
    "B151": "A file cannot be written.",
    "B152": "The simulator was not asked.",
}


@dataclass(frozen=True)
class Issue:
    """One finding; ``object_name`` is '' where it is about the scene as a whole.

    ``other`` names a second object that it is about, ``detail`` the property or a number, and
    ``of_start`` says that the simulator found it when it prepared the first step.
    """

    message: str
    object_name: str = ""
    hint: str = ""
    code: str = ""
    severity: str = "ERROR"
    other: str = ""
    detail: str = ""
    of_start: bool = False

    def __str__(self) -> str:
        place = f"{self.object_name}: " if self.object_name else ""
        return f"{place}{self.message}" + (f" {self.hint}" if self.hint else "")


@dataclass(frozen=True)
class Defect:
    """What is wrong with an object that is still to be named; fields as in ``Issue``."""

    message: str
    code: str
    other: str = ""
    detail: str = ""

    def __str__(self) -> str:
        return self.message

    def of(self, object_name: str, severity: str = "ERROR") -> Issue:
        """The issue of this defect on an object."""
        return Issue(
            self.message,
            object_name,
            code=self.code,
            severity=severity,
            other=self.other,
            detail=self.detail,
        )


class ExportError(Exception):
    """The scene cannot be exported; ``issues`` says why."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = list(issues)
        super().__init__("\n".join(str(issue) for issue in self.issues))


def errors(issues: Iterable[Issue]) -> list[Issue]:
    return [issue for issue in issues if issue.severity == "ERROR"]


def from_problems(problems: Iterable[Problem], data: dict[str, Any]) -> list[Issue]:
    """Problems the schema found, with the objects their paths lead to in ``data``."""
    return [_of_problem(p.message, p.hint, p.code, object_name_at(data, p.path)) for p in problems]


# What an issue of the schema says once more, under another code, of the same object: names that
# nothing has, for pointers to what is gone; no mass, for solids that could not be made.
REPEATED = {
    "E303": ("B102", "B103", "B104", "B105"),
    "E304": ("B102", "B104", "B105", "B107"),
    "E401": ("B111", "B131", "B137"),
}


def without_repetition(issues: Iterable[Issue]) -> list[Issue]:
    """Issues without those that say the same once more about the same object."""
    found = list({_subject(issue): issue for issue in reversed(list(issues))}.values())[::-1]
    said = {(name, issue.code) for issue in found for name in (issue.object_name, issue.other)}
    return [
        issue
        for issue in found
        if not any((issue.object_name, code) in said for code in REPEATED.get(issue.code, ()))
    ]


def _subject(issue: Issue) -> tuple[object, ...]:
    """What two issues share that say the same: of an object's name, that of its mesh and solid."""
    about_name = issue.code == "E207" and issue.object_name
    return (issue.code, issue.object_name) if about_name else (issue,)


# What to do in Blender, where the simulator's own hint is about its files or its command line.
HINTS = {
    "E406": "Make it static, use another shape, or give the body mass and inertia.",
    "E604": "Use the shape convex hull, switch on Decompose, or let several convex solids collide"
    " and draw this one only.",
    "E615": "Move them apart, or deny the pair in the collision filter.",
}


def from_simulator(problems: Iterable[dict[str, Any]], scene: Scene) -> list[Issue]:
    """Problems as ``impulse validate --json`` writes them, with the objects of their paths."""
    return [
        replace(
            _of_problem(p["message"], p["hint"], p["code"], object_name_at(scene, p["path"])),
            of_start=True,
        )
        for p in problems
    ]


def _of_problem(message: str, hint: str, code: str, object_name: str) -> Issue:
    """A problem in Blender's words, with the second object and the length that it names."""
    named = [name for name in re.findall("'([^']+)'", message) if name in bpy.data.objects]
    length = re.search(r" by (\S+) m\b", message)
    return Issue(
        _sentence(in_panel(message)),
        object_name,
        HINTS.get(code) or _sentence(in_panel(hint)),
        code,
        other=next((name for name in named if name != object_name), ""),
        detail=length[1] if length else "",
    )


def in_panel(text: str) -> str:
    """A sentence about a file or a command line as one about the panel."""
    text = re.sub(r" ?\(--[a-z-]+\)", "", text)
    return re.sub(r'\b([a-z_0-9]+)="([^"]*)"', r"\1 \2", text)


# Findings and problems differ in nothing that matters here.
from_findings = from_problems


def _sentence(text: str) -> str:
    return text if not text or text[-1] in ".?!" else text + "."


def object_name_at(data: Any, path: Sequence[str | int]) -> str:
    """Name of the innermost object on a path into a scene; '' where there is none."""
    found = ""
    for key in path:
        try:
            data = getattr(data, str(key)) if isinstance(data, Element) else data[key]
        except (KeyError, IndexError, TypeError, AttributeError):
            break
        part = vars(data) if isinstance(data, Element) else data
        if isinstance(part, dict):
            name = part.get("name") or part.get("body")
            found = name if isinstance(name, str) and name in bpy.data.objects else found
    return found
