"""What contacts of machines give way where joints leave no freedom: nothing of what moves, and no
force without end where nothing does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Joint
from tests.contact.scenes import scene
from tests.contact.test_delassus import answers, block

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from searches import six_legged

GIVE = 1e-6  # of the inverse mass alone
GAITS = {  # rate, first, second and third sine; found by a search for the longest way
    0.005: [
        (8.705636029076464, -0.21976181529565364, -0.33453629188724254, -0.009373908886509297),
        (6.793985245798938, -0.2984377539645975, -0.04734241421966612, 0.03490225969633276),
        (8.887904384322145, -0.23739826481665594, -0.10932954310230014, -0.020039908575135823),
    ],
    0.004: [
        (8.887904384322145, -0.23739826481665594, -0.10932954310230014, -0.020039908575135823),
    ],
}

MOST_KINETIC = 100.0  # J; legs that move as they should have up to 32


@st.composite
def standing(draw: st.DrawFn) -> Scene:
    """Up to three blocks in a row, held to each other, on one to five feet each."""
    number = draw(st.integers(1, 3))
    place = st.floats(-0.2, 0.2)
    feet = st.lists(st.tuples(place, place), min_size=1, max_size=5, unique=True)
    bodies = [block(f"b{k}", (0.8 * k, 0.0, 0.3), draw(feet)) for k in range(number)]
    machine = scene(*bodies)
    if number == 1:
        bodies.append(block("held", (0.0, 0.0, 0.9), []))
        machine = scene(*bodies)
    for k in range(len(bodies) - 1):
        one, two = bodies[k], bodies[k + 1]
        middle = tuple((np.array(one.position) + np.array(two.position)) / 2.0)
        kind = draw(st.sampled_from(["fixed", "ball", "hinge"]))
        axis = (0.0, 1.0, 0.0) if kind == "hinge" else None
        machine.joints.append(
            Joint(name=f"j{k}", type=kind, body1=one.name, body2=two.name, anchor=middle, axis=axis)
        )
    return machine


@settings(max_examples=25, deadline=None)
@given(standing())
def test_it_gives_where_nothing_moves_and_only_there(machine: Scene) -> None:
    """K is a projector times κ, over the inverse masses; it is none on the range of W, and what W
    has no range for gives way by κ.
    """
    _, _, engine = answers(machine)
    delassus = engine.runner.setup.delassus
    n = 3 * int(delassus.used[0])
    if n == 0:
        return
    K = delassus.give[:n, :n] * float(delassus.gives[0])
    scale = delassus.scale[:n]
    P = K / GIVE / np.outer(scale, scale)
    W = (delassus.linear[:n, :n] - K) / np.outer(scale, scale)

    size, directions = np.linalg.eigh(W)
    moving = directions[:, size > 100.0 * GIVE]
    assert pytest.approx(P.T, abs=1e-12) == P
    assert pytest.approx(P, abs=1e-8) == P @ P
    assert np.abs(P @ moving).max() <= 1e-2 * np.sqrt(GIVE)
    assert np.linalg.eigvalsh(W + GIVE * P)[0] >= 0.5 * GIVE


@pytest.mark.parametrize("step", GAITS)
def test_legs_that_jam_do_not_throw_the_machine(step: float) -> None:
    """Shanks that press on each other where their points can move past each other in one direction
    alone answered nanometres with 1.7e4 N s, within the first second of each of these gaits. Legs
    that jam may still end a run, which then says so, but nothing that is shown was thrown.
    """
    machine = six_legged()
    for values in GAITS[step]:
        names = [f"constants[{constant.name}].value" for constant in machine.constants]
        gait = ic.set_parameters(machine, dict(zip(names, values, strict=True)))
        try:
            recording = ic.simulate(gait, duration=1.0, step=step)
        except ic.SimulationError as ended:
            recording = ended.recording
        assert recording.times[-1] >= 0.3
        assert recording.diagnostics["max_joint_error_m"] <= 1e-9
        assert recording.energy["kinetic"].max() <= MOST_KINETIC
