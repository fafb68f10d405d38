"""Mistakes in XML: all found at once, each with its place and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from .reading import places, problems_in


def test_all_problems_at_once(tmp_path: Path) -> None:
    """Mistakes of syntax, values and references are reported together, in order."""
    text = """<scene version="1">
  <settings duration="5s" methd="imp2"/>
  <body name="a" density="-1000"><geometry shape="bx" size="1 0.1"/></body>
  <body name="b" mass="2"/>
  <bodi/>
  <joint name="j" type="hinge" body1="a" body2="bb"
         anchor="0 0 0" axis="0 0 0"/>
  <body name="b" mass="1" inertia="1 1 1" position="0 0 x"/>
</scene>"""

    problems = problems_in(tmp_path, text)

    assert places(problems) == [
        ("E201", 2, 13, "/scene/settings/@duration"),
        ("E102", 2, 27, "/scene/settings/@methd"),
        ("E203", 3, 18, "/scene/body[@name='a']/@density"),
        ("E205", 3, 44, "/scene/body[@name='a']/geometry[1]/@shape"),
        ("E204", 3, 55, "/scene/body[@name='a']/geometry[1]/@size"),
        ("E401", 4, 3, "/scene/body[@name='b']"),
        ("E101", 5, 3, "/scene/bodi"),
        ("E303", 6, 42, "/scene/joint[@name='j']/@body2"),
        ("E209", 7, 25, "/scene/joint[@name='j']/@axis"),
        ("E201", 8, 43, "/scene/body[@name='b']/@position"),
    ]


def test_message_in_full(tmp_path: Path) -> None:
    """A message names file, line, column, code, element, mistake and remedy, on one line."""
    text = '<scene version="1">\n  <load bdy="a" body="a"/>\n</scene>'

    first = str(problems_in(tmp_path, text)[0])

    assert first == (
        f"{tmp_path}/scene.xml:2:9: error[E102]: /scene/load[1]/@bdy:"
        " <load> has no attribute 'bdy'. Did you mean 'body'?"
    )


BODY = '<scene version="1"><body name="a" mass="1" inertia="1 1 1" {}/></scene>'


@pytest.mark.parametrize(
    ("attribute", "code", "message"),
    [
        ('position="1,5 0 0"', "E201", "Use a point in a number"),
        ('position="1 2 3m"', "E201", "'3m' is not a number"),
        ('position="1 2"', "E204", "position takes 3 numbers, here are 2"),
        ('position=""', "E204", "position takes 3 numbers, here are none"),
        ('position="1 2 nan"', "E202", "not a number (NaN)"),
        ('position="1 2 inf"', "E202", "is infinite"),
        ('position="1 2 1e400"', "E202", "is infinite"),
        ('position="1_0 2 3"', "E201", "'1_0' is not a number"),
        ('position="\u0661 2 3"', "E201", "is not a number"),
        ('density="abc"', "E201", "'abc' is not a number"),
        ('density="0"', "E203", "density is 0 kg/m^3 and must be greater than 0"),
        ('motion="dinamic"', "E205", "Did you mean 'dynamic'?"),
        ('motion="x"', "E205", "Known are dynamic, kinematic and static"),
        ('collision_group=""', "E207", "collision_group is empty"),
        ('orientation="1 0 0 0.1"', "E208", "length 1.00498756, not 1"),
        ('mass_deg="1"', "E102", "'mass' is not an angle"),
        ('geometry="box"', "E102", "Write it as a child element: &lt;geometry>"),
        ('inertia_deg="1"', "E102", "not an angle"),
        ('angular_velocity_deg="1 2 3" angular_velocity="1 2 3"', "E106", "both given"),
    ],
)
def test_values(tmp_path: Path, attribute: str, code: str, message: str) -> None:
    """A wrong value is explained in a sentence."""
    problem = problems_in(tmp_path, BODY.format(attribute))[0]

    assert problem.code == code
    assert message.replace("&lt;", "<") in str(problem)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "E005", "scene.xml:1:1: error[E005]: the file is empty"),
        ("hello", "E005", "not well-formed XML"),
        ('{"version": 1}', "E005", "not well-formed XML"),
        ('<scene version="1">\n  <body', "E005", "cut off"),
        ('<scene version="1">\n  <body name="a">', "E005", "the file ends before </scene>"),
        ('<scene version="1"><body></scene>', "E005", "mismatched tag"),
        ('<scene version="1" version="1"/>', "E005", "duplicate attribute"),
        ("<sdf/>", "E009", "the root element is <sdf>, not <scene>"),
        ("<scene/>", "E103", "version is missing"),
        ('<scene version="two"/>', "E201", "'two' is not a version"),
        ('<scene version="0"/>', "E205", "version cannot be 0"),
        ('<scene version="2"><x/></scene>', "E010", "is version 2, written for a newer Impulse"),
        ('<scene version="1"><settings/><settings/></scene>', "E104", "given twice"),
        ('<scene version="1"><settings>fast</settings></scene>', "E105", "holds the text 'fast'"),
        ('<scene version="1">x</scene>', "E105", "holds the text 'x'"),
        ('<scene version="1"><mass/></scene>', "E101", "<scene> has no element <mass>"),
        ('<scene version="1"><name/></scene>', "E101", 'an attribute: <scene name="..."'),
        (
            '<scene version="1"><description><b>x</b></description></scene>',
            "E101",
            "<description> has no element <b>",
        ),
        (
            '<scene version="1"><description lang="en">x</description></scene>',
            "E102",
            "<description> has no attribute 'lang'",
        ),
        (
            '<scene version="1"><mesh name="m"><faces>0 1 2\n0 1 x</faces></mesh></scene>',
            "E201",
            "row 2: 'x' is not a whole number",
        ),
        (
            '<scene version="1"><mesh name="m"><faces>0 1 2\n0 1</faces></mesh></scene>',
            "E204",
            "row 2 of faces takes 3 whole numbers or more, here are 2",
        ),
        (
            '<scene version="1"><mesh name="m"><vertices>0 1 2\n0 1</vertices></mesh></scene>',
            "E204",
            "row 2 of vertices takes 3 numbers, here are 2",
        ),
        (
            '<scene version="1"><mesh name="m"><faces>0 1 -2</faces></mesh></scene>',
            "E203",
            "a number in row 1 of faces is -2 and must be at least 0",
        ),
        (
            '<scene version="1"><material name="m" static_friction="-0.1"/></scene>',
            "E203",
            "static_friction is -0.1 and must be at least 0",
        ),
        (
            '<scene version="1"><material name="m" restitution="1.5"/></scene>',
            "E203",
            "restitution is 1.5 and must be at most 1",
        ),
        (
            '<scene version="1"><material name="m" restitution="-1"/></scene>',
            "E203",
            "restitution is -1 and must be at least 0",
        ),
        (
            '<scene version="1"><collision_filter default="yes"/></scene>',
            "E201",
            "'yes' is neither true nor false",
        ),
    ],
)
def test_structure(tmp_path: Path, text: str, code: str, message: str) -> None:
    """A file that is no scene, or has parts in wrong places, is explained in a sentence."""
    problem = problems_in(tmp_path, text)[0]

    assert problem.code == code
    assert message in str(problem)


def test_column_counts_characters(tmp_path: Path) -> None:
    """The column is what an editor shows, also after characters of several bytes."""
    text = '<scene version="1">\n<body name="Gelenkträger" mas="1"/></scene>'

    problem = problems_in(tmp_path, text)[0]

    assert (problem.line, problem.column) == (2, 27)


def test_attribute_on_its_own_line(tmp_path: Path) -> None:
    """An attribute is found on its line, and not inside the value of another."""
    text = """<scene version="1">
<body
   name="mass=1 >"
   inertia = '1 1 1'
   mass = "-1"/></scene>"""

    assert places(problems_in(tmp_path, text)) == [
        ("E203", 5, 4, "/scene/body[@name='mass=1 >']/@mass")
    ]


def test_broken_parts_stay_known(tmp_path: Path) -> None:
    """A body with a typing error is not also reported as unknown where a joint names it."""
    text = """<scene version="1">
  <body name="a" mass="heavy" collision_group="g"/>
  <body name="b" mass="1" inertia="1 1 1"/>
  <joint type="ball" body1="a" body2="b" anchor="0 0 0"/>
  <load body="a" force="0 0 1"/>
  <collision_filter><group group1="g" group2="g" collide="false"/></collision_filter>
</scene>"""

    assert places(problems_in(tmp_path, text)) == [("E201", 2, 18, "/scene/body[@name='a']/@mass")]
