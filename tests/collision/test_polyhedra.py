"""Tables of features: they fit together, hulls have whole faces, dents are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.collision.polyhedra import (
    Core,
    CoreError,
    box_core,
    cone_core,
    convexity_defect,
    core_of_hull,
    core_tables,
    cylinder_core,
    ellipsoid_core,
    empty_core,
    hull_core,
    point_core,
    segment_core,
    stacked,
    triangle_core,
)
from impulse_core.geometry import PolygonMesh, convex_hull

from .pieces import matrices

SOLIDS = {
    "box": (box_core((1.0, 2.0, 3.0)), 8, 12, 6),
    "cylinder": (cylinder_core(0.5, 1.0), 64, 96, 34),
    "cone": (cone_core(0.5, 1.0), 33, 64, 33),
    "ellipsoid": (ellipsoid_core((1.0, 0.5, 0.3)), 162, 480, 320),
    "triangle": (triangle_core((0, 0, 0), (1, 0, 0), (0, 1, 0)), 3, 3, 2),
}


def _check(core: Core) -> None:
    """What V-Clip and the clipping of polygons take for granted."""
    corners, start = core.face_vertex, core.face_corner_start
    heights = core.vertices @ core.face_plane[:, :3].T - core.face_plane[:, 3]
    assert heights.max() <= 1e-15 * np.abs(core.vertices).max()
    for f in range(len(core.face_plane)):
        face = corners[start[f] : start[f + 1]]
        assert len(face) >= 3
        for tail, head, e in zip(
            face, np.roll(face, -1), core.face_edge[start[f] : start[f + 1]], strict=True
        ):
            along = [tail, head] == core.edge_vertex[e].tolist()
            assert along or [head, tail] == core.edge_vertex[e].tolist()
            assert core.edge_face[e, 0 if along else 1] == f
            # the face lies to the left, seen from outside
            inwards = np.cross(core.face_plane[f, :3], core.vertices[head] - core.vertices[tail])
            assert (core.vertices[face] - core.vertices[tail]).mean(axis=0) @ inwards > 0.0
    for v in range(len(core.vertices)):
        at = core.vertex_edge[core.vertex_edge_start[v] : core.vertex_edge_start[v + 1]]
        assert sorted(at) == np.flatnonzero((core.edge_vertex == v).any(axis=1)).tolist()


@pytest.mark.parametrize("name", SOLIDS)
def test_features_of_primitives(name):
    """Numbers of vertices, edges and faces, and tables that agree with each other."""
    core, vertices, edges, faces = SOLIDS[name]

    assert (len(core.vertices), len(core.edge_vertex), len(core.face_plane)) == (
        vertices,
        edges,
        faces,
    )
    _check(core)


@given(st.integers(0, 2**32), st.integers(4, 80))
def test_hulls_of_points(seed, count):
    """Closed convex tables that hold all points."""
    points = np.random.default_rng(seed).normal(size=(count, 3))

    core = hull_core(points)

    _check(core)
    assert len(core.vertices) - len(core.edge_vertex) + len(core.face_plane) == 2
    heights = points @ core.face_plane[:, :3].T - core.face_plane[:, 3]
    assert heights.max() <= 1e-12


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@given(seed=st.integers(0, 2**32))
def test_walls_of_triangles_are_one_face(seed, precision):
    """A box given as a cloud of points on its surface, turned anyhow, has six faces."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.2, 5.0, 3)
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 4)] * 3), axis=-1).reshape(-1, 3)
    q = rng.normal(size=4)
    points = (size * grid) @ matrices(q / np.linalg.norm(q)).T

    core = hull_core(points.astype(precision))

    assert (len(core.vertices), len(core.edge_vertex), len(core.face_plane)) == (8, 12, 6)
    lengths = np.linalg.norm(np.diff(core.vertices[core.edge_vertex], axis=1)[:, 0], axis=1)
    np.testing.assert_allclose(np.sort(lengths), np.repeat(np.sort(size), 4), rtol=1e-6)


def test_cylinder_from_its_triangles():
    """Hull of a prism's corners: two ends of 32 corners and 32 walls."""
    core = hull_core(cylinder_core(0.5, 1.0).vertices)

    assert sorted(np.diff(core.face_corner_start).tolist()) == [4] * 32 + [32] * 2


@pytest.mark.parametrize("count", [4, 12, 40, 200])
@pytest.mark.parametrize("seed", range(5))
def test_stones_have_a_face_for_each_plane(seed, count):
    """Cut from a cube by planes at a distance of one, with more points strewn over its faces: each
    plane is one face, and only the corners where planes meet are corners.
    """
    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(count, 3))
    normals = np.vstack([normals / np.linalg.norm(normals, axis=1)[:, None], np.eye(3), -np.eye(3)])
    polar = hull_core(normals)  # its faces are the corners of the stone, its corners the planes
    corners = polar.face_plane[:, :3] / polar.face_plane[:, 3:]
    assert len(polar.face_vertex) == 3 * len(corners)
    strewn = []
    for vertex in range(len(normals)):
        of_face = corners[polar.edge_face[(polar.edge_vertex == vertex).any(axis=1)].reshape(-1)]
        strewn.append(rng.dirichlet(np.ones(len(of_face)), size=5) @ of_face)

    core = hull_core(rng.permutation(np.concatenate([corners, *strewn])))

    _check(core)
    assert len(core.vertices) == len(corners)
    assert len(core.face_plane) == len(normals)
    np.testing.assert_allclose(core.face_plane[:, 3], 1.0, rtol=1e-9)


@pytest.mark.parametrize("rings", [3, 8, 30])
@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_turned_parts_have_quadrilaterals_and_two_ends(rings, turn):
    """Rings of points around an axis: four corners each, but for the ends."""
    around = 2.0 * np.pi / rings * np.arange(rings)
    along = np.linspace(-1.0, 1.0, rings)
    radius = np.sqrt(1.1 - along**2)
    circle = np.column_stack([np.cos(around), np.sin(around)])
    points = np.concatenate(
        [np.insert(r * circle, 2, z, axis=1) for r, z in zip(radius, along, strict=True)]
    )
    q = np.array([np.cos(turn / 2), np.sin(turn / 2), 0.0, 0.0])

    core = hull_core(points @ matrices(q).T)

    _check(core)
    counts = np.diff(core.face_corner_start)
    assert len(counts) == rings * (rings - 1) + 2
    assert np.count_nonzero(counts == rings) >= 2
    assert set(counts.tolist()) == {4, rings}


@pytest.mark.parametrize("thickness", [1e-6, 1e-7, 1e-9])
@pytest.mark.parametrize("seed", range(5))
def test_hulls_thinner_than_uneven_walls(seed, thickness):
    """Where all triangles lie in one plane but for what a wall may be uneven, they all stay."""
    points = np.random.default_rng(seed).normal(size=(40, 3)) * (1.0, 1.0, thickness)

    core = hull_core(points)

    assert len(core.vertices) - len(core.edge_vertex) + len(core.face_plane) == 2
    heights = points @ core.face_plane[:, :3].T - core.face_plane[:, 3]
    assert heights.max() <= 1e-14


def test_open_surfaces_are_no_hulls():
    """A hull without one of its triangles is refused."""
    hull = convex_hull(np.random.default_rng(1).normal(size=(20, 3)))
    torn = PolygonMesh.from_rows(hull.vertices, hull.corners.reshape(-1, 3)[1:])

    with pytest.raises(CoreError, match="not a closed surface"):
        core_of_hull(torn)


def _mesh(core: Core, vertices) -> PolygonMesh:
    return PolygonMesh(vertices, core.face_vertex, core.face_corner_start)


def test_convex_meshes_are_taken_as_they_are():
    """No defect, and the faces of the mesh."""
    box = box_core((1.0, 2.0, 3.0))
    mesh = _mesh(box, box.vertices)

    assert convexity_defect(mesh).amount == 0.0
    assert len(core_tables(mesh).face_plane) == 6


def test_dents_are_named():
    """The error says which vertex stands above which face, and by how much."""
    box = box_core((1.0, 2.0, 3.0))
    vertices = box.vertices.copy()
    vertices[7] *= 0.5  # its neighbours now stand above its faces
    mesh = _mesh(box, vertices)

    defect = convexity_defect(mesh)

    assert defect.amount > 0.2
    x, y, z = defect.place
    np.testing.assert_array_equal(defect.place, vertices[defect.vertex])
    with pytest.raises(CoreError, match=rf"vertex {defect.vertex} at \({x:g}, {y:g}, {z:g}\) lies"):
        core_tables(mesh)


def test_defect_is_a_height():
    """A corner of an L-shaped prism stands above the wall of the notch by its depth."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    vertices = np.vstack([np.column_stack([outline, np.full(6, z)]) for z in (0.0, 1.0)])
    walls = [[i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i] for i in range(6)]
    mesh = PolygonMesh.from_faces(vertices, [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *walls])

    assert convexity_defect(mesh).amount == pytest.approx(1.0, rel=1e-15)


def test_numbers_of_stacked_cores():
    """Tables of several shapes count through all of them, shapes without features included."""
    cores = [box_core((1, 1, 1)), empty_core(), point_core(), segment_core(1.0), SOLIDS["cone"][0]]

    tables = stacked(cores)

    assert tables["vertex_start"].tolist() == [0, 8, 8, 9, 11, 44]
    assert tables["edge_start"].tolist() == [0, 12, 12, 12, 13, 77]
    assert tables["face_start"].tolist() == [0, 6, 6, 6, 6, 39]
    assert tables["edge_face"][12].tolist() == [-1, -1]
    for name in ("edge_vertex", "face_vertex"):
        assert tables[name].max() == 43
    cone = cores[-1]
    np.testing.assert_array_equal(tables["vertex"][11:], cone.vertices)
    np.testing.assert_array_equal(tables["edge_face"][13:], cone.edge_face + 6)
    first = tables["vertex_edge_start"][11 + 32]
    assert tables["vertex_edge"][first:].tolist() == (cone.vertex_edge[-32:] + 13).tolist()


def test_moving_a_core():
    """Vertices and planes of a core in another frame."""
    q = np.array([0.5, 0.5, -0.5, 0.5])
    core = box_core((1.0, 2.0, 3.0)).moved(matrices(q), (1.0, 2.0, 3.0))

    np.testing.assert_allclose(core.vertices.mean(axis=0), (1.0, 2.0, 3.0))
    _check(core)


def test_flat_triangles_are_refused():
    """Corners on a line make no face."""
    with pytest.raises(CoreError, match="on a line"):
        triangle_core((0, 0, 0), (1, 1, 1), (2, 2, 2))
