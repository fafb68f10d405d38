"""``impulse view``: how it begins and ends; tests/viewer look at its page."""

from __future__ import annotations

import signal
import urllib.request
from pathlib import Path

import pytest

from impulse_cli.commands import view

from .conftest import Cli, Program


def test_without_the_extra_it_says_what_to_install(
    cli: Cli, pendulum: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, and no other command needs it."""
    monkeypatch.setattr(view, "find_spec", lambda _: None)

    outcome = cli("view", pendulum)

    assert outcome.code == 1
    assert "pip install 'impulse-dynamics[view]'" in outcome.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("gone.xml",), 1, "gone.xml"),
        (("bad.xml",), 1, "Did you mean 'mass'"),
        (("pendulum.xml", "--scene", "pendulum.xml"), 1, "--scene has no meaning"),
        (("pendulum.xml", "--port", "70000"), 2, "--port"),
        (("pendulum.xml", "--speed", "0"), 2, "not a positive number"),
        (("pendulum.xml", "--host", "no.such.host.invalid"), 1, "no such host"),
    ],
)
def test_what_cannot_be_shown_is_told(
    cli: Cli, pendulum: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    """On the terminal, before anything is served."""
    pytest.importorskip("viser")
    pendulum.with_name("bad.xml").write_text(pendulum.read_text().replace(" mass=", " mas="))
    paths = [pendulum.with_name(word) if word.endswith(".xml") else word for word in words]

    outcome = cli("view", *paths, "--no-browser")

    assert outcome.code == code
    assert message in outcome.err
    assert "http" not in outcome.out


def test_it_serves_until_it_is_interrupted(program: Program, pendulum: Path) -> None:
    """The address that it prints answers; Ctrl-C ends it with the code for that."""
    pytest.importorskip("viser")
    process = program("view", pendulum, "--no-browser", "--port", "0", "--paused")
    assert process.stdout is not None

    with urllib.request.urlopen(process.stdout.readline().strip(), timeout=30) as answer:
        assert answer.status == 200
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "Traceback" not in errors
