# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a file is a scene or a recording of one."""

from __future__ import annotations

from pathlib import Path

SCENE, RECORDING = "scene", "recording"

# A recording in JSON begins with this, as files.md says.
MARK = b'"impulse-animation"'
HEAD = 4096  # bytes


def kind_of_file(path: str | Path) -> str:
    """SCENE or RECORDING, '' where the file does not say; a file that cannot be read is neither."""
    suffix = Path(path).suffix.lower()
    if suffix == ".xml":
        return SCENE
    if suffix in (".npz", ".imprec"):
        return RECORDING
    if suffix != ".json":
        return ""
    try:
        with Path(path).open("rb") as file:
            return RECORDING if MARK in file.read(HEAD) else SCENE
    except OSError:
        return ""
