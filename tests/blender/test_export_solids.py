"""Export: meshes and fitted solids under scale, reflection, shear and modifiers."""

import math

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from mathutils import Vector  # noqa: E402  comes with bpy


def solid(scene, name="box"):
    return next(body for body in scene.bodies if body.name == name).geometry[0]


def mesh(scene, name="box"):
    return next(mesh for mesh in scene.meshes if mesh.name == name)


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 3, 0.5), (-1, 1, 1), (-2, -3, -0.5), (2, -2, 1)])
def test_scale_is_baked_into_the_mesh(add_body, exported, mass_of, scale):
    """Volume and centre are those of the scaled box; a mirrored mesh is not inside out."""
    add_body(size=(1, 2, 4), centre=(1, 0, 0.5), scale=scale, rotation_euler=(0.3, -0.2, 0.7))

    scene = exported()
    volume, centre = mass_of(scene, "box")

    assert volume == pytest.approx(8 * abs(np.prod(scale)), rel=1e-6)
    # In the axes of the exported pose, which for a mirrored object are not those of the object.
    from blender_addon.convert import quaternion_to_rotation

    turn = quaternion_to_rotation(scene.bodies[0].orientation)
    expected = bpy.data.objects["box"].matrix_world @ Vector((1, 0, 0.5))
    np.testing.assert_allclose(turn @ centre, expected, atol=1e-6)


def test_origin_is_not_the_centre_of_mass(add_body, exported, mass_of):
    """The mesh keeps its place about the origin, so the centre of mass is where it belongs."""
    add_body(size=(1, 1, 3), centre=(0, 0, 1.5), location=(5, 0, 0))

    scene = exported()
    volume, centre = mass_of(scene, "box")

    assert scene.bodies[0].position == (5, 0, 0)
    assert volume == pytest.approx(3)
    np.testing.assert_allclose(centre, (0, 0, 1.5), atol=1e-12)


def test_polygons_stay_polygons(add_body, exported):
    """A box keeps its six quadrilaterals."""
    add_body()

    assert sorted(len(face) for face in mesh(exported()).faces) == [4] * 6


def test_a_bent_polygon_is_triangulated(add_body, exported):
    """A quadrilateral that is not flat becomes the two triangles Blender draws; flat ones stay."""
    box = add_body()
    box.data.vertices[7].co += Vector((0.2, 0.1, 0.3))

    sizes = sorted(len(face) for face in mesh(exported()).faces)

    assert sizes == [3] * 6 + [4] * 3


def test_modifiers_are_applied(add_body, exported, mass_of):
    """The mesh exported is the one on the screen: here two boxes, arrayed."""
    box = add_body()
    array = box.modifiers.new("array", "ARRAY")
    array.count = 2
    array.relative_offset_displace = (2, 0, 0)

    volume, centre = mass_of(exported(), "box")

    assert volume == pytest.approx(2)
    np.testing.assert_allclose(centre, (1, 0, 0), atol=1e-9)


def test_linked_duplicates_share_a_mesh(add_body, exported):
    """Objects that share a mesh and a scale share it in the file, turned as they may be."""
    first = add_body("a")
    for number in range(3):
        copy = first.copy()
        copy.name = f"copy {number}"
        copy.location.x = 2 + number
        copy.rotation_euler = (0.4 * number, 0.3, math.pi / 2)
        bpy.context.scene.collection.objects.link(copy)

    scene = exported()

    assert len(scene.bodies) == 4
    assert [mesh.name for mesh in scene.meshes] == ["a"]


def test_a_child_solid_is_placed_in_its_body(add_body, add_box, select, exported):
    """Geometry parented to a scaled and turned body lies where it is drawn."""
    body = add_body(location=(1, 0, 0), rotation_euler=(0, 0, math.pi / 2), scale=(2, 2, 2))
    child = add_box("fin", location=(1, 0, 0))
    child.parent = body
    select(child)
    bpy.ops.impulse.tag_geometry(shape="box", role="visual")

    fin = exported().bodies[0].geometry[1]

    assert (fin.name, fin.role, fin.shape) == ("fin", "visual", "box")
    # Its origin is at (1, 2, 0) in the world, which is (2, 0, 0) in the axes of the body.
    assert fin.position == (2, 0, 0)
    assert fin.size == (2, 2, 2)


def test_a_sheared_solid_is_exported_as_a_mesh(add_body, add_box, select, exported, mass_of):
    """A turned child of an unevenly scaled parent: the whole 3x3 matrix goes into the vertices."""
    body = add_body(shape="box", scale=(1, 1, 3))
    child = add_box("fin", rotation_euler=(0.5, 0, 0))
    child.parent = body
    select(child)
    bpy.ops.impulse.tag_geometry(shape="mesh")
    body.impulse.body.own_geometry = False

    volume, _ = mass_of(exported(), "box")

    assert volume == pytest.approx(3, rel=1e-6)


@pytest.mark.parametrize(
    ("kind", "message"), [("body", "is sheared"), ("solid", "is sheared and cannot be a box")]
)
def test_shear_that_cannot_be_kept_is_an_error(
    add_box, add_body, select, exported, tmp_path, kind, message
):
    """A sheared body has no pose and a sheared box no size; nothing is written."""
    parent = add_body("parent", shape="box", scale=(1, 1, 3))
    child = add_box("child", rotation_euler=(0.5, 0, 0))
    child.parent = parent
    select(child)
    if kind == "body":
        bpy.ops.impulse.tag_body(motion="static")
    else:
        bpy.ops.impulse.tag_geometry(shape="box")

    with pytest.raises(RuntimeError, match=f"child: {message}"):
        exported()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ("box", {"size": (2, 2, 6)}),
        ("sphere", {"radius": math.sqrt(11)}),
        ("ellipsoid", {"size": (2 * math.sqrt(3), 2 * math.sqrt(3), 6 * math.sqrt(3))}),
        ("cylinder", {"radius": math.sqrt(2), "height": 6}),
        ("cone", {"radius": math.sqrt(2), "height": 6}),
        ("capsule", {"radius": math.sqrt(2), "height": 6 - 2 * math.sqrt(2)}),
    ],
)
def test_shapes_are_fitted_to_the_mesh(add_body, exported, shape, sizes):
    """Sizes enclose the scaled points; the solid stands where the mesh stands."""
    add_body(size=(1, 1, 3), centre=(0, 0, 1.5), scale=(2, 2, 2), shape=shape)

    made = solid(exported())

    for key, size in sizes.items():
        assert getattr(made, key) == pytest.approx(size, rel=1e-6)
    assert made.position == (0, 0, 3)
    assert made.mesh is None


@pytest.mark.parametrize("segments", [(48, 12), (24, 5), (7, 9)])
def test_a_torus_is_that_of_blender(context, exported, segments):
    """The radii with which Blender's own torus was added, at any number of segments and scale."""
    around, across = segments
    bpy.ops.mesh.primitive_torus_add(
        major_radius=0.8, minor_radius=0.15, major_segments=around, minor_segments=across
    )
    obj = bpy.context.object
    obj.name, obj.scale = "ring", (2, 2, 2)
    bpy.context.view_layer.update()
    bpy.ops.impulse.tag_body(shape="torus")

    made = solid(exported(), "ring")

    assert made.shape == "torus"
    assert made.major_radius == pytest.approx(1.6, rel=1e-6)
    assert made.minor_radius == pytest.approx(0.3, rel=1e-6)
    np.testing.assert_allclose(made.position, 0.0, atol=1e-6)


@pytest.mark.parametrize("scale", [(1, 1, 1), (3, 3, 0.1)])
def test_a_box_is_no_torus(add_body, exported, scale):
    """What has no hole is refused with what to do."""
    add_body(scale=scale, shape="torus")

    with pytest.raises(RuntimeError, match=r"box: has (no hole|an uneven scale)"):
        exported()


def test_a_round_shape_needs_an_even_scale(add_body, exported):
    """An ellipsoid is not silently taken for a sphere."""
    add_body(scale=(1, 1, 2), shape="sphere")

    with pytest.raises(RuntimeError, match="box: has an uneven scale"):
        exported()


def test_a_loose_fit_is_reported(add_body, exported, context):
    """A sphere around a box holds 2.7 times its volume: a warning, with the number."""
    add_body(shape="sphere")

    exported()

    issue = context.scene.impulse.issues[0]
    assert (issue.severity, issue.object_name) == ("WARNING", "box")
    assert "2.72 times its volume" in issue.message


def test_height_fields_come_from_grids(context, select, exported):
    """Rows of heights, first row at -y, from the points of a grid."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=2, size=2)
    ground = context.object
    ground.name = "ground"
    for vertex in ground.data.vertices:
        vertex.co.z = 10 * round(vertex.co.y) + vertex.co.x
    bpy.ops.impulse.tag_body(motion="static", shape="height_field")

    made = solid(exported(), "ground")

    assert [len(row) for row in made.heights] == [4, 4, 4]
    np.testing.assert_allclose(made.heights[0], -10 + np.linspace(-1, 1, 4), atol=1e-6)
    assert made.size[:2] == (2, 2)


def test_an_open_mesh_is_an_error(add_body, exported, tmp_path):
    """A mesh that encloses nothing is named before any simulator sees it."""
    import bmesh

    box = add_body()
    edit = bmesh.new()
    edit.from_mesh(box.data)
    edit.faces.ensure_lookup_table()
    edit.faces.remove(edit.faces[0])
    edit.to_mesh(box.data)

    with pytest.raises(RuntimeError, match="box: is open along 4 edges"):
        exported()
    assert not list(tmp_path.iterdir())


def test_a_mesh_inside_out_is_an_error(add_body, exported):
    """Faces that point inwards are named, with the way to turn them."""
    add_body().data.flip_normals()

    with pytest.raises(RuntimeError, match=r"box: is inside out.*normals"):
        exported()


def test_large_meshes_go_to_a_file(context, exported, tmp_path):
    """Beyond 1000 faces the mesh is a binary PLY beside the scene, and the same mesh."""
    import trimesh

    bpy.ops.mesh.primitive_torus_add(major_segments=64, minor_segments=32)
    context.object.name = "ring/1"
    bpy.ops.impulse.tag_body()

    scene = exported("big.xml")

    assert scene.meshes[0].file == "big-ring_1.ply"
    surface = trimesh.load(tmp_path / "big-ring_1.ply")
    assert surface.is_watertight
    assert surface.volume == pytest.approx(2 * math.pi**2 * 0.25**2, rel=0.01)


def test_large_meshes_are_read_by_the_core(context, exported, tmp_path):
    """The polygons of the PLY file are those of Blender."""
    from impulse_core.geometry import read_mesh

    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32)
    bpy.ops.impulse.tag_body()
    scene = exported("big.xml")

    polygons = read_mesh(tmp_path / scene.meshes[0].file)

    assert len(polygons.offsets) - 1 == len(context.object.data.polygons)
