"""The scenes with contact by the names of their files."""

from __future__ import annotations

from balls import bouncing, falling, rolling
from dominoes import dominoes
from egg import rotating_egg
from heaps import cubes, pyramid, tower
from rings import ring_chain, rolling_rings
from rubble import rubble
from sledge import sledges
from sliding_cubes import sliding_cubes, stick_slope

from impulse_schema import Scene


def contacts() -> dict[str, Scene]:
    """Every scene of this folder by its path below sample_scenes, but for the large ones."""
    scenes = [
        sliding_cubes(),
        stick_slope(),
        tower(),
        pyramid(),
        dominoes(),
        bouncing(),
        falling(),
        rolling(),
        rotating_egg(),
        rolling_rings(),
        ring_chain(),
        *sledges(),
    ]
    return {f"contact/{scene.name}.xml": scene for scene in scenes}


def large() -> dict[str, Scene]:
    """Those that are only written by make samples: half a megabyte that three functions say."""
    scenes = (cubes(), cubes(brick=True), rubble())
    return {f"contact/{scene.name}.xml": scene for scene in scenes}
