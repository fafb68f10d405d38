"""A run is not lost because its output cannot be written at its end."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from impulse_core import Recording

__all__ = ["save_somewhere"]

_SMALLEST = ".npz"  # takes a third of the room of the other format, on the disk and in memory


def save_somewhere(recording: Recording, output: Path) -> tuple[Path | None, str]:
    """Write ``recording`` to ``output`` or, where that fails, to the system's temporary folder.

    The disk may have filled up, or the folder may be gone, since the output was checked.

    Returns:
        Where the recording is, None if nowhere; and a sentence about what went wrong, or "".
    """
    problem = _problem_of_saving(recording, output)
    if not problem:
        return output, ""
    for name in dict.fromkeys([f"anim{output.suffix}", f"anim{_SMALLEST}"]):
        try:
            # A folder of its own, so that nobody else reads it or puts a link in its place.
            place = Path(tempfile.mkdtemp(prefix="impulse-")) / name
        except OSError as error:
            return None, f"{problem} Nor is there a temporary folder: {error.strerror or error}."
        second_problem = _problem_of_saving(recording, place)
        if not second_problem:
            return place, f"{problem} The animation is in {place} instead."
        place.parent.rmdir()
    return None, f"{problem} Nor could it be written elsewhere: {second_problem}"


def _problem_of_saving(recording: Recording, path: Path) -> str:
    from impulse_core import RecordingError

    try:
        recording.save(path)
    except RecordingError as error:
        return str(error)
    except MemoryError:
        return f"{path}: cannot be written: there is not enough memory."
    return ""
