"""The broad phase: no pair that could touch is missed, none that may not is found."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.collision.sweep import enlarge, new_sweep
from impulse_core.geometry.rotations import rotated
from impulse_core.model import copy_state
from impulse_schema.models import Body, Geometry
from tests.collision.probes import approach_of, find_pairs
from tests.collision.solids import (
    KINDS,
    WEDGE,
    at_time,
    compiled,
    nearest,
    random_body,
    support,
    turn,
)


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


def approaches(scene, h, sweep):
    """How far the shapes of each pair can approach each other within h."""
    count = sweep.pair_count[0]
    given = scene.model, scene.shapes, scene.state, h, sweep
    return [approach_of(*given, k) for k in range(count)]


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


def just_met(rng, bodies, h, margin, gravity):
    """Move each body so that one of its solids comes to half the margin of one of the body before
    it at some time of the step; returns those pairs of shapes, with a bound of the distance at the
    start.
    """
    first = np.cumsum([0, *[len(body.geometry) for body in bodies]])
    masses = [compiled([body]).mass_properties for body in bodies]
    masses = [mass[0] if mass else None for mass in masses]
    pairs = {}
    for k in range(1, len(bodies)):
        time = rng.uniform(0.0, h)
        chosen = [(i, int(rng.integers(len(bodies[i].geometry)))) for i in (k - 1, k)]

        def supports(time, chosen=chosen):
            return [
                world_support(
                    at_time(bodies[i], time, gravity, masses[i]), bodies[i].geometry[solid]
                )
                for i, solid in chosen
            ]

        apart, _ = nearest(*supports(time))
        length = np.linalg.norm(apart)
        if length > margin:
            shift = apart * (1.0 - 0.5 * margin / length)
            bodies[k].position = tuple(np.array(bodies[k].position) - shift)
        shapes = tuple(int(first[i]) + solid for i, solid in chosen)
        pairs[shapes] = nearest(*supports(0.0))[1]
    return pairs


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-3, 0.03, 0.2]),
    st.sampled_from([1e-6, 0.02]),
    st.sampled_from([(0.0, 0.0), (0.0, 5.0), (0.0, 40.0), (3.0, 0.0), (3.0, 3.0), (30.0, 5.0)]),
    st.sampled_from([0.0, -9.81]),
)
@settings(max_examples=80)
def test_no_pair_is_missed(seed, h, margin, speeds, g):
    """What comes within the margin during the step is a pair, and its reach covers the way."""
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng, f"b{i}", speed=speeds[0], spin=speeds[1]) for i in range(3)]
    bodies.insert(1, random_body(rng, "wall", motion="static"))
    met = just_met(rng, bodies, h, margin, (0.0, 0.0, g))
    scene = compiled(bodies, gravity=(0.0, 0.0, g))

    found, sweep = pairs_of(scene, h, margin)

    owner, dynamic = scene.shapes.owner, scene.shapes.body < scene.model.dynamic
    assert all(owner[a] != owner[b] and (dynamic[a] or dynamic[b]) for a, b in found)
    assert met.keys() <= set(found)
    reach = dict(zip(found, approaches(scene, h, sweep), strict=True))
    for pair, distance in met.items():
        assert margin + reach[pair] >= distance


@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.floats(0.0, 3.0))
@settings(max_examples=60)
def test_all_boxes_that_overlap_are_pairs(seed, number, decades):
    """Balls of sizes over so many powers of ten: exactly the boxes that overlap, by brute force."""
    rng = np.random.default_rng(seed)
    bodies = []
    for i in range(number):
        solid = Geometry(shape="sphere", radius=10.0 ** rng.uniform(-decades, 0.0))
        place = tuple(rng.uniform(-3.0, 3.0, 3) * [1.0, 1.0, 0.3])
        bodies.append(Body(name=f"b{i}", density=1.0, position=place, geometry=[solid]))
    scene = compiled(bodies)

    found, sweep = pairs_of(scene)

    low, high = sweep.low, sweep.high
    overlap = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    assert found == [(int(i), int(k)) for i, k in np.argwhere(np.triu(overlap, 1))]


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_are_tight(kind):
    """Without motion and margin, a box touches its solid on all six sides.

    A hull is what it is: its box is that of its corners. Rounding of Gilbert's steps aside, boxes
    are exact to round-off.
    """
    rng = np.random.default_rng(7)
    for _ in range(20):
        body = random_body(rng, "a", kinds=[kind])
        scene = compiled([body, random_body(rng, "b")], gravity=(0.0, 0.0, 0.0))

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


@pytest.mark.parametrize("number", [2, 20, 47, 48, 49, 50, 120])
@pytest.mark.parametrize("seed", range(3))
def test_boxes_that_overlap_are_pairs_whatever_their_number(number, seed):
    """Few boxes are one column, more of them many; a few pairs are sorted otherwise than many."""
    random = np.random.default_rng(seed)
    places = random.uniform(0.0, random.choice([2.0, 6.0]), (number, 3)).tolist()
    bodies = [box_body(f"b{k}", tuple(place)) for k, place in enumerate(places)]
    found, sweep = pairs_of(compiled(bodies, gravity=(0.0, 0.0, 0.0)))
    low, high = sweep.low[:number], sweep.high[:number]
    meet = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    assert found == [(i, k) for i, k in itertools.combinations(range(number), 2) if meet[i, k]]


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
    reach = dict(zip(found, approaches(scene, 0.01, sweep), strict=True))
    assert reach[3, 4] == pytest.approx(70.0)
    assert reach[0, 3] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("g", [-10.0, 10.0])
@pytest.mark.parametrize("speed", [0.0, 2.0])
def test_gravity_moves_boxes_within_the_step(g, speed):
    """A cube that falls by less than the gap is none of a floor's pairs, by a little more it is."""
    h, up = 0.1, -np.sign(g)
    floor = Body(
        name="floor",
        motion="static",
        geometry=[Geometry(shape="box", size=(9.0, 9.0, 1.0), position=(0.0, 0.0, -0.5 * up))],
    )
    way = speed * h + abs(g) * h * h  # what contacts may leave of it is not known yet
    for gap, expected in ((0.99 * way, [(0, 1)]), (1.01 * way, [])):
        cube = box_body("cube", (0.0, 0.0, up * (0.5 + gap)), velocity=(0.0, 0.0, -up * speed))
        scene = compiled([floor, cube], gravity=(0.0, 0.0, g))

        found, sweep = pairs_of(scene, h, margin=1e-6)

        assert found == expected
        assert approaches(scene, h, sweep) == pytest.approx([way] * len(found))


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
        state.bodies["position"][:-1] += 0.2 * rng.normal(size=(64, 3))
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
        for row, pair in enumerate(found):
            if pair in known:
                assert sweep.cache[row].tolist() == known[pair]
                kept += 1
            else:
                assert sweep.cache[row].tolist() == [-1] * sweep.cache.shape[1]
            sweep.cache[row] = [*pair, step, 1]
        lost += len(known.keys() - set(found))
        known = {pair: sweep.cache[row].tolist() for row, pair in enumerate(found)}
        state.bodies["position"][:-1] += 0.03 * rng.normal(size=(27, 3))
    assert kept > 500
    assert lost > 50


def test_a_broken_state_does_no_harm():
    """Bodies that have left all bounds, or the numbers: the others still find each other."""
    scene = compiled(grid_of_cubes(3, 0.0))
    state = copy_state(scene.state)
    state.bodies["position"][3] = np.nan
    state.bodies["position"][5] = [np.inf, -np.inf, 0.0]
    state.bodies["position"][7] = [1e300, 1.0, -1e300]
    state.bodies["velocity"][9] = 1e200

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
