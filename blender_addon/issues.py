# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a tagged scene, each finding with the Blender object it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from impulse_schema import Problem
from impulse_schema.models import Element, Scene


@dataclass(frozen=True)
class Issue:
    """One finding; ``object_name`` is '' where it is about the scene as a whole."""

    message: str
    object_name: str = ""
    hint: str = ""
    code: str = ""
    severity: str = "ERROR"

    def __str__(self) -> str:
        place = f"{self.object_name}: " if self.object_name else ""
        return f"{place}{self.message}" + (f" {self.hint}" if self.hint else "")


class ExportError(Exception):
    """The scene cannot be exported; ``issues`` says why."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = list(issues)
        super().__init__("\n".join(str(issue) for issue in self.issues))


def errors(issues: Iterable[Issue]) -> list[Issue]:
    return [issue for issue in issues if issue.severity == "ERROR"]


def from_problems(problems: Iterable[Problem], data: dict[str, Any]) -> list[Issue]:
    """Problems the schema found, with the objects their paths lead to in ``data``."""
    return [
        Issue(_sentence(p.message), object_name_at(data, p.path), _sentence(p.hint), p.code)
        for p in problems
    ]


# What to do in Blender, where the simulator's own hint is about its command line.
HINTS = {"E615": "Move them apart, or deny the pair in the collision filter."}


def from_simulator(problems: Iterable[dict[str, Any]], scene: Scene) -> list[Issue]:
    """Problems as ``impulse validate --json`` writes them, with the objects of their paths."""
    return [
        Issue(
            _sentence(p["message"]),
            object_name_at(scene, p["path"]),
            HINTS.get(p["code"]) or _sentence(p["hint"]),
            p["code"],
        )
        for p in problems
    ]


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
