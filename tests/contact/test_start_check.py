"""What a run would refuse at its start is found by the check that prepares the first step."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema import Scene, SceneError

SIZES = {
    "box": {"size": (1.0, 1.0, 1.0)},
    "sphere": {"radius": 0.5},
    "cylinder": {"radius": 0.5, "height": 1.0},
    "capsule": {"radius": 0.5, "height": 1.0},
    "ellipsoid": {"size": (1.0, 1.0, 1.0)},
}


def two_bodies(shapes: tuple[str, str], distance: float) -> Scene:
    """Two bodies of half a metre to each side, side by side along x."""
    bodies = [
        {
            "name": f"body {number}",
            "position": (number * distance, 0.0, 0.0),
            "mass": 1.0,
            "geometry": [{"shape": shape, **SIZES[shape]}],
        }
        for number, shape in enumerate(shapes)
    ]
    return Scene.model_validate({"version": 1, "name": "two", "bodies": bodies})


def test_bodies_that_overlap_are_found() -> None:
    """Half a metre into each other: the check names both, without it the scene looks good."""
    scene = two_bodies(("box", "box"), 0.5)

    assert ic.check(scene) == []
    (problem,) = ic.check(scene, start=True)

    assert problem.code == "E615"
    assert "'body 0' and 'body 1' overlap by 0.5 m" in problem.message


@settings(max_examples=20)
@given(
    shapes=st.tuples(st.sampled_from(sorted(SIZES)), st.sampled_from(sorted(SIZES))),
    distance=st.floats(0.6, 1.4).filter(lambda d: abs(d - 1.0) > 0.01),
)
def test_the_check_says_what_the_run_says(shapes: tuple[str, str], distance: float) -> None:
    """Of any two shapes at any distance: the same problems, none where the run begins."""
    scene = two_bodies(shapes, distance)

    found = ic.check(scene, start=True)

    assert bool(found) == (distance < 1.0)
    if found:
        with pytest.raises(SceneError) as refused:
            ic.simulate(scene, duration=0.01)
        assert refused.value.problems == found
