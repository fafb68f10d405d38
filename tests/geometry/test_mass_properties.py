"""MassProperties, combine, principal axes and the closed forms of the primitives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.geometry import (
    MassProperties,
    MassPropertiesError,
    PolygonMesh,
    box_mass_properties,
    capsule_mass_properties,
    combine,
    cone_mass_properties,
    cylinder_mass_properties,
    ellipsoid_mass_properties,
    polyhedron_mass_properties,
    sphere_mass_properties,
    torus_mass_properties,
)

from .solids import assert_same, box_mesh, rotation_about

lengths = st.floats(0.1, 10.0)
angles = st.floats(-3.0, 3.0)
axes = st.tuples(*[st.floats(0.1, 1.0)] * 3)
points = st.tuples(*[st.floats(-10.0, 10.0)] * 3)


def solid_of_revolution(profile, segments):
    """Mesh of the profile (n, 2) of radius and z, from the bottom up, turned about z."""
    turns = 2 * np.pi * np.arange(segments) / segments
    circle = np.c_[np.cos(turns), np.sin(turns)]
    rings = [np.c_[radius * circle, np.full(segments, z)] for radius, z in profile]
    around = np.roll(np.arange(segments), -1)
    faces = [list(range(segments))[::-1]]
    for ring in range(len(profile) - 1):
        low, high = ring * segments, (ring + 1) * segments
        faces += [[low + i, low + around[i], high + around[i], high + i] for i in range(segments)]
    faces.append([(len(profile) - 1) * segments + i for i in range(segments)])
    return PolygonMesh.from_faces(np.vstack(rings), faces)


def arc(start, end, radius, lift, pieces):
    """Profile of a circular arc between two angles above the equator."""
    return [
        (max(radius * np.cos(a), 1e-9), lift + radius * np.sin(a))
        for a in np.linspace(start, end, pieces + 1)
    ]


def sphere_profile(pieces):
    return arc(-np.pi / 2, np.pi / 2, 0.7, 0.0, 2 * pieces)


def cylinder_profile(pieces):
    return [(0.7, -1.0), (0.7, 1.0)]


def capsule_profile(pieces):
    return arc(-np.pi / 2, 0, 0.7, -1.0, pieces) + arc(0, np.pi / 2, 0.7, 1.0, pieces)


def cone_profile(pieces):
    return [(0.7, -1.0), (1e-9, 1.0)]


@pytest.mark.parametrize(
    ("closed_form", "profile"),
    [
        (sphere_mass_properties(0.7), sphere_profile),
        (cylinder_mass_properties(0.7, 2.0), cylinder_profile),
        (capsule_mass_properties(0.7, 2.0), capsule_profile),
        (cone_mass_properties(0.7, 2.0), cone_profile),
    ],
    ids=["sphere", "cylinder", "capsule", "cone"],
)
def test_round_primitives_are_the_limit_of_meshes(closed_form, profile):
    """The error of a mesh falls with the square of its facets' size.

    Extrapolated from two sizes it is of the fourth power, 0.05 rad ^ 4.
    """
    coarse = polyhedron_mass_properties(solid_of_revolution(profile(16), 64))
    fine = polyhedron_mass_properties(solid_of_revolution(profile(32), 128))

    def limit(name):
        return (4 * getattr(fine, name) - getattr(coarse, name)) / 3

    assert coarse.volume < fine.volume < closed_form.volume
    limits = MassProperties(*map(limit, ["mass", "volume", "center_of_mass", "inertia"]))
    assert_same(limits, closed_form, 1e-5, 0.1)


def test_an_ellipsoid_is_a_stretched_sphere():
    """Mesh of a sphere, stretched along each axis and refined, against the closed form."""
    size = np.array([0.6, 1.4, 2.2])
    meshes = [solid_of_revolution(sphere_profile(n), 4 * n) for n in (16, 32)]
    stretched = [
        polyhedron_mass_properties(mesh.transformed(np.diag(size / 1.4))) for mesh in meshes
    ]
    closed_form = ellipsoid_mass_properties(size)

    def limit(name):
        coarse, fine = (getattr(properties, name) for properties in stretched)
        return (4 * fine - coarse) / 3

    assert stretched[0].volume < stretched[1].volume < closed_form.volume
    limits = MassProperties(*map(limit, ["mass", "volume", "center_of_mass", "inertia"]))
    assert_same(limits, closed_form, 1e-5, 0.1)


def torus_mesh(major_radius, minor_radius, pieces):
    """Quadrilaterals between points of a torus, twice as many around it as around its tube."""
    around, across = 2 * np.pi * np.arange(2 * pieces) / (2 * pieces), np.arange(pieces)
    turn = 2 * np.pi * across / pieces
    s = major_radius + minor_radius * np.cos(turn)
    circles = [np.c_[s * np.cos(a), s * np.sin(a), minor_radius * np.sin(turn)] for a in around]
    faces = []
    for i in range(2 * pieces):
        here, there = i * pieces, (i + 1) % (2 * pieces) * pieces
        faces += [
            [here + k, there + k, there + j, here + j]
            for k, j in zip(across, np.roll(across, -1), strict=True)
        ]
    return PolygonMesh.from_faces(np.vstack(circles), faces)


@given(st.floats(0.1, 10.0), st.floats(0.05, 0.99), st.floats(0.1, 1e4))
@settings(max_examples=25, deadline=None)
def test_a_torus_is_the_limit_of_meshes(major_radius, slenderness, density):
    """The error of a mesh falls with the square of its facets' size, to the fourth extrapolated."""
    minor_radius = slenderness * major_radius
    closed_form = torus_mass_properties(major_radius, minor_radius, density)
    coarse, fine = (
        polyhedron_mass_properties(torus_mesh(major_radius, minor_radius, n)) for n in (32, 64)
    )

    def limit(name):
        return density * (4 * getattr(fine, name) - getattr(coarse, name)) / 3

    assert coarse.volume < fine.volume < closed_form.volume
    assert limit("volume") == pytest.approx(closed_form.mass, rel=1e-4)
    np.testing.assert_allclose(
        limit("inertia"), closed_form.inertia, rtol=2e-4, atol=1e-9 * closed_form.inertia[2, 2]
    )


@pytest.mark.parametrize(
    ("radii", "message"),
    [
        ((1.0, 1.0), "has no hole"),
        ((1.0, 2.0), "has no hole"),
        ((0.0, -1.0), "major_radius is 0"),
        ((1.0, 0.0), "minor_radius is 0"),
        ((np.inf, 1.0), "major_radius is inf"),
    ],
)
def test_a_torus_has_a_hole(radii, message):
    """Radii that make no ring are refused by name."""
    with pytest.raises(MassPropertiesError, match=message):
        torus_mass_properties(*radii)


def test_cone_stands_on_its_base():
    """The base is at -h/2, the apex at +h/2, the centre of mass a quarter above the base."""
    assert cone_mass_properties(1.0, 2.0).center_of_mass.tolist() == [0.0, 0.0, -0.5]


@given(lengths, lengths, lengths, st.floats(0.1, 0.9))
@settings(deadline=None)
def test_two_halves_make_a_box(x, y, z, cut):
    """Cutting a box in two and combining the parts gives the box."""
    low = box_mass_properties((x, y, cut * z)).transformed(translation=(0, 0, -z / 2 + cut * z / 2))
    high = box_mass_properties((x, y, (1 - cut) * z)).transformed(
        translation=(0, 0, z / 2 - (1 - cut) * z / 2)
    )

    assert_same(combine([low, high]), box_mass_properties((x, y, z)), 1e-13, z)


@given(angles, axes, points, points)
@settings(deadline=None)
def test_combination_moves_as_its_parts(angle, axis, place, translation):
    """Combining, then moving equals moving the parts, then combining."""
    parts = [
        box_mass_properties((1.0, 2.0, 3.0), 5.0),
        cone_mass_properties(0.5, 2.0, 7.0).transformed(translation=place),
        sphere_mass_properties(0.3, 11.0),
    ]
    rotation = rotation_about(axis, angle)

    together = combine(parts).transformed(rotation, translation)
    apart = combine([part.transformed(rotation, translation) for part in parts])

    assert_same(together, apart, 1e-12, 10.0)


def test_combine_needs_a_part():
    """No solid, no mass: an error, not a division by zero."""
    with pytest.raises(MassPropertiesError, match="no solid"):
        combine([])


def test_scaled_to_mass():
    """Mass and inertia scale together, shape and volume stay."""
    body = box_mass_properties((1.0, 2.0, 3.0)).scaled_to_mass(12.0)

    assert body.mass == 12.0
    assert body.volume == 6.0
    assert np.allclose(np.diag(body.inertia), [13.0, 10.0, 5.0], rtol=1e-15)


def random_inertia(moments, axis, angle):
    rotation = rotation_about(axis, angle)
    return rotation @ np.diag(moments) @ rotation.T, rotation


class TestPrincipalAxes:
    @given(axes, angles, st.tuples(*[st.floats(1.0, 2.0)] * 3))
    @settings(deadline=None)
    def test_they_diagonalise(self, axis, angle, moments):
        """The rotation is proper and turns the moments back into the inertia."""
        inertia, _ = random_inertia(moments, axis, angle)
        body = MassProperties(1.0, 1.0, np.zeros(3), inertia)

        found, rotation = body.principal()

        assert np.allclose(rotation @ rotation.T, np.eye(3), rtol=0, atol=1e-14)
        assert np.linalg.det(rotation) > 0.0
        back = rotation @ np.diag(found) @ rotation.T
        assert np.max(np.abs(back - inertia)) <= 1e-14 * np.trace(inertia)  # as principal_axes says

    @given(axes, st.floats(-0.6, 0.6))
    @settings(deadline=None)
    def test_small_turns_keep_the_order(self, axis, angle):
        """Axes turned by less than 35 degrees are found as they were turned, not permuted."""
        inertia, rotation = random_inertia([3.0, 5.0, 4.0], axis, angle)

        moments, found = MassProperties(1.0, 1.0, np.zeros(3), inertia).principal()

        assert np.allclose(moments, [3.0, 5.0, 4.0], rtol=1e-13)
        assert np.allclose(found, rotation, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("moments", [[3.0, 2.0, 4.0], [2.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
    def test_diagonal_inertia_is_kept(self, moments):
        """Axes that are principal already are neither permuted nor turned."""
        body = MassProperties(1.0, 1.0, np.zeros(3), np.diag(moments))

        found, rotation = body.principal()

        assert found.tolist() == moments
        assert rotation.tolist() == np.eye(3).tolist()

    def test_round_off_does_not_turn_a_square_box(self):
        """Noise of the integration in a body with two equal moments leaves its axes alone."""
        noise = 1e-15 * np.array([[0.0, 1.0, -0.5], [1.0, 0.3, 0.7], [-0.5, 0.7, 0.0]])
        body = MassProperties(1.0, 1.0, np.zeros(3), np.diag([2.0, 1.0, 2.0]) + noise)

        _, rotation = body.principal()

        assert rotation.tolist() == np.eye(3).tolist()

    def test_tilted_symmetric_body(self):
        """A cylinder turned in its frame gets one axis along it and two equal moments."""
        rotation = rotation_about([1.0, 1.0, 0.0], 0.4)
        body = cylinder_mass_properties(0.5, 2.0).transformed(rotation)

        moments, found = body.principal()

        assert abs(moments[0] - moments[1]) <= 1e-15 * moments[0]
        assert np.allclose(found[:, 2], rotation[:, 2], rtol=0, atol=1e-14)

    def test_needle(self):
        """Moments six orders apart: the small one is right to 1e-8 of itself."""
        rotation = rotation_about([1.0, 2.0, 3.0], 0.3)
        body = cylinder_mass_properties(1e-3, 1.0).transformed(rotation)

        moments, _ = body.principal()

        small = cylinder_mass_properties(1e-3, 1.0).inertia[2, 2]
        assert abs(moments.min() - small) <= 1e-8 * small


@pytest.mark.parametrize(
    ("mass", "inertia", "message"),
    [
        (0.0, np.eye(3), "mass is 0"),
        (-1.0, np.eye(3), "must be positive"),
        (float("nan"), np.eye(3), "mass is nan"),
        (1.0, np.diag([1.0, 1.0, np.inf]), "not a finite number"),
        (1.0, [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "not symmetric"),
        (1.0, np.diag([1.0, -0.5, 1.0]), "negative principal moment"),
        (1.0, np.diag([1.0, 1.0, 2.1]), "exceeds the sum"),
    ],
)
def test_impossible_bodies_are_refused(mass, inertia, message):
    """What no real body can have is an error that names it."""
    with pytest.raises(MassPropertiesError, match=message):
        MassProperties(mass, 1.0, np.zeros(3), inertia)


@pytest.mark.parametrize("size", [1e-150, 1e-40, 1.0, 1e40, 1e150])
@pytest.mark.parametrize("thickness", [1.0, 1e-3, 1e-8, 1e-12, 0.0, -1e-12, -1e-8, -1e-3])
def test_which_bodies_are_possible_at_any_size(size, thickness):
    """Second moments about the centre may vanish along an axis, and be negative by round-off."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        along = np.array([thickness, *rng.uniform(0.3, 1.0, 2)])
        inertia = size * (axes * (along.sum() - along)) @ axes.T
        inertia = 0.5 * (inertia + inertia.T)
        if thickness > -1e-10:
            MassProperties(1.0, 0.0, (0.0, 0.0, 0.0), inertia)
        else:
            with pytest.raises(MassPropertiesError, match="exceeds the sum"):
                MassProperties(1.0, 0.0, (0.0, 0.0, 0.0), inertia)


def test_flat_body_is_possible():
    """A plate without thickness has J1 + J2 = J3 exactly, as the heavy top of the literature."""
    body = MassProperties(15.0, 0.0, np.zeros(3), np.diag([0.234375, 0.46875, 0.234375]))

    assert body.principal()[0].tolist() == [0.234375, 0.46875, 0.234375]


@pytest.mark.parametrize("rotation", [np.diag([1.0, 1.0, -1.0]), 2.0 * np.eye(3)])
def test_only_rotations_move_a_body(rotation):
    """Mirrors and scalings are refused where a rotation is asked for."""
    with pytest.raises(ValueError, match="proper rotation"):
        box_mass_properties((1.0, 1.0, 1.0)).transformed(rotation)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("inf"), float("nan")])
def test_primitives_refuse_bad_lengths(bad):
    """A length that is not a positive number is named."""
    with pytest.raises(MassPropertiesError, match="radius is"):
        sphere_mass_properties(bad)
    with pytest.raises(MassPropertiesError, match="height is"):
        cone_mass_properties(1.0, bad)
    with pytest.raises(MassPropertiesError, match="size_y is"):
        box_mass_properties((1.0, bad, 1.0))


def test_values_are_constant():
    """The arrays of a body cannot be changed behind its back."""
    body = polyhedron_mass_properties(box_mesh())

    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 2.0
