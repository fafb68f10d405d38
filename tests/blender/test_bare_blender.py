"""The zip as it is handed out, in a Blender that has nothing but itself and its NumPy.

One environment for each Blender, with pip's bpy and the NumPy of that Blender, is made once in
build/bare-blender. Needs a network.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from shipping.platforms import why_no_kernels

pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[2]
BARE = ROOT / "build/bare-blender"
# The NumPy that each version of Blender comes with.
NUMPY = {"4.2": "1.24.3", "4.5": "1.26.4", "5.0": "1.26.4"}
PYTHON = "3.11"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("bare blender")]

# Whoever looks for another computer is refused, so that all here is done offline.
OFFLINE = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise RuntimeError(f"went online: {event} {arguments}")
sys.addaudithook(refuse)
"""

# Installs the zip as a user does, adds a walking machine, says how it would start the simulator,
# lets the machine walk, and tries the button of the preferences.
SESSION = """
import json
import bpy
bpy.ops.extensions.package_install_files(
    filepath=sys.argv[1], repo="user_default", enable_on_install=True)
from bl_ext.user_default.impulse import preferences
from bl_ext.user_default.impulse.simulator import runner
print("command:", json.dumps(runner.find_command()), flush=True)
bpy.ops.wm.read_homefile(app_template="", use_empty=True)
bpy.ops.impulse.add_example(example="walking_machine")
bpy.ops.impulse.export_scene(filepath=sys.argv[2])
bpy.context.scene.frame_end = 60
bpy.ops.impulse.run_simulation()
torso = next(o for o in bpy.context.scene.objects if o.name.startswith("torso"))
places = []
for frame in (1, 60):
    bpy.context.scene.frame_set(frame)
    places.append(list(torso.matrix_world.translation))
print("places:", json.dumps(places))
bpy.ops.impulse.test_simulator()
print("answer:", json.dumps(preferences.ANSWER.text))
"""

# In place of the last lines of the child's program: runs a command, then says where the modules
# lie.
PROBE = """
from impulse_cli.main import execute
code = execute(sys.argv[1:])
import numpy
files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
print("modules:", json.dumps({name: file for name, file in files.items() if file}))
print("numpy:", numpy.__version__)
sys.exit(code)
"""

HULL = """<scene version="1" name="hull">
  <mesh name="wedge">
    <vertices>
      0 0 0
      1 0 0
      0 1 0
      0 0 1
    </vertices>
    <faces>
      0 2 1
      0 1 3
      1 2 3
      0 3 2
    </faces>
  </mesh>
  <body name="ground" motion="static"><geometry shape="plane"/></body>
  <body name="stone" position="0 0 0.01" density="1000">
    <geometry shape="convex_hull" mesh="wedge"/>
  </body>
</scene>"""

SPLINE = """<scene version="1" name="spline">
  <body name="ground" motion="static"><geometry shape="plane"/></body>
  <body name="arm" position="0 0 2" mass="1"><geometry shape="box" size="1 0.1 0.1"/></body>
  <body name="cart" motion="kinematic" keyframe_interpolation="cubic">
    <geometry shape="box" size="0.2 0.2 0.2"/>
    <keyframe time="0" position="3 0 1"/>
    <keyframe time="1" position="3 1 1"/>
    <keyframe time="2" position="3 0 1"/>
  </body>
  <joint type="hinge" body2="arm" anchor="0 0 2" axis="0 1 0">
    <motor kind="velocity"><curve times="0 1 2" values="0 1 0" interpolation="cubic"/></motor>
  </joint>
</scene>"""

DECOMPOSED = """<scene version="1" name="parts">
  <mesh name="dented">
    <vertices>
      0 0 0
      1 0 0
      0 1 0
      0 0 1
      0.25 0.25 0.25
    </vertices>
    <faces>
      0 2 1
      0 1 3
      1 2 4
      2 3 4
      3 1 4
      0 3 2
    </faces>
  </mesh>
  <body name="ground" motion="static"><geometry shape="plane"/></body>
  <body name="stone" position="0 0 1" density="1000">
    <geometry shape="mesh" mesh="dented" decompose="true"/>
  </body>
</scene>"""

SCENES = {
    "walking machine": ROOT / "sample_scenes/walking/walking-machine.xml",
    "sledge": ROOT / "sample_scenes/contact/sledge-pendulum-rough.xml",
    "hull": HULL,
    "spline": SPLINE,
}


@pytest.fixture(scope="module")
def extension():
    """The zip for the Python of these Blenders, with all its wheels: that of make extension, unless
    sources are younger. What is built was checked.
    """
    from shipping.extension import build, this_platform

    made = ROOT / f"dist/impulse-{this_platform()}-python{PYTHON}.zip"
    packages = ("blender_addon", "impulse_core", "schema", "cli", "shipping", "sample_scenes")
    sources = [file for name in packages for file in (ROOT / name).rglob("*.py")]
    youngest = max(file.stat().st_mtime for file in sources)
    if made.exists() and made.stat().st_mtime > youngest:
        return made
    return build(made.parent, PYTHON, this_platform())


@pytest.fixture(scope="module", params=NUMPY)
def blender(request):
    """The Python of an environment with one bpy and its NumPy, made where there is none yet."""
    version = request.param
    folder = BARE / version
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    made = folder / "made"
    if not made.exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        wanted = [f"bpy=={version}.*", f"numpy=={NUMPY[version]}"]
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted], check=True)
        made.touch()
    return version, python


class Installed:
    """A Blender with the extension in it."""

    def __init__(self, version, python, extension, work):
        self.version, self.python, self.work = version, python, work
        self.user = BARE / "user"
        shutil.rmtree(self.user, ignore_errors=True)
        self.packages = python.parents[1] / f"lib/python{PYTHON}/site-packages"
        self.scene = work / "machine.xml"
        self.session = self.start([python, "-c", OFFLINE + SESSION, extension, self.scene])
        self.command = self.said("command")

    def said(self, word):
        """What the session said under a word; fails with all it said where it did not."""
        told = self.session.stdout + self.session.stderr
        line = next((line for line in told.splitlines() if line.startswith(f"{word}: ")), None)
        assert line is not None, told
        return json.loads(line.removeprefix(f"{word}: "))

    def start(self, command):
        """Run a program in an environment that names nothing of this checkout."""
        environment = {
            "PATH": "/nowhere",
            "HOME": str(self.work),
            "BLENDER_USER_RESOURCES": str(self.user),
            "IMPULSE_CACHE_DIR": str(self.work / "kernels"),
        }
        return subprocess.run(
            command, cwd=self.work, env=environment, capture_output=True, text=True, check=False
        )

    def impulse(self, *arguments):
        """The simulator as the add-on starts it."""
        return self.start([*self.command, *map(str, arguments)])

    def probe(self, *arguments):
        """The same, followed by where the child's modules lie."""
        *python, program, folders = self.command
        head = program.partition("from impulse_cli.main")[0]
        return self.start([*python, OFFLINE + head + PROBE, folders, *map(str, arguments)])


@pytest.fixture(scope="module")
def installed(blender, extension, tmp_path_factory):
    return Installed(*blender, extension, tmp_path_factory.mktemp("bare"))


def scene_file(name, folder):
    scene = SCENES[name]
    if isinstance(scene, Path):
        return scene
    path = folder / f"{name}.xml"
    path.write_text(scene)
    return path


def test_it_installs_and_exports(installed):
    """The add-on and its wheels are enough for Blender to tag, check and write a scene."""
    assert installed.scene.exists(), installed.session.stdout + installed.session.stderr


def test_a_machine_walks_in_it(installed):
    """What was just installed, and nothing else, simulates the walking machine and gives Blender
    its motion: the torso goes forward and stays as high as it was.
    """
    before, after = installed.said("places")

    assert abs(after[0] - before[0]) > 0.05
    assert after[2] == pytest.approx(before[2], abs=0.1)


def test_its_preferences_say_that_it_works(installed):
    """The test of the simulator answers, and where the zip carries kernels nothing was compiled."""
    answer = installed.said("answer")

    assert answer.startswith("The simulator works")
    assert "nothing had to be compiled" in answer or why_no_kernels()


def test_the_child_sees_the_wheels_and_blenders_numpy_and_nothing_else(installed):
    """After a run each module of the child lies in the extension, in NumPy or in Python."""
    scene = ROOT / "sample_scenes/pendulums/pendulum.xml"
    spline = scene_file("spline", installed.work)
    done = installed.probe("validate", "--start", scene, installed.scene, spline)

    assert done.returncode == 0, done.stdout + done.stderr
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    assert said["numpy"] == NUMPY[installed.version]
    modules = {name: Path(file).resolve() for name, file in json.loads(said["modules"]).items()}
    places = {
        "extension": installed.user.resolve() / "extensions/.local",
        "numpy": installed.packages.resolve() / "numpy",
        "python": Path(os.__file__).resolve().parent,
    }
    place_of = {
        name: next((p for p, folder in places.items() if file.is_relative_to(folder)), str(file))
        for name, file in modules.items()
        if name != "__main__"
    }
    assert place_of["scipy"] == place_of["numba"] == place_of["impulse_core"] == "extension"
    assert place_of["numpy"] == "numpy"
    assert set(place_of.values()) <= {*places}, place_of
    own = [modules[name] for name, place in place_of.items() if place == "python"]
    assert not [file for file in own if "site-packages" in file.parts]


@pytest.mark.parametrize("name", SCENES)
def test_it_simulates(installed, name, tmp_path):
    """Contact, machines with servos, hulls and splines run with the wheels alone and offline, and
    where the zip carries kernels, nothing has to be compiled.
    """
    options = ("--duration", "0.1", "-o", tmp_path / "a.npz", "--report", tmp_path / "report.json")
    done = installed.probe("run", scene_file(name, tmp_path), *options)

    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "a.npz").exists()
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["kernels_compiled"] == 0 or why_no_kernels()


def test_a_decomposition_is_refused_by_name(installed, tmp_path):
    """CoACD is not in the zip: one sentence says so."""
    path = tmp_path / "parts.xml"
    path.write_text(DECOMPOSED)

    done = installed.impulse("validate", path)

    assert done.returncode == 1
    assert "the package coacd is not installed" in done.stdout


def test_the_zip_holds_the_licence_of_every_wheel(extension):
    """For each wheel there is a file with its name, its version and a licence."""
    with zipfile.ZipFile(extension) as archive:
        names = archive.namelist()
        texts = {
            name: archive.read(name).decode() for name in names if name.startswith("licences/")
        }
    wheels = [Path(name).name for name in names if name.endswith(".whl")]

    assert len(wheels) >= 15
    for wheel in wheels:
        name, version, *_ = wheel.split("-")
        text = next(
            text
            for text in texts.values()
            if text.lower().replace("-", "_").startswith(f"{name} {version}".lower())
        )
        assert "copyright" in text.lower()
        assert len(text) > 500
