"""A four-bar linkage with one hinge a millionth of a radian out of its plane."""

from __future__ import annotations

from bars import hinge, upright_bar

from impulse_schema import Scene, Settings

TILT = 1e-6  # rad
POINTS = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.5), (1.2, 0.0, 0.9), (1.5, 0.0, 0.0))  # m


def tilted_four_bar() -> Scene:
    """Falls from rest; its three rows out of the plane contradict each other by its tilt."""
    a, b, c, d = POINTS
    bodies = [
        upright_bar("crank", a, b, mass=1.0, thickness=0.04),
        upright_bar("coupler", b, c, mass=2.5, thickness=0.04),
        upright_bar("rocker", d, c, mass=1.9, thickness=0.04),
    ]
    joints = [
        hinge("A", "world", "crank", a),
        hinge("B", "crank", "coupler", b),
        hinge("C", "coupler", "rocker", c),
        hinge("D", "world", "rocker", d),
    ]
    joints[2].axis = (TILT, 1.0, 0.0)
    return Scene(
        version=1,
        name="tilted-four-bar",
        description="A four-bar linkage with one hinge a millionth of a radian out of its plane, as"
        " files of six digits have it.",
        settings=Settings(step=0.002, duration=3.0),
        bodies=bodies,
        joints=joints,
    )
