"""Reading text as a scene file, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from impulse_schema import Problem, SceneError, load_scene


def problems_in(folder: Path, text: str | bytes, suffix: str = ".xml") -> list[Problem]:
    """The problems of a file with this content; it must have some."""
    path = folder / f"scene{suffix}"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    return caught.value.problems


def places(problems: list[Problem]) -> list[tuple[str, int | None, int | None, str]]:
    """Code, line, column and element of each problem."""
    return [(p.code, p.line, p.column, p.element) for p in problems]
