"""Distance joints with a range: slack within it, held at its ends."""

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Body, Joint
from tests.core.machines import run, unbalance
from tests.core.scenes import NO_GRAVITY, scene_of

G = 9.81
ORIGIN = (0.0, 0.0, 0.0)


def bob(position, velocity=ORIGIN, mass=1.0, name="bob"):
    return Body(name=name, mass=mass, inertia=(0.1, 0.1, 0.1), position=position, velocity=velocity)


def rope(end, body2="bob", body1="world", start=ORIGIN, **given):
    return Joint(
        name="rope", type="distance", body1=body1, body2=body2, anchor=start, anchor2=end, **given
    )


def length(recording):
    return np.linalg.norm(recording.positions[:, 0], axis=1)


def test_a_taut_rope_is_a_rod():
    """A pendulum that pulls at its rope all the time moves as one on a rod of that length."""
    start = (math.sin(1.0), 0.0, -math.cos(1.0))
    hung, held = (
        scene_of([bob(start)], [rope(start, **given)])
        for given in ({"max_length": 1.0}, {"length": 1.0})
    )

    found, wanted = (run(scene, duration=5.0, fps=10, step=0.005) for scene in (hung, held))

    assert found.positions == pytest.approx(wanted.positions, abs=1e-9)
    force, other = (r.joints["rope"]["force"][5:] for r in (found, wanted))
    assert force == pytest.approx(other, abs=0.2)  # the mean of a step beside the value at its end
    assert abs(found.diagnostics["energy_j"]["dissipated"]) <= 1e-3


def test_a_slack_rope_does_nothing():
    """What is thrown up falls freely until its rope is taut, and then hangs."""
    start, up = (0.0, 0.0, -1.0), 3.0
    scene = scene_of([bob(start, (0.0, 0.0, up))], [rope(start, max_length=1.2)])

    recording = run(scene, duration=3.0, fps=100)

    t = recording.times
    taut = (up + math.sqrt(up * up + 2 * G * 0.2)) / G
    free = t <= taut - 0.01
    z = -1.0 + up * t - 0.5 * G * t * t
    assert recording.positions[free, 0, 2] == pytest.approx(z[free], abs=1e-10)
    hanging = t >= taut + 0.02
    assert recording.positions[hanging, 0, 2] == pytest.approx(-1.2, abs=1e-10)
    assert recording.joints["rope"]["force"][-1] == pytest.approx((0.0, 0.0, G), rel=1e-9)
    lost = 0.5 * up * up + G * 0.2
    assert recording.diagnostics["energy_j"]["dissipated"] == pytest.approx(lost, rel=1e-9)
    assert unbalance(recording) <= 1e-9


def test_a_strut_keeps_bodies_apart():
    """Two bodies that fly towards each other are stopped at the least length; momentum is kept."""
    scene = scene_of(
        [bob((-1.0, 0, 0), (2.0, 0, 0), name="bob"), bob((1.0, 0, 0), mass=3.0, name="other")],
        [rope((1.0, 0, 0), "other", "bob", start=(-1.0, 0, 0), min_length=0.5)],
        gravity=NO_GRAVITY,
    )

    recording = run(scene, duration=2.0, fps=50)

    apart = recording.positions[:, 1, 0] - recording.positions[:, 0, 0]
    assert apart.min() >= 0.5 - 1e-12
    assert apart[-50:] == pytest.approx(0.5, abs=1e-10)
    assert recording.diagnostics["momentum_drift"]["linear"] <= 1e-13
    lost = 0.5 * (1.0 * 3.0 / 4.0) * 4.0
    assert recording.diagnostics["energy_j"]["dissipated"] == pytest.approx(lost, rel=1e-10)


def test_both_ends_of_a_range():
    """Between the ends the length moves evenly; beyond neither it goes."""
    scene = scene_of(
        [bob((1.0, 0, 0), (0.5, 0.1, 0))],
        [rope((1.0, 0, 0), min_length=0.8, max_length=1.1)],
        gravity=NO_GRAVITY,
    )

    recording = run(scene, duration=4.0, fps=50)

    free = recording.times <= 0.18
    path = np.array([1.0, 0.0, 0.0]) + np.outer(recording.times, (0.5, 0.1, 0.0))
    assert recording.positions[free, 0] == pytest.approx(path[free], abs=1e-12)
    assert length(recording).max() <= 1.1 + 1e-12
    # from then on it circles on the taut rope with what is left of its speed
    assert length(recording)[recording.times > 0.25] == pytest.approx(1.1, abs=1e-10)
    spin = np.cross((1.0, 0.0, 0.0), (0.5, 0.1, 0.0))[2]
    assert recording.energy["kinetic"][-1] == pytest.approx(0.5 * (spin / 1.1) ** 2, rel=1e-3)


@pytest.mark.parametrize("kind", ["joints", "all"])
@pytest.mark.parametrize(
    ("bounds", "end"), [({"max_length": 0.7}, 0.7), ({"min_length": 1.3}, 1.3)]
)
def test_assembly_brings_a_range_within_its_ends(kind, bounds, end):
    """A rope that starts far too long is pulled in, a strut pushed out, and both stay so; without
    assembly they are refused.
    """
    scene = scene_of(
        [bob((1.0, 0, 0), (0.0, 0.0, 0.0))], [rope((1.0, 0, 0), **bounds)], gravity=NO_GRAVITY
    )
    with pytest.raises(ic.SceneError, match="beyond its"):
        run(scene, duration=0.1)
    scene.settings.assemble = kind
    recording = run(scene, duration=0.1)

    assert length(recording) == pytest.approx(end, abs=1e-9)
    assert recording.diagnostics["start"]["max_shift_m"] == pytest.approx(0.3, abs=1e-9)


def test_a_fast_sling_is_divided_and_not_thrown():
    """A stone on a rope that turns a radian in a step: steps are halved, energy does not grow."""
    scene = scene_of(
        [bob((1.0, 0, 0), (0.0, 100.0, 0))], [rope((1.0, 0, 0), max_length=1.0)],
        gravity=NO_GRAVITY,
    )  # fmt: skip

    recording = ic.simulate(scene, duration=1.0, step=0.01, fps=10)

    assert recording.diagnostics["halvings"] > 0
    assert recording.energy["kinetic"].max() <= 5000.0 * (1.0 + 1e-6)
    assert length(recording) == pytest.approx(1.0, abs=1e-5)


def test_a_rope_breaks():
    """It holds a hanging weight, and breaks under what falls into it."""
    start = (0.0, 0.0, -0.5)
    scene = scene_of([bob(start)], [rope(start, max_length=1.0, break_force=50.0)])
    hanging = scene_of([bob((0, 0, -1.0))], [rope((0, 0, -1.0), max_length=1.0, break_force=50.0)])

    recording = run(scene, duration=1.0, fps=20)

    (event,) = recording.events
    assert event["joint"] == "rope"
    assert event["time"] == pytest.approx(math.sqrt(2 * 0.5 / G), abs=0.02)
    assert recording.positions[-1, 0, 2] < -1.2
    assert run(hanging, duration=1.0, fps=20).events == []
