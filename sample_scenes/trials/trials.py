"""Machines on which simulators fail, by the names of their files."""

from __future__ import annotations

from bouncing_slider import bouncing_slider
from held_tree import held_tree
from light_finger import light_finger
from loaded_servo import loaded_servo
from planar_leg import planar_leg
from table import table
from tilted_four_bar import tilted_four_bar

from impulse_schema import Scene


def trials() -> dict[str, Scene]:
    """Every scene of this folder by its path below sample_scenes."""
    scenes = (
        table(),
        tilted_four_bar(),
        bouncing_slider(),
        loaded_servo(),
        light_finger(),
        held_tree(),
        planar_leg(),
    )
    return {f"trials/{scene.name}.xml": scene for scene in scenes}
