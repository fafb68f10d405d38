"""Versions of the scene format: what each added, which can be read, which a file needs.

The first is 1; additions raise it to 1.1, 1.2 … A scene in memory has no version of its own: files
are written with the lowest that knows all they hold, so that an older Impulse reads what it can.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from impulse_schema.checks.joints import angle_of_axes
from impulse_schema.fields import element_spec
from impulse_schema.models import Element, Joint, Scene, Version

ADDITIONS: dict[Version, tuple[tuple[str, str, object], ...]] = {
    "1.1": (
        ("Joint", "type", "screw"),
        ("Joint", "pitch", ...),
        ("Body", "record_clearance", ...),
        ("Geometry", "shape", "torus"),
        ("Geometry", "major_radius", ...),
        ("Geometry", "minor_radius", ...),
    ),
    "1.2": (
        ("Settings", "assemble", ...),
        ("Joint", "armature", ...),
        ("Joint", "damping", ...),
        ("Joint", "min_length", ...),
        ("Joint", "max_length", ...),
        ("Limit", "max_velocity", ...),
        ("Limit", "freedom", "swing"),
        ("Limit", "freedom", "twist"),
        ("Material", "torsional_friction", ...),
        ("MaterialPair", "torsional_friction", ...),
        ("Motor", "min_force", ...),
        ("Motor", "kind", "force"),
        ("Mesh", "mirror", ...),
        ("Geometry", "diagonal", ...),
        ("Scene", "parts", ...),
        ("Scene", "uses", ...),
        *(
            ("Part", key, ...)
            for key in ("name", "bodies", "uses", "loads", "joints", "springs", "pairs")
        ),
        *(
            ("Use", key, ...)
            for key in ("part", "name", "position", "orientation", "mirror", "phase")
        ),
        ("Scene", "constants", ...),
        ("Constant", "name", ...),
        ("Constant", "value", ...),
        ("Joint", "phase", ...),
    ),
    "1.3": (
        ("Load", "expression", ...),
        ("Load", "curve", ...),
        ("Load", "phase", ...),
    ),
}
"""Element, its key and the word that a version added; an ellipsis stands for any value but the
default."""


def _is_oblique(element: Element) -> bool:
    """Whether it is a universal joint whose axes are not perpendicular."""
    if not isinstance(element, Joint) or element.type != "universal":
        return False
    return angle_of_axes(element) != math.pi / 2.0


ALLOWED: dict[Version, tuple[Callable[[Element], bool], ...]] = {"1.2": (_is_oblique,)}
"""What a version allows of keys and words that were there before."""


def newer_version(value: Any, known: Version) -> str:
    """What ``value`` says if it names a version after ``known``, "" if it does not."""
    if isinstance(value, int) and value >= 10**9:
        return "a very large number"
    text = str(value)
    if isinstance(value, bool | float) or not re.fullmatch(
        r"\d{1,9}(\.\d{1,9})?", text, flags=re.ASCII
    ):
        return ""
    return text if _numbers(text) > _numbers(known) else ""


def _numbers(version: object) -> tuple[int, int]:
    major, _, minor = str(version).partition(".")
    return int(major), int(minor or 0)


def version_needed(scene: Scene) -> Version:
    """The lowest version that knows all that ``scene`` holds."""
    needed: Version = 1
    elements = list(_elements(scene))
    kinds = {name for added in ADDITIONS.values() for name, _, _ in added}
    held = [e for e in elements if type(e).__name__ in kinds]
    for version, added in ADDITIONS.items():
        for kind, key, value in added:
            if any(type(e).__name__ == kind and _has(e, key, value) for e in held):
                needed = version
        if any(allows(e) for allows in ALLOWED.get(version, ()) for e in elements):
            needed = version
    return needed


def _has(element: Element, key: str, value: object) -> bool:
    field = element_spec(type(element)).fields[key]
    found = getattr(element, field.name)
    return bool(found != field.default if value is ... else found == value)


def _elements(element: Element) -> Iterator[Element]:
    """``element`` and all elements below it."""
    yield element
    for field in element_spec(type(element)).fields.values():
        if field.model is None:
            continue
        below = getattr(element, field.name)
        for child in below if field.kind == "elements" else [below] if below is not None else []:
            yield from _elements(child)
