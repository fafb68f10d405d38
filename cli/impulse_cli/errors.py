"""Errors as the user sees them: a sentence on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import traceback

from impulse_cli.exit_codes import INTERNAL_ERROR, SIMULATION_FAILED, WRONG_INPUT
from impulse_cli.terminal import complain

__all__ = ["print_problems", "report_error", "sentences_of"]

_OF_STREAMS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.EBADF,
    errno.EAGAIN,
)


def report_error(error: Exception) -> int:
    """Print ``error`` to stderr and return the exit code it stands for.

    What can be wrong with the input has a sentence of its own. Anything else is a fault of this
    program: one line, and the traceback where IMPULSE_TRACEBACK=1 asks for it.
    """
    messages, code, count = _explained(error)
    if code == INTERNAL_ERROR and os.environ.get("IMPULSE_TRACEBACK"):
        for line in "".join(traceback.format_exception(error)).splitlines():
            complain(line)
    else:
        print_problems(messages, count)
    return code


def sentences_of(error: Exception) -> list[str]:
    """What ``report_error`` prints of ``error``, for those who read it elsewhere."""
    return _explained(error)[0]


def _explained(error: Exception) -> tuple[list[str], int, int]:
    """Sentences, exit code, and how many problems the sentences stand for."""
    if isinstance(error, MemoryError):
        message = "There is not enough memory for this; simulate less or record less often."
        return [message], WRONG_INPUT, 1
    if isinstance(error, OSError) and error.filename is not None:
        reason = (error.strerror or str(error)).lower()
        return [f"{os.fspath(error.filename)}: {reason}."], WRONG_INPUT, 1
    if isinstance(error, OSError) and error.errno in _OF_STREAMS:
        reason = (error.strerror or "").lower()
        return [f"Standard output cannot be written: {reason}."], WRONG_INPUT, 1
    from impulse_cli.studies.errors import StudyError
    from impulse_core import (
        CommandError,
        OptionError,
        ParameterError,
        SessionError,
        SimulationError,
        StateFileError,
    )
    from impulse_core.geometry import MassPropertiesError, MeshFileError
    from impulse_core.recording import RecordingError
    from impulse_schema import SceneError

    if isinstance(error, SceneError):
        count = sum(problem.count for problem in error.problems)
        return [str(problem) for problem in error.problems], WRONG_INPUT, count
    if isinstance(error, (SessionError, SimulationError)):
        return [str(error)], SIMULATION_FAILED, 1
    wrong = (
        CommandError,
        MassPropertiesError,
        MeshFileError,
        OptionError,
        ParameterError,
        RecordingError,
        StateFileError,
        StudyError,
    )
    if isinstance(error, wrong):
        return [str(error)], WRONG_INPUT, 1
    message = (
        f"This is a fault of impulse, not of your input: {type(error).__name__}: {error}. Please"
        " report it, with what IMPULSE_TRACEBACK=1 in the environment prints."
    )
    return [message], INTERNAL_ERROR, 1


def print_problems(messages: list[str], count: int | None = None) -> None:
    """Each message on a line of its own, to stderr, and their number if there are several.

    ``count`` is the number of problems where a message stands for more than one.
    """
    for message in messages:
        complain(message)
    if len(messages) > 1:
        complain(f"{len(messages) if count is None else count} problems.")
