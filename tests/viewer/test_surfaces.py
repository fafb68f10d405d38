"""What is drawn is what the scene says: its measures, and where a ray meets it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_cli.viewer.surfaces import Surfaces
from impulse_core.geometry.rotations import rotated
from impulse_schema import Body, Geometry, Mesh, Scene

CORNERS = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.0)]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
VOLUMES = {
    "box": ({"size": (1.0, 2.0, 3.0)}, 6.0, 1e-12),
    "sphere": ({"radius": 0.5}, math.pi / 6, 0.02),
    "ellipsoid": ({"size": (1.0, 2.0, 3.0)}, math.pi, 0.02),
    "cylinder": ({"radius": 0.5, "height": 2.0}, math.pi / 2, 0.01),
    "cone": ({"radius": 0.5, "height": 3.0}, math.pi / 4, 0.01),
    "torus": ({"major_radius": 2.0, "minor_radius": 0.5}, math.pi**2, 0.04),
    "mesh": ({"mesh": "tetrahedron"}, 8 / 6, 1e-12),
    "convex_hull": ({"mesh": "tetrahedron"}, 8 / 6, 1e-12),
}


def scene_with(**geometry: Any) -> Scene:
    """A scene of one solid, and a mesh that it may be of."""
    mesh = Mesh(name="tetrahedron", vertices=CORNERS, faces=FACES)
    body = Body(name="b", mass=1.0, geometry=[Geometry(**geometry)])
    return Scene(version=1, meshes=[mesh], bodies=[body])


def triangles_of(scene: Scene) -> list[Any]:
    """Of each piece of the solid its triangles where they are drawn, shape (F, 3, 3)."""
    surfaces, found = Surfaces(scene), []
    for copy in surfaces.copies(scene.bodies[0].geometry[0]):
        surface = surfaces.surface(copy.surface)
        points = rotated(np.array(copy.orientation), surface.vertices * copy.scale) + copy.position
        found.append(points[surface.faces])
    return found


def volume_of(triangles: Any) -> float:
    """Enclosed by triangles that look outwards."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("shape", VOLUMES)
def test_shapes_have_their_volume(shape: str) -> None:
    """Closed, outwards, and as large as the shape: what is round is inscribed."""
    measures, volume, tolerance = VOLUMES[shape]

    (triangles,) = triangles_of(scene_with(shape=shape, **measures))

    assert (1.0 - tolerance) * volume <= volume_of(triangles) <= (1.0 + 1e-12) * volume


def test_a_capsule_is_a_cylinder_between_two_balls() -> None:
    """It reaches as far as its radius and half its height along its axis."""
    points = np.concatenate(triangles_of(scene_with(shape="capsule", radius=0.5, height=2.0)))

    assert points[..., 2].max() == pytest.approx(1.5)
    assert points[..., 2].min() == pytest.approx(-1.5)
    assert np.abs(points[..., 0]).max() == pytest.approx(0.5, rel=0.01)


def test_a_mirrored_mesh_is_its_mirror_image() -> None:
    """Scaled and mirrored, and still looking outwards."""
    scene = scene_with(shape="mesh", mesh="tetrahedron")
    scene.meshes[0].scale, scene.meshes[0].mirror = 0.5, "x"

    (triangles,) = triangles_of(scene)

    assert volume_of(triangles) == pytest.approx(1 / 6)
    assert triangles[..., 0].min() == -1.0
    assert triangles[..., 0].max() == 0.0


@pytest.mark.parametrize(("diagonal", "middle"), [("rising", 0.0), ("falling", 1.0)])
def test_cells_of_a_height_field_are_divided_as_it_says(diagonal: str, middle: float) -> None:
    """Between two raised corners is a ridge along one diagonal, a valley along the other."""
    heights = [[0.0, 1.0], [1.0, 0.0]]
    scene = scene_with(shape="height_field", size=(2, 2, 1), heights=heights, diagonal=diagonal)
    surfaces = Surfaces(scene)
    (copy,) = surfaces.copies(scene.bodies[0].geometry[0])
    surface = surfaces.surface(copy.surface)

    above = np.array([1e-9, 2e-9, 10.0])
    assert 10.0 - surface.hit(above, np.array([0.0, 0.0, -1.0])) == pytest.approx(middle, abs=1e-6)


@given(st.floats(-0.8, 0.8), st.floats(-0.8, 0.8))
def test_a_ray_meets_a_box_at_its_near_face(y: float, z: float) -> None:
    """From 5 m away along x, at 4 m; backwards and past it, not at all."""
    surfaces = Surfaces(scene_with(shape="box", size=(1.0, 1.0, 1.0)))
    list(surfaces.copies(Geometry(shape="box", size=(1.0, 1.0, 1.0))))
    box = surfaces.surface("box")
    origin, forwards = np.array([-4.5, y, z]), np.array([2.0, 0.0, 0.0])
    is_met = max(abs(y), abs(z)) < 0.5

    assert box.hit(origin, -forwards) == np.inf
    if is_met:
        assert box.hit(origin, forwards) == pytest.approx(2.0)
    elif max(abs(y), abs(z)) > 0.5:
        assert box.hit(origin, forwards) == np.inf
