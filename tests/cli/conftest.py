"""A scene and a way to call the command line, for the tests of this folder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from impulse_cli.main import execute
from tests.processes import start_python

PENDULUM = """\
<scene version="1" name="pendulum">
  <settings duration="0.5"/>
  <body name="bob" position="1 0 0" mass="1" inertia="0.1 0.1 0.1"/>
  <joint type="distance" name="rod" body1="world" body2="bob" anchor="0 0 0" anchor2="1 0 0"/>
</scene>
"""


class Outcome(NamedTuple):
    """What a call of the command line left behind."""

    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]
Program = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Cli:
    """Calls the command line in this process, as the console entry does."""

    def call(*words: str | Path) -> Outcome:
        capfd.readouterr()
        code = execute([str(word) for word in words])
        return Outcome(code, *capfd.readouterr())

    return call


@pytest.fixture
def program() -> Iterator[Program]:
    """Starts the command line as a process of its own, which does not outlive the test.

    It listens to Ctrl-C, also where the tests themselves were started in the background, unless
    it shall be in the background itself.
    """
    with ExitStack() as started:

        def start(*words: str | Path, background: bool = False) -> subprocess.Popen[str]:
            process = start_python("-m", "impulse_cli", *words, background=background)
            started.enter_context(process)
            started.callback(process.kill)
            return process

        yield start


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    """A scene file: one body on a rod."""
    path = tmp_path / "pendulum.xml"
    path.write_text(PENDULUM)
    return path
