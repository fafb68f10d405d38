"""Values of a scene by path: found, changed in a copy, refused in words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_schema import Body, Joint, Load, Material, Motor, Scene
from impulse_schema.parameters import (
    ParameterError,
    find_parameters,
    list_parameters,
    set_parameters,
)


def machine() -> Scene:
    servo = Motor(kind="servo", target=0.1, proportional=5.0)
    hinge = {"type": "hinge", "anchor": (0, 0, 0), "axis": (0, 1, 0)}
    return Scene(
        version=1,
        materials=[Material(name="rock", static_friction=0.5)],
        bodies=[
            Body(name="torso", mass=1.0, inertia=(1, 1, 1)),
            Body(name="a[1]", mass=2.0, inertia=(1, 1, 1)),
        ],
        joints=[
            Joint(name="hip-servo", body2="torso", motors=[servo], **hinge),
            Joint(body1="torso", body2="a[1]", motors=[servo], **hinge),
        ],
        loads=[Load(name="wind", body="torso", force=(1, 2, 3), from_=0.5)],
    )


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("settings.gravity[2]", -9.81),
        ("settings.method", "imp2"),
        ("materials[rock].static_friction", 0.5),
        ("joints[hip-servo].motors[0].proportional", 5.0),
        ("joints[joint-2].motors[0].target", 0.1),
        ("joints[1].motors[0].target", 0.1),
        ("bodies['a[1]'].mass", 2.0),
        ("loads[wind].from", 0.5),
        ("loads[wind].force[1]", 2.0),
    ],
)
def test_a_path_names_a_value(path, value):
    """Elements are named by their name, or their number; components by their number."""
    (found,) = find_parameters(machine(), path)

    assert found.value == value


def test_every_listed_path_leads_to_its_value():
    """What is listed can be found again, and set to what it is without a change."""
    scene = machine()
    listed = list(list_parameters(scene))
    assert len(listed) > 50

    for parameter in listed:
        (found,) = find_parameters(scene, parameter.text)
        assert found == parameter
        assert set_parameters(scene, {parameter.text: parameter.value}) == scene


@given(st.floats(0.0, 1e12, exclude_min=True), st.sampled_from(["hip-servo", "joint-2"]))
def test_only_what_is_named_changes(value, joint):
    """The copy has the value, the scene has not, and what has no part in it is shared."""
    value = max(value, 1e-15)
    scene, path = machine(), f"joints[{joint}].motors[0].proportional"
    changed = set_parameters(scene, {path: value})

    assert find_parameters(changed, path)[0].value == value
    assert scene == machine()
    assert changed.bodies is scene.bodies
    assert set_parameters(changed, {path: 5.0}) == scene


def test_a_pattern_names_several():
    """A star stands for any letters of a name."""
    assert len(find_parameters(machine(), "joints[*].motors[0].target")) == 2
    changed = set_parameters(machine(), {"joints[*-servo].motors[0].target": 2})

    assert [joint.motors[0].target for joint in changed.joints] == [2.0, 0.1]


def test_angles_may_be_given_in_degrees():
    """As in a scene file."""
    changed = set_parameters(machine(), {"joints[0].motors[0].target_deg": 90})

    assert changed.joints[0].motors[0].target == math.radians(90)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("settings.gravty", 1, "Did you mean 'gravity'"),
        ("joints[hip-sevo].damping", 1, "Did you mean 'hip-servo'"),
        ("joints[hip-servo].motors[0].proportionl", 1, "Did you mean 'proportional'"),
        ("joints[hip-servo].motors[3].target", 1, "has 1"),
        ("joints", 1, r"joints\[hip-servo\]"),
        ("settings", 1, "gravity"),
        ("settings.gravity[3]", 1, "0 to 2"),
        ("settings.step[0]", 1, "no vector"),
        ("settings.step.more", 1, "is a value"),
        ("settings..step", 1, "letter 10"),
        ("", 1, "letter 1"),
        ("bodies[torso].name", "b", "cannot be changed"),
        ("settings.step", -1.0, "greater than 0"),
        ("settings.step", "fast", "takes a number"),
        ("settings.step", math.nan, "not a number"),
        ("settings.method", "imp3", "Did you mean"),
        ("settings.gravity", (1, 2), "3 numbers"),
        ("bodies[torso].mass", 1e20, "at most"),
        ("joints[hip-servo].body1", "nobody", "there is no body"),
    ],
)
def test_what_cannot_be_is_refused_in_words(path, value, says):
    """The message names the path and what to write instead."""
    with pytest.raises(ParameterError, match=says):
        set_parameters(machine(), {path: value})
