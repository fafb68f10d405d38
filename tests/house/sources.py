"""Where the sources are that tests of the house read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKED = ("impulse_core", "schema", "cli", "blender_addon")


def of_packages(folders: Iterable[str]) -> Iterator[Path]:
    """All Python files below folders of the root, in order."""
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def shown(source: Path) -> str:
    """A file by its path from the root."""
    return source.relative_to(ROOT).as_posix()
