"""Limbs are mirrored and repeated with all that belongs to them; gaits are phases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

SWING = "0.4*sin(2*pi*(t/period + phase))"


@pytest.fixture
def leg(add_body, add_box, add_empty, select, context):
    """A torso, and a leg of thigh, shank with a foot, two joints, a spring and a motor."""
    from blender_addon.authoring import tagging

    torso = add_body("torso", location=(0, 0, 1), size=(2, 0.5, 0.2))
    thigh = add_body("thigh.L", location=(0.5, 0.5, 0.8), size=(0.1, 0.1, 0.5))
    shank = add_body("shank.L", location=(0.6, 0.55, 0.3), size=(0.1, 0.1, 0.5))
    foot = add_box("foot.L", location=(0.6, 0.55, 0.0), size=(0.2, 0.1, 0.1))
    foot.parent = shank
    foot.matrix_parent_inverse = shank.matrix_world.inverted()
    tagging.tag_geometry([foot], None)
    hip = add_empty("hip.L", location=(0.5, 0.4, 1.0), rotation_euler=(math.pi / 2, 0.1, 0.2))
    knee = add_empty("knee.L", location=(0.5, 0.5, 0.55), rotation_euler=(math.pi / 2, 0, 0))
    tendon = add_empty("tendon.L", location=(0.5, 0.45, 0.9))
    end = add_empty("end.L", location=(0.6, 0.55, 0.2))
    tagging.tag_joint(hip, "hinge", torso, thigh)
    tagging.tag_joint(knee, "hinge", thigh, shank)
    tagging.tag_spring(tendon, {"body1": torso, "body2": shank, "anchor2": end}, stiffness=50.0)
    motor = hip.impulse.joint.motors.add()
    motor.kind, motor.proportional, motor.derivative = "servo", 400.0, 20.0
    motor.expression = SWING
    set_period(context, 1.0)
    select(thigh, shank)
    return thigh, shank


def set_period(context, value):
    from blender_addon.authoring.gait import set_constant

    set_constant(context.scene, "period", value, default=1.0)


def obj(name):
    return bpy.data.objects[name]


def places(names):
    return {name: np.array(obj(name).matrix_world.translation) for name in names}


def test_a_mirrored_leg_hangs_on_the_same_torso(leg, context):
    """Names change sides; joints, springs and solids lead to the copies and to the one torso."""
    bpy.ops.impulse.mirror_limb(axis="Y")

    made = {o.name for o in context.selected_objects}
    assert made == {
        *("thigh.R", "shank.R", "foot.R", "hip.R", "knee.R", "tendon.R", "end.R"),
    }
    hip, knee, tendon = (obj(name).impulse for name in ("hip.R", "knee.R", "tendon.R"))
    assert (hip.joint.body1.name, hip.joint.body2.name) == ("torso", "thigh.R")
    assert (knee.joint.body1.name, knee.joint.body2.name) == ("thigh.R", "shank.R")
    assert hip.joint.body2_name == "thigh.R"
    spring = tendon.spring
    assert [o.name for o in (spring.body1, spring.body2, spring.anchor2)] == [
        *("torso", "shank.R", "end.R"),
    ]
    assert obj("foot.R").parent == obj("shank.R")
    for name in ("thigh", "shank", "foot", "hip", "knee", "tendon", "end"):
        left, right = obj(f"{name}.L").matrix_world, obj(f"{name}.R").matrix_world
        mirror = np.diag([1.0, -1.0, 1.0, 1.0])
        np.testing.assert_allclose(np.array(right), mirror @ np.array(left), atol=1e-6)


@pytest.mark.parametrize(("period", "phase"), [(None, 0.0), (2.0, 0.5)])
def test_a_gait_shifts_the_copy_by_half_a_period(leg, context, period, phase):
    """Without a constant 'period' nothing says that there is a gait."""
    context.scene.impulse.constants.clear()
    if period:
        set_period(context, period)

    bpy.ops.impulse.mirror_limb()

    assert obj("hip.R").impulse.joint.phase == phase
    assert obj("hip.L").impulse.joint.phase == 0.0


def test_a_phase_that_is_given_is_taken(leg):
    bpy.ops.impulse.mirror_limb(phase=0.25)

    assert obj("hip.R").impulse.joint.phase == 0.25


def test_the_plane_goes_through_what_is_named(leg, add_empty):
    """An object of any place and turn; or the world, where the torso stands elsewhere."""
    add_empty("mirror", location=(0, 3, 0), rotation_euler=(0, 0, math.pi / 2))
    before = places(["thigh.L"])["thigh.L"]

    bpy.ops.impulse.mirror_limb(axis="X", about="mirror")

    after = places(["thigh.R"])["thigh.R"]
    np.testing.assert_allclose(after, (before[0], 6 - before[1], before[2]), atol=1e-6)


def test_a_limb_that_exists_is_not_made_twice(leg, select):
    """The names of the other side are taken: nothing is made."""
    bpy.ops.impulse.mirror_limb()
    count = len(bpy.data.objects)
    select(*leg)

    with pytest.raises(RuntimeError, match=r"\.R is there already; delete or rename it first"):
        bpy.ops.impulse.mirror_limb()

    assert len(bpy.data.objects) == count


def test_half_a_limb_is_refused_unless_something_is_named(leg, select):
    """A thigh hangs on the torso and on its shank: nobody can tell which is the torso."""
    select(leg[0])

    with pytest.raises(RuntimeError, match=r"hangs on shank\.L, torso; select the whole limb"):
        bpy.ops.impulse.mirror_limb()
    bpy.ops.impulse.mirror_limb(about="torso")

    assert obj("knee.R").impulse.joint.body2 == obj("shank.L")


def test_no_body_is_selected(leg, select):
    select(obj("torso"))
    obj("torso").impulse.kind = "NONE"

    with pytest.raises(RuntimeError, match="Select the bodies of the limb first"):
        bpy.ops.impulse.mirror_limb()


def test_mirroring_can_be_undone(leg, context):
    """Undo takes the copies away, redo makes them again."""
    bpy.ops.ed.undo_push(message="leg")
    bpy.ops.impulse.mirror_limb()
    bpy.ops.ed.undo_push(message="mirror")

    bpy.ops.ed.undo()
    undone = "thigh.R" in bpy.data.objects
    bpy.ops.ed.redo()

    assert not undone
    assert obj("hip.R").impulse.joint.body2 == obj("thigh.R")


def test_vectors_of_the_world_are_mirrored(leg):
    """Velocities and loads are vectors, those of turns axial ones."""
    body = obj("thigh.L").impulse.body
    body.velocity, body.angular_velocity = (1, 2, 3), (4, 5, 6)
    load = body.loads.add()
    load.force, load.torque = (1, 2, 3), (4, 5, 6)

    bpy.ops.impulse.mirror_limb(axis="Y")

    made = obj("thigh.R").impulse.body
    assert tuple(made.velocity) == (1, -2, 3)
    assert tuple(made.angular_velocity) == (-4, 5, -6)
    assert tuple(made.loads[0].force) == (1, -2, 3)
    assert tuple(made.loads[0].torque) == (-4, 5, -6)


def test_rules_of_pairs_hold_for_the_copies(leg, context):
    pair = context.scene.impulse.collision_pairs.add()
    pair.body1, pair.body2, pair.collide = obj("torso"), obj("shank.L"), False

    bpy.ops.impulse.mirror_limb()

    _, made = context.scene.impulse.collision_pairs
    assert (made.body1, made.body2, made.collide) == (obj("torso"), obj("shank.R"), False)


def test_recorded_motion_is_not_copied(leg, context, select):
    """A limb that was simulated stands wherever the frame has it: Clear comes first."""
    from blender_addon.playback.keyframes import import_recording

    from .recordings import turning

    import_recording(turning(["thigh.L", "shank.L"]), context.scene)

    with pytest.raises(RuntimeError, match="has recorded motion; press Clear first"):
        bpy.ops.impulse.mirror_limb()


def test_keys_of_a_motor_come_earlier_by_the_phase(leg, context):
    """A keyed servo of the copy has keys of its own, half a period ahead."""
    hip = obj("hip.L")
    motor = hip.impulse.joint.motors[0]
    motor.expression, motor.use_target = "", True
    for frame, value in ((1, 0.0), (26, 0.5)):
        motor.target = value
        motor.keyframe_insert("target", frame=frame)
    from blender_addon.compat import curves_of

    bpy.ops.impulse.mirror_limb(phase=0.5)

    frames = [
        [key.co[0] for curve in curves_of(obj(name)) for key in curve.keyframe_points]
        for name in ("hip.L", "hip.R")
    ]
    assert frames == [[1.0, 26.0], [-11.5, 13.5]]


def test_loads_of_a_copy_are_ahead_by_the_phase(leg, context):
    """Those with an expression by their phase, those with keys by these."""
    from blender_addon.compat import curves_of

    shank = obj("shank.L")
    loads = shank.impulse.body.loads
    for expression in ("sin(2*pi*t/period)", ""):
        loads.add().expression = expression
    loads[0].phase = 0.75
    for frame, value in ((1, 0.0), (26, 0.5)):
        loads[1].force[2] = value
        loads[1].keyframe_insert("force", index=2, frame=frame)

    bpy.ops.impulse.mirror_limb(phase=0.5)

    assert [load.phase for load in loads] == pytest.approx([0.75, 0.0])
    assert obj("shank.R").impulse.body.loads[0].phase == pytest.approx(0.25)
    frames = [
        [key.co[0] for curve in curves_of(obj(name)) for key in curve.keyframe_points]
        for name in ("shank.L", "shank.R")
    ]
    assert frames == [[1.0, 26.0], [-11.5, 13.5]]


def test_repeated_legs_hang_on_the_torso_one_phase_after_the_other(leg, context):
    """Three legs in a line: the second and third an offset on, with a phase of a third more."""
    before = places(["thigh.L", "hip.L", "foot.L"])

    bpy.ops.impulse.repeat_limb(count=3, offset=(-0.7, 0, 0), phase=1 / 3)

    hips = [obj(name) for name in ("hip.L.001", "hip.L.002")]
    assert [hip.impulse.joint.body1.name for hip in hips] == ["torso", "torso"]
    assert [hip.impulse.joint.body2.name for hip in hips] == ["thigh.L.001", "thigh.L.002"]
    assert [hip.impulse.joint.phase for hip in hips] == pytest.approx([1 / 3, 2 / 3], abs=1e-5)
    for name, place in before.items():
        for number in (1, 2):
            made = np.array(obj(f"{name}.00{number}").matrix_world.translation)
            np.testing.assert_allclose(made, place - [0.7 * number, 0, 0], atol=1e-6)


def test_legs_around_a_torso(leg, context):
    """Four all around: each a quarter turn of the one before, about the torso."""
    start = np.array(obj("thigh.L").matrix_world.translation)

    bpy.ops.impulse.repeat_limb(count=4, layout="CIRCLE")

    for number in (1, 2, 3):
        angle = number * math.pi / 2
        turn = np.array(
            [
                [math.cos(angle), -math.sin(angle), 0],
                [math.sin(angle), math.cos(angle), 0],
                [0, 0, 1],
            ]
        )
        made = np.array(obj(f"thigh.L.00{number}").matrix_world.translation)
        np.testing.assert_allclose(made, turn @ start, atol=1e-6)


def test_motors_are_given_to_those_alike(leg, select):
    """Edit one, apply to all: gains and expression go over, the phase stays."""
    bpy.ops.impulse.mirror_limb(phase=0.5)
    motor = obj("hip.L").impulse.joint.motors[0]
    motor.proportional, motor.use_max_force, motor.max_force = 900.0, True, 30.0
    select(obj("hip.L"))

    bpy.ops.impulse.copy_motors()

    (made,) = obj("hip.R").impulse.joint.motors
    assert (made.proportional, made.use_max_force, made.max_force) == (900.0, True, 30.0)
    assert made.expression == SWING
    assert obj("hip.R").impulse.joint.phase == 0.5
    assert not len(obj("knee.L").impulse.joint.motors)


def test_motors_are_given_to_the_selected(leg, select):
    select(obj("knee.L"), obj("hip.L"))

    bpy.ops.impulse.copy_motors()

    assert obj("knee.L").impulse.joint.motors[0].expression == SWING


def test_motors_do_not_fit_another_type(leg, select):
    obj("knee.L").impulse.joint.type = "slider"
    select(obj("knee.L"), obj("hip.L"))

    with pytest.raises(RuntimeError, match=r"knee\.L is a slider joint, hip\.L a hinge joint"):
        bpy.ops.impulse.copy_motors()


@pytest.fixture
def hexapod(leg, context, select):
    """Six legs: the one, two behind it, and their mirror images."""
    bpy.ops.impulse.repeat_limb(count=3, offset=(-0.5, 0, 0))
    bodies = [o for o in bpy.data.objects if o.name.startswith(("thigh", "shank"))]
    select(*bodies)
    bpy.ops.impulse.mirror_limb(axis="Y", phase=0.0)
    return [o for o in bpy.data.objects if o.name.startswith("hip")]


def found(hips):
    """Phases of left and right legs, from the rear to the front."""
    order = sorted(hips, key=lambda hip: hip.matrix_world.translation.x)
    sides = [[h for h in order if ".L" in h.name], [h for h in order if ".R" in h.name]]
    return [[round(hip.impulse.joint.phase, 3) for hip in side] for side in sides]


@pytest.mark.parametrize(
    ("gait", "left", "right"),
    [
        ("tripod", [0.5, 0.0, 0.5], [0.0, 0.5, 0.0]),
        ("ripple", [0.5, 0.167, 0.833], [0.0, 0.667, 0.333]),
        ("wave", [0.5, 0.333, 0.167], [0.0, 0.833, 0.667]),
    ],
)
def test_gaits_of_six_legs(hexapod, select, context, gait, left, right):
    """By where the legs stand; setting a gait again changes nothing; the period is a constant."""
    select(*hexapod)
    for _ in range(2):
        bpy.ops.impulse.set_gait(gait=gait, period=0.8)

        assert found(hexapod) == [left, right]
    assert [(c.name, round(c.value, 6)) for c in context.scene.impulse.constants] == [
        ("period", 0.8)
    ]


def test_joints_of_one_leg_keep_their_difference(hexapod, select):
    """A knee that is a quarter of a period behind its hip stays so."""
    knees = [obj(hip.name.replace("hip", "knee")) for hip in hexapod]
    for knee in knees:
        knee.impulse.joint.motors.add()
        knee.impulse.joint.phase = 0.75
    select(*hexapod)

    bpy.ops.impulse.set_gait(gait="wave", expression=SWING)

    for hip, knee in zip(hexapod, knees, strict=True):
        difference = knee.impulse.joint.phase - hip.impulse.joint.phase
        assert difference % 1.0 == pytest.approx(0.75, abs=1e-5)
        assert knee.impulse.joint.motors[0].expression == SWING


def test_one_leg_has_no_gait(leg, select):
    select(obj("hip.L"))

    with pytest.raises(RuntimeError, match="at least two legs that have motors"):
        bpy.ops.impulse.set_gait()


@given(st.integers(1, 8), st.sampled_from(["tripod", "ripple", "wave"]), st.booleans())
def test_phases_of_any_number_of_legs(rows, gait, shuffled):
    """Opposite legs are half a period apart, neighbours a lag, in whatever order they are."""
    from blender_addon.authoring.gait import phases

    places = [(0.3 * row, side) for row in range(rows) for side in (-1.0, 1.0)]
    if shuffled:
        places.reverse()

    made = dict(zip(places, phases(gait, places), strict=True))

    lag = {"tripod": 0.5, "ripple": 1 / rows, "wave": 0.5 / rows}[gait]
    for row in range(rows):
        right, left = made[0.3 * row, -1.0], made[0.3 * row, 1.0]
        assert 0.0 <= right < 1.0
        assert abs(left - right) == pytest.approx(0.5)
        if row:
            step = (made[0.3 * (row - 1), 1.0] - left) % 1.0
            assert step == pytest.approx(lag % 1.0)


def test_constants_and_phases_are_exported(leg, exported, context):
    """What the panel holds is in the file, and the mirrored leg has the same expression."""
    bpy.ops.impulse.mirror_limb(phase=0.5)

    scene = exported()

    assert [(c.name, c.value) for c in scene.constants] == [("period", 1.0)]
    hips = {joint.name: joint for joint in scene.joints if joint.motors}
    assert {name: hip.phase for name, hip in hips.items()} == {"hip.L": 0.0, "hip.R": 0.5}
    assert {hip.motors[0].expression for hip in hips.values()} == {SWING}


@pytest.mark.slow
def test_a_mirrored_limb_moves_as_the_mirror_image(leg, context, tmp_path):
    """Simulated with the torso held, each body of the copy is at the mirror image of the other's
    place.
    """
    from blender_addon.export.scene_export import export
    from impulse_core import load_scene, simulate

    obj("torso").impulse.body.motion = "static"
    bpy.ops.impulse.mirror_limb(axis="Y", phase=0.0)
    tag = context.scene.impulse
    tag.use_collision_filter, tag.collide_by_default, tag.settings.duration = True, False, 0.5
    export(context, tmp_path / "legs.xml")

    recording = simulate(load_scene(tmp_path / "legs.xml"))

    rows = {name: number for number, name in enumerate(recording.body_names)}
    for part in ("thigh", "shank"):
        left = recording.positions[:, rows[f"{part}.L"]]
        right = recording.positions[:, rows[f"{part}.R"]]
        assert np.ptp(left, axis=0).max() > 0.05
        np.testing.assert_allclose(right, left * (1, -1, 1), atol=1e-6)
