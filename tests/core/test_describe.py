"""describe: masses, degrees of freedom, loops and redundant joints."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Body, Joint, SpringDamper
from tests.core.scenes import box, chain, four_bar, random_tree, scene_of


def mobility_of(scene):
    facts = ic.describe(scene)
    return facts["degrees_of_freedom"], facts["loops"], facts["redundant_joints"]


@pytest.mark.parametrize(
    ("types", "freedom"),
    [
        (["ball"], 3),
        (["hinge"], 1),
        (["fixed"], 0),
        (["ball", "ball", "ball"], 9),
        (["hinge", "fixed", "ball"], 4),
    ],
)
def test_chains(types, freedom):
    """Degrees of freedom of an open chain add up joint by joint."""
    assert mobility_of(chain(len(types), types)) == (freedom, 0, [])


def test_planar_four_bar():
    """A four-bar of parallel hinges: 18 - rank 17 leaves one freedom; the closing pin repeats."""
    facts = ic.describe(four_bar())

    assert facts["constraint_rows"] == 20
    assert facts["rank"] == 17
    assert mobility_of(four_bar()) == (1, 1, ["pin-3"])
    assert [joint["redundant"] for joint in facts["joints"]] == [False, False, False, True]


def test_spatial_four_bar_is_not_redundant():
    """With balls at both ends of the coupler nothing repeats: crank angle and coupler spin."""
    scene = four_bar()
    for joint in scene.joints[1:3]:
        joint.type, joint.axis = "ball", None

    assert mobility_of(scene) == (2, 1, [])


def test_two_loops():
    """A third crank closes a second loop and adds two more rows than freedoms."""
    scene = four_bar()
    scene.bodies.append(box("middle", (0.75, 0.0, 0.5), (0.1, 0.1, 1.0)))
    for k, (body, height) in enumerate((("world", 0.0), ("coupler", 1.0))):
        scene.joints.append(
            Joint(
                name=f"extra-{k}",
                type="hinge",
                body1=body,
                body2="middle",
                anchor=(0.75, 0.0, height),
                axis=(0.0, 1.0, 0.0),
            )
        )

    freedom, loops, redundant = mobility_of(scene)

    assert (freedom, loops) == (1, 2)
    assert len(redundant) == 2


def test_a_second_joint_between_the_same_bodies():
    """Two balls make a hinge; a third point on the same line adds nothing but its name."""
    scene = scene_of([box("a", (0.0, 0.0, 0.0))])
    for k in range(3):
        scene.joints.append(
            Joint(name=f"p{k}", type="ball", body2="a", anchor=(0.0, float(k), 0.0))
        )

    facts = ic.describe(scene)

    assert facts["degrees_of_freedom"] == 1
    assert facts["rank"] == 5
    assert facts["redundant_joints"] == ["p1", "p2"]


def test_static_bodies_count_as_the_world():
    """Static bodies have no freedom, and a chain between two of them closes a loop."""
    scene = chain(3, ["ball"] * 3)
    scene.bodies.append(Body(name="wall", motion="static"))
    # off the line of the other joints: along a straight chain the last pull would repeat the first
    end = tuple(np.array(scene.bodies[2].position) + np.array([0.3, 0.2, -0.3]))
    scene.joints.append(Joint(name="last", type="ball", body1="wall", body2="rod-2", anchor=end))

    assert mobility_of(scene) == (6, 1, [])


def test_singular_start_poses_are_counted_as_they_are():
    """A straight chain held at both ends can move sideways to first order: rank at the start."""
    scene = chain(3, ["ball"] * 3)
    end = tuple(2.0 * np.array(scene.bodies[2].position) - np.array(scene.joints[2].anchor))
    scene.joints.append(Joint(name="last", type="ball", body2="rod-2", anchor=end))

    assert mobility_of(scene) == (7, 1, ["last"])


def test_free_bodies():
    """Bodies without joints have six freedoms each, floating chains six more than their joints'."""
    scene = chain(2, ["ball", "hinge"])
    scene.bodies.append(box("free", (5.0, 0.0, 0.0)))
    assert mobility_of(scene) == (4 + 6, 0, [])

    del scene.joints[0]
    assert mobility_of(scene) == (6 + 1 + 6, 0, [])


def test_trees_have_the_freedoms_of_their_rows():
    """Every row of a random tree counts: 6 n less all of them."""
    for seed in range(5):
        facts = ic.describe(random_tree(np.random.default_rng(seed), 15))
        assert facts["rank"] == facts["constraint_rows"]
        assert facts["degrees_of_freedom"] == 90 - facts["constraint_rows"]
        assert facts["loops"] == 0


def test_masses_and_centre():
    """Total mass and centre of mass of the scene, and principal moments of each body."""
    scene = scene_of([box("a", (0.0, 0.0, 0.0), mass=1.0), box("b", (4.0, 0.0, 0.0), mass=3.0)])

    facts = ic.describe(scene)

    assert facts["total_mass_kg"] == 4.0
    assert facts["center_of_mass_m"] == pytest.approx([3.0, 0.0, 0.0], abs=1e-15)
    moments = sorted(facts["bodies"][1]["principal_moments_kg_m2"])
    assert moments == pytest.approx([0.25 * 0.05, 0.25 * 0.17, 0.25 * 0.20], rel=1e-13)


def test_description_is_json():
    """The description of a scene with static bodies and loops is plain JSON, without NaN."""
    scene = four_bar()
    scene.bodies.append(Body(name="wall", motion="static"))

    json.dumps(ic.describe(scene), allow_nan=False)


def far_hinge(distance, spring, stiffness=400.0):
    """Two boxes on hinges, the outer with an axis that far away; with a spring to the world."""
    scene = chain(2, ["ball", "hinge"])
    scene.joints[1].anchor = (distance, 0.0, 0.0)
    if spring:
        last = scene.bodies[-1].name
        spring = SpringDamper(
            body1=last, body2="world", anchor=(0.1, 0.2, 0.3), anchor2=(-1, 2, 3), damping=0.1
        )
        scene.springs.append(spring.model_copy(update={"stiffness": stiffness}))
    return scene


def test_a_spring_is_no_joint_that_repeats_another():
    """Beside an arm of a million kilometres the free axis of a spring looks like no axis at all."""
    facts = ic.describe(far_hinge(6e8, spring=True))

    assert set(facts["redundant_joints"]) <= {joint["name"] for joint in facts["joints"]}
    assert facts["rank"] <= facts["constraint_rows"] == 8


@settings(max_examples=30)
@given(exponent=st.floats(-3.0, 3.0), stiffness=st.floats(0.01, 1e6))
def test_springs_hold_nothing(exponent, stiffness):
    """With arms of a millimetre to a kilometre, a spring takes no freedom from a machine."""
    without = mobility_of(far_hinge(10.0**exponent, spring=False))

    assert mobility_of(far_hinge(10.0**exponent, spring=True, stiffness=stiffness)) == without
