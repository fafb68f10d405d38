"""Results as curves: energy, what motors do, what feet bear and how they slip, by closed forms."""

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from .recordings import recording_of, turning  # noqa: E402

GRAVITY = 9.81


def values(owner, prop):
    """Values of a result at all frames, by component."""
    from blender_addon import compat
    from blender_addon.playback.curves import key_array

    curves = [c for c in compat.curves_of(owner) if c.data_path == f'["{prop}"]']
    return np.stack([key_array(curve)[:, 1] for curve in curves], axis=1)


@pytest.fixture
def machine(add_body, add_empty, context):
    """A box that slides on a floor, one that rests there, and an arm that a motor turns."""
    from blender_addon.authoring import tagging

    floor = add_body("floor", shape="plane", motion="static", size=(20, 20, 0))
    floor.impulse.geometry.material = "rough"
    material = context.scene.impulse.materials.add()
    material.name, material.static_friction = "rough", 0.4
    slider = add_body("slider", shape="box", location=(0, 0, 0.1), size=(0.8, 0.8, 0.2))
    resting = add_body("resting", shape="box", location=(0, 4, 0.1), size=(0.8, 0.8, 0.2))
    for obj in (slider, resting):
        obj.impulse.geometry.material = "rough"
    slider.impulse.body.velocity = (3.0, 0, 0)
    arm = add_body("arm", shape="box", location=(0, 0, 5), size=(1, 0.1, 0.1))
    pivot = add_empty("pivot", (0, 0, 5))
    tagging.tag_joint(pivot, "hinge", None, arm)
    motor = pivot.impulse.joint.motors.add()
    motor.kind, motor.use_target, motor.target = "force", True, 2.0
    context.scene.frame_end = 11
    return slider, resting, arm, pivot


@pytest.mark.slow
def test_what_comes_out_is_what_mechanics_says(machine, context):
    """A floor bears the weight, friction takes the speed, a torque turns the arm ever faster."""
    slider, resting, _, pivot = machine
    bpy.ops.impulse.run_simulation()

    times = np.arange(11) / 25
    weight = 1000 * 0.8 * 0.8 * 0.2 * GRAVITY
    np.testing.assert_allclose(values(resting, "impulse_reaction")[1:, 2], weight, rtol=1e-3)
    np.testing.assert_allclose(values(resting, "impulse_slip")[1:, 0], 0, atol=1e-4)
    push = values(slider, "impulse_reaction")[1:]
    np.testing.assert_allclose(push[:, 0], -0.4 * weight, rtol=1e-2)
    speed = 3.0 - 0.4 * GRAVITY * (times[1:] + times[:-1]) / 2
    np.testing.assert_allclose(values(slider, "impulse_slip")[1:, 0], speed, rtol=1e-2)
    inertia = 1000 * 0.01 * (1 + 0.01) / 12
    np.testing.assert_allclose(values(pivot, "impulse_torque")[1:, 0], 2.0, rtol=1e-6)
    angle = values(pivot, "impulse_angle")[:, 0]
    np.testing.assert_allclose(angle, times**2 / inertia, rtol=2e-2, atol=1e-3)
    kinetic = values(context.scene, "impulse_kinetic")[0, 0]
    assert kinetic == pytest.approx(weight / GRAVITY * 9 / 2, rel=1e-3)
    context.scene.frame_set(6)
    assert pivot["impulse_angle"] == pytest.approx(angle[5], abs=1e-6)


@pytest.mark.slow
def test_clear_leaves_nothing_of_results(machine, context):
    """No properties, no actions; without the setting there are none to begin with."""
    bpy.ops.impulse.run_simulation()
    assert "impulse_total" in context.scene
    bpy.ops.impulse.clear_animation()
    for owner in (context.scene, *context.scene.objects):
        assert not [key for key in owner.keys() if key.startswith("impulse_")]  # noqa: SIM118
    assert len(bpy.data.actions) == 0
    assert context.scene.animation_data is None

    context.scene.impulse.use_results = False
    bpy.ops.impulse.run_simulation()
    assert len(bpy.data.actions) == 1 or context.scene.animation_data is None
    assert "impulse_total" not in context.scene


def test_actions_of_the_user_get_results_and_lose_them_again(add_body, add_empty, context):
    """What was keyed on a joint and on the scene is there before, meanwhile and after."""
    from blender_addon import compat
    from blender_addon.authoring import tagging
    from blender_addon.playback.keyframes import import_recording

    add_body("box")
    pivot = add_empty("pivot")
    tagging.tag_joint(pivot, "hinge", None, bpy.data.objects["box"])
    pivot.impulse.joint.motors.add()
    pivot.keyframe_insert("empty_display_size", frame=1)
    context.scene.keyframe_insert("gravity", index=0, frame=1)
    own = {owner.name: owner.animation_data.action for owner in (pivot, context.scene)}
    motion = with_results(turning(["box"]), {"pivot": {"angle": np.arange(20.0)}})

    for _ in range(2):
        import_recording(motion, context.scene)
        for owner, count in ((pivot, 2), (context.scene, 4)):
            assert owner.animation_data.action == own[owner.name]
            assert len(compat.curves_of(owner)) == count
    np.testing.assert_array_equal(values(pivot, "impulse_angle")[:, 0], np.arange(20))
    bpy.ops.impulse.clear_animation()
    for owner in (pivot, context.scene):
        assert owner.animation_data.action == own[owner.name]
        assert len(compat.curves_of(owner)) == 1


def test_keys_that_are_given_a_joint_after_a_run_stay(add_body, add_empty, context):
    """They go into the action with the results, and outlive these."""
    from blender_addon import compat
    from blender_addon.authoring import tagging
    from blender_addon.playback.keyframes import import_recording

    add_body("box")
    pivot = add_empty("pivot")
    tagging.tag_joint(pivot, "hinge", None, bpy.data.objects["box"])
    pivot.impulse.joint.motors.add()
    import_recording(
        with_results(turning(["box"]), {"pivot": {"angle": np.arange(20.0)}}), context.scene
    )
    pivot.keyframe_insert("impulse.joint.motors[0].target", frame=3)

    bpy.ops.impulse.clear_animation()

    (curve,) = compat.curves_of(pivot)
    assert curve.data_path == "impulse.joint.motors[0].target"


def test_a_joint_that_carries_a_body_has_no_curves(add_body, add_empty, context):
    """It would count as an Empty that moves the body by an animation of its own."""
    from blender_addon.authoring import tagging
    from blender_addon.playback.keyframes import import_recording

    box, pivot = add_body("box"), add_empty("pivot")
    tagging.tag_joint(pivot, "hinge", None, box)
    pivot.impulse.joint.motors.add()
    box.parent = pivot
    import_recording(
        with_results(turning(["box"]), {"pivot": {"angle": np.arange(20.0)}}), context.scene
    )

    assert pivot.animation_data is None


def test_results_of_portions_are_those_of_the_whole(add_body, context):
    """Slips reach back to the frame before, also where that came earlier."""
    from dataclasses import replace

    from blender_addon.playback.results import Results

    add_body("floor", motion="static")
    add_body("foot")
    random = np.random.default_rng(3)
    rows = np.sort(random.integers(0, 20, 50))
    contacts = {
        "frame": rows,
        "body1": np.zeros(50, int),
        "body2": np.ones(50, int),
        "point": random.normal(size=(50, 3)),
        "normal": np.tile([0.0, 0.0, 1.0], (50, 1)),
        "force": random.normal(size=(50, 3)),
    }
    whole = replace(recording_of(turning(["floor", "foot"])), contacts=contacts)
    expected = Results(context.scene)
    expected.add(whole)
    found = Results(context.scene)
    for first, last in ((0, 1), (1, 8), (8, 20)):
        chosen = (rows >= first) & (rows < last)
        part = {key: array[chosen] for key, array in contacts.items()}
        part["frame"] = part["frame"] - first
        found.add(
            replace(
                whole,
                times=whole.times[first:last],
                positions=whole.positions[first:last],
                orientations=whole.orientations[first:last],
                contacts=part,
            )
        )

    assert (
        found.series().keys()
        == expected.series().keys()
        == {
            ("foot", "impulse_reaction"),
            ("foot", "impulse_slip"),
        }
    )
    for key, array in expected.series().items():
        np.testing.assert_allclose(found.series()[key], array, atol=1e-12)
    total = np.zeros((20, 3))
    np.add.at(total, rows, contacts["force"])
    np.testing.assert_allclose(expected.series()["foot", "impulse_reaction"], total)


def with_results(motion, joints):
    from dataclasses import replace

    energy = {name: np.arange(20.0) for name in ("kinetic", "potential", "total")}
    return replace(recording_of(motion), joints=joints, energy=energy)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_points_of_contact_are_those_of_the_frame(machine, context, unit):
    """Below the boxes on the floor, where they are in that frame; none before a run, nor after
    Clear; in Blender units.
    """
    from blender_addon.playback import contact_points

    context.scene.unit_settings.scale_length = unit
    slider = machine[0]
    assert contact_points.shown(context.scene) is None
    bpy.ops.impulse.run_simulation()

    for frame in (3, 11):
        context.scene.frame_set(frame)
        points = contact_points.shown(context.scene)
        np.testing.assert_allclose(points[:, 2], 0.0, atol=1e-5)
        below = points[np.abs(points[:, 1]) < 1.0]
        assert len(below) >= 3
        assert np.abs(below[:, 0] - slider.location.x).max() < 0.4 + 1e-4
        assert np.ptp(below[:, 0]) == pytest.approx(0.8, abs=1e-4)
    bpy.ops.impulse.clear_animation()
    assert contact_points.shown(context.scene) is None
