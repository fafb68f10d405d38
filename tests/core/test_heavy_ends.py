"""Axes that carry far more than the two bodies of their joint, where bodies can touch."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import (
    Body,
    CouplingTerm,
    Friction,
    Geometry,
    Joint,
    Limit,
    Motor,
    Scene,
    Settings,
)

HELD: dict[str, dict[str, Any]] = {
    "motor": {"motors": [Motor(kind="velocity", target=0.3)]},
    "friction": {"frictions": [Friction(force=1e5)]},
    "speed": {"limits": [Limit(max_velocity=0.3)]},
    "stop": {"limits": [Limit(lower=-1e-4, upper=1e-4)]},
}


def geared_arm(held: str, heavy: float, step: float, ratio: float = 2.0) -> Scene:
    """A light link on a held hinge, a heavy one that is geared to it, and a free light one, each
    with a ball that could touch the last.
    """
    masses = (0.2, 0.2 * heavy, 0.3)
    bodies = [
        Body(
            name=f"link-{k}",
            position=(1.0 + k, 0.0, 0.0),
            mass=mass,
            inertia=(0.01 * mass, 0.02 * mass, 0.02 * mass),
            geometry=[Geometry(shape="sphere", radius=0.1)],
        )
        for k, mass in enumerate(masses)
    ]
    bodies[0].angular_velocity = (0.2, 1.2, -0.4)
    bodies[2].velocity = (-0.7, -0.5, -0.5)
    axes = ((-0.24, -0.49, 0.21), (0.0, 1.0, 0.0), (0.84, -0.32, 0.73))
    joints = [
        Joint(
            name=f"joint-{k}",
            type="hinge",
            body1=("world", "link-0", "link-1")[k],
            body2=f"link-{k}",
            anchor=(1.0 + k - (0.5 if k == 2 else 0.0), 0.0, 0.0),
            axis=axis,
        )
        for k, axis in enumerate(axes)
    ]
    joints[0] = joints[0].model_copy(update=HELD[held])
    terms = [
        CouplingTerm(joint="joint-0", coefficient=ratio),
        CouplingTerm(joint="joint-1", coefficient=1.0),
    ]
    joints.append(Joint(name="gear", type="coupling", terms=terms))
    return Scene(
        version=1, settings=Settings(step=step, duration=30 * step), bodies=bodies, joints=joints
    )


@pytest.mark.parametrize("held", HELD)
def test_a_light_link_holds_a_heavy_one(held: str) -> None:
    """A gear with two hundred times the mass behind it: no step is divided."""
    recording = ic.simulate(geared_arm(held, 200.0, 0.002))

    assert recording.diagnostics["halvings"] == 0


@settings(max_examples=12, deadline=None)
@given(
    held=st.sampled_from(sorted(HELD)),
    heavy=st.floats(1.0, 1e4),
    step=st.sampled_from([0.01, 0.003, 0.0005]),
    ratio=st.floats(-5.0, 5.0).filter(lambda x: abs(x) > 0.2),
)
def test_whatever_it_carries(held: str, heavy: float, step: float, ratio: float) -> None:
    """Other masses, steps and gears: next to no step is divided, and all joints hold."""
    report = ic.simulate(geared_arm(held, heavy, step, ratio)).diagnostics

    assert report["halvings"] <= 2
    assert report["max_joint_error_m"] <= report["tolerance_m"]
