"""The mechanisms with closed loops by the names of their files."""

from __future__ import annotations

from bricard import bricard
from four_bars import parallelogram, swinging_four_bar, windows
from scissor_lift import scissor_lift
from slider_crank import slider_crank
from universal_shaft import universal_shaft

from impulse_schema import Scene


def mechanisms() -> dict[str, Scene]:
    """Every scene of this folder by its path below sample_scenes."""
    scenes = [
        parallelogram(),
        swinging_four_bar(),
        windows(2),
        windows(40),
        slider_crank(),
        universal_shaft(),
        scissor_lift(),
        bricard(),
    ]
    return {f"mechanisms/{scene.name}.xml": scene for scene in scenes}
