"""A program that starts the command line can stop it by its standard input, and end it by dying."""

from __future__ import annotations

import os
import subprocess
import sys

SLEEPER = """
import time
from impulse_cli import main

def execute():
    try:
        print("there", flush=True)
        while True:
            time.sleep(0.1)
    except KeyboardInterrupt:
        print("stopped", flush=True)
        return 130

main.execute = execute
main.main()
"""


def start(**variables: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", SLEEPER],
        env={**os.environ, **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "there\n"
    return child


def test_a_line_stops_it_as_ctrl_c_does() -> None:
    """What it has is kept."""
    with start(IMPULSE_ENDS_WITH_STDIN="1") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("stop\n")
        child.stdin.flush()
        assert child.stdout.read() == "stopped\n"
        assert child.wait(20) == 130


def test_it_ends_when_nobody_is_there_any_more() -> None:
    """At once, whatever it is doing."""
    with start(IMPULSE_ENDS_WITH_STDIN="1") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.close()
        assert child.wait(20) == 141
        assert child.stdout.read() == ""


def test_otherwise_the_standard_input_does_not_matter() -> None:
    """As of a command in a shell script."""
    with start() as child:
        assert child.stdin is not None
        child.stdin.close()
        try:
            child.wait(0.5)
        except subprocess.TimeoutExpired:
            child.kill()
        else:
            raise AssertionError("it ended")
