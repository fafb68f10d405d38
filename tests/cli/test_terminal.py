"""What reaches the terminal: nothing of a file acts on it, whatever the streams are like."""

from __future__ import annotations

import ast
import json
import math
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import impulse_cli
from impulse_cli.terminal import escaped
from impulse_core.recording import Recording

from .conftest import Cli

ACTING = "\x1b[31m\x07\r\n\x00\x9b2J\x7f\u202e\u2028\ud800"


def acts(text: str) -> set[str]:
    """Characters of ``text`` that a terminal may act upon; ends of lines are ours."""
    marks = {"\u2028", "\u2029", *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
    return {
        c for c in text if (unicodedata.category(c) in {"Cc", "Cs"} or c in marks) and c != "\n"
    }


def animation(path: Path, names: tuple[str, ...], value: float = 1.0) -> Path:
    """A recording of bodies with these names."""
    frames, bodies = 3, len(names)
    Recording(
        scene="s",
        fps=1.0,
        step=0.01,
        method="imp2",
        solver="direct",
        times=np.arange(frames),
        body_names=names,
        positions=np.full((frames, bodies, 3), value),
        orientations=np.tile([1.0, 0.0, 0.0, 0.0], (frames, bodies, 1)),
        joints={name: {"angle": np.full(frames, value)} for name in names},
    ).save(path)
    return path


@given(st.text())
def test_escaped_text_is_one_line_that_does_nothing(text: str) -> None:
    """Whatever a text holds, what is printed of it is one line without control characters; what
    does no harm stays as it is.
    """
    shown = escaped(text)

    assert not acts(shown)
    assert "\n" not in shown
    assert isinstance(shown.encode(), bytes)
    if text.isascii() and text.isprintable():
        assert shown == text


def test_only_one_module_prints() -> None:
    """No command prints past the module that escapes."""
    root = Path(impulse_cli.__file__).parent
    for source in root.rglob("*.py"):
        if source.name == "terminal.py":  # also that of the experiments, which reads no file
            continue
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in {"print", "click.echo", "click.secho", "sys.stdout.write"}, (
                    f"{source}:{node.lineno}"
                )


@pytest.mark.parametrize(
    "content",
    [
        {"version": 1, "bodies": [{"name": f"a{ACTING}", "mass": 1, "inertia": [1, 1, 1]}]},
        {"version": 1, f"bodies{ACTING}": []},
        {"version": 1, "bodies": [{"name": "a", f"mass{ACTING}": 1}]},
        {"version": 1, "joints": [{"type": f"ball{ACTING}", "body1": ACTING, "body2": "b"}]},
        {"version": 1, "meshes": [{"name": "m", "file": f"{ACTING}.obj"}]},
        {"version": 1, "motors": [{"joint": ACTING, "velocity": f"sin({ACTING})"}]},
    ],
)
def test_scenes_with_control_characters(cli: Cli, tmp_path: Path, content: object) -> None:
    """Every command that reads a scene shows its strings escaped, in lines of its own."""
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(content))
    for words in (("validate", scene), ("info", scene), ("run", scene, "-o", tmp_path / "a.json")):
        outcome = cli(*words)
        said = outcome.out + outcome.err
        assert outcome.code == 1
        assert not acts(said)
        for line in said.splitlines():
            assert line.startswith(str(scene)) or "problem" in line


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("words", [["positions"], ["speed"], ["angle", "--only", "b"]])
def test_recordings_with_control_characters(
    cli: Cli, tmp_path: Path, suffix: str, words: list[str]
) -> None:
    """The same of recordings, also in what is wrong with a request."""
    path = animation(tmp_path / f"anim{suffix}", (f"a{ACTING}",))

    outcome = cli("plot", path, *words, "-o", tmp_path / "out.csv")

    assert not acts(outcome.out + outcome.err)
    assert (outcome.out + outcome.err).count("\n") == 1


def test_file_names_with_control_characters(cli: Cli, tmp_path: Path) -> None:
    """And of names of files, which come from disks and archives of others."""
    name = f"a{ACTING}".replace("\x00", "").replace("\ud800", "")
    for command in (
        ("validate", f"{name}.xml"),
        ("run", f"{name}.xml", "-o", tmp_path / f"{name}.json"),
        ("mass", f"{name}.obj", "--density", "1"),
        ("plot", f"{name}.npz", "energy", "-o", tmp_path / "a.csv"),
        (name,),
        ("run", "--method", name),
    ):
        outcome = cli(*command)
        assert not acts(outcome.out + outcome.err)
        assert outcome.code in {1, 2}


# --------------------------------------------------------------------------------------
# Figures
# --------------------------------------------------------------------------------------

NAMES = ["$\\frac{a$", "$$", "$\\badcommand$", "_hidden", "%s", "{0}", ACTING, "a--b", "<&>", " "]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".csv"])
@pytest.mark.filterwarnings("ignore:Glyph")
def test_any_name_can_be_plotted(cli: Cli, tmp_path: Path, suffix: str) -> None:
    """Names are text, neither formulas nor hidden nor markup."""
    path = animation(tmp_path / "anim.json", tuple(NAMES))

    outcome = cli("plot", path, "angle", "-o", tmp_path / f"out{suffix}")

    assert outcome.code == 0, outcome.err
    if suffix == ".svg":
        text = (tmp_path / "out.svg").read_text()
        assert "_hidden" in text
        assert not acts(text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8)
@given(name=st.text(min_size=1))
@pytest.mark.filterwarnings("ignore:Glyph")
def test_names_of_any_characters(tmp_path: Path, name: str) -> None:
    """The same of texts nobody thought of."""
    from impulse_cli.plots.curves import curves_of
    from impulse_cli.plots.figure import draw
    from impulse_cli.plots.table import tabulate
    from impulse_core.recording import load_recording

    recording = load_recording(animation(tmp_path / "anim.json", (name,)))
    curves = {name: curves_of(recording, "angle")}
    assert draw(curves, ".svg", "time [s]")
    assert tabulate(curves, "time [s]")


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-300, 1e154, 1e299, 1e301, 1.7e308])
@pytest.mark.parametrize("quantity", ["positions", "angle"])
def test_numbers_of_any_size(cli: Cli, tmp_path: Path, value: float, quantity: str) -> None:
    """A curve is drawn, or it is said why it cannot be; a table holds it in any case."""
    path = animation(tmp_path / "anim.json", ("a",), value)

    assert cli("plot", path, quantity, "-o", tmp_path / "out.csv").code == 0
    outcome = cli("plot", path, quantity, "-o", tmp_path / "out.png")
    assert outcome.code == (0 if value <= 1e300 else 1)
    if outcome.code:
        assert "cannot be drawn; write a .csv" in outcome.err


# --------------------------------------------------------------------------------------
# Streams
# --------------------------------------------------------------------------------------


def program(words: list[str], redirection: str, **environment: str) -> tuple[int, bytes, bytes]:
    """Exit code and what is printed by ``impulse`` with streams that a shell has redirected."""
    done = subprocess.run(
        ["bash", "-c", f'"$@" {redirection}', "-", sys.executable, "-m", "impulse_cli", *words],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("redirection", "code"),
    [
        (">&-", 0),
        (">&- 2>&-", 0),
        (">&- 2>&- <&-", 0),
        ("| true; exit ${PIPESTATUS[0]}", 141),
        (">/dev/full", 1),
        (">/dev/full 2>&1", 1),
        ("2>/dev/full", 0),
        ("1</dev/null", 1),
    ],
)
def test_streams_of_a_shell(redirection: str, code: int) -> None:
    """Closed streams are silent, a full one is said, a reader that is gone ends it as others."""
    found, _, errors = program(["schema", "--xsd"], redirection)

    assert found == code
    assert errors in {
        b"",
        *(b"Standard output cannot be written: %s.\n" % reason for reason in REASONS),
    }


REASONS = (b"no space left on device", b"bad file descriptor")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "ascii:strict"},
        {"PYTHONIOENCODING": "latin1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
@pytest.mark.parametrize("command", ["info", "validate"])
def test_terminals_without_unicode(
    tmp_path: Path, environment: dict[str, str], command: str
) -> None:
    """Names that the terminal cannot show are shown as escapes."""
    scene = tmp_path / "é語.json"
    body = {"name": "é語😀", "mass": 1, "inertia": [1, 1, 1]}
    scene.write_text(json.dumps({"version": 1, "name": "語", "bodies": [body]}))

    code, out, errors = program([command, str(scene)], "", **environment)

    assert code == 0, errors
    assert (b"\\u8a9e" if command == "info" else b": good\n") in out
    assert errors == b""


def test_json_holds_no_infinity(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed as JSON can be read by any program: null in place of what is not finite."""
    import impulse_core

    facts = {"a": math.inf, "b": [1.0, math.nan, {"c": (-math.inf, 2)}], "warnings": []}
    monkeypatch.setattr(impulse_core, "describe", lambda _: facts, raising=False)
    scene = tmp_path / "s.json"
    scene.write_text('{"version": 1, "bodies": [{"name": "a", "motion": "static"}]}')

    printed = json.loads(cli("info", "--json", scene).out, parse_constant=pytest.fail)

    assert printed == {"a": None, "b": [1.0, None, {"c": [None, 2]}], "warnings": []}
