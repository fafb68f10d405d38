"""What users do on the page calls functions here, whose errors they read on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Tell", "by_user"]

Tell = Callable[[str], None]
"""Shows a sentence on the page."""


def by_user(act: Callable[[Any], None], tell: Tell) -> Callable[[Any], None]:
    """A callback of viser that acts on what a user did.

    What the program itself changes on the page calls it too, and is passed over.
    """

    def run(event: Any) -> None:
        if event.client is None:
            return
        try:
            act(event)
        except Exception as error:  # viser would print a traceback
            tell(sentence(error))

    return run


def sentence(error: Exception) -> str:
    """An error in one sentence, as on the terminal."""
    from impulse_cli.errors import sentences_of

    return " ".join(sentences_of(error))
