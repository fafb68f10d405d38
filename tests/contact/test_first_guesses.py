"""Impulses with which a step begins, as after an impact or where a box rocks on to other corners:
those that turn light bodies by many turns and open joints by metres are dropped.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from impulse_core.compile import compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Material
from tests.contact.scenes import scene

LEGS = ((0.2, 0.12), (0.2, -0.12), (-0.2, 0.12), (-0.2, -0.12))


def body(name: str, place, mass: float, inertia: float, size=None, angle: float = 0.0) -> Body:
    """A body with a box, if any, turned about y, whose moments of inertia are far less than its."""
    turned = (math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)
    box = Geometry(shape="box", size=size or (1, 1, 1), orientation=turned, material="rubber")
    return Body(
        name=name,
        position=place,
        mass=mass,
        inertia=(inertia, inertia, inertia),
        geometry=[box] if size else [],
    )


def hinge(name: str, one: str, other: str, anchor, axis, friction: float) -> Joint:
    return Joint(
        name=name, type="hinge", body1=one, body2=other, anchor=anchor, axis=axis,
        frictions=[{"force": friction}],
    )  # fmt: skip


def limp_quadruped(inertia: float, step: float, seed: int = 0) -> Scene:
    """A trunk on four legs of three links, none of which is driven: it falls, and lies there."""
    random = np.random.default_rng([seed, 5])
    upper, lower = random.uniform(0.15, 0.3), random.uniform(0.15, 0.3)
    masses = 10.0 ** random.uniform([0.7, -0.3, -0.3, -0.9], [1.3, 0.3, 0.3, -0.3])
    bend, friction = random.uniform(0.1, 0.5), 10.0 ** random.uniform(-4.0, -1.0)
    knee, foot = np.sin(bend) * upper, np.cos(bend) * upper
    height = foot + np.cos(bend) * lower + 0.02 + random.uniform(0.0, 0.1)
    bodies = [body("trunk", (0.0, 0.0, height), masses[0], inertia, (0.5, 0.2, 0.1))]
    joints = []
    for k, (x, y) in enumerate(LEGS):
        hip = np.array([x, 1.3 * y, height])
        at_knee = np.add(hip, (-knee, 0.0, -foot))
        sole = np.add(at_knee, (np.sin(bend) * lower, 0.0, -np.cos(bend) * lower))
        middle, lowest = 0.5 * (hip + at_knee), 0.5 * (at_knee + sole)
        bodies += [
            body(f"hip{k}", (x, y, height), masses[1], inertia),
            body(f"upper{k}", tuple(middle), masses[2], inertia, (0.04, 0.03, upper), bend),
            body(f"lower{k}", tuple(lowest), masses[3], inertia, (0.03, 0.03, lower), -bend),
        ]
        along, across = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        joints += [
            hinge(f"roll{k}", "trunk", f"hip{k}", (x, y, height), along, friction),
            hinge(f"pitch{k}", f"hip{k}", f"upper{k}", tuple(hip), across, friction),
            hinge(f"knee{k}", f"upper{k}", f"lower{k}", tuple(at_knee), across, friction),
        ]
    rubber = Material(name="rubber", static_friction=0.7)
    made = scene(*bodies, materials=(rubber,), step=step, duration=2.0)
    made.joints = joints
    return made


def misled(made: Scene, steps: int, factor: float) -> tuple[np.ndarray, float, int]:
    """Positions a step after so many, once as it is and once with guesses that are wrong by a
    factor, the tolerance, and how often the latter step was divided.
    """
    compiled = compile_scene(made)
    options = choose_options(compiled)
    places, halvings = [], 0
    for wrong in (1.0, factor):
        engine = Engine(compiled, options)
        engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
        assert engine.advance(options.step, steps, 0)
        before = int(engine.tally.totals["halvings"][0])
        engine.state.joints["multiplier"][:] *= wrong
        engine.runner.setup.memory.multiplier[:] *= wrong
        assert engine.advance(options.step, 1, steps)
        halvings = int(engine.tally.totals["halvings"][0]) - before
        places.append(np.array(engine.state.bodies["position"]))
    return np.array(places), options.tolerance, halvings


@pytest.mark.parametrize("factor", [1e3, 1e5, -1e8])
def test_a_guess_that_leads_nowhere_is_dropped(factor):
    places, tolerance, halvings = misled(limp_quadruped(1e-3, 0.004), 60, factor)

    assert halvings == 0
    assert np.allclose(places[0], places[1], rtol=0.0, atol=10.0 * tolerance)


@pytest.mark.parametrize("seed", range(16))
def test_drawn_guesses_that_lead_nowhere_are_dropped(seed):
    random = np.random.default_rng([seed, 23])
    made = limp_quadruped(
        10.0 ** random.uniform(-4.0, -2.0), 10.0 ** random.uniform(-3.0, -2.2), seed
    )
    factor = random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(4.0, 9.0)

    places, tolerance, halvings = misled(made, int(random.integers(5, 100)), factor)

    assert halvings == 0
    assert np.allclose(places[0], places[1], rtol=0.0, atol=10.0 * tolerance)
