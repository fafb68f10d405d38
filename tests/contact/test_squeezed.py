"""A body between two that come together and cannot give way: no motion keeps all laws of contacts,
and a run says so.
"""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Body, Joint, Keyframe
from tests.contact.scenes import box, cube, scene, turned

SECONDS = 1.0


def vice(width: float, squeeze: float, mass: float) -> Scene:
    """A cube on the ground, and kinematic jaws that leave it so much less than its width [m]."""
    jaws = []
    for name, side in (("left", -1.0), ("right", 1.0)):
        open_, closed = width + 0.5, 0.5 * (width - squeeze) + 0.5
        keys = [
            Keyframe(time=time, position=(side * x, 0.0, 0.5 * width))
            for time, x in ((0.0, open_), (SECONDS, closed))
        ]
        jaw = cube(name, motion="kinematic", position=keys[0].position, keyframes=keys)
        jaws.append(jaw)
    body = Body(
        name="between",
        position=(0.0, 0.0, 0.5 * width),
        mass=mass,
        geometry=[{"shape": "box", "size": (width, width, width)}],
    )
    return scene(body, *jaws)


def overlaps(recording: ic.Recording) -> list[str]:
    return [text for text in recording.diagnostics["warnings"] if "overlapped" in text]


@pytest.mark.parametrize("width", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("mass", [0.5, 40.0])
def test_what_has_room_is_not_warned_of(width, mass):
    recording = ic.simulate(vice(width, -0.02 * width, mass), duration=SECONDS)

    assert recording.diagnostics["warnings"] == []
    assert recording.diagnostics["contacts"]["max_penetration_m"] < 1e-9


@pytest.mark.parametrize("width", [0.2, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("share", [0.03, 0.1, 0.4])
@pytest.mark.parametrize("mass", [0.5, 5.0, 40.0])
def test_what_is_squeezed_is_told(width, share, mass):
    """Whatever the squeezed body does: a warning, or an end that names the contact."""
    ended = ""
    try:
        recording = ic.simulate(vice(width, share * width, mass), duration=SECONDS)
    except ic.SimulationError as error:
        ended = str(error)
    if ended:
        assert ended.endswith(
            "or let kinematic bodies squeeze nothing against what cannot give way"
        )
        return
    contacts = recording.diagnostics["contacts"]
    told = overlaps(recording)

    assert max(contacts["max_penetration_m"], contacts["max_violation_m"]) > 1e-3
    assert len(told) == 1
    assert f"{contacts['max_penetration_m']:.2g} m" in told[0]


@pytest.mark.parametrize("depth", [0.01, 0.05, 0.2])
def test_what_overlaps_at_the_start_and_is_pushed_apart_is_not_warned_of(depth):
    start = scene(cube("low", 0.5), cube("high", 1.5 - depth))

    recording = ic.simulate(start, duration=0.2, assemble=True)

    assert recording.diagnostics["contacts"]["max_penetration_m"] > 0.9 * depth
    assert overlaps(recording) == []


def held_in(depth: float, along: tuple[float, float, float], step: float, size: float) -> Scene:
    """A cube on a rail, so deep in the ground [m]."""
    slide = Body(
        name="slide",
        position=(0.0, 0.0, 0.5 * size - depth),
        mass=2.0,
        geometry=[{"shape": "box", "size": (size, size, size)}],
    )
    made = scene(slide, step=step, assemble="all")
    made.joints = [Joint(type="slider", body2="slide", anchor=slide.position, axis=along)]
    return made


def kept_together(recording: ic.Recording) -> list[str]:
    return [text for text in recording.diagnostics["warnings"] if "since the start" in text]


def test_what_a_rail_keeps_in_the_ground_is_told():
    recording = ic.simulate(held_in(0.1, (1.0, 0.0, 0.0), 0.01, 1.0), duration=1.0)

    (text,) = kept_together(recording)
    assert "bodies 'ground' and 'slide' have overlapped since the start, by 0.1 m" in text
    assert "collision_filter" in text


@pytest.mark.parametrize("seed", range(8))
def test_what_cannot_come_apart_is_told_and_what_can_is_not(seed):
    """Other sizes, depths, steps; a rail that leads up lets them come apart."""
    random = np.random.default_rng([seed, 8])
    size = float(random.uniform(0.2, 2.0))
    depth, step = float(random.uniform(0.02, 0.3)) * size, float(random.uniform(0.003, 0.01))
    turn = float(random.uniform(0.0, np.pi))
    level, up = (float(np.cos(turn)), float(np.sin(turn)), 0.0), (0.0, 0.0, 1.0)

    stuck, free = (
        ic.simulate(held_in(depth, along, step, size), duration=300 * step) for along in (level, up)
    )

    assert len(kept_together(stuck)) == 1
    assert kept_together(free) == []


def press(seed: int) -> Scene:
    """Boxes in a row, joined by ropes, hinges or balls, and a plate that comes down on them."""
    random = np.random.default_rng(seed)
    count, height = int(random.integers(2, 6)), 1.8
    boxes = []
    for k in range(count):
        orientation = turned(random)
        size = tuple(map(float, random.uniform(0.4, 0.9, 3)))
        made = box(f"box-{k}", (1.1 * k, 0.0, 0.8), float(10.0 ** random.uniform(0.0, 1.5)), size)
        boxes.append(made.model_copy(update={"orientation": orientation}))
    middle, low = 0.55 * count, height - float(random.uniform(0.4, 1.2))
    plate = Body(
        name="press",
        motion="kinematic",
        geometry=[{"shape": "box", "size": (2.4 * count, 3.0, 0.2)}],
        keyframes=[
            Keyframe(time=time, position=(middle, 0.0, z))
            for time, z in ((0.0, height), (SECONDS, low))
        ],
    )
    step = float(random.uniform(0.003, 0.01))
    made = scene(plate, *boxes, step=step, time_of_impact=bool(random.random() < 0.3))
    for k in range(count - 1):
        here, there = (1.1 * k, 0.0, 0.8), (1.1 * (k + 1), 0.0, 0.8)
        between = (1.1 * k + 0.55, 0.0, 0.8)
        kinds = (
            {"type": "distance", "anchor": here, "anchor2": there, "min_length": 0.9,
             "max_length": 1.3},
            {"type": "hinge", "anchor": between, "axis": (0.0, 1.0, 0.0),
             "limits": [{"lower": -0.3, "upper": 0.3}], "frictions": [{"force": 1.0}]},
            {"type": "ball", "anchor": between},
        )  # fmt: skip
        kind = kinds[int(random.integers(0, 3))]
        made.joints.append(Joint(body1=f"box-{k}", body2=f"box-{k + 1}", **kind))
    return made


@pytest.mark.parametrize("seed", range(16))
def test_what_is_pressed_is_told_whatever_gives_way_first(seed):
    """Whether a contact, a joint or a limit is what has no solution, an end names the press."""
    ended = ""
    try:
        ic.simulate(press(seed), duration=SECONDS)
    except ic.SimulationError as error:
        ended = str(error)
    assert not ended or ended.endswith("let 'press' squeeze nothing against what cannot give way")


def test_an_end_tells_what_has_overlapped_since_the_start():
    """Presses, most of which end a run, beside a cube that a rail keeps in the ground."""
    beside = (-5.0, 0.0, 0.4)
    ends = []
    for seed in (1, 10, 24, 25):
        made, rail = press(seed), held_in(0.1, (1.0, 0.0, 0.0), 0.01, 1.0)
        made.bodies.append(rail.bodies[1].model_copy(update={"position": beside}))
        made.joints.append(rail.joints[0].model_copy(update={"anchor": beside}))
        made.settings.assemble = "all"
        try:
            (told,) = kept_together(ic.simulate(made, duration=SECONDS))
        except ic.SimulationError as error:
            told = str(error)
            ends.append(seed)
        assert "bodies 'ground' and 'slide' have overlapped since the start, by 0.1 m" in told
    assert ends
