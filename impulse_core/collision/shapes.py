"""``Shapes``: the collision geometry of a scene as arrays.

Every solid that collides is one shape, given in the frame of its body's row of the model (centre of
mass and principal axes of dynamic bodies, the world for static ones). A shape is a convex
polyhedron, its *core*, swept by a ball of ``radius``: a sphere is a point with a radius, a capsule
an edge with one. The cores of ellipsoids, cylinders and cones are inscribed polyhedra, and a torus
has a ring of capsules: they tell what is near, and where it touches follows from the curved surface
(planes.py, curved.py, round_edges.py).
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.types import Floats, Ints, by_address

__all__ = [
    "CAPS",
    "CONE",
    "CYLINDER",
    "ELLIPSOID",
    "GROUND",
    "PLANE",
    "POLYHEDRON",
    "TORUS",
    "TRIANGLE",
    "Shapes",
]

POLYHEDRON = 0
PLANE = 1  # the half-space below its plane
ELLIPSOID = 2
CYLINDER = 3
CONE = 4
GROUND = 5  # a height field or static mesh: many triangles, found by a grid
TRIANGLE = 6  # one of them: solid behind its face
CAPS = 2  # of the core of a cylinder, its first faces
TORUS = 7  # against planes; its capsules, which planes do not see, are shapes of their own


@by_address
class Shapes(NamedTuple):
    """Collision geometry of a scene: s shapes, the V vertices, E edges and F faces of all cores."""

    sought: int
    """Shapes 0 … sought-1 take part in sweep and prune; the others belong to one of them."""
    boxed: int
    """Shapes sought … boxed-1 are the capsules of tori, which have boxes as those before them; the
    others are triangles of grounds."""
    kind: Ints
    """POLYHEDRON, PLANE, …, shape (s,)."""
    body: Ints
    """Row of the model that carries each shape, shape (s,)."""
    owner: Ints
    """Body of the scene that has it, shape (s,): static bodies share the world's row."""
    radius: Floats
    """Rounding radius [m], shape (s,)."""
    center: Floats
    """Centre of each shape [m], shape (s, 3), body frame."""
    frame: Floats
    """Shape axes to body frame, quaternions, shape (s, 4)."""
    extent: Floats
    """Half axes of an ellipsoid; radius, radius, half height of a cylinder or cone (which stand
    along z, a cone's apex at +z); radius of a torus' circle, radius of the corners of its ring of
    capsules, 0 (its axis is z); half edges of a box-like bound of others [m], shape (s, 3)."""
    reach: Floats
    """Radius of a ball around ``center`` that holds the shape with its rounding [m], shape (s,);
    inf for planes."""
    uneven: Floats
    """How far corners of a face of its core lie from the plane of that [m], shape (s,)."""
    axis_edge: Ints
    """The axis of a cylinder, from one end to the other, as an edge that belongs to no core; -1 for
    others, shape (s,)."""
    torus: Ints
    """The TORUS of whose ring a capsule is; -1 for others, shape (s,)."""
    material: Ints
    """Number of its material in the pair tables, shape (s,)."""

    vertex_start: Ints
    """Vertices of shape i are vertex_start[i] … vertex_start[i+1]-1, shape (s+1,)."""
    vertex: Floats
    """Corners of the cores [m], shape (V, 3), body frame."""
    edge_start: Ints
    """Edges of shape i, shape (s+1,)."""
    edge_vertex: Ints
    """Tail and head of each edge (numbers in ``vertex``), shape (E, 2)."""
    edge_face: Ints
    """Face to the left and to the right of each edge, seen from outside and along it; -1 where
    there is none (cores without a volume), shape (E, 2)."""
    edge_beyond: Floats
    """Front normal of the ground's triangle beyond each edge of a TRIANGLE; zero where the ground
    ends, and at edges of other shapes, shape (E, 3), body frame."""
    vertex_edge_start: Ints
    """Edges at vertex v are vertex_edge[k] for k from vertex_edge_start[v] up to
    vertex_edge_start[v+1]-1, shape (V+1,)."""
    vertex_edge: Ints
    face_start: Ints
    """Faces of shape i, shape (s+1,)."""
    face_plane: Floats
    """Outward unit normal n and offset d of n·x = d, shape (F, 4), body frame."""
    face_corner_start: Ints
    """Corners of face f are face_vertex[face_corner_start[f] … face_corner_start[f+1]-1],
    counter-clockwise seen from outside, shape (F+1,)."""
    face_vertex: Ints
    face_edge: Ints
    """Edge from each corner of a face to the next, as face_vertex."""

    ring_start: Ints
    """Capsules of torus s are the shapes ring_start[s] … ring_start[s+1]-1, shape (sought+1,); none
    of others."""

    ground_first: Ints
    """First triangle (a shape number) of each GROUND shape, shape (s,); -1 for others."""
    ground_cells: Ints
    """Number of grid cells along the two axes of each ground's grid, shape (s, 2)."""
    ground_origin: Floats
    """Corner and cell size of the grid [m], shape (s, 4): x, y, size x, size y; world frame."""
    ground_cell_first: Ints
    """Where the cells of ground i begin in cell_start, shape (s,)."""
    cell_start: Ints
    """Triangles of cell c are cell_triangle[cell_start[c] … cell_start[c+1]-1]."""
    cell_triangle: Ints

    static_friction: Floats
    """Coulomb coefficient of two materials that stick, shape (M, M)."""
    kinetic_friction: Floats
    """Coulomb coefficient of two materials that slide, shape (M, M)."""
    rolling_friction: Floats
    """Lever arm of the rolling resistance of two materials [m], shape (M, M)."""
    torsional_friction: Floats
    """The same of the torsional friction [m], shape (M, M)."""
    restitution: Floats
    """Coefficient of restitution of two materials, shape (M, M)."""

    group: Ints
    """Collision group of each body of the scene, shape (N,); 0 for none."""
    group_rule: Ints
    """1 where two groups can touch, shape (G, G)."""
    pair_key: Ints
    """owner·N + owner (the smaller one first) of pairs of bodies with a rule of their own: joined
    bodies and those that the collision filter names. Ascending."""
    pair_rule: Ints
    """1 where such a pair can touch, else 0."""
