"""Bounds of arguments and of what is computed from a scene: nothing beyond them hangs or faults."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from impulse_core.compile import compile_scene
from impulse_core.compile.axis_mass import BodyRows, inverse_mass_along
from impulse_core.compile.joints import compile_joints
from impulse_core.geometry import MassPropertiesError, convex_hull
from impulse_core.joints.table import TRANSLATION_AXIS
from impulse_core.simulation.checks import check
from impulse_core.simulation.options import OptionError, choose_options
from impulse_schema import Scene, load_scene

TETRAHEDRON = {
    "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "faces": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
}


def _scene(body: dict[str, Any], **parts: Any) -> Scene:
    return Scene.model_validate({"version": 1, "bodies": [{"name": "a", **body}], **parts})


def _box(*size: float) -> list[dict[str, Any]]:
    return [{"shape": "box", "size": size}]


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (
            {"density": 1e12, "geometry": _box(1e3, 1e3, 1e3)},
            "mass is 1e+21 kg and must be at most",
        ),
        ({"density": 1e-9, "geometry": _box(1, 1, 1)}, ""),
        ({"density": 1.0, "geometry": _box(1e-5, 1e-5, 1e-5)}, "must be at least 1e-12 kg"),
        ({"mass": 1.0, "geometry": _box(1e-15, 1e-15, 1.0)}, "smallest radius of gyration"),
        ({"mass": 1e-12, "inertia": [1e9, 1e9, 1e9]}, "radius of gyration is 3.16228e+10"),
        ({"mass": 1.0, "inertia": [1e-31, 1e-31, 1e-31]}, "smallest radius of gyration"),
        ({"mass": 1.0, "inertia": [1e-43, 1e-43, 1e-43]}, "must be at least 1e-42 kg m^2"),
    ],
)
def test_mass_and_inertia(body: dict[str, Any], what: str) -> None:
    """Mass, moments and radii of gyration beyond the bounds are refused with the body's name."""
    problems = check(_scene(body))

    assert [problem.path for problem in problems] == ([("bodies", 0)] if what else [])
    for problem in problems:
        assert "body 'a': its " in problem.message
        assert what in problem.message


@pytest.mark.parametrize("shape", ["mesh", "convex_hull"])
@pytest.mark.parametrize("in_file", [True, False])
def test_scaled_meshes(tmp_path: Path, shape: str, in_file: bool) -> None:
    """Vertices that scale carries beyond the bounds are refused before anything looks at them."""
    mesh = {"name": "m", "scale": 1e9, **TETRAHEDRON, "vertices": [[0, 0, 0], [0, 0, 1e9]] * 2}
    if in_file:
        (tmp_path / "m.obj").write_text(
            "v 0 0 0\nv 1e155 0 0\nv 0 1e155 0\nv 0 0 1e155\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        )
        mesh = {"name": "m", "file": "m.obj"}
    scene = _scene({"mass": 1.0, "geometry": [{"shape": shape, "mesh": "m"}]}, meshes=[mesh])
    path = tmp_path / "scene.json"
    path.write_text(scene.model_dump_json(exclude_unset=True))

    problems = check(load_scene(path))

    assert [problem.path for problem in problems] == [("meshes", 0)]
    assert "and it must lie between -1e+09 and 1e+09 m" in problems[0].message


@pytest.mark.parametrize("size", [1e10, 8e155, 5e299, math.inf, math.nan])
def test_hull_of_huge_points(size: float) -> None:
    """Points beyond the bounds have no hull; Qhull would write beyond its memory."""
    points = size * np.random.default_rng(0).standard_normal((20, 3))

    with pytest.raises(MassPropertiesError, match="beyond 1e\\+09 m"):
        convex_hull(points)


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("step", 1e-10, "step is 1e-10 s; it must be at least 1e-09 s."),
        ("duration", 1e10, "duration is 1e+10 s; it must be at most 1e+09 s."),
        ("fps", 1e300, "fps is 1e+300 1/s; it must be at most 1e+09 1/s."),
        ("tolerance", 1e-16, "tolerance is 1e-16 m; it must be at least 1e-15 m."),
        ("tolerance", 5e-324, "tolerance is 4.94066e-324 m; it must be at least 1e-15 m."),
        ("budget_ms", 1e300, "budget_ms is 1e+300 ms; it must be at most 1e+12 ms."),
        ("budget_ms", 1e-300, "budget_ms is 1e-300 ms; it must be at least 1e-06 ms."),
        ("budget_corrections", 10**30, "it must be a whole number from 1 to 1000000000."),
        ("budget_corrections", math.inf, "it must be a whole number from 1 to 1000000000."),
    ],
)
def test_arguments(argument: str, value: float, message: str) -> None:
    """Arguments of simulate have the bounds of their units, and the message says them."""
    compiled = compile_scene(_scene({"mass": 1.0, "inertia": [1, 1, 1]}))

    with pytest.raises(OptionError) as caught:
        choose_options(compiled, solver="iterative", **{argument: value})

    assert message in str(caught.value)


def _far_slider(distance: float) -> Scene:
    return _scene(
        {"mass": 1.0, "position": [0, distance, 0], "geometry": _box(1, 0.1, 0.1)},
        joints=[
            {
                "type": "slider",
                "body2": "a",
                "anchor": [0, 2, 0],
                "axis": [1, 0, 0],
                "motors": [{"kind": "velocity", "target": 1}],
            }
        ],
        collision_filter={"default": False},
    )


def test_distance_that_a_solver_would_not_return_from() -> None:
    """A body 1e155 m away is refused by name; its lever arm has a square that is infinite."""
    (problem,) = check(_far_slider(1e155))

    assert problem.path == ("bodies", 0, "position")
    assert check(_far_slider(1e9)) == []


@pytest.mark.parametrize("joint", ["hinge", "slider", "cylindrical"])
@pytest.mark.parametrize("seed", range(5))
def test_inverse_mass_of_any_numbers(joint: str, seed: int) -> None:
    """What an axis moves is a positive number, or NaN where arms or masses are no numbers.

    None of them reaches LAPACK, which may compute with infinite ones for ever.
    """
    random = Random(seed)
    scene = _scene(
        {"mass": 1.0, "inertia": [1, 1, 1]},
        joints=[{"type": joint, "body2": "a", "anchor": [0, 2, 0], "axis": [1, 0, 0]}],
    )
    compiled = compile_scene(scene)
    model, state = compiled.model, compiled.state
    joints = compile_joints(
        scene,
        {"a": 0, "world": 1},
        state.bodies["position"],
        state.bodies["orientation"],
        np.ones(2),
    )
    for wild in (1.0, 1e9, 1e155, 1e200, math.inf, math.nan):
        joints.records["anchor2"][0, random.randrange(3)] = random.choice([-1.0, 1.0]) * wild
        rows = BodyRows(
            state.bodies["position"],
            state.bodies["orientation"],
            model.bodies["inverse_mass"],
            model.bodies["inverse_inertia"],
        )
        with np.errstate(all="ignore"):
            w = inverse_mass_along(0, TRANSLATION_AXIS, joints, rows)

        assert w > 0.0 if abs(wild) <= 1e9 else (w > 0.0 or math.isnan(w))
