"""Masses shown in the panel are those of the simulator."""

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

SHAPES = ["mesh", "convex_hull", "box", "sphere", "ellipsoid", "cylinder", "capsule", "cone"]


def simulated(scene):
    """Mass and principal moments of each body, as the simulator compiles them."""
    from impulse_core.compile.bodies import MassSource, body_mass_properties
    from impulse_core.compile.problems import ProblemList

    source = MassSource(scene, ProblemList(scene))
    return {
        body.name: body_mass_properties(source, index)
        for index, body in enumerate(scene.bodies)
        if body.motion == "dynamic"
    }


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("source", ["density", "material", "mass"])
def test_they_agree_with_the_simulator(add_body, add_box, context, exported, shape, source):
    """Mass, centre and inertia of a body of two solids, one off its origin, scaled and turned."""
    from blender_addon.authoring import masses, tagging

    body = add_body(shape=shape, size=(0.6, 0.6, 2.0), centre=(0.1, 0.2, 0.3), location=(1, 2, 3))
    body.rotation_euler = (0.3, 0.2, 0.1)
    fin = add_box("fin", size=(0.2, 0.3, 0.4), location=(2, 2, 3), rotation_euler=(1, 2, 3))
    fin.scale = (-2, 1, 1)
    context.view_layer.update()
    tagging.tag_geometry([fin], body)
    steel = context.scene.impulse.materials.add()
    steel.name, steel.use_density, steel.density = "steel", True, 7850.0
    for obj in (body, fin):
        obj.impulse.geometry.material = "steel"
    body.impulse.body.mass_source = source
    body.impulse.body.mass = 3.0

    found = masses.measure(context, [body])["box"]

    expected = simulated(exported())["box"]
    assert found.mass == pytest.approx(expected.mass, rel=1e-6)
    assert found.centre == pytest.approx(expected.center_of_mass, abs=1e-6)
    assert found.inertia == pytest.approx(expected.inertia, abs=1e-6 * found.principal()[-1])


def test_explicit_numbers_are_shown_as_given(add_body, context):
    """Mass, centre and inertia that the user gave are those shown."""
    from blender_addon.authoring import masses

    body = add_body()
    group = body.impulse.body
    group.mass_source, group.mass = "explicit", 2.0
    group.center_of_mass, group.inertia = (0.5, 0, 0), (1, 2, 2.5)

    found = masses.measure(context, [body])["box"]

    assert (found.mass, found.centre[0], found.principal()) == (2.0, 0.5, [1.0, 2.0, 2.5])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda body: setattr(body.impulse.geometry, "shape", "plane"), "no volume"),
        (lambda body: setattr(body.impulse.body, "density", 0.0), "no density"),
        (lambda body: setattr(body.impulse.body, "own_geometry", False), "no solid"),
        (lambda body: setattr(body, "scale", (0, 1, 1)), "scale"),
    ],
)
def test_a_body_without_a_mass_says_why(add_body, context, change, words):
    """A sentence stands where the mass would."""
    from blender_addon.authoring import masses

    body = add_body()
    change(body)
    context.view_layer.update()

    assert words in masses.measure(context, [body])["box"].problem


def test_the_total_follows_edits(add_body, context):
    """The total counts dynamic bodies; an edit makes a mass stale until it is measured again."""
    from blender_addon.authoring import measuring

    add_body("a")
    heavy = add_body("b", size=(2, 1, 1))
    add_body("ground", motion="static")
    measuring.forget()
    measuring.refresh(context)
    before = measuring.total(context)
    heavy.scale = (2, 1, 1)
    context.view_layer.update()

    assert before == (pytest.approx(3000.0), 2)
    assert measuring.is_current("a")
    assert not measuring.is_current("b")
    measuring.refresh(context, ["b"])
    assert measuring.total(context) == (pytest.approx(5000.0), 2)


def test_a_mesh_far_from_its_origin_loses_no_digits():
    """The inertia of a cube about its centre does not depend on where it stands."""
    from blender_addon.authoring.masses import mesh_mass_properties
    from blender_addon.export.meshes import Polygons

    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    faces = [(0, 1, 3, 2), (2, 3, 7, 6), (6, 7, 5, 4), (4, 5, 1, 0), (2, 6, 4, 0), (7, 3, 1, 5)]
    cube = Polygons(corners + 1e5, np.ravel(faces), np.arange(7) * 4)

    found = mesh_mass_properties(cube)

    assert found.mass == pytest.approx(1.0, rel=1e-9)
    assert found.inertia == pytest.approx(np.eye(3) / 6, abs=1e-9)
