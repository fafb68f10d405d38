"""The folder in which compiled kernels lie: ours alone, and the only one that is ever pruned."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from impulse_core.jit.trusted import UnusableError, refuse_foreign

__all__ = [
    "KERNEL",
    "OWN_FOLDER",
    "UNFINISHED",
    "cache_parent",
    "make_folder",
    "open_folder",
    "reason_of",
]

OWN_FOLDER = "impulse-kernels"
KERNEL = ".nbc"
UNFINISHED = ".nbc-tmp"
_MARKER = ".impulse-kernels"  # in a folder of kernels; its time says when they were last used
_HASH_NAME = re.compile(r"[0-9a-f]{16}")
_KEPT_FOLDERS = 3  # of other sources, so that switching branches stays warm
_TRIES = 10  # to make a folder that others prune at the same moment


def open_folder(name: str) -> tuple[Path | None, str]:
    """The folder of the kernels of the sources with hash ``name``; folders of others are pruned.

    Returns:
        The folder, made where it was missing, and ""; or None and why there is none.
    """
    try:
        parent = cache_parent()
    except (OSError, RuntimeError):  # neither HOME nor an entry in the list of users: a container
        return None, "no folder for caches is known; name one in IMPULSE_CACHE_DIR, from the root"
    folder = parent / OWN_FOLDER / name
    try:
        _make_though_others_prune(folder)
    except UnusableError as reason:
        return None, str(reason)
    except OSError as error:
        return None, reason_of(error, folder)
    with suppress(OSError):  # a cache to read from only
        _prune(folder)
    return folder, ""


def cache_parent() -> Path:
    """The folder in which ours lies: $IMPULSE_CACHE_DIR or the user's folder for caches."""
    if chosen := os.environ.get("IMPULSE_CACHE_DIR"):
        return Path(os.path.abspath(chosen))  # noqa: PTH100  # resolve() could fail on a loop
    if (chosen := os.environ.get("XDG_CACHE_HOME", "")) and os.path.isabs(chosen):  # noqa: PTH117
        return Path(chosen)
    return Path.home() / ".cache"


def _make_though_others_prune(folder: Path) -> None:
    """The same where other processes may remove the folder while it is looked at."""
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            make_folder(folder)
            return
    make_folder(folder)


def make_folder(folder: Path) -> None:
    """``folder``, its parent and its marker, if they are missing; nobody else may write to them."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for own in (folder.parent, folder):
        is_new = _make_own(own)
        status = own.stat()
        if not stat.S_ISDIR(status.st_mode):
            raise UnusableError(f"{own} is not a folder")
        refuse_foreign(own, status)
    with suppress(OSError):  # a cache to read from only, or a folder that was not made here
        if is_new:
            (folder / _MARKER).touch(mode=0o600)
        else:
            os.utime(folder / _MARKER)


def _make_own(folder: Path) -> bool:
    """Whether the folder was missing; nobody else may write to it then."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return False
    return True


def _prune(current: Path) -> None:
    """Remove all but the folders that were used last."""
    used: list[tuple[int, Path]] = []
    for folder in current.parent.iterdir():
        if folder != current and _HASH_NAME.fullmatch(folder.name) and not folder.is_symlink():
            with suppress(OSError):  # without a marker it is not ours
                used.append(((folder / _MARKER).lstat().st_mtime_ns, folder))
    for _, folder in sorted(used, reverse=True)[_KEPT_FOLDERS:]:
        with suppress(OSError):  # another process prunes, or there is something that is not ours
            _remove(folder)


def _remove(folder: Path) -> None:
    """Remove the files that this module writes, and the folder if nothing else is in it."""
    for file in list(folder.iterdir()):
        if file.suffix in {KERNEL, UNFINISHED}:
            file.unlink(missing_ok=True)
    (folder / _MARKER).unlink()
    try:
        folder.rmdir()
    except OSError:  # another process has just written to it: it stays one of those to be pruned
        (folder / _MARKER).touch(mode=0o600)
        raise


def reason_of(error: OSError, folder: Path) -> str:
    return f"{folder} cannot be written to: {(error.strerror or str(error)).lower()}"
