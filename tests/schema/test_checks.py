"""What makes a scene unsound although each of its parts is well written."""

from __future__ import annotations

from pathlib import Path

import pytest

from impulse_schema import load_scene

from .reading import problems_in

# Sound parts that the cases below name: two dynamic bodies and two that no force moves.
PARTS = """
  <material name="steel" density="7800"/>
  <material name="ice" static_friction="0.1"/>
  <mesh name="m"><vertices>0 0 0\n1 0 0\n0 1 0\n0 0 1</vertices>
    <faces>0 2 1\n0 1 3\n1 2 3\n0 3 2</faces></mesh>
  <body name="a" mass="1" inertia="1 1 1" collision_group="g"/>
  <body name="b" density="1000"><geometry shape="sphere" radius="1"/></body>
  <body name="ground" motion="static"/>
  <body name="crank" motion="kinematic"/>
  <joint name="h" type="hinge" body1="a" body2="ground" anchor="0 0 0" axis="0 0 1"/>
  <joint name="c" type="cylindrical" body1="b" body2="ground" anchor="0 0 0" axis="0 0 1"/>
"""


def scene(part: str) -> str:
    return f'<scene version="1">{PARTS}{part}</scene>'


def joint(attributes: str, children: str = "") -> str:
    """A joint between the bodies a and b."""
    return f'<joint body1="a" body2="b" {attributes}>{children}</joint>'


RAMP = '<curve times="0 1" values="0 1"/>'
HINGE = 'type="hinge" anchor="0 0 0" axis="0 0 1"'
CONE = 'type="ball" anchor="0 0 0" axis="0 0 1"'
SWING = '<limit freedom="swing" upper_deg="40"/>'
SLIDER = 'type="slider" anchor="0 0 0" axis="0 0 1"'
SCREW = 'type="screw" anchor="0 0 0" axis="0 0 1" pitch="0.01"'
CYLINDRICAL = 'type="cylindrical" anchor="0 0 0" axis="0 0 1"'
UNSOUND = [
    # names
    ('<body name="a" motion="static"/>', "E301", "body 1 is called 'a' already"),
    ('<joint name="h" type="ball" body1="a" anchor="0 0 0"/>', "E301", "joint 1 is called 'h'"),
    (
        (
            '<joint name="joint-4" type="ball" body1="a" anchor="0 0 0"/>'
            '<joint type="ball" body1="b" anchor="0 0 0"/>'
        ),
        "E301",
        "joint 3 is called 'joint-4' already",
    ),
    ('<mesh name="m" file="mesh.obj"/>', "E301", "mesh 1 is called 'm' already"),
    ('<material name="ice"/>', "E301", "material 2 is called 'ice' already"),
    ('<body name="world" motion="static"/>', "E302", "'world' means the ground"),
    ('<joint type="ball" body1="aa" anchor="0 0 0"/>', "E303", "Did you mean 'a'?"),
    ('<joint type="ball" body1="A" body2="b" anchor="0 0 0"/>', "E303", "Did you mean 'a'?"),
    # bodies
    ('<body name="x"/>', "E401", "'x' has neither geometry nor mass"),
    ('<body name="x" density="1"/>', "E401", "'x' has neither geometry nor mass"),
    ('<body name="x" mass="1"/>', "E401", "has mass but neither geometry nor inertia"),
    ('<body name="x" mass="1" density="1"/>', "E402", "mass and density are both given"),
    (
        '<body name="x"><geometry shape="sphere" radius="1"/></body>',
        "E403",
        "no density for this solid of the dynamic body 'x'",
    ),
    (
        '<body name="x"><geometry shape="sphere" radius="1" material="ice"/></body>',
        "E403",
        "Give the body a mass or a density",
    ),
    ('<body name="x" inertia="1 1 1"/>', "E404", "inertia is given without mass"),
    (
        (
            '<body name="x" mass="1" center_of_mass="0 0 1"><geometry shape="sphere" radius="1"/>'
            "</body>"
        ),
        "E405",
        "center_of_mass is given without inertia",
    ),
    ('<body name="x" mass="1"><geometry shape="plane"/></body>', "E406", "a plane has no volume"),
    ('<body name="x" mass="1" inertia="0 0 0"/>', "E407", "the inertia is zero"),
    ('<body name="x" mass="1" inertia="1 1 -1"/>', "E407", "not positive definite"),
    ('<body name="x" mass="1" inertia="1 1 2.001"/>', "E407", "no body has this inertia"),
    ('<body name="x" mass="1" inertia="1 1 1 2 0 0"/>', "E407", "not positive definite"),
    ('<body name="x" mass="1" inertia="1 1 1 .7 0 0"/>', "E407", "no body has this inertia"),
    ('<body name="x" motion="static" orientation="1 1 0 0"/>', "E208", "0.707106781 0.707106781"),
    ('<body name="x" motion="static" orientation="0 0 0 0"/>', "E208", "Write 1 0 0 0"),
    ('<body name="x" motion="static" velocity="1 0 0"/>', "E408", "a static body has no velocity"),
    (
        '<body name="x" motion="kinematic" angular_velocity="1 0 0"/>',
        "E408",
        "a kinematic body has no angular_velocity",
    ),
    (
        '<body name="x" motion="static"><keyframe time="0" position="0 0 0"/></body>',
        "E408",
        "keyframes move kinematic bodies only",
    ),
    (
        (
            '<body name="x" motion="kinematic"><keyframe time="1" position="0 0 0"/>'
            '<keyframe time="1" position="0 0 1"/></body>'
        ),
        "E409",
        "time 1 s does not come after 1 s",
    ),
    # solids and meshes
    ('<body name="x" density="1"><geometry shape="box"/></body>', "E501", "the box has no size"),
    (
        '<body name="x" density="1"><geometry shape="capsule" radius="1"/></body>',
        "E501",
        "A capsule has radius and height",
    ),
    (
        '<body name="x" density="1"><geometry shape="ellipsoid" radius="1" size="1 2 3"/></body>',
        "E502",
        "an ellipsoid does not use radius",
    ),
    (
        '<body name="x" density="1"><geometry shape="ellipsoid"/></body>',
        "E501",
        "An ellipsoid has size",
    ),
    (
        '<body name="x" density="1"><geometry shape="sphere" radius="1" height="2"/></body>',
        "E502",
        "a sphere does not use height",
    ),
    (
        '<body name="x" density="1"><geometry shape="sphere" radius="1" decompose="true"/></body>',
        "E502",
        "a sphere is not split into convex parts",
    ),
    (
        (
            '<body name="x" density="1"><geometry shape="sphere" radius="1" orientation="2 0 0 0"/>'
            "</body>"
        ),
        "E208",
        "has length 2, not 1",
    ),
    (
        '<body name="x" density="1"><geometry shape="mesh" mesh="mm"/></body>',
        "E305",
        "there is no mesh 'mm'",
    ),
    (
        '<body name="x" density="1"><geometry shape="torus" major_radius="1"/></body>',
        "E501",
        "A torus has major_radius and minor_radius",
    ),
    (
        (
            '<body name="x" density="1"><geometry shape="torus" major_radius="1" minor_radius="0.1"'
            ' radius="1"/></body>'
        ),
        "E502",
        "a torus does not use radius",
    ),
    *(
        (
            (
                '<body name="x" density="1"><geometry shape="torus" major_radius="1"'
                f' minor_radius="{minor}"/></body>'
            ),
            "E509",
            "the torus has no hole",
        )
        for minor in ("1", "1.5")
    ),
    (
        '<body name="x" density="1"><geometry shape="sphere" radius="1" material="stee"/></body>',
        "E306",
        "Did you mean 'steel'?",
    ),
    (
        (
            '<body name="x" motion="static"><geometry shape="height_field" size="1 1 1">'
            "<heights>0 0\n0 0 0</heights></geometry></body>"
        ),
        "E503",
        "row 2 of heights has 3 numbers, the first 2",
    ),
    (
        (
            '<body name="x" motion="static"><geometry shape="height_field" size="1 1 1">'
            "<heights>0 0</heights></geometry></body>"
        ),
        "E503",
        "at least two rows",
    ),
    ('<mesh name="x"/>', "E504", "neither a file nor vertices and faces"),
    ('<mesh name="x"><vertices>0 0 0</vertices></mesh>', "E504", "only one of vertices and faces"),
    ('<mesh name="x" file="x.obj"><faces>0 1 2</faces></mesh>', "E504", "as well"),
    ('<mesh name="x" file="x.obj"/>', "E505", "there is no mesh file 'x.obj'"),
    ('<mesh name="x" file="../x.obj"/>', "E506", "lies outside the scene's folder"),
    ('<mesh name="x" file="/etc/x.obj"/>', "E506", "lies outside the scene's folder"),
    ('<mesh name="x" file="x.fbx"/>', "E507", "does not end in .obj, .stl or .ply"),
    (
        '<mesh name="x"><vertices>0 0 0</vertices><faces>0 0 1</faces></mesh>',
        "E508",
        "names vertex 1, and there are 1",
    ),
    ('<mesh name="x"><vertices/><faces/></mesh>', "E508", "the mesh has no faces"),
    # joints
    ('<joint type="ball" body1="a" body2="a" anchor="0 0 0"/>', "E701", "joins 'a' to itself"),
    ('<joint type="ball" anchor="0 0 0"/>', "E701", "joins 'world' to itself"),
    (
        '<joint type="ball" body1="ground" body2="crank" anchor="0 0 0"/>',
        "E702",
        "neither 'ground' nor 'crank' is moved by forces",
    ),
    ('<joint type="ball" body2="ground" anchor="0 0 0"/>', "E702", "neither 'world' nor 'ground'"),
    (joint('type="ball"'), "E703", "the ball joint has no anchor"),
    (joint('type="hinge" anchor="0 0 0"'), "E703", "the hinge joint has no axis"),
    (joint('type="universal" anchor="0 0 0" axis="0 0 1"'), "E703", "has no axis2"),
    (joint('type="distance" anchor="0 0 0"'), "E703", "A distance joint needs anchor and anchor2"),
    (joint('type="ball" anchor="0 0 0" axis="0 0 1"'), "E704", "a ball joint does not use axis"),
    (joint('type="ball" anchor="0 0 0" length="1"'), "E704", "a ball joint does not use length"),
    (joint('type="orientation" break_force="1"'), "E704", "does not use break_force"),
    (
        joint('type="fixed" anchor="0 0 0"', '<limit lower="0"/>'),
        "E704",
        "Only hinge, slider, cylindrical and screw joints have free axes",
    ),
    (
        joint('type="ball" anchor="0 0 0"', '<spring stiffness="1"/>'),
        "E704",
        "Only hinge, slider, cylindrical and screw joints have free axes",
    ),
    (joint('type="ball" anchor="0 0 0"', SWING), "E703", "the ball joint has limits and no axis"),
    (joint('type="ball" anchor="0 0 0" axis2="0 0 1"'), "E704", "Give it a limit of its swing"),
    (joint(CONE, '<limit upper="1"/>'), "E708", 'Write freedom="swing" or freedom="twist"'),
    (
        joint(CONE, SWING + '<limit freedom="rotation" upper="1"/>'),
        "E708",
        "a ball joint has no free rotation. Its free axis is a swing or a twist",
    ),
    (joint(CONE, SWING + SWING), "E708", "the swing of this joint has a limit already"),
    (joint(HINGE, SWING), "E708", "a hinge joint has no free swing"),
    (joint(CYLINDRICAL, '<limit freedom="twist" upper="1"/>'), "E708", "has no free twist"),
    (joint(CONE, '<limit freedom="swing" restitution="1"/>'), "E710", "neither lower nor upper"),
    (
        joint(CONE, '<limit freedom="swing" lower="0" upper="1"/>'),
        "E710",
        "a swing has no lower bound",
    ),
    (joint(CONE, '<limit freedom="swing" upper_deg="0.5"/>'), "E710", "0.5 degrees cannot be held"),
    (joint(CONE, '<limit freedom="swing" upper="3.14"/>'), "E710", "179.9 degrees cannot be held"),
    (
        joint(CONE, '<limit freedom="swing" upper="1" max_velocity="1"/>'),
        "E704",
        "the limit of a swing does not use max_velocity",
    ),
    (
        joint(CONE, '<limit freedom="twist" upper="1"/>'),
        "E710",
        "the twist is limited and the swing is not",
    ),
    (joint(HINGE, '<term joint="h" coefficient="1"/>'), "E704", "does not use terms"),
    (joint('type="hinge" anchor="0 0 0" axis="0 0 0"'), "E209", "axis has length zero"),
    (joint(HINGE + ' axis2="0 0 0"'), "E209", "axis2 has length zero"),
    (joint(HINGE + ' axis2="0 1 0"'), "E705", "point the same way, here 90 degrees apart"),
    (joint(HINGE + ' axis2="0 0 -1"'), "E705", "here 180 degrees apart"),
    (
        joint('type="universal" anchor="0 0 0" axis="0 0 1" axis2="0 0.01 1"'),
        "E705",
        "nearly parallel, here 0.5729 degrees apart",
    ),
    (
        joint('type="universal" anchor="0 0 0" axis="0 0 1" axis2="0 0.01 -1"'),
        "E705",
        "here 179.4 degrees apart. Turn axis2 at least one degree away from axis",
    ),
    (
        joint('type="distance" anchor="0 0 1" anchor2="0 0 1"'),
        "E706",
        "the distance joint has no direction",
    ),
    # free axes
    (joint(CYLINDRICAL, '<limit lower="0"/>'), "E708", 'Write freedom="rotation" or'),
    (joint(HINGE, '<limit lower="0" freedom="translation"/>'), "E708", "has no free translation"),
    (joint(HINGE, '<limit lower="0"/><limit upper="0"/>'), "E708", "has a limit already"),
    (joint(SLIDER, '<limit lower_deg="-1"/>'), "E107", "this axis is a translation"),
    (joint(HINGE, '<motor kind="velocity"/>'), "E709", "one target, here none is given"),
    (
        joint(HINGE, '<motor kind="velocity" target="1" expression="t"/>'),
        "E709",
        "here target and expression are given",
    ),
    (joint(HINGE, '<motor kind="servo" target="1"/>'), "E709", "the servo has no gains"),
    (
        joint(HINGE, '<motor kind="velocity" target="1" proportional="2"/>'),
        "E704",
        "a velocity motor does not use proportional",
    ),
    (joint(HINGE, "<limit/>"), "E710", "neither lower nor upper"),
    (joint(HINGE, '<limit lower="2" upper="1"/>'), "E710", "lower 2 is greater than upper 1"),
    (joint(HINGE, "<spring/>"), "E805", "neither stiffness nor damping"),
    (
        joint(HINGE, '<motor kind="velocity" expression="open(t)"/>'),
        "E711",
        "there is no function 'open'",
    ),
    (
        joint(HINGE, '<motor kind="velocity"><curve times="0 1 1" values="0 1 2"/></motor>'),
        "E712",
        "time 1 s does not come after 1 s",
    ),
    (
        joint(HINGE, '<motor kind="velocity"><curve times="0 1" values="0 1 2"/></motor>'),
        "E712",
        "2 times and 3 values",
    ),
    (
        joint(HINGE, '<motor kind="velocity" target="1" min_force="2" max_force="3"/>'),
        "E709",
        "min_force is 2, so the motor could not let go",
    ),
    (
        joint(HINGE, '<motor kind="velocity" target="1" min_force="-2"/>'),
        "E709",
        "min_force is given without max_force",
    ),
    *(
        (
            joint(HINGE, f'<motor kind="velocity" target="1" max_force="0"{least}/>'),
            "E709",
            "the motor has no force in either direction",
        )
        for least in ("", ' min_force="0"')
    ),
    (
        joint(HINGE, '<motor kind="force" target_deg="30"/>'),
        "E107",
        "target_deg is an angle, and this motor gives a force. Write target, in N m",
    ),
    (
        joint(HINGE, '<motor kind="force" target="1" proportional="3"/>'),
        "E704",
        "a force motor does not use proportional",
    ),
    (joint(HINGE, '<motor kind="force"/>'), "E709", "a motor has one target, here none is given"),
    # armature
    (joint(HINGE + ' armature="-0.1"'), "E203", "armature is -0.1 kg m^2 and must be"),
    (joint(SLIDER + ' armature="1e40"'), "E203", "must be at most 1e+33 kg m^2"),
    (joint('type="ball" anchor="0 0 0" armature="1"'), "E704", "does not use armature"),
    (
        '<joint type="coupling" armature="1"><term joint="h" coefficient="1"/></joint>',
        "E704",
        "armature",
    ),
    # ranges
    (
        joint('type="distance" anchor="0 0 0" anchor2="0 0 1" length="1" max_length="2"'),
        "E710",
        "length and max_length are both given",
    ),
    (
        joint('type="distance" anchor="0 0 0" anchor2="0 0 1" min_length="3" max_length="2"'),
        "E710",
        "min_length 3 is greater than max_length 2",
    ),
    (joint('type="distance" anchor="0 0 0" anchor2="0 0 1" max_length="-1"'), "E203", "max_length"),
    (joint(HINGE + ' max_length="1"'), "E704", "a hinge joint does not use max_length"),
    # damping
    (
        joint('type="ball" anchor="0 0 0" damping="-1"'),
        "E203",
        "damping is -1 N m s/rad and must be",
    ),
    (joint(HINGE + ' damping="1"'), "E704", "Give it a spring with this damping"),
    (joint('type="fixed" anchor="0 0 0" damping="1"'), "E704", "does not use damping"),
    # couplings
    ('<joint type="coupling"/>', "E703", "couples no joint coordinates"),
    (
        '<joint type="coupling" anchor="0 0 0"><term joint="h" coefficient="1"/></joint>',
        "E704",
        "a coupling joint does not use anchor",
    ),
    (
        '<joint type="coupling"><term joint="hh" coefficient="1"/></joint>',
        "E304",
        "Did you mean 'h'?",
    ),
    (
        '<joint type="coupling"><term joint="h" coefficient="0"/></joint>',
        "E713",
        "the coefficient is zero",
    ),
    *(
        (
            f'<joint type="coupling"><term joint="h" coefficient="{size}"/></joint>',
            "E713",
            "the coefficient is smaller than 1e-09",
        )
        for size in ("1e-320", "-3e-300", "9.9e-10", "-1e-12")
    ),
    (
        '<joint type="coupling"><term joint="c" coefficient="1"/></joint>',
        "E708",
        "has two free axes, and none is named",
    ),
    (
        '<joint name="s" type="coupling"><term joint="s" coefficient="1"/></joint>',
        "E713",
        "the coupling joint 's' has no coordinate to couple",
    ),
    (
        (
            '<joint type="coupling"><term joint="h" coefficient="1"/>'
            '<term joint="h" coefficient="2"/></joint>'
        ),
        "E713",
        "the rotation of 'h' is in this coupling already",
    ),
    # screws
    (joint('type="screw" anchor="0 0 0" axis="0 0 1"'), "E703", "the screw joint has no pitch"),
    (joint(SCREW.replace("0.01", "0")), "E714", "the pitch is zero, so the screw turns without"),
    (joint(SCREW.replace("0.01", "-1e-16")), "E714", "the pitch is smaller than 1e-15 m"),
    (joint(SCREW.replace("0.01", "1e10")), "E203", "pitch is 1e+10 and must lie between"),
    (joint(HINGE + ' pitch="0.1"'), "E704", "a hinge joint does not use pitch"),
    (
        joint(
            SCREW,
            '<motor kind="velocity" target="1"/>'
            '<motor kind="velocity" freedom="translation" target="1"/>',
        ),
        "E708",
        "the screw, whose axes move together, has a motor already",
    ),
    (
        joint(SCREW, '<friction force="1"/><friction freedom="rotation" force="1"/>'),
        "E708",
        "the rotation of this joint has a friction already",
    ),
    (
        joint(SCREW, '<limit freedom="translation" lower_deg="0"/>'),
        "E107",
        "lower_deg is an angle, and this axis is a translation",
    ),
    # loads and springs
    ('<load body="ground" force="1 0 0"/>', "E801", "'ground' is static"),
    ('<load body="world" force="1 0 0"/>', "E303", "there is no body 'world'"),
    ('<load body="a" force="1 0 0" from="2" until="2"/>', "E802", "ends at 2 s, and begins at 2 s"),
    ('<load body="a"/>', "E803", "neither force nor torque"),
    ('<load body="a" torque="1 0 0" point="0 0 1"/>', "E803", "and there is none"),
    ('<load body="a" force="1 0 0" reaction_body="a"/>', "E804", "both act on 'a'"),
    ('<load body="a" force="1 0 0" reaction_body="q"/>', "E303", "there is no body 'q'"),
    (
        f'<load body="a" force="1 0 0" expression="t">{RAMP}</load>',
        "E808",
        "curve and expression are given",
    ),
    ('<load body="a" force="1 0 0" phase="1"/>', "E808", "and there is none"),
    ('<load body="a" force="1 0 0" expression="u*t"/>', "E711", "'u' is not known"),
    (
        f'<load body="a" force="1 0 0">{RAMP.replace("0 1", "0 0", 1)}</load>',
        "E712",
        "",
    ),
    ('<spring body1="a" anchor="0 0 0" anchor2="0 0 1"/>', "E805", "neither stiffness nor"),
    (
        '<spring body1="a" stiffness="1" anchor="0 0 0" anchor2="0 0 0" rest_length="1"/>',
        "E706",
        "the spring has no direction",
    ),
    (
        '<spring body1="a" body2="a" stiffness="1" anchor="0 0 0" anchor2="0 0 1"/>',
        "E701",
        "the spring joins 'a' to itself",
    ),
    # contact rules
    ('<material_pair material1="steel" material2="icy"/>', "E306", "Did you mean 'ice'?"),
    (
        (
            '<material_pair material1="steel" material2="ice"/>'
            '<material_pair material1="ice" material2="steel"/>'
        ),
        "E806",
        "a rule for ice and steel already",
    ),
    ('<material name="x" static_friction=".1" kinetic_friction=".2"/>', "E807", "0.2 is greater"),
    (
        '<material_pair material1="steel" material2="ice" kinetic_friction="0.4"/>',
        "E807",
        "0.4 is greater than 0.3, the mean",
    ),
    (
        '<collision_filter><pair body1="a" body2="x" collide="false"/></collision_filter>',
        "E303",
        "there is no body 'x'",
    ),
    (
        '<collision_filter><pair body1="a" body2="a" collide="false"/></collision_filter>',
        "E806",
        "never touches itself",
    ),
    (
        '<collision_filter><group group1="g" group2="k" collide="false"/></collision_filter>',
        "E307",
        "no body has the collision_group 'k'",
    ),
]


@pytest.mark.parametrize(("part", "code", "message"), UNSOUND)
def test_unsound(tmp_path: Path, part: str, code: str, message: str) -> None:
    """The mistake is found, nothing else is, and the sentence says what is meant."""
    (tmp_path / "mesh.obj").touch()

    problems = problems_in(tmp_path, scene(part))

    assert [problem.code for problem in problems] == [code]
    assert message in str(problems[0])
    assert problems[0].line is not None


@pytest.mark.parametrize(
    "part",
    [
        "",
        '<body name="x" mass="1" inertia="1 1 2"/>',  # a flat body
        '<body name="x" mass="1" inertia="1 1 1 0.4 0 0"/>',
        '<body name="x" mass="1"><geometry shape="sphere" radius="1"/></body>',
        '<body name="x"><geometry shape="mesh" mesh="m" material="steel"/></body>',
        (
            '<body name="x"><geometry role="visual" shape="sphere" radius="1"/>'
            '<geometry role="collision" shape="sphere" radius="1" density="2"/></body>'
        ),
        '<body name="x" motion="static"><geometry shape="plane"/></body>',
        '<body name="x" motion="static" orientation="0.7071068 0.7071068 0 0"/>',
        joint(HINGE + ' axis2="0 0.01 2"'),
        joint(CONE + ' axis2="1 0 1"', SWING + '<limit freedom="twist" upper_deg="20"/>'),
        joint(CONE, '<limit freedom="swing" upper_deg="179"/>'),
        joint('type="fixed" anchor="0 0 0"'),
        joint('type="orientation"'),
        joint('type="parallel-axes" axis="0 0 1"'),
        joint('type="planar" anchor="0 0 0" axis="0 0 1" break_torque="3"'),
        joint('type="point-on-line" anchor="0 0 0" axis="0 0 1"'),
        joint('type="point-on-plane" anchor="0 0 0" axis="0 0 1"'),
        joint('type="universal" anchor="0 0 0" axis="0 0 1" axis2="0 3 0"'),
        joint('type="universal" anchor="0 0 0" axis="0 0 1" axis2="0 1 -20"'),
        joint('type="distance" anchor="0 0 0" anchor2="0 0 1" length="2"'),
        joint(
            CYLINDRICAL,
            '<limit freedom="translation" lower="0" upper="0"/><friction force="1" '
            'freedom="rotation"/><motor freedom="rotation" kind="servo" target_deg="5" '
            'proportional="4"/><spring stiffness="2" freedom="rotation"/>',
        ),
        joint(SCREW + ' axis2="0 0 2" break_force="1" break_torque="2" anchor2="0 0 1"'),
        joint(
            SCREW.replace("0.01", "-2"),
            '<limit lower_deg="0"/><limit freedom="translation" lower="0"/>'
            '<friction force="1"/><friction freedom="translation" force="1"/>'
            '<spring stiffness="1"/>',
        ),
        (
            '<joint type="coupling" constant="1"><term joint="h" coefficient="1"/>'
            '<term joint="c" freedom="translation" coefficient="2"/></joint>'
        ),
        '<load body="a" force="1 0 0" point="0 0 1" reaction_body="ground" from="1" until="2"/>',
        '<spring body1="a" stiffness="1" anchor="0 0 0" anchor2="0 0 0"/>',
        (
            '<collision_filter default="false"><pair body1="a" body2="b" collide="true"/>'
            '<group group1="g" group2="g" collide="false"/></collision_filter>'
        ),
        '<material_pair material1="ice" material2="ice" static_friction="0.02"/>',
    ],
)
def test_sound(tmp_path: Path, part: str) -> None:
    """What is meant to be possible is."""
    path = tmp_path / "scene.xml"
    path.write_text(scene(part))

    assert load_scene(path).bodies[0].name == "a"
