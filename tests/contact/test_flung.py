"""Machines whose legs wedge are not thrown within a step to where they cannot have gone."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_core.compile import compile_scene

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from searches import six_legged

WEDGED = [  # rate, first, second and third sine of gaits whose feet meet
    (8.377135365574777, -0.13247787441812417, -0.24770666367759134, 0.03954482394141261),
    (8.705636029076464, -0.21976181529565364, -0.33453629188724254, -0.009373908886509297),
]
MOST = 8.0  # times the largest kinetic energy of a state: four times those at both ends of a step


def walk(values: tuple[float, ...], step: float, duration: float) -> tuple[ic.Recording, float]:
    """The six-legged machine with a gait, or what there is of it where the run ended by name; and
    the largest kinetic energy of the ways of all centres within a step, over that of a state.
    """
    machine = six_legged()
    names = [f"constants[{constant.name}].value" for constant in machine.constants]
    gait = ic.set_parameters(machine, dict(zip(names, values, strict=True)))
    try:
        recording = ic.simulate(gait, duration=duration, step=step, fps=1.0 / step)
    except ic.SimulationError as ended:
        recording = ended.recording
    compiled = compile_scene(gait)
    dynamic = [name for name in compiled.body_names if name != "ground"]  # in the Model's order
    mass_of = dict(zip(dynamic, compiled.model.bodies["mass"], strict=False))
    masses = [mass_of.get(name, 0.0) for name in recording.body_names]
    ways = np.diff(recording.positions, axis=0)
    energy = 0.5 * np.einsum("tbk,tbk,b->t", ways, ways, masses) / step**2
    return recording, float(energy.max() / recording.energy["kinetic"].max())


@pytest.mark.parametrize("values", WEDGED)
def test_feet_that_meet_throw_no_leg(values: tuple[float, ...]) -> None:
    """Legs went half a metre and back within a step, by impulses that did 300 to 800 J."""
    recording, share = walk(values, 0.005, 1.2)

    assert share <= MOST
    assert recording.diagnostics["energy_j"]["max_unexplained_step"] <= 30.0


@settings(max_examples=5, deadline=None)
@given(
    values=st.tuples(
        st.floats(6.0, 9.5), st.floats(-0.35, -0.1), st.floats(-0.35, 0.1), st.floats(-0.05, 0.05)
    ),
    step=st.sampled_from([0.0025, 0.004, 0.008]),
)
def test_fast_gaits_throw_no_leg(values: tuple[float, ...], step: float) -> None:
    """Other gaits and steps: complete or ended by name, and nobody goes farther than it moves."""
    _, share = walk(values, step, 1.0)

    assert share <= MOST
