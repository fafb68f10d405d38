"""Scene JSON to the plain data that the models validate.

The standard library reads it at full speed; the places of its parts are looked up by a second
look at the text, and only when there is something to report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from impulse_schema.limits import MAX_DEPTH
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath
from impulse_schema.xml_reader import UnreadableError


@dataclass
class JsonContent:
    """What a JSON file holds: data for the models, findings, and the places of its parts."""

    raw: dict[str, Any]
    findings: list[Finding]
    layout: JsonLayout


def read_json(data: bytes) -> JsonContent:
    """Parse ``data``, UTF-8 without a byte order mark; raises UnreadableError."""
    text = data.decode()
    suspicious = False

    def pairs_to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal suspicious
        found = dict(pairs)
        suspicious |= len(found) != len(pairs)
        if not all(map(str.isascii, found)):
            _check_keys(found)
        return found

    try:
        raw = json.loads(text, object_pairs_hook=pairs_to_dict)
    except json.JSONDecodeError as error:
        raise _not_json(error, text) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:  # an integer with more digits than Python converts
        raise UnreadableError("E005", f"the file cannot be read: {error}", "", None) from None
    if _deeper_than(raw, MAX_DEPTH):
        raise _too_deep()
    if not isinstance(raw, dict):
        raise UnreadableError(
            "E009",
            f"the file holds {_article(raw)}, not an object",
            'A scene begins with {"version": 1, ...}',
            0,
        )
    raw.pop("$schema", None)  # where an editor finds the JSON Schema
    layout = JsonLayout(text)
    findings = list(layout.duplicate_keys()) if suspicious else []
    return JsonContent(raw, findings, layout)


def _check_keys(keys: Iterable[str]) -> None:
    """Refuse keys that no message could show: escapes make half characters, which UTF-8 has not."""
    for key in keys:
        try:
            key.encode()
        except UnicodeEncodeError:
            message = f"the key {key!a} holds half of a surrogate pair"
            raise UnreadableError("E005", message, "Write the character itself", None) from None


def _not_json(error: json.JSONDecodeError, text: str) -> UnreadableError:
    offset = len(text[: error.pos].encode())
    if not text.strip():
        return UnreadableError("E005", "the file is empty", "", None)
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        hint = "It seems to be cut off"
    elif error.msg.startswith(("Expecting property name", "Illegal trailing comma")):  # from 3.13
        hint = "Keys stand in double quotes, and no comma follows the last one"
    else:
        hint = ""
    reason = error.msg[0].lower() + error.msg[1:]
    return UnreadableError("E005", f"the file is not well-formed JSON: {reason}", hint, offset)


def _too_deep() -> UnreadableError:
    return UnreadableError(
        "E007",
        f"objects and arrays are nested deeper than {MAX_DEPTH} levels, which is the limit",
        "A scene needs nine",
        None,
    )


def _deeper_than(value: Any, depth: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    if depth == 0:
        return True
    children = value.values() if isinstance(value, dict) else value
    return any(_deeper_than(c, depth - 1) for c in children if isinstance(c, (dict, list)))


def _article(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


# --------------------------------------------------------------------------------------
# Places
# --------------------------------------------------------------------------------------

_SPACE = re.compile(r"[ \t\n\r]*")
_PAGE = 4096


class JsonLayout:
    """Places of the parts of a JSON text, found by walking it; walked containers are kept."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decode = json.JSONDecoder().raw_decode
        self._known: dict[int, dict[str | int, tuple[int, int]]] = {}

    def offset(self, path: ScenePath) -> int | None:
        """Of the key where ``path`` ends in one, else of the value."""
        place, _ = self._find(path)
        return place if self._text.isascii() else self._byte(place)

    def _byte(self, place: int) -> int:
        """Place in bytes of a place in characters."""
        page = place // _PAGE
        return self._page_starts[page] + len(self._text[page * _PAGE : place].encode())

    @cached_property
    def _page_starts(self) -> list[int]:
        """Place in bytes of every _PAGE-th character."""
        pages = range(0, len(self._text), _PAGE)
        lengths = (len(self._text[start : start + _PAGE].encode()) for start in pages)
        return list(accumulate(lengths, initial=0))

    def has(self, path: ScenePath) -> bool:
        return self._find(path)[1] == len(path)

    def duplicate_keys(self) -> Iterator[Finding]:
        """A finding for every key that an object holds twice."""
        yield from self._duplicates(self._skip_space(0), ())

    def _duplicates(self, start: int, path: ScenePath) -> Iterator[Finding]:
        seen = set()
        for step, _, value in self._walk(start):
            if step in seen:
                yield Finding(
                    (*path, step), "E008", f"the key '{step}' is given twice", "Keep one of them"
                )
            seen.add(step)
            yield from self._duplicates(value, (*path, step))

    def _find(self, path: ScenePath) -> tuple[int, int]:
        """The place of the longest part of ``path`` that exists, and that part's length."""
        place = value = self._skip_space(0)
        for depth, step in enumerate(path):
            children = self._children(value)
            found = [children[name] for name in (step, f"{step}_deg") if name in children]
            if not found:
                return place, depth
            place, value = max(found)
        return place, len(path)

    def _children(self, start: int) -> dict[str | int, tuple[int, int]]:
        """Place, and place of the value, of each key or index in the value at ``start``.

        Of a key that is given twice it is the last, as the standard library takes it.
        """
        if start not in self._known:
            self._known[start] = {step: (at, value) for step, at, value in self._walk(start)}
        return self._known[start]

    def _walk(self, start: int) -> Iterator[tuple[str | int, int, int]]:
        """Key or index, place and place of the value of each child of the value at ``start``."""
        opening = self._text[start : start + 1]
        walk = {"{": self._walk_object, "[": self._walk_array}.get(opening)
        return walk(start) if walk else iter(())

    def _walk_object(self, start: int) -> Iterator[tuple[str | int, int, int]]:
        at = self._skip_space(start + 1)
        while self._text[at] != "}":
            key, end = scanstring(self._text, at + 1, True)
            value = self._skip_space(self._skip_space(end) + 1)  # over the colon
            yield key, at, value
            at = self._next(value)

    def _walk_array(self, start: int) -> Iterator[tuple[str | int, int, int]]:
        at = self._skip_space(start + 1)
        index = 0
        while self._text[at] != "]":
            yield index, at, at
            at = self._next(at)
            index += 1

    def _next(self, value: int) -> int:
        """The place after the value at ``value`` and the comma that may follow it."""
        _, end = self._decode(self._text, value)
        at = self._skip_space(end)
        return self._skip_space(at + 1) if self._text[at] == "," else at

    def _skip_space(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at
