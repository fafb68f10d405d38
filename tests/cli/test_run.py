"""``impulse run``: outputs, reports, progress, and what happens when it ends early."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

import impulse_core
from impulse_core.recording import load_recording

from .conftest import PENDULUM, Cli, Program

REPORT_KEYS = {
    "compile_seconds",
    "kernels_compiled",
    "wall_seconds_total",
    "start_seconds",
    "step_count",
    "seconds_per_step",
    "corrections_per_step",
    "max_joint_error_m",
    "max_joint_angle_error_rad",
    "energy_j",
    "momentum_drift",
    "contacts",
    "state_sha256",
    "run_key",
    "warnings",
}


@pytest.mark.parametrize("suffix", [".json", ".npz", ".imprec"])
def test_run_writes_what_simulate_returns(cli: Cli, pendulum: Path, suffix: str) -> None:
    """The file holds the same bits as the recording of the Python call with the same options."""
    output = pendulum.with_name(f"anim{suffix}")
    outcome = cli("run", pendulum, "-o", output, "--step", "0.005", "--fps", "50")

    scene = impulse_core.load_scene(pendulum)
    expected = impulse_core.simulate(scene, step=0.005, fps=50)
    written = load_recording(output)
    assert outcome.code == 0
    assert outcome.err == ""
    assert f"wrote {output}: 26 frames of 1 body" in outcome.out
    assert written.complete
    assert written.positions.tobytes() == expected.positions.tobytes()
    assert written.diagnostics["state_sha256"] == expected.diagnostics["state_sha256"]


def test_options_reach_the_simulation(cli: Cli, pendulum: Path) -> None:
    """Options win over the scene's settings, and those over the defaults."""
    output = pendulum.with_name("anim.npz")
    options = ("--duration", "0.3", "--step", "0.02", "--fps", "10", "--method", "imp4")

    assert cli("run", pendulum, "-o", output, *options, "--solver", "direct").code == 0

    recording = load_recording(output)
    assert recording.times[-1] == pytest.approx(0.3)
    assert recording.frame_count == 4
    assert (recording.step, recording.fps, recording.method) == (0.02, 10.0, "imp4")


def test_tolerance_reaches_the_simulation(cli: Cli, pendulum: Path) -> None:
    """``--tolerance`` bounds the joint error."""
    report = pendulum.with_name("report.json")
    words = ("run", pendulum, "-o", pendulum.with_name("a.npz"), "--report", report)

    assert cli(*words, "--tolerance", "1e-11").code == 0

    assert json.loads(report.read_text())["max_joint_error_m"] <= 1e-11


@pytest.mark.parametrize("solver", ["sle", "iterative"])
def test_solver_reaches_the_simulation(cli: Cli, pendulum: Path, solver: str) -> None:
    """``--solver`` chooses, and the recording names it."""
    output = pendulum.with_name("anim.npz")

    assert cli("run", pendulum, "-o", output, "--solver", solver).code == 0

    assert load_recording(output).solver == solver


@pytest.mark.parametrize(
    ("flag", "key"), [("--budget-ms", "limit_ms"), ("--budget-corrections", "limit_corrections")]
)
def test_budget_reaches_the_simulation(cli: Cli, pendulum: Path, flag: str, key: str) -> None:
    """Budgets end steps early, and the report says what that cost."""
    report = pendulum.with_name("report.json")
    words = ("run", pendulum, "-o", pendulum.with_name("a.npz"), "--report", report)

    assert cli(*words, "--solver", "iterative", flag, "1000").code == 0

    budget = json.loads(report.read_text())["budget"]
    assert budget[key] == 1000
    assert budget["steps_cut"] == 0
    assert 0.0 <= budget["mean_joint_error_m"] <= budget["max_joint_error_m"]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], (None, None)),
        (["--time-of-impact", "--contacts"], (True, True)),
        (["--no-time-of-impact", "--no-contacts"], (False, False)),
    ],
)
def test_options_of_contact_reach_the_simulation(
    cli: Cli,
    pendulum: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    expected: tuple[bool | None, bool | None],
) -> None:
    """They are handed on as they are given, and not at all where they are not."""
    seen = []

    def simulate(
        scene: object,
        *,
        progress: object = None,
        file: object = None,
        time_of_impact: bool | None = None,
        contacts: bool | None = None,
    ) -> None:
        seen.append((time_of_impact, contacts))
        raise impulse_core.OptionError("enough")

    monkeypatch.setattr(impulse_core, "simulate", simulate, raising=False)
    outcome = cli("run", pendulum, "-o", pendulum.with_name("a.npz"), *flags)

    assert "enough" in outcome.err
    assert seen == [expected]


def test_report_has_the_documented_keys(cli: Cli, pendulum: Path) -> None:
    """``--report`` writes the diagnostics of the recording, as JSON."""
    report = pendulum.with_name("report.json")

    assert cli("run", pendulum, "-o", pendulum.with_name("a.json"), "--report", report).code == 0

    facts = json.loads(report.read_text())
    assert set(facts) >= REPORT_KEYS
    assert facts["step_count"] == 50
    assert set(facts["seconds_per_step"]) == {"mean", "median", "max"}
    assert set(facts["energy_j"]) >= {
        *("initial", "final", "max_abs_drift", "mean_abs_drift", "mean_abs_increment"),
    }


def test_progress_json(cli: Cli, pendulum: Path) -> None:
    """``--progress json``: every line of stdout is an object; the last says how it ended."""
    output = pendulum.with_name("anim.json")
    outcome = cli("run", pendulum, "-o", output, "--progress", "json")

    events = [json.loads(line) for line in outcome.out.splitlines()]
    assert {event["event"] for event in events[:-1]} == {"progress"}
    assert events[-2]["time"] == events[-2]["duration"] == 0.5
    assert events[-2]["steps"] == 50
    assert events[-1]["event"] == "finished"
    assert events[-1]["exit_code"] == outcome.code == 0
    assert events[-1]["output"] == str(output)
    assert events[-1]["complete"] is True
    assert events[-1]["frames"] == 14


def test_progress_bar_is_on_stderr(cli: Cli, pendulum: Path) -> None:
    """``--progress bar`` leaves stdout to the summary."""
    outcome = cli("run", pendulum, "-o", pendulum.with_name("a.json"), "--progress", "bar")

    assert outcome.code == 0
    assert len(outcome.out.splitlines()) == 3


@pytest.mark.parametrize(
    ("option", "named"),
    [
        (("--tolerance", "1e-15"), "finer than coordinates"),
        (("--budget-ms", "2"), "solver iterative"),
        (("--solver", "sle", "--budget-corrections", "9"), "sle"),
        (("--step", "100"), "longer than the duration"),
    ],
)
def test_options_the_core_refuses(
    cli: Cli, pendulum: Path, option: tuple[str, ...], named: str
) -> None:
    """What cannot be simulated is refused with a sentence that names it, not ignored."""
    output = pendulum.with_name("anim.json")
    outcome = cli("run", pendulum, "-o", output, *option)

    assert outcome.code == 1
    assert named in outcome.err
    assert outcome.err.count("\n") == 1
    assert not output.exists()


def test_an_output_that_grows(cli: Cli, pendulum: Path) -> None:
    """An .imprec is written as the run goes; one that a killed run left is put aside and named."""
    output = pendulum.with_name("anim.imprec")
    assert cli("run", pendulum, "-o", output).code == 0
    whole = load_recording(output)
    output.write_bytes(output.read_bytes()[:-50])

    outcome = cli("run", pendulum, "-o", output, "--duration", "0.25")

    [aside] = set(pendulum.parent.iterdir()) - {pendulum, output}
    assert outcome.code == 0
    assert f"did not end; they are in {aside} now" in outcome.err
    assert load_recording(output).times[-1] == 0.25
    assert load_recording(aside).positions.tobytes() == whole.positions.tobytes()


def test_unknown_suffix(cli: Cli, pendulum: Path) -> None:
    """An output of an unknown kind is refused before simulating, with the kinds there are."""
    outcome = cli("run", pendulum, "-o", pendulum.with_name("anim.bvh"))

    assert outcome.code == 1
    assert "ends in '.bvh'; write a name that ends in .json, .npz or .imprec" in outcome.err


def refuse_to_simulate(*_: object, **__: object) -> None:
    raise AssertionError("simulated although the output cannot be written")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere/anim.json", "nowhere' does not exist"),
        ("pendulum.xml/anim.json", "pendulum.xml' is not a folder"),
        ("folder.json", "is a folder"),
        ("locked.json", "is read-only"),
        ("x" * 300 + ".json", "name too long"),
    ],
)
def test_outputs_are_checked_first(
    cli: Cli, pendulum: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    """An output that cannot be written is found before the simulation, and nothing is left."""
    monkeypatch.setattr("impulse_core.simulation.simulate.simulate", refuse_to_simulate)
    (pendulum.parent / "folder.json").mkdir()
    (pendulum.parent / "locked.json").write_text("old")
    (pendulum.parent / "locked.json").chmod(0o444)
    before = sorted(pendulum.parent.iterdir())

    good, bad = pendulum.with_name("good.json"), pendulum.parent / name
    for words in (("-o", bad), ("-o", good, "--report", bad)):
        outcome = cli("run", pendulum, *words)
        assert outcome.code == 1
        assert message in outcome.err
        assert outcome.err.count("\n") == 1

    assert before == sorted(pendulum.parent.iterdir())
    assert (pendulum.parent / "locked.json").read_text() == "old"


def test_the_scene_is_never_replaced(cli: Cli, pendulum: Path) -> None:
    """Writing over the input, also by way of a link, is refused."""
    scene = pendulum.with_suffix(".json")
    assert cli("convert", pendulum, scene).code == 0
    content = scene.read_bytes()
    link = pendulum.with_name("link.json")
    link.symlink_to(scene)

    for output in (scene, link):
        outcome = cli("run", scene, "-o", output)
        assert outcome.code == 1
        assert "would replace the input" in outcome.err
    assert "two outputs" in cli("run", pendulum, "-o", link, "--report", link).err
    assert scene.read_bytes() == content


def test_failed_simulation(cli: Cli, pendulum: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation that fails: exit code 3, the frames so far, the error in the events."""
    # Newton's iteration cannot find a rod of 1 m for a body that flies 1000 m in a step.
    pendulum.write_text(
        PENDULUM.replace('mass="1"', 'mass="1" velocity="0 1e7 0" ').replace(
            'duration="0.5"', 'duration="0.5" step="0.5" gravity="0 0 0"'
        )
    )
    output, report = pendulum.with_name("anim.json"), pendulum.with_name("report.json")

    outcome = cli("run", pendulum, "-o", output, "--report", report)

    recording = load_recording(output)
    assert outcome.code == 3
    assert "'rod'" in outcome.err
    assert not recording.complete
    assert recording.frame_count >= 1
    assert "rod" in recording.events[-1]["message"]
    assert set(json.loads(report.read_text())) >= REPORT_KEYS


def wait_until_it_steps(process: subprocess.Popen[str], *, after: float = 1.0) -> float:
    """Read progress lines until the simulation is beyond a time [s]; returns where it is."""
    assert process.stdout is not None
    for line in process.stdout:
        if (now := json.loads(line)["time"]) > after:
            return float(now)
    raise AssertionError("the simulation ended by itself")


ENDLESS = ("--duration", "1e6", "--fps", "1", "--progress", "json")


@pytest.mark.parametrize(
    "sent",
    [(signal.SIGINT,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGTERM)],
    ids=["ctrl-c", "terminate", "both"],
)
def test_ctrl_c_keeps_the_frames(
    pendulum: Path, program: Program, sent: tuple[signal.Signals, ...]
) -> None:
    """After Ctrl-C, or being asked to end, or both at once, as by a program that Ctrl-C ends too:
    exit code 130 and a whole file of the frames so far.
    """
    output = pendulum.with_name("anim.json")
    process = program("run", pendulum, "-o", output, *ENDLESS)

    wait_until_it_steps(process)
    for one in sent:
        process.send_signal(one)
    out, err = process.communicate(timeout=60)

    recording = load_recording(output)
    finished = json.loads(out.splitlines()[-1])
    assert process.returncode == finished["exit_code"] == 130
    assert not recording.complete
    assert recording.frame_count >= 2
    assert recording.diagnostics["interrupted"] is True
    assert "Traceback" not in err
    assert sorted(pendulum.parent.iterdir()) == [output, pendulum]


def test_ctrl_c_does_not_end_a_run_in_the_background(pendulum: Path, program: Program) -> None:
    """Jobs that a shell starts in the background, or nohup, ignore Ctrl-C as others do there; they
    end, with their frames, when they are asked to.
    """
    output = pendulum.with_name("anim.json")
    process = program("run", pendulum, "-o", output, *ENDLESS, background=True)

    now = wait_until_it_steps(process)
    process.send_signal(signal.SIGINT)
    wait_until_it_steps(process, after=now + 5.0)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)

    assert process.returncode == 130
    assert load_recording(output).times[-1] > now + 5.0


@pytest.mark.parametrize("place", ["load_scene", "simulate"])
def test_ctrl_c_before_the_first_step(
    cli: Cli, pendulum: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Ctrl-C while the scene is read or kernels are compiled: exit code 130, nothing written."""
    output = pendulum.with_name("anim.json")
    output.write_text("old")

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"impulse_core.{place}", interrupt)
    outcome = cli("run", pendulum, "-o", output)

    assert outcome.code == 130
    assert outcome.err.strip() == "Interrupted; nothing was written."
    assert output.read_text() == "old"


def test_a_closed_pipe_does_not_stop_the_run(pendulum: Path, program: Program) -> None:
    """A reader of the progress that goes away costs the progress, not the simulation."""
    output = pendulum.with_name("anim.json")
    process = program("run", pendulum, "-o", output, "--duration", "20", "--progress", "json")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()

    process.wait(timeout=60)

    assert load_recording(output).complete
