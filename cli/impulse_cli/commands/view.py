"""``impulse view``: a scene that simulates, or a recording that plays, in the browser."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from impulse_cli.parameters import FILE, allow_outside_option, positive
from impulse_cli.progress import compiling_announced
from impulse_cli.terminal import complain, say

if TYPE_CHECKING:
    from impulse_cli.viewer.source import Source
    from impulse_schema import Scene

_MISSING = (
    "The page in the browser needs viser and PyAV: pip install 'impulse-dynamics[view]'. All other"
    " commands work without."
)


@click.command()
@click.argument("what", metavar="SCENE|ANIM", type=FILE)
@click.option(
    "--scene",
    "scene_file",
    metavar="SCENE",
    type=FILE,
    help="Of an animation: the scene file that says how its bodies look; default the file beside"
    " it whose name the animation holds.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    help="Port to listen on; default the first free one from 8080 on, 0 for any.",
)
@click.option("--browser/--no-browser", default=True, help="Open the page, or only say where.")
@click.option("--speed", metavar="X", type=positive(""), default=1.0, help="Times real time.")
@click.option("--paused", is_flag=True, help="Wait for 'Play' on the page.")
@click.option(
    "--watch", is_flag=True, help="Start anew whenever the file is written; a bad file is told of."
)
@allow_outside_option
def view(
    what: Path,
    scene_file: Path | None,
    host: str,
    port: int | None,
    browser: bool,
    watch: bool,
    allow_outside: bool,
    **options: Any,
) -> None:
    """Show SCENE, simulated while you watch, or the recorded ANIM in the browser.

    On the page bodies are pushed with a click and pulled with the mouse, every value of the scene
    can be changed, quantities are plotted while it runs, and time can be stopped and turned back.
    It is at the address that is printed, whose token keeps others out, until Ctrl-C.

    \b
    Examples:
      impulse view crane.xml
      impulse view crane.xml --paused --watch
      impulse view crane.json --scene crane.xml --no-browser --port 9000
    """
    if not all(map(find_spec, ("av", "viser"))):
        raise click.ClickException(_MISSING)
    from impulse_cli.viewer.address import Address, open_server
    from impulse_cli.viewer.opening import open_scene
    from impulse_cli.viewer.page import Page
    from impulse_cli.viewer.stage import Stage
    from impulse_cli.viewer.watching import FileWatch

    def opened() -> tuple[Scene, Callable[[], Source]]:
        return open_scene(what, scene_file, allow_outside=allow_outside, **options)

    def reopened() -> Source:
        return opened()[1]()

    scene, start = opened()
    with ExitStack() as at_end:
        address = Address(host, port)
        server = open_server(address, scene.name or what.stem)
        at_end.callback(server.stop)
        stage = Stage(server, scene)
        _announce(address.url, host, browser)  # a browser takes as long to start as what follows
        with compiling_announced():
            page = Page(server, start(), stage)
        at_end.callback(page.close)
        at_end.enter_context(suppress(KeyboardInterrupt))  # the way to end it
        page.run(threading.Event(), (FileWatch(what), reopened) if watch else None)


def _announce(url: str, host: str, browser: bool) -> None:
    """Say where the page is, and open it."""
    say(f"{url}")
    if host not in ("127.0.0.1", "localhost", "::1"):
        complain("Warning: others on the network who know this address can see and change it.")
    complain("Ctrl-C ends it.")
    if browser and not webbrowser.open(url):
        complain("No browser could be opened; open the address yourself.")
