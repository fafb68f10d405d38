"""A mirrored part moves as the mirror image of the part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile.bodies import MassSource
from impulse_core.compile.canonical import canonical_scene
from impulse_core.compile.collision_meshes import CollisionMeshes
from impulse_core.compile.problems import ProblemList
from impulse_core.geometry.rotations import quaternion_to_matrix, rotated
from impulse_schema.models import (
    Body,
    CouplingTerm,
    Friction,
    Geometry,
    Joint,
    Keyframe,
    Limit,
    Load,
    Mesh,
    Motor,
    Part,
    Scene,
    Settings,
    Spring,
    SpringDamper,
    Use,
)

GRAVITY = (0.5, 1.0, -9.0)
TURN = (0.5, -0.1, 0.7, 0.5)  # unit length
HALF = np.sqrt(0.5)
WEDGE = Mesh(
    name="wedge",
    vertices=[(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1)],
    faces=[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
)


def skew(name: str, x: float, **more: Any) -> Body:
    """A body that is no mirror image of itself."""
    given: dict[str, Any] = {"density": 800.0} if "mass" not in more else {}
    return Body(
        name=name,
        position=(x, 0.1 * x, -0.2 * x),
        orientation=(0.5, 0.5, -0.1, 0.7),
        geometry=[
            Geometry(shape="mesh", mesh="wedge", position=(0.1, 0.05, 0), role="visual"),
            Geometry(
                shape="cone",
                radius=0.1,
                height=0.2,
                position=(0, 0, 0.1),
                orientation=(HALF, 0.5, 0.5, 0.0),
                role="visual",
            ),
        ],
        **given,
        **more,
    )


def machine() -> Part:
    """Each type of joint that has a coordinate, driven, held, limited and coupled."""
    bodies = [
        skew("arm", 0.4),
        skew("rod", 0.8, angular_velocity=(0.1, -0.3, 0.2)),
        skew("nut", 1.2),
        skew("screw", 1.6),
        skew("fork", 2.0, velocity=(0.1, 0.2, 0.3)),
        skew("bob", 2.4, mass=1.5, center_of_mass=(0.02, 0.03, 0.01), inertia=TENSOR),
        Body(
            name="crank",
            motion="kinematic",
            keyframe_interpolation="cubic",
            keyframes=[
                Keyframe(time=0.0, position=(0, 1, 0)),
                Keyframe(time=0.5, position=(0.2, 1.1, 0.1), orientation=(0.8, 0.0, 0.6, 0.0)),
            ],
        ),
        skew("tail", 0.6),
    ]
    axis = (0.2, 0.9, -0.3)
    joints = [
        Joint(
            name="shoulder",
            type="hinge",
            body2="arm",
            anchor=(0.1, 0, 0),
            axis=axis,
            armature=0.02,
            motors=[Motor(kind="servo", expression="0.4*sin(5*t)", proportional=80, derivative=8)],
            limits=[Limit(lower=-0.2, upper=0.3)],
        ),
        Joint(
            name="rail",
            type="slider",
            body1="arm",
            body2="rod",
            anchor=(0.6, 0, 0),
            axis=(1, 0.3, 0.2),
            springs=[Spring(stiffness=900, damping=5, rest=0.05)],
            frictions=[Friction(force=0.5)],
        ),
        Joint(
            name="sleeve",
            type="cylindrical",
            body1="rod",
            body2="nut",
            anchor=(1, 0, 0),
            axis=(0.3, 1, 0.1),
            springs=[
                Spring(freedom="rotation", stiffness=20, damping=1, rest=0.3),
                Spring(freedom="translation", stiffness=700, damping=4, rest=0.1),
            ],
            limits=[Limit(freedom="translation", upper=0.12, restitution=0.5)],
            motors=[
                Motor(
                    kind="force",
                    freedom="translation",
                    expression="5*sin(9*t)",
                    min_force=-2.0,
                    max_force=4.0,
                )
            ],
        ),
        Joint(
            name="thread",
            type="screw",
            body1="nut",
            body2="screw",
            anchor=(1.4, 0, 0),
            axis=(0.1, 0.2, 1),
            pitch=0.3,
            motors=[Motor(kind="force", freedom="translation", target=3.0)],
            springs=[Spring(stiffness=5, damping=0.3)],
        ),
        Joint(
            name="cross",
            type="universal",
            body1="screw",
            body2="fork",
            anchor=(1.8, 0, 0),
            axis=(1, 0, 0),
            axis2=(0, 0.6, 0.8),
            damping=0.4,
        ),
        Joint(
            name="ball",
            type="ball",
            body1="fork",
            body2="bob",
            anchor=(2.2, 0, 0),
            axis=(1, 0.1, 0),
            axis2=(1, 0, 0.2),
            damping=0.1,
            limits=[
                Limit(freedom="swing", upper=0.4, restitution=0.5),
                Limit(freedom="twist", lower=-0.05, upper=0.3),
            ],
        ),
        Joint(
            name="rope",
            type="distance",
            body1="arm",
            body2="bob",
            anchor=(0.4, 0, 0),
            anchor2=(2.4, 0.2, 0),
            max_length=2.2,
        ),
        Joint(
            name="gear",
            type="coupling",
            terms=[
                CouplingTerm(joint="sleeve", freedom="rotation", coefficient=0.2),
                CouplingTerm(joint="sleeve", freedom="translation", coefficient=1.0),
                CouplingTerm(joint="rail", coefficient=0.5),
            ],
        ),
        Joint(type="hinge", body1="crank", body2="tail", anchor=(0, 1, 0), axis=(0, 0, 1)),
    ]
    loads = [
        Load(body="bob", force=(1, 2, 3), torque=(0.1, 0.2, -0.3), point=(0.1, 0.2, 0)),
        Load(body="fork", force=(0, 2, 1), torque=(0.3, 0, 0.2), axes="body", reaction_body="nut"),
    ]
    springs = [
        SpringDamper(body2="bob", anchor=(2, 1, 0), anchor2=(2.3, 0, 0), stiffness=30, damping=1)
    ]
    return Part(name="machine", bodies=bodies, joints=joints, loads=loads, springs=springs)


TENSOR = (0.03, 0.04, 0.05, 0.004, -0.006, 0.008)


def scene_with(use: Use, part: Part, gravity: Any = GRAVITY, **more: Any) -> Scene:
    return Scene(
        version=1,
        settings=Settings(gravity=tuple(map(float, gravity)), **more),
        meshes=[WEDGE],
        parts=[part],
        uses=[use],
    )


def image(use: Use) -> Any:
    """Q M of a use."""
    mirror = np.diag([-1.0 if axis == use.mirror else 1.0 for axis in "xyz"])
    return quaternion_to_matrix(np.array(use.orientation)) @ mirror


def matrices(orientations: Any) -> Any:
    """Rotation matrices of the bodies in all frames."""
    columns = [rotated(orientations, np.array(axis)) for axis in np.eye(3)]
    return np.stack(columns, axis=-1)


PLACED = [
    Use(part="machine", name="m", mirror="x"),
    Use(part="machine", name="m", mirror="y", position=(1, 2, 3)),
    Use(part="machine", name="m", mirror="z", position=(1, 2, 3), orientation=TURN),
    Use(part="machine", name="m", position=(-1, 2, 0.5), orientation=TURN),
]


@pytest.mark.parametrize("use", PLACED, ids=lambda use: f"{use.mirror}-{use.position[0]}")
def test_the_motion_of_the_image_is_the_image_of_the_motion(use: Use) -> None:
    """A machine with each type of joint, motors, stops, couplings and loads, placed, turned and
    mirrored under a gravity that is turned and mirrored too: all bodies stay at the images of their
    places, coordinates are the same, but slides of joints that turn as well have changed sides,
    and energies are the same. So it is with every copy of every joint force.
    """
    part = machine()
    options: dict[str, Any] = {"step": 0.005, "duration": 0.5, "fps": 20, "tolerance": 1e-11}
    linear = image(use)

    before = ic.simulate(scene_with(Use(part="machine", name="m"), part, **options))
    after = ic.simulate(scene_with(use, part, linear @ GRAVITY, **options))

    assert before.complete
    assert after.complete
    assert after.body_names == before.body_names
    assert np.ptp(before.positions, axis=0).max() > 0.2
    moved = before.positions @ linear.T + use.position
    np.testing.assert_allclose(after.positions, moved, atol=1e-9)
    turned = matrices(before.orientations)
    mirror = np.diag([-1.0 if axis == use.mirror else 1.0 for axis in "xyz"])
    np.testing.assert_allclose(matrices(after.orientations), linear @ turned @ mirror, atol=1e-9)
    for key in ("kinetic", "potential"):
        shift = after.energy[key][0] - before.energy[key][0]  # of where potential energy is zero
        np.testing.assert_allclose(after.energy[key] - shift, before.energy[key], atol=1e-8)
    sign = np.linalg.det(linear)
    for name, joint in before.joints.items():
        other = after.joints[name]
        backwards = sign if name in ("m.sleeve", "m.thread") else 1.0
        for key in {"angle", "angle2", "swing", "twist"} & joint.keys():
            np.testing.assert_allclose(other[key], joint[key], atol=1e-8)
        if "displacement" in joint:
            np.testing.assert_allclose(
                other["displacement"], backwards * joint["displacement"], atol=1e-8
            )


SLOPE = Body(
    name="ground",
    motion="static",
    orientation=(np.cos(0.1), np.sin(0.1), 0, 0),
    geometry=[Geometry(shape="plane")],
)
HILL = Body(
    name="ground",
    motion="static",
    position=(0, 0, -0.3),
    geometry=[
        Geometry(shape="height_field", size=(2, 2, 1), heights=[[0.2, 0.4, 0.1], [0.5, 0.3, 0.6]])
    ],
)


@pytest.mark.parametrize("ground", [SLOPE, HILL], ids=["plane", "height field"])
@pytest.mark.parametrize(
    ("shape", "measures"),
    [("mesh", {"mesh": "wedge"}), ("cone", {"radius": 0.1, "height": 0.3})],
)
def test_mirrored_contact(shape: Any, measures: dict[str, Any], ground: Body) -> None:
    """A body that is no mirror image of itself falls onto ground that is none: the image falls onto
    the image of the ground, of which the triangles of a height field are the images as well.
    """
    falling = Body(
        name="b",
        density=500.0,
        position=(0.05, 0.1, 0.4),
        orientation=(0.5, 0.5, -0.1, 0.7),
        angular_velocity=(1, 2, 3),
        geometry=[Geometry(shape=shape, **measures)],
    )
    part = Part(name="machine", bodies=[ground, falling])
    gravity = (0.0, 0.0, -9.81)
    options: dict[str, Any] = {"step": 0.002, "duration": 0.4, "fps": 25}

    before, after = (
        ic.simulate(scene_with(Use(part="machine", name="m", mirror=m), part, gravity, **options))
        for m in ("none", "x")
    )

    assert before.positions[-1, 1, 2] > -0.1  # has not fallen through
    assert before.diagnostics["contacts"]["max"] > 0
    np.testing.assert_allclose(after.positions, before.positions * [-1, 1, 1], atol=1e-9)


def test_mirrored_meshes_are_read_as_images(tmp_path: Any) -> None:
    """Inline or in a file: vertices mirrored, faces still seen from outside, so that volume and
    moments are those of the image; and polygons are divided into the images of their triangles.
    """
    lines = [f"v {x} {y} {z}" for x, y, z in WEDGE.vertices or []]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in WEDGE.faces or []]
    (tmp_path / "wedge.obj").write_text("\n".join(lines))
    (tmp_path / "scene.xml").write_text(
        '<scene version="1.2">'
        + "".join(
            f'<mesh name="{axis}" file="wedge.obj" mirror="{axis}" scale="2"/>'
            for axis in ("none", "x", "y", "z")
        )
        + "</scene>"
    )
    scene = ic.load_scene(tmp_path / "scene.xml")
    source = MassSource(scene, ProblemList(scene))
    plain = source.of_mesh("none", hull=False)
    assert plain is not None
    for k, axis in enumerate("xyz"):
        sign = np.where(np.arange(3) == k, -1.0, 1.0)
        mirrored = source.of_mesh(axis, hull=False)
        assert mirrored is not None
        assert source.problems.problems == []
        assert mirrored.mass == pytest.approx(plain.mass, rel=1e-14)
        np.testing.assert_allclose(mirrored.center_of_mass, plain.center_of_mass * sign)
        one, other = source.polygons("none"), source.polygons(axis)
        assert one is not None
        assert other is not None
        assert other.faces()[0][0] == one.faces()[0][0]
        np.testing.assert_array_equal(other.vertices, one.vertices * sign)


def test_convex_parts_of_a_mirrored_mesh() -> None:
    """They are the images of those of the mesh, so that both collide alike."""
    pytest.importorskip("coacd", reason="coacd is not installed")
    ell = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]
    n = len(ell)
    vertices: Any = [(x, y, z) for z in (0, 1) for x, y in ell]
    faces = [list(range(n))[::-1], list(range(n, 2 * n))]
    faces += [[i, (i + 1) % n, n + (i + 1) % n, n + i] for i in range(n)]
    names = ("none", "x")
    shape = {"vertices": vertices, "faces": faces}
    scene = Scene(version=1, meshes=[Mesh(name=m, mirror=m, **shape) for m in names])
    meshes = CollisionMeshes(MassSource(scene, ProblemList(scene)))

    plain, mirrored = (
        meshes.solid(name, (), Body(name="b"), decompose=True, moves=True) for name in names
    )

    assert len(plain) == len(mirrored) > 1
    for one, other in zip(plain, mirrored, strict=True):
        corners = [core.vertices * sign for core, sign in ((one, (-1, 1, 1)), (other, (1, 1, 1)))]
        rows = [points[np.lexsort(np.round(points, 9).T)] for points in corners]
        np.testing.assert_allclose(rows[0], rows[1], atol=1e-12)


def test_parts_are_expanded_wherever_a_scene_comes_from() -> None:
    """A scene built in Python with parts runs as the expanded one, has its run key, and no key or
    bit tells that there were parts.
    """
    from impulse_schema import expand_parts

    scene = scene_with(PLACED[1], machine(), step=0.01, duration=0.05)
    expanded = expand_parts(scene)

    assert canonical_scene(scene) == canonical_scene(expanded)
    assert ic.run_key(scene) == ic.run_key(expanded)
    runs = [ic.simulate(made) for made in (scene, expanded)]
    np.testing.assert_array_equal(runs[0].positions, runs[1].positions)
    assert ic.check(scene) == []
