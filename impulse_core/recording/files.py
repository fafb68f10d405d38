"""Writing a file whole or not at all, and reading nothing but files."""

from __future__ import annotations

import errno
import hashlib
import math
import os
import platform
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import RecordingError

__all__ = [
    "check_output",
    "check_suffix",
    "errors_naming",
    "left_beside",
    "new_beside",
    "open_regular_file",
    "put_in_place",
    "read_regular_file",
    "reason_of",
    "target_of",
    "write_atomically",
]


def read_regular_file(path: str | os.PathLike[str], largest: int) -> bytes:
    """The content of a file of at most ``largest`` bytes.

    A folder, a pipe or a device is refused before it is opened: reading it could wait for ever,
    never end, or do something to the device.

    Raises:
        OSError: it cannot be read; ``strerror`` says why, as the end of "cannot be read: …".
    """
    with open_regular_file(path, largest) as file:
        data = file.read(os.fstat(file.fileno()).st_size)
    if data is None:
        raise OSError(errno.EAGAIN, "it is a pipe or a device; name a file")
    return data


def open_regular_file(path: str | os.PathLike[str], largest: float = math.inf) -> BinaryIO:
    """A file of at most ``largest`` bytes, opened to be read; refuses what ``read_regular_file``
    refuses.
    """
    try:
        status = os.stat(path)  # noqa: PTH116  # of str, bytes and Path alike
    except ValueError:  # a null character, or one that the system's encoding lacks
        raise OSError(errno.EINVAL, "its name holds what no file name can hold") from None
    _refuse_irregular(status, largest)
    # Another program may put a pipe in its place meanwhile.
    file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115  # the caller closes it
    try:
        _refuse_irregular(os.fstat(file.fileno()), largest)
    except OSError:
        file.close()
        raise
    return file


@contextmanager
def errors_naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """A block that reads a file: its errors are ``RecordingError``, and name the file."""
    try:
        yield
    except RecordingError as error:
        raise error.in_file(os.fspath(path)) from None
    except OSError as error:
        raise RecordingError(
            f"cannot be read: {reason_of(error)}.", file=os.fspath(path)
        ) from error


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_irregular(status: os.stat_result, largest: float) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, "it is a folder; name a file")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device; name a file")
    if status.st_size > largest:
        reason = f"it has {status.st_size} bytes, and at most {largest} are read"
        raise OSError(errno.EFBIG, reason)


_SUFFIX = ".tmp"
_WRITER = re.compile(r"(\d{1,10})-[0-9a-f]{12}")


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to ``path``: afterwards the file is the old one or the whole new one.

    The bytes go to a temporary file in the same folder, which then takes the file's name; if
    anything fails on the way, Ctrl-C included, the old file stays as it was. What a process that
    was killed left behind is removed when the same file is written again.

    Raises:
        RecordingError: naming the path, if the folder is missing or not writable, the path is a
            folder or a device, or the disk is full.
    """
    target = target_of(path)
    _remove_left_behind(target)
    temporary = new_beside(target, path, _SUFFIX)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(temporary, target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RecordingError(
            f"cannot be written: {reason_of(error)}.", file=os.fspath(path)
        ) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def put_in_place(temporary: Path, target: Path) -> None:
    """Give a file beside ``target`` its name, and the permissions of what it replaces."""
    if target.exists():
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))
    temporary.replace(target)


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
    target = target_of(path)
    _remove_left_behind(target)
    new_beside(target, path, _SUFFIX).unlink()


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


def target_of(path: str | os.PathLike[str]) -> Path:
    """The file that ``path`` names, links followed; only a file or nothing may be there."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return target
    except OSError as error:
        raise RecordingError(f"{reason_of(error)}.", file=os.fspath(path)) from error
    if stat.S_ISDIR(mode):
        raise RecordingError("is a folder; write the name of a file.", file=os.fspath(path))
    if not stat.S_ISREG(mode):
        raise RecordingError(
            "is a device or a pipe; write the name of a file.", file=os.fspath(path)
        )
    if not mode & stat.S_IWUSR:  # os.replace would not mind
        raise RecordingError("is read-only; choose another name.", file=os.fspath(path))
    return target


def new_beside(target: Path, path: str | os.PathLike[str], suffix: str) -> Path:
    """An empty new file beside ``target``, which proves that the folder can be written to.

    Raises:
        RecordingError: naming ``path``, if it cannot.
    """
    name = f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(6)}{suffix}"
    temporary = target.with_name(name)
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise RecordingError(_why_no_file(target.parent, error), file=os.fspath(path)) from error
    return temporary


def _prefix(target: Path) -> str:
    """How the temporary files of ``target`` begin that are written on this machine.

    The name of the target is in it as a hash, as it may already be as long as names can be; so is
    the machine, whose process numbers mean nothing to another that shares the folder.
    """
    digest = hashlib.sha256(f"{_machine()} {target.name}".encode(errors="surrogateescape"))
    return f".impulse-{digest.hexdigest()[:12]}-"


def _machine() -> str:
    """What two processes share if they know each other by number."""
    processes = ""
    with suppress(OSError):  # Linux only: containers number their processes anew
        processes = str(Path("/proc/self/ns/pid").stat().st_ino)
    return f"{platform.node()} {processes}"


def _remove_left_behind(target: Path) -> None:
    """Remove the temporary files of ``target`` whose processes are gone."""
    for path in left_beside(target, _SUFFIX):
        with suppress(OSError):
            path.unlink()


def left_beside(target: Path, suffix: str) -> list[Path]:
    """Files of ``new_beside`` with this target and suffix whose processes are gone."""
    prefix = _prefix(target)
    try:
        found = os.listdir(target.parent)  # noqa: PTH208  # paths of all files take long
    except OSError:  # what stands in the way is said when the file is made
        return []
    names = sorted(name for name in found if name.startswith(prefix) and name.endswith(suffix))
    return [target.with_name(name) for name in names if _is_left(name[len(prefix) : -len(suffix)])]


def _is_left(writer: str) -> bool:
    process = _WRITER.fullmatch(writer)
    return process is not None and _is_gone(int(process[1]))


def _is_gone(process: int) -> bool:
    """Whether a process has ended for certain."""
    if os.name != "posix":  # where asking would end it
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _why_no_file(folder: Path, error: OSError) -> str:
    if not folder.exists():
        return f"the folder '{folder}' does not exist; create it first."
    if not folder.is_dir():
        return f"'{folder}' is not a folder."
    return f"the folder '{folder}' cannot be written to: {reason_of(error)}."


def reason_of(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
