"""What is wrong with a scene: problems with a place, a code and a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from impulse_schema.fields import ElementSpec, element_spec
from impulse_schema.limits import MAX_PROBLEMS
from impulse_schema.models import Scene
from impulse_schema.source import ScenePath, Source

Hint = str | Callable[[], str]
"""What to write instead, or what finds it: a hint may take long and most are never shown."""

NOT_LISTED = "E012"


class Finding(NamedTuple):
    """A problem that has not been looked up in the file yet."""

    path: ScenePath
    code: str
    message: str
    hint: Hint = ""
    uses: tuple[ScenePath, ...] = ()
    """The uses that made the copy of a part in which it shows, innermost first."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a scene; its texts are one line each, whatever the file holds.

    ``str(problem)`` is the line a user reads:
    ``crane.xml:12:9: error[E303]: /scene/joint[@name='j1']/@body2: there is no body 'hok'. ...``

    Attributes:
        code: Stable code, explained in docs/errors.md.
        path: The part concerned in model terms, as in ``("bodies", 3, "mass")``.
        message: What is wrong, as a sentence without its full stop.
        hint: What to write instead, or "".
        file: Path of the file, or "" where the scene was not read from one.
        line: Line, counted from 1, or None where unknown.
        column: Column in characters, counted from 1, or None where unknown.
        element: The part concerned, as an XPath (XML) or JSONPath (JSON).
        count: How many problems this one stands for: 1, or those that are not listed.
    """

    code: str
    path: ScenePath
    message: str
    hint: str = ""
    file: str = ""
    line: int | None = None
    column: int | None = None
    element: str = ""
    count: int = 1

    def __post_init__(self) -> None:
        for name in ("message", "hint", "element"):
            object.__setattr__(self, name, _on_one_line(getattr(self, name)))

    def __str__(self) -> str:
        place = self.file
        if self.line is not None:
            place += f":{self.line}:{self.column}"
        start = f"{place}: error[{self.code}]: " if place else f"error[{self.code}]: "
        element = f"{self.element}: " if self.element else ""
        hint = f" {_sentence(self.hint)}" if self.hint else ""
        return f"{start}{element}{_sentence(self.message)}{hint}"


class SceneError(Exception):
    """A scene that cannot be used; ``problems`` holds everything that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def problem_at(scene: Scene, path: ScenePath, code: str, message: str, hint: str = "") -> Problem:
    """A problem with the part of ``scene`` that ``path`` names.

    It has a line and a column where the scene was read from a file, as long as ``path`` names
    what the file held: positions do not follow later changes of the scene.
    """
    return locate(Finding(path, code, message, hint), scene._source, scene)


def first_problems(
    findings: Sequence[Finding], source: Source | None, root: Scene | dict[str, Any]
) -> list[Problem]:
    """The first MAX_PROBLEMS of ``findings`` in the order of the file, and how many more there are.

    Those without a place come first. The work is proportional to the file and to ``findings``.
    """
    if source is not None:
        offsets = [source.offset(finding.path) for finding in findings]
        places = [-1 if offset is None else offset for offset in offsets]
        findings = [findings[i] for i in sorted(range(len(places)), key=places.__getitem__)]
    problems = [locate(finding, source, root) for finding in findings[:MAX_PROBLEMS]]
    return problems + not_listed(len(findings) - len(problems), problems)


def not_listed(count: int, listed: Sequence[Problem]) -> list[Problem]:
    """A problem that stands for ``count`` more beside those ``listed``; none if there are none."""
    if count <= 0:
        return []
    plural = "s are" if count > 1 else " is"
    message = f"{count} more problem{plural} not listed"
    file = listed[0].file if listed else ""
    return [Problem(NOT_LISTED, (), message, "Mend these first", file=file, count=count)]


def locate(finding: Finding, source: Source | None, root: Scene | dict[str, Any]) -> Problem:
    """``finding`` with its place in ``source`` and its element path in ``root``."""
    path, uses = source.origin(finding.path) if source else (finding.path, ())
    place = source.place(finding.path) if source else None
    if source is not None and source.origins is not None:
        root = source.origins.written
    element = (
        json_path(path)
        if source is not None and source.is_json
        else xpath(path, root, is_element=finding.code == "E101")
    )
    copies = "".join(_used(use, source, root) for use in finding.uses or uses)
    return Problem(
        code=finding.code,
        path=finding.path,
        message=finding.message + copies,
        hint=finding.hint if isinstance(finding.hint, str) else finding.hint(),
        file=str(source.path) if source else "",
        line=place.line if place else None,
        column=place.column if place else None,
        element=element,
    )


def _used(use: ScenePath, source: Source | None, root: Scene | dict[str, Any]) -> str:
    """``, in the use 'left' of line 12``: which copy of a part a problem shows in."""
    value: Any = root
    for step in use:
        value = _child(value, step)
    place = source.place(use) if source else None
    line = f" of line {place.line}" if place else ""
    return f", in the use '{_child(value, 'name')}'{line}"


def xpath(path: ScenePath, root: Scene | dict[str, Any], *, is_element: bool = False) -> str:
    """``("bodies", 3, "mass")`` as ``/scene/body[@name='b7']/@mass``."""
    text = "/scene"
    value: Any = root
    spec: ElementSpec | None = element_spec(Scene)
    steps = list(path)
    while steps:
        key = steps.pop(0)
        field = spec.fields.get(str(key)) if spec else None
        if field is None or spec is None:
            known = spec is not None and key in spec.attributes
            return f"{text}/{key}" if is_element and not known else f"{text}/@{key}"
        value = _child(value, field.key if isinstance(value, dict) else field.name)
        if field.kind == "elements" and steps:
            index = int(steps.pop(0))
            value = _child(value, index)
            text += f"/{field.tag}{_predicate(value, index)}"
        elif field.is_attribute:
            return f"{text}/@{field.key}"
        else:
            text += f"/{field.tag}"
        spec = element_spec(field.model) if field.model else None
    return text


def json_path(path: ScenePath) -> str:
    """``("bodies", 3, "mass")`` as ``$.bodies[3].mass``."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def _predicate(value: Any, index: int) -> str:
    """``[@name='b7']`` where the element has a name, else ``[4]``."""
    name = _child(value, "name")
    if isinstance(name, str) and "'" not in name:
        return f"[@name='{name}']"
    return f"[{index + 1}]"


def _child(value: Any, key: str | int) -> Any:
    """What ``value``, a model or the raw data of one, holds under ``key``; None if nothing."""
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int):
        return value[key] if key < len(value) else None
    return getattr(value, key, None) if isinstance(key, str) else None


def _on_one_line(text: str) -> str:
    """What a file holds may be quoted: line breaks and what moves the cursor as their escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
