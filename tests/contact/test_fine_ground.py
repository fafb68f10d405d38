"""Bodies on grounds whose triangles are as small as the way of a step: how far they are in the
ground is told from heights and poses alone.
"""

from __future__ import annotations

import numpy as np
import pytest

from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import quaternion_to_matrix
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Material, Mesh

ALLOWED = 1e-4  # m; where a triangle is missed it is a hundred times as much
CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])


class Hills:
    """Hills on a square around the origin, and cubes that fall on them.

    Args:
        cells: along each edge.
        size: of an edge [m].
        slope: the steepest, roughly.
        phase: where the hills are [rad].
    """

    def __init__(self, cells: int, size: float, slope: float, phase: float) -> None:
        self.cells, self.size = cells, size
        at = np.linspace(-size / 2, size / 2, cells + 1)
        self.x, self.y = np.meshgrid(at, at)
        waves = np.sin(2.1 * self.x + phase) * np.cos(1.6 * self.y) / 2.6
        self.heights = slope * (waves + np.sin(5.3 * self.x + 3.9 * self.y + phase) / 13.0)

    def field(self) -> Geometry:
        """As a height field."""
        return Geometry(
            shape="height_field",
            size=(self.size, self.size, 1.0),
            heights=self.heights.tolist(),
            material="rough",
        )

    def mesh(self) -> Mesh:
        """As a mesh of the same triangles."""
        corner = np.arange(self.x.size).reshape(self.x.shape)
        a, b = corner[:-1, :-1].ravel(), corner[:-1, 1:].ravel()
        c, d = corner[1:, 1:].ravel(), corner[1:, :-1].ravel()
        points = np.stack([self.x.ravel(), self.y.ravel(), self.heights.ravel()], axis=1)
        return Mesh(
            name="hills",
            vertices=[tuple(point) for point in points.tolist()],
            faces=np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).tolist(),
        )

    def below(self, points: np.ndarray) -> float:
        """How far these points are below the ground at most [m], measured upwards."""
        u = (points[:, :2] + self.size / 2) / self.size * self.cells
        i, j = np.clip(np.floor(u).astype(int), 0, self.cells - 1).T
        across, up = (u - np.stack([i, j], axis=1)).T
        z = self.heights
        first = (z[j, i + 1] - z[j, i]) * across + (z[j + 1, i + 1] - z[j, i + 1]) * up
        second = (z[j + 1, i + 1] - z[j + 1, i]) * across + (z[j + 1, i] - z[j, i]) * up
        height = z[j, i] + np.where(across >= up, first, second)
        return float((height - points[:, 2]).max())

    def within(self, place: np.ndarray, R: np.ndarray, half: float) -> float:
        """How far the ground's deepest corner is inside a cube [m]."""
        near = np.hypot(self.x - place[0], self.y - place[1]) < 2.0 * half
        corners = np.stack([self.x[near], self.y[near], self.heights[near]], axis=1)
        return float((half - np.abs((corners - place) @ R)).min(axis=1).max(initial=0.0))

    def with_cubes(self, places: np.ndarray, edge: float, as_mesh: bool) -> Scene:
        """Cubes at these centres, axis-aligned and at rest."""
        solid = Geometry(shape="mesh", mesh="hills", material="rough") if as_mesh else self.field()
        box = Geometry(shape="box", size=(edge, edge, edge), material="rough")
        cubes = [
            Body(name=f"cube-{k}", position=tuple(place), density=1000.0, geometry=[box])
            for k, place in enumerate(places.tolist())
        ]
        return Scene(
            version=1,
            materials=[Material(name="rough", static_friction=0.6)],
            meshes=[self.mesh()] if as_mesh else [],
            bodies=[Body(name="ground", motion="static", geometry=[solid]), *cubes],
        )

    def deepest(self, made: Scene, edge: float, step: float, duration: float) -> float:
        """The largest overlap of a cube and the ground at the end of a step [m]."""
        compiled = compile_scene(made)
        engine = Engine(compiled, choose_options(compiled, step=step))
        engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
        most = 0.0
        for taken in range(round(duration / step)):
            assert engine.advance(step, 1, taken), engine.failure(taken * step, step)["message"]
            for body in engine.state.bodies[: engine.model.dynamic]:
                place, R = body["position"], quaternion_to_matrix(body["orientation"])
                corners = place + 0.5 * edge * CORNERS @ R.T
                most = max(most, self.below(corners), self.within(place, R, 0.5 * edge))
        return most


def test_a_corner_meets_the_triangle_in_its_way():
    """A cube falls by half the width of a triangle in a step, upright, with a corner on a slope. At
    the start of the step the nearest triangle, which tells of those around it, is beside its way.
    """
    hills = Hills(90, 3.0, 1.0, 0.4)
    made = hills.with_cubes(np.array([[0.02, 0.72, 1.2]]), 0.5, False)

    assert hills.deepest(made, 0.5, 0.005, 0.45) <= ALLOWED


@pytest.mark.parametrize("seed", range(5))
def test_cubes_that_tumble_on_hills(seed):
    """Other triangles, slopes, cubes and steps, as a height field and as a mesh: no cube gets into
    the ground, and no run fails.
    """
    random = np.random.default_rng(seed)
    edge, slope = random.uniform(0.2, 0.5), random.uniform(0.3, 1.2)
    hills = Hills(int(random.integers(60, 160)), 4.0, slope, random.uniform(0.0, 6.0))
    x, y = np.meshgrid([-0.9, 0.0, 0.9], [-0.9, 0.0, 0.9])
    places = np.stack([x.ravel(), y.ravel(), np.full(9, 1.3)], axis=1)
    places[:, :2] += random.uniform(-0.1, 0.1, (9, 2))
    made = hills.with_cubes(places, edge, seed % 2 == 1)

    assert hills.deepest(made, edge, random.choice([0.002, 0.005, 0.008]), 0.6) <= ALLOWED
