"""Numbers of a run, as in ``recording.bodies[torso].position[-1].x / report.step_count``.

A measure is arithmetic, that of motors' expressions without the time, of values that are named by
paths. A path begins with ``recording``, ``report`` or a key of the scene. What is recorded frame by
frame needs the number of a frame in brackets, from 0 or, from the end, -1; or one of ``max``,
``min`` and ``mean`` over all frames. Of a vector a component is named after it: x, y, z or length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from impulse_cli.studies.errors import StudyError
from impulse_core import ParameterError, Recording, find_parameters
from impulse_schema import Expression, ExpressionError, Scene, parse_expression
from impulse_schema.suggest import did_you_mean

__all__ = ["Measure", "parse_measures"]

_INDEX = r"""\[(?:'[^']*'|"[^"]*"|[^\[\]]*)\]"""
_STEP = rf"[A-Za-z_]\w*(?:{_INDEX})*"
_PATH = re.compile(rf"(?<![\w.\]]){_STEP}(?:\.{_STEP})+")
_PARTS = re.compile(rf"([A-Za-z_]\w*)((?:{_INDEX})*)")
_OVER_FRAMES: dict[str, Callable[..., Any]] = {"max": np.max, "min": np.min, "mean": np.mean}
_FRAME = "[-1] is the last frame, and [max], [min] and [mean] are over all"
_PLACE = "value_{}_"


class _Step(NamedTuple):
    """A key of a path, and what stands in brackets after it."""

    key: str
    items: list[str]


class Measure:
    """A number that is computed of a run.

    Args:
        text: As the user wrote it.

    Attributes:
        text: The same.
        paths: The values that it is made of.

    Raises:
        StudyError: It is no arithmetic, or names no value of a run.
    """

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.paths: list[str] = []
        self._arithmetic = _PATH.sub(self._placed, self.text)
        if not self.paths:
            raise StudyError(
                f"'{text}' measures nothing of a run; name a value of it, as in"
                " recording.energy.total[-1] or report.step_count."
            )
        program = self._parsed(dict.fromkeys(self._places(), 1.0)).program
        if any(instruction.operation == "time" for instruction in program):
            raise StudyError(f"'{text}' names the time t, and a measure is of a whole run.")

    def check(self, recording: Recording, scene: Scene) -> None:
        """Refuse what a short run of the scene shows to have no value.

        Raises:
            StudyError: A path names nothing, or no number.
        """
        for path in self.paths:
            self._value(path, recording, scene, any_frame=True)

    def __call__(self, recording: Recording, scene: Scene) -> float:
        """The number of a run.

        Raises:
            StudyError: There is none, as where something is divided by zero.
        """
        values = [self._value(path, recording, scene) for path in self.paths]
        try:
            return self._parsed(dict(zip(self._places(), values, strict=True)))(0.0)
        except ExpressionError:
            held = zip(self.paths, values, strict=True)
            numbers = ", ".join(f"{path} = {value:g}" for path, value in held)
            raise StudyError(f"'{self.text}' has no finite value, with {numbers}.") from None

    def _placed(self, match: re.Match[str]) -> str:
        self.paths.append(match[0])
        return _PLACE.format(len(self.paths) - 1)

    def _places(self) -> list[str]:
        return [_PLACE.format(number) for number in range(len(self.paths))]

    def _parsed(self, values: Mapping[str, float]) -> Expression:
        try:
            return parse_expression(self._arithmetic, values)
        except ExpressionError as error:
            words = f"the measure '{self.text}': {error}. {error.hint}".strip().rstrip(".")
            for place, path in zip(self._places(), self.paths, strict=True):
                words = words.replace(place, path)
            end = "" if words.endswith("?") else "."
            raise StudyError(words + end) from None

    def _value(
        self, path: str, recording: Recording, scene: Scene, *, any_frame: bool = False
    ) -> float:
        root = re.split(r"[.\[]", path, maxsplit=1)[0]
        try:
            if root == "recording":
                return _of_recording(recording, _steps(path), any_frame)
            if root == "report":
                return _of_report(recording.diagnostics, _steps(path))
            return _of_scene(scene, path, root)
        except (StudyError, ParameterError) as error:
            raise StudyError(f"the measure '{self.text}': {path}: {error}") from None


def parse_measures(texts: Sequence[str]) -> list[Measure]:
    """All measures, each once; raises ``StudyError``."""
    return [Measure(text) for text in dict.fromkeys(text.strip() for text in texts)]


def _steps(path: str) -> list[_Step]:
    steps = []
    for key, brackets in _PARTS.findall(path):
        items = [item[1:-1] for item in re.findall(_INDEX, brackets)]
        steps.append(_Step(key, items))
    return steps


def _of_scene(scene: Scene, path: str, root: str) -> float:
    if root not in type(scene).model_fields:
        hint = did_you_mean(root, ["recording", "report", *type(scene).model_fields])
        raise StudyError(f"a path begins with recording, report or a key of the scene. {hint}")
    found = find_parameters(scene, path)
    if len(found) > 1:
        raise StudyError(f"it names {len(found)} values; name one, as {found[0].text}.")
    return _number(found[0].value)


def _of_report(report: Mapping[str, Any], steps: list[_Step]) -> float:
    value: Any = report
    for key, items in steps[1:]:
        if not isinstance(value, Mapping):
            raise StudyError(f"'{key}' is asked of what is a single value.")
        value = _item(value, key, "the report")
        for item in items:
            if not isinstance(value, list) or not re.fullmatch(r"-?\d+", item):
                raise StudyError(f"'{key}' is no list; leave [{item}] out.")
            if not -len(value) <= int(item) < len(value):
                raise StudyError(f"'{key}' has {len(value)} items, and no [{item}].")
            value = value[int(item)]
    return _number(value)


def _of_recording(recording: Recording, steps: list[_Step], any_frame: bool) -> float:
    key, items = steps[1]
    roots = ("bodies", "joints", "energy", "momentum", "times")
    if key not in roots:
        raise StudyError(f"a recording has no '{key}'. {did_you_mean(key, roots)}".rstrip())
    rest = steps[2:]
    if key == "times":
        return _in_frame(recording.times, key, items, rest, any_frame)
    series = _series(recording, key, items)
    if not rest:
        raise StudyError(f"name a quantity of it: {', '.join(series)}.")
    (quantity, frames), components = rest[0], rest[1:]
    values = _item(series, quantity, f"{key}[{items[0]}]" if items else key)
    return _in_frame(values, quantity, frames, components, any_frame)


def _series(recording: Recording, key: str, items: list[str]) -> Mapping[str, Any]:
    """The quantities of a body, of a joint or of the whole machine."""
    if key in {"energy", "momentum"}:
        if items:
            raise StudyError(
                f"{key} is no list; write {key}.{'total' if key == 'energy' else 'linear'}[-1]."
            )
        found: Mapping[str, Any] = getattr(recording, key)
        return found
    known = recording.body_names if key == "bodies" else tuple(recording.joints)
    if len(items) != 1:
        first = known[0] if known else "NAME"
        raise StudyError(f"{key} is a list; write {key}[{first}] and what of it.")
    name = _unquoted(items[0])
    if name not in known:
        if not known:
            raise StudyError(f"the recording has no {key}.")
        raise StudyError(f"there is no {key}[{name}]. {did_you_mean(name, known)}".rstrip())
    if key == "joints":
        return recording.joints[name]
    number = recording.body_names.index(name)
    poses = {
        "position": recording.positions[:, number],
        "orientation": recording.orientations[:, number],
    }
    return poses | recording.bodies.get(name, {})


def _in_frame(
    values: Any, name: str, frames: list[str], components: list[_Step], any_frame: bool
) -> float:
    """One number of a series of numbers or vectors, frame by frame."""
    if len(frames) != 1:
        raise StudyError(f"{name} has a value in each frame; write {name}[-1]: {_FRAME}.")
    if not (frames[0] in _OVER_FRAMES or re.fullmatch(r"-?\d+", frames[0])):
        raise StudyError(f"[{frames[0]}] is no frame; {_FRAME}.")
    axes = {1: "", 3: "xyz", 4: "wxyz"}[1 if values.ndim == 1 else values.shape[1]]
    words = [*axes, "length"] if axes == "xyz" else [*axes]
    if axes and (len(components) != 1 or components[0].key not in words or components[0].items):
        raise StudyError(f"{name} is a vector; write one of {', '.join(words)} after it, as in .x.")
    if not axes and components:
        raise StudyError(f"{name} is a number, which has no '{components[0].key}'.")
    if axes:
        word = components[0].key
        values = np.linalg.norm(values, axis=1) if word == "length" else values[:, axes.index(word)]
    if frames[0] in _OVER_FRAMES:
        return float(_OVER_FRAMES[frames[0]](values))
    frame = int(frames[0])
    if any_frame:
        frame = min(max(frame, -len(values)), len(values) - 1)
    if not -len(values) <= frame < len(values):
        raise StudyError(f"there are {len(values)} frames, and no [{frame}].")
    return float(values[frame])


def _item(values: Mapping[str, Any], key: str, whole: str) -> Any:
    if key not in values:
        raise StudyError(f"{whole} holds no '{key}'. {did_you_mean(key, values)}".rstrip())
    return values[key]


def _unquoted(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"" else name


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        shown = "nothing here" if value is None else f"'{value}'"
        if isinstance(value, (Mapping, list)):
            shown = f"several: {', '.join(map(str, value))}"
        raise StudyError(f"is not a number but {shown}.")
    return float(value)
