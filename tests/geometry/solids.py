"""Meshes whose mass properties are known, and random ones."""

import numpy as np
from scipy.spatial import ConvexHull

from impulse_core.geometry import MassProperties, PolygonMesh

BOX_FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def box_mesh(size=(1.0, 1.0, 1.0), middle=(0.0, 0.0, 0.0)):
    """Six quads."""
    half = 0.5 * np.asarray(size)
    corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return PolygonMesh.from_faces(np.asarray(corners) * half + middle, BOX_FACES)


def tetrahedron(a, b, c):
    """Corner at the origin and legs a, b, c along the axes, with its closed form."""
    vertices = [[0, 0, 0], [a, 0, 0], [0, b, 0], [0, 0, c]]
    mesh = PolygonMesh.from_faces(vertices, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    volume = a * b * c / 6
    center = np.array([a, b, c]) / 4
    # Integral of x x is V a a / 10, of x y it is V a b / 20.
    second = volume * (np.outer([a, b, c], [a, b, c]) / 20 + np.diag([a * a, b * b, c * c]) / 20)
    second -= volume * np.outer(center, center)
    inertia = np.trace(second) * np.eye(3) - second
    return mesh, MassProperties(volume, volume, center, inertia)


def prism(outline, height):
    """Prism over a polygon (n, 2), counter-clockwise, convex or not, from z = 0 to ``height``."""
    outline = np.asarray(outline, dtype=float)
    n = len(outline)
    vertices = np.vstack([np.c_[outline, np.zeros(n)], np.c_[outline, np.full(n, height)]])
    sides = [[i, (i + 1) % n, n + (i + 1) % n, n + i] for i in range(n)]
    return PolygonMesh.from_faces(vertices, [list(range(n))[::-1], list(range(n, 2 * n)), *sides])


def joined(*meshes):
    """The faces of all meshes in one mesh."""
    vertices, faces, count = [], [], 0
    for mesh in meshes:
        vertices.append(mesh.vertices)
        faces += [[corner + count for corner in face] for face in mesh.faces()]
        count += len(mesh.vertices)
    return PolygonMesh.from_faces(np.vstack(vertices), faces)


def fans(mesh):
    """Every face as triangles around its mean corner, a vertex of its own."""
    vertices, faces = list(mesh.vertices), []
    for face in mesh.faces():
        vertices.append(mesh.vertices[face].mean(axis=0))
        middle = len(vertices) - 1
        following = [*face[1:], face[0]]
        faces += [[middle, a, b] for a, b in zip(face, following, strict=True)]
    return PolygonMesh.from_faces(vertices, faces)


def random_hull(rng, count):
    """Convex hull of random points in a random box, as triangles that face outwards."""
    points = rng.uniform(-1, 1, (count, 3)) * rng.uniform(0.1, 10, 3) + rng.uniform(-5, 5, 3)
    hull = ConvexHull(points)
    triangles = hull.simplices.copy()
    a, b, c = points[triangles].transpose(1, 0, 2)
    inward = np.einsum("fi,fi->f", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return PolygonMesh.from_rows(points, triangles)


def rotation_about(axis, angle):
    """Rotation matrix of an axis and an angle [rad] (Rodrigues)."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def assert_same(actual, expected, relative, length):
    """Mass properties agree: volume and inertia relatively, the centre relative to a length."""
    assert abs(actual.mass - expected.mass) <= relative * expected.mass
    assert abs(actual.volume - expected.volume) <= relative * expected.volume
    offset = np.abs(actual.center_of_mass - expected.center_of_mass)
    assert np.max(offset) <= relative * length
    difference = np.max(np.abs(actual.inertia - expected.inertia))
    assert difference <= relative * np.max(np.abs(expected.inertia))
