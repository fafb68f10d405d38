"""The sound parts of a scene with broken ones, so that one run reports everything."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from impulse_schema.checks import check_findings
from impulse_schema.fields import element_spec
from impulse_schema.models import Scene
from impulse_schema.problems import Finding
from impulse_schema.source import Layout, ScenePath, Source


def validate_partially(
    raw: dict[str, Any], findings: list[Finding], source: Source
) -> list[Finding]:
    """What :func:`check_findings` says about the parts of ``raw`` that ``findings`` leave alone.

    Parts with findings are left out, but their names stay known.
    """
    broken = {finding.path[:2] for finding in findings}
    sound, kept = _sound_part(raw, broken)
    try:
        scene = Scene.model_validate(sound)
    except ValidationError:
        return []
    layout = _ShiftedLayout(source.layout, kept)
    scene._source = Source(source.path, source.data, layout, allow_outside=source.allow_outside)
    names = {key: _texts(raw, key, "name", broken) for key in kept}
    names["groups"] = _texts(raw, "bodies", "collision_group", broken)
    more = check_findings(scene, broken_names=names)
    return [finding._replace(path=_original(finding.path, kept)) for finding in more]


class _ShiftedLayout:
    """The layout of a file for a scene that holds only the items ``kept`` of each list."""

    def __init__(self, whole: Layout, kept: dict[str, list[int]]) -> None:
        self._whole = whole
        self._kept = kept

    def offset(self, path: ScenePath) -> int | None:
        return self._whole.offset(_original(path, self._kept))

    def has(self, path: ScenePath) -> bool:
        return self._whole.has(_original(path, self._kept))


def _sound_part(
    raw: dict[str, Any], broken: set[ScenePath]
) -> tuple[dict[str, Any], dict[str, list[int]]]:
    """``raw`` without what is broken, and which items of each list were kept."""
    sound: dict[str, Any] = {"version": 1}
    kept: dict[str, list[int]] = {}
    for key, field in element_spec(Scene).fields.items():
        value = raw.get(key)
        if field.kind == "elements" and isinstance(value, list) and (key,) not in broken:
            kept[key] = [i for i in range(len(value)) if (key, i) not in broken]
            sound[key] = [value[i] for i in kept[key]]
        elif key in raw and key != "version" and not any(p[:1] == (key,) for p in broken):
            sound[key] = value
    return sound, kept


def _original(path: ScenePath, kept: dict[str, list[int]]) -> ScenePath:
    """``path`` in the sound part as a path in the whole."""
    if len(path) > 1 and path[0] in kept:
        return (path[0], kept[str(path[0])][int(path[1])], *path[2:])
    return path


def _texts(raw: dict[str, Any], key: str, name: str, broken: set[ScenePath]) -> set[str]:
    """What the broken items of the list ``key`` hold under ``name``."""
    items = raw.get(key)
    if not isinstance(items, list):
        return set()
    broken_items = [
        items[path[1]]
        for path in broken
        if len(path) == 2 and path[0] == key and isinstance(path[1], int) and path[1] < len(items)
    ]
    return {
        item[name]
        for item in broken_items
        if isinstance(item, dict) and isinstance(item.get(name), str)
    }
