"""The walking machine that a script models in Blender is the sample scene, and walks as it does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from blender_addon.export.sampling import spline_values  # noqa: E402
from impulse_schema import load_scene  # noqa: E402

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
LEGS = [f"{place}.{side}" for place in ("front", "middle", "rear") for side in "LR"]


def in_the_sample(part: str, leg: str) -> str:
    place, side = leg.split(".")
    return f"{place}-{ {'L': 'left', 'R': 'right'}[side] }-{part}"


@pytest.fixture
def built(context, monkeypatch):
    for folder in ("walking", "rendering"):
        monkeypatch.syspath_prepend(str(SAMPLES / folder))
    import build_walking

    build_walking.build(context)
    return context.scene


@pytest.fixture
def both(built, exported):
    """Bodies and joints by name, of the model and of the sample."""
    scene, sample = exported(), load_scene(SAMPLES / "walking" / "walking-machine.xml")
    return [{part.name: part for part in (*s.bodies, *s.joints)} for s in (scene, sample)]


def test_the_check_finds_nothing(built):
    """No errors and no warnings."""
    bpy.ops.impulse.validate_scene()

    assert [row.message for row in built.impulse.issues] == []


@pytest.mark.parametrize("leg", LEGS)
def test_a_leg_is_that_of_the_sample(both, leg):
    """Mass and place of its bodies, anchors and axes of its joints, whether modelled or copied."""
    model, sample = both
    for part in ("crank", "swivel", "shank"):
        made, wanted = model[f"{part} {leg}"], sample[in_the_sample(part, leg)]
        assert made.mass == pytest.approx(wanted.mass, rel=1e-6)
        np.testing.assert_allclose(made.position, wanted.position, atol=1e-6)
    for part, other in (
        ("servo", "servo"), ("pin", "pin"), ("pivot", "swivel-pin"), ("slider", "slider"),
    ):  # fmt: skip
        made, wanted = model[f"{part} {leg}"], sample[in_the_sample(other, leg)]
        assert made.type == wanted.type
        np.testing.assert_allclose(made.anchor, wanted.anchor, atol=1e-6)
        # a line without a motor has no direction
        sign = np.sign(np.dot(made.axis, wanted.axis)) if part == "pin" else 1.0
        np.testing.assert_allclose(made.axis, np.multiply(sign, wanted.axis), atol=1e-6)


@pytest.mark.parametrize("leg", LEGS)
def test_its_servo_follows_the_gait_on_the_timeline(both, built, leg):
    """The curve is what the keys show in every frame, and what the sample's expression means."""
    import gait
    import walking_machine

    model, _ = both
    motor = model[f"servo {leg}"].motors[0]
    start = walking_machine.LEGS[in_the_sample("", leg).rstrip("-")][2]
    times = np.arange(0.0, 9.5, 0.04)
    target = spline_values(np.array(motor.curve.times), np.array(motor.curve.values), times)

    wanted = [gait.servo_target(time, start) for time in times]

    assert motor.curve.interpolation == "cubic"
    # what Blender's curves make of a key for every second frame
    np.testing.assert_allclose(target, wanted, atol=5e-3)


def test_it_walks_as_the_sample_does(both, built, tmp_path):
    """After two seconds its torso is within a centimetre of the sample's."""
    from impulse_core import simulate

    made = load_scene(tmp_path / "scene.xml")
    sample = load_scene(SAMPLES / "walking" / "walking-machine.xml")
    ends = []
    for scene in (made, sample):
        recording = simulate(scene, duration=2.0)
        ends.append(recording.positions[-1, list(recording.body_names).index("torso")])
    assert ends[0][0] > 0.6
    np.testing.assert_allclose(ends[0], ends[1], atol=0.01)
