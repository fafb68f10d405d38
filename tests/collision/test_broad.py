"""The broad phase: no pair that could touch is missed, none that may not is found."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.collision.broad import enlarge, new_sweep
from impulse_core.model import copy_state
from impulse_core.rotations import rotated
from impulse_schema.models import Body, Geometry
from tests.collision.probes import find_pairs
from tests.collision.solids import (
    KINDS,
    WEDGE,
    at_time,
    compiled,
    distance_bounds,
    random_body,
    support,
    turn,
)

GRAVITY = (0.0, 0.0, -9.81)


def pairs_of(scene, h=0.01, margin=1e-3, sweep=None, state=None):
    """The pairs, and the sweep that holds them."""
    state = scene.state if state is None else state
    sweep = sweep or new_sweep(scene.shapes, state)
    count = find_pairs(scene.model, scene.shapes, state, h, margin, sweep)
    if count < 0:
        sweep = enlarge(sweep, -count)
        assert find_pairs(scene.model, scene.shapes, state, h, margin, sweep) == -count
        count = -count
    found = zip(sweep.pair_first[:count].tolist(), sweep.pair_second[:count].tolist(), strict=True)
    return list(found), sweep


def solids_of(scene):
    """Owner and solid of each shape, as the compiler numbers them."""
    return [(i, solid) for i, body in enumerate(scene.scene.bodies) for solid in body.geometry]


def world_support(pose, solid):
    """Support function of a solid on a body at a pose."""
    place, q = pose
    local = np.array(solid.orientation)
    conjugate = np.array([1.0, -1.0, -1.0, -1.0])

    def point(direction):
        inner = rotated(local * conjugate, rotated(q * conjugate, direction))
        at = np.array(solid.position) + rotated(local, support(solid, WEDGE, inner))
        return place + rotated(q, at)

    return point


def touching(scene, h, margin, gravity):
    """Pairs of shapes that come within the margin at some time of a step, with the distance they
    start at.
    """
    solids = solids_of(scene)
    masses = iter(scene.mass_properties)
    of_body = [next(masses) if b.motion == "dynamic" else None for b in scene.scene.bodies]
    near = {}
    for time in np.linspace(0.0, h, 5):
        bodies = zip(scene.scene.bodies, of_body, strict=True)
        poses = [at_time(body, time, gravity, mass) for body, mass in bodies]
        for (s1, (b1, g1)), (s2, (b2, g2)) in itertools.combinations(enumerate(solids), 2):
            still = "dynamic" not in {scene.scene.bodies[b].motion for b in (b1, b2)}
            if b1 == b2 or still or (s1, s2) in near:
                continue
            _, distance = distance_bounds(
                world_support(poses[b1], g1), world_support(poses[b2], g2), far=margin
            )
            if distance <= margin:
                near[s1, s2] = None
    poses = [at_time(b, 0.0, gravity, m) for b, m in zip(scene.scene.bodies, of_body, strict=True)]
    for s1, s2 in near:
        (b1, g1), (b2, g2) = solids[s1], solids[s2]
        near[s1, s2] = distance_bounds(world_support(poses[b1], g1), world_support(poses[b2], g2))[
            0
        ]
    return near


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-3, 0.03, 0.2]),
    st.sampled_from([1e-6, 0.02]),
    st.sampled_from([0.0, 2.0, 30.0]),
)
@settings(deadline=None, max_examples=20)
def test_no_pair_is_missed(seed, h, margin, speed):
    """Whatever comes within the margin during the step is a pair, and its reach covers the way."""
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng, f"b{i}", spread=1.0, speed=speed) for i in range(4)]
    bodies.append(random_body(rng, "wall", spread=1.0, motion="static"))
    scene = compiled(bodies, gravity=GRAVITY)

    found, sweep = pairs_of(scene, h, margin)

    owner, dynamic = scene.shapes.owner, scene.shapes.body < scene.model.dynamic
    assert all(owner[a] != owner[b] and (dynamic[a] or dynamic[b]) for a, b in found)
    near = touching(scene, h, margin, GRAVITY)
    assert near.keys() <= set(found)
    reach = dict(zip(found, sweep.pair_reach[: len(found)].tolist(), strict=True))
    for pair, distance in near.items():
        assert reach[pair] >= distance


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_are_tight(kind):
    """Without motion and margin, a box touches its solid on all six sides.

    A hull is what it is: its box is that of its corners. Rounding of Gilbert's steps aside, boxes
    are exact to round-off.
    """
    rng = np.random.default_rng(7)
    for _ in range(20):
        body = random_body(rng, "a", kinds=[kind], speed=0.0)
        scene = compiled([body, random_body(rng, "b", speed=0.0)], gravity=(0.0, 0.0, 0.0))

        _, sweep = pairs_of(scene, margin=0.0)

        pose = (np.array(body.position), np.array(body.orientation))
        for s, solid in enumerate(body.geometry):
            point = world_support(pose, solid)
            tiny = np.array([1e-14, 2e-14, 3e-14])  # keeps corners apart from edges and faces
            highest = [point(axis + tiny) @ axis for axis in np.eye(3)]
            lowest = [point(tiny - axis) @ axis for axis in np.eye(3)]
            np.testing.assert_allclose(sweep.high[s], highest, atol=1e-10)
            np.testing.assert_allclose(sweep.low[s], lowest, atol=1e-10)


def test_sizes_may_differ_by_any_factor():
    """Grains beside a house: each meets what it lies beside, whichever grid it is sorted into."""
    rng = np.random.default_rng(3)
    house = Body(
        name="house",
        motion="static",
        geometry=[Geometry(shape="box", size=(200.0, 300.0, 2.0), position=(0.0, 0.0, -1.0))],
    )
    grains = []
    high = rng.random(300) < 0.5
    for i in range(300):
        radius = 10.0 ** rng.uniform(-4, 0)
        place = (*rng.uniform(-90.0, 90.0, 2), radius + (1.0 if high[i] else 5e-4))
        solid = Geometry(shape="sphere", radius=radius)
        grains.append(Body(name=f"g{i}", density=1.0, position=place, geometry=[solid]))
    scene = compiled([house, *grains], gravity=(0.0, 0.0, 0.0))

    found, _ = pairs_of(scene, margin=1e-3)

    assert [s2 for s1, s2 in found if s1 == 0] == (np.flatnonzero(~high) + 1).tolist()
    centres = np.array([grain.position for grain in grains])
    radii = np.array([grain.geometry[0].radius for grain in grains])
    for i, k in itertools.combinations(range(300), 2):
        gap = np.linalg.norm(centres[i] - centres[k]) - radii[i] - radii[k]
        assert gap > 1e-3 or (i + 1, k + 1) in found


def box_body(name, position, **more):
    return Body(
        name=name,
        density=1.0,
        position=position,
        geometry=[Geometry(shape="box", size=(1.0, 1.0, 1.0))],
        **more,
    )


def test_planes_pair_with_what_can_reach_them():
    """A tilted plane: cubes within reach of it, by their corners, and no others."""
    tilt = (np.cos(0.2), np.sin(0.2), 0.0, 0.0)
    normal = rotated(np.array(tilt), np.array([0.0, 0.0, 1.0]))
    corner = 0.5 * np.abs(normal).sum()
    plane = Body(
        name="slope", motion="static", orientation=tilt, geometry=[Geometry(shape="plane")]
    )
    heights = [0.9e-3, 1.1e-3, 0.5]
    cubes = [
        box_body(f"c{i}", tuple((corner + height) * normal + [3.0 * i, 0.0, 0.0]))
        for i, height in enumerate(heights)
    ]
    fast = box_body("fast", tuple(60.0 * normal), velocity=tuple(-7000.0 * normal))
    rising = box_body("rising", tuple((corner + 0.1) * normal), velocity=tuple(50.0 * normal))
    rising.position = (-9.0, *rising.position[1:])
    scene = compiled([*cubes, plane, fast, rising], gravity=(0.0, 0.0, 0.0))

    found, sweep = pairs_of(scene, h=0.01, margin=1e-3)

    assert [pair for pair in found if 3 in pair] == [(0, 3), (3, 4)]
    assert sweep.pair_reach[found.index((3, 4))] == pytest.approx(70.0 + 1e-3)
    assert sweep.pair_reach[found.index((0, 3))] == pytest.approx(1e-3)


def grid_of_cubes(n, gap):
    rng = np.random.default_rng(5)
    pitch = 1.0 + gap
    return [
        box_body(f"c{i}{j}{k}", tuple(pitch * np.array([i, j, k]) + 1e-4 * rng.normal(size=3)))
        for i in range(n)
        for j in range(n)
        for k in range(n)
    ]


def test_order_does_not_depend_on_history():
    """Pairs ascend, and are the same after a long walk as in a fresh sweep."""
    scene = compiled(grid_of_cubes(4, 0.0))
    rng = np.random.default_rng(11)
    state = copy_state(scene.state)
    sweep = None
    for _ in range(30):
        state.position[:-1] += 0.2 * rng.normal(size=(64, 3))
        walked, sweep = pairs_of(scene, state=state, sweep=sweep)
        fresh, _ = pairs_of(scene, state=state)

        assert walked == sorted(set(walked)) == fresh
    assert fresh


def test_memory_follows_its_pair():
    """A pair keeps its row while it is one; new pairs get rows of -1 that no other pair has."""
    scene = compiled(grid_of_cubes(3, 0.0))
    rng = np.random.default_rng(2)
    state = copy_state(scene.state)
    sweep, known = new_sweep(scene.shapes, state, pairs=8), {}
    kept = lost = 0
    for step in range(40):
        found, sweep = pairs_of(scene, state=state, sweep=sweep, margin=0.02)
        rows = sweep.pair_memory[: len(found)].tolist()
        assert len(set(rows)) == len(rows)
        for pair, row in zip(found, rows, strict=True):
            if pair in known:
                assert sweep.cache[row].tolist() == known[pair]
                kept += 1
            else:
                assert sweep.cache[row].tolist() == [-1] * sweep.cache.shape[1]
            sweep.cache[row] = [*pair, step, 1]
        lost += len(known.keys() - set(found))
        known = {pair: sweep.cache[row].tolist() for pair, row in zip(found, rows, strict=True)}
        state.position[:-1] += 0.03 * rng.normal(size=(27, 3))
    assert kept > 500
    assert lost > 50


def test_a_broken_state_does_no_harm():
    """Bodies that have left all bounds, or the numbers: the others still find each other."""
    scene = compiled(grid_of_cubes(3, 0.0))
    state = copy_state(scene.state)
    state.position[3] = np.nan
    state.position[5] = [np.inf, -np.inf, 0.0]
    state.position[7] = [1e300, 1.0, -1e300]
    state.velocity[9] = 1e200

    found, _ = pairs_of(scene, state=state)

    sound, _ = pairs_of(scene)
    lost = {3, 5, 7, 9}
    assert {p for p in sound if not lost & set(p)} == {p for p in found if not lost & set(p)}


def test_ground_gives_each_triangle_once():
    """The triangles whose boxes meet that of a ball, by brute force, each once."""
    rng = np.random.default_rng(8)
    heights = rng.uniform(-0.3, 0.3, (12, 17)).tolist()
    field = Geometry(shape="height_field", size=(16.0, 11.0, 1.0), heights=heights, rounding=0.02)
    ground = Body(
        name="ground", motion="static", orientation=turn(rng), position=(1, 2, 3), geometry=[field]
    )
    balls = []
    for i in range(40):
        radius = rng.uniform(0.05, 3.0)
        solid = Geometry(shape="sphere", radius=radius)
        place = tuple(rng.uniform(-8.0, 8.0, 3))
        balls.append(Body(name=f"b{i}", density=1.0, position=place, geometry=[solid]))
    scene = compiled([*balls, ground], gravity=(0.0, 0.0, 0.0))
    shapes = scene.shapes

    found, _ = pairs_of(scene, margin=1e-3)

    assert len(shapes.kind) == 41 + 2 * 11 * 16
    expected = set()
    for b, ball in enumerate(balls):
        around = ball.geometry[0].radius + 0.02 + 0.5e-3
        for t in range(41, len(shapes.kind)):
            corners = shapes.vertex[shapes.vertex_start[t] : shapes.vertex_start[t + 1]]
            apart = np.maximum(
                corners.min(axis=0) - ball.position, ball.position - corners.max(axis=0)
            )
            if apart.max() <= around:
                expected.add((b, t))
    assert len(found) == len(set(found))
    with_triangles = {pair for pair in found if pair[1] > 40}
    assert with_triangles == expected
    assert len(expected) > 100
