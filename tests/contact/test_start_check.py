"""What a run would refuse at its start is found by the check that prepares the first step."""

import math

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


def driven_part(distance: float, radius: float, motor: float, stiffness: float) -> Scene:
    """A capsule that a driven hinge with a spring holds, that far from the slope of a wedge."""
    slope = 20.0
    reach = (1.0 - 0.5 * radius) - math.sqrt(3.0) * (radius + distance)  # of x + y + z = reach
    offset = (reach - slope) / 3.0
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    hinge = {
        "type": "hinge",
        "name": "hinge",
        "body2": "part",
        "anchor": (1.0, 0.0, 0.0),
        "axis": (0.0, 0.0, 1.0),
        "motors": [{"kind": "velocity", "target": motor, "max_force": 18.0}],
        "springs": [{"stiffness": stiffness, "damping": 1.76}],
    }
    part = {
        "name": "part",
        "position": (1.0, 0.0, 0.0),
        "density": 862.0,
        "geometry": [{"shape": "capsule", "radius": radius, "height": radius}],
    }
    ground = {
        "name": "ground",
        "motion": "static",
        "position": (offset, offset, offset),
        "geometry": [{"shape": "mesh", "mesh": "wedge"}],
    }
    return Scene.model_validate(
        {
            "version": 1,
            "meshes": [{"name": "wedge", "vertices": corners, "faces": faces, "scale": slope}],
            "bodies": [part, ground],
            "joints": [hinge],
        }
    )


def test_overlaps_are_found_though_no_step_could_be_taken() -> None:
    """Pushing apart what overlaps deeply would tear the joint open: the overlap is told of."""
    (problem,) = ic.check(driven_part(-0.17, 0.33, 0.4, 10.0), start=True)

    assert problem.code == "E615"
    assert "'part' and 'ground' overlap by 0.17 m" in problem.message


@settings(max_examples=30)
@given(
    distance=st.floats(-1.0, 0.5).filter(lambda d: abs(d) > 0.001),
    radius=st.floats(0.01, 0.5),
    motor=st.floats(-100.0, 100.0).filter(lambda v: abs(v) > 1e-3),
    stiffness=st.floats(0.1, 1e5),
)
def test_overlaps_of_driven_parts(
    distance: float, radius: float, motor: float, stiffness: float
) -> None:
    """Whatever drives the part, and however strongly: its overlap is found, if there is one."""
    found = ic.check(driven_part(distance, radius, motor, stiffness), start=True)

    assert [problem.code for problem in found] == (["E615"] if distance < 0.0 else [])


@settings(max_examples=20)
@given(
    distance=st.floats(0.001, 0.1),
    motor=st.floats(-1.0, 1.0).filter(lambda v: abs(v) > 1e-3),
    stiffness=st.floats(0.1, 1e3),
)
def test_the_first_frame_does_not_show_what_the_check_tried(
    distance: float, motor: float, stiffness: float
) -> None:
    """Its forces along axes are those of the first step, whether or not there is other geometry."""
    scene = driven_part(distance, 0.1, motor, stiffness)
    alone = scene.model_copy(update={"bodies": scene.bodies[:1]})

    shown, expected = (
        ic.simulate(built, duration=0.02).joints["hinge"]["drive_torque"][0]
        for built in (scene, alone)
    )

    assert shown == pytest.approx(expected, rel=1e-5)
    assert expected != 0.0
