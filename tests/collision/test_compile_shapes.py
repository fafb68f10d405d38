"""Solids become shapes: kinds, sizes, places, materials and the filter."""

import itertools
import tracemalloc

import numpy as np
import pytest

from impulse_core.collision.ground import Ground
from impulse_core.collision.polyhedra import triangle_core
from impulse_core.collision.shapes import (
    CONE,
    CYLINDER,
    ELLIPSOID,
    GROUND,
    PLANE,
    POLYHEDRON,
    TORUS,
    TRIANGLE,
)
from impulse_core.compile import SceneError, compile_scene
from impulse_core.geometry import PolygonMesh
from impulse_core.geometry.rotations import rotated
from impulse_core.simulation.checks import check
from impulse_schema.models import (
    Body,
    CollisionFilter,
    CollisionGroupRule,
    CollisionPair,
    Geometry,
    Joint,
    Keyframe,
    Material,
    MaterialPair,
    Mesh,
)
from tests.collision.solids import compiled, scene_of, turn

CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
CUBE_FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
# An L of three unit cubes: the corner at (1, 1) is 1/sqrt(2) inside its hull.
L_OUTLINE = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
L_VERTICES = np.vstack([np.c_[L_OUTLINE, np.zeros(6)], np.c_[L_OUTLINE, np.ones(6)]])
L_FACES = [
    [5, 4, 3, 2, 1, 0],
    [6, 7, 8, 9, 10, 11],
    *[[i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i] for i in range(6)],
]
MESHES = [
    Mesh(name="cube", vertices=CUBE.tolist(), faces=CUBE_FACES),
    Mesh(name="ell", vertices=L_VERTICES.tolist(), faces=L_FACES),
    Mesh(name="open", vertices=CUBE.tolist(), faces=CUBE_FACES[1:]),
]
BALL = Body(
    name="ball",
    density=1.0,
    position=(50.0, 0.0, 0.0),
    geometry=[Geometry(shape="sphere", radius=1.0)],
)


def shape_of(solid, motion="static", **more):
    """Shapes of a scene with this solid and a ball; the solid is shape 0."""
    keyframes = [Keyframe(time=0.0, position=(1.0, 2.0, 3.0))] if motion == "kinematic" else []
    density = {"density": 1.0} if motion == "dynamic" else {}
    body = Body(name="it", motion=motion, geometry=[solid], keyframes=keyframes, **density, **more)
    return compiled([body, BALL], meshes=MESHES).shapes


def vertices_of(shapes, s):
    return shapes.vertex[shapes.vertex_start[s] : shapes.vertex_start[s + 1]]


SIZES = {
    "box": {"size": (1.0, 2.0, 3.0)},
    "sphere": {"radius": 0.5},
    "ellipsoid": {"size": (1.0, 2.0, 3.0)},
    "cylinder": {"radius": 0.5, "height": 3.0},
    "cone": {"radius": 0.5, "height": 3.0},
    "capsule": {"radius": 0.5, "height": 3.0},
    "torus": {"major_radius": 0.5, "minor_radius": 0.2},
    "convex_hull": {"mesh": "ell"},
    "mesh": {"mesh": "cube"},
    "plane": {},
}


@pytest.mark.parametrize(
    ("shape", "kind", "vertices", "faces", "radius", "extent", "reach"),
    [
        ("box", POLYHEDRON, 8, 6, 0.1, (0.5, 1.0, 1.5), np.sqrt(3.5) + 0.1),
        ("sphere", POLYHEDRON, 1, 0, 0.6, (0.0, 0.0, 0.0), 0.6),
        ("ellipsoid", ELLIPSOID, 162, 320, 0.1, (0.5, 1.0, 1.5), 1.6),
        ("cylinder", CYLINDER, 64, 34, 0.1, (0.5, 0.5, 1.5), np.sqrt(2.5) + 0.1),
        ("cone", CONE, 33, 33, 0.1, (0.5, 0.5, 1.5), np.sqrt(2.5) + 0.1),
        ("capsule", POLYHEDRON, 2, 0, 0.6, (0.0, 0.0, 1.5), 2.1),
        ("torus", TORUS, 0, 0, 0.3, (0.5, 0.5 / np.cos(np.pi / 50) ** 2, 0.0), 0.8019791),
        ("convex_hull", POLYHEDRON, 10, 7, 0.1, (1.0, 1.0, 0.5), 1.6),
        ("mesh", POLYHEDRON, 8, 6, 0.1, (0.5, 0.5, 0.5), np.sqrt(0.75) + 0.1),
        ("plane", PLANE, 0, 0, 0.1, (0.0, 0.0, 0.0), np.inf),
    ],
)
def test_each_solid_is_its_shape(shape, kind, vertices, faces, radius, extent, reach):
    """Kind, features and sizes of every kind of solid, with a rounding of 0.1."""
    shapes = shape_of(Geometry(shape=shape, rounding=0.1, **SIZES[shape]))

    assert shapes.kind[0] == kind
    assert shapes.vertex_start[1] == vertices
    assert shapes.face_start[1] == faces
    assert shapes.radius[0] == pytest.approx(radius)
    np.testing.assert_allclose(shapes.extent[0], extent, atol=1e-15)
    assert shapes.reach[0] == pytest.approx(reach)


@pytest.mark.parametrize("motion", ["dynamic", "kinematic", "static"])
@pytest.mark.parametrize("shape", ["box", "mesh", "cone"])
def test_shapes_stand_where_their_bodies_do(motion, shape):
    """A core turned by the pose of its row lies where the solid of the scene is."""
    rng = np.random.default_rng(4)
    place, q = rng.normal(size=3), turn(rng)
    solid = Geometry(
        shape=shape, position=tuple(rng.normal(size=3)), orientation=turn(rng), **SIZES[shape]
    )
    heavy = Geometry(shape="sphere", radius=1.0, position=(3.0, 1.0, 0.0))
    pose = {"position": tuple(place), "orientation": q}
    more = {"density": 1.0, **pose} if motion == "dynamic" else pose
    if motion == "kinematic":
        more = {"keyframes": [Keyframe(time=0.0, **pose)]}
    body = Body(name="it", motion=motion, geometry=[solid, heavy], **more)
    scene = compiled([body, BALL], meshes=MESHES)

    row = scene.shapes.body[0]
    assert row == scene.body_row[0]
    there = scene.state.bodies["position"][row] + rotated(
        scene.state.bodies["orientation"][row],
        np.vstack([vertices_of(scene.shapes, 0), scene.shapes.center[:1]]),
    )
    alone = shape_of(solid)
    local = np.vstack([vertices_of(alone, 0), alone.center[:1]])
    np.testing.assert_allclose(there, place + rotated(np.array(q), local), atol=1e-13)


def test_a_height_field_is_ground():
    """Two triangles a cell, facing up, at the heights given."""
    heights = [[0.0, 1.0, 0.0], [2.0, 0.0, 1.0]]
    solid = Geometry(shape="height_field", size=(4.0, 2.0, 1.0), heights=heights, rounding=0.25)
    shapes = shape_of(solid, position=(10.0, 0.0, 0.0))

    assert shapes.kind.tolist() == [GROUND, POLYHEDRON] + [TRIANGLE] * 4
    assert shapes.ground_first.tolist() == [2, -1]
    assert shapes.radius[2:].tolist() == [0.25] * 4
    assert shapes.owner[2:].tolist() == [0] * 4
    corners = {tuple(v) for t in range(2, 6) for v in vertices_of(shapes, t).round(12)}
    assert corners == {
        (8.0 + 2.0 * i, -1.0 + 2.0 * k, heights[k][i]) for i in range(3) for k in range(2)
    }
    assert (shapes.face_plane[shapes.face_start[2:6], 2] > 0.0).all()
    assert set(shapes.cell_triangle.tolist()) == {2, 3, 4, 5}


def test_triangles_of_ground_know_each_other():
    """Features are those of triangle_core; beyond an edge is the neighbour's front normal."""
    rng = np.random.default_rng(0)
    heights = rng.uniform(0.0, 1.0, (4, 5))
    solid = Geometry(shape="height_field", size=(4.0, 3.0, 1.0), heights=heights.tolist())
    shapes = shape_of(solid, position=(1.0, 2.0, 3.0), orientation=turn(rng))
    first, last = 2, 2 + 2 * 3 * 4
    corners = {t: vertices_of(shapes, t) for t in range(first, last)}

    for t, c in corners.items():
        core = triangle_core(*c)
        edges = slice(shapes.edge_start[t], shapes.edge_start[t + 1])
        faces = slice(shapes.face_start[t], shapes.face_start[t + 1])
        np.testing.assert_array_equal(
            shapes.edge_vertex[edges] - shapes.vertex_start[t], core.edge_vertex
        )
        np.testing.assert_array_equal(
            shapes.edge_face[edges] - shapes.face_start[t], core.edge_face
        )
        np.testing.assert_allclose(shapes.face_plane[faces], core.face_plane, atol=1e-14)
        for e in range(edges.start, edges.stop):
            ends = shapes.vertex[shapes.edge_vertex[e]]
            beyond = [
                shapes.face_plane[shapes.face_start[other], :3]
                for other, points in corners.items()
                if other != t
                and all(np.isclose(points, end, atol=1e-12).all(axis=1).any() for end in ends)
            ]
            expected = beyond[0] if beyond else np.zeros(3)
            np.testing.assert_allclose(shapes.edge_beyond[e], expected, atol=1e-14)


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 7), (6, 2), (5, 4), (9, 13)])
def test_neighbours_in_a_field_follow_from_the_grid(rows, columns):
    """They are those that comparing the edges of all triangles finds."""
    heights = np.random.default_rng(rows).uniform(size=(rows, columns))

    ground = Ground.of_heights((3.0, 2.0, 1.0), heights)

    for made in (ground, ground.mirrored()):
        mesh = PolygonMesh.from_rows(
            made.corners.reshape(-1, 3), np.arange(3 * len(made.corners)).reshape(-1, 3)
        )
        np.testing.assert_array_equal(made.corners, Ground.of_mesh(mesh).corners)
        np.testing.assert_array_equal(made.beyond, Ground.of_mesh(mesh).beyond)
        assert (made.normals[:, 2] > 0.0).all()


@pytest.mark.parametrize("side", [150, 300])
def test_checking_a_field_takes_memory_for_its_triangles_only(side):
    """Less than 500 bytes a number: two triangles, moved once; the arrays of a run take 1300."""
    heights = np.random.default_rng(side).uniform(size=(side, side)).tolist()
    solid = Geometry(shape="height_field", size=(9.0, 9.0, 1.0), heights=heights)
    scene = scene_of([Body(name="a", motion="static", geometry=[solid]), BALL])
    assert check(scene) == []

    tracemalloc.start()
    try:
        check(scene)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 500 * side**2


def test_a_mesh_of_ground_is_cut_into_triangles():
    """A static mesh that is not convex: its area and volume are those of its triangles."""
    shapes = shape_of(Geometry(shape="mesh", mesh="ell"))

    assert shapes.kind[0] == GROUND
    triangles = [vertices_of(shapes, t) for t in range(2, len(shapes.kind))]
    areas = [np.cross(b - a, c - a) / 2 for a, b, c in triangles]
    volumes = [np.dot(a, np.cross(b, c)) / 6 for a, b, c in triangles]
    assert sum(np.linalg.norm(area) for area in areas) == pytest.approx(2 * 3.0 + 8.0)
    assert sum(volumes) == pytest.approx(3.0)
    beyond = shapes.edge_beyond[shapes.edge_start[2] :]
    np.testing.assert_allclose(np.linalg.norm(beyond, axis=1), 1.0)


def test_an_open_mesh_is_ground():
    """A static mesh needs no inside."""
    assert shape_of(Geometry(shape="mesh", mesh="open")).kind[0] == GROUND


@pytest.mark.parametrize("motion", ["dynamic", "kinematic"])
def test_a_mesh_that_moves_is_convex(motion):
    """Otherwise the error says how far it is from that, and the three remedies."""
    with pytest.raises(SceneError) as caught:
        shape_of(Geometry(shape="mesh", mesh="ell"), motion=motion)

    (problem,) = caught.value.problems
    assert problem.code == "E604"
    for text in ["'ell'", f"the {motion} body 'it'", "not convex", "(1, 2, 0) lies 1 m above"]:
        assert text in problem.message
    for remedy in ['shape="convex_hull"', 'decompose="true"', 'role="collision"']:
        assert remedy in problem.hint


def test_ground_does_not_move():
    """A height field on a kinematic body is refused by name and place."""
    solid = Geometry(shape="height_field", size=(1, 1, 1), heights=[[0, 0], [0, 0]])

    with pytest.raises(SceneError, match=r"E606.*ground.*'it' moves"):
        shape_of(solid, motion="kinematic")


def test_visual_solids_do_not_collide():
    """A scene in which only pictures could touch has no shapes at all."""
    assert shape_of(Geometry(shape="box", size=(1, 1, 1), role="visual")) is None


# ---------------------------------------------------------------------------------------
# The filter
# ---------------------------------------------------------------------------------------


def cube(name, group=None, motion="dynamic"):
    density = {"density": 1.0} if motion == "dynamic" else {}
    solids = [Geometry(shape="box", size=(1, 1, 1)), Geometry(shape="sphere", radius=1.0)]
    return Body(name=name, motion=motion, collision_group=group, geometry=solids, **density)


def allowed(scene):
    """Names of the bodies of all pairs of shapes that are found where everything overlaps."""
    from impulse_core.collision.sweep import new_sweep
    from tests.collision.probes import find_pairs

    made = compile_scene(scene)
    if made.shapes is None:
        return set()
    sweep = new_sweep(made.shapes, made.state)
    count = find_pairs(made.model, made.shapes, made.state, 0.01, 1e-3, sweep)
    owners = made.shapes.owner[np.stack([sweep.pair_first[:count], sweep.pair_second[:count]])]
    return {"".join(sorted(made.body_names[i] for i in pair)) for pair in owners.T}


@pytest.mark.parametrize(
    "motions", list(itertools.product(["dynamic", "kinematic", "static"], repeat=2))
)
def test_one_of_two_bodies_is_dynamic(motions):
    """Two bodies that no force moves never touch, nor does a body itself."""
    bodies = [cube(name, motion=motion) for name, motion in zip("ab", motions, strict=True)]

    assert allowed(scene_of(bodies)) == ({"ab"} if "dynamic" in motions else set())


@pytest.mark.parametrize("default", [True, False])
@pytest.mark.parametrize("group", [None, True, False])
@pytest.mark.parametrize("joint", [None, True, False])
@pytest.mark.parametrize("pair", [None, True, False])
def test_a_pair_wins_over_a_joint_over_groups_over_the_default(default, group, joint, pair):
    """Every combination of the rules for one pair; c tells of those that hold for others."""
    bodies = [cube("a", "one"), cube("b", "two"), cube("c")]
    rules = CollisionFilter(
        default=default,
        groups=[CollisionGroupRule(group1="two", group2="one", collide=group)]
        if group is not None
        else [],
        pairs=[CollisionPair(body1="b", body2="a", collide=pair)] if pair is not None else [],
    )
    joints = [
        Joint(name="j", type="ball", body1="b", body2="a", anchor=(0, 0, 0), collide=joint)
        for _ in range(joint is not None)
    ]
    expected = default if group is None else group
    if joint is False:
        expected = False
    if pair is not None:
        expected = pair

    found = allowed(scene_of(bodies, joints=joints, collision_filter=rules))

    assert ("ab" in found) == expected
    assert {"ac", "bc"} & found == ({"ac", "bc"} if default else set())


def test_a_group_may_be_denied_itself():
    """A rule of a group with itself, and a scene in which the rules leave nothing to touch."""
    rule = CollisionGroupRule(group1="g", group2="g", collide=False)
    rules = CollisionFilter(groups=[rule])
    bodies = [cube("a", "g"), cube("b", "g"), cube("c", "h")]

    assert allowed(scene_of(bodies, collision_filter=rules)) == {"ac", "bc"}
    assert compile_scene(scene_of(bodies[:2], collision_filter=rules)).shapes is None


# ---------------------------------------------------------------------------------------
# Materials
# ---------------------------------------------------------------------------------------


def test_two_materials_have_the_mean_unless_a_pair_says_otherwise():
    """Pairs replace single coefficients; what slides takes that of what sticks by default."""
    materials = [
        Material(name="a", static_friction=0.8, kinetic_friction=0.6, restitution=0.5),
        Material(name="b", static_friction=0.2, rolling_friction=0.02),
        Material(name="c", static_friction=0.4),
    ]
    pairs = [
        MaterialPair(material1="b", material2="a", restitution=1.0, static_friction=0.9),
        MaterialPair(material1="c", material2="c", kinetic_friction=0.1),
    ]
    solids = [Geometry(shape="sphere", radius=1.0, material=name) for name in ("a", "b", "c", None)]
    body = Body(name="it", density=1.0, geometry=solids)
    shapes = compiled([body, BALL], materials=materials, material_pairs=pairs).shapes

    a, b, c, none = shapes.material[:4].tolist()
    assert shapes.material[4] == none
    assert shapes.static_friction[a, c] == pytest.approx(0.6)
    assert shapes.kinetic_friction[a, c] == pytest.approx(0.5)
    assert shapes.static_friction[a, b] == shapes.static_friction[b, a] == 0.9
    assert shapes.kinetic_friction[a, b] == 0.9
    assert shapes.restitution[a, b] == 1.0
    assert shapes.rolling_friction[a, b] == pytest.approx(0.01)
    assert shapes.kinetic_friction[c, c] == 0.1
    assert shapes.static_friction[c, c] == 0.4
    assert shapes.static_friction[none, none] == shapes.kinetic_friction[none, none] == 0.5
    assert shapes.restitution[none, none] == 0.0
    assert shapes.restitution[a, none] == pytest.approx(0.25)
