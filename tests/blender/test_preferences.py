"""The preferences: what is installed, the test of the simulator with its answer, the kernels."""

import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from tests.blender.test_panels import Layout

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def answer():
    """The answer that the preferences show, empty again afterwards."""
    from blender_addon import preferences

    yield preferences.ANSWER
    preferences.ANSWER.text, preferences.ANSWER.works = "", None


@pytest.fixture
def with_command(monkeypatch):
    """Lets the add-on start another program in place of the simulator."""
    from blender_addon import preferences

    def with_command(*words):
        monkeypatch.setattr(preferences, "command", lambda _context: " ".join(words))

    return with_command


def drawn():
    """What the preferences show."""
    from blender_addon import preferences

    shown = Layout()
    panel = preferences.IMPULSE_Preferences
    view = type("Drawn", (), {"layout": shown, "bl_rna": panel.bl_rna})()
    panel.draw(view, bpy.context)
    return shown.shown


def test_the_simulator_is_tried(answer, tmp_path, monkeypatch):
    """A small machine is simulated for real, and the preferences show that it was, and for how
    long; nothing of it stays behind.
    """
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    assert bpy.ops.impulse.test_simulator() == {"FINISHED"}

    assert answer.works
    assert answer.text.startswith("The simulator works: ")
    assert answer.text in drawn()
    assert list(tmp_path.iterdir()) == []


def test_a_simulator_that_fails_is_an_answer(answer, with_command, tmp_path):
    """What the simulator said is shown, a line each."""
    script = tmp_path / "broken.py"
    script.write_text("print('no room left')\nprint('on the disk')\nraise SystemExit(3)\n")
    with_command(sys.executable, str(script))

    with pytest.raises(RuntimeError, match="no room left"):
        bpy.ops.impulse.test_simulator()

    assert answer.works is False
    assert "on the disk" in drawn()


def test_a_command_that_is_not_there_is_an_answer(answer, with_command):
    """A wrong command in the preferences is named."""
    with_command("/no/such/impulse")

    with pytest.raises(RuntimeError, match="cannot be started"):
        bpy.ops.impulse.test_simulator()

    assert answer.works is False
    assert any("/no/such/impulse" in text for text in drawn())


def test_the_window_is_free_while_the_test_runs(answer, with_command, tmp_path):
    """From the button on the run is looked at by a timer: a look takes in what there is and ends
    with the answer; meanwhile the button is off, and disabling the add-on ends the run.
    """
    from blender_addon.operators import self_test

    script = tmp_path / "slow.py"
    script.write_text("import time\ntime.sleep(600)\n")
    with_command(sys.executable, str(script))
    operator = type("Operator", (), {"report": lambda *_arguments: None})()

    assert self_test.IMPULSE_OT_test_simulator.start(operator, bpy.context)
    process = self_test.UnderTest.test.child._process
    assert self_test.look() == self_test.TICK
    assert answer.works is None
    assert not bpy.ops.impulse.test_simulator.poll()

    self_test.unregister()
    assert process.poll() is not None
    assert self_test.look() is None
    assert bpy.ops.impulse.test_simulator.poll()


@pytest.mark.parametrize(
    ("compiled", "words"), [(0, "nothing had to be compiled"), (7, "12 s compiled 7 parts of it")]
)
def test_compiling_is_told(compiled, words):
    """Whether the run waited for the compiler is part of the answer."""
    from blender_addon.simulator.self_test import about_kernels

    assert words in about_kernels({"kernels_compiled": compiled, "compile_seconds": 12.3})


def test_the_version_is_that_of_the_manifest():
    """Whoever reports a fault can say which version it is of."""
    manifest = (ROOT / "blender_addon/blender_manifest.toml").read_text(encoding="utf-8")

    assert f"Impulse {tomllib.loads(manifest)['version']}" in drawn()


@pytest.mark.parametrize(
    "named",
    [{"IMPULSE_CACHE_DIR": "kernels"}, {"XDG_CACHE_HOME": "/c"}, {"XDG_CACHE_HOME": "c"}, {}],
)
def test_the_folder_of_the_kernels_is_that_of_the_simulator(named, monkeypatch):
    """Where the preferences look is where the simulator keeps what it compiles."""
    from blender_addon.simulator.self_test import kernel_folder
    from impulse_core.jit import kernel_folder as folders

    for name in ("IMPULSE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in named.items():
        monkeypatch.setenv(name, value)

    assert kernel_folder() == folders.cache_parent() / folders.OWN_FOLDER


def test_the_size_of_the_kernels_is_shown(monkeypatch, tmp_path):
    """Folder and size of what was compiled, files of its folders counted."""
    folder = tmp_path / "impulse-kernels/0123"
    folder.mkdir(parents=True)
    (folder / "a").write_bytes(bytes(2_000_000))
    (folder.parent / "b").write_bytes(bytes(500_000))
    monkeypatch.setenv("IMPULSE_CACHE_DIR", str(tmp_path))

    assert f"Compiled kernels: 2.5 MB in {folder.parent}" in drawn()


def test_the_documentation_opens_offline():
    """The link leads to a file that is there."""
    from blender_addon import documentation

    parts = urlsplit(documentation.url("blender", "workflow"))

    assert parts.scheme == "file"
    assert parts.fragment == "workflow"
    assert Path(url2pathname(parts.path)).is_file()
