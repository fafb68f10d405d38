"""What the impulses of a step make bodies hit is found in that step, not in the next."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core
from impulse_core.collision.contacts import EDGE_EDGE, new_contacts
from impulse_core.collision.geometry import has_direction
from impulse_core.compile import compile_scene
from impulse_core.jit import kernel
from impulse_core.model import BodyState
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.types import new_records
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Material
from tests.contact.scenes import ball, box, bricks, cube, scene

FOUND = 10.0  # tolerances: twice what a second look lets pass
DEEPEST = 3e-4  # m, of cubes of a metre


def deepest(made: Scene, step: float, duration: float) -> float:
    """The largest overlap that detection finds at the start of a step, in tolerances.

    The gap to reach is that overlap, but for the 2 % of it that a step takes back. Points that were
    added stand among those of their pair: all pairs ascend, as what remembers them relies on.
    """
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=step))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    least = 0.0
    for taken in range(round(duration / step)):
        assert engine.advance(step, 1, taken)
        contacts = engine.runner.setup.contacts
        used = contacts.used[0]
        assert np.all(np.diff(contacts.mark["pair"][:used]) >= 0)
        least = min(least, contacts.row["target"][:used].min(initial=0.0))
    return -least / engine.tolerance


def fixed(
    name: str, position: tuple[float, float, float], size: tuple[float, float, float]
) -> Body:
    return Body(
        name=name,
        motion="static",
        position=position,
        geometry=[Geometry(shape="box", size=size)],
    )


def seesaw(speed: float, gap: float, mass: float, length: float = 3.0, **settings) -> Scene:
    """A plank at rest on a fulcrum, with a post below one end, on which a block falls."""
    end = 0.5 * length - 0.25
    block = box("block", (end, 0.0, 1.452), mass, (0.5, 0.5, 0.5))
    return scene(
        fixed("fulcrum", (0.0, 0.0, 0.5), (0.2, 1.0, 1.0)),
        fixed("post", (end, 0.0, 0.5 * (1.0 - gap)), (0.2, 1.0, 1.0 - gap)),
        box("plank", (0.0, 0.0, 1.1), 20.0, (length, 0.5, 0.2)),
        block.model_copy(update={"velocity": (0.0, 0.0, -speed)}),
        **settings,
    )


def drawn(seed: int) -> tuple[Scene, float]:
    """One of other speeds, gaps, masses, lengths and tolerances, and a step for it [s]."""
    random = np.random.default_rng(seed)
    speed, gap = random.uniform(1.5, 8.0), random.uniform(0.0015, 0.01)
    mass, length = 20.0 ** random.uniform(0.5, 1.5), random.uniform(2.5, 5.0)
    step, tolerance = random.choice([0.0125, 0.01, 0.005]), 10.0 ** random.uniform(-6.0, -4.5)
    return seesaw(speed, gap, mass, length, tolerance=tolerance), step


def test_what_is_struck_does_not_go_through_what_is_below():
    """The plank rests 4 mm above a post; struck, its end would go 2 cm into that in the step."""
    assert deepest(seesaw(4.0, 0.004, 50.0, tolerance=1e-5), 0.01, 0.1) <= FOUND


@pytest.mark.parametrize("seed", range(6))
def test_nor_at_other_speeds_gaps_masses_and_steps(seed):
    made, step = drawn(seed)

    assert deepest(made, step, 0.2) <= FOUND


@pytest.mark.parametrize("seed", range(6, 10))
def test_points_that_are_added_create_no_energy(seed):
    """It only falls, in steps that are not divided for it."""
    made, step = drawn(seed)

    recording = impulse_core.simulate(made, step=step, duration=0.4, fps=1.0 / step)

    energy = recording.energy["total"]
    assert np.diff(energy).max() <= 1e-6 * energy[0]
    assert recording.diagnostics["halvings"] == 0


def drawn_brick(seed: int) -> tuple[Scene, float]:
    """Some 27 to 125 cubes of a metre with other gaps, masses and turns, and a step [s]."""
    random = np.random.default_rng(seed)
    side, gap = int(random.integers(3, 6)), 10.0 ** random.uniform(-3.0, -1.3)
    mass, step = 10.0 ** random.uniform(0.0, 3.0), random.choice([0.01, 0.005, 0.0025])
    return bricks(side, gap, mass, turned=seed), step


@pytest.mark.parametrize(
    ("made", "step"),
    [
        (bricks(3, 0.01, 1.0, turned=1), 0.01),
        (bricks(4, 0.002, 600.0, turned=2), 0.01),
        (bricks(5, 0.05, 30.0, turned=3), 0.005),
        *(drawn_brick(seed) for seed in range(2000, 2009)),
    ],
)
def test_bricks_whose_edges_begin_parallel(made, step):
    """Parallel edges may cross at the end of a step: such a point has no direction at the start.
    Corners slide past edges, and faces are met from either side. All numbers stay finite, and no
    cube is deeper in another than in the sample heaps.
    """
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=step))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    for taken in range(round(0.5 / step)):
        assert engine.advance(step, 1, taken)
        used = engine.runner.setup.contacts.used[0]
        for name in ("normal", "impulse", "gap"):
            assert np.isfinite(engine.runner.setup.contacts.row[name][:used]).all()
    assert np.isfinite(engine.state.bodies["position"]).all()
    assert engine.tally.totals["deepest"][0] <= DEEPEST


EDGES = [  # of two bodies, by the angle of theirs
    (0.0, False),
    (1e-10, False),
    (1e-6, True),
    (0.5 * np.pi, True),
    (np.pi, False),
]


@pytest.mark.parametrize(("angle", "crosses"), EDGES)
def test_parallel_edges_have_no_crossing(angle, crosses):
    contacts, poses = new_contacts(1), new_records(BodyState, 2)
    contacts.mark["kind"], contacts.mark["body2"] = EDGE_EDGE, 1
    contacts.row["axis1"] = contacts.row["axis2"] = (1.0, 0.0, 0.0)
    poses["orientation"] = (1.0, 0.0, 0.0, 0.0)
    poses["orientation"][1] = (np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle))

    assert edges_cross(contacts, poses) == crosses


@kernel
def edges_cross(contacts, poses):
    return has_direction(contacts, 0, poses)


@pytest.mark.parametrize("half", ["first", "second"])
def test_a_step_without_numbers_ends_the_run(half):
    """What is no number is neither accepted nor passed over: the run ends and names a contact."""
    made = bricks(3, 0.0, 1.0)
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=0.01))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert engine.advance(0.01, 30, 0)
    memory = engine.runner.setup.memory
    assert memory.used[0] > 0
    memory.row[half][: memory.used[0]] = np.nan

    assert not engine.advance(0.01, 1, 30)
    said = engine.failure(0.3, 0.01)["message"]
    assert "cube-" in said
    assert np.isfinite(engine.state.bodies["position"]).all()


@pytest.mark.parametrize("solid", [ball, cube])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("step", [0.01, 0.007])
def test_what_is_pushed_to_the_ground_within_a_step_stays_above_it(solid, restitution, step):
    """A solid that hangs in the air is hit from above, and would be below the ground by t+h.

    What gives something back was left out of the second look: it overlapped by 2.5 cm.
    """
    rubber = Material(name="rubber", static_friction=0.3, restitution=restitution)
    low = solid("low", position=(0.0, 0.0, 0.52), material="rubber")
    high = solid("high", position=(0.0, 0.0, 1.53), velocity=(0.0, 0.0, -10.0), material="rubber")
    made = scene(low, high, materials=(rubber,))
    recording = impulse_core.simulate(made, duration=0.1, step=step, fps=1.0 / step)
    told, energy = recording.diagnostics, recording.energy["total"]
    assert told["warnings"] == []
    assert told["contacts"]["max_penetration_m"] <= 1e-9
    assert np.diff(energy).max() <= 1e-12 * energy[0]


def slapping(random: np.random.Generator) -> tuple[Scene, float, float]:
    """A round solid that falls on its rim, somewhat tilted, its size [m] and a step [s]."""
    size = float(random.uniform(0.05, 1.0))
    time = float(np.sqrt(size))
    tilt, way = random.uniform(0.0, 0.15), random.uniform(0.0, 2.0 * np.pi)
    across = np.sin(0.5 * tilt) * np.array((np.cos(way), np.sin(way)))
    shape = str(random.choice(["cylinder", "cone", "torus"]))
    radius, height = map(float, size * random.uniform((0.1, 0.2), (0.4, 0.8)))
    measures = {"radius": radius, "height": height}
    if shape == "torus":
        measures = {"major_radius": radius, "minor_radius": 0.3 * radius}
    round_solid = Geometry.model_validate({"shape": shape, **measures})
    body = Body(
        name="slaps",
        density=700.0,
        position=(0.0, 0.0, size),
        orientation=(float(np.cos(0.5 * tilt)), *map(float, across), 0.0),
        velocity=(float(random.normal()), 0.0, -9.0 * time * float(random.uniform())),
        angular_velocity=tuple(map(float, random.normal(size=3) * 2.0 / time)),
        geometry=[round_solid],
    )
    return scene(body), size, float(random.uniform(2e-3, 9e-3)) * time


def test_the_other_side_of_a_rim_comes_down_within_a_step() -> None:
    """The contact runs along the rim to the side that is lowest, but not by more than a quarter of
    a turn; what was lowest then, on the other side, was taken for that contact's to hold.
    """
    q = np.array((0.99886221, 0.04371039, -0.01907045, 0.0))
    cylinder = Body(
        name="cylinder",
        density=700.0,
        position=(0.0, 0.0, 0.68),
        orientation=tuple(map(float, q / np.linalg.norm(q))),
        velocity=(0.27648, 0.0, -7.10218),
        angular_velocity=(-4.96045, -1.13959, -0.36635),
        geometry=[Geometry(shape="cylinder", radius=0.1365, height=0.2478)],
    )
    recording = impulse_core.simulate(scene(cylinder), duration=0.5, step=0.0057)
    assert recording.diagnostics["contacts"]["max_penetration_m"] <= 1e-5


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_rims_slap_down(seed: int) -> None:
    """Other rims, speeds, tilts and steps. While the contact of a rim runs to its other side a step
    may find no impulses: it is divided as long as laws are far from held. Where it was left at a
    quarter 21 of 400 such solids broke a law, and overlapped, by 2e-4 to 6e-3 of their size.
    """
    made, size, step = slapping(np.random.default_rng(seed))
    recording = impulse_core.simulate(made, duration=2.0 * np.sqrt(size), step=step)
    told = recording.diagnostics["contacts"]
    assert told["max_penetration_m"] <= 3e-4 * size
    assert told["max_violation_m"] <= 3e-4 * size
