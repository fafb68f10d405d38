"""Scene files opened in Blender, and what the export then writes."""

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from blender_addon.authoring import tagging  # noqa: E402
from blender_addon.importing.scene_import import import_scene  # noqa: E402
from impulse_schema import Scene, check_scene, load_scene, save_scene  # noqa: E402
from tests.fuzz.machines import machine  # noqa: E402

from .equivalence import differences  # noqa: E402
from .recordings import turning  # noqa: E402
from .test_playback import save  # noqa: E402

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
TETRA = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
SCENES = sorted(SAMPLES.glob("*/*.xml"))


EVERYTHING = """<scene version="1.2" name="all of it">
  <settings gravity="0 0 -1.62" step="0.002" duration="3" fps="50" tolerance="1e-8"/>
  <constant name="period" value="0.7"/>
  <material name="rubber" static_friction="0.9"/>
  <mesh name="tetra" file="tetra.obj" scale="0.5" mirror="y"/>
  <part name="side">
    <body name="arm" position="0 1 0" mass="2" inertia="1 1 1 0.1 0.05 0" center_of_mass="0 0.1 0">
      <geometry name="shell" shape="mesh" mesh="tetra" role="visual" position="0.1 0.2 0.3"/>
      <geometry shape="capsule" radius="0.1" height="0.4" orientation="0.6 0.8 0 0"
        role="collision" rounding="0.01" material="rubber"/>
    </body>
    <joint name="arm" type="cylindrical" body2="arm" anchor="0 1 0" axis="0 3 1">
      <motor kind="force" freedom="translation" max_force="2" min_force="-1">
        <curve times="0 1 2" values="0 1 0" interpolation="cubic" repeat="true"/>
      </motor>
      <limit freedom="rotation" lower_deg="-30" upper_deg="45" max_velocity="3"/>
    </joint>
  </part>
  <body name="ground" motion="static">
    <geometry shape="plane" position="0 0 -1" material="rubber"/>
    <geometry shape="height_field" size="2 3 1" position="0 0 -2" diagonal="falling">
      <heights>0 0.1 0.2
0.3 0.1 0
0 0 0.5
0.1 0.2 0.3</heights></geometry>
  </body>
  <body name="lift" motion="kinematic">
    <geometry shape="torus" major_radius="0.5" minor_radius="0.1"/>
    <keyframe time="0" position="3 0 0"/>
    <keyframe time="1" position="3 0 1" orientation="0 1 0 0"/>
  </body>
  <body name="ball" position="5 0 0" density="800" velocity="1 2 3" angular_velocity="0.1 0 0"
    record_clearance="true" collision_group="balls">
    <geometry shape="ellipsoid" size="0.2 0.3 0.4"/>
    <geometry shape="cone" radius="0.2" height="0.3" position="0 0 0.3" density="100"/>
  </body>
  <body name="rod" position="6 0 0" mass="1">
    <geometry shape="cylinder" radius="0.1" height="1"/></body>
  <use part="side" name="right" position="0 0 0.5"/>
  <use part="side" name="left" mirror="y" position="0 0 0.5"/>
  <load name="push" body="ball" force="1 0 0" point="0 0 0.1" axes="body" from="0.5" until="1"
    reaction_body="rod"/>
  <joint name="ball" type="universal" body1="ball" body2="rod" anchor="5.5 0 0" axis="1 0 0"
    axis2="0.2 1 0" damping="0.1" break_force="100"/>
  <joint name="swing" type="hinge" body2="rod" anchor="6 0 0.5" axis="1 0 0" phase="0.25">
    <motor kind="servo" expression="sin(2*pi*(t/period + phase))" proportional="10"/></joint>
  <joint type="distance" body2="rod" anchor="6 0 2" anchor2="6 0 0.5" min_length="1"
    max_length="2"/>
  <joint name="hold" type="ball" body2="rod" anchor="6 0 -0.5" axis="0 0 1" axis2="0 0.1 1">
    <limit freedom="swing" upper_deg="60"/></joint>
  <joint name="gear" type="coupling" constant="0.1">
    <term joint="right.arm" coefficient="2" freedom="translation"/>
    <term joint="left.arm" coefficient="-1" freedom="rotation"/></joint>
  <spring body1="ball" body2="rod" anchor="5 0 0" anchor2="6 0 0" stiffness="10" damping="1"
    rest_length="0.5"/>
  <collision_filter default="false"><pair body1="ball" body2="ground" collide="true"/>
    <group group1="balls" group2="balls" collide="false"/></collision_filter>
</scene>"""


@pytest.fixture
def everything(tmp_path):
    """A scene with what the samples do not have, and a mesh in a file."""
    (tmp_path / "tetra.obj").write_text(TETRA)
    path = tmp_path / "everything.xml"
    path.write_text(EVERYTHING)
    return path


def back(context, folder):
    """What the operator exports after an import."""
    path = folder / "back.xml"
    bpy.ops.impulse.export_scene(filepath=str(path))
    return load_scene(path)


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_sample_comes_back_as_it_was(path, context, tmp_path):
    """Every sample scene that is opened and exported is the same model."""
    report = import_scene(context, path)

    again = back(context, tmp_path)

    assert list(differences(load_scene(path), again, report.bodies, report.joints)) == []
    assert report.notes == []
    assert (again.name, again.description) == (path.stem, load_scene(path).description)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1))
def test_random_machines_come_back(seed, context, tmp_path):
    """So is a machine of any joints, drives, solids and rules."""
    scene = Scene.model_validate(machine(Random(seed)))
    if check_scene(scene):
        return
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    (tmp_path / "tetra.obj").write_text(TETRA)
    save_scene(scene, tmp_path / "made.xml")
    scene = load_scene(tmp_path / "made.xml")

    report = import_scene(bpy.context, tmp_path / "made.xml")
    again = back(bpy.context, tmp_path)

    scene.description = again.description
    assert list(differences(scene, again, report.bodies, report.joints)) == []


@pytest.mark.parametrize("metres", [1.0, 0.01])
def test_all_that_a_file_can_say_comes_back(metres, everything, context, tmp_path):
    """Parts and their mirror images, every shape, curves, limits, couplings, loads and rules,
    whatever the length of a Blender unit.
    """
    context.scene.unit_settings.scale_length = metres

    report = import_scene(context, everything)
    again = back(context, tmp_path)

    assert list(differences(load_scene(everything), again, report.bodies, report.joints)) == []
    assert report.joints["ball"] == "ball universal"
    radius = bpy.data.objects["rod"].dimensions.x * metres / 2
    assert radius == pytest.approx(0.1, rel=1e-5)


def test_differences_are_seen(everything):
    """The comparison of these tests finds a change of every single number and word of a scene."""
    scene = load_scene(everything)
    text = EVERYTHING
    for old, new in (
        ('min_force="-1"', 'min_force="-1.0001"'),
        ('values="0 1 0"', 'values="0 1.0001 0"'),
        ('upper_deg="45"', 'upper_deg="45.001"'),
        ('coefficient="2"', 'coefficient="2.0001"'),
        ('inertia="1 1 1 0.1 0.05 0"', 'inertia="1 1 1 0.1 0.0501 0"'),
        ('rest_length="0.5"', 'rest_length="0.50001"'),
        ('orientation="0.6 0.8 0 0"', 'orientation="0.8 0.6 0 0"'),
        ('value="0.7"', 'value="0.70001"'),
        ('phase="0.25"', 'phase="0.2501"'),
        ('diagonal="falling"', ""),
        ('until="1"', ""),
        ('anchor="5 0 0"', 'anchor="5.00002 0 0"'),
        ('scale="0.5"', 'scale="0.50001"'),
        ('collide="true"', 'collide="false"'),
        ('axis2="0 0.1 1"', 'axis2="0 0.10001 1"'),
    ):
        everything.write_text(text.replace(old, new, 1))
        assert len(list(differences(scene, load_scene(everything)))) >= 1, new


def test_keyframes_become_motion(everything, context):
    """A kinematic body moves in Blender as its keyframes say, at every frame and between."""
    import_scene(context, everything)
    lift = bpy.data.objects["lift"]

    for frame in (1.0, 7.25, 14.0, 26.0, 40.0):
        context.scene.frame_set(int(frame), subframe=frame % 1.0)
        share = min((frame - 1) / 25, 1.0)
        assert lift.matrix_world.translation.z == pytest.approx(share, abs=1e-6)
        turn = lift.matrix_world.to_quaternion()
        assert abs(turn.angle) == pytest.approx(math.pi * share, abs=1e-5)


def test_keyframes_are_exported_again(everything, context, tmp_path):
    """The export takes the motion between the keyframes from Blender, frame by frame."""
    report = import_scene(context, everything)

    again = back(context, tmp_path)

    lift = next(body for body in again.bodies if body.name == "lift")
    for key in lift.keyframes:
        share = min(key.time, 1.0)
        assert key.position == pytest.approx((3.0, 0.0, share), abs=1e-6)
        half = math.pi / 2 * share
        expected = (math.cos(half), math.sin(half), 0.0, 0.0)
        assert abs(np.dot(key.orientation, expected)) == pytest.approx(1.0, abs=1e-9)
    assert "lift" in " ".join(report.notes)


def test_what_changed_its_name_is_noted(everything, context):
    """A scene that is opened twice is there twice; every new name is in the report, and materials
    that are the same are not doubled.
    """
    first, second = (import_scene(context, everything) for _ in range(2))

    assert second.bodies["rod"] == "rod.001"
    assert any("body rod is called rod.001" in note for note in second.notes)
    assert "The joint ball is called ball universal here, as its name was taken." in first.notes
    assert [row.name for row in context.scene.impulse.materials] == ["rubber"]
    assert first.collection != second.collection
    assert bpy.data.collections[second.collection].objects["rod.001"].impulse.kind == "BODY"


def test_another_material_of_the_same_name_is_kept_apart(everything, context):
    """What the scene has already stays, and solids of the file name theirs."""
    row = context.scene.impulse.materials.add()
    row.name, row.static_friction = "rubber", 0.1

    report = import_scene(context, everything)

    assert [row.name for row in context.scene.impulse.materials] == ["rubber", "rubber.001"]
    assert bpy.data.objects["ground plane"].impulse.geometry.material == "rubber.001"
    assert any("material rubber is called rubber.001" in note for note in report.notes)


def test_another_constant_of_the_same_name_is_kept_apart(everything, context):
    """Expressions of the file name the constant as it is called here, and no other word changes."""
    row = context.scene.impulse.constants.add()
    row.name, row.value = "period", 2.0

    report = import_scene(context, everything)

    assert [(row.name, row.value) for row in context.scene.impulse.constants] == [
        ("period", 2.0),
        ("period_2", pytest.approx(0.7)),
    ]
    motor = bpy.data.objects["swing"].impulse.joint.motors[0]
    assert motor.expression == "sin(2*pi*(t/period_2 + phase))"
    assert any("constant period is called period_2" in note for note in report.notes)


def test_there_are_frames_for_the_whole_motion(context, everything):
    """The scene lasts at least as long as the file says; it never gets shorter."""
    everything.write_text(EVERYTHING.replace('duration="3"', 'duration="30"'))
    context.scene.frame_start = 11

    import_scene(context, everything)
    assert context.scene.frame_end == 11 + 30 * 25

    import_scene(context, SAMPLES / "pendulums" / "pendulum.xml")
    assert context.scene.frame_end == 11 + 30 * 25


def test_a_machine_keeps_its_settings(everything, add_body, context):
    """A scene that is added to a machine leaves the settings of that machine alone, and says so."""
    add_body("mine")
    context.scene.impulse.settings.step = 0.005

    report = import_scene(context, everything)

    assert context.scene.impulse.settings.step == pytest.approx(0.005)
    assert any("keeps its settings" in note and "step" in note for note in report.notes)


@pytest.mark.parametrize("name", ["broken.xml", "broken.json", "missing.xml", "scene.txt"])
def test_a_file_that_cannot_be_opened_changes_nothing(name, context, tmp_path):
    """What is wrong is said, with the place in the file, and nothing was made."""
    if name.startswith("broken"):
        text = '<scene version="1"><body/></scene>' if "xml" in name else '{"version": 1, "x": 2}'
        (tmp_path / name).write_text(text)

    with pytest.raises(RuntimeError, match=name):
        bpy.ops.impulse.import_scene(filepath=str(tmp_path / name))

    assert not bpy.data.objects
    assert not context.scene.collection.children


def test_a_mesh_file_that_is_broken_changes_nothing(everything, context):
    """The mesh and its file are named."""
    (everything.parent / "tetra.obj").write_text("v 0 0 nonsense\n")

    with pytest.raises(RuntimeError, match=r"tetra.*tetra\.obj"):
        bpy.ops.impulse.import_scene(filepath=str(everything))

    assert not bpy.data.objects


def test_each_import_knows_the_other_kind_of_file(everything, context, tmp_path):
    """A recording is not opened as a scene, nor a scene as a recording; each says what to do."""
    motion = save(turning(["rod"]), tmp_path / "motion.json")
    with pytest.raises(RuntimeError, match="is a recording, not a scene"):
        bpy.ops.impulse.import_scene(filepath=str(motion))
    with pytest.raises(RuntimeError, match="is a scene, not a recording"):
        bpy.ops.impulse.import_animation(filepath=str(everything))


@pytest.mark.parametrize("suffix", [".json", ".npz", ".imprec"])
def test_what_is_dropped_is_what_it_is(suffix, everything, context, tmp_path):
    """A scene and its recording dropped together: the scene is opened, then it moves."""
    motion = save(turning(["rod"]), tmp_path / f"motion{suffix}")

    bpy.ops.impulse.import_file(
        directory=str(tmp_path), files=[{"name": motion.name}, {"name": everything.name}]
    )

    assert bpy.data.objects["rod"].impulse.playback.active


def test_files_are_dropped_by_their_names():
    """Blender has a handler for each kind of file, with operators that exist."""
    handlers = [bpy.types.IMPULSE_FH_scene, bpy.types.IMPULSE_FH_recording]

    extensions = {e for handler in handlers for e in handler.bl_file_extensions.split(";")}
    assert extensions == {".xml", ".json", ".npz", ".imprec"}
    assert all(hasattr(bpy.ops.impulse, h.bl_import_operator.split(".")[1]) for h in handlers)


def test_a_collection_is_exported_by_itself(add_body, context, tmp_path):
    """The exporter of a collection writes the bodies in it, and none beside it."""
    part = bpy.data.collections.new("part")
    context.scene.collection.children.link(part)
    part.objects.link(add_body("inside"))
    add_body("outside")
    layer = context.view_layer.layer_collection.children["part"]
    context.view_layer.active_layer_collection = layer

    bpy.ops.collection.exporter_add(name="IMPULSE_FH_scene")
    part.exporters[0].export_properties.filepath = str(tmp_path / "part.xml")
    bpy.ops.collection.export_all()

    assert [body.name for body in load_scene(tmp_path / "part.xml").bodies] == ["inside"]


def test_a_collection_that_leaves_a_body_out_is_refused(add_body, add_empty, context, tmp_path):
    """A joint in the collection to a body outside it is named."""
    part = bpy.data.collections.new("part")
    context.scene.collection.children.link(part)
    add_body("outside")
    hinge = add_empty("hinge")
    tagging.tag_joint(hinge, "hinge", add_body("inside"), bpy.data.objects["outside"])
    for obj in (hinge, bpy.data.objects["inside"]):
        part.objects.link(obj)

    with pytest.raises(RuntimeError, match=r"hinge: refers to outside .* not in this scene"):
        bpy.ops.impulse.export_scene(filepath=str(tmp_path / "part.xml"), collection="part")


GUSTS = """<scene version="1.3" name="gusts">
  <settings duration="2" gravity="0 0 0"/>
  <constant name="period" value="0.8"/>
  <body name="ball" mass="2" inertia="0.5 0.5 0.5"/>
  <body name="rod" mass="1" inertia="0.1 0.2 0.3" position="2 0 0"/>
  <load name="gust" body="ball" force="0 0 3" torque="0 1 0" point="0 0 0.1" from="0.25"
    until="1.7">
    <curve times="0 0.31 1.03 2.5" values="1 -2.5 4 0" interpolation="{kind}"/></load>
  <load name="rest" body="ball" force="5 0 0"/>
  <load body="rod" force="0 2 0" axes="body" reaction_body="ball" phase="0.25"
    expression="sin(2*pi*(t/period + phase))"/>
  <load body="rod" torque="0 2 0"><curve times="0 0.5 1" values="0 1 0" repeat="true"/></load>
</scene>"""


@pytest.mark.parametrize("kind", ["step", "linear", "cubic"])
def test_loads_that_change_come_back(kind, context, tmp_path):
    """They are F-curves that show what the file says, and exported they move bodies alike; what
    repeats or is an expression stays what it is.
    """
    from impulse_core import simulate

    (tmp_path / "gusts.xml").write_text(GUSTS.format(kind=kind))
    first = load_scene(tmp_path / "gusts.xml")
    report = import_scene(context, tmp_path / "gusts.xml")
    again = back(context, tmp_path)

    loads = bpy.data.objects["ball"].impulse.body.loads
    assert len(loads) == 2
    assert "Loads of ball that change over time are F-curves here" in "\n".join(report.notes)
    fps = context.scene.render.fps
    values = []
    for frame in (1, 9, 14, 30):
        context.scene.frame_set(frame)
        values.append((loads[0].force[2], loads[0].torque[1]))
    shown = np.interp((np.array([1, 9, 14, 30]) - 1) / fps, [0, 0.31, 1.03, 2.5], [1, -2.5, 4, 0])
    if kind == "linear":
        assert np.array(values) == pytest.approx(np.outer(shown, (3.0, 1.0)), abs=1e-5)
    of_rod = [load for load in again.loads if load.body == "rod"]
    assert [load.expression for load in of_rod] == ["sin(2*pi*(t/period + phase))", None]
    assert of_rod[1].curve is not None
    assert of_rod[1].curve.repeat
    one, two = (simulate(scene, step=0.01, fps=10.0) for scene in (first, again))
    assert np.ptp(one.positions[:, 0, 2]) > 0.1
    assert two.positions == pytest.approx(one.positions, abs=3e-4)
    assert two.momentum["angular"] == pytest.approx(one.momentum["angular"], abs=3e-3)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_a_keyed_load_comes_back_as_one(kind, context, tmp_path):
    """What the export divides into a load for each number, an import puts together, again and
    again: the file stays the same.
    """
    (tmp_path / "gusts.xml").write_text(GUSTS.format(kind=kind))
    import_scene(context, tmp_path / "gusts.xml")
    once = back(context, tmp_path)

    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    import_scene(bpy.context, tmp_path / "back.xml")
    twice = back(bpy.context, tmp_path)

    assert len(bpy.data.objects["ball"].impulse.body.loads) == 2
    assert len(once.loads) == len(twice.loads) == 5
    for load, other in zip(once.loads, twice.loads, strict=True):
        assert (load.force, load.torque, load.point) == (other.force, other.torque, other.point)
        for t in np.linspace(0.0, 1.9, 77) if load.curve and not load.curve.repeat else ():
            pair = [value_at(made.curve, t) for made in (load, other)]
            assert pair[0] == pytest.approx(pair[1], abs=2e-3)


def value_at(curve, t):
    """A curve of the file at a time, by the simulator's own rule."""
    from scipy.interpolate import CubicSpline

    if curve.interpolation == "linear":
        return np.interp(t, curve.times, curve.values)
    inside = np.clip(t, curve.times[0], curve.times[-1])
    return float(CubicSpline(curve.times, curve.values, bc_type="clamped")(inside))
