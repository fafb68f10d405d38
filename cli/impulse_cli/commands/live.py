"""``impulse live``: a session that another program drives over standard input and output."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from impulse_cli.exit_codes import GOOD
from impulse_cli.parameters import FILE, allow_outside_option, positive
from impulse_cli.progress import print_json_line


@click.command()
@click.argument("scene", type=FILE)
@click.option("--speed", metavar="X", type=positive(""), default=1.0, help="Times real time.")
@click.option("--paused", is_flag=True, help="Wait for the command Resume.")
@click.option(
    "--rate", metavar="N", type=positive("1/s"), default=60.0, help="Most snapshots a second."
)
@allow_outside_option
def live(scene: Path, speed: float, paused: bool, rate: float, allow_outside: bool) -> int:
    """Simulate SCENE for another program, which commands over standard input and watches the
    output.

    Each line is one JSON object. In: a command as logs hold it, with an "id" if an answer is
    wanted, or {"keep": FILE}, which writes the motion so far. Out: "started" with the names of the
    bodies, "snapshot" with time, state and poses (x y z, w x y z of each body as float64, little
    endian, in base 64), "done" or "refused" with the id, "kept", "failed". It ends when standard
    input closes, or at Ctrl-C.

    \b
    Lines in:
      {"command": "Drag", "body": "torso", "point": [0, 0, 0], "target": [0, 0, 1]}
      {"command": "SetParameter", "path": "settings.gravity[2]", "value": -1.6, "id": 7}
      {"command": "Pause"}
      {"keep": "motion.imprec"}
    """
    import impulse_core as ic
    from impulse_cli.remote import Remote, lines_of

    print_json_line(event="progress", stage="getting the simulator ready")
    loaded = ic.load_scene(scene, allow_outside=allow_outside)
    with ic.Session(loaded, speed=speed, paused=paused, snapshot_rate=rate) as session:
        remote = Remote(session, print_json_line)
        with suppress(KeyboardInterrupt):  # one way to end it
            for line in lines_of(0):
                remote.take(line)
        remote.close()
    return GOOD
