"""What Blender shows over time is what the machine does: motors, loads and kinematic bodies."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

FPS = 25.0
PATH = "impulse.joint.motors[0].target"


def animated(obj):
    """A joint with a servo."""
    obj.impulse.kind = "JOINT"
    motor = obj.impulse.joint.motors.add()
    motor.kind, motor.use_target, motor.proportional = "servo", True, 10.0
    return motor


def curves(owner):
    from blender_addon.compat import animation_curves

    return animation_curves(owner)


def curve_of(context, obj):
    """Times, values and interpolation of a motor's curve as exported."""
    from blender_addon.export.collect import collect
    from blender_addon.export.timeline import Timeline

    context.view_layer.update()
    found = Timeline(context, collect(context.view_layer)).target(obj, 0)
    if found is None or "target" in found:
        value = obj.impulse.joint.motors[0].target if found is None else found["target"]
        return {"times": [0.0, 1.0], "values": [value, value], "interpolation": "linear"}
    return found["curve"]


def at(curve, t):
    """The curve as the simulator evaluates it, at times (n,)."""
    times, values = np.array(curve["times"]), np.array(curve["values"])
    if curve["interpolation"] == "linear":
        return np.interp(t, times, values)
    if curve["interpolation"] == "cubic":
        from blender_addon.export.sampling import spline_values

        return spline_values(times, values, np.clip(t, times[0], times[-1]))
    return values[np.clip(np.searchsorted(times, t, side="right") - 1, 0, None)]


def test_the_spline_is_that_of_the_format():
    """Continuous second derivative, level at both ends, whatever the distances of the samples."""
    from scipy.interpolate import CubicSpline

    from blender_addon.export.sampling import spline_values

    knots, values = np.array([0.0, 1.0, 2.5, 3.0, 7.0]), np.array([0.3, -1.0, 2.0, 0.1, 0.4])
    places = np.linspace(0.0, 7.0, 99)

    made = spline_values(knots, values, places)

    wanted = CubicSpline(knots, values, bc_type="clamped")(places)
    np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-13)


def shown(context, obj, frames):
    """The target as Blender shows it, frame by frame."""
    values = []
    for frame in frames:
        whole = math.floor(frame)
        context.scene.frame_set(whole, subframe=frame - whole)
        values.append(obj.impulse.joint.motors[0].target)
    context.scene.frame_set(1)
    return np.array(values)


def assert_follows(context, obj, curve, jumps=()):
    """Everywhere but beside jumps, the curve is within 1e-4 of what Blender shows."""
    frames = np.round(np.arange(1.0, context.scene.frame_end, 0.1171875), 6)
    frames = [f for f in frames if all(abs(f - jump) > 2e-3 for jump in jumps)]
    wanted = shown(context, obj, frames)
    got = at(curve, (np.array(frames) - 1.0) / FPS)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-4 + 2e-6 * np.abs(wanted).max())


@pytest.fixture
def servo(add_empty, context):
    context.scene.frame_end = 60
    context.scene.impulse.settings.duration = 2.0
    obj = add_empty("pivot")
    return obj, animated(obj)


def key(obj, motor, values, kind, name="target", frames=None):
    for number, value in enumerate(values):
        setattr(motor, name, value)
        frame = 1 + 10 * number if frames is None else frames[number]
        motor.keyframe_insert(name, frame=frame)
    for curve in curves(obj):
        for point in curve.keyframe_points:
            point.interpolation = kind


def test_linear_keys_are_the_samples(servo, context):
    """Straight lines from key to key need no other samples, and are exact."""
    obj, motor = servo
    key(obj, motor, (0.0, 1.0, -0.5), "LINEAR")

    curve = curve_of(context, obj)

    assert curve["interpolation"] == "linear"
    assert curve["times"] == pytest.approx([0.0, 0.4, 0.8, 59 / 25])
    assert curve["values"] == pytest.approx([0.0, 1.0, -0.5, -0.5])


def test_constant_keys_are_steps(servo, context):
    """Keys that hold their value become a step: the value changes at the time of its key."""
    obj, motor = servo
    key(obj, motor, (0.0, 1.0, 1.0, -0.5), "CONSTANT")

    curve = curve_of(context, obj)

    assert curve["interpolation"] == "step"
    assert curve["times"] == pytest.approx([0.0, 0.4, 1.2, 59 / 25])
    assert curve["values"] == pytest.approx([0.0, 1.0, -0.5, -0.5])


def test_a_jump_between_slopes_is_a_step_of_a_microsecond(servo, context):
    """Linear, then a value held, then a jump: on both sides of it the curve is right."""
    obj, motor = servo
    key(obj, motor, (0.0, 1.0, -0.5), "LINEAR")
    curves(obj)[0].keyframe_points[1].interpolation = "CONSTANT"

    curve = curve_of(context, obj)

    np.testing.assert_allclose(
        at(curve, [0.2, 0.4, 0.7999, 0.8, 2.0]), [0.5, 1.0, 1.0, -0.5, -0.5], atol=1e-6
    )
    assert min(np.diff(curve["times"])) == pytest.approx(1e-6, rel=1e-3)


def test_a_smooth_target_takes_few_samples(servo, context):
    """A swing of one hertz over two seconds, keyed at its extremes and repeated by a modifier."""
    obj, motor = servo
    key(obj, motor, (0.5, -0.5, 0.5), "BEZIER", frames=(1, 13.5, 26))
    curves(obj)[0].modifiers.new("CYCLES")

    curve = curve_of(context, obj)

    assert_follows(context, obj, curve)
    assert len(curve["times"]) < 160


def test_a_target_shown_as_an_angle_can_be_keyed(servo, context):
    """The panel shows a target in degrees: keys of that twin count as well."""
    obj, motor = servo
    key(obj, motor, (0.0, 1.0), "LINEAR", name="target_angle")

    assert curve_of(context, obj)["values"] == pytest.approx([0.0, 1.0, 1.0])


def test_a_driver_is_followed(servo, context):
    """A driver has no curve of its own: the scene is asked frame by frame, and put back."""
    obj, motor = servo
    motor.driver_add("target").driver.expression = "0.3*sin(frame/5) + (1 if frame > 30.5 else 0)"
    context.scene.frame_set(1)

    curve = curve_of(context, obj)

    assert context.scene.frame_current == 1
    assert_follows(context, obj, curve, jumps=(30.5,))


def test_strips_are_followed(servo, context):
    """An action in a strip, twice as slow and at half its influence, is what Blender shows."""
    obj, motor = servo
    key(obj, motor, (0.0, 1.0, -0.5), "BEZIER")
    animation = obj.animation_data
    action, slot = animation.action, getattr(animation, "action_slot", None)
    strip = animation.nla_tracks.new().strips.new(action.name, 5, action)
    if slot is not None:
        strip.action_slot = slot
    strip.scale, strip.influence = 2.0, 0.5
    animation.action = None

    assert_follows(context, obj, curve_of(context, obj), jumps=(5,))


def test_a_stretched_time_is_followed(servo, context):
    """Time remapping of the scene."""
    obj, motor = servo
    key(obj, motor, (0.0, 1.0, -0.5), "BEZIER")
    context.scene.render.frame_map_old, context.scene.render.frame_map_new = 100, 200

    assert_follows(context, obj, curve_of(context, obj))


def test_what_was_moved_by_hand_stays_there(servo, context, add_body):
    """To read a driver other frames are shown, which would put keyed objects back."""
    obj, motor = servo
    motor.driver_add("target").driver.expression = "frame/50"
    box = add_body()
    for frame in (1, 20):
        box.location = (0, 0, frame)
        box.keyframe_insert("location", frame=frame)
    context.scene.frame_set(1)
    box.location = (0, 0, 7)

    curve_of(context, obj)

    assert tuple(box.location) == (0, 0, 7)


INTERPOLATIONS = (
    "CONSTANT", "LINEAR", "BEZIER", "SINE", "QUAD", "CUBIC", "QUINT", "EXPO", "CIRC", "BACK",
    "BOUNCE", "ELASTIC",
)  # fmt: skip
KEYS = st.lists(
    st.tuples(
        st.floats(1, 58, width=32), st.floats(-4, 4, width=32), st.sampled_from(INTERPOLATIONS)
    ),
    min_size=2,
    max_size=6,
    unique_by=lambda found: round(found[0]),
)


def add_modifier(curve, kind):
    modifier = curve.modifiers.new(kind)
    if kind == "NOISE":
        modifier.scale, modifier.strength = 12.0, 0.5
    elif kind == "STEPPED":
        modifier.frame_step = 4.0
    elif kind == "FNGENERATOR":
        modifier.amplitude, modifier.phase_multiplier, modifier.use_additive = 0.4, 0.3, True
    elif kind == "CYCLES":
        modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET"


@settings(deadline=None)
@given(
    keys=KEYS,
    modifier=st.sampled_from([None, "CYCLES", "NOISE", "STEPPED", "FNGENERATOR"]),
    extrapolation=st.sampled_from(["CONSTANT", "LINEAR"]),
)
def test_any_curve_is_within_a_tenth_of_a_milliradian(keys, modifier, extrapolation):
    """Random keys, interpolations and modifiers: what the simulator evaluates is what Blender
    shows; within two thousandths of a frame of a jump it is between its sides.
    """
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    context = bpy.context
    context.scene.render.fps, context.scene.frame_end = 25, 60
    context.scene.impulse.settings.duration = 2.0
    obj = bpy.data.objects.new("pivot", None)
    context.scene.collection.objects.link(obj)
    motor = animated(obj)
    for frame, value, _kind in keys:
        motor.target = value
        motor.keyframe_insert("target", frame=frame)
    (curve,) = curves(obj)
    for point, (_, _, kind) in zip(curve.keyframe_points, sorted(keys), strict=True):
        point.interpolation = kind
    curve.extrapolation = extrapolation
    if modifier:
        add_modifier(curve, modifier)
    frames = np.round(np.arange(1.0, 60.0, 0.1171875), 6)
    wanted = np.array([curve.evaluate(frame) for frame in frames])

    made = at(curve_of(context, obj), (frames - 1.0) / FPS)

    sides = np.array([[curve.evaluate(f - 2e-3), curve.evaluate(f + 2e-3)] for f in frames])
    size = max(1.0, np.abs(wanted).max())
    within = np.abs(np.diff(sides, axis=1)[:, 0])
    assert np.all(np.abs(made - wanted) <= 1e-4 + 4e-6 * size + within)


def test_a_load_that_changes_in_steps(add_body, exported, context):
    """Keys that hold their value become a load for each of them, and none while there is none."""
    body = add_body()
    load = body.impulse.body.loads.add()
    load.use_until, load.until = True, 1.5
    for frame, value in ((1, 0.0), (11, 2.0), (21, 0.0), (26, -3.0)):
        load.force[2] = value
        load.keyframe_insert("force", frame=frame)
    for curve in curves(body):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"

    made = exported().loads

    assert [(load.force, load.from_, load.until) for load in made] == [
        ((0, 0, 2.0), 0.4, 0.8),
        ((0, 0, -3.0), 1.0, 1.5),
    ]


def keyed_load(body, channel, keys, kind, **given):
    """A load of a body with keys of one number of it: (frame, value)."""
    name, axis = channel
    load = body.impulse.body.loads.add()
    for attribute, value in given.items():
        setattr(load, attribute, value)
    for frame, value in keys:
        getattr(load, name)[axis] = value
        load.keyframe_insert(name, index=axis, frame=frame)
    for curve in curves(body):
        for point in curve.keyframe_points:
            point.interpolation = kind
    return load


def as_curve(load):
    """The curve of a load in the file as what ``at`` takes."""
    return load.curve.model_dump(include={"times", "values", "interpolation"})


@pytest.mark.parametrize("size", [1e-6, 1.0, 3e4])
def test_a_load_on_straight_lines_is_exact(size, add_body, exported):
    """Its keys are the samples, of the number that they are of, whatever its size; what has no keys
    is a load of its own.
    """
    keys = ((1, size), (11, -2.5 * size), (31, 0.5 * size))
    keyed_load(
        add_body(), ("force", 2), keys, "LINEAR", name="gust", torque=(0, 0, 7.0), from_=0.25
    )

    still, moving = exported().loads

    assert (still.force, still.torque, still.curve) == ((0, 0, 0), (0, 0, 7.0), None)
    assert (moving.force, moving.torque) == ((0, 0, 1.0), (0, 0, 0))
    assert (moving.name, moving.from_, moving.until) == ("gust", 0.25, None)
    assert moving.curve.interpolation == "linear"
    assert moving.curve.times[:3] == pytest.approx([0.0, 0.4, 1.2])
    wanted = [size, -2.5 * size, 0.5 * size]
    assert moving.curve.values[:3] == pytest.approx(wanted, rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(
    size=st.sampled_from([1e-3, 1.0, 2e5]),
    values=st.lists(st.floats(-1, 1), min_size=2, max_size=6),
    kind=st.sampled_from(["BEZIER", "SINE", "BOUNCE", "ELASTIC"]),
    channel=st.sampled_from([("force", 0), ("torque", 1)]),
)
def test_a_smooth_load_is_followed(size, values, kind, channel):
    """To 1e-4 of its largest value, between keys as at them."""
    from blender_addon.authoring.tagging import tag_bodies
    from blender_addon.export.scene_export import build

    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    context = bpy.context
    context.scene.render.fps, context.scene.frame_end = 25, 60
    bpy.ops.mesh.primitive_cube_add()
    body = context.object
    tag_bodies([body], shape="mesh", motion="dynamic")
    keys = [(1 + 9 * k, size * value) for k, value in enumerate((1.0, *values))]
    keyed_load(body, channel, keys, kind)
    context.view_layer.update()

    result = build(context)

    assert [str(issue) for issue in result.issues if "load" in str(issue)] == []
    (load,) = result.scene.loads if np.ptp([value for _, value in keys]) else (None,)
    if load is None or load.curve is None:
        return
    (shown_curve,) = [c for c in curves(body) if c.array_index == channel[1]]
    frames = np.arange(1.0, 60.0, 0.171875)
    wanted = np.array([shown_curve.evaluate(frame) for frame in frames])
    got = at(as_curve(load), (frames - 1.0) / FPS)
    assert np.abs(got - wanted).max() <= 1.02e-4 * np.abs(wanted).max()


def test_a_driven_load_is_followed(add_body, exported, context):
    """A driver on one number of a load, read frame by frame and between."""
    context.scene.frame_end = 50
    body = add_body()
    load = body.impulse.body.loads.add()
    load.driver_add("torque", 1).driver.expression = "20*sin(frame/4)"
    context.scene.frame_set(1)

    (made,) = exported().loads

    frames = np.arange(1.0, 50.0, 0.25)
    got = at(as_curve(made), (frames - 1.0) / FPS)
    np.testing.assert_allclose(got, 20.0 * np.sin(frames / 4.0), atol=2.2e-3)
    assert made.torque == (0, 1.0, 0)


def test_a_load_has_keys_or_a_factor(add_body, context, exported):
    """Steps are multiplied by it; a product of two curves is none of the file, and refused."""
    from blender_addon.export.scene_export import build

    body = add_body()
    load = keyed_load(body, ("force", 2), ((1, 1.0), (11, 2.0)), "CONSTANT", expression="sin(t)")
    load.phase = 0.5
    steps = exported().loads
    assert [(made.force, made.expression, made.phase) for made in steps] == [
        ((0, 0, 1.0), "sin(t)", 0.5),
        ((0, 0, 2.0), "sin(t)", 0.5),
    ]

    for point in curves(body)[0].keyframe_points:
        point.interpolation = "LINEAR"
    (issue,) = build(context).issues

    assert "loads[0].force) keyed or driven; a load with an expression or a curve" in str(issue)


def test_a_point_stays_with_the_force(add_body, exported):
    """A torque that changes has no point of attack, a force that changes has that of its load."""
    body = add_body()
    load = keyed_load(body, ("force", 0), ((1, 1.0), (11, 2.0)), "LINEAR")
    load.use_point, load.point = True, (0.0, 0.0, 0.5)
    for frame, value in ((1, 3.0), (11, 1.0)):
        load.torque[2] = value
        load.keyframe_insert("torque", index=2, frame=frame)

    found = {load.torque: load.point for load in exported().loads}

    assert found == {(0, 0, 0): (0.0, 0.0, 0.5), (0, 0, 1.0): None}


def test_poses_between_frames_are_near_the_motion(add_body, exported, context):
    """A kinematic body on a Bezier path that turns: linear between keyframes, 1e-4 from Blender."""
    box = add_body("box", motion="kinematic")
    for frame, place, turn in ((1, 0.0, 0.0), (9, 3.0, 2.0), (21, 0.0, 0.0)):
        box.location, box.rotation_euler = (place, 0, place / 2), (0, turn, 0)
        box.keyframe_insert("location", frame=frame)
        box.keyframe_insert("rotation_euler", frame=frame)
    context.scene.frame_end = 21

    frames = exported().bodies[0].keyframes

    times = np.array([pose.time for pose in frames])
    assert set(np.round(np.arange(21) / 25, 9)) <= set(np.round(times, 9))
    for frame in np.arange(1.0, 21.0, 0.28125):
        context.scene.frame_set(int(frame), subframe=frame % 1)
        time = (frame - 1) / 25
        place = [np.interp(time, times, [pose.position[k] for pose in frames]) for k in range(3)]
        assert np.linalg.norm(np.array(place) - box.location) < 1e-4
        angles = [2 * math.atan2(pose.orientation[2], pose.orientation[0]) for pose in frames]
        assert abs(np.interp(time, times, angles) - box.rotation_euler[1]) < 1.2e-4


def test_a_jump_of_a_body_takes_a_frame(add_body, exported, context):
    """A body that is elsewhere from one frame to the next is not thrown there within less."""
    box = add_body("box", motion="kinematic")
    for frame, place in ((1, 0.0), (6, 1.0)):
        box.location[0] = place
        box.keyframe_insert("location", frame=frame)
    for curve in curves(box):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    context.scene.frame_end = 10

    frames = exported().bodies[0].keyframes

    assert np.min(np.diff([pose.time for pose in frames])) == pytest.approx(1 / 25)


@pytest.mark.slow
def test_a_servo_follows_its_keys(add_body, add_empty, select, context, tmp_path):
    """Keyed, exported and simulated: the recorded angle of the joint is that of the keys."""
    from blender_addon.export.scene_export import export
    from impulse_core import load_scene, simulate

    arm = add_body("arm", location=(0.5, 0, 0), size=(1, 0.1, 0.1))
    pivot = add_empty("pivot")
    pivot.rotation_euler = (math.pi / 2, 0, 0)
    select(pivot)
    bpy.ops.impulse.tag_joint(type="hinge", body2="arm")
    arm.impulse.body.mass_source, arm.impulse.body.mass = "mass", 1.0
    motor = pivot.impulse.joint.motors.add()
    motor.kind, motor.use_target = "servo", True
    motor.proportional, motor.derivative, motor.integral = 4e4, 400.0, 0.0
    key(pivot, motor, (0.0, 0.8, -0.3, 0.2, 0.2), "BEZIER")
    context.scene.frame_end, context.scene.impulse.settings.duration = 41, 1.6
    export(context, tmp_path / "arm.xml")

    recording = simulate(load_scene(tmp_path / "arm.xml"))

    angles = recording.joints["pivot"]["angle"]
    frames = 1.0 + np.asarray(recording.times) * FPS
    wanted = shown(context, pivot, frames)
    np.testing.assert_allclose(angles, wanted, atol=2e-3)
