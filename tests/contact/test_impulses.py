"""New impulses at contacts act on the bodies once, with the same bits where threads share that."""

from __future__ import annotations

import numpy as np
import pytest

from impulse_core.collision.contacts import FOUND
from impulse_core.compile import compile_scene
from impulse_core.contact.impulses import apply_contact_impulses
from impulse_core.contact.system import motion_of
from impulse_core.jit import kernel
from impulse_core.model.tasks import CONTACTS
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Keyframe, Material
from tests.contact.scenes import scene, solid, turned

FELT = Material(name="felt", static_friction=0.6, rolling_friction=0.02, torsional_friction=0.01)
SLICK = Material(name="slick", static_friction=0.3)


@kernel
def act(contact, model, state, work):  # type: ignore[no-untyped-def]
    return apply_contact_impulses(contact, motion_of(model, state, work))


def on_a_lift(seed: int) -> Scene:
    """Solids, half of which resist turning, upon each other on a plate that moves, and beside it on
    the ground.
    """
    random = np.random.default_rng(seed)
    keys = [Keyframe(time=10.0 * k, position=(0.0, 0.0, 0.1 + 2.0 * k)) for k in range(2)]
    plate = Body(
        name="plate",
        motion="kinematic",
        position=keys[0].position,
        keyframes=keys,
        geometry=[Geometry(shape="box", size=(2.4, 8.0, 0.2))],
    )
    bodies = [
        Body(
            name=f"{k}",
            mass=float(10.0 ** random.uniform(-1.0, 1.0)),
            position=(
                0.9 * (k % 4) - 0.4 + (0.8 if k % 4 > 1 else 0.0),
                0.9 * (k // 4 % 4) - 1.4,
                0.7 + 0.95 * (k // 16) - (0.1 if k % 4 > 1 else 0.0),
            ),
            orientation=turned(random),
            geometry=[solid(random, 0.85, ("felt", "slick")[k % 2])],
        )
        for k in range(int(random.integers(80, 120)))
    ]
    return scene(plate, *bodies, materials=(SLICK, FELT))


def on_the_ground(seed: int) -> Scene:
    """The same without the plate."""
    made = on_a_lift(seed)
    made.bodies = [body for body in made.bodies if body.name != "plate"]
    return made


def expected(engine: Engine) -> tuple[np.ndarray, np.ndarray, float]:
    """Velocities and angular momenta once all that is new has acted, contact by contact, and the
    work of kinematic bodies.
    """
    model, state, work = engine.model, engine.state, engine.work
    contacts = engine.runner.setup.contacts
    velocity = state.bodies["velocity"].copy()
    momentum = state.bodies["angular_momentum"].copy()
    done, world = 0.0, len(model.bodies) - 1
    for row, mark in zip(contacts.row[: contacts.used[0]], contacts.mark, strict=False):
        p = row["impulse"] - row["applied"]
        t = row["torque"] - row["torque_applied"] if row["resists"] > 0.0 else np.zeros(3)
        for i, arm, sign in (
            (mark["body1"], row["arm1"], -1.0),
            (mark["body2"], row["arm2"], 1.0),
        ):
            turning = sign * (np.cross(arm, p) + t)
            if i < model.dynamic:
                velocity[i] += sign * p * model.bodies["inverse_mass"][i]
                momentum[i] += turning
            elif i < world:
                done -= sign * p @ velocity[i] + turning @ work.angular_velocity[i]
    return velocity, momentum, done


def pushed(made: Scene, seed: int, threads: int) -> Engine:
    """After some steps, with drawn impulses at all contacts, two of three of which are new."""
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=0.005, threads=threads))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert engine.advance(0.005, 200, 0)
    setup, random = engine.runner.setup, np.random.default_rng(seed)
    used = int(setup.contacts.used[0])
    assert used > CONTACTS
    row = setup.contacts.row[:used]
    for given, acted in (("impulse", "applied"), ("torque", "torque_applied")):
        row[acted] = random.standard_normal((used, 3))
        new = random.standard_normal((used, 3)) * (random.random((used, 1)) < 0.7)
        row[given] = row[acted] + new
    engine.work.angular_velocity[:] = random.standard_normal(engine.work.angular_velocity.shape)
    return engine


@pytest.mark.parametrize("make", [on_a_lift, on_the_ground])
@pytest.mark.parametrize("seed", range(2, 6))
def test_what_is_new_acts_once(make, seed):
    """On bodies as contact by contact; what kinematic ones do is counted. Then nothing is new."""
    engine = pushed(make(seed), seed, 1)
    setup, plate = engine.runner.setup, engine.model.dynamic
    if make is on_a_lift:
        assert (setup.contacts.mark["body1"][: setup.contacts.used[0]] == plate).any()
    else:
        assert plate == len(engine.model.bodies) - 1  # the world: there is none
    velocity, momentum, done = expected(engine)
    engine.work.kinematic_work[0] = 0.0

    assert not act(setup, engine.model, engine.state, engine.work)  # on no jointed body

    scale = np.abs(momentum).max() + np.abs(velocity).max()
    bodies = engine.state.bodies
    np.testing.assert_allclose(bodies["velocity"], velocity, rtol=0.0, atol=1e-13 * scale)
    np.testing.assert_allclose(bodies["angular_momentum"], momentum, rtol=0.0, atol=1e-13 * scale)
    assert engine.work.kinematic_work[0] == pytest.approx(done, rel=1e-11)
    before = bodies.copy()
    assert not act(setup, engine.model, engine.state, engine.work)
    np.testing.assert_array_equal(bodies, before)


@pytest.mark.parametrize("seed", range(10, 14))
def test_shares_act_with_the_same_bits(seed):
    """The first thread does all shares where no other comes. Zeros keep their signs as well."""
    ends = []
    for shared in (False, True):
        engine = pushed(on_the_ground(seed), seed, 2)
        team = engine.runner.setup.team
        engine.state.bodies["velocity"][::3] = -0.0
        engine.state.bodies["angular_momentum"][1::3] = -0.0
        row = engine.runner.setup.contacts.row
        row["impulse"][::5] = row["applied"][::5]
        chunk = engine.runner.setup.contacts.chunk
        chunk[0, FOUND] = -1.0
        team.open[0] = 1 if shared else 0
        act(engine.runner.setup, engine.model, engine.state, engine.work)
        team.open[0] = 0
        ends.append(engine.state.bodies.tobytes())
        assert (chunk[0, FOUND] > 0.0) == shared
    assert ends[0] == ends[1]
