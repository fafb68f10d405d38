"""Clearance: the least distance of a body to what it may touch, against closed forms."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

import impulse_core as ic
from impulse_cli.plots.curves import curves_of, quantities_of
from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import quaternion_to_matrix
from impulse_core.simulation.clearance import Clearances
from impulse_schema.models import (
    Body,
    CollisionFilter,
    CollisionPair,
    Geometry,
    Joint,
    Scene,
    Settings,
)

seeds = st.integers(0, 2**32 - 1)
some = settings(max_examples=40, deadline=None)
HALF = np.array([0.3, 0.5, 0.8])
RADIUS, LENGTH = 0.2, 1.2

SHAPES = {
    "sphere": Geometry(shape="sphere", radius=RADIUS),
    "box": Geometry(shape="box", size=tuple(2.0 * HALF)),
    "capsule": Geometry(shape="capsule", radius=RADIUS, height=LENGTH),
    "ellipsoid": Geometry(shape="ellipsoid", size=tuple(2.0 * HALF)),
    "cylinder": Geometry(shape="cylinder", radius=RADIUS, height=LENGTH),
    "cone": Geometry(shape="cone", radius=RADIUS, height=LENGTH),
}


def body(name, shape, place, turn=(1.0, 0.0, 0.0, 0.0), **more):
    geometry = [SHAPES[shape] if isinstance(shape, str) else shape]
    return Body(
        name=name,
        position=tuple(map(float, place)),
        orientation=tuple(map(float, turn)),
        geometry=geometry,
        **({"density": 1000.0} if more.get("motion", "dynamic") == "dynamic" else {}),
        **more,
    )


def clearances(*bodies, **more):
    """Of every body that asks for it, at the start."""
    compiled = compile_scene(Scene(version=1, bodies=list(bodies), **more))
    found = Clearances(compiled)
    return dict(zip(found.names, found.at(compiled.state), strict=True))


def pose(seed, spread=3.0):
    """A place within ±spread and any orientation, with its matrix."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    return rng.uniform(-spread, spread, size=3), q, quaternion_to_matrix(q)


def distance(shape1, pose1, shape2, pose2):
    """By both bodies' own accounts, which must be one."""
    a = body("a", shape1, *pose1[:2], record_clearance=True)
    b = body("b", shape2, *pose2[:2], record_clearance=True)
    found = clearances(a, b)
    assert found["a"] == pytest.approx(found["b"], abs=1e-9)
    return found["a"]


def boxed(point):
    """Signed distance of a point from the box around the origin."""
    beyond = np.abs(point) - HALF
    return np.linalg.norm(np.maximum(beyond, 0.0)) + min(beyond.max(), 0.0)


def apart(c1, axes1, c2, axes2):
    """Distance of two zonotopes c + Σ xᵢ aᵢ, |xᵢ| ≤ 1: bounded least squares."""
    A = np.column_stack([*axes1, *(-np.array(axes2))])
    found = lsq_linear(A, c2 - c1, bounds=(-1.0, 1.0), tol=1e-14, method="bvls")
    return float(np.linalg.norm(A @ found.x - (c2 - c1)))


@some
@given(seeds)
def test_spheres(seed):
    """|c₂ - c₁| - r₁ - r₂, also where they overlap."""
    one, other = pose(seed, 0.3), pose(seed + 1, 0.3)

    wanted = np.linalg.norm(one[0] - other[0]) - 2.0 * RADIUS
    assert distance("sphere", one, "sphere", other) == pytest.approx(wanted, abs=1e-12)


TORUS = Geometry(shape="torus", major_radius=0.7, minor_radius=0.1)
OFF = 0.01 * 0.1  # [m], of the ring of capsules from the torus


@some
@given(seeds)
def test_sphere_and_torus(seed):
    """The distance of the centre from the circle less both radii, within a hundredth of the minor
    radius; the hole is open.
    """
    one, other = pose(seed, 1.0), pose(seed + 1, 0.1)
    x, y, z = other[2].T @ (one[0] - other[0])
    wanted = math.hypot(math.hypot(x, y) - 0.7, z) - 0.1 - RADIUS

    found = distance("sphere", one, TORUS, other)

    if wanted > 0.0:
        assert found == pytest.approx(wanted, abs=OFF)
    else:
        assert found < OFF
    assert distance("sphere", other, TORUS, other) == pytest.approx(0.4, abs=OFF)


@some
@given(seeds)
def test_torus_and_plane(seed):
    """The lowest point of its circle less the minor radius, exactly."""
    place, turn, R = pose(seed, 2.0)
    ground = body("ground", Geometry(shape="plane"), (0.0, 0.0, 0.0), motion="static")

    (found,) = clearances(body("ring", TORUS, place, turn, record_clearance=True), ground).values()

    lowest = place[2] - 0.7 * math.sqrt(1.0 - R[2, 2] ** 2) - 0.1
    assert found == pytest.approx(lowest, abs=1e-9)


@some
@given(seeds, st.sampled_from([0.6, 3.0, 50.0]))
def test_sphere_and_box(seed, spread):
    """The distance of the centre from the box less the radius, the shortest way out if inside."""
    one, other = pose(seed, spread), pose(seed + 1, 0.1)
    wanted = boxed(other[2].T @ (one[0] - other[0])) - RADIUS

    assert distance("sphere", one, "box", other) == pytest.approx(wanted, abs=1e-9)


@some
@given(seeds)
def test_boxes_and_capsules_apart(seed):
    """Bounded least squares finds the same for two boxes, two capsules, and one of each."""
    one, other = pose(seed, 0.1), pose(seed + 1, 8.0)
    half_axes = {
        "box": lambda R: (R * HALF).T,
        "capsule": lambda R: [R @ np.array([0.0, 0.0, 0.5 * LENGTH])],
    }
    rounding = {"box": 0.0, "capsule": RADIUS}
    for kind1, kind2 in itertools.product(half_axes, repeat=2):
        cores = apart(one[0], half_axes[kind1](one[2]), other[0], half_axes[kind2](other[2]))
        if cores > 1e-3:
            found = distance(kind1, one, kind2, other)
            assert found == pytest.approx(cores - rounding[kind1] - rounding[kind2], abs=1e-8)


@some
@given(seeds, st.sampled_from(list(SHAPES)))
def test_on_a_plane(seed, kind):
    """Height of the lowest point: n·(c - p) less how far the shape reaches down, if curved too."""
    place, q, R = pose(seed)
    at, plane_turn, P = pose(seed + 1)
    down = -(R.T @ P[:, 2])  # in the axes of the shape
    z, across = 0.5 * LENGTH * down[2], RADIUS * math.hypot(down[0], down[1])
    reach = {
        "sphere": RADIUS,
        "box": np.abs(down) @ HALF,
        "capsule": abs(z) + RADIUS,
        "ellipsoid": np.linalg.norm(down * HALF),
        "cylinder": abs(z) + across,
        "cone": max(z, -z + across),
    }[kind]
    ground = body("ground", Geometry(shape="plane"), at, plane_turn, motion="static")

    found = clearances(body("a", kind, place, q, record_clearance=True), ground)

    assert found["a"] == pytest.approx(P[:, 2] @ (place - at) - reach, abs=1e-9)


def heights(seed, rows=5, columns=6):
    rng = np.random.default_rng(seed)
    z = rng.uniform(0.0, 0.6, size=(rows, columns))
    return Geometry(shape="height_field", size=(5.0, 4.0, 1.0), heights=z.tolist()), z


def triangles_of(z):
    rows, columns = z.shape
    grid = np.meshgrid(np.linspace(-2.5, 2.5, columns), np.linspace(-2.0, 2.0, rows))
    points = np.stack([*grid, z], axis=-1)
    for i, k in itertools.product(range(rows - 1), range(columns - 1)):
        a, b, c, d = points[i, k], points[i, k + 1], points[i + 1, k + 1], points[i + 1, k]
        yield from ((a, b, c), (a, c, d))


def from_triangle(point, triangle):
    """Distance of a point: with all corners, each side, or the face the nearest."""
    a, b, c = triangle
    found = [np.linalg.norm(point - corner) for corner in triangle]
    for u, v in ((a, b), (b, c), (c, a)):
        share = np.clip((point - u) @ (v - u) / ((v - u) @ (v - u)), 0.0, 1.0)
        found.append(np.linalg.norm(u + share * (v - u) - point))
    foot, *_ = np.linalg.lstsq(np.column_stack([b - a, c - a]), point - a, rcond=None)
    if foot.min() >= 0.0 and foot.sum() <= 1.0:
        found.append(np.linalg.norm(a + foot[0] * (b - a) + foot[1] * (c - a) - point))
    return min(found)


@settings(max_examples=25, deadline=None)
@given(seeds, st.floats(-0.4, 3.0))
@example(0, -0.25)  # below an edge, whose distance is more than that of the planes beside it
def test_sphere_and_height_field(seed, lift):
    """The nearest of all triangles; negative for a centre below the surface."""
    field, z = heights(seed)
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-2.0, 2.0), rng.uniform(-1.6, 1.6)
    over = [t for t in triangles_of(z) if _covers(t, x, y)]
    a, b, c = over[0]
    n = np.cross(b - a, c - a)
    surface = a[2] - (n[0] * (x - a[0]) + n[1] * (y - a[1])) / n[2]
    center = np.array([x, y, surface + lift])
    wanted = min(from_triangle(center, triangle) for triangle in triangles_of(z))
    ground = body("ground", field, (0, 0, 0), motion="static", record_clearance=True)

    found = clearances(body("a", "sphere", center, record_clearance=True), ground)

    wanted = math.copysign(wanted, lift) - RADIUS
    assert found["a"] == pytest.approx(wanted, abs=1e-9)
    assert found["ground"] == pytest.approx(wanted, abs=1e-9)


def _covers(triangle, x, y):
    a, b, c = (corner[:2] for corner in triangle)
    sides = [
        (v[0] - u[0]) * (y - u[1]) - (v[1] - u[1]) * (x - u[0]) for u, v in ((a, b), (b, c), (c, a))
    ]
    return min(sides) >= 0.0


def test_a_box_that_lies_in_level_ground():
    """A box 3 cm deep in a level field of small triangles overlaps by that, and by no more."""
    field = Geometry(shape="height_field", size=(4.0, 4.0, 1.0), heights=[[0.0] * 21] * 21)
    ground = body("ground", field, (0, 0, 0), motion="static")
    box = body("a", "box", (0.13, 0.07, HALF[2] - 0.03), record_clearance=True)

    assert clearances(box, ground)["a"] == pytest.approx(-0.03, abs=1e-9)


def test_beside_the_border_nothing_is_below_ground():
    """A ball beside a field and lower than it is as far off as its border."""
    field = Geometry(shape="height_field", size=(2.0, 2.0, 1.0), heights=[[0.0, 0.0], [0.0, 0.0]])
    ground = body("ground", field, (0, 0, 0), motion="static")
    ball = body("a", "sphere", (2.0, 0.0, -1.0), record_clearance=True)

    assert clearances(ball, ground)["a"] == pytest.approx(math.sqrt(2.0) - RADIUS, abs=1e-12)


def test_the_nearest_of_all_that_it_may_touch():
    """Denied pairs and joined bodies do not count; of the others and of many solids the nearest."""
    a = body("a", "sphere", (0, 0, 0), record_clearance=True)
    a.geometry = [*a.geometry, Geometry(shape="sphere", radius=0.1, position=(0, 0, 2))]
    others = [
        body("denied", "sphere", (0.5, 0, 0)),
        body("joined", "sphere", (0, 0.6, 0)),
        body("near", "sphere", (0, 0, 3)),
        body("far", "sphere", (0, -9, 0)),
    ]
    joint = Joint(type="ball", body1="a", body2="joined", anchor=(0, 0.3, 0))
    deny = CollisionFilter(pairs=[CollisionPair(body1="a", body2="denied", collide=False)])

    found = clearances(a, *others, joints=[joint], collision_filter=deny)

    assert found == {"a": pytest.approx(1.0 - 0.1 - RADIUS)}


def falling(*, recorded, **more):
    """A ball above a plane, and one that nothing can touch."""
    plane = body("ground", Geometry(shape="plane"), (0, 0, 0), motion="static")
    ball = body("ball", "sphere", (0, 0, 1.0), record_clearance=recorded)
    ghost = Body(name="ghost", mass=1.0, inertia=(1, 1, 1), record_clearance=recorded)
    return Scene(version=1, settings=Settings(**more), bodies=[plane, ball, ghost])


def test_of_a_run():
    """A falling ball's clearance is h - ½gt² - r at every frame until it lands, then about zero."""
    recording = ic.simulate(falling(recorded=True), duration=1.0)

    found = recording.bodies["ball"]["clearance"]
    fall = 1.0 - 0.5 * 9.81 * recording.times**2 - RADIUS
    before = fall > 0.05
    assert found[before] == pytest.approx(fall[before], abs=1e-9)
    assert np.abs(found[-3:]).max() <= 1e-5
    assert found == pytest.approx(recording.positions[:, 1, 2] - RADIUS, abs=1e-12)


def test_nothing_to_touch_is_said_and_not_recorded():
    """A body without solids, whose clearance is infinite, is named in a warning."""
    recording = ic.simulate(falling(recorded=True), duration=0.1)

    assert list(recording.bodies) == ["ball"]
    warnings = recording.diagnostics["warnings"]
    assert any("'ghost' has nothing that it may touch" in warning for warning in warnings)


@pytest.mark.parametrize("more", [{}, {"time_of_impact": True}, {"sleeping": True}])
def test_recording_it_changes_no_bit(more):
    """Motion, reports of contacts and the state's hash are those of a run without."""
    with_it, without = (
        ic.simulate(falling(recorded=recorded, **more), duration=1.0) for recorded in (True, False)
    )

    assert with_it.diagnostics["state_sha256"] == without.diagnostics["state_sha256"]
    assert with_it.diagnostics["contacts"] == without.diagnostics["contacts"]
    assert np.array_equal(with_it.positions, without.positions)
    assert without.bodies == {}


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_files_and_plots_carry_it(tmp_path, suffix):
    """What is saved is read to the last bit, and can be plotted by the name of the body."""
    recording = ic.simulate(falling(recorded=True), duration=0.2)
    recording.save(tmp_path / f"a{suffix}")

    read = ic.load_recording(tmp_path / f"a{suffix}")

    found = recording.bodies["ball"]["clearance"]
    assert np.array_equal(read.bodies["ball"]["clearance"], found)
    assert "clearance" in quantities_of(read)
    (curve,) = curves_of(read, "clearance", ["ball"])
    assert (curve.panel, curve.name) == ("clearance [m]", "ball")
    assert np.array_equal(curve.values, found)
