"""check_mesh: every kind of defect, by name and place; PolygonMesh itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.geometry import PolygonMesh, check_mesh, polyhedron_mass_properties

from .solids import box_mesh, joined, prism, random_hull, rotation_about, tetrahedron


def kinds(mesh):
    return [defect.kind for defect in check_mesh(mesh)]


def only_defect(mesh):
    (defect,) = check_mesh(mesh)
    return defect


def with_faces(mesh, faces):
    return PolygonMesh.from_faces(mesh.vertices, faces)


@pytest.mark.parametrize(
    "mesh",
    [
        box_mesh((1.0, 2.0, 3.0)),
        box_mesh((1.0, 2.0, 3.0), (1e5, 0.0, 0.0)),
        tetrahedron(1.0, 2.0, 3.0)[0],
        prism([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 1.0),
        joined(box_mesh(), box_mesh(middle=(3.0, 0.0, 0.0))),
        joined(box_mesh((4.0, 4.0, 4.0)), box_mesh().flipped()),
        joined(box_mesh((4.0, 4.0, 4.0)), box_mesh((2.0, 2.0, 2.0)).flipped(), box_mesh()),
    ],
    ids=["box", "far", "tetrahedron", "l", "two", "cavity", "nested"],
)
def test_sound_solids_have_no_defect(mesh):
    """Convex or not, in one or several shells, with a cavity and a solid in it: all fine."""
    assert check_mesh(mesh) == []


@given(st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_hulls_have_no_defect(seed):
    """Random convex hulls are sound, and inside out once flipped."""
    mesh = random_hull(np.random.default_rng(seed), 15)

    assert kinds(mesh) == []
    assert kinds(mesh.flipped()) == ["inside-out"]
    assert only_defect(mesh.flipped()).flip_repairs


class TestEdges:
    def test_missing_face(self):
        """The four edges around a missing face are named with face and coordinates."""
        box = box_mesh((2.0, 2.0, 2.0))

        defect = only_defect(with_faces(box, box.faces()[1:]))

        assert (defect.kind, defect.count, defect.fatal) == ("open", 4, True)
        assert set(defect.edges) == {(0, 1), (1, 3), (2, 3), (0, 2)}
        assert "edge 0-1 from (-1, -1, -1) to (-1, -1, 1) of face 1" in defect.message
        assert defect.message.endswith("; and 1 more.")
        assert "fill the hole" in defect.remedy

    def test_vertices_not_shared(self):
        """Faces with vertices of their own: the remedy is to merge, not to fill."""
        box = box_mesh()
        soup = PolygonMesh.from_rows(box.vertices[box.corners], np.arange(24).reshape(6, 4))

        defect = only_defect(soup)

        assert (defect.kind, defect.count) == ("open", 24)
        assert "merge them" in defect.remedy

    def test_face_turned_around(self):
        """One face the wrong way round: its edges are used twice in the same direction."""
        box = box_mesh()
        faces = box.faces()
        faces[2] = faces[2][::-1]

        defect = only_defect(with_faces(box, faces))

        assert (defect.kind, defect.count, defect.fatal) == ("inconsistent", 4, True)
        assert "used in the same direction by faces 0 and 2" in defect.message

    def test_cubes_that_share_an_edge(self):
        """Two cubes that touch along an edge they share: four faces on one edge."""
        left, right = box_mesh(middle=(0.5, 0.5, 0.5)), box_mesh(middle=(-0.5, -0.5, 0.5))
        moved = [[{6: 0, 7: 1}.get(c, c + 8) for c in face] for face in right.faces()]
        vertices = np.vstack([left.vertices, right.vertices])

        defect = only_defect(PolygonMesh.from_faces(vertices, left.faces() + moved))

        assert (defect.kind, defect.edges, defect.fatal) == ("non-manifold", ((0, 1),), True)
        assert "belongs to 4 faces" in defect.message

    def test_inner_wall(self):
        """A wall inside a box puts three faces on each of its edges."""
        box = box_mesh()
        mesh = with_faces(box, [*box.faces(), [0, 1, 7, 6]])

        assert set(kinds(mesh)) == {"non-manifold", "open"}
        assert {d.kind: d.edges for d in check_mesh(mesh)}["non-manifold"] == ((0, 1), (6, 7))


class TestNumbers:
    def test_no_faces(self):
        """Vertices alone are no solid."""
        assert kinds(PolygonMesh.from_faces([[0, 0, 0]], [])) == ["empty"]

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -1e60])
    def test_bad_coordinate(self, bad):
        """The vertex is named."""
        vertices = box_mesh().vertices.copy()
        vertices[5, 1] = bad

        defect = only_defect(with_faces(PolygonMesh.from_faces(vertices, []), box_mesh().faces()))

        assert (defect.kind, defect.count) == ("non-finite", 1)
        assert "vertex 5 is (0.5, " in defect.message

    @pytest.mark.parametrize("bad", [-1, 8])
    def test_missing_vertex(self, bad):
        """Face and vertex are named; negative numbers do not count from the end."""
        faces = box_mesh().faces()
        faces[3][2] = bad

        defect = only_defect(with_faces(box_mesh(), faces))

        assert (defect.kind, defect.faces) == ("missing-vertex", (3,))
        assert f"face 3 names vertex {bad}" in defect.message


class TestFaces:
    def test_collapsed_faces(self):
        """Faces that repeat a vertex, have two corners or no area are named but not fatal."""
        box = box_mesh()
        faces = [*box.faces(), [0, 1, 1], [0, 1], [3]]

        defect = only_defect(with_faces(box, faces))

        assert (defect.kind, defect.faces, defect.fatal) == ("degenerate", (6, 7, 8), False)
        assert "face 6 [0, 1, 1] repeats a vertex; face 7 has 2 corners" in defect.message
        assert polyhedron_mass_properties(with_faces(box, faces)).volume == 1.0

    def test_triangle_without_area(self):
        """A T-junction closed by a triangle on a line: degenerate, and the volume is right."""
        box = box_mesh()
        vertices = np.vstack([box.vertices, 0.5 * (box.vertices[0] + box.vertices[1])])
        faces = [*box.faces(), [0, 1, 8]]
        faces[0] = [0, 8, 1, 3, 2]
        mesh = PolygonMesh.from_faces(vertices, faces)

        assert [defect.kind for defect in check_mesh(mesh)] == ["degenerate"]
        assert abs(polyhedron_mass_properties(mesh).volume - 1.0) <= 1e-15

    def test_bent_polygon(self):
        """A corner that leaves the plane: face, size and deviation are given; not fatal."""
        vertices = box_mesh().vertices.copy()
        vertices[7, 2] += 0.001
        bent = PolygonMesh.from_faces(vertices, box_mesh().faces())

        defect = only_defect(bent)

        assert (defect.kind, defect.fatal) == ("non-planar", False)
        assert defect.faces == (5,)
        assert "size 1.41 m, is off by 0.00025 m" in defect.message

    def test_single_precision_is_planar(self):
        """Rounding the vertices of a rotated box to single precision bends nothing."""
        mesh = box_mesh((1.0, 2.0, 3.0)).transformed(rotation_about([1, 2, 3], 1.0), (5, 5, 5))
        rounded = mesh.vertices.astype(np.float32)

        assert kinds(PolygonMesh(rounded, mesh.corners, mesh.offsets)) == []


class TestVolume:
    def test_flat_solid(self):
        """Two coincident faces enclose nothing."""
        vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]

        defect = only_defect(PolygonMesh.from_faces(vertices, [[0, 1, 2], [2, 1, 0]]))

        assert (defect.kind, defect.fatal) == ("zero-volume", True)

    def test_thin_plate_is_fine(self):
        """A micrometre of thickness on a metre is a volume."""
        assert kinds(box_mesh((1.0, 1.0, 1e-6))) == []

    def test_inside_out(self):
        """A flipped mesh is fixable, and says so; flipping it again repairs it."""
        mesh = box_mesh((1.0, 2.0, 3.0)).flipped()

        defect = only_defect(mesh)

        assert defect.kind == "inside-out"
        assert str(defect) == (
            "The mesh is turned inside out: its volume is -6 m^3. Fixable: flip all faces (in"
            " Blender: Recalculate Outside)."
        )
        assert defect.flip_repairs
        assert kinds(mesh.flipped()) == []

    def test_inside_out_with_cavity(self):
        """All shells the wrong way round are one defect with one remedy."""
        mesh = joined(box_mesh((4.0, 4.0, 4.0)), box_mesh().flipped())

        assert only_defect(mesh.flipped()).flip_repairs

    def test_cavity_that_faces_outwards(self):
        """A cavity wound like a solid would count twice: its faces are named."""
        mesh = joined(box_mesh((4.0, 4.0, 4.0)), box_mesh())

        defect = only_defect(mesh)

        assert (defect.kind, defect.faces) == ("inside-out", tuple(range(6, 12)))
        assert "lies inside another shell and faces outwards" in defect.message
        assert not defect.flip_repairs

    def test_one_of_two_solids_inside_out(self):
        """The shell at fault is named, although the volume of all is positive."""
        mesh = joined(box_mesh((2.0, 2.0, 2.0)), box_mesh(middle=(5.0, 0.0, 0.0)).flipped())

        defect = only_defect(mesh)

        assert (defect.kind, defect.faces) == ("inside-out", tuple(range(6, 12)))

    def test_ball_in_a_bowl(self):
        """A box in the notch of an L lies in the other's bounding box, but not inside it."""
        notched = prism([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], 3.0)

        assert kinds(joined(notched, box_mesh(middle=(2.0, 2.0, 1.5)))) == []


class TestPolygonMesh:
    def test_flipping_twice_changes_nothing(self):
        """Every polygon is reversed, whatever its number of corners."""
        mesh = prism([(0, 0), (2, 0), (2, 1), (1, 2), (0, 1)], 1.0)

        assert [face[::-1] for face in mesh.faces()] == mesh.flipped().faces()
        assert mesh.flipped().flipped().faces() == mesh.faces()

    def test_mirrored_mesh_stays_outside_out(self):
        """A negative determinant turns the faces around."""
        assert kinds(box_mesh().transformed(np.diag([1.0, -2.0, 1.0]), (1, 2, 3))) == []

    @pytest.mark.parametrize(
        ("vertices", "corners", "offsets"),
        [
            ([[0, 0]], [0], [0, 1]),
            ([[0, 0, 0]], [0], [0, 2]),
            ([[0, 0, 0]], [0], []),
            ([[0, 0, 0]], [0, 0], [0, 3, 2]),
            ([[0, 0, 0]], [[0]], [0, 1]),
        ],
    )
    def test_arrays_that_do_not_fit(self, vertices, corners, offsets):
        """Shapes and offsets that contradict each other are refused at once."""
        with pytest.raises(ValueError, match="must"):
            PolygonMesh(vertices, corners, offsets)
