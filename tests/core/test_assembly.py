"""Joints that start apart: pulled together where slight, refused by name where far."""

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import SceneError
from impulse_core.geometry.rotations import rotated
from impulse_schema import save_scene
from impulse_schema.models import Body, Geometry, Joint, Limit, Scene
from tests.core.machines import arm
from tests.core.scenes import NO_GRAVITY, box, chain, four_bar, scene_of


def opened(gap, kind="ball"):
    """Two bars whose second joint is open along x."""
    scene = chain(2, ["ball", kind])
    joint = scene.joints[1]
    joint.anchor2 = tuple(np.array(joint.anchor) + np.array([gap, 0.0, 0.0]))
    return scene


def test_slight_gaps_are_closed_and_reported():
    """A joint that starts 1 cm apart is closed before the first step; report and warning say so."""
    report = ic.simulate(opened(0.01, "hinge"), duration=0.02).diagnostics

    start = report["start"]
    assert start["joint_error_before_m"] == pytest.approx(0.01, rel=1e-9)
    assert start["joint_error_after_m"] <= 1e-3 * report["tolerance_m"]
    assert 0.001 < start["max_shift_m"] < 0.02
    assert start["max_turn_rad"] > 0.0
    (warning,) = [text for text in report["warnings"] if "apart" in text]
    assert "0.01 m" in warning
    assert f"{start['max_shift_m']:.3g} m" in warning


def test_first_frame_is_the_closed_one():
    """The recording begins with the joints closed: the anchors coincide in its first frame."""
    scene = opened(0.01)
    recording = ic.simulate(scene, duration=0.02)
    anchors = [np.array(scene.joints[1].anchor), np.array(scene.joints[1].anchor2)]

    places = []
    for body, anchor in enumerate(anchors):
        q0 = np.array(scene.bodies[body].orientation) * (1.0, -1.0, -1.0, -1.0)
        local = rotated(q0, anchor - np.array(scene.bodies[body].position))
        turned = rotated(recording.orientations[0, body], local)
        places.append(recording.positions[0, body] + turned)
    assert np.linalg.norm(places[0] - places[1]) <= 1e-8


def test_closed_joints_are_left_alone():
    """A scene whose joints fit is not moved, not reported and not warned of."""
    report = ic.simulate(chain(2, ["ball", "fixed"]), duration=0.02).diagnostics

    assert report["start"]["max_shift_m"] <= 1e-12
    assert not [text for text in report["warnings"] if "apart" in text]


def test_free_bodies_share_the_repair():
    """Between two free bodies the centre of mass of both stays where it is."""
    bodies = [box("a", (0.0, 0.0, 0.0), mass=1.0), box("b", (1.0, 0.0, 0.0), mass=3.0)]
    pin = Joint(
        name="pin",
        type="ball",
        body1="a",
        body2="b",
        anchor=(0.5, 0.0, 0.0),
        anchor2=(0.508, 0.0, 0.0),
    )

    recording = ic.simulate(scene_of(bodies, [pin], gravity=NO_GRAVITY), duration=0.02)

    center = (recording.positions[0, 0] + 3.0 * recording.positions[0, 1]) / 4.0
    assert center == pytest.approx([0.75, 0.0, 0.0], abs=1e-15)
    assert recording.positions[0, 0, 0] == pytest.approx(0.006, abs=1e-12)


def test_axes_are_turned_together():
    """Hinge axes that start one degree apart are aligned before the first step."""
    scene = chain(2, ["ball", "hinge"])
    scene.joints[1].axis2 = (np.sin(np.radians(1.0)), np.cos(np.radians(1.0)), 0.0)

    start = ic.simulate(scene, duration=0.02).diagnostics["start"]

    assert start["joint_error_before_m"] > 1e-3
    assert start["joint_error_after_m"] <= 1e-8
    assert start["max_turn_rad"] > 1e-3


def test_loops_are_closed():
    """A four-bar that starts 5 mm open, with its redundant rows, is closed as well."""
    scene = four_bar()
    anchor = np.array(scene.joints[2].anchor)
    scene.joints[2].anchor2 = tuple(anchor + np.array([0.005, 0.0, 0.0]))

    report = ic.simulate(scene, duration=0.1).diagnostics

    assert report["start"]["joint_error_before_m"] == pytest.approx(0.005, rel=1e-6)
    assert report["start"]["joint_error_after_m"] <= report["tolerance_m"]
    assert report["max_joint_error_m"] <= report["tolerance_m"]


def test_the_first_step_is_like_any_other():
    """After the repair the energy has no jump: its error is that of the closed scene."""
    energy = ic.simulate(opened(0.01), duration=0.5, method="imp8").diagnostics["energy_j"]

    assert energy["max_abs_drift"] <= 1e-8 * abs(energy["initial"])


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: opened(0.1), ["joint-1", "rod-0", "rod-1", "0.1 m"]),
        (lambda: stretched(0.3), ["rod", "world", "bob", "1.3 m", "1 m"]),
        (lambda: twisted(10.0), ["joint-1", "axis2", "10 degrees"]),
    ],
    ids=["anchors", "length", "axes"],
)
def test_far_gaps_are_refused(build, words, tmp_path):
    """A joint that starts far apart is a SceneError naming joint, bodies and distance, located."""
    path = tmp_path / "scene.xml"
    save_scene(build(), path)

    with pytest.raises(SceneError) as caught:
        ic.simulate(ic.load_scene(path), duration=0.1)

    (problem,) = caught.value.problems
    assert all(word in str(problem) for word in words)
    assert problem.line is not None
    assert problem.file == str(path)


def stretched(gap):
    """A distance joint that asks for less than the distance of its anchors."""
    body = box("bob", (1.0 + gap, 0.0, 0.0))
    rod = Joint(
        name="rod",
        type="distance",
        body2="bob",
        anchor=(0.0, 0.0, 0.0),
        anchor2=(1.0 + gap, 0.0, 0.0),
        length=1.0,
    )
    return scene_of([body], [rod])


def twisted(degrees):
    """A hinge whose second axis is turned."""
    scene = chain(2, ["ball", "hinge"])
    angle = np.radians(degrees)
    scene.joints[1].axis2 = (float(np.sin(angle)), float(np.cos(angle)), 0.0)
    return scene


def test_velocities_that_do_not_fit_are_reported():
    """A start velocity against a joint is corrected once, with a warning of its size."""
    scene = chain(1, ["ball"])
    scene.bodies[0].velocity = (3.0, 0.0, 0.0)

    report = ic.simulate(scene, duration=0.02).diagnostics

    assert report["start"]["max_velocity_change_m_s"] > 0.1
    assert any("velocities did not fit" in text for text in report["warnings"])


def test_far_gaps_are_closed_on_request():
    """assemble=True pulls joints together from any distance, and reports how far bodies moved."""
    recording = ic.simulate(opened(0.6), duration=0.1, assemble=True)

    report = recording.diagnostics
    assert recording.complete
    assert report["start"]["joint_error_before_m"] == pytest.approx(0.6, rel=1e-9)
    assert report["start"]["joint_error_after_m"] <= report["tolerance_m"]
    moved = report["start"]["moved_bodies"]
    assert set(moved) == {"rod-0", "rod-1"}
    assert max(body["shift_m"] for body in moved.values()) == report["start"]["max_shift_m"]
    assert report["max_joint_error_m"] <= report["tolerance_m"]


def test_joints_that_contradict_each_other():
    """A bar held by two distance joints that no pose can satisfy is refused by name."""
    scene = scene_of([box("bob", (1.0, 0.0, 0.0))])
    for k, x in enumerate((0.0, 5.0)):
        scene.joints.append(
            Joint(
                name=f"rod-{k}",
                type="distance",
                body2="bob",
                anchor=(x, 0.0, 0.0),
                anchor2=(1.0, 0.0, 0.0),
                length=1.0,
            )
        )

    with pytest.raises(SceneError) as caught:
        ic.simulate(scene, duration=0.1, assemble=True)

    (problem,) = caught.value.problems
    assert "rod-" in problem.message
    assert "'world' and 'bob'" in problem.message
    assert "contradict" in problem.message


def limited(count: int, lower: float, upper: float, assemble: str = "joints") -> Scene:
    """Bars in a row on hinges with limits."""
    masses = [1.0 + k for k in range(count)]
    bodies, joints = arm(masses, limits=[Limit(lower=lower, upper=upper)])
    return scene_of(bodies, joints, assemble=assemble, duration=0.1, step=0.005)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(("lower", "upper"), [(0.3, 0.9), (-2.0, -1.2), (3.5, 4.0)])
def test_limits_that_exclude_the_start_are_closed_in(count, lower, upper):
    """Axes begin at their nearest limit, however far it is, and stay within both; the report says
    how far bodies were turned.
    """
    recording = ic.simulate(limited(count, lower, upper))
    nearest = lower if lower > 0.0 else upper
    angles = np.array([recording.joints[f"j{k}"]["angle"] for k in range(count)])

    np.testing.assert_allclose(angles[:, 0], nearest, rtol=0, atol=1e-6)
    assert angles.min() >= lower - 1e-5
    assert angles.max() <= upper + 1e-5
    turned = 2.0 * np.arccos(np.abs(np.cos(0.5 * nearest * np.arange(1, count + 1))))
    start = recording.diagnostics["start"]
    assert start["max_turn_rad"] == pytest.approx(turned.max(), abs=1e-5)
    assert any("beyond limits" in text for text in recording.diagnostics["warnings"])


def test_limits_that_cannot_be_met_are_refused():
    """Limits of an arm whose end is welded to the world: the joint is named, with how far."""
    scene = limited(2, 0.3, 0.9)
    scene.joints.append(Joint(name="weld", type="fixed", body2="b1", anchor=(2, 0, 0)))

    with pytest.raises(SceneError, match=r"stays .* m apart however .* limits contradict"):
        ic.simulate(scene)


def test_assembly_is_a_setting():
    """The scene says what is put right before the first step, and an argument overrides it."""
    with pytest.raises(SceneError, match="set assemble to joints"):
        ic.simulate(limited(2, 0.3, 0.9, assemble="nothing"))
    with pytest.raises(SceneError, match="beyond the lower limit"):
        ic.simulate(limited(2, 0.3, 0.9), assemble=False)

    asked = ic.simulate(limited(2, 0.3, 0.9, assemble="nothing"), assemble=True)
    np.testing.assert_array_equal(asked.positions, ic.simulate(limited(2, 0.3, 0.9)).positions)

    sunk = scene_of(
        [
            Body(name="ground", motion="static", geometry=[Geometry(shape="plane")]),
            box("box", (0, 0, 0.1), role="both"),
        ],
        assemble="joints",
        duration=0.02,
    )
    with pytest.raises(SceneError, match="overlap"):
        ic.simulate(sunk)
    sunk.settings.assemble = "all"
    assert ic.simulate(sunk).complete
