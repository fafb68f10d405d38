"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable

MAX_LISTED = 12


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the entry of ``known`` nearest to ``word``, or lists a short ``known``."""
    from difflib import get_close_matches

    known = list(known)
    by_case = {name.casefold(): name for name in known}
    if word.casefold() in by_case:
        return f"Did you mean '{by_case[word.casefold()]}'?"
    near = get_close_matches(word, known, n=1, cutoff=0.6)
    if near:
        return f"Did you mean '{near[0]}'?"
    if known and len(known) <= MAX_LISTED:
        return f"Known are {listed(known)}"
    return ""


def listed(words: Iterable[object]) -> str:
    """``a, b and c``."""
    *most, last = [str(word) for word in words]
    return f"{', '.join(most)} and {last}" if most else last


def either(words: Iterable[object]) -> str:
    """``a, b or c``."""
    *most, last = [str(word) for word in words]
    return f"{', '.join(most)} or {last}" if most else last
