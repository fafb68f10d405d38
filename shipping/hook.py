"""Puts compiled kernels into a wheel, which is then one for this Python and platform."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

from shipping.platforms import why_no_kernels

_ROOT = Path(__file__).resolve().parents[1]
_PLACE = "impulse_core/shipped_kernels"
_IN_VAIN = 3  # exit code of shipping.kernels where this processor is not good enough


class KernelHook(BuildHookInterface):  # type: ignore[misc]  # hatchling is there only to build
    """Called by hatchling before it writes a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels and name them to hatchling."""
        self._folder = tempfile.TemporaryDirectory()
        if version == "editable":
            return
        kernels = Path(self._folder.name) / "kernels"
        if reason := why_no_kernels() or _compile(kernels):
            self.app.display_warning(f"The wheel carries no compiled kernels: {reason}.")
            return
        build_data["force_include"][str(kernels)] = _PLACE
        build_data["pure_python"] = False
        build_data["tag"] = _tag()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what is in the wheel now."""
        self._folder.cleanup()


def _compile(folder: Path) -> str:
    """Fill the folder with kernels; returns why that cannot be."""
    command = [sys.executable, "-m", "shipping.kernels", str(folder)]
    done = subprocess.run(command, cwd=_ROOT, check=False)
    if done.returncode == _IN_VAIN:
        return "this processor has not all that they are compiled for"
    done.check_returncode()
    return ""


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"
