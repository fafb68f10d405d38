"""``impulse plot``: quantities of animations over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from impulse_cli.outputs import check_outputs
from impulse_cli.parameters import FILE
from impulse_cli.terminal import say

if TYPE_CHECKING:
    from impulse_cli.plots.curves import Curve


@click.command()
@click.argument("words", metavar="ANIM... QUANTITY...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="FILE", type=FILE, required=True, help=".png, .svg, .pdf or .csv."
)
@click.option(
    "--only", metavar="NAME", multiple=True, help="This body or joint only; may be repeated."
)
def plot(words: tuple[str, ...], output: Path, only: tuple[str, ...]) -> None:
    """Plot QUANTITY over time: energy, momentum, positions, contact_force (of a run with
    --contacts), clearance of bodies that record it, or a quantity of joints (angle, force).

    ANIM are animations that "impulse run" wrote: .json, .npz or .imprec. Several of them share the
    axes.

    \b
    Examples:
      impulse plot crane.json energy -o energy.png
      impulse plot coarse.npz fine.npz positions --only hook -o hook.csv
      impulse plot crane.json force torque --only boom-hinge -o loads.svg
      impulse plot walk.json contact_force --only torso -o touch.png
    """
    from impulse_cli.plots.figure import FIGURE_SUFFIXES, draw
    from impulse_cli.plots.table import tabulate
    from impulse_core.recording import SUFFIXES, write_atomically

    animations = [Path(word) for word in words if Path(word).suffix.lower() in SUFFIXES]
    quantities = [word for word in words if Path(word).suffix.lower() not in SUFFIXES]
    if not animations:
        raise click.UsageError("Name an animation, a .json, .npz or .imprec file.")
    if not quantities:
        raise click.UsageError(
            "Name a quantity: energy, momentum, positions, contact_force, clearance, angle, force."
        )
    check_outputs([output], inputs=animations, suffixes=(*FIGURE_SUFFIXES, ".csv"))
    curves = {
        str(animation): _curves(animation, quantities, only)
        for animation in dict.fromkeys(animations)
    }
    suffix = output.suffix.lower()
    write_atomically(output, tabulate(curves) if suffix == ".csv" else draw(curves, suffix))
    say(f"wrote {output}")


def _curves(animation: Path, quantities: list[str], only: tuple[str, ...]) -> list[Curve]:
    """The curves of all quantities of one animation."""
    from impulse_cli.plots.curves import curves_of
    from impulse_core.recording import RecordingError, load_recording

    recording = load_recording(animation)
    try:
        return [
            curve
            for quantity in dict.fromkeys(quantities)
            for curve in curves_of(recording, quantity, only)
        ]
    except RecordingError as error:
        raise error.in_file(str(animation)) from None
