"""Checks of output paths, made before anything is computed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

__all__ = ["check_outputs"]


def check_outputs(
    outputs: Sequence[Path], *, inputs: Sequence[Path], suffixes: Sequence[str] = ()
) -> None:
    """Every output can be written and would replace neither an input nor another output.

    ``suffixes`` are the endings that the first output may have (any, if empty).

    Raises:
        RecordingError: naming the path and the reason.
    """
    from impulse_core.recording import RecordingError, check_output

    for index, output in enumerate(outputs):
        check_output(output, suffixes if index == 0 else ())
        for other in inputs:
            if _same_file(output, other):
                raise RecordingError(
                    "would replace the input; choose another name.", file=str(output)
                )
        for other in outputs[:index]:
            if _same_file(output, other):
                raise RecordingError("is named as two outputs.", file=str(output))


def _same_file(first: Path, second: Path) -> bool:
    if first.exists() and second.exists():
        return first.samefile(second)
    return os.path.realpath(first) == os.path.realpath(
        second
    )  # resolve() fails on circles of links
