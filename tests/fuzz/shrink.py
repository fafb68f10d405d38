"""Makes a case small without losing what it shows: parts are left out one after the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

from tests.fuzz.cases import Case

_MOST_TRIES = 400


def shrunk(case: Case, shows: Callable[[Case], bool]) -> Case:
    """The smallest case found that still ``shows`` what the first one does."""
    tries = 0

    def still(data: bytes) -> bool:
        nonlocal tries
        tries += 1
        return tries <= _MOST_TRIES and shows(Case(case.suffix, data))

    data = case.data
    for smaller in (_without_elements, _without_items, _without_bytes):
        data = smaller(data, still)
    return Case(case.suffix, data)


def _without_elements(data: bytes, still: Callable[[bytes], bool]) -> bytes:
    """Of XML: leave out elements, then attributes."""
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, RecursionError, LookupError):
        return data
    if not still(ElementTree.tostring(root)):
        return data
    for parent in list(root.iter()):
        for child in list(parent):
            place = list(parent).index(child)
            parent.remove(child)
            if not still(ElementTree.tostring(root)):
                parent.insert(place, child)
    for element in root.iter():
        element.text = element.text if (element.text or "").strip() else None
        element.tail = None
        for key, value in list(element.attrib.items()):
            del element.attrib[key]
            if not still(ElementTree.tostring(root)):
                element.attrib[key] = value
    found = ElementTree.tostring(root)
    return found if still(found) else data


def _without_items(data: bytes, still: Callable[[bytes], bool]) -> bytes:
    """Of JSON: leave out keys and items."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return data
    if not still(_dumped(content)):
        return data
    for holder in list(_holders(content)):
        for key in list(holder) if isinstance(holder, dict) else range(len(holder))[::-1]:
            value = holder[key]
            del holder[key]
            if not still(_dumped(content)):
                if isinstance(holder, dict):
                    holder[key] = value
                else:
                    holder.insert(key, value)
    found = _dumped(content)
    return found if still(found) else data


def _dumped(content: Any) -> bytes:
    return json.dumps(content).encode()


def _holders(content: Any) -> Iterator[Any]:
    """All dicts and lists, outer ones first."""
    waiting = [content]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, (dict, list)):
            yield value
            waiting += value.values() if isinstance(value, dict) else value


def _without_bytes(data: bytes, still: Callable[[bytes], bool]) -> bytes:
    """Of anything: leave out pieces, large ones first."""
    size = len(data) // 2
    while size >= 1:
        at = 0
        while at < len(data):
            without = data[:at] + data[at + size :]
            if still(without):
                data = without
            else:
                at += size
        size //= 2
    return data
