"""What is printed: lines in which nothing of a file can act on the terminal.

Names in a scene or a recording, paths and messages that quote them may hold control characters,
which would colour, move or type on the terminal, or end a line and begin another that looks like
ours. Every command prints through this module.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any, TextIO

import click

__all__ = ["Forgiving", "complain", "escaped", "say", "say_json"]

# Control characters of ASCII and beyond, marks that change the direction of the text after them,
# separators of lines, and halves of characters, which cannot be written.
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escaped(text: str) -> str:
    """``text`` on one line, with what could act on a terminal written as in ``\\x1b``."""
    return _ACTING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(line: str) -> None:
    """One line on stdout."""
    click.echo(escaped(line))


def say_json(value: Any, *, on_one_line: bool = False) -> None:
    """``value`` as JSON in ASCII on stdout; numbers that are not finite as null."""
    from impulse_core.recording import without_infinities

    text = json.dumps(without_infinities(value), indent=None if on_one_line else 2, allow_nan=False)
    click.echo(text)


def complain(line: str) -> None:
    """One line on stderr; where that is closed or full, nobody can be told."""
    with suppress(OSError):
        click.echo(escaped(line), err=True)


class Forgiving:
    """A stream whose failures are nobody's business: what is lost is a picture of the progress."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write what can be written."""
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush what can be flushed."""
        with suppress(OSError):
            self._stream.flush()
