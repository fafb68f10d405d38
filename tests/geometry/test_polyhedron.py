"""Mirtich's integrals against closed forms, invariances and trimesh."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.geometry import (
    MassProperties,
    MassPropertiesError,
    PolygonMesh,
    box_mass_properties,
    combine,
    polyhedron_mass_properties,
)

from .solids import (
    assert_same,
    box_mesh,
    fans,
    joined,
    prism,
    random_hull,
    rotation_about,
    tetrahedron,
)

L_OUTLINE = [(0, 0), (0.5, 0), (0.5, 0.125), (0.125, 0.125), (0.125, 0.75), (0, 0.75)]


def l_beam():
    """L-shaped caps of six corners; the closed form is that of two boxes."""
    foot = box_mass_properties((0.5, 0.125, 2.0)).transformed(translation=(0.25, 0.0625, 1.0))
    leg = box_mass_properties((0.125, 0.625, 2.0)).transformed(translation=(0.0625, 0.4375, 1.0))
    return prism(L_OUTLINE, 2.0), combine([foot, leg])


def box_with_cavity():
    """A box with a cubic cavity off its middle; second moments are differences."""
    outer = box_mass_properties((2.0, 3.0, 4.0))
    at = np.array([0.25, -0.5, 0.75])
    inner = box_mass_properties((1.0, 1.0, 1.0)).transformed(translation=at)
    volume = outer.volume - inner.volume
    center = -inner.volume * at / volume
    inertia = outer.inertia_about(center) - inner.inertia_about(center)
    mesh = joined(box_mesh((2.0, 3.0, 4.0)), box_mesh(middle=at).flipped())
    return mesh, MassProperties(volume, volume, center, inertia)


CLOSED_FORMS = {
    "box": (box_mesh((1.0, 2.0, 3.0)), box_mass_properties((1.0, 2.0, 3.0))),
    "tetrahedron": tetrahedron(1.0, 2.0, 0.5),
    "l-beam": l_beam(),
    "cavity": box_with_cavity(),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize("scale", [2.0**-20, 1.0, 2.0**20])
@pytest.mark.parametrize("angle", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_closed_forms(name, scale, angle, shift):
    """Box, tetrahedron, L-beam and box with a cavity are right to 1e-12, however placed."""
    mesh, expected = CLOSED_FORMS[name]
    rotation = rotation_about([1.0, 2.0, -0.5], angle)
    translation = shift * scale * np.array([1.0, -2.0, 3.0])
    scaled = MassProperties(
        expected.mass * scale**3,
        expected.volume * scale**3,
        expected.center_of_mass * scale,
        expected.inertia * scale**5,
    )

    actual = polyhedron_mass_properties(mesh.transformed(scale * rotation, translation))

    assert_same(actual, scaled.transformed(rotation, translation), 1e-12, scale)


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_far_from_the_origin(name):
    """A solid 1e6 times its size away, at coordinates exact in binary, loses no digit."""
    mesh, expected = CLOSED_FORMS[name]
    far = np.array([2.0**20, -(2.0**21), 2.0**19])

    actual = polyhedron_mass_properties(mesh.transformed(np.eye(3), far))

    middle = MassProperties(actual.mass, actual.volume, actual.center_of_mass - far, actual.inertia)
    assert abs(actual.volume - expected.volume) <= 1e-15 * expected.volume
    assert np.max(np.abs(middle.center_of_mass - expected.center_of_mass)) <= 1e-9  # one ulp there
    assert np.max(np.abs(middle.inertia - expected.inertia)) <= 1e-14 * np.max(expected.inertia)


def test_agrees_with_trimesh():
    """1000 random convex hulls agree with trimesh to 1e-9."""
    rng = np.random.default_rng(20061)
    for _ in range(1000):
        mesh = random_hull(rng, int(rng.integers(4, 40)))
        other = trimesh.Trimesh(mesh.vertices, mesh.corners.reshape(-1, 3), process=False)
        reference = other.mass_properties
        expected = MassProperties(
            reference.mass, reference.volume, reference.center_mass, reference.inertia
        )

        actual = polyhedron_mass_properties(mesh)

        assert_same(actual, expected, 1e-9, np.max(np.ptp(mesh.vertices, axis=0)))


def star(radii):
    angles = 2 * np.pi * np.arange(len(radii)) / len(radii)
    return np.c_[np.cos(angles), np.sin(angles)] * np.asarray(radii)[:, None]


star_outlines = st.lists(st.floats(0.1, 2.0), min_size=5, max_size=12).map(star)
angles = st.floats(-3.0, 3.0)
axes = st.tuples(*[st.floats(0.1, 1.0)] * 3)


@given(star_outlines, angles, axes)
@settings(max_examples=100, deadline=None)
def test_polygons_equal_their_triangles(outline, angle, axis):
    """Polygons that are not convex give what their cut into triangles gives."""
    mesh = prism(outline, 1.5).transformed(rotation_about(axis, angle))

    as_polygons = polyhedron_mass_properties(mesh)
    as_triangles = polyhedron_mass_properties(fans(mesh))

    assert_same(as_polygons, as_triangles, 1e-12, 1.0)


@given(st.integers(0, 2**32), angles, axes, st.tuples(*[st.floats(-10, 10)] * 3))
@settings(max_examples=100, deadline=None)
def test_rigid_motion(seed, angle, axis, translation):
    """Moving the mesh and moving its mass properties are the same."""
    mesh = random_hull(np.random.default_rng(seed), 12)
    rotation = rotation_about(axis, angle)

    moved_mesh = polyhedron_mass_properties(mesh.transformed(rotation, translation))
    moved_body = polyhedron_mass_properties(mesh).transformed(rotation, translation)

    assert_same(moved_mesh, moved_body, 1e-11, 10.0)


@given(st.integers(0, 2**32), st.floats(0.01, 100.0), st.floats(0.1, 1e4))
@settings(max_examples=100, deadline=None)
def test_scaling(seed, scale, density):
    """Lengths times s and density times d: volume s^3, mass d s^3, inertia d s^5."""
    mesh = random_hull(np.random.default_rng(seed), 12)
    body = polyhedron_mass_properties(mesh)
    expected = MassProperties(
        density * scale**3 * body.mass,
        scale**3 * body.volume,
        scale * body.center_of_mass,
        density * scale**5 * body.inertia,
    )

    actual = polyhedron_mass_properties(mesh.transformed(scale * np.eye(3)), density)

    assert_same(actual, expected, 1e-12, 10.0 * scale)


def test_mirrored_mesh_keeps_its_volume():
    """A matrix with a negative determinant turns the faces around: the volume stays positive."""
    mesh, expected = tetrahedron(1.0, 2.0, 0.5)

    actual = polyhedron_mass_properties(mesh.transformed(np.diag([-1.0, 1.0, 1.0])))

    mirror = np.diag([-1.0, 1.0, 1.0])
    mirrored = MassProperties(
        expected.mass,
        expected.volume,
        mirror @ expected.center_of_mass,
        mirror @ expected.inertia @ mirror,
    )
    assert_same(actual, mirrored, 1e-14, 1.0)


def test_several_solids_in_one_mesh():
    """Shells side by side count as the combination of the two bodies."""
    left = box_mesh((1.0, 1.0, 2.0), (-3.0, 0.0, 0.0))
    right, right_body = tetrahedron(1.0, 2.0, 0.5)
    left_body = box_mass_properties((1.0, 1.0, 2.0)).transformed(translation=(-3.0, 0.0, 0.0))

    actual = polyhedron_mass_properties(joined(left, right))

    assert_same(actual, combine([left_body, right_body]), 1e-13, 1.0)


def test_bent_quads_count_as_fans():
    """A polygon that is not planar gives the solid of the triangles around its mean corner."""
    vertices = box_mesh().vertices.copy()
    vertices[7] += [0.3, 0.2, 0.4]
    mesh = PolygonMesh.from_faces(vertices, box_mesh().faces())

    actual = polyhedron_mass_properties(mesh)

    assert_same(actual, polyhedron_mass_properties(fans(mesh)), 1e-14, 1.0)


def test_face_with_a_bridged_hole():
    """A face may hold a hole that a doubled edge joins to its outline (a square tube)."""
    size, hole = 1.0, 0.5
    outer = [(-size, -size), (size, -size), (size, size), (-size, size)]
    inner = [(-hole, -hole), (hole, -hole), (hole, hole), (-hole, hole)]
    rim = [(x, y, z) for z in (-1.0, 1.0) for x, y in outer + inner]
    top = [8, 9, 10, 11, 8, 12, 15, 14, 13, 12]
    bottom = [corner - 8 for corner in top[::-1]]
    walls = [[i, (i + 1) % 4, 8 + (i + 1) % 4, 8 + i] for i in range(4)]
    bore = [[4 + (i + 1) % 4, 4 + i, 12 + i, 12 + (i + 1) % 4] for i in range(4)]
    mesh = PolygonMesh.from_faces(rim, [top, bottom, *walls, *bore])

    actual = polyhedron_mass_properties(mesh)

    volume = 8.0 - 2.0
    xx = 8.0 / 3.0 - 2.0 * (2.0 * hole) ** 2 / 12.0
    zz = volume / 3.0
    inertia = np.diag([xx + zz, xx + zz, 2 * xx])
    assert_same(actual, MassProperties(volume, volume, np.zeros(3), inertia), 1e-14, 1.0)


def test_unused_vertices_do_not_matter():
    """A stray vertex far away neither moves the reference point nor the result."""
    mesh = box_mesh((1.0, 2.0, 3.0))
    stray = PolygonMesh(np.vstack([mesh.vertices, [1e9, 0, 0]]), mesh.corners, mesh.offsets)

    actual = polyhedron_mass_properties(stray)

    assert_same(actual, box_mass_properties((1.0, 2.0, 3.0)), 1e-15, 1.0)


@pytest.mark.parametrize(
    ("mesh", "density", "message"),
    [
        (box_mesh(), 0.0, "density is 0"),
        (box_mesh(), float("nan"), "density is nan"),
        (box_mesh().flipped(), 1.0, "inside out"),
        (PolygonMesh.from_faces(np.zeros((0, 3)), []), 1.0, "empty"),
        (PolygonMesh.from_faces([[0, 0, 0]], [[0, 1, 2]]), 1.0, "does not exist"),
        (PolygonMesh.from_faces([[0, 0, np.nan]] * 3, [[0, 1, 2]]), 1.0, "not finite"),
        (box_mesh().transformed(1e60 * np.eye(3)), 1.0, "beyond 1e\\+09 m"),
    ],
)
def test_what_is_no_solid_is_refused(mesh, density, message):
    """Bad densities and meshes without a positive volume are errors that say so."""
    with pytest.raises(MassPropertiesError, match=message):
        polyhedron_mass_properties(mesh, density)
