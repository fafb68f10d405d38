"""The machines with motors by the names of their files."""

from __future__ import annotations

from car import car, driving_car
from jansen_walker import jansen_walker, rough_walk
from leg import leg
from screw_jack import screw_jack
from trotter import trotter

from impulse_schema import Scene


def machines() -> dict[str, Scene]:
    """Every scene of this folder by its path below sample_scenes."""
    scenes = (car(), driving_car(), leg(), screw_jack(), trotter(), jansen_walker(), rough_walk())
    return {f"machines/{scene.name}.xml": scene for scene in scenes}
