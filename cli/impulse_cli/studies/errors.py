"""The one exception of this package."""

from __future__ import annotations

__all__ = ["StudyError"]


class StudyError(ValueError):
    """A sweep or a search that cannot be made as it was asked for; the message says why."""
