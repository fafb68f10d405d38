"""Add Joint: where it stands, which way it points, what it joins; and parts that work at once."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


@pytest.fixture
def leg(add_body, select):
    """A thigh above a shank, 0.1 apart, both selected, the shank active."""
    thigh = add_body("thigh", size=(0.2, 0.2, 1.0), location=(0, 0, 1.5))
    shank = add_body("shank", size=(0.2, 0.2, 0.8), location=(0.1, 0, 0.5))
    select(thigh, shank)
    return thigh, shank


def add(**options):
    bpy.ops.impulse.add_joint(**options)
    return bpy.context.active_object


def axis_of(joint):
    return np.array(joint.matrix_world)[:3, 2]


def test_the_new_joint_is_what_is_selected(leg, context):
    """Afterwards the joint is active and alone selected, named after its type and body."""
    joint = add(type="hinge", place="BETWEEN")

    assert context.selected_objects == [joint]
    assert joint.name == "Hinge shank"
    assert (joint.impulse.joint.body1, joint.impulse.joint.body2) == leg


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("BETWEEN", (0.05, 0.0, 0.95)),
        ("AUTO", (0.05, 0.0, 0.95)),
        ("ORIGIN", (0.1, 0.0, 0.5)),
        ("CURSOR", (4.0, 5.0, 6.0)),
    ],
)
def test_places(leg, context, place, expected):
    """Between two bodies is the middle of their gap, along each axis of the world."""
    context.scene.cursor.location = (4, 5, 6)

    joint = add(place=place)

    assert tuple(joint.matrix_world.translation) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_axes(leg, context, axis):
    """The local z of the joint is the axis, its x points at the second body where it can."""
    joint = add(place="BETWEEN", axis=axis)
    context.view_layer.update()

    assert axis_of(joint) == pytest.approx(np.eye(3)["XYZ".index(axis)], abs=1e-6)
    towards = np.array([0.05, 0.0, -0.45])
    flat = towards - towards @ axis_of(joint) * axis_of(joint)
    x = np.array(joint.matrix_world)[:3, 0]
    assert x == pytest.approx(flat / np.linalg.norm(flat), abs=1e-5)


def test_a_slider_slides_from_body_to_body(leg, context):
    """By itself its axis is the world axis nearest to the line between the bodies."""
    joint = add(type="slider", place="AUTO", axis="AUTO")
    context.view_layer.update()

    assert axis_of(joint) == pytest.approx([0, 0, 1], abs=1e-6)


def test_one_body_is_joined_to_the_world(add_body, select, context):
    """The world is chosen, not left empty; the joint stands at the body's origin."""
    select(add_body(location=(1, 2, 3)))

    joint = add(place="AUTO")

    assert joint.impulse.joint.body1_is_world
    assert tuple(joint.location) == (1, 2, 3)


def test_a_chain_joins_neighbours_from_the_active_body_on(add_body, select):
    """Bodies selected in any order become a chain, each joint between two that are near."""
    links = [add_body(f"link{k}", size=(0.9, 0.2, 0.2), location=(k, 0, 0)) for k in range(5)]
    select(links[3], links[1], links[4], links[2], links[0])

    bpy.ops.impulse.add_joint(type="ball", place="BETWEEN", chain=True)

    joints = bpy.context.selected_objects
    pairs = sorted((j.impulse.joint.body1.name, j.impulse.joint.body2.name) for j in joints)
    assert pairs == [(f"link{k}", f"link{k + 1}") for k in range(4)]
    places = sorted(joint.location.x for joint in joints)
    assert places == pytest.approx([0.5, 1.5, 2.5, 3.5])


def test_three_bodies_without_chain_are_refused(add_body, select):
    """The sentence says what to do."""
    select(add_body("a"), add_body("b"), add_body("c"))

    with pytest.raises(RuntimeError, match="with Chain, any number"):
        bpy.ops.impulse.add_joint()


def test_without_a_body_it_says_what_to_press(add_box, select):
    """An untagged object cannot be joined."""
    select(add_box())

    with pytest.raises(RuntimeError, match="Body makes one"):
        bpy.ops.impulse.add_joint()


@pytest.fixture
def editing(context, select):
    """Goes to edit mode with the vertices selected for which a test of their place holds."""

    def editing(obj, wanted):
        import bmesh

        select(obj)
        bpy.ops.object.mode_set(mode="EDIT")
        mesh = bmesh.from_edit_mesh(obj.data)
        for vertex in mesh.verts:
            vertex.select_set(wanted(vertex.co))
        mesh.select_flush_mode()
        mesh.select_flush(True)
        bmesh.update_edit_mesh(obj.data)

    yield editing
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


def test_joint_at_a_rim(editing, context):
    """The rim of a hole gives its centre and axis, from half of its vertices too."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=32, radius=0.5, depth=1.0, location=(1, 2, 3))
    rod = context.object
    rod.rotation_euler = (math.pi / 2, 0, 0)
    context.view_layer.update()
    bpy.ops.impulse.tag_body()
    editing(rod, lambda place: place.z > 0.4 and place.x > -0.01)

    joint = add(place="AUTO", axis="AUTO")
    context.view_layer.update()

    assert tuple(joint.matrix_world.translation) == pytest.approx((1, 1.5, 3), abs=1e-5)
    assert np.abs(axis_of(joint)) == pytest.approx([0, 1, 0], abs=1e-5)
    assert context.mode == "OBJECT"


def test_joint_at_a_face_an_edge_and_a_vertex(add_body, editing, context):
    """A face gives its middle and normal, an edge its middle and direction, a vertex its place."""
    box = add_body(size=(2, 2, 2), location=(1, 0, 0))
    cases = [
        (lambda place: place.x > 0, (2, 0, 0), (1, 0, 0)),
        (lambda place: place.x > 0 and place.y > 0, (2, 1, 0), (0, 0, 1)),
        (lambda place: min(place) > 0, (2, 1, 1), None),
    ]
    for wanted, place, axis in cases:
        editing(box, wanted)
        joint = add(place="SELECTION", axis="AUTO")
        context.view_layer.update()
        assert tuple(joint.matrix_world.translation) == pytest.approx(place, abs=1e-6)
        if axis is not None:
            assert np.abs(axis_of(joint)) == pytest.approx(axis, abs=1e-6)


def test_a_vertex_has_no_axis(add_body, editing):
    """One vertex and an axis from the selection is refused in a sentence."""
    editing(add_body(), lambda place: min(place) > 0)

    with pytest.raises(RuntimeError, match="select an edge, a face"):
        bpy.ops.impulse.add_joint(place="SELECTION", axis="SELECTION")


def test_turning_a_joint_keeps_its_place_and_size(leg, context):
    """X, Y, Z set the axis, Flip turns it round; the Empty stays where it was."""
    joint = add(place="BETWEEN")
    joint.scale = (2, 2, 2)
    context.view_layer.update()
    for axis, expected in (("Y", (0, 1, 0)), ("FLIP", (0, -1, 0)), ("X", (1, 0, 0))):
        bpy.ops.impulse.turn_joint(axis=axis)
        context.view_layer.update()
        unit = axis_of(joint) / 2
        assert unit == pytest.approx(expected, abs=1e-6)
    assert tuple(joint.matrix_world.translation) == pytest.approx((0.05, 0, 0.95), abs=1e-6)


@pytest.mark.parametrize("kind", ["hinge", "slider", "cylindrical", "screw"])
def test_a_new_motor_limit_and_spring_pass_the_check(leg, kind):
    """What the buttons add needs no further number."""
    add(type=kind, place="BETWEEN", axis="Y")

    for motor in ("servo", "velocity", "force"):
        bpy.ops.impulse.add_motor(kind=motor)
        bpy.ops.impulse.add_limit()
        bpy.ops.impulse.add_spring()
        issues = [i.message for i in build_issues()]
        assert issues == []
        joint = bpy.context.active_object.impulse.joint
        for part in (joint.motors, joint.limits, joint.springs):
            part.clear()


def build_issues():
    from blender_addon.export.scene_export import build
    from blender_addon.issues import errors

    return errors(build(bpy.context).issues)


def test_gains_give_the_frequency_on_the_inertia_about_the_axis(add_body, select, context):
    """A rod of mass m and length l on a hinge at its end, to the world: J = m l² / 3, p = ω² J."""
    from blender_addon.authoring import defaults

    rod = add_body(size=(0.01, 0.01, 1.0), location=(0, 0, 0.5))
    rod.impulse.body.mass_source, rod.impulse.body.mass = "mass", 3.0
    context.scene.cursor.location = (0, 0, 0)
    select(rod)
    joint = add(type="hinge", axis="Y")
    context.view_layer.update()

    inertia = defaults.inertia_of(context, joint, False)
    bpy.ops.impulse.add_motor(kind="servo")

    assert inertia == pytest.approx(1.0, rel=1e-3)
    motor = joint.impulse.joint.motors[0]
    omega = 2 * math.pi * defaults.FREQUENCY
    assert motor.proportional == pytest.approx(omega**2, rel=0.05)
    # critical: d² = 4 p J
    assert motor.derivative**2 == pytest.approx(4 * motor.proportional, rel=0.1)


def test_a_servo_at_the_hip_counts_the_whole_leg(leg, add_body, select, context):
    """What hangs on the thigh hangs on the hip; where a loop closes, only the bodies count."""
    from blender_addon.authoring import defaults

    thigh, shank = leg
    torso = add_body("torso", size=(1, 1, 0.2), location=(0, 0, 2.2), motion="static")
    add(type="hinge", place="BETWEEN", axis="Y")
    select(torso, thigh)
    hip = add(type="slider", place="BETWEEN", axis="Y")
    context.view_layer.update()
    whole = defaults.inertia_of(context, hip, True)
    select(torso, shank)
    bar = add(type="distance", place="BETWEEN")
    bar.impulse.joint.anchor2 = hip

    assert whole == pytest.approx(1000 * 0.04 * 1.8, rel=1e-5)
    assert defaults.inertia_of(context, hip, True) == pytest.approx(1000 * 0.04, rel=1e-5)


class Picked:
    """In place of a body or solid in a selection; counts how often objects are compared."""

    compared = 0

    def __init__(self, name="", body=None):
        self.name = name
        kind = "BODY" if body is None else "GEOMETRY"
        self.impulse = SimpleNamespace(kind=kind, geometry=SimpleNamespace(body=body))

    def __eq__(self, other):
        Picked.compared += 1
        return self is other

    def __hash__(self):
        return id(self)


@pytest.mark.parametrize("number", [1, 30, 500, 3000])
def test_a_large_selection_is_gone_through_once(number):
    """A panel asks for the selected bodies at every redraw: no body is compared with all others."""
    from blender_addon.authoring.joining import bodies_of_selection

    bodies = [Picked() for _ in range(number)]
    Picked.compared = 0

    found = bodies_of_selection(SimpleNamespace(active_object=bodies[0], selected_objects=bodies))

    assert Picked.compared <= 4 * number
    assert [*map(id, found)] == [*map(id, bodies[1:]), id(bodies[0])]


@given(
    st.lists(st.sampled_from(["a", "b", "c", "a solid", "a leaf", "b solid"]), unique=True),
    st.integers(0, 5),
)
def test_each_body_of_a_selection_is_named_once(names, active):
    """Bodies and solids in any number, any of them active: each body that is selected, or whose
    solid is, and last that of the active one.
    """
    from blender_addon.authoring.joining import bodies_of_selection

    known = {name: Picked(name) for name in "abc"}
    known |= {name: Picked(name, known[name[0]]) for name in ("a solid", "a leaf", "b solid")}
    chosen = [known[name] for name in names]
    last = chosen[active] if active < len(chosen) else None
    context = SimpleNamespace(active_object=last, selected_objects=chosen)

    found = [body.name for body in bodies_of_selection(context)]

    assert sorted(found) == sorted({name[0] for name in names})
    assert last is None or found[-1] == last.name[0]


def test_presets(add_body, select, context):
    """A density is set on all selected bodies; a material brings friction, density and a name."""
    from blender_addon.authoring.presets import DENSITIES, SURFACES

    bodies = [add_body("a"), add_body("b")]
    bodies[0].impulse.body.mass_source = "mass"
    select(*bodies)
    for key, density in DENSITIES.items():
        bpy.ops.impulse.set_density(material=key)
        assert [b.impulse.body.density for b in bodies] == pytest.approx([density.value] * 2)
    assert {body.impulse.body.mass_source for body in bodies} == {"density"}
    for key in (*SURFACES, "STEEL"):
        bpy.ops.impulse.add_material(material=key)

    materials = context.scene.impulse.materials
    assert len({item.name for item in materials}) == len(materials) == len(SURFACES) + 1
    assert build_issues() == []
    for item in materials:
        assert 0 < item.kinetic_friction <= item.static_friction


def test_a_joint_without_a_free_axis_takes_no_motor(leg):
    """The sentence names the type."""
    add(type="fixed")

    with pytest.raises(RuntimeError, match="fixed joint has no free axis"):
        bpy.ops.impulse.add_motor()
    with pytest.raises(RuntimeError, match="fixed joint has no free axis"):
        bpy.ops.impulse.add_limit()
