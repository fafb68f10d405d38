"""Why a state cannot be read."""

from __future__ import annotations

__all__ = [
    "DamagedStateError",
    "NewerStateError",
    "NotAStateError",
    "OtherFieldsError",
    "OtherModelError",
    "OtherOptionsError",
    "StateFileError",
]


class StateFileError(Exception):
    """A state that cannot be written or read.

    Attributes:
        message: what is wrong, as a sentence.
        file: path of the file.
    """

    def __init__(self, message: str, file: str) -> None:
        self.message = message
        self.file = file
        super().__init__(f"{file}: {message}")


class NotAStateError(StateFileError):
    """A file of another kind."""


class DamagedStateError(StateFileError):
    """A file that is not as it was written."""


class NewerStateError(StateFileError):
    """A file in a layout that a newer Impulse wrote."""


class OtherModelError(StateFileError):
    """The state of another scene."""


class OtherOptionsError(StateFileError):
    """The state of a run with other options."""


class OtherFieldsError(StateFileError):
    """A state that holds other quantities than are expected."""
