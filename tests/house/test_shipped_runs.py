"""The short runs that decide which kernels are shipped need all that other machines need."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from impulse_core.compile import compile_scene
from impulse_core.methods.runners import needs_elements
from impulse_schema import Scene, SceneError
from shipping.runs import short_runs
from tests.fuzz.machines import machine


def needs(scene: Scene, **options: Any) -> Iterator[tuple[Any, ...]]:
    """What is compiled apart: how steps are taken, what moves by itself and what is recorded, each
    for models of one type.
    """
    compiled = compile_scene(scene)
    model = compiled.model
    kind = (model.timed, model.coupled)
    bounded = np.isfinite(model.axes["lower"]) | np.isfinite(model.axes["upper"])
    stops = options.get("time_of_impact", scene.settings.time_of_impact) and bool(bounded.any())
    if compiled.solids is not None:
        yield (*kind, "contact")
    elif needs_elements(model):
        yield (*kind, "stops" if stops else "elements")
    else:
        yield (*kind, "joints")
    if any(body.motion == "kinematic" for body in scene.bodies):
        yield (*kind, "kinematic")
    if any(body.record_clearance for body in scene.bodies):
        yield (*kind, "clearance")


@pytest.fixture(scope="module")
def shipped() -> set[tuple[Any, ...]]:
    """Of the runs by the standard method."""
    found: set[tuple[Any, ...]] = set()
    for run in short_runs():
        scene, *_ = getattr(run, "args", (None,))
        options = getattr(run, "keywords", {})
        if scene is not None and options.get("method") in {None, "imp2"}:
            found.update(needs(scene, **options))
    return found


def test_a_pendulum_that_breaks_and_gears_without_motors(shipped):
    """Neither was among them: whoever made one waited for the compiler."""
    for joints in ({"break_force": 1.0}, {}):
        raw = {
            "version": 1,
            "bodies": [
                {"name": f"bar-{k}", "position": (0, 0, -k), "mass": 1, "inertia": (1, 1, 1)}
                for k in range(2)
            ],
            "joints": [
                {"name": f"pin-{k}", "type": "hinge", "body2": f"bar-{k}", "axis": (0, 1, 0)}
                | {"anchor": (0, 0, -k)}
                | joints
                for k in range(2)
            ],
        }
        if not joints:
            terms = [{"joint": f"pin-{k}", "coefficient": 1 + k} for k in range(2)]
            raw["joints"].append({"name": "gear", "type": "coupling", "terms": terms})
        assert set(needs(Scene.model_validate(raw, strict=False))) <= shipped


@pytest.mark.parametrize("first", [10_000, 20_000])
def test_machines_that_nobody_designed(shipped, first):
    accepted = 0
    for seed in range(first, first + 200):
        try:
            needed = set(needs(Scene.model_validate(machine(Random(seed)), strict=False)))
        except (SceneError, ValidationError):
            continue  # such a run is refused
        assert needed <= shipped, seed
        accepted += 1
    assert accepted > 100
