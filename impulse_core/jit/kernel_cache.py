"""Compiled kernels on disk: where they lie, who may have written them, and what they are read from.

    IMPULSE_CACHE_DIR/impulse-kernels/0123456789abcdef/step.take_steps.….nbc
                      └ ours alone     └ hash of the sources, marked

Beside ``impulse-kernels`` nothing is touched, and below it only what this module has marked and
named itself is ever removed. A kernel is a pickle with machine code: it is loaded only from
folders that nobody else could write to, and only if its bytes are those that were written. What
goes wrong with the cache costs time, never a run: kernels are then compiled in memory, and a line
in the log says why.

Numba's own cache keeps an index of files beside the files. Two processes that compile at once can
make it name the wrong file, so a file is named here by a hash of all that its code depends on.

Kernels that came with an installed Impulse (``shipped.py``) are looked for first.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from impulse_core.jit.kernel_folder import KERNEL, UNFINISHED, make_folder, reason_of
from impulse_core.jit.linking import reduced, restored
from impulse_core.jit.shipped import ShippedKernels
from impulse_core.jit.trusted import UnusableError, refuse_foreign

__all__ = [
    "KernelCache",
    "found_on_disk",
    "kernels_compiled",
    "made_elsewhere",
    "missing_file",
    "told_of_compiling",
]

_DIGEST = 16  # bytes of the checksum before the pickle
_RUNTIME = (
    b"NRT_"  # in names of what code calls that makes new arrays; Numba compiles it at a start
)

_listeners: list[Callable[[], None]] = []
_elsewhere: list[Callable[[Path], bool]] = []
_found: list[Path] = []
_compiled = [0]


def kernels_compiled() -> int:
    """How many kernels this process had to compile so far, not counting what they call."""
    return _compiled[0]


def found_on_disk() -> tuple[Path, ...]:
    """The files of the kernels that this process found on disk so far."""
    return tuple(_found)


@contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` before each kernel that has to be compiled, where none is found on disk."""
    _listeners.append(tell)
    try:
        yield
    finally:
        _listeners.remove(tell)


def missing_file(dispatcher: Any, args: tuple[Any, ...]) -> Path | None:
    """Where a kernel for arguments of these types is to be kept; None where it is there or in use,
    or can be kept nowhere.
    """
    if args in dispatcher.overloads:
        return None
    host = dispatcher.targetctx.codegen().magic_tuple()
    missing: Path | None = dispatcher._cache.missing_file(args, host)
    return missing


@contextmanager
def made_elsewhere(wait_for: Callable[[Path], bool]) -> Iterator[None]:
    """A block in which another process makes kernels: ``wait_for`` a file tells whether it is there
    at last.
    """
    _elsewhere.append(wait_for)
    try:
        yield
    finally:
        _elsewhere.remove(wait_for)


class KernelCache(_Cache):
    """The compiled variants of one function, for Numba's dispatcher.

    Args:
        function: what is compiled.
        folder: where its variants are kept; None to keep none.
        reason: why there is no folder.
        sources: hash of all that the function's code is made of.
        shipped: kernels that came with Impulse; None where there are none.
    """

    _complained = False
    _complained_of_shipped = False

    def __init__(
        self,
        function: Any,
        folder: Path | None,
        reason: str = "",
        sources: str = "",
        shipped: ShippedKernels | None = None,
    ) -> None:
        self._folder = folder
        self._reason = reason
        self._shipped = shipped
        self._why_not_shipped = ""
        module = function.__module__.rpartition(".")[2]
        self._name = f"{module}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._code = (sources, function.__code__.co_firstlineno, function.__code__.co_code)

    @property
    def cache_path(self) -> str | None:
        """The folder, for Numba's statistics."""
        return None if self._folder is None else str(self._folder)

    def enable(self) -> None:
        """As Numba's protocol asks for; the cache is on where there is a folder."""

    def disable(self) -> None:
        """Keep no more kernels."""
        self._folder = None

    def flush(self) -> None:
        """As Numba's protocol asks for; kernels are replaced when they are compiled again."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for arguments of these types, or None, which makes Numba compile it."""
        # Numba would refresh the context here, which takes a fifth of a second; the compiler does
        # so itself if it has to run.
        host = target_context.codegen().magic_tuple()
        for folder, target in self._places(host):
            path = self._path(folder, sig, target)
            if kernel := self._restored(path, sig, target_context):
                _found.append(path)
                return kernel
        self._announce()
        if self._folder is None:
            return None
        path = self._path(self._folder, sig, host)
        if any(wait_for(path) for wait_for in _elsewhere):
            return self._restored(path, sig, target_context)
        return None

    def missing_file(self, sig: Any, host: tuple[str, str, str]) -> Path | None:
        """Where the kernel for arguments of these types is to be kept; None where it is there, or
        can be kept nowhere.
        """
        if self._folder is None:
            return None
        paths = [self._path(folder, sig, target) for folder, target in self._places(host)]
        return None if any(path.exists() for path in paths) else paths[-1]

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep a kernel that was compiled, where that is possible."""
        if self._folder is None:
            return
        if cres.lifted or cres.library.has_dynamic_globals:
            raise TypeError(f"{self._name} holds addresses of this process and cannot be kept.")
        data = dumps((self._arguments(sig), reduced(cres)))
        try:
            make_folder(self._folder)  # another process may have removed it
            _write(self._path(self._folder, sig, cres.codegen.magic_tuple()), data)
        except UnusableError as reason:
            self._complain(str(reason))
        except OSError as error:
            self._complain(reason_of(error, self._folder))

    def _places(self, host: tuple[str, str, str]) -> Iterator[tuple[Path, tuple[str, str, str]]]:
        """Folders to look in, each with the processor that its kernels are for."""
        if self._shipped is not None:
            target = self._shipped.target(host)
            self._why_not_shipped = self._shipped.reason
            if target is not None:
                yield self._shipped.folder, target
        if self._folder is not None:
            yield self._folder, host

    def _restored(self, path: Path, sig: Any, target_context: Any) -> Any:
        """The kernel in this file; None if it is missing, damaged or for other arguments."""
        try:
            arguments, kept = pickle.loads(_read(path))
            if arguments == self._arguments(sig):
                if _RUNTIME in kept[0][2]:  # the machine code
                    rtsys.initialize(target_context)
                return restored(target_context, kept)
        except FileNotFoundError:
            return None
        except UnusableError as reason:
            self._note(path, str(reason))
        except OSError as error:
            self._note(path, f"{path} cannot be read: {(error.strerror or str(error)).lower()}")
        except Exception:  # whatever pickle, Numba and LLVM raise on what they did not write
            self._note(path, f"{path} is damaged")
        return None

    def _note(self, path: Path, reason: str) -> None:
        """What is wrong with a file is worth a word where it came with Impulse. One of the user's
        own is simply replaced.
        """
        if self._shipped is not None and path.parent == self._shipped.folder:
            self._why_not_shipped = reason

    def _path(self, folder: Path, sig: Any, target: tuple[str, str, str]) -> Path:
        """The file for these arguments on this processor."""
        depends = (
            sig,
            target,
            self._code,
            numba.__version__,
            llvmlite.__version__,
            numba.config.OPT,  # type: ignore[attr-defined]
            numba.config.BOUNDSCHECK,  # type: ignore[attr-defined]
            sys.implementation.cache_tag,
        )
        digest = hashlib.sha256(repr(depends).encode()).hexdigest()[:32]
        return folder / f"{self._name}.{digest}{KERNEL}"

    def _arguments(self, sig: Any) -> tuple[Any, ...]:
        return tuple(normalize_signature(sig)[0])

    def _announce(self) -> None:
        _compiled[0] += 1
        for tell in _listeners:
            tell()
        if self._why_not_shipped:
            self._complain_of_shipped(self._why_not_shipped)
        if self._folder is None:
            self._complain(self._reason)

    @staticmethod
    def _complain(reason: str) -> None:
        """Say once why kernels are not kept."""
        if not KernelCache._complained:
            KernelCache._complained = True
            logging.getLogger("impulse").warning(
                "Compiled kernels are not kept, so every start compiles them again: %s.", reason
            )

    @staticmethod
    def _complain_of_shipped(reason: str) -> None:
        """Say once why what came with Impulse is compiled again."""
        if not KernelCache._complained_of_shipped:
            KernelCache._complained_of_shipped = True
            logging.getLogger("impulse").warning(
                "The compiled kernels that came with Impulse cannot be used, so they are compiled"
                " afresh: %s.",
                reason,
            )


def _read(path: Path) -> bytes:
    """What was written to a file by ``_write`` under this name, and by nobody else."""
    with path.open("rb") as file:
        refuse_foreign(path, os.fstat(file.fileno()))
        content = file.read()
    if _checksum(path.name, content[_DIGEST:]) != content[:_DIGEST]:
        raise UnusableError(f"{path} is damaged")
    return content[_DIGEST:]


def _write(path: Path, data: bytes) -> None:
    """Replace the file in one step."""
    temporary = path.with_name(f"{os.getpid()}-{secrets.token_hex(6)}{UNFINISHED}")
    try:
        with open(temporary, "xb", opener=_not_for_others_to_write) as file:
            file.write(_checksum(path.name, data) + data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _not_for_others_to_write(path: str, flags: int) -> int:
    """Opens a new file that can be trusted later, whatever the user's mask for new files."""
    return os.open(path, flags, 0o644)


def _checksum(name: str, data: bytes) -> bytes:
    """Of a file's content and name: a file under the name of another is as good as damaged."""
    key = hashlib.blake2b(name.encode(), digest_size=64).digest()
    return hashlib.blake2b(data, digest_size=_DIGEST, key=key).digest()
