"""``impulse``: the group of commands, and the one place where errors become exit codes."""

from __future__ import annotations

import _thread
import importlib
import io
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import click

from impulse_cli.exit_codes import CLOSED_PIPE, GOOD, INTERRUPTED
from impulse_cli.starter import end_as_ctrl_c_does, watch_starter
from impulse_cli.terminal import complain, escaped, say

__all__ = ["execute", "impulse", "main"]

_COMMANDS = (
    "example",
    "run",
    "validate",
    "info",
    "mass",
    "convert",
    "view",
    "live",
    "plot",
    "sweep",
    "optimise",
    "experiment",
    "schema",
)


class _Commands(click.Group):
    """Commands by name, each imported from its module only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(_COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002  # click's signature
        name: str,
    ) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command = getattr(importlib.import_module(f"impulse_cli.commands.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(_COMMANDS)}."
            ctx.fail(f"There is no command '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from importlib import metadata

    try:
        version = metadata.version("impulse-dynamics")
    except metadata.PackageNotFoundError:
        version = "(not installed)"
    say(f"impulse {version}")
    ctx.exit()


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def impulse() -> None:
    """Simulate jointed machines: a scene file in, an animation out.

    \b
    Typical use:
      impulse example crane
      impulse validate crane.xml
      impulse info crane.xml
      impulse run crane.xml -o crane.json
      impulse view crane.json
      impulse plot crane.json energy -o energy.png

    Exit codes: 0 good; 1 the input is wrong; 2 usage; 3 the simulation failed (the output holds
    the frames so far); 130 after Ctrl-C (the same).
    """


def execute(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing that goes wrong is raised.

    Args:
        arguments: the words after ``impulse``; those of the process if None.
    """
    try:
        code = impulse.main(
            args=None if arguments is None else list(arguments),
            prog_name="impulse",
            standalone_mode=False,
        )
    except click.ClickException as error:
        error.message = escaped(error.message)  # type: ignore[misc]  # click writes it once
        with suppress(OSError):
            error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        complain("Interrupted; nothing was written.")
        return INTERRUPTED
    except SystemExit:  # of click, where nobody reads stdout any more
        return CLOSED_PIPE
    except Exception as error:  # whatever it is, the user sees one line
        from impulse_cli.errors import report_error

        try:
            return report_error(error)
        except KeyboardInterrupt:
            return INTERRUPTED
    return code if isinstance(code, int) else GOOD


class _Interrupter:
    """Ends the command as Ctrl-C does, so that the frames so far are kept.

    Ctrl-C in a terminal reaches the program that started this one too, which then may ask for the
    same by a signal of its own: what follows within a second is no second wish.
    """

    _SAME_WISH = 1.0  # s
    _SOON = 0.05  # s, after which Python is hardly where it was

    def __init__(self) -> None:
        self._last = -self._SAME_WISH
        self.was_called = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        self.was_called = True
        now = time.monotonic()
        if now - self._last >= self._SAME_WISH:
            self._last = now
            raise KeyboardInterrupt

    def ask_again(self, lost: sys.UnraisableHookArgs) -> None:
        """Interrupt once more where Python only printed it, as ``sys.unraisablehook``: while an
        object was taken away, which may happen anywhere.
        """
        if lost.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(lost)
            return
        self._last = -self._SAME_WISH
        # Not by threading, one of whose locks may be held where this comes.
        _thread.start_new_thread(self._end_soon, ())

    def _end_soon(self) -> None:
        time.sleep(self._SOON)
        end_as_ctrl_c_does()


def main() -> NoReturn:
    """The ``impulse`` program."""
    _open_standard_streams()
    interrupter = _Interrupter()
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as shells and nohup start jobs
        signal.signal(signal.SIGINT, interrupter)
    # The way another program ends this one, also where Ctrl-C is ignored.
    signal.signal(signal.SIGTERM, interrupter)
    sys.unraisablehook = interrupter.ask_again
    watch_starter()
    code = execute()
    if interrupter.was_called and code == GOOD:
        code = INTERRUPTED  # what it raised got lost: Python only prints it in some places
    _close_standard_output()
    # Where Ctrl-C came within exec(), as dataclasses are made by it, Python would end by the signal
    # and not with our code, although it was caught; at the next call of exec() it forgets that.
    exec("")
    sys.exit(code)


def _open_standard_streams() -> None:
    """Streams that can be written to, whatever was closed and whatever names are to be shown.

    Where one is closed, the next file to be opened would take its number and get what is meant
    for it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _close_standard_output() -> None:
    """Write what is left; what cannot be written has been spoken of, and Python need not."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
