"""The overlay: pixels of each glyph, what is red, and that glyphs follow the machine."""

import math

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from impulse_schema.models import JointType  # noqa: E402  nothing here is needed without bpy

from . import recordings  # noqa: E402

WIDTH, HEIGHT = 200, 150
TYPES = JointType.__args__


@pytest.fixture(scope="module")
def _gpu(registered, tmp_path_factory):
    """Drawing off the screen works after one render by Workbench."""
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = 16, 12
    bpy.ops.render.render()


@pytest.fixture
def pixels(_gpu, context):
    """Paints the overlay and gives its pixels (H, W, 3), seen from (3, -4, 3)."""
    import gpu
    from mathutils import Matrix, Vector

    from blender_addon.overlay import painting

    def pixels():
        context.view_layer.update()
        eye = Vector((3.0, -4.0, 3.0))
        view = Matrix.Translation(eye) @ eye.to_track_quat("Z", "Y").to_matrix().to_4x4()
        near, far, reach = 0.1, 100.0, 0.06
        across, up = near / reach * HEIGHT / WIDTH, near / reach
        projection = Matrix(
            (
                (across, 0, 0, 0),
                (0, up, 0, 0),
                (0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)),
                (0, 0, -1, 0),
            )
        )
        offscreen = gpu.types.GPUOffScreen(WIDTH, HEIGHT)
        try:
            with offscreen.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
                buffer = gpu.state.active_framebuffer_get()
                buffer.clear(color=(0, 0, 0, 1), depth=1.0)
                gpu.matrix.load_matrix(view.inverted())
                gpu.matrix.load_projection_matrix(projection)
                painting.paint(context, (WIDTH, HEIGHT))
                found = buffer.read_color(0, 0, WIDTH, HEIGHT, 4, 0, "FLOAT")
        finally:
            offscreen.free()
        found.dimensions = WIDTH * HEIGHT * 4
        return np.array(found).reshape(HEIGHT, WIDTH, 4)[:, :, :3]

    return pixels


def count(image, colour):
    """Pixels that have nearly this colour, as bright as it is or dimmer."""
    colour = np.asarray(colour[:3])
    bright = np.linalg.norm(image, axis=2)
    along = image @ colour / np.linalg.norm(colour)
    return int(((bright > 0.4) & (along > 0.985 * bright)).sum())


@pytest.fixture
def joint(add_body, add_empty):
    """Adds a joint of a type between two boxes, at the origin."""
    from blender_addon.authoring import tagging

    def joint(kind):
        base = add_body("base", size=(0.4, 0.4, 0.2), location=(0, 0, -1))
        arm = add_body("arm", size=(0.2, 0.2, 0.4), location=(0, 0, 1))
        pivot = add_empty("joint", empty_display_size=0.5)
        end = add_empty("end", location=(0, 0, 0.8)) if kind == "distance" else None
        tagging.tag_joint(pivot, kind, base, arm, anchor2=end)
        if kind == "coupling":
            hinge = add_empty("hinge", location=(0.5, 0, 0))
            tagging.tag_joint(hinge, "hinge", base, arm)
            pivot.impulse.joint.terms.add().joint = hinge
        return pivot

    return joint


@pytest.mark.parametrize("kind", TYPES)
def test_every_joint_type_is_seen_and_red_once_it_is_broken(joint, pixels, kind):
    """A sound joint shows the colour of its frame or axis and no red; without a body it is red."""
    from blender_addon.overlay import glyphs

    pivot = joint(kind)
    sound = pixels()
    if kind == "coupling":
        pivot.impulse.joint.terms[0].joint = None
    else:
        bpy.data.objects.remove(bpy.data.objects["arm"])
    broken = pixels()

    assert count(sound, glyphs.FRAME) + count(sound, glyphs.AXIS) > 40
    assert count(sound, glyphs.BROKEN) == 0
    assert count(broken, glyphs.BROKEN) > 40


def test_a_joint_in_the_issue_list_is_red(joint, pixels, context):
    """What a check found is seen, and gone when the list is empty."""
    from blender_addon.overlay import glyphs

    joint("hinge")
    issue = context.scene.impulse.issues.add()
    issue.severity, issue.object_name = "ERROR", "joint"
    blamed = pixels()
    context.scene.impulse.issues.clear()

    assert count(blamed, glyphs.BROKEN) > 40
    assert count(pixels(), glyphs.BROKEN) == 0


@pytest.mark.parametrize("kind", ["hinge", "slider", "cylindrical", "screw", "ball"])
def test_limits_and_motors_are_seen(joint, pixels, kind):
    """A limit brings its colour, a motor its own; without them neither is there."""
    from blender_addon.overlay import glyphs

    pivot = joint(kind)
    plain = pixels()
    limit = pivot.impulse.joint.limits.add()
    limit.use_upper = True
    limit.upper = 0.6
    pivot.impulse.joint.motors.add()
    pivot.update_tag()  # as an edit in a panel does
    shown = pixels()

    assert count(plain, glyphs.LIMIT) == count(plain, glyphs.MOTOR) == 0
    assert count(shown, glyphs.LIMIT) > 10
    assert (count(shown, glyphs.MOTOR) > 10) == (kind != "ball")


def test_colliders_masses_springs_and_contacts_have_their_switches(
    add_body, add_empty, pixels, context
):
    """Each layer is seen, and not when it is switched off; with all off nothing is."""
    from blender_addon import overlay
    from blender_addon.authoring import measuring, tagging
    from blender_addon.overlay import glyphs
    from blender_addon.playback import contact_points

    body = add_body(shape="sphere", location=(0, 0, 0.5))
    end = add_empty("end", location=(0, 0, 0.5))
    anchor = add_empty("spring", location=(0, 0, -1), empty_display_size=0.5)
    tagging.tag_spring(anchor, {"body1": None, "body2": body, "anchor2": end})
    measuring.refresh(context)
    overlay.show_contacts(lambda _scene: [(0.7, 0.0, -0.5)])
    settings = context.scene.impulse_overlay
    colours = {
        "colliders": glyphs.COLLIDER,
        "masses": glyphs.MASS,
        "joints": glyphs.SPRING,
        "contacts": glyphs.CONTACT,
    }
    try:
        everything = pixels()
        for layer, colour in colours.items():
            setattr(settings, layer, False)
            assert count(everything, colour) > 5, layer
            assert count(pixels(), colour) < count(everything, colour), layer
        assert pixels().max() == 0.0
        for layer in colours:
            setattr(settings, layer, True)
        settings.show = False
        assert pixels().max() == 0.0
    finally:
        overlay.show_contacts(contact_points.shown)


def places(context):
    """Ends of the lines that are never hidden."""
    from blender_addon.overlay.picture import Picture

    context.view_layer.update()
    return Picture(shown=frozenset({"joints"})).positions(context)[1].astype(float)


@pytest.mark.parametrize("hung", ["nowhere", "by parent", "by constraint"])
@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 0.5, 1), (-1, 1, 1)])
def test_glyphs_follow_the_motion(joint, context, hung, scale):
    """In the second frame of a recording the whole glyph has moved as its body did, whether the
    Empty hangs on the body or stands still, and whatever the scale of the body.
    """
    from mathutils import Matrix

    from blender_addon.playback import keyframes

    pivot = joint("fixed")
    bodies = [bpy.data.objects[name] for name in ("base", "arm")]
    for body in bodies:
        body.scale = scale
    context.view_layer.update()
    inverse = bodies[0].matrix_world.inverted()
    if hung == "by parent":
        pivot.parent = bodies[0]
        pivot.matrix_parent_inverse = inverse
    rest = places(context)
    turn = Matrix.Rotation(0.9, 4, (1, 2, 3)) @ Matrix.Translation((0.3, -0.2, 0.7))
    keyframes.import_recording(rigid_motion(bodies, turn), context.scene)
    if hung == "by constraint":
        constraint = pivot.constraints.new("CHILD_OF")
        constraint.target, constraint.inverse_matrix = bodies[0], inverse
    context.scene.frame_set(context.scene.frame_start + 1)

    moved = places(context)

    expected = rest @ np.array(turn)[:3, :3].T + np.array(turn)[:3, 3]
    assert np.abs(moved - expected).max() < 1e-5


def rigid_motion(bodies, turn):
    """A recording of two frames, a frame apart, in which all bodies move by one matrix."""
    from blender_addon.convert import rotation_to_quaternion, take_apart

    frames = []
    for matrix in (np.eye(4), np.array(turn)):
        placements = [take_apart(np.array(body.matrix_world)) for body in bodies]
        positions = [matrix[:3, :3] @ p.translation + matrix[:3, 3] for p in placements]
        turns = [rotation_to_quaternion(matrix[:3, :3] @ p.rotation) for p in placements]
        frames.append((positions, turns))
    fps = bpy.context.scene.render.fps
    positions, orientations = (np.array([frame[part] for frame in frames]) for part in (0, 1))
    names = [body.name for body in bodies]
    return recordings.Motion(np.array([0.0, 1.0 / fps]), names, positions, orientations)


def test_the_needle_of_a_hinge_points_at_its_coordinate(joint, context):
    """Where body 2 has turned by an angle, the needle has turned by it, the scale has not."""
    from blender_addon.overlay.pieces import piece_of

    pivot = joint("hinge")
    arm = bpy.data.objects["arm"]
    arm.rotation_mode = "XYZ"
    start = context.scene.frame_start
    for frame, angle in ((start, 0.0), (start + 1, 0.5)):
        arm.rotation_euler.z = angle
        arm.keyframe_insert("rotation_euler", frame=frame)
    context.scene.frame_set(start)
    rest = places(context)
    context.scene.frame_set(start + 1)
    moved = places(context)

    fixed, _ = piece_of(context, pivot, False, 1.0, None).parts
    needle = slice(2 * len(fixed.lines.segments), 2 * len(fixed.lines.segments) + 2)
    assert np.abs(moved[: needle.start] - rest[: needle.start]).max() < 1e-6
    direction = moved[needle][1] - moved[needle][0]
    assert math.atan2(direction[1], direction[0]) == pytest.approx(0.5, abs=1e-5)


def test_a_drawing_is_made_anew_only_after_an_edit(joint, context, monkeypatch):
    """Frames change places only; an edit makes the picture anew, and only the edited piece."""
    from blender_addon.overlay import picture

    joint("hinge")
    drawing = picture.Picture()
    drawing.positions(context)
    made, real = [], picture.piece_of

    def counted(context, obj, *rest):
        made.append(obj.name)
        return real(context, obj, *rest)

    monkeypatch.setattr(picture, "piece_of", counted)

    context.scene.frame_set(7)
    drawing.positions(context)
    assert made == []
    drawing.forget(["joint"])
    drawing.positions(context)
    assert made == ["joint"]


def test_hidden_and_untagged_objects_are_not_drawn(joint, context):
    """What the eye hides has no glyph."""
    joint("ball").hide_set(True)

    assert len(places(context)) == 0


@pytest.mark.parametrize("shape", ["mesh", "convex_hull", "box", "sphere", "cylinder", "torus"])
def test_wires_of_colliders_lie_on_the_solid(context, add_box, shape):
    """Wires span exactly the bounds of what collides, under a scale and a mirror too."""
    from blender_addon.authoring import tagging
    from blender_addon.overlay.wires import collider_wire

    if shape == "torus":
        bpy.ops.mesh.primitive_torus_add(major_segments=48, minor_segments=24)
        obj = context.object
    else:
        obj = add_box(size=(1, 1, 1), centre=(0.3, 0.1, 0.2))
    obj.scale = (-2, 2, 2)
    context.view_layer.update()
    tagging.tag_bodies([obj], shape=shape)

    wire = collider_wire(context, obj).reshape(-1, 3)

    middle = (wire.max(axis=0) + wire.min(axis=0)) / 2
    corners = np.array([corner[:] for corner in obj.bound_box])
    assert np.abs(middle - (corners.max(axis=0) + corners.min(axis=0)) / 2).max() < 0.02
    assert (np.ptp(wire, axis=0) > 0.97 * np.ptp(corners, axis=0)).all()


@pytest.mark.parametrize("shape", ["mesh", "height_field", "convex_hull"])
@pytest.mark.parametrize("across", [3, 60, 400])
def test_a_large_mesh_is_shown_by_its_bounds(context, select, monkeypatch, shape, across):
    """What its faces are is not looked into while the window is drawn: half a million faces would
    block it for seconds. A small mesh keeps its edges.
    """
    from blender_addon.overlay import wires

    looked = []
    inner = wires.polygons_of
    monkeypatch.setattr(wires, "polygons_of", lambda raw: looked.append(raw) or inner(raw))
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=across, y_subdivisions=across, size=3)
    ground = context.object
    for corner in ground.data.vertices:
        corner.co.z = 0.1 * np.sin(corner.co.x) * np.cos(2 * corner.co.y)
    ground.impulse.geometry.shape = shape

    wire = wires.collider_wire(context, ground).reshape(-1, 3)

    assert len(looked) == (across == 3)
    assert (len(np.unique(wire, axis=0)) == 8) == (across != 3)
    corners = np.array([corner[:] for corner in ground.bound_box])
    assert np.abs(wire.min(axis=0) - corners.min(axis=0)).max() < 1e-6
    assert np.abs(wire.max(axis=0) - corners.max(axis=0)).max() < 1e-6


def test_menus_draw(joint, context, pixels):
    """The overlay menu has all switches; the header has one, where there is a machine."""
    from types import SimpleNamespace

    from blender_addon.overlay import menus

    from .test_panels import Layout

    drawn = SimpleNamespace(layout=Layout())
    pixels()
    menus.draw_header(drawn, context)
    assert drawn.layout.shown == []
    joint("hinge")
    pixels()
    menus.draw_header(drawn, context)
    assert drawn.layout.shown == ["show"]
    menus.draw_menu(drawn, context)
    assert {"size", "joints", "colliders", "masses", "contacts"} <= set(drawn.layout.shown)
