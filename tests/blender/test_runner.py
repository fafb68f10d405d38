"""The simulator as a child process, with programs that stand in for it and once for real."""

import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


@pytest.fixture
def child(tmp_path):
    """The command of a small Python program that plays the simulator."""

    def child(source):
        path = tmp_path / "impulse.py"
        path.write_text(textwrap.dedent(source))
        return [sys.executable, str(path)]

    return child


def test_progress_lines_are_understood(child, tmp_path):
    """Stage and fraction of each JSON line reach the callback; other lines do no harm."""
    from blender_addon.simulator import runner

    command = child("""
        import json, time
        print("a note")
        for t in (0.0, 0.5, 1.0):
            line = {"event": "progress", "stage": "simulating", "time": t, "duration": 2.0}
            print(json.dumps(line | {"wall_seconds": t}), flush=True)
            time.sleep(0.2)
    """)
    seen = []

    made = runner.run(command, tmp_path / "s.xml", tmp_path / "a.json", progress=seen.append)

    assert made == tmp_path / "a.json"
    assert seen[-1].fraction in {0.25, 0.5}
    assert {p.stage for p in seen} <= {"preparing", "simulating"}


def test_the_part_of_the_kernels_that_is_compiled_is_shown(child, tmp_path):
    """While kernels are compiled, the text says which part of how many, not how many per cent."""
    from blender_addon.simulator import runner

    command = child("""
        import json, time
        line = {"event": "progress", "stage": "compiling kernels", "time": 0.0, "duration": 2.0}
        print(json.dumps(line | {"part": 2, "parts": 5}), flush=True)
        time.sleep(0.5)
    """)
    seen = []

    runner.run(command, tmp_path / "s.xml", tmp_path / "a.json", progress=seen.append)

    assert "compiling kernels, part 2 of 5 (only once)" in {progress.text for progress in seen}


def test_the_time_left_is_that_of_the_steps(child, tmp_path):
    """What compiling took before the first step says nothing of the steps that are to come."""
    from blender_addon.simulator import runner

    command = child("""
        import json, time
        for t, wall in ((0.1, 100.0), (0.6, 110.0)):
            line = {"event": "progress", "stage": "simulating", "time": t, "duration": 2.0}
            print(json.dumps(line | {"wall_seconds": wall}), flush=True)
        time.sleep(0.5)
    """)
    seen = []

    runner.run(command, tmp_path / "s.xml", tmp_path / "a.json", progress=seen.append)

    assert seen[-1].text == "simulating 30%, 28 s left"


def test_the_simulators_words_become_the_error(child, tmp_path):
    """A failed run raises with what the child said, once."""
    from blender_addon.simulator import runner

    command = child("""
        import json, sys
        print("scene.xml:3:2: error[E303]: no such body", file=sys.stderr, flush=True)
        event = {"event": "finished", "message": "the scene is wrong", "exit_code": 1}
        print(json.dumps(event), flush=True)
        sys.exit(1)
    """)

    with pytest.raises(runner.RunError, match=r"E303.*\n?.*the scene is wrong"):
        runner.run(command, tmp_path / "s.xml", tmp_path / "a.json")


@pytest.mark.parametrize("ctrl_c", [signal.default_int_handler, signal.SIG_IGN])
def test_stopping_keeps_what_was_written(child, tmp_path, ctrl_c):
    """Stop interrupts the child, which still writes its frames; also where Blender was started in
    the background, so that Ctrl-C is ignored.
    """
    from blender_addon.simulator import runner

    # Signals are the program's own, which the stand-in calls.
    command = child("""
        import sys, time
        from pathlib import Path
        from impulse_cli import main

        def execute():
            try:
                Path(sys.argv[4]).write_text("first frame")
                time.sleep(60)
            except KeyboardInterrupt:
                Path(sys.argv[4]).write_text("frames so far")
                return 130

        main.execute = execute
        main.main()
    """)
    before = signal.signal(signal.SIGINT, ctrl_c)
    try:
        run = runner.Run(command, tmp_path / "s.xml", tmp_path / "a.json")
    finally:
        signal.signal(signal.SIGINT, before)
    while not (tmp_path / "a.json").exists():
        assert not run.poll()
        time.sleep(0.01)

    run.stop()

    runner.finish(run)
    assert (tmp_path / "a.json").read_text() == "frames so far"


def test_a_command_that_does_not_exist_is_one_sentence(tmp_path):
    """No traceback for a wrong path in the preferences."""
    from blender_addon.simulator import runner

    with pytest.raises(runner.RunError, match="/nowhere/impulse cannot be started"):
        runner.run(["/nowhere/impulse"], tmp_path / "s.xml", tmp_path / "a.json")


def test_the_preferred_command_wins():
    """Preferences are taken as a shell would split them."""
    from blender_addon.simulator import runner

    assert runner.find_command("nice '/opt/my impulse'") == ["nice", "/opt/my impulse"]


@pytest.mark.parametrize("absent", ["numba", "scipy", "click", "impulse_core"])
def test_without_a_part_of_the_simulator_the_message_names_it(monkeypatch, absent):
    """Whichever library is not importable is named, where no command impulse can stand in."""
    from blender_addon.simulator import runner

    find_spec = runner.importlib.util.find_spec
    monkeypatch.setattr(
        runner.importlib.util, "find_spec", lambda name: None if name == absent else find_spec(name)
    )
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(runner.RunError, match=rf"no {absent} here.*pip install"):
        runner.find_command()


# Says that it was imported, and does no more.
PLANTED = """
from pathlib import Path
Path(__file__).with_suffix(".ran").touch()
"""


def _plant(folder, names):
    for name in names:
        (folder / f"{name}.py").write_text(PLANTED)


def _ran(folder):
    return sorted(path.name for path in folder.glob("*.ran"))


def _validate_in(folder, monkeypatch):
    """Validate a scene by the add-on's child, with a folder as the current one."""
    import subprocess

    from blender_addon.simulator import runner

    scene = Path(__file__).resolve().parents[2] / "sample_scenes/pendulums/pendulum.xml"
    command = runner.find_command()
    monkeypatch.chdir(folder)
    return subprocess.run(
        [*command, "validate", str(scene)], capture_output=True, text=True, check=False
    )


def test_the_child_imports_nothing_from_the_current_folder(monkeypatch, tmp_path):
    """A click.py that lies where Blender was started is not run."""
    _plant(tmp_path, ["click"])

    done = _validate_in(tmp_path, monkeypatch)

    assert done.returncode == 0, done.stderr
    assert _ran(tmp_path) == []


def test_the_child_imports_only_what_it_was_given(monkeypatch, tmp_path):
    """No module of Python, of Impulse or of a library is taken from the current folder, from what
    environment variables name, or from the user's own packages.
    """
    from blender_addon.simulator import runner

    _plant(tmp_path, sys.stdlib_module_names)
    _plant(tmp_path, [*runner.OURS, *runner.LIBRARIES, "numpy", "typing_extensions"])
    _plant(tmp_path, ["sitecustomize", "usercustomize"])
    python = "python{}.{}".format(*sys.version_info)
    user = tmp_path / "user/lib" / python / "site-packages"
    user.mkdir(parents=True)
    (user / "planted.pth").write_text(f"import sys; open({str(tmp_path / 'pth.ran')!r}, 'w')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))

    done = _validate_in(tmp_path, monkeypatch)

    assert done.returncode == 0, done.stderr
    assert _ran(tmp_path) == []


def test_a_library_of_the_extension_wins_over_one_beside_numpy(monkeypatch, tmp_path):
    """The folder of Impulse comes first among those the child imports from."""
    import json

    from blender_addon.simulator import runner

    *_, folders = runner.find_command()

    cli = Path(runner.importlib.util.find_spec("impulse_cli").origin).parents[1]
    assert json.loads(folders)[0][0] == str(cli)


@pytest.mark.slow
def test_tag_simulate_and_play(add_body, add_empty, select, context, tmp_path):
    """The whole loop by operators: a body hung half a metre off swings as a pendulum does."""
    import numpy as np
    from scipy.integrate import solve_ivp

    add_body(size=(0.1, 0.1, 0.1), location=(0.5, 0, 0))
    select(add_empty("pivot", rotation_euler=(np.pi / 2, 0, 0)))
    bpy.ops.impulse.tag_joint(type="hinge", body2="box")
    settings = context.scene.impulse.settings
    settings.duration, settings.method = 1.0, "imp4"
    context.scene.frame_set(20)

    bpy.ops.impulse.run_simulation(directory=str(tmp_path))

    context.scene.frame_set(26)
    # Angle below the horizontal: (m r^2 + I) a'' = m g r cos a, I = m s^2 / 6.
    factor = 9.81 * 0.5 / (0.5**2 + 0.1**2 / 6)
    swing = solve_ivp(lambda _t, y: (y[1], factor * np.cos(y[0])), (0, 1), (0, 0), rtol=1e-9)
    angle = swing.y[0, -1]
    expected = (0.5 * np.cos(angle), 0, -0.5 * np.sin(angle))
    np.testing.assert_allclose(
        bpy.data.objects["box"].matrix_world.translation, expected, atol=1e-4
    )
    assert context.scene.frame_end == 250
    assert {path.name for path in tmp_path.iterdir()} == {"untitled.xml", "untitled.anim.imprec"}


def test_importing_the_add_on_loads_no_kernels(tmp_path):
    """Blender starts without numba: neither the add-on nor reading animations needs it."""
    import subprocess

    root = Path(__file__).resolve().parents[2]
    inherited = filter(None, [os.environ.get("PYTHONPATH")])
    code = (
        "import sys, bpy, blender_addon; blender_addon.register();"
        " import impulse_core.recording; print('numba' in sys.modules);"
        " blender_addon.unregister()"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *inherited])},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "False" in done.stdout.split()
