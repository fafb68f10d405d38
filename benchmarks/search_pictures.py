"""Pictures of what benchmarks/searches.py found, beside the start.

    .venv/bin/python benchmarks/search_pictures.py gait FOLDER PICTURE
    .venv/bin/python benchmarks/search_pictures.py legs FOLDER PICTURE

``gait``: the way of both six-legged machines from above, how they lean, and how their cranks turn.
``legs``: a leg of both walkers with the path of its foot, and the height of their frames.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import impulse_core as ic
from impulse_schema import Scene, load_scene
from searches import SECONDS, six_legged

BEFORE, FOUND = {"color": "0.6", "label": "start"}, {"color": "C0", "label": "found"}
TEN_SECONDS = 10.0


def draw_gait(folder: Path) -> Figure:
    """Of the folder of a search for a gait."""
    figure = Figure((9.0, 6.0), layout="constrained")
    axes = figure.subplot_mosaic([["above", "above"], ["lean", "crank"]])
    above, lean, crank = (axes[name] for name in ("above", "lean", "crank"))
    for scene, style in ((six_legged(), BEFORE), (load_scene(folder / "best.xml"), FOUND)):
        recording = ic.simulate(scene, duration=TEN_SECONDS)
        torso = recording.body("torso")
        above.plot(*recording.positions[:, torso, :2].T, **style)
        lean.plot(recording.times, _lean(recording.orientations[:, torso]), **style)
        crank.plot(*_turning(scene), **style)
    above.set(xlabel="x [m]", ylabel="y [m]", title=f"Torso in {TEN_SECONDS:g} s, from above")
    above.set_aspect("equal", "datalim")
    lean.set(xlabel="time [s]", title="Lean of the torso [°]")
    crank.set(xlabel="a turn of a crank [s]", title="Its angular velocity [rad/s]")
    above.legend()
    return figure


def draw_legs(folder: Path) -> Figure:
    """Of the folder of a search for lengths."""
    from jansen_walker import Bars, jansen_walker

    changes = json.loads((folder / "best.json").read_text())
    found = Bars(*(changes[name] * length for name, length in Bars()._asdict().items()))
    figure = Figure((9.0, 4.5), layout="constrained")
    drawing, height = figure.subplots(1, 2, width_ratios=(1, 1.3))
    for bars, style in ((Bars(), BEFORE), (found, FOUND)):
        _draw_leg(drawing, bars, style)
        recording = ic.simulate(jansen_walker(bars), duration=SECONDS, fps=50.0)
        way = recording.positions[:, recording.body("frame")]
        height.plot(way[:, 0] - way[0, 0], 1e3 * (way[:, 2] - way[0, 2]), **style)
    drawing.set(title="A leg and the path of its foot [m]", aspect="equal")
    height.set(xlabel=f"way in {SECONDS:g} s [m]", title="Height of the frame [mm]")
    height.legend()
    return figure


def _lean(orientations: np.ndarray) -> np.ndarray:
    """Angle between the z axis of a body and the vertical [°]; quaternions w, x, y, z."""
    x, y = orientations[:, 1], orientations[:, 2]
    return np.degrees(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))


def _turning(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """One turn of a crank [s] and its angular velocity [rad/s], long after the start."""
    rate, *sines = (constant.value for constant in scene.constants)
    angle = np.linspace(0.0, 2.0 * math.pi, 300)
    uneven = sum(k * size * np.cos(k * angle) for k, size in enumerate(sines, start=1))
    return angle / rate, rate * (1.0 + uneven)


def _draw_leg(axes: Axes, bars: tuple, style: dict[str, str]) -> None:
    from jansen_walker import leg

    points = leg(0.3, bars)._asdict()
    for line in (
        ("pin", "top", "hip", "ankle", "foot", "knee", "pin"),
        ("top", "pivot", "hip"),
        ("pivot", "knee", "ankle"),
    ):
        axes.plot(*np.array([points[name] for name in line]).T, "o-", ms=3, lw=1, **style)
    turn = np.linspace(0.0, 2.0 * math.pi, 200)
    axes.plot(*np.array([leg(float(angle), bars).foot for angle in turn]).T, lw=2, **style)


if __name__ == "__main__":
    draw = {"gait": draw_gait, "legs": draw_legs}[sys.argv[1]]
    draw(Path(sys.argv[2])).savefig(sys.argv[3], dpi=80)
