"""The list that keeps itself up to date. Timers never fire here, so its looks are called."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


@pytest.fixture
def clock(monkeypatch, context):
    """Time as the watch sees it, to be set on by hand; the watch starts afresh."""
    from blender_addon.checks import watching

    now = [1000.0]
    monkeypatch.setattr(watching.time, "monotonic", lambda: now[0])
    watching.Watch.took = 0.0
    watching.Watch.settle(context)
    return now


@pytest.fixture
def wait(clock, context):
    """Lets Blender notice, and as much time pass as a check waits for."""
    from blender_addon.checks import watching

    def wait(seconds=10.0):
        context.view_layer.update()
        watching.look()
        clock[0] += seconds
        watching.look()

    return wait


def codes(context):
    return [row.code for row in context.scene.impulse.issues]


def test_a_mistake_appears_and_goes_by_itself(add_body, wait, context):
    """A mesh that is opened, then closed again; nobody pressed Check."""
    import bmesh

    box = add_body()
    wait()
    assert codes(context) == []
    mesh = bmesh.new()
    mesh.from_mesh(box.data)
    whole = box.data.copy()
    mesh.faces.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=[mesh.faces[0]], context="FACES_ONLY")
    mesh.to_mesh(box.data)
    box.data.update()

    wait()
    assert codes(context) == ["B132"]

    box.data = whole
    wait()
    assert codes(context) == []


def test_a_tag_edited_in_the_panel_is_seen(add_body, wait, context):
    """Blender tells nobody of such an edit."""
    context.view_layer.objects.active = add_body()
    wait()

    context.view_layer.objects.active.impulse.body.density = 0.0
    wait()

    assert codes(context) != []
    assert context.scene.impulse.stale


def test_a_setting_of_the_scene_is_seen(add_body, wait, context):
    """A rule about a body that is not there."""
    add_body()
    wait()

    context.scene.impulse.use_collision_filter = True
    context.scene.impulse.collision_pairs.add()
    wait()

    assert "B103" in codes(context)


def test_nothing_is_checked_before_it_rests(add_body, wait, clock, context):
    """Right after a change the user is still at it; a slow check rests longer."""
    from blender_addon.checks import watching

    add_body()
    wait()
    box = add_body("open", location=(5, 0, 0))
    box.impulse.body.density = 0.0
    wait(0.1)
    assert codes(context) == []

    watching.Watch.took = 5.0
    clock[0] += 10.0
    watching.look()
    assert codes(context) == []

    clock[0] += 20.0
    watching.look()
    assert codes(context) != []


def test_switched_off_it_says_that_the_list_is_old(add_body, wait, context):
    """Nothing is checked then, and the list says so."""
    box = add_body()
    bpy.ops.impulse.validate_scene(start=False)
    context.scene.impulse.live_check = False
    wait()
    assert not context.scene.impulse.stale

    box.impulse.body.density = 0.0
    box.location.x = 3
    wait()

    assert context.scene.impulse.stale
    assert codes(context) == []


def test_what_the_simulator_found_stays_listed(add_body, wait, context):
    """A live look cannot find it again, and does not take it away."""
    from blender_addon.checks.listing import show_issues
    from blender_addon.issues import Issue

    box = add_body()
    found = Issue("overlaps.", "box", code="E615", of_start=True)
    show_issues(context.scene, [found])
    wait()

    box.location.x = 1
    wait()
    assert codes(context) == ["E615"]

    bpy.data.objects.remove(box)
    add_body("other")
    wait()
    assert codes(context) == []


def test_no_other_frame_is_shown(add_body, wait, context):
    """A kinematic body that moves is looked at where it is; the frame stays."""
    box = add_body(motion="kinematic")
    for frame in (1, 20):
        box.location.x = frame
        box.keyframe_insert("location", frame=frame)
    context.scene.frame_set(7)
    shown = []
    bpy.app.handlers.frame_change_pre.append(lambda scene: shown.append(scene.frame_current))
    try:
        box.data.vertices[0].co.x -= 0.1
        box.data.update()
        wait()
    finally:
        bpy.app.handlers.frame_change_pre.clear()

    assert context.scene.impulse.checked
    assert shown == []


def test_a_scene_without_bodies_is_left_alone(add_box, wait, context):
    """Whoever does not use the add-on gets no list."""
    add_box()
    wait()

    assert not context.scene.impulse.checked


def test_undo_is_followed(add_body, wait, context):
    """What an undone step had broken is whole again in the list too."""
    add_body()
    bpy.ops.ed.undo_push(message="good")
    wait()
    bpy.data.objects["box"].scale.z = 0
    bpy.ops.ed.undo_push(message="flat")
    wait()
    assert codes(bpy.context) == ["B111"]

    bpy.ops.ed.undo()
    wait()

    assert codes(bpy.context) == []


def test_motors_on_the_timeline_are_as_they_should(add_body, add_empty, wait, context):
    """A target that is keyed is a target: a look that takes no other frame knows that too."""
    from blender_addon.authoring import tagging

    pivot = add_empty()
    tagging.tag_joint(pivot, "hinge", None, add_body())
    motor = pivot.impulse.joint.motors.add()
    motor.kind, motor.use_proportional, motor.proportional = "servo", True, 5.0
    for frame, target in ((1, 0.0), (20, 1.0)):
        motor.target = target
        motor.keyframe_insert("target", frame=frame)
    context.scene.frame_set(9)

    wait()

    assert context.scene.impulse.checked
    assert codes(context) == []
