"""A placed copy is the image of the part under x ↦ p + Q M x, in all that has a direction."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from impulse_schema import (
    Body,
    CouplingTerm,
    Curve,
    Geometry,
    Joint,
    Keyframe,
    Limit,
    Load,
    Mesh,
    Motor,
    Part,
    Scene,
    Spring,
    SpringDamper,
    Use,
    expand_parts,
)
from impulse_schema.fields import all_elements
from impulse_schema.models import CollisionPair, Element
from impulse_schema.parts.placement import Placement
from impulse_schema.parts.placing import Placer, Twins
from tests.references.rigid_ode import matrix_of

Array = Any

coordinates = st.floats(-3, 3).map(lambda x: round(x, 3))
vectors = st.tuples(coordinates, coordinates, coordinates)
quaternions = (
    st.tuples(*[st.floats(-1, 1)] * 4)
    .filter(lambda q: float(np.linalg.norm(q)) > 0.1)
    .map(lambda q: tuple(float(c) for c in np.array(q) / np.linalg.norm(q)))
)
uses = st.builds(
    Use,
    part=st.just("p"),
    name=st.just("u"),
    position=vectors,
    orientation=quaternions,
    mirror=st.sampled_from(["none", "x", "y", "z"]),
)
often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Image:
    """x ↦ p + Q M x of a use, with NumPy."""

    def __init__(self, use: Use) -> None:
        self.mirror = np.diag([-1.0 if axis == use.mirror else 1.0 for axis in "xyz"])
        self.linear = matrix_of(use.orientation) @ self.mirror
        self.sign = np.linalg.det(self.mirror)
        self.position = np.array(use.position)

    def point(self, x: Array) -> Array:
        return np.asarray(x) @ self.linear.T + self.position

    def vector(self, v: Array) -> Array:
        return np.asarray(v) @ self.linear.T

    def axial(self, v: Array) -> Array:
        return self.sign * self.vector(v)


def placed(use: Use, **content: Any) -> Scene:
    """The expanded scene of one part with a use of it."""
    mesh = content.pop("mesh", None)
    scene = Scene(
        version=1, meshes=[mesh] if mesh else [], parts=[Part(name="p", **content)], uses=[use]
    )
    return expand_parts(scene)


def equal(found: Array, wanted: Array) -> None:
    np.testing.assert_allclose(found, wanted, atol=1e-12)


TENSOR = (3.0, 4.0, 5.0, 0.1, -0.2, 0.3)


def tensor(values: tuple[float, ...]) -> Array:
    xx, yy, zz, xy, xz, yz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@often
@given(use=uses, at=vectors, q=quaternions, v=vectors, w=vectors, c=vectors)
def test_bodies_are_moved(use: Use, at: Any, q: Any, v: Any, w: Any, c: Any) -> None:
    """Place, velocities, centre of mass, inertia and keyframes are the images of those written; a
    mirrored body is no less right-handed.
    """
    moving = Body(
        name="b",
        mass=1.0,
        inertia=TENSOR,
        center_of_mass=c,
        position=at,
        orientation=q,
        velocity=v,
        angular_velocity=w,
    )
    led = Body(
        name="k",
        motion="kinematic",
        keyframes=[Keyframe(time=t, position=at, orientation=q) for t in (0.0, 1.0)],
    )
    image = Image(use)

    made, guided = placed(use, bodies=[moving, led]).bodies

    turn, before = matrix_of(made.orientation), matrix_of(q)
    equal(made.position, image.point(at))
    equal(turn, image.linear @ before @ image.mirror)
    equal(made.velocity, image.vector(v))
    equal(made.angular_velocity, image.axial(w))
    equal(made.position + turn @ made.center_of_mass, image.point(at + before @ c))
    assert made.inertia is not None
    inertia, whole = tensor(made.inertia), image.linear @ before
    equal(turn @ inertia @ turn.T, whole @ tensor(TENSOR) @ whole.T)
    for keyframe in guided.keyframes:
        equal(keyframe.position, made.position)
        equal(keyframe.orientation, made.orientation)
    assert (guided.position, guided.orientation) == ((0, 0, 0), (1, 0, 0, 0))


TETRAHEDRON: Any = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]
FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
HEIGHTS = [[0.0, 1.0, 2.0], [0.5, 0.25, 0.0]]
SOLIDS = [
    Geometry(shape="box", size=(1, 2, 3)),
    Geometry(shape="sphere", radius=1),
    Geometry(shape="ellipsoid", size=(1, 2, 3)),
    Geometry(shape="cylinder", radius=1, height=2),
    Geometry(shape="capsule", radius=1, height=2),
    Geometry(shape="cone", radius=1, height=2),
    Geometry(shape="torus", major_radius=2, minor_radius=1),
    Geometry(shape="plane"),
    Geometry(shape="mesh", mesh="m"),
    Geometry(shape="convex_hull", mesh="m"),
    Geometry(shape="height_field", size=(2, 3, 1), heights=HEIGHTS),
]


def characteristic_points(solid: Geometry, meshes: dict[str, Mesh]) -> Array:
    """Points that tell apart all placements of a solid that look different, solid frame."""
    corners = np.array(list(product([-0.5, 0.5], repeat=3)))
    if solid.mesh is not None:
        mesh = meshes[solid.mesh]
        flip = [-1.0 if axis == mesh.mirror else 1.0 for axis in "xyz"]
        return np.array(mesh.vertices) * flip
    if solid.heights is not None:
        heights = np.array(solid.heights)
        x, y = np.meshgrid([-1.0, 0.0, 1.0], [-1.5, 1.5])
        return np.stack([x, y, heights], axis=-1).reshape(-1, 3)
    if solid.size is not None:
        return corners * solid.size
    ends: Any = {"plane": [(0, 0, 0), (0, 0, -1)], "cone": [(0, 0, 1), (0, 0, -2)]}
    return np.array(ends.get(solid.shape, [(0, 0, 1), (0, 0, -1)]))


def sorted_rows(points: Array) -> Array:
    rounded = np.round(points, 9) + 0.0
    return points[np.lexsort(rounded.T)]


@pytest.mark.parametrize("flipped", ["none", "y"])
@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid.shape)
@often
@given(use=uses, at=vectors, q=quaternions, where=vectors, how=quaternions)
def test_solids_are_moved(
    solid: Geometry, flipped: Any, use: Use, at: Any, q: Any, where: Any, how: Any
) -> None:
    """Every shape is where its image is: those with a top, a mesh and a height field as well."""
    mesh = Mesh(name="m", vertices=TETRAHEDRON, faces=FACES, mirror=flipped)
    solid = solid.model_copy(update={"position": where, "orientation": how})
    body = Body(name="b", motion="static", position=at, orientation=q, geometry=[solid])
    image = Image(use)

    scene = placed(use, bodies=[body], mesh=mesh)

    made = scene.bodies[0].geometry[0]
    meshes = {m.name: m for m in scene.meshes}

    def seen(body: Body, solid: Geometry) -> Array:
        points = characteristic_points(solid, meshes) @ matrix_of(solid.orientation).T
        return (points + solid.position) @ matrix_of(body.orientation).T + body.position

    wanted = image.point(seen(body, solid))
    np.testing.assert_allclose(
        sorted_rows(seen(scene.bodies[0], made)), sorted_rows(wanted), atol=1e-9
    )


def test_a_mesh_has_one_mirror_image() -> None:
    """It is shared by all mirrored copies; the image of an image is the mesh itself."""
    solid = Geometry(shape="mesh", mesh="m")
    toe = Part(name="toe", bodies=[Body(name="b", density=1.0, geometry=[solid])])
    foot = Part(
        name="foot",
        uses=[Use(part="toe", name="plain"), Use(part="toe", name="mirrored", mirror="z")],
    )
    made = expand_parts(
        Scene(
            version=1,
            meshes=[Mesh(name="m", vertices=TETRAHEDRON, faces=FACES)],
            parts=[toe, foot],
            uses=[Use(part="foot", name="u"), Use(part="foot", name="v", mirror="y")],
        )
    )

    assert [mesh.name for mesh in made.meshes] == ["m", "m.mirrored"]
    assert [mesh.mirror for mesh in made.meshes] == ["none", "x"]
    assert {body.name: body.geometry[0].mesh for body in made.bodies} == {
        "u.plain.b": "m",
        "u.mirrored.b": "m.mirrored",
        "v.plain.b": "m.mirrored",
        "v.mirrored.b": "m",
    }


@often
@given(use=uses, force=vectors, torque=vectors, point=vectors, q=quaternions)
def test_loads_are_moved(use: Use, force: Any, torque: Any, point: Any, q: Any) -> None:
    """A force is a vector and a torque an axial one, in the world's axes and in the body's."""
    body = Body(name="b", mass=1, inertia=(1, 1, 1), orientation=q)
    force = (force[0], force[1], 1.0)
    loads = [
        Load(name=axes, body="b", force=force, torque=torque, point=point, axes=axes)
        for axes in ("world", "body")
    ]
    image = Image(use)

    made = placed(use, bodies=[body], loads=loads)

    turn, before = matrix_of(made.bodies[0].orientation), matrix_of(q)
    for load in made.loads:
        now, then = (turn, before) if load.axes == "body" else (np.eye(3), np.eye(3))
        equal(now @ load.force, image.vector(then @ force))
        equal(now @ load.torque, image.axial(then @ torque))
        assert load.point is not None
        equal(turn @ load.point, image.vector(before @ point))
        assert (load.name, load.body) == (f"u.{load.axes}", "u.b")


AXIAL = ("hinge", "cylindrical", "screw", "universal", "ball")


@pytest.mark.parametrize(
    "kind",
    [*AXIAL, "slider", "planar", "point-on-line", "point-on-plane", "parallel-axes"],
)
@often
@given(use=uses, anchor=vectors, axis=vectors.filter(lambda v: float(np.linalg.norm(v)) > 0.1))
def test_joints_are_moved(kind: Any, use: Use, anchor: Any, axis: Any) -> None:
    """Anchors are points; the axis of a turn is axial, so that the image turns by the same angle,
    and any other axis is a vector, so that the image is moved by the same length.
    """
    across = np.cross(axis, [0.3, -0.5, 0.9]) + 0.0
    if float(np.linalg.norm(across)) < 1e-3:
        across = np.cross(axis, [1.0, 0.0, 0.0])
    keys: dict[str, Any] = {} if kind == "parallel-axes" else {"anchor": anchor}
    keys |= {"axis": axis}
    keys |= {"axis2": tuple(float(c) for c in across)} if kind in ("universal", "ball") else {}
    keys |= {"limits": [Limit(freedom="swing", upper=2.0)]} if kind == "ball" else {}
    keys |= {"pitch": 0.5} if kind == "screw" else {}
    image = Image(use)

    made = placed(
        use,
        bodies=[Body(name="b", mass=1, inertia=(1, 1, 1))],
        joints=[Joint(type=kind, body2="b", **keys)],
        springs=[SpringDamper(body2="b", anchor=anchor, anchor2=axis, stiffness=1)],
    )

    joint, spring = made.joints[0], made.springs[0]
    moved = image.axial if kind in AXIAL else image.vector
    for key in ("axis", "axis2"):
        if key in keys:
            equal(getattr(joint, key), moved(keys[key]))
    if "anchor" in keys:
        equal(joint.anchor, image.point(anchor))
    equal(spring.anchor, image.point(anchor))
    equal(spring.anchor2, image.point(axis))
    assert joint.pitch == (0.5 * image.sign if kind == "screw" else None)
    assert (joint.name, joint.body1, joint.body2) == ("u.joint-1", "world", "u.b")


@pytest.mark.parametrize("kind", ["hinge", "slider", "cylindrical", "screw"])
def test_a_coordinate_keeps_its_numbers(kind: Any) -> None:
    """What acts along the axis of a mirrored joint has the numbers that were written; only along
    the slide of a joint that turns as well do they count in the other direction.
    """
    free = {"hinge": ["rotation"], "slider": ["translation"]}.get(kind, ["rotation", "translation"])
    both = len(free) == 2
    joint = Joint(
        name="j",
        type=kind,
        body2="b",
        anchor=(0, 0, 0),
        axis=(0, 0, 1),
        pitch=0.1 if kind == "screw" else None,
        limits=[Limit(freedom=f, lower=-1, upper=2) for f in free],
        springs=[Spring(freedom=f, stiffness=1, rest=0.5) for f in free],
        motors=[
            Motor(freedom=f, kind="servo", expression="sin(t)", proportional=1, max_force=3)
            for f in free[-1:]
        ],
    )
    terms = [CouplingTerm(joint="j", freedom=f, coefficient=2) for f in free]
    gear = Joint(name="gear", type="coupling", terms=terms, constant=0.5)
    body = Body(name="b", mass=1, inertia=(1, 1, 1))

    made = placed(Use(part="p", name="u", mirror="x"), bodies=[body], joints=[joint, gear]).joints

    numbers = [
        (limit.lower, limit.upper, spring.rest, term.coefficient)
        for limit, spring, term in zip(made[0].limits, made[0].springs, made[1].terms, strict=True)
    ]
    as_written, turned_round = (-1, 2, 0.5, 2), (-2, 1, -0.5, -2)
    assert numbers == ([as_written, turned_round] if both else [as_written])
    assert made[0].motors[0].expression == ("-(sin(t))" if both else "sin(t)")
    assert made[1].constant == 0.5


def test_motors_along_a_mirrored_slide() -> None:
    """Targets, curves and forces of one direction are turned round with it."""
    motors: list[dict[str, Any]] = [
        {"kind": "velocity", "target": 2.0, "min_force": -1.0, "max_force": 3.0},
        {"kind": "force", "curve": Curve(times=[0, 1], values=[0, 5])},
    ]
    for given_ in motors:
        joint = Joint(
            type="cylindrical",
            body2="b",
            anchor=(0, 0, 0),
            axis=(0, 0, 1),
            motors=[Motor(freedom="translation", **given_)],
        )
        body = Body(name="b", mass=1, inertia=(1, 1, 1))
        made = placed(Use(part="p", name="u", mirror="x"), bodies=[body], joints=[joint])
        motor = made.joints[0].motors[0]
        assert motor.target in (None, -2.0)
        assert (motor.min_force, motor.max_force) in ((None, None), (-3.0, 1.0))
        assert motor.curve is None or motor.curve.values == [0, -5]


@often
@given(use=uses, at=vectors, q=quaternions)
def test_twice_mirrored_is_turned(use: Use, at: Any, q: Any) -> None:
    """Two mirrors are a half turn, and the same one twice is nothing, to the bit."""
    body = Body(name="b", mass=1, inertia=TENSOR, position=at, orientation=q)

    def twice(first: Any, second: Any) -> Body:
        inner = Part(name="inner", bodies=[body])
        outer = Part(name="outer", uses=[Use(part="inner", name="i", mirror=first)])
        use = Use(part="outer", name="o", mirror=second)
        return expand_parts(Scene(version=1, parts=[inner, outer], uses=[use])).bodies[0]

    same = twice("x", "x")
    assert (same.position, same.orientation, same.inertia) == (at, q, TENSOR)
    turned = twice("x", "y")
    half = np.diag([-1.0, -1.0, 1.0])
    equal(turned.position, half @ at)
    equal(matrix_of(turned.orientation), half @ matrix_of(q) @ half)


# Vectors without a direction in the frame of the part.
MEASURES = {("Geometry", "size"), ("Curve", "times"), ("Curve", "values")}


def test_nothing_with_a_direction_is_forgotten() -> None:
    """Every vector of an element that parts can hold is placed, or stands among the measures."""
    use = Use(part="p", name="u", position=(5, 6, 7), orientation=(0.5, 0.5, 0.5, 0.5), mirror="x")
    placer = Placer(use, Placement.of(use), {}, Twins({}))
    tried = set()
    for spec in all_elements(Part):
        if spec.model in (Part, Use, CollisionPair):
            continue
        for field in spec.fields.values():
            place = (spec.model.__name__, field.key)
            if field.kind != "numbers" or place in MEASURES:
                continue
            values = (0.1, 0.7, -0.5, 0.5, 0.2, 0.3)[: max(field.counts)]
            made = placer.copy(_holder(spec.model, {field.key: values}))
            assert _found(made, spec.model, field.name) != values, place
            tried.add(place)
    assert ("Body", "position") in tried
    assert ("Geometry", "orientation") in tried


def _holder(model: type[Element], values: dict[str, Any]) -> Any:
    """An element that stands in a part, and is or holds a ``model`` with these values."""
    required: dict[str, Any] = {
        "Body": {"name": "b"},
        "Keyframe": {"time": 0.0, "position": (0, 0, 0)},
        "Geometry": {"shape": "box"},
        "Load": {"body": "b"},
        "Joint": {"type": "hinge"},
        "SpringDamper": {"anchor": (0, 0, 0), "anchor2": (0, 0, 0)},
    }
    element = model.model_validate(required[model.__name__] | values)
    if isinstance(element, Geometry):
        return Body(name="b", geometry=[element])
    return Body(name="b", keyframes=[element]) if isinstance(element, Keyframe) else element


def _found(made: Any, model: type[Element], name: str) -> Any:
    inner = {Geometry: "geometry", Keyframe: "keyframes"}.get(model)  # type: ignore[call-overload]
    return getattr(getattr(made, inner)[0] if inner else made, name)


def test_no_signed_number_is_forgotten() -> None:
    """Numbers that may be negative are those that mirroring was thought through for: along axes and
    of couplings (``turn_round``), pitches, times of curves, the constant of a coupling, and phases,
    which are times.
    """
    signed = {
        (spec.model.__name__, field.key)
        for spec in all_elements(Part)
        for field in spec.fields.values()
        if field.kind == "number" and field.sign == "any"
    }

    assert signed == {
        ("Keyframe", "time"),
        ("Motor", "target"),
        ("Motor", "min_force"),
        ("Limit", "lower"),
        ("Limit", "upper"),
        ("Spring", "rest"),
        ("CouplingTerm", "coefficient"),
        ("Joint", "pitch"),
        ("Joint", "constant"),
        ("Joint", "phase"),
        ("Load", "phase"),
        ("Use", "phase"),
    }
