"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable

MAX_LISTED = 12
MAX_KNOWN = 10_000  # names beyond which a scene is a program's work, which makes no typing errors
MAX_COMPARED = 50


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the entry of ``known`` nearest to ``word``, or lists a short ``known``."""
    from difflib import get_close_matches

    known = list(known)
    if len(known) > MAX_KNOWN:
        return ""
    by_case = {name.casefold(): name for name in known}
    if word.casefold() in by_case:
        return f"Did you mean '{by_case[word.casefold()]}'?"
    near = get_close_matches(word, _nearest(word, known), n=1, cutoff=0.6)
    if near:
        return f"Did you mean '{near[0]}'?"
    if known and len(known) <= MAX_LISTED:
        return f"Known are {listed(known)}"
    return ""


def _nearest(word: str, known: list[str]) -> list[str]:
    """The MAX_COMPARED of ``known`` that begin and end most like ``word`` and are about as long.

    Comparing letter by letter takes 20 us, and ten thousand names are too many for that.
    """

    def unlike(name: str) -> int:
        ends = (name[-3:] != word[-3:]) + (name[:3] != word[:3])
        return 3 * ends + abs(len(name) - len(word))

    return known if len(known) <= MAX_COMPARED else sorted(known, key=unlike)[:MAX_COMPARED]


def listed(words: Iterable[object]) -> str:
    """``a, b and c``."""
    *most, last = [str(word) for word in words]
    return f"{', '.join(most)} and {last}" if most else last


def either(words: Iterable[object]) -> str:
    """``a, b or c``."""
    *most, last = [str(word) for word in words]
    return f"{', '.join(most)} or {last}" if most else last
