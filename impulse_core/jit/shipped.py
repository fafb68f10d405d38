"""Kernels that came compiled with an installed Impulse, and whether they fit this machine.

    impulse_core/shipped_kernels/made-for.json
                                 step.run_steps.….nbc

They were compiled for a baseline that most processors of an architecture include, by
``shipping/kernels.py`` when the wheel was built. A clone has none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import llvmlite
import numba

from impulse_core.jit.trusted import UnusableError, refuse_foreign

__all__ = ["BASELINES", "Baseline", "ShippedKernels", "write_made_for"]

_MADE_FOR = "made-for.json"


class Baseline:
    """A processor that others of its kind include.

    Attributes:
        name: as LLVM knows it.
        features: what a processor must have beyond those that all of its architecture have.
    """

    def __init__(self, name: str, features: str) -> None:
        self.name = name
        self.features = frozenset(features.split())

    def missing(self, features: str) -> list[str]:
        """What a processor with these features, in LLVM's notation (+avx2,-fma4), lacks of it."""
        return sorted(self.features - {f[1:] for f in features.split(",") if f.startswith("+")})


BASELINES = {
    "x86_64": Baseline(
        "x86-64-v3",
        "cx16 sahf popcnt sse3 ssse3 sse4.1 sse4.2 avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave",
    ),
}
"""By the architecture, as the first part of LLVM's triple names it."""


def _made_here(sources: str) -> dict[str, str]:
    """What kernels depend on besides the processor."""
    config: Any = numba.config
    return {
        "sources": sources,
        "Numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "Python": str(sys.implementation.cache_tag),
        "settings": f"NUMBA_OPT={int(config.OPT)} NUMBA_BOUNDSCHECK={int(config.BOUNDSCHECK or 0)}",
    }


def write_made_for(folder: Path, sources: str, target: tuple[str, str, str]) -> None:
    """State beside kernels what they were compiled for.

    Args:
        folder: where the kernels lie.
        sources: hash of the sources.
        target: triple, processor and features, from Numba's ``magic_tuple``.
    """
    made_for = {**_made_here(sources), "target": list(target)}
    (folder / _MADE_FOR).write_text(json.dumps(made_for, indent=1) + "\n", encoding="utf-8")


class ShippedKernels:
    """The folder of shipped kernels, looked at when the first kernel is wanted.

    Args:
        folder: where they lie, if there are any.
        sources: hash of the sources that are to run.

    Attributes:
        folder: the same.
        reason: why they are not used, as the end of a sentence; empty where there are none and
            where they fit.
    """

    def __init__(self, folder: Path, sources: str) -> None:
        self.folder = folder
        self.reason = ""
        self._sources = sources
        self._targets: dict[Any, tuple[str, str, str] | None] = {}

    def target(self, host: tuple[str, str, str]) -> tuple[str, str, str] | None:
        """What the kernels were compiled for, if they may run on this processor.

        Args:
            host: triple, name and features of the processor that Numba compiles for.
        """
        if host not in self._targets:
            self._targets[host] = self._examined(host)
        return self._targets[host]

    def _examined(self, host: tuple[str, str, str]) -> tuple[str, str, str] | None:
        try:
            made_for = self._made_for()
            if made_for is None:
                return None
            _refuse_other_versions(made_for, _made_here(self._sources))
            return _refuse_other_processors(made_for, host)
        except UnusableError as reason:
            self.reason = str(reason)
        except OSError as error:
            self.reason = f"{error.filename} cannot be read: {(error.strerror or '').lower()}"
        return None

    def _made_for(self) -> Mapping[str, Any] | None:
        path = self.folder / _MADE_FOR
        try:
            refuse_foreign(self.folder, self.folder.stat())
            refuse_foreign(path, path.stat())
            made_for = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            made_for = None
        if not isinstance(made_for, Mapping):
            raise UnusableError(f"{path} is damaged")
        return made_for


def _refuse_other_versions(made_for: Mapping[str, Any], here: Mapping[str, str]) -> None:
    for what, version in here.items():
        theirs = made_for.get(what)
        if theirs == version:
            continue
        if what == "sources":
            raise UnusableError("the sources beside them were changed")
        if what == "settings":
            raise UnusableError(f"they were compiled with {theirs}, here is {version}")
        raise UnusableError(f"they are for {what} {theirs}, here is {version}")


def _refuse_other_processors(
    made_for: Mapping[str, Any], host: tuple[str, str, str]
) -> tuple[str, str, str]:
    match made_for.get("target"):
        case [str(triple), str(name), ""]:
            target = triple, name, ""
        case _:
            raise UnusableError("it is not stated for which processor they are")
    if triple != host[0]:
        raise UnusableError(f"they are for {triple}, here is {host[0]}")
    if target == host:
        return target
    baseline = BASELINES.get(triple.partition("-")[0])
    if baseline is None or baseline.name != name:
        raise UnusableError(f"they are for another processor, {name}")
    if missing := baseline.missing(host[2]):
        raise UnusableError(f"this processor, {host[1]}, lacks {', '.join(missing)} of {name}")
    return target
