"""Meshes that collide: very many faces, parts that are not convex."""

import numpy as np
import pytest

from impulse_core.collision.large_hulls import large_convexity_defect, large_core, large_hull
from impulse_core.collision.polyhedra import convexity_defect, ellipsoid_core
from impulse_core.collision.shapes import GROUND, POLYHEDRON
from impulse_core.compile import SceneError
from impulse_core.geometry import PolygonMesh, convex_hull, polyhedron_mass_properties
from impulse_schema.models import Body, Geometry, Mesh
from tests.collision.solids import compiled
from tests.collision.test_compile_shapes import BALL, MESHES, shape_of, vertices_of


def bumpy_ball(rows, bumps):
    """Vertices and triangles of a ball of 4 rows² faces whose radius waves by this part."""
    polar = np.linspace(0, np.pi, rows + 1)[1:-1, None]
    azimuth = np.arange(2 * rows)[None, :] * np.pi / rows
    radius = 1.0 + bumps * np.cos(3 * azimuth) * np.sin(polar) ** 3
    circle = [np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth)]
    points = np.stack([radius * c for c in [*circle, np.cos(polar) + 0 * azimuth]], axis=-1)
    vertices = np.vstack([points.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
    number = np.arange((rows - 1) * 2 * rows).reshape(rows - 1, -1)
    beside = np.roll(number, -1, axis=1)
    north, south = np.full(2 * rows, len(vertices) - 2), np.full(2 * rows, len(vertices) - 1)
    quads = number[:-1], number[1:], beside[1:], beside[:-1]
    a, b, c, d = (quad.ravel() for quad in quads)
    return vertices, np.vstack(
        [
            np.column_stack([a, b, c]),
            np.column_stack([a, c, d]),
            np.column_stack([north, number[0], beside[0]]),
            np.column_stack([south, beside[-1], number[-1]]),
        ]
    )


def test_fine_cores_are_cores():
    """Edges, faces and neighbours of an ellipsoid are those that the slow way finds."""
    slow = ellipsoid_core((1.0, 2.0, 3.0))
    fast = large_core(slow.vertices, slow.face_vertex.reshape(-1, 3))

    def edges(core):
        return {
            tuple(sorted(ends)): frozenset(
                frozenset(core.face_vertex[3 * f : 3 * f + 3].tolist()) for f in faces
            )
            for ends, faces in zip(core.edge_vertex.tolist(), core.edge_face.tolist(), strict=True)
        }

    assert edges(fast) == edges(slow)
    for e, (tail, head) in enumerate(fast.edge_vertex):
        corners = fast.face_vertex[3 * fast.edge_face[e, 0] :][:3].tolist()
        assert corners[(corners.index(tail) + 1) % 3] == head, "left of the edge, from outside"
    np.testing.assert_allclose(fast.face_plane, slow.face_plane, atol=1e-14)
    for v in range(len(fast.vertices)):
        around = fast.vertex_edge[fast.vertex_edge_start[v] : fast.vertex_edge_start[v + 1]]
        assert sorted(around) == np.flatnonzero((fast.edge_vertex == v).any(axis=1)).tolist()
    for f in range(len(fast.face_plane)):
        for side in range(3):
            pair = {fast.face_vertex[3 * f + side], fast.face_vertex[3 * f + (side + 1) % 3]}
            assert pair == set(fast.edge_vertex[fast.face_edge[3 * f + side]].tolist())


@pytest.mark.parametrize("bumps", [0.3, 0.5])
def test_how_far_from_convex(bumps):
    """The few faces looked at tell nearly what all of them do."""
    vertices, triangles = bumpy_ball(20, bumps)
    exact = convexity_defect(PolygonMesh.from_rows(vertices, triangles))

    found = large_convexity_defect(vertices, triangles)

    assert 0.8 * exact.amount <= found.amount <= exact.amount * (1.0 + 1e-12)


def test_one_dent_is_found():
    """A single vertex pushed in a hair's breadth, on a ball of 10 000 faces."""
    vertices, triangles = bumpy_ball(50, 0.0)
    assert large_convexity_defect(vertices, triangles).amount < 1e-14

    vertices[1234] *= 1.0 - 2e-2
    depth = convexity_defect(PolygonMesh.from_rows(vertices, triangles)).amount

    assert 0.9 * depth <= large_convexity_defect(vertices, triangles).amount <= depth


def test_a_hull_of_few_corners_is_exact():
    """However many points lie inside."""
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.0, 1.0, (50_000, 3))
    corners = np.array([[x, y, z] for x in (-2, 2) for y in (-2, 2) for z in (-2, 2)], dtype=float)

    hull = large_hull(np.concatenate([points, corners]))

    assert hull.inside == 0.0
    assert {tuple(v) for v in hull.core.vertices} == {tuple(v) for v in corners}


def test_a_hull_of_many_corners_is_thinned():
    """It lies inside of the hull by no more than is said, about."""
    vertices, _ = bumpy_ball(130, 0.0)
    stretched = vertices * [1.0, 2.0, 5.0]

    hull = large_hull(stretched)

    heights = hull.core.face_plane[:, :3] @ stretched[::11].T - hull.core.face_plane[:, 3:]
    assert 1000 < len(hull.core.vertices) < 6200
    assert hull.inside == pytest.approx(heights.max(), rel=0.5)
    assert hull.inside < 0.01


def write_ply(path, vertices, triangles):
    """A binary file, from whole arrays."""
    header = (
        "ply\nformat binary_little_endian 1.0\n"
        f"element vertex {len(vertices)}\nproperty double x\nproperty double y\nproperty double z\n"
        f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    faces = np.zeros(len(triangles), dtype=[("corners", "u1"), ("vertices", "<i4", 3)])
    faces["corners"], faces["vertices"] = 3, triangles
    path.write_bytes(header.encode() + vertices.astype("<f8").tobytes() + faces.tobytes())


@pytest.fixture
def million(tmp_path):
    """Writes a mesh of a million faces and gives a scene in which it collides."""

    def scene(bumps, shape, motion):
        vertices, triangles = bumpy_ball(500, bumps)
        assert len(triangles) == 998_000
        write_ply(tmp_path / "fine.ply", vertices, triangles)
        mass = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)} if motion == "dynamic" else {}
        mesh = Mesh(name="fine", file="fine.ply")
        solid = Geometry(shape=shape, mesh="fine")
        return [Body(name="it", motion=motion, geometry=[solid], **mass), BALL], mesh

    return scene


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["mesh", "convex_hull"])
def test_a_million_faces_are_said(million, shape, monkeypatch, tmp_path):
    """With the number of corners and what would be better."""
    monkeypatch.chdir(tmp_path)
    bodies, mesh = million(0.0, shape, "dynamic")

    made = compiled(bodies, meshes=[mesh])

    (warning,) = [text for text in made.warnings if "'fine'" in text]
    assert made.shapes.kind[0] == POLYHEDRON
    corners = made.shapes.vertex_start[1]
    for text in ["998000 faces", f"{corners} corners", "simplified hull", 'role="collision"']:
        assert text in warning


@pytest.mark.slow
def test_a_million_faces_that_are_not_convex(million, monkeypatch, tmp_path):
    """Refused on a body that moves, as any other; ground where it stands."""
    monkeypatch.chdir(tmp_path)
    bodies, mesh = million(0.5, "mesh", "dynamic")
    with pytest.raises(SceneError, match=r"E604.*not convex"):
        compiled(bodies, meshes=[mesh])

    bodies, mesh = million(0.5, "mesh", "static")
    shapes = compiled(bodies, meshes=[mesh]).shapes
    assert shapes.kind[0] == GROUND
    assert len(shapes.kind) == 2 + 998_000


def test_decompose_names_the_extra(monkeypatch):
    """Without CoACD the error says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "coacd", None)

    with pytest.raises(
        SceneError, match=r"E605.*'ell'.*pip install 'impulse-dynamics\[decompose\]"
    ):
        shape_of(Geometry(shape="mesh", mesh="ell", decompose=True), motion="dynamic")


@pytest.mark.parametrize("motion", ["dynamic", "static"])
def test_a_mesh_is_split_on_request(motion):
    """An L becomes two boxes that fill it, the same in every run, and the report says so."""
    pytest.importorskip("coacd", reason="coacd is not installed")
    solid = Geometry(shape="mesh", mesh="ell", decompose=True)
    density = {"density": 1.0} if motion == "dynamic" else {}
    body = Body(name="it", motion=motion, geometry=[solid], **density)

    first, second = (compiled([body, BALL], meshes=MESHES) for _ in range(2))

    shapes = first.shapes
    parts = [vertices_of(shapes, s) for s in range(shapes.sought) if shapes.owner[s] == 0]
    assert len(parts) == 2
    assert set(shapes.kind.tolist()) == {POLYHEDRON}
    volume = sum(polyhedron_mass_properties(convex_hull(part)).volume for part in parts)
    assert volume == pytest.approx(3.0, rel=1e-3)
    assert any("'ell' is split into 2 convex parts" in text for text in first.warnings)
    np.testing.assert_array_equal(shapes.vertex, second.shapes.vertex)


def test_a_convex_mesh_needs_no_splitting():
    """decompose is there for when it is needed: CoACD is not asked."""
    shapes = shape_of(Geometry(shape="mesh", mesh="cube", decompose=True), motion="dynamic")

    assert shapes.kind[0] == POLYHEDRON
    assert shapes.vertex_start[1] == 8
