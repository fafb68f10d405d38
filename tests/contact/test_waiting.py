"""Machines whose parts lie near each other: points that stay open have no rows in what is solved
for, and those that close have, in whatever round of a half that shows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Material
from tests.contact.scenes import scene

LENGTH = 0.3  # m, from hinge to centre


class Cradle(NamedTuple):
    """Pendulums in a row, each on a hinge of its own; the first swings towards the others."""

    masses: tuple[float, ...]
    gaps: tuple[float, ...]
    """Between neighbours [m]."""
    speed: float = 2.0
    """Angular velocity of the first [rad/s]."""
    step: float = 0.002
    together: bool = False
    """Whether all have that speed."""
    plates: bool = False
    """Plates, which meet with faces, and not balls."""
    restitution: float = 0.0


SIZE = 0.02  # m, half the thickness of each


def drawn(
    random: np.random.Generator,
    count: int,
    narrowest: float,
    speeds: tuple[float, float],
    shortest: float,
) -> Cradle:
    """So many pendulums of any mass, with gaps from the narrowest up to 1 cm, steps from the
    shortest up to 5 ms.
    """
    return Cradle(
        tuple(10.0 ** random.uniform(-1.0, 1.0, count)),
        tuple(10.0 ** random.uniform(np.log10(narrowest), -2.0, count - 1)),
        speed=random.uniform(*speeds),
        step=10.0 ** random.uniform(np.log10(shortest), -2.3),
    )


def hung(cradle: Cradle) -> Scene:
    bodies, joints, x = [], [], 0.0
    for k, mass in enumerate(cradle.masses):
        if k:
            x += 2.0 * SIZE + cradle.gaps[k - 1]
        geometry = (
            Geometry(shape="box", size=(2.0 * SIZE, 0.1, 0.2), material="lead")
            if cradle.plates
            else Geometry(shape="sphere", radius=SIZE, material="lead")
        )
        inertia = 0.4 * mass * SIZE**2
        speed = cradle.speed if k == 0 or cradle.together else 0.0
        bodies.append(
            Body(
                name=f"bob{k}",
                position=(x, 0.0, 1.0),
                mass=mass,
                inertia=(inertia, inertia, inertia),
                geometry=[geometry],
                velocity=(speed * LENGTH, 0.0, 0.0),
                angular_velocity=(0.0, -speed, 0.0),
            )
        )
        joints.append(
            Joint(
                name=f"hinge{k}",
                type="hinge",
                body1="world",
                body2=f"bob{k}",
                anchor=(x, 0.0, 1.0 + LENGTH),
                axis=(0.0, 1.0, 0.0),
            )
        )
    lead = Material(name="lead", static_friction=0.0, restitution=cradle.restitution)
    made = scene(*bodies, materials=(lead,), step=cradle.step, duration=0.2)
    made.joints = joints
    return made


def begun(cradle: Cradle, steps: int) -> tuple[int, int, int]:
    """How many points of a cradle are found near, are in the system of the first half of a step,
    and bear something or touch, after so many steps.
    """
    compiled = compile_scene(hung(cradle))
    options = choose_options(compiled)
    engine = Engine(compiled, options)
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert steps == 0 or engine.advance(options.step, steps, 0)
    seen = []
    put_back = engine.runner.put_points

    def look_first(points: object) -> None:
        contacts = engine.runner.setup.contacts
        used = contacts.used[0]
        row, mark = contacts.row[:used], contacts.mark[:used]
        bears = np.abs(row["first"]).sum(axis=1) + np.abs(row["second"]).sum(axis=1) > 0.0
        acts = bears | (row["gap"] <= options.tolerance)
        seen.append((used, np.count_nonzero(mark["active"]), np.count_nonzero(acts)))
        put_back(points)

    engine.runner.put_points = look_first  # the points of the step before
    engine.work.stop[0] = 1  # where contacts have been found: none is solved for
    engine.peek(options.step, lambda: None)
    return seen[0]


def test_plates_that_swing_beside_each_other_have_no_rows():
    cradle = Cradle((1.0,) * 8, (0.002,) * 7, speed=5.0, together=True, plates=True)

    near, solved, _ = begun(cradle, 1)

    assert near >= 4 * 7
    assert solved == 0


@pytest.mark.parametrize("seed", range(12))
def test_points_that_bear_nothing_have_no_rows(seed):
    """Drawn rows of plates, some of which touch."""
    random = np.random.default_rng([seed, 7])
    count = int(random.integers(3, 12))
    cradle = drawn(random, count, 10.0**-3.5, (2.0, 6.0), 1e-3)
    cradle = cradle._replace(together=bool(random.integers(2)), plates=True)
    all_near = 0
    for steps in (0, 1, 3, 10, 20):
        near, solved, acting = begun(cradle, steps)

        all_near += near - acting
        assert solved <= acting
    assert all_near > 0


@pytest.mark.parametrize("seed", range(24))
def test_a_row_of_pendulums_is_struck_within_a_step(seed):
    """The first strikes the second, which strikes the third in the same step, and so on: together
    they have the angular momentum that the first had,

        ω = J₁ ω₁ / Σ J,

    whatever masses, and gaps that close in a thousandth of a step.
    """
    random = np.random.default_rng([seed, 11])
    count = int(random.integers(2, 9))
    step, speed = 10.0 ** random.uniform(-3.3, -2.3), random.uniform(0.5, 3.0)
    most = 1e-3 * speed * LENGTH * step / count
    cradle = Cradle(
        tuple(10.0 ** random.uniform(-1.0, 1.0, count)),
        tuple(most * 10.0 ** random.uniform(-2.0, 0.0, count - 1)),
        speed=speed,
        step=step,
    )
    made = hung(cradle)
    made.settings.gravity = (0.0, 0.0, 0.0)
    made.settings.duration = 2.0 * step
    made.settings.fps = 1.0 / step

    recording = ic.simulate(made)

    masses = np.array(cradle.masses)
    expected = masses[0] * speed / masses.sum()  # all have the same shape
    angles = recording.orientations[:, 1:, 2] * 2.0
    rates = (angles[2] - angles[1]) / step
    assert recording.diagnostics["contacts"]["max_penetration_m"] < 1e-7
    assert np.allclose(-rates, expected, rtol=0.0, atol=1e-6 * speed)


@pytest.mark.parametrize("seed", range(16))
def test_drawn_cradles_meet_their_laws(seed):
    """Other gaps, steps, what balls give back; they strike each other again and again."""
    random = np.random.default_rng([seed, 13])
    count = int(random.integers(2, 9))
    cradle = drawn(random, count, 1e-5, (0.5, 4.0), 10.0**-3.3)
    cradle = cradle._replace(plates=bool(random.integers(2)), restitution=random.uniform(0.0, 0.9))
    made = hung(cradle)
    made.settings.duration = 1.0

    report = ic.simulate(made).diagnostics

    assert report["halvings"] <= 0.02 * report["step_count"]
    assert report["contacts"]["max_violation_m"] < 1e-6
    assert report["contacts"]["max_penetration_m"] < 1e-5
    assert abs(report["energy_j"]["unexplained"]) < 1e-3 * report["energy_j"]["initial"]
