"""One name for everything that the result of a run depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from impulse_core.compile import Scene
from impulse_core.compile.canonical import canonical_scene, source_digest
from impulse_core.simulation.options import OptionError

__all__ = ["run_key"]

_SETTINGS = {
    name: name
    for name in ("duration", "step", "fps", "method", "solver", "tolerance", "time_of_impact")
} | {"contacts": "record_contacts", "assemble": "assemble"}
"""Options that stand for a setting of the scene."""
_FURTHER = {
    "budget_ms": None,
    "budget_corrections": None,
}
_WITHOUT_EFFECT = {"threads", "progress", "file"}


def run_key(
    scene: Scene,
    options: Mapping[str, Any] | None = None,
    sources: str | None = None,
    recorded: Mapping[str, Any] | None = None,
) -> str:
    """A digest of all that determines the result of ``simulate(scene, **options)``.

    The same scene has the same key whether it was read from XML or JSON, whatever its file and
    folder are called and in whichever order its keys stand; any other number gives another key.
    Files of meshes count by their content. An option that repeats a setting of the scene changes
    nothing; ``threads``, ``progress`` and ``file`` never do.

    Args:
        scene: What is simulated.
        options: Those of ``simulate`` that are given, by name.
        sources: Hash of the sources of the simulator; default that of this Impulse.
        recorded: What is recorded of the run, if not all of it; values of JSON by name.

    Returns:
        64 hexadecimal digits, which the report of the run has as ``run_key``.

    Raises:
        OptionError: ``simulate`` has no such option.
        SceneError: A mesh file is missing, or anything is wrong with a scene that has parts.
        RecordingError: A mesh file cannot be read.
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    if unknown := given.keys() - _SETTINGS.keys() - _FURTHER.keys() - _WITHOUT_EFFECT:
        raise OptionError(f"there is no option {min(unknown)}.")
    if "assemble" in given:
        given["assemble"] = "all" if given["assemble"] else "nothing"
    content = canonical_scene(scene)
    for name in given.keys() & _SETTINGS.keys():
        setting = _SETTINGS[name]
        content["settings"][setting] = _like(content["settings"][setting], given[name])
    parts = {
        "sources": source_digest() if sources is None else sources,
        "scene": content,
        **{name: _like(default, given.get(name, default)) for name, default in _FURTHER.items()},
    }
    if recorded:
        parts["recorded"] = dict(recorded)
    text = json.dumps(parts, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _like(default: Any, value: Any) -> Any:
    """The value as ``simulate`` takes it: 1 is 1.0 where a number is meant."""
    if isinstance(default, bool):
        return bool(value)
    return value if value is None or isinstance(value, str) else float(value)
