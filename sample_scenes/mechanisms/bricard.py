"""Bricard's threefold-symmetric ring of six hinges, as a kaleidocycle of tetrahedra."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from impulse_schema import Body, Geometry, Joint, Mesh, Scene, Settings

LENGTH = 1.0  # m, common normal of neighbouring hinge axes
HALF_EDGE = 0.4  # m, half of a tetrahedron's edge along a hinge axis
DENSITY = 600.0  # kg/m³
START_ANGLE = math.radians(35.0)  # of the even hinge axes to the plane of symmetry
Floats = NDArray[np.float64]


def hinge_lines(angle: float) -> tuple[Floats, Floats]:
    """Points and directions of the six hinge axes in the symmetric pose of a given angle.

    Hinge k lies in the mirror plane at k·60 degrees about z. Even ones have radius r, height 0 and
    axis (cos α, sin α) in that plane, odd ones radius r', height D and axis (cos β, sin β).
    Neighbouring axes are perpendicular, tan α tan β = -1/2, and their common normal joins the two
    points:

        r = 4/3 E (sin²α + cos²α / 4),  r' = 2/3 E,  D = E sin α cos α,
        with E from r² + r'² - r r' + D² = length².

    Args:
        angle: α [rad].

    Returns:
        Points [m] and unit directions, shapes (6, 3).
    """
    s, c = math.sin(angle), math.cos(angle)
    even, odd, height = 4 / 3 * (s * s + c * c / 4), 2 / 3, s * c
    scale = LENGTH / math.sqrt(even**2 + odd**2 - even * odd + height**2)
    norm = math.hypot(2 * s, c)
    points, directions = np.empty((6, 3)), np.empty((6, 3))
    for k in range(6):
        outward = np.array([math.cos(k * math.pi / 3), math.sin(k * math.pi / 3), 0.0])
        up = np.array([0.0, 0.0, 1.0])
        points[k] = scale * (odd * outward + height * up if k % 2 else even * outward)
        directions[k] = (2 * s * outward - c * up) / norm if k % 2 else c * outward + s * up
    return points, directions


def bricard() -> Scene:
    """Six tetrahedra in a ring, each hinged to the next along an edge; the first stands still."""
    points, directions = hinge_lines(START_ANGLE)
    bodies, meshes = [], []
    for k in range(6):
        corners = tetrahedron(points, directions, k)
        center = corners.mean(axis=0)
        faces = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
        if np.linalg.det(corners[1:] - corners[0]) > 0.0:
            faces = [face[::-1] for face in faces]
        meshes.append(
            Mesh(
                name=f"tetrahedron-{k}",
                vertices=[tuple(v) for v in (corners - center).tolist()],
                faces=faces,
            )
        )
        bodies.append(
            Body(
                name=f"link-{k}",
                motion="dynamic" if k else "static",
                position=tuple(center.tolist()),
                density=DENSITY if k else None,
                geometry=[Geometry(role="visual", shape="mesh", mesh=f"tetrahedron-{k}")],
            )
        )
    joints = [
        Joint(
            name=f"hinge-{k}",
            type="hinge",
            body1=f"link-{(k - 1) % 6}",
            body2=f"link-{k}",
            anchor=tuple(points[k].tolist()),
            axis=tuple(directions[k].tolist()),
        )
        for k in range(6)
    ]
    return Scene(
        version=1,
        name="bricard",
        description="Bricard's ring of six hinges with perpendicular neighbours: by the count of"
        " its joints it is rigid, yet it turns inside out. One tetrahedron stands still, the others"
        " fall and swing.",
        settings=Settings(step=0.01, duration=10.0),
        meshes=meshes,
        bodies=bodies,
        joints=joints,
    )


def tetrahedron(points: Floats, directions: Floats, k: int) -> Floats:
    """Corners [m] of the link between hinges k and k + 1: an edge on each axis, shape (4, 3)."""
    return np.array(
        [
            points[i % 6] + side * HALF_EDGE * directions[i % 6]
            for i in (k, k + 1)
            for side in (-1.0, 1.0)
        ]
    )
