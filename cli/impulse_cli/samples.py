"""The sample scenes: the wheel carries them, and a checkout has them in ``sample_scenes``."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

__all__ = ["sample_scenes", "summary"]

_CARRIED = Path(__file__).parent / "sample_scenes"
_IN_A_CHECKOUT = Path(__file__).parents[2] / "sample_scenes"
# Of the size of a mesh file; a checkout writes them, and no wheel carries them.
_COMPUTED = ("cubes-1000", "rubble-")


def sample_scenes() -> dict[str, Path]:
    """The file of each sample scene by its name, in the order of folders and names."""
    folder = _CARRIED if _CARRIED.is_dir() else _IN_A_CHECKOUT
    files = sorted(folder.glob("*/*.xml"), key=lambda file: (file.parent.name, file.stem))
    return {file.stem: file for file in files if not file.stem.startswith(_COMPUTED)}


def summary(file: Path) -> str:
    """The first sentence of the description of a scene file."""
    with file.open("rb") as stream:
        for _, element in ElementTree.iterparse(stream):
            if element.tag == "description":
                sentence, stop, _ = " ".join((element.text or "").split()).partition(". ")
                return sentence + stop.rstrip()
    return ""
