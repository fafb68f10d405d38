"""The sound parts of a scene with broken ones, so that one run reports everything."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from impulse_schema.checks import examine
from impulse_schema.checks.names import Broken
from impulse_schema.fields import element_spec
from impulse_schema.models import Element, Part, Scene
from impulse_schema.problems import Finding
from impulse_schema.source import Layout, ScenePath, Source

Kept = dict[ScenePath, list[int]]
"""Which items of a list were kept, by the path of the list in the sound part."""


def validate_partially(
    raw: dict[str, Any], findings: list[Finding], source: Source
) -> list[Finding]:
    """What :func:`check_scene` says about the parts of ``raw`` that ``findings`` leave alone.

    Elements with findings are left out, but their names stay known. Of a ``<part>`` with findings
    only those of its own elements that have some are left out.
    """
    broken = _broken_elements(findings)
    sieve = _Sieve(broken)
    sound = sieve.sound(raw, Scene, (), ()) | {"version": 1}
    kept = sieve.kept
    try:
        scene = Scene.model_validate(sound)
    except ValidationError:
        return []
    layout = _ShiftedLayout(source.layout, kept)
    scene._source = Source(source.path, source.data, layout, allow_outside=source.allow_outside)
    more, _ = examine(scene, broken=_names_left_out(raw, broken, kept))
    return [_unshifted(finding, kept) for finding in more]


class _ShiftedLayout:
    """The layout of a file for a scene that holds only the items ``kept`` of each list."""

    def __init__(self, whole: Layout, kept: Kept) -> None:
        self._whole = whole
        self._kept = kept

    def offset(self, path: ScenePath) -> int | None:
        return self._whole.offset(_original(path, self._kept))

    def has(self, path: ScenePath) -> bool:
        return self._whole.has(_original(path, self._kept))


def _broken_elements(findings: list[Finding]) -> set[ScenePath]:
    """The element of the scene, or of one of its parts, that each finding is in."""
    return {
        finding.path[:4] if _is_in_part(finding.path) else finding.path[:2] for finding in findings
    }


def _is_in_part(path: ScenePath) -> bool:
    """Whether a path leads to an element of a part."""
    field = element_spec(Part).fields.get(str(path[2])) if len(path) > 3 else None
    return path[:1] == ("parts",) and field is not None and field.kind == "elements"


class _Sieve:
    """Takes what is broken out of a scene and its parts, and notes what remains."""

    def __init__(self, broken: set[ScenePath]) -> None:
        self.kept: Kept = {}
        self._broken = broken
        self._touched = {path[:i] for path in broken for i in range(1, len(path) + 1)}

    def sound(
        self, raw: dict[str, Any], model: type[Element], path: ScenePath, new_path: ScenePath
    ) -> dict[str, Any]:
        """What is sound of ``raw``, a scene or a part.

        ``path`` is where it stands, ``new_path`` where it will stand among the sound ones.
        """
        sound: dict[str, Any] = {}
        for key, field in element_spec(model).fields.items():
            value, place = raw.get(key), (*path, key)
            if field.kind == "elements" and isinstance(value, list) and place not in self._broken:
                numbers = [i for i in range(len(value)) if (*place, i) not in self._broken]
                self.kept[*new_path, key] = numbers
                sound[key] = [value[i] for i in numbers]
                if key == "parts":
                    sound[key] = [
                        self.sound(value[i], Part, (*place, i), (*new_path, key, k))
                        for k, i in enumerate(numbers)
                    ]
            elif key in raw and place not in self._touched:
                sound[key] = value
        return sound


def _original(path: ScenePath, kept: Kept) -> ScenePath:
    """``path`` in the sound part as a path in the whole."""
    return tuple(
        kept[path[:i]][step] if isinstance(step, int) and path[:i] in kept else step
        for i, step in enumerate(path)
    )


def _unshifted(finding: Finding, kept: Kept) -> Finding:
    return finding._replace(
        path=_original(finding.path, kept),
        uses=tuple(_original(use, kept) for use in finding.uses),
    )


def _names_left_out(raw: dict[str, Any], broken: set[ScenePath], kept: Kept) -> Broken:
    """The names of what is broken."""
    inside: dict[int, set[ScenePath]] = {}
    for path in broken:
        if len(path) == 4 and path[0] == "parts" and isinstance(path[1], int):
            inside.setdefault(path[1], set()).add(path[2:])
    numbers = {original: new for new, original in enumerate(kept.get(("parts",), []))}
    return Broken(
        _names(raw, {path for path in broken if len(path) == 2}),
        {numbers[i]: _names(raw["parts"][i], paths) for i, paths in inside.items() if i in numbers},
    )


def _names(raw: dict[str, Any], broken: set[ScenePath]) -> dict[str, set[str]]:
    """The names of the broken elements of a scene or a part, by list."""
    names: dict[str, set[str]] = {"groups": set()}
    for key, index in (path for path in broken if len(path) == 2):
        items = raw.get(str(key))
        if not (isinstance(items, list) and isinstance(index, int) and index < len(items)):
            continue
        item = items[index]
        for name, found in (("name", str(key)), ("collision_group", "groups")):
            if isinstance(item, dict) and isinstance(item.get(name), str):
                names.setdefault(found, set()).add(item[name])
    return names
