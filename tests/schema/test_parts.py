"""Parts: written once, placed by every use; mistakes are found where they were made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from impulse_schema import (
    Body,
    CollisionFilter,
    CollisionPair,
    CouplingTerm,
    Geometry,
    Joint,
    Load,
    Part,
    Scene,
    SceneError,
    SpringDamper,
    Use,
    check_scene,
    expand_parts,
    load_scene,
    problem_at,
    save_scene,
    scene_to_json,
    scene_to_xml,
)
from impulse_schema.limits import MAX_NESTED_USES
from impulse_schema.models.element import MAX_NAME
from impulse_schema.parts.placing import Placer

from .reading import places, problems_in

LEG = """
  <part name="leg">
    <body name="thigh" mass="1" inertia="1 1 1" position="0.5 0 0" collision_group="legs"/>
    <body name="shank" mass="1" inertia="1 1 1"/>
    <load name="pull" body="shank" force="0 0 1" reaction_body="thigh"/>
    <joint name="knee" type="hinge" body1="thigh" body2="shank" anchor="0 0 1" axis="0 1 0"/>
    <joint type="slider" body2="shank" anchor="0 0 0" axis="0 0 1"/>
    <joint name="gear" type="coupling">
      <term joint="knee" coefficient="1"/><term joint="joint-2" coefficient="2"/>
    </joint>
    <spring body1="thigh" body2="shank" anchor="0 0 0" anchor2="0 0 1" stiffness="1"/>
    <pair body1="thigh" body2="shank" collide="true"/>
  </part>
  <body name="trunk" mass="1" inertia="1 1 1"/>
"""


def scene(text: str) -> str:
    return f'<scene version="1.2">{LEG}{text}</scene>'


def read(folder: Path, text: str, suffix: str = ".xml") -> Scene:
    path = folder / f"scene{suffix}"
    path.write_text(text)
    return load_scene(path)


def body(name: str, *position: float) -> Body:
    return Body(name=name, mass=1.0, inertia=(1, 1, 1), position=position or (0, 0, 0))


def test_a_use_is_a_copy_by_another_name(tmp_path: Path) -> None:
    """What a use that neither moves nor turns makes is, to the bit, what one would write by hand:
    its own elements first, then the copies, whose names begin with that of the use.
    """
    by_hand = Scene(
        version=1,
        bodies=[
            body("trunk"),
            body("left.thigh", 0.5, 0, 0).model_copy(update={"collision_group": "legs"}),
            body("left.shank"),
        ],
        loads=[
            Load(
                name="left.pull",
                body="left.shank",
                force=(0, 0, 1),
                reaction_body="left.thigh",
            )
        ],
        joints=[
            Joint(name="hip", type="fixed", body1="trunk", body2="left.thigh", anchor=(0, 0, 0)),
            Joint(
                name="left.knee",
                type="hinge",
                body1="left.thigh",
                body2="left.shank",
                anchor=(0, 0, 1),
                axis=(0, 1, 0),
            ),
            Joint(
                name="left.joint-2",
                type="slider",
                body2="left.shank",
                anchor=(0, 0, 0),
                axis=(0, 0, 1),
            ),
            Joint(
                name="left.gear",
                type="coupling",
                terms=[
                    CouplingTerm(joint="left.knee", coefficient=1),
                    CouplingTerm(joint="left.joint-2", coefficient=2),
                ],
            ),
        ],
        springs=[
            SpringDamper(
                body1="left.thigh",
                body2="left.shank",
                anchor=(0, 0, 0),
                anchor2=(0, 0, 1),
                stiffness=1,
            )
        ],
        collision_filter=CollisionFilter(
            pairs=[CollisionPair(body1="left.thigh", body2="left.shank", collide=True)]
        ),
    )

    found = read(
        tmp_path,
        scene(
            '<use part="leg" name="left"/>'
            '<joint name="hip" type="fixed" body1="trunk" body2="left.thigh" anchor="0 0 0"/>'
        ),
    )

    assert found == by_hand
    assert scene_to_xml(found) == scene_to_xml(by_hand)


def test_copies_share_nothing(tmp_path: Path) -> None:
    """To change one copy changes no other."""
    found = read(tmp_path, scene('<use part="leg" name="a"/><use part="leg" name="b"/>'))

    found.joints[0].body2 = "trunk"
    found.bodies[1].geometry.append(Geometry(shape="sphere", radius=1))
    found.joints[2].terms[0].coefficient = 5

    assert found.joints[3].body2 == "b.shank"
    assert found.bodies[3].geometry == []
    assert found.joints[5].terms[0].coefficient == 1


NESTED = """<scene version="1.2">
  <part name="toe"><body name="bone" mass="1" inertia="1 1 1" position="1 0 0"/></part>
  <part name="foot">
    <body name="sole" mass="1" inertia="1 1 1"/>
    <use part="toe" name="big" position="0 1 0"/>
    <use part="toe" name="small" position="0 -1 0" mirror="y"/>
    <joint type="fixed" body1="sole" body2="big.bone" anchor="0 0 0"/>
  </part>
  <use part="foot" name="left" position="0 0 5"/>
  <load body="left.small.bone" force="0 0 1"/>
</scene>"""


def test_parts_use_parts(tmp_path: Path) -> None:
    """Copies of copies are placed by both uses and named after both."""
    found = read(tmp_path, NESTED)

    assert {b.name: b.position for b in found.bodies} == {
        "left.sole": (0, 0, 5),
        "left.big.bone": (1, 1, 5),
        "left.small.bone": (1, -1, 5),
    }
    assert found.joints[0].body2 == "left.big.bone"
    assert (found.parts, found.uses) == ([], [])


@pytest.mark.parametrize("suffix", [".xml", ".json"])
def test_parts_are_kept_where_they_are_asked_for(tmp_path: Path, suffix: str) -> None:
    """A scene that is read to be written again keeps parts and uses, in both notations."""
    read(tmp_path, NESTED)
    kept = load_scene(tmp_path / "scene.xml", keep_parts=True)

    save_scene(kept, tmp_path / f"again{suffix}")

    again = load_scene(tmp_path / f"again{suffix}", keep_parts=True)
    assert again == kept
    assert len(again.parts) == 2
    assert expand_parts(again) == load_scene(tmp_path / f"again{suffix}")


def test_a_scene_without_uses_is_left_as_it_is() -> None:
    """Expanding it returns the scene itself."""
    made = Scene(version=1, bodies=[body("a")])

    assert expand_parts(made) is made


UNSOUND = [
    ('<use part="lge" name="x"/>', "E308", "there is no part 'lge'. Did you mean 'leg'?"),
    ('<use part="leg" name="x" mirror="Y"/>', "E205", "mirror cannot be 'Y'. Did you mean 'y'?"),
    ('<use part="leg" name="x" miror="y"/>', "E102", "Did you mean 'mirror'?"),
    ('<use part="leg" name="x" position="0 0 inf"/>', "E202", "infinite"),
    ('<use part="leg" name="x" position="0 0"/>', "E204", "position takes 3 numbers"),
    ('<use part="leg" name="x" orientation="1 1 0 0"/>', "E208", "0.707106781 0.707106781"),
    ('<use part="leg"/>', "E103", "name is missing; a use has one"),
    ('<use name="x"/>', "E103", "part is missing"),
    ('<use part="leg" name="x" position="0 0 2e9"/>', "E203", "2e+09"),
    ('<use part="leg" name="x"/><use part="leg" name="x"/>', "E301", "use 1 is called 'x'"),
    ('<part name="leg"/>', "E301", "part 1 is called 'leg' already"),
    ("<part/>", "E103", "name is missing; a part has one"),
    ('<part name="p"><settings/></part>', "E101", "<part> has no element <settings>"),
    (
        '<part name="p"><load body="trunk" force="1 0 0"/></part>',
        "E303",
        "there is no body 'trunk' in the part 'p'. A part names what is in it; what joins it",
    ),
    (
        '<part name="p"><body name="arm" motion="static"/><load body="amr" force="1 0 0"/></part>',
        "E303",
        "there is no body 'amr' in the part 'p'. Did you mean 'arm'?",
    ),
    (
        '<part name="p"><joint type="coupling"><term joint="j" coefficient="1"/></joint></part>',
        "E304",
        "there is no joint 'j' in the part 'p'",
    ),
    (
        (
            '<part name="p"><body name="a" mass="1" inertia="1 1 1"/>'
            '<body name="a" mass="1" inertia="1 1 1"/></part>'
        ),
        "E301",
        "body 1 is called 'a' already",
    ),
    ('<part name="p"><body name="world" motion="static"/></part>', "E302", "'world' means"),
    (
        (
            '<part name="p"><body name="a" motion="static"><geometry shape="mesh" mesh="m"/>'
            "</body></part>"
        ),
        "E305",
        "there is no mesh 'm'",
    ),
    ('<part name="p"><use part="p" name="x"/></part>', "E309", "would hold itself: p > p"),
    (
        (
            '<part name="p"><use part="q" name="x"/></part>'
            '<part name="q"><use part="r" name="x"/></part>'
            '<part name="r"><use part="p" name="x"/></part>'
        ),
        "E309",
        "the part 'p' would hold itself: p > q > r > p",
    ),
    (
        f'<use part="leg" name="{"x" * (MAX_NAME - len(".joint-2") + 1)}"/>',
        "E310",
        f"{MAX_NAME + 1} characters, the limit is {MAX_NAME}",
    ),
    (
        '<use part="leg" name="x"/><load body="x.shnk" force="1 0 0"/>',
        "E303",
        "Did you mean 'x.shank'?",
    ),
]


@pytest.mark.parametrize(("text", "code", "message"), UNSOUND)
def test_mistakes(tmp_path: Path, text: str, code: str, message: str) -> None:
    """Each mistake is the only problem of its scene, with what to write instead."""
    (problem,) = problems_in(tmp_path, scene(text))

    assert problem.code == code
    assert message in str(problem)


def test_an_unused_part_is_checked(tmp_path: Path) -> None:
    """A mistake in a part is found whether the part is used, once, twice or never."""
    part = '<part name="p"><body name="b" mass="1"/></part>'
    for uses in range(3):
        text = part + "".join(f'<use part="p" name="u{i}"/>' for i in range(uses))
        (problem,) = problems_in(tmp_path, scene(text))
        assert (problem.code, problem.element) == ("E401", "/scene/part[@name='p']/body[@name='b']")


def test_what_nobody_can_tell_is_not_reported(tmp_path: Path) -> None:
    """Names that begin with a use of a part that has a mistake are taken to be right."""
    text = """<scene version="1.2">
  <part name="inner"><body name="b" mass="0" inertia="1 1 1" collision_group="g"/></part>
  <part name="outer"><use part="inner" name="i"/><load body="i.b" force="1 0 0"/></part>
  <use part="outer" name="o"/>
  <use part="inner" name="x" mirror="w"/>
  <load body="o.i.b" force="1 0 0"/>
  <load body="x.b" force="1 0 0"/>
  <load body="y.b" force="1 0 0"/>
  <collision_filter><group group1="g" group2="g" collide="true"/></collision_filter>
</scene>"""

    assert places(problems_in(tmp_path, text)) == [
        ("E203", 2, 37, "/scene/part[@name='inner']/body[@name='b']/@mass"),
        ("E205", 5, 30, "/scene/use[@name='x']/@mirror"),
        ("E303", 8, 9, "/scene/load[3]/@body"),
    ]


def test_what_cannot_be_placed_is_left_out(tmp_path: Path) -> None:
    """Uses without a direction, and mirrored solids of meshes that are broken, are no trouble."""
    text = """<scene version="1.2">
  <mesh name="m" scale="0"/>
  <part name="p">
    <body name="b" motion="static"><geometry shape="mesh" mesh="m"/></body>
  </part>
  <part name="q"><use part="p" name="u" orientation="0 0 0 0"/></part>
  <use part="p" name="v" mirror="x"/>
  <use part="p" name="w" orientation="0 0 0 0"/>
</scene>"""

    assert [place[:2] for place in places(problems_in(tmp_path, text))] == [
        ("E203", 2),
        ("E208", 6),
        ("E208", 8),
    ]


def test_sound_elements_of_a_broken_part_are_checked(tmp_path: Path) -> None:
    """One run reports all mistakes of a part, each in its line."""
    text = """<scene version="1.2">
  <part name="zero"/>
  <part name="p">
    <body name="a" mass="x" inertia="1 1 1"/>
    <body name="b" mass="1"/>
    <load body="a" force="1 0 0"/>
    <load body="c" force="1 0 0"/>
  </part>
</scene>"""

    assert [place[:2] for place in places(problems_in(tmp_path, text))] == [
        ("E201", 4),
        ("E401", 5),
        ("E303", 7),
    ]


@pytest.mark.parametrize("suffix", [".xml", ".json"])
def test_what_shows_in_a_copy_names_the_part_and_the_use(tmp_path: Path, suffix: str) -> None:
    """Its place is that in the part; the sentence ends with the uses that made the copy."""
    made = Scene(
        version=1,
        parts=[
            Part(name="toe", bodies=[body("bone", 6e8, 0, 0)]),
            Part(name="foot", uses=[Use(part="toe", name="big", position=(3e8, 0, 0))]),
        ],
        uses=[
            Use(part="foot", name="left", position=(2e8, 0, 0)),
            Use(part="foot", name="right", position=(-2e8, 0, 0)),
        ],
    )
    path = tmp_path / f"scene{suffix}"
    path.write_bytes(scene_to_xml(made) if suffix == ".xml" else scene_to_json(made).encode())

    with pytest.raises(SceneError) as caught:
        load_scene(path)

    (problem,) = caught.value.problems
    lines = path.read_text().splitlines()
    line = {name: 1 + next(i for i, t in enumerate(lines) if f'"{name}"' in t) for name in NAMES}
    assert problem.code == "E203"
    assert "1.1e+09" in problem.message
    if suffix == ".xml":
        assert problem.line == line["bone"]
        assert problem.element == "/scene/part[@name='toe']/body[@name='bone']/@position"
        assert problem.message.endswith(
            f", in the use 'big' of line {line['big']}, in the use 'left' of line {line['left']}"
        )
    else:
        assert problem.element == "$.parts[0].bodies[0].position"
        assert "in the use 'big' of line" in problem.message


NAMES = ("bone", "big", "left")


def test_names_of_copies_may_not_be_taken(tmp_path: Path) -> None:
    """A body that is called like one of a copy is found, with the use that made it."""
    problems = problems_in(
        tmp_path,
        scene('<body name="x.shank" mass="1" inertia="1 1 1"/>\n<use part="leg" name="x"/>'),
    )

    assert [p.code for p in problems] == ["E301"]
    assert "body 2 is called 'x.shank' already, in the use 'x' of line" in str(problems[0])


def test_later_problems_are_located(tmp_path: Path) -> None:
    """What the simulator finds in an expanded scene has the line of the part and names the use."""
    found = read(tmp_path, scene('\n<use part="leg" name="left"/>'))

    problem = problem_at(found, ("bodies", 2, "mass"), "E603", "too heavy")
    plain = problem_at(found, ("bodies", 0), "E603", "too heavy")

    assert str(problem).endswith(
        "/part[@name='leg']/body[@name='shank']/@mass: too heavy, in the use 'left' of line 16."
    )
    assert (problem.line, problem.path) == (4, ("bodies", 2, "mass"))
    assert str(plain).endswith("/scene/body[@name='trunk']: too heavy.")


def test_scenes_built_in_python() -> None:
    """Problems of a scene that is in no file name part and use as well."""
    made = Scene(
        version=1,
        parts=[Part(name="p", bodies=[body("b")])],
        uses=[Use(part="p", name="u"), Use(part="q", name="v")],
        bodies=[body("u.b")],
    )

    assert [str(problem) for problem in check_scene(made)] == [
        "error[E308]: /scene/use[@name='v']/@part: there is no part 'q'. Known are p.",
        (
            "error[E301]: /scene/part[@name='p']/body[@name='b']/@name: body 1 is called 'u.b'"
            " already, in the use 'u'. Give each body a name of its own."
        ),
    ]
    with pytest.raises(SceneError):
        expand_parts(made)


def laughs(levels: int, each: int) -> Scene:
    """Parts that use the one before several times."""
    parts = [Part(name="p0", bodies=[body("b")])]
    parts += [
        Part(name=f"p{k}", uses=[Use(part=f"p{k - 1}", name=f"u{i}") for i in range(each)])
        for k in range(1, levels)
    ]
    return Scene(version=1, parts=parts, uses=[Use(part=parts[-1].name, name="all")])


@pytest.mark.parametrize(("levels", "each"), [(10, 10), (30, 30), (3, 700)])
def test_what_multiplies_is_refused(
    levels: int, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few lines that stand for a billion bodies are refused before a single one is made."""
    monkeypatch.setattr(Placer, "copy", None)

    (problem,) = check_scene(laughs(levels, each))

    assert problem.code == "E310"
    assert "more than 200 000 elements, which is the limit" in str(problem)


@pytest.mark.parametrize("levels", [MAX_NESTED_USES + 1, 2000])
def test_what_is_nested_too_deep_is_refused(levels: int) -> None:
    """So is a chain of parts that use each other, however long."""
    problems = check_scene(laughs(levels, 1))

    assert {problem.code for problem in problems} == {"E310"}
    assert "more than 32 levels deep" in str(problems[0])
    assert check_scene(laughs(MAX_NESTED_USES, 1)) == []


def test_large_lists_count(tmp_path: Path) -> None:
    """So does one solid with many numbers that is used often."""
    field = Geometry(shape="height_field", size=(1, 1, 1), heights=[[0.0] * 1000] * 1000)
    ground = Part(name="g", bodies=[Body(name="b", motion="static", geometry=[field])])
    uses = [Use(part="g", name=f"u{i}") for i in range(3)]

    assert check_scene(Scene(version=1, parts=[ground], uses=uses[:1])) == []
    (problem,) = check_scene(Scene(version=1, parts=[ground], uses=uses))

    assert (problem.code, problem.path) == ("E310", ("uses", 1))


names = st.sampled_from(["a", "b", "a.b", "world", "ü 1"])


@st.composite
def nested_scenes(draw: st.DrawFn) -> Scene:
    """Scenes with parts that use each other in any way, sound or not."""
    uses = st.lists(
        st.builds(
            Use,
            part=st.sampled_from(["p0", "p1", "p2", "p3"]),
            name=names,
            mirror=st.sampled_from(["none", "x", "y", "z"]),
        ),
        max_size=2,
    )
    bodies = st.lists(names.map(body), max_size=2)
    parts = [
        Part(name=f"p{k}", bodies=draw(bodies), uses=draw(uses))
        for k in range(draw(st.integers(0, 3)))
    ]
    return Scene(version=1, parts=parts, uses=draw(uses), bodies=draw(bodies))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=nested_scenes())
def test_expansion_commutes_with_both_notations(
    made: Scene, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever parts use each other: read from XML and from JSON, with parts and without, there are
    the same problems, or the same expanded scene, whose bodies are those that the uses say.
    """
    folder = tmp_path_factory.mktemp("parts")
    (folder / "a.xml").write_bytes(scene_to_xml(made))
    (folder / "a.json").write_text(scene_to_json(made))
    outcomes = []
    for path in (folder / "a.xml", folder / "a.json"):
        try:
            outcomes.append(load_scene(path))
        except SceneError as error:
            outcomes.append(sorted((p.code, p.path) for p in error.problems))

    assert outcomes[0] == outcomes[1]
    if isinstance(outcomes[0], list):
        assert outcomes[0] == sorted((p.code, p.path) for p in check_scene(made))
        return
    assert outcomes[0] == expand_parts(made)
    assert [b.name for b in outcomes[0].bodies] == names_by_hand(made.bodies, made.uses, made)
    assert json.loads(scene_to_json(outcomes[0]))["version"] == 1


def names_by_hand(bodies: list[Body], uses: list[Use], made: Scene) -> list[str]:
    parts = {part.name: part for part in made.parts}
    found = [b.name for b in bodies]
    for use in uses:
        part = parts[use.part]
        found += [f"{use.name}.{name}" for name in names_by_hand(part.bodies, part.uses, made)]
    return found
