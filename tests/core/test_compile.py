"""Scene → arrays: frames, masses, static bodies, start states."""

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import SceneError, compile_scene
from impulse_core.geometry.rotations import conjugated, quaternion_to_matrix, rotated
from impulse_schema.models import Body, Geometry, Joint, Material
from tests.core.scenes import box, chain, free_body, scene_of

TURN = np.array([0.5, -0.1, 0.7, 0.3]) / np.linalg.norm([0.5, -0.1, 0.7, 0.3])
TENSOR = np.array([[1.2, 0.1, -0.2], [0.1, 2.0, 0.15], [-0.2, 0.15, 2.9]])
SIX = (1.2, 2.0, 2.9, 0.1, -0.2, 0.15)


def described(body):
    """Mass, centre and inertia that ``impulse info`` reports for a body."""
    facts = ic.describe(scene_of([body]))["bodies"][0]
    return (
        facts["mass_kg"],
        np.array(facts["center_of_mass_m"]),
        np.array(facts["inertia_kg_m2"]),
    )


def world_inertia(compiled, row=0):
    R = quaternion_to_matrix(compiled.state.bodies["orientation"][row])
    return R @ np.diag(compiled.model.bodies["inertia"][row]) @ R.T


def test_rotated_inertia_with_an_offset_centre():
    """The body frame sits at the centre of mass along principal axes; users see their origin."""
    body = Body(
        name="b",
        position=(1.0, 2.0, 3.0),
        orientation=tuple(TURN),
        mass=3.0,
        inertia=SIX,
        center_of_mass=(0.1, -0.2, 0.4),
    )
    compiled = compile_scene(scene_of([body]))
    R = quaternion_to_matrix(TURN)

    center = np.array(body.position) + R @ body.center_of_mass
    assert compiled.state.bodies["position"][0] == pytest.approx(center, abs=1e-15)
    assert world_inertia(compiled) == pytest.approx(R @ TENSOR @ R.T, abs=1e-14)
    positions, orientations = compiled.user_poses(
        compiled.state.bodies["position"], compiled.state.bodies["orientation"]
    )
    assert positions[0] == pytest.approx(body.position, abs=1e-15)
    assert abs(orientations[0] @ TURN) == pytest.approx(1.0, abs=1e-15)


def test_origin_off_the_centre_circles_it():
    """A free spinning body whose origin is off its centre: the centre rests, the origin circles."""
    scene = free_body((2.0, 2.0, 2.0), (0.0, 0.0, 3.0))
    scene.bodies[0].center_of_mass = (1.0, 0.0, 0.0)

    recording = ic.simulate(scene, duration=2.0, fps=20.0)

    t = recording.times
    circle = np.stack([1.0 - np.cos(3.0 * t), -np.sin(3.0 * t), 0.0 * t], axis=-1)
    assert recording.positions[:, 0] == pytest.approx(circle, abs=1e-13)


def test_start_velocity_is_that_of_the_centre_of_mass():
    """velocity is the centre's, angular_velocity in world axes: L = R J Rᵀ ω."""
    body = Body(
        name="b",
        orientation=tuple(TURN),
        mass=3.0,
        inertia=SIX,
        center_of_mass=(0.1, -0.2, 0.4),
        velocity=(1.0, 2.0, -0.5),
        angular_velocity=(0.3, -0.7, 1.9),
    )
    compiled = compile_scene(scene_of([body]))
    R = quaternion_to_matrix(TURN)

    momentum = R @ TENSOR @ R.T @ body.angular_velocity
    assert compiled.state.bodies["velocity"][0].tolist() == [1.0, 2.0, -0.5]
    assert compiled.state.bodies["angular_momentum"][0] == pytest.approx(momentum, abs=1e-14)


def test_angles_of_start_in_degrees():
    """angular_velocity_deg is the same start as angular_velocity in radians."""
    body = Body(
        name="b", mass=1.0, inertia=(1.0, 2.0, 3.0), angular_velocity_deg=(180.0, 0.0, 90.0)
    )

    momentum = compile_scene(scene_of([body])).state.bodies["angular_momentum"][0]
    assert momentum == pytest.approx([np.pi, 0.0, 1.5 * np.pi], rel=1e-15)


def test_parallel_axes_over_several_geometries():
    """Two boxes of one body: mass, centre and inertia by the parallel-axis theorem."""
    solids = [
        Geometry(shape="box", size=(1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0)),
        Geometry(shape="box", size=(2.0, 1.0, 1.0), position=(1.5, 0.0, 0.0)),
    ]
    mass, center, inertia = described(Body(name="b", density=2.0, geometry=solids))

    # one bar of 3 × 1 × 1 m
    assert mass == pytest.approx(6.0, rel=1e-14)
    assert center == pytest.approx([1.0, 0.0, 0.0], abs=1e-14)
    assert inertia == pytest.approx(np.diag([2.0, 10.0, 10.0]) * 6.0 / 12.0, abs=1e-13)


def test_a_turned_solid():
    """A solid turned by 90° about z in its body swaps the moments about x and y."""
    half = np.sqrt(0.5)
    solid = Geometry(shape="box", size=(1.0, 2.0, 3.0), orientation=(half, 0.0, 0.0, half))
    _, _, inertia = described(Body(name="b", mass=12.0, geometry=[solid]))

    assert inertia == pytest.approx(np.diag([10.0, 13.0, 5.0]), abs=1e-13)


@pytest.mark.parametrize(
    ("solid", "body", "material", "expected"),
    [
        (3.0, 5.0, True, 3.0),
        (None, 5.0, True, 5.0),
        (None, None, True, 7.0),
        (3.0, None, False, 3.0),
        (None, 5.0, False, 5.0),
    ],
)
def test_precedence_of_densities(solid, body, material, expected):
    """A solid's own density wins over its body's, that over its material's."""
    cube = Geometry(
        shape="box", size=(1.0, 1.0, 1.0), density=solid, material="steel" if material else None
    )
    scene = scene_of([Body(name="b", density=body, geometry=[cube])])
    scene.materials = [Material(name="steel", density=7.0)]

    assert compile_scene(scene).model.bodies["mass"][0] == pytest.approx(expected, rel=1e-14)


def test_mass_with_geometry():
    """A given mass scales the solids; their densities only weigh them against each other."""
    cubes = [
        Geometry(shape="box", size=(1.0, 1.0, 1.0), density=1.0),
        Geometry(shape="box", size=(1.0, 1.0, 1.0), density=3.0, position=(4.0, 0.0, 0.0)),
    ]
    mass, center, inertia = described(Body(name="b", mass=8.0, geometry=cubes))

    assert mass == pytest.approx(8.0, rel=1e-15)
    assert center == pytest.approx([3.0, 0.0, 0.0], abs=1e-14)
    # 2 kg at 3 m and 6 kg at 1 m from the centre, and the cubes' own moments of m/6
    assert inertia == pytest.approx(np.diag([0.0, 24.0, 24.0]) + np.eye(3) * 8.0 / 6.0, abs=1e-13)


def test_visual_solids_count_only_without_others():
    """A body with collision solids takes its mass from those, else from its visual ones."""
    seen = Geometry(shape="box", size=(1.0, 1.0, 1.0), role="visual")
    touched = Geometry(shape="box", size=(0.5, 1.0, 1.0), role="collision")

    assert described(Body(name="b", density=2.0, geometry=[seen, touched]))[0] == pytest.approx(1.0)
    assert described(Body(name="b", density=2.0, geometry=[seen]))[0] == pytest.approx(2.0)


def test_static_bodies_are_the_world():
    """A joint to a static body is a joint to the world, and the body stays where it was put."""
    wall = Body(name="wall", motion="static", position=(0.5, 0.0, 0.0), orientation=tuple(TURN))
    swinging = chain(2, ["ball", "hinge"])
    held = chain(2, ["ball", "hinge"])
    held.bodies.insert(1, wall)
    held.joints[0].body1 = "wall"

    expected, found = ic.simulate(swinging, duration=0.5), ic.simulate(held, duration=0.5)

    assert np.array_equal(found.positions[:, [0, 2]], expected.positions)
    assert np.array_equal(found.positions[:, 1], np.tile(wall.position, (len(found.times), 1)))
    assert np.abs(found.orientations[:, 1] @ TURN) == pytest.approx(1.0, abs=1e-15)


def test_static_order_does_not_matter():
    """Static bodies anywhere in the list shift rows, not motions."""
    scene = chain(2, ["ball", "ball"])
    scene.bodies.insert(0, Body(name="wall", motion="static"))

    assert compile_scene(scene).body_row.tolist() == [2, 0, 1]


def test_anchors_and_axes_go_into_body_frames():
    """Anchors and axes given in the world come back to it from the frames of both bodies."""
    scene = chain(2, ["ball", "hinge"], axis=(0.0, 3.0, 4.0))
    compiled = compile_scene(scene)
    model, state = compiled.model, compiled.state
    anchor = np.array(scene.joints[1].anchor)

    joint = model.joints[1]
    for body, place in ((joint["body1"], joint["anchor1"]), (joint["body2"], joint["anchor2"])):
        point = state.bodies["position"][body] + rotated(state.bodies["orientation"][body], place)
        assert point == pytest.approx(anchor, abs=1e-15)
    directions = np.array([joint[key] for key in ("axis1", "across_b", "across_c")])
    frame = rotated(state.bodies["orientation"][joint["body1"]], directions)
    assert frame[0] == pytest.approx([0.0, 0.6, 0.8], abs=1e-15)
    assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-15)
    assert np.linalg.det(frame) == pytest.approx(1.0, abs=1e-15)
    axis2 = rotated(state.bodies["orientation"][joint["body2"]], joint["axis2"])
    assert axis2 == pytest.approx([0.0, 0.6, 0.8], abs=1e-15)
    relative = conjugated(state.bodies["orientation"][joint["body1"]])
    assert joint["relative_orientation"] == pytest.approx(
        np.array(ic_product(relative, state.bodies["orientation"][joint["body2"]])), abs=1e-15
    )


def ic_product(a, b):
    """Hamilton product written by its definition: scalar and vector part."""
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return [scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))]


@pytest.mark.parametrize(
    ("size", "axis"), [((1.0, 1.0, 3.0), 2), ((3.0, 1.0, 1.0), 0), ((1.0, 3.0, 1.0), 1)]
)
def test_symmetry_axis_is_found(size, axis):
    """Square bars are symmetric tops about their long axis, whichever that is."""
    compiled = compile_scene(scene_of([box("b", (0.0, 0.0, 0.0), size)]))

    row = compiled.model.bodies["symmetry_axis"][0]
    along = rotated(compiled.state.bodies["orientation"][0], np.eye(3)[row])
    assert np.abs(along) == pytest.approx(np.eye(3)[axis], abs=1e-15)
    others = np.delete(compiled.model.bodies["inertia"][0], row)
    assert others[0] == others[1]


def test_three_different_moments_have_no_symmetry_axis():
    """A brick has no axis of symmetry, nor has the world."""
    compiled = compile_scene(scene_of([box("b", (0.0, 0.0, 0.0), (1.0, 1.001, 3.0))]))

    assert compiled.model.bodies["symmetry_axis"].tolist()[0] == -1


def test_unsound_scenes_built_in_python():
    """A scene that never went through load_scene is checked all the same: no KeyError, no NaN."""
    scene = scene_of(
        [box("a", (0.0, 0.0, 0.0))],
        [
            Joint(type="ball", body2="b", anchor=(0.0, 0.0, 0.0)),
            Joint(type="hinge", body2="a", anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 0.0)),
        ],
    )

    with pytest.raises(SceneError) as caught:
        ic.simulate(scene, duration=0.1)
    assert "no body 'b'" in str(caught.value)
    assert "axis" in str(caught.value)
    assert len(ic.check(scene)) == 2


def test_check_finds_nothing_in_a_sound_scene():
    """check returns an empty list for a scene that can be simulated."""
    assert ic.check(chain(3, ["ball", "hinge", "fixed"])) == []
