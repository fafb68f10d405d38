"""The ring of capsules that stands for a torus: how far it is off, what planes and others see."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.collision.ring import DEVIATION, MOST_SIDES, ring_deviation, ring_sides
from impulse_core.collision.shapes import TORUS
from impulse_core.collision.sweep import enlarge, new_sweep
from impulse_core.compile import SceneError
from impulse_core.geometry.rotations import rotated
from impulse_schema.models import Body, Geometry, Shape
from tests.collision.probes import find_pairs
from tests.collision.solids import compiled, turn

BALL = Geometry(shape="sphere", radius=0.1)
MEASURES = {
    "box": {"size": (0.2, 0.2, 0.2)},
    "sphere": {"radius": 0.1},
    "ellipsoid": {"size": (0.2, 0.2, 0.2)},
    "cylinder": {"radius": 0.1, "height": 0.2},
    "capsule": {"radius": 0.05, "height": 0.1},
    "cone": {"radius": 0.1, "height": 0.2},
    "torus": {"major_radius": 0.2, "minor_radius": 0.1},
    "mesh": {"mesh": "cube"},
    "convex_hull": {"mesh": "cube"},
    "plane": {},
    "height_field": {"size": (1.0, 1.0, 0.0001), "heights": [[0.1, 0.1], [0.1, 0.1]]},
}
"""Of every shape that the schema has: its top or bottom is 0.1 m from its middle."""


def torus(major, minor, **given) -> Geometry:
    return Geometry(shape="torus", major_radius=major, minor_radius=minor, **given)


def rings(*solids, place=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0)):
    """A scene of a body with these solids, and a ball far away."""
    body = Body(
        name="it", density=1.0, position=place, orientation=orientation, geometry=list(solids)
    )
    far = Body(name="far", density=1.0, position=(50.0, 0.0, 0.0), geometry=[BALL])
    return compiled([body, far], gravity=(0.0, 0.0, 0.0))


def distance_to_ring(scene, points):
    """Distance of world points from the surface of the capsules of the first body."""
    shapes, state = scene.shapes, scene.state
    nearest = np.full(len(points), np.inf)
    for s in range(shapes.ring_start[0], shapes.ring_start[1]):
        row = shapes.body[s]
        first = shapes.vertex_start[s]
        ends = state.bodies["position"][row] + rotated(
            state.bodies["orientation"][row], shapes.vertex[first : first + 2]
        )
        way = ends[1] - ends[0]
        along = np.clip((points - ends[0]) @ way / (way @ way), 0.0, 1.0)
        off = np.linalg.norm(points - ends[0] - along[:, None] * way, axis=1)
        nearest = np.minimum(nearest, off - shapes.radius[s])
    return nearest


@given(st.floats(1e-2, 1e2), st.floats(1.001, 250.0), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_the_ring_is_nowhere_further_off_than_it_says(major, slenderness, seed):
    """Distances of random points from ring and torus differ by R tan²(π/2n) at most, in both
    directions and about as much as that, and by 1 % of the minor radius.
    """
    rng = np.random.default_rng(seed)
    minor = major / slenderness
    place, q, own = tuple(rng.normal(size=3)), turn(rng), turn(rng)
    scene = rings(torus(major, minor, orientation=own), place=place, orientation=q)
    sides = scene.shapes.ring_start[1] - scene.shapes.ring_start[0]
    stated = ring_deviation(major, sides)

    angle = rng.uniform(-np.pi, np.pi, 4000)
    angle[:400] = np.linspace(-np.pi, np.pi, 400)
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(4000)])
    off = rng.normal(size=(4000, 3)) * minor
    off[:400] = circle[:400] * minor * rng.choice([-1, 1], 400)[:, None]
    local = major * circle + off
    true = np.hypot(np.linalg.norm(local[:, :2], axis=1) - major, local[:, 2]) - minor
    world = np.array(place) + rotated(np.array(q), rotated(np.array(own), local))
    error = distance_to_ring(scene, world) - true

    assert sides == ring_sides(major, minor) <= MOST_SIDES
    assert np.abs(error).max() <= stated + 1e-12 * (1.0 + major)
    assert stated <= DEVIATION * minor * (1.0 + 1e-12)
    assert error.max() > 0.4 * stated
    assert error.min() < -0.4 * stated
    if sides > 16:
        assert ring_deviation(major, sides - 1) > DEVIATION * minor


def test_capsules_of_a_ring_join():
    """Each begins where the one before it ends, to round-off, so that its surface has no gap."""
    shapes = rings(
        torus(0.5, 0.1, position=(0.1, 0.2, 0.3), orientation=turn(np.random.default_rng(1)))
    ).shapes
    first, end = shapes.ring_start[:2]
    ends = np.array([shapes.vertex[shapes.vertex_start[s] :][:2] for s in range(first, end)])
    np.testing.assert_allclose(ends[:, 0], np.roll(ends[:, 1], -1, axis=0), atol=1e-15)


def test_a_torus_too_thin_for_its_ring_is_refused():
    """The message says how many capsules it would take; the same torus may be drawn."""
    with pytest.raises(SceneError, match=r"E606.*300 minor ones.*ring of 273 capsules.*256"):
        rings(torus(3.0, 0.01))
    rings(torus(3.0, 0.01, role="visual"), BALL)


def capsule_boxes(scene, sweep, number):
    first, end = scene.shapes.ring_start[number : number + 2]
    return [(s, sweep.low[s], sweep.high[s]) for s in range(first, end)]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_pairs_are_those_of_capsules_whose_boxes_meet(seed):
    """Two tori and a ball, by brute force: no pair is missed, none is twice, none within a ring."""
    rng = np.random.default_rng(seed)
    bodies = [
        Body(
            name=name,
            density=1.0,
            position=tuple(rng.uniform(-0.7, 0.7, 3)),
            orientation=turn(rng),
            velocity=tuple(rng.normal(size=3)),
            geometry=[solid],
        )
        for name, solid in [("a", torus(0.5, 0.1)), ("ball", BALL), ("b", torus(0.6, 0.05))]
    ]
    scene = compiled(bodies)
    sweep = new_sweep(scene.shapes, scene.state)
    count = find_pairs(scene.model, scene.shapes, scene.state, 0.01, 1e-3, sweep)
    if count < 0:
        sweep = enlarge(sweep, -count)
        count = find_pairs(scene.model, scene.shapes, scene.state, 0.01, 1e-3, sweep)
    found = list(
        zip(sweep.pair_first[:count].tolist(), sweep.pair_second[:count].tolist(), strict=True)
    )

    a, b = capsule_boxes(scene, sweep, 0), capsule_boxes(scene, sweep, 2)
    ball = [(1, sweep.low[1], sweep.high[1])]
    expected = {
        tuple(sorted((s, t)))
        for these, those in ((a, b), (a, ball), (b, ball))
        for s, low, high in these
        for t, other_low, other_high in those
        if np.all((low <= other_high) & (other_low <= high))
    }
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_each_box_holds_its_torus_and_its_ring():
    """Whatever its orientation, and hardly more than the torus. Boxes of capsules hold what of the
    torus is outside of them.
    """
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = turn(rng)
        scene = rings(torus(0.5, 0.1), orientation=q)
        sweep = new_sweep(scene.shapes, scene.state)
        find_pairs(scene.model, scene.shapes, scene.state, 0.0, 0.0, sweep)
        axis = rotated(np.array(q), np.array([0.0, 0.0, 1.0]))
        half = 0.5 * np.sqrt(1.0 - axis**2) + 0.1
        assert np.all(sweep.high[0] >= half)
        assert np.all(sweep.high[0] <= half + 0.001 + 1e-12)
        for _, low, high in capsule_boxes(scene, sweep, 0):
            assert np.all(low >= sweep.low[0] - 0.001 - 1e-12)
            assert np.all(high <= sweep.high[0] + 0.001 + 1e-12)


def test_planes_see_the_circle_and_not_the_capsules():
    """Each pair once: a torus over a plane is one pair, of the two shapes that are sought."""
    scene = compiled(
        [
            Body(name="ground", motion="static", geometry=[Geometry(shape="plane")]),
            Body(name="it", density=1.0, position=(0, 0, 0.1), geometry=[torus(0.5, 0.1)]),
        ]
    )
    sweep = new_sweep(scene.shapes, scene.state)
    assert scene.shapes.kind[1] == TORUS
    assert find_pairs(scene.model, scene.shapes, scene.state, 0.01, 1e-3, sweep) == 1
    assert (sweep.pair_first[0], sweep.pair_second[0]) == (0, 1)


@pytest.mark.parametrize("shape", get_args(Shape))
def test_every_shape_of_the_schema_is_met(shape):
    """It has mass if it has a volume, and is a pair with a ball and with a plane that are near."""
    from tests.collision.test_compile_shapes import MESHES

    ground = shape in ("plane", "height_field")
    solid = Geometry(shape=shape, **MEASURES[shape])
    moving = {"motion": "static"} if ground else {"density": 1.0}
    body = Body(name="it", geometry=[solid], **moving)
    near = {
        "torus": (0.2, 0.0, 0.2005),
        "mesh": (0.5, 0.5, 1.1005),
        "convex_hull": (0.5, 0.5, 1.1005),
        "plane": (0.0, 0.0, 0.1005),
    }.get(shape, (0.0, 0.0, 0.2005))
    ball = Body(name="ball", density=1.0, position=near, geometry=[BALL])
    low = 0.0 if shape in ("mesh", "convex_hull") else -0.1
    plane = Geometry(shape="plane", position=(0.0, 0.0, low - 0.0005))
    floor = Body(name="floor", motion="static", geometry=[plane])
    scene = compiled([body, ball, floor], gravity=(0.0, 0.0, 0.0), meshes=MESHES)
    shapes = scene.shapes
    sweep = new_sweep(shapes, scene.state)
    count = find_pairs(scene.model, shapes, scene.state, 0.01, 1e-3, sweep)
    pairs = zip(sweep.pair_first[:count], sweep.pair_second[:count], strict=True)
    owners = {tuple(sorted((int(shapes.owner[a]), int(shapes.owner[b])))) for a, b in pairs}

    assert owners == ({(0, 1)} if ground else {(0, 1), (0, 2)})
    if not ground:
        assert scene.mass_properties[0].mass > 0.0
