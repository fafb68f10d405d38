"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

from .errors import RecordingError

__all__ = ["check_output", "write_atomically"]


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to ``path``: afterwards the file is the old one or the whole new one.

    The bytes go to a temporary file in the same folder, which then takes the file's name; if
    anything fails on the way, Ctrl-C included, the old file stays as it was.

    Raises:
        RecordingError: naming the path, if the folder is missing or not writable, the path is a
            folder or a device, or the disk is full.
    """
    target = _target(path)
    temporary = _new_temporary(target, path)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RecordingError(
            f"cannot be written: {_reason(error)}.", file=os.fspath(path)
        ) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_output(path: str | os.PathLike[str], suffixes: Sequence[str] = ()) -> None:
    """Make sure, before hours of computing, that ``path`` can be written; nothing stays behind.

    Args:
        path: the file that is to be written later; it may exist.
        suffixes: the file name extensions that are allowed, as in ``(".json", ".npz")``; any if
            empty.

    Raises:
        RecordingError: naming the path and what stands in the way.
    """
    check_suffix(path, suffixes)
    target = _target(path)
    _new_temporary(target, path).unlink()


def check_suffix(path: str | os.PathLike[str], suffixes: Sequence[str]) -> str:
    """The lower-case extension of ``path``; ``RecordingError`` if it is none of ``suffixes``."""
    suffix = Path(path).suffix.lower()
    if suffixes and suffix not in suffixes:
        known = " or ".join([", ".join(suffixes[:-1]), suffixes[-1]] if suffixes[1:] else suffixes)
        ending = f"ends in '{suffix}'" if suffix else "has no extension"
        raise RecordingError(
            f"the file name {ending}; write a name that ends in {known}.",
            file=os.fspath(path),
        )
    return suffix


def _target(path: str | os.PathLike[str]) -> Path:
    """The file that ``path`` names, links followed; only a file or nothing may be there."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return target
    except OSError as error:
        raise RecordingError(f"{_reason(error)}.", file=os.fspath(path)) from error
    if stat.S_ISDIR(mode):
        raise RecordingError("is a folder; write the name of a file.", file=os.fspath(path))
    if not stat.S_ISREG(mode):
        raise RecordingError(
            "is a device or a pipe; write the name of a file.", file=os.fspath(path)
        )
    if not mode & stat.S_IWUSR:  # os.replace would not mind
        raise RecordingError("is read-only; choose another name.", file=os.fspath(path))
    return target


def _new_temporary(target: Path, path: str | os.PathLike[str]) -> Path:
    """An empty new file beside ``target``, which proves that the folder can be written to."""
    # Not made from the name of the target, which may already be as long as names can be.
    temporary = target.with_name(f".impulse-{secrets.token_hex(6)}.tmp")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise RecordingError(_why_no_file(target.parent, error), file=os.fspath(path)) from error
    return temporary


def _why_no_file(folder: Path, error: OSError) -> str:
    if not folder.exists():
        return f"the folder '{folder}' does not exist; create it first."
    if not folder.is_dir():
        return f"'{folder}' is not a folder."
    return f"the folder '{folder}' cannot be written to: {_reason(error)}."


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
