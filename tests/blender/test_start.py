"""Check asks the simulator about the start; there is one run at a time."""

import json
import sys
import textwrap

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def issues(context):
    return {(i.object_name, i.code, i.severity) for i in context.scene.impulse.issues}


@pytest.fixture
def simulator(monkeypatch, tmp_path):
    """A Python program in place of the simulator; it finds its arguments in ``sys.argv``."""
    from blender_addon.simulator import runner

    def simulator(source):
        path = tmp_path / "impulse.py"
        path.write_text(textwrap.dedent(source))
        monkeypatch.setattr(runner, "find_command", lambda _given="": [sys.executable, str(path)])

    return simulator


@pytest.mark.slow
def test_check_finds_bodies_that_overlap(add_body, context):
    """Two boxes half a metre into each other: the issue names one of them and what to do."""
    add_body("low", shape="box")
    add_body("high", shape="box", location=(0, 0, 0.5))

    with pytest.raises(RuntimeError, match=r"'high' and 'low' overlap by 0\.5 m at the start"):
        bpy.ops.impulse.validate_scene()

    (issue,) = context.scene.impulse.issues
    assert (issue.object_name, issue.code) == ("low", "E615")
    assert "--" not in issue.hint


@pytest.mark.slow
def test_what_simulate_refuses_is_listed_with_its_objects(add_body, context, tmp_path):
    """Overlaps of several shapes, and a mesh that is no solid: rows that select an object."""
    from blender_addon.authoring import tagging

    for number, shape in enumerate(["box", "sphere", "ellipsoid", "convex_hull"]):
        add_body(f"a {number}", shape=shape, location=(5 * number, 0, 0))
        add_body(f"b {number}", shape="box", location=(5 * number, 0.1, 0.6))
    tagging.tag_bodies([add_sheet("sheet", context)], motion="static", shape="convex_hull")

    with pytest.raises(RuntimeError):
        bpy.ops.impulse.run_simulation(directory=str(tmp_path))
    assert issues(context) == {("sheet", "E606", "ERROR")}

    bpy.data.objects.remove(bpy.data.objects["sheet"])
    with pytest.raises(RuntimeError):
        bpy.ops.impulse.run_simulation(directory=str(tmp_path))
    assert issues(context) == {(f"b {number}", "E615", "ERROR") for number in range(4)}


def add_sheet(name, context):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 50, 0), (1, 50, 0), (0, 51, 0)], [], [(0, 1, 2)])
    obj = bpy.data.objects.new(name, mesh)
    context.scene.collection.objects.link(obj)
    return obj


def test_a_flat_mesh_is_advised_to_be_ground(context):
    """Nothing can be closed there, and a hull of it is no solid either; what stands still may."""
    from blender_addon.authoring import tagging
    from blender_addon.export.scene_export import build

    sheet = add_sheet("sheet", context)
    tagging.tag_bodies([sheet])
    assert any("make it static, as ground" in str(issue) for issue in build(context).issues)

    sheet.impulse.body.motion = "static"
    assert build(context).issues == []


def test_problems_of_the_simulator_name_their_objects(simulator, add_body, context):
    """Whatever path a problem has: the innermost object on it."""
    for name in ("a", "b"):
        add_body(name, location=(3 * (name == "b"), 0, 0))
    paths = [["bodies", 1], ["bodies", 0, "geometry", 0], ["settings", "step"], ["bodies", 7]]
    problems = [
        {"code": "E6", "path": path, "message": f"wrong {n}", "hint": "mend it"}
        for n, path in enumerate(paths)
    ]
    answer = json.dumps({"valid": False, "files": [{"problems": problems}]}, indent=2)
    simulator(f"""
        import sys
        assert sys.argv[1:4] == ["validate", "--json", "--start"]
        print("Compiling the kernels", file=sys.stderr, flush=True)
        print({answer!r})
        sys.exit(1)
    """)

    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    found = [(i.object_name, i.message, i.hint) for i in context.scene.impulse.issues]
    assert [name for name, _, _ in found] == ["b", "a", "", ""]
    assert found[0] == ("b", "wrong 0.", "mend it.")


def test_without_a_simulator_check_says_what_it_did_not_check(simulator, add_body, context):
    """A fault of the child is a warning of its own words, not an error of the scene."""
    add_body()
    simulator("import sys; print('out of paper'); sys.exit(70)")

    assert bpy.ops.impulse.validate_scene() == {"FINISHED"}

    (issue,) = context.scene.impulse.issues
    assert issue.severity == "WARNING"
    assert issue.message == "The start was not checked: out of paper"
    assert bpy.ops.impulse.validate_scene(start=False) == {"FINISHED"}
    assert issues(context) == set()


@pytest.fixture
def run_under_way():
    """A child that would go on for a minute."""
    from blender_addon.operators.child import Going
    from blender_addon.simulator import runner

    Going.child = runner.Child([sys.executable, "-c"], ["import time; time.sleep(60)"])
    yield Going.child
    Going.abandon()


@pytest.mark.parametrize("operator", ["run_simulation", "validate_scene"])
def test_a_second_run_is_refused_while_one_is_going(run_under_way, add_body, tmp_path, operator):
    """It would write the same files; when the first has ended there may be another."""
    from blender_addon.operators.child import Going

    add_body()
    ask = getattr(bpy.ops.impulse, operator)

    assert not ask.poll()
    with pytest.raises(RuntimeError, match="The simulator is at work"):
        ask()

    run_under_way.stop()
    run_under_way.wait(10.0)
    assert ask.poll()
    assert not Going.is_on()


@pytest.mark.parametrize("way", ["open", "new", "unregister"])
def test_no_run_outlives_its_file(run_under_way, registered, tmp_path, way):
    """Another file, an empty one, or the add-on switched off: the child is ended."""
    if way == "unregister":
        registered.unregister()
        registered.register()
    elif way == "new":
        bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))

    run_under_way.wait(10.0)
    assert run_under_way.poll()
    assert bpy.ops.impulse.run_simulation.poll()


def test_what_waits_for_the_simulator_is_not_run_again_by_its_arguments():
    """*Adjust Last Operation* would run it anew, with the window blocked: Blender does not offer it
    for any of these operators, which can be undone.
    """
    from blender_addon.operators.child import ChildOperator

    names = [cls.bl_idname.partition(".")[2] for cls in ChildOperator.__subclasses__()]

    assert {"run_simulation", "validate_scene", "live"} <= {*names}
    for name in names:
        assert getattr(bpy.ops.impulse, name).bl_options == {"UNDO"}, name
