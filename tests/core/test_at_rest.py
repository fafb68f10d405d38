"""Machines that joint friction holds come to rest: their steps then cost looks at laws alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.compile import compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, CouplingTerm, Friction, Joint, Motor, Spring
from tests.core.scenes import scene_of

STEP = 1e-3
TOLERANCE = 1e-9
REST = 2.5  # s, by which all of these stand


def held(seed: int, links: int, fingers: int) -> Scene:
    """An arm that servos and friction hold, with fingers on its last link, each coupled with the
    first; all hinges rub, so that coupled ones share their load in more than one way.
    """
    random = np.random.default_rng(seed)
    bodies, joints, last, at = [], [], "world", np.zeros(3)
    for k in range(links + fingers):
        finger = k >= links
        way = random.normal(size=3)
        way *= (0.05 if finger else 0.2) / np.linalg.norm(way)
        mass = 0.05 if finger else float(random.uniform(0.3, 2.0))
        name = f"finger-{k - links}" if finger else f"link-{k}"
        inertia = tuple((mass * (way @ way) * random.uniform(0.3, 0.5, 3)).tolist())
        bodies.append(Body(name=name, position=tuple(at + 0.5 * way), mass=mass, inertia=inertia))
        joint = Joint(
            name=f"joint-{k}",
            type="hinge",
            body1=last,
            body2=name,
            anchor=tuple(at),
            axis=tuple(random.normal(size=3)),
            frictions=[Friction(force=0.02 if finger else 2.0)],
            springs=[Spring(damping=0.01 if finger else 1.0)],
        )
        if not finger:
            joint.motors = [Motor(kind="servo", proportional=200.0, derivative=10.0, target=0.1)]
            last, at = name, at + way
        joints.append(joint)
    for k in range(links + 1, links + fingers):
        terms = [
            CouplingTerm(joint=f"joint-{links}", coefficient=1.0),
            CouplingTerm(joint=f"joint-{k}", coefficient=float(random.choice([-1.0, 1.0]))),
        ]
        joints.append(Joint(name=f"gear-{k}", type="coupling", terms=terms))
    return scene_of(bodies, joints)


def engine_of(scene: Scene) -> Engine:
    compiled = compile_scene(scene, assemble=False)
    options = choose_options(compiled, step=STEP, tolerance=TOLERANCE)
    engine = Engine(compiled, options, assemble=False)
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    return engine


def at_rest(scene: Scene) -> Engine:
    """An engine after ``REST``."""
    engine = engine_of(scene)
    assert engine.advance(STEP, round(REST / STEP), 0)
    return engine


def corrections(engine: Engine) -> int:
    totals = engine.tally.totals[0]
    return int(totals["corrections"] + totals["velocity_corrections"])


def check(engine: Engine, steps: int) -> None:
    """Most steps are not corrected, where each was at least once, and nothing moves."""
    start, before = engine.state.bodies.copy(), corrections(engine)
    assert engine.advance(STEP, steps, round(REST / STEP))

    assert corrections(engine) - before <= 0.8 * steps
    moved = np.abs(engine.state.bodies["position"] - start["position"]).max()
    turned = np.abs(engine.state.bodies["orientation"] - start["orientation"]).max()
    assert max(moved, turned) <= TOLERANCE


@pytest.mark.parametrize("fingers", [0, 3])
def test_what_stands_is_not_corrected(fingers: int) -> None:
    """A first half left what the second took back, for ever."""
    check(at_rest(held(1, 4, fingers)), 400)


@settings(max_examples=12, deadline=None)
@given(st.integers(10, 10**6), st.integers(1, 7), st.integers(0, 4))
def test_nor_is_any_other(seed: int, links: int, fingers: int) -> None:
    check(at_rest(held(seed, links, fingers)), 200)


def test_what_is_let_go_falls() -> None:
    """What rests is not held: without its motors and friction the arm moves."""
    engine = at_rest(held(1, 4, 3))
    rested = engine.state.bodies.copy()
    engine.model.axes["motor_gain"] = 0.0
    engine.model.axes["friction"] = 0.0
    assert engine.advance(STEP, 100, 0)

    fallen = np.abs(engine.state.bodies["position"] - rested["position"]).max()
    assert fallen > 1e-3


def test_rest_has_the_same_bits_however_it_is_cut() -> None:
    """In one call, in many, and from a snapshot, whose factor is found anew."""
    scene = held(3, 3, 3)
    steps = round(REST / STEP)
    whole, cut = at_rest(scene), engine_of(scene)
    for n in range(steps):
        assert cut.advance(STEP, 1, n)
    assert cut.digest() == whole.digest()

    again = engine_of(scene)
    again.restore(whole.snapshot())
    for engine in (whole, again):
        assert engine.advance(STEP, 300, steps)
    assert again.digest() == whole.digest()
