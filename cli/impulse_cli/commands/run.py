"""``impulse run``: simulate a scene and write the animation."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from impulse_cli.exit_codes import GOOD, INTERRUPTED, SIMULATION_FAILED, WRONG_INPUT
from impulse_cli.outputs import check_outputs
from impulse_cli.parameters import FILE, allow_outside_option, positive
from impulse_cli.progress import print_json_line, show_progress
from impulse_cli.recordings import frames_of
from impulse_cli.rescue import save_somewhere
from impulse_cli.terminal import complain, say

if TYPE_CHECKING:
    from impulse_core import Recording, Written
    from impulse_core.recording import GrowingFile
    from impulse_schema import Scene

_METHODS = (
    "imp2",
    "imp4",
    "imp6",
    "imp8",
    "imp10",
    "lm4",
    "lmbs4",
    "lmv4",
    "lmvd4",
    "lmvd8",
    "gc4",
)
_MOST_CORRECTIONS = 10**9
_SOLVERS = ("direct", "sle", "iterative")
_OF_FILES = ("checkpoint", "resume", "every", "bodies", "float32")


@click.command()
@click.argument("scene", type=FILE)
@click.option(
    "-o",
    "--output",
    metavar="ANIM",
    type=FILE,
    required=True,
    help="Animation: .json, .npz, or .imprec, which can be read while it grows.",
)
@click.option("--step", metavar="S", type=positive("s"), help="Length of a step [s].")
@click.option("--duration", metavar="S", type=positive("s"), help="Simulated time [s].")
@click.option("--fps", metavar="N", type=positive("1/s"), help="Recorded frames per second.")
@click.option(
    "--method",
    type=click.Choice(_METHODS),
    help="Impulse step of order 2 (imp2) for all scenes; its compositions of higher order and"
    " explicit steps of order 8 with projection (lmvd8) for what moves smoothly: joints, couplings,"
    " springs, dampers, servos and motors; or a comparison method.",
)
@click.option(
    "--solver",
    type=click.Choice(_SOLVERS),
    help="Solver of the joint system: direct is fast for everything; sle and iterative are those"
    " of the papers.",
)
@click.option(
    "--tolerance",
    metavar="M",
    type=positive("m"),
    help="Largest joint error after a step [m]; default for imp2 and steps h of 10 ms or more 1e-6"
    " of the scene's size, for smaller ones times (h / 10 ms)^3. Steps are"
    " divided where contacts leave five times as much, by default no less than 5e-7 of the size.",
)
@click.option(
    "--assemble/--no-assemble",
    default=None,
    help="Move bodies until joints close and axes lie within their limits, and let overlapping"
    " bodies come apart; or do nothing of what the scene says of it.",
)
@click.option(
    "--budget-ms",
    metavar="T",
    type=positive("ms"),
    help="Time for each step [ms]: it ends there as far corrected as it came, so the motion depends"
    " on the machine (solver iterative).",
)
@click.option(
    "--budget-corrections",
    metavar="N",
    type=click.IntRange(min=1, max=_MOST_CORRECTIONS),
    help="The same as a number of joint corrections for each step, with the same motion"
    " everywhere; two for each joint are made at least (solver iterative).",
)
@click.option(
    "--time-of-impact/--no-time-of-impact",
    default=None,
    help="Divide steps where bodies meet and where axes reach limits, so that"
    " impacts act at their very moment and not at the end of the step.",
)
@click.option(
    "--contacts/--no-contacts",
    default=None,
    help="Record points, normals and impulses of the contacts with every frame.",
)
@click.option(
    "--checkpoint",
    metavar="S",
    type=positive("s"),
    help="Make the run safe after every so many seconds of computing, in ANIM.checkpoint"
    " (an .imprec).",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on from ANIM.checkpoint, to the same bits as if the run had never been killed; begin"
    " where there is none (an .imprec).",
)
@click.option(
    "--every",
    metavar="N",
    type=click.IntRange(min=1),
    help="Record only every Nth frame (an .imprec).",
)
@click.option(
    "--bodies",
    metavar="PATTERN",
    multiple=True,
    help="Record the poses of these bodies only, as in 'leg-*'; may be given again (an .imprec).",
)
@click.option(
    "--float32",
    is_flag=True,
    help="Record 7 digits instead of 16, in half the size (an .imprec).",
)
@click.option("--report", metavar="FILE", type=FILE, help="Write what was measured as JSON.")
@click.option(
    "--threads",
    metavar="N",
    type=click.IntRange(min=1),
    help="Most threads to use, for large heaps; the result is the same.",
)
@click.option(
    "--progress",
    type=click.Choice(["auto", "bar", "json", "none"]),
    default="auto",
    help="auto: a bar on a terminal; json: one object a line on stdout.",
)
@allow_outside_option
def run(
    scene: Path,
    output: Path,
    report: Path | None,
    progress: str,
    allow_outside: bool,
    **options: Any,
) -> int:
    """Simulate SCENE and write its motion as ANIM.

    What is not given here is taken from the scene's settings. Ctrl-C ends the simulation and
    keeps the frames so far, and so does a simulation that fails; "complete" is then false.

    \b
    Examples:
      impulse run crane.xml -o crane.json
      impulse run crane.xml -o crane.npz --duration 20 --method imp4 --report report.json
      impulse run crane.xml -o week.imprec --duration 6e5 --every 60 --checkpoint 60 --resume
    """
    from impulse_core.recording import GROWING, SUFFIXES
    from impulse_core.simulation.interrupts import HeldSignals

    outputs = [output] if report is None else [output, report]
    check_outputs(outputs, inputs=[scene], suffixes=SUFFIXES)
    _tell_of_killed_runs(output)
    streams = output.suffix.lower() == GROWING
    given = {
        name: value
        for name, value in options.items()
        if value is not None and (value or name not in _OF_FILES)
    }
    if not streams:
        _refuse_of_files(given, output)
    simulate = _simulated_to_file if streams else _simulated
    # From the first frame until the last byte is written, Ctrl-C has to wait.
    with HeldSignals(is_patient=True) as signals:
        with signals.acting_at_once():
            import impulse_core

            _refuse_unknown(given)
            loaded = impulse_core.load_scene(scene, allow_outside=allow_outside)
        with show_progress(progress) as callback:
            outcome = simulate(loaded, output, {**given, "progress": callback})
        _add_report(outcome, report)
        outcome.is_interrupted |= signals.drop()
    if progress == "json":
        _print_finished(outcome)
    else:
        _print_summary(outcome)
    if outcome.failure:
        complain(f"{scene}: {outcome.failure}")
    for problem in outcome.problems:
        complain(problem)
    return outcome.exit_code


@dataclass
class _Outcome:
    """What a run leaves behind.

    Attributes:
        recording: the frames, or what is in the file.
        output: where they are; None if they could be written nowhere.
        failure: why the simulation ended early, or "".
        problems: what could not be written where it should be.
        is_interrupted: whether Ctrl-C was pressed.
    """

    recording: Recording | Written
    output: Path | None
    failure: str
    problems: list[str]
    is_interrupted: bool

    @property
    def exit_code(self) -> int:
        if self.failure:
            return SIMULATION_FAILED
        if self.problems:
            return WRONG_INPUT
        return INTERRUPTED if self.is_interrupted else GOOD


def _simulated_to_file(scene: Scene, output: Path, options: dict[str, Any]) -> _Outcome:
    """Frames go to the output as they are computed."""
    import impulse_core

    try:
        written, failure = impulse_core.simulate_to_file(scene, output, **options), ""
    except impulse_core.SimulationError as error:
        if error.written is None:
            raise
        written, failure = error.written, str(error)
    return _Outcome(written, output, failure, [], _is_interrupted(written))


def _simulated(scene: Scene, output: Path, options: dict[str, Any]) -> _Outcome:
    """Frames are kept in memory, and in a file beside the output until that is written."""
    import impulse_core
    from impulse_core.recording import GrowingFile

    file = GrowingFile(output, is_hidden=True)
    try:
        recording, failure = impulse_core.simulate(scene, file=file, **options), ""
    except impulse_core.SimulationError as error:
        recording, failure = error.recording, str(error)
    place, problem = _placed(recording, output, file)
    problems = [problem] if problem else []
    return _Outcome(recording, place, failure, problems, _is_interrupted(recording))


def _is_interrupted(recording: Recording | Written) -> bool:
    return bool(recording.diagnostics["interrupted"])


def _add_report(outcome: _Outcome, report: Path | None) -> None:
    """Write what was measured, after the frames."""
    from impulse_core.recording import RecordingError

    if report is not None:
        try:
            _write_report(outcome.recording, report)
        except RecordingError as error:
            outcome.problems.append(str(error))


def _placed(recording: Recording, output: Path, file: GrowingFile) -> tuple[Path | None, str]:
    """Where the frames are, and what went wrong."""
    place, problem = save_somewhere(recording, output)
    if place is not None:
        file.discard()
    elif file.path is not None:
        problem += f" What was kept of it while it was computed is in {file.path}."
    return place, problem


def _tell_of_killed_runs(output: Path) -> None:
    """Name the files in which killed runs to the same output have left frames."""
    from impulse_core.recording import unfinished_beside

    for path in unfinished_beside(output):
        complain(
            f"{path} holds the frames of a run that did not end; 'impulse convert' makes a .npz or"
            " .json of it, or remove it."
        )


def _refuse_of_files(options: dict[str, Any], output: Path) -> None:
    """Options of long runs, whose frames go to a file that grows."""
    from impulse_core import OptionError

    for name in sorted(options.keys() & set(_OF_FILES)):
        raise OptionError(
            f"--{name} is for runs that go to an .imprec; write {output.with_suffix('.imprec')}, of"
            f" which 'impulse convert' makes a {output.suffix}."
        )


def _refuse_unknown(options: dict[str, Any]) -> None:
    """Options of the command that this version of the core does not have."""
    import impulse_core

    known = inspect.signature(impulse_core.simulate).parameters
    for name in sorted(options.keys() - set(_OF_FILES)):
        if name not in known:
            flag = "--" + name.replace("_", "-")
            raise impulse_core.OptionError(f"{flag} is not built yet; leave it out.")


def _write_report(recording: Recording | Written, path: Path) -> None:
    from impulse_core.recording import write_atomically

    text = json.dumps(recording.diagnostics, indent=2, allow_nan=False)
    write_atomically(path, f"{text}\n".encode())


def _print_finished(outcome: _Outcome) -> None:
    recording, facts = outcome.recording, outcome.recording.diagnostics
    print_json_line(
        event="finished",
        output=None if outcome.output is None else str(outcome.output),
        complete=recording.complete,
        exit_code=outcome.exit_code,
        message=" ".join(filter(None, [outcome.failure, *outcome.problems])),
        frames=recording.frame_count,
        time=recording.end,
        steps=facts["step_count"],
        wall_seconds=facts["wall_seconds_total"],
        max_joint_error_m=facts["max_joint_error_m"],
        warnings=facts["warnings"],
    )


def _print_summary(outcome: _Outcome) -> None:
    from impulse_core import Written

    recording, facts = outcome.recording, outcome.recording.diagnostics
    for warning in facts["warnings"]:
        complain(f"Warning: {warning}.")
    if isinstance(recording, Written) and recording.was_there:
        say(f"{outcome.output} holds the whole run: {frames_of(recording)}; nothing was computed")
        return
    wall = facts["wall_seconds_total"]
    speed = f", {recording.end / wall:.3g} times real time" if wall > 0.0 else ""
    say(
        f"{facts['step_count']} steps of {recording.step:g} s ({recording.method}) in"
        f" {wall:.3g} s{speed}"
    )
    say(
        f"largest joint error {_number(facts['max_joint_error_m'])} m, largest energy drift"
        f" {_number(facts['energy_j']['max_abs_drift'])} J"
    )
    if outcome.output is not None:
        say(f"wrote {outcome.output}: {frames_of(recording)}")
        _tell_of_checkpoint(outcome)


def _tell_of_checkpoint(outcome: _Outcome) -> None:
    from impulse_core.simulation.to_file import CHECKPOINT

    checkpoint = f"{outcome.output}{CHECKPOINT}"
    if not outcome.recording.complete and Path(checkpoint).exists():
        say(f"{checkpoint} holds its state; the same command with --resume goes on from there")


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2g}"
