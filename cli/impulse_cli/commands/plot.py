"""``impulse plot``: quantities of animations over time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
    "-o",
    "--output",
    metavar="FILE",
    type=FILE,
    required=True,
    help="Figure (.png, .svg, .pdf), table (.csv) or script for gnuplot (.gp).",
)
@click.option(
    "--only", metavar="NAME", multiple=True, help="This body or joint only; may be repeated."
)
@click.option(
    "--difference",
    "as_difference",
    is_flag=True,
    help="Of two animations the second minus the first, at the times that both have.",
)
@click.option(
    "--spectrum",
    "as_spectrum",
    is_flag=True,
    help="Amplitudes over frequency: which oscillations there are, and how large.",
)
def plot(
    words: tuple[str, ...],
    output: Path,
    only: tuple[str, ...],
    as_difference: bool,
    as_spectrum: bool,
) -> None:
    """Plot QUANTITY of ANIM over time, or over frequency.

    ANIM are animations that "impulse run" wrote: .json, .npz or .imprec. Several of them share the
    axes. Without a QUANTITY you are told which an animation holds.

    \b
    QUANTITY is one or more of:
      energy                 kinetic, potential, total [J]
      momentum               linear and angular, by component
      positions              of the origins of bodies [m]
      orientations           of bodies, quaternions w x y z
      angle, displacement    coordinates of joints [rad], [m]; angle2, swing, twist
      force, torque          reactions of joints [N], [N m]; by component for --only one joint
      drive_force, drive_torque   what motors, springs, friction and limits exert along an axis
      contact_force          on each body, of a run with --contacts; contact_count
      clearance              of bodies that record it [m]

    \b
    Examples:
      impulse plot crane.json energy -o energy.png
      impulse plot coarse.npz fine.npz positions --only hook -o hook.csv
      impulse plot coarse.npz fine.npz positions --only hook --difference -o error.svg
      impulse plot walk.json drive_torque --only knee --spectrum -o hum.png
      impulse plot crane.json force torque --only boom-hinge -o loads.gp; gnuplot -p loads.gp
      impulse plot walk.json contact_force --only torso -o touch.png
    """
    from impulse_cli.plots.derived import difference, spectrum
    from impulse_cli.plots.figure import FIGURE_SUFFIXES
    from impulse_core.recording import SUFFIXES, write_atomically

    animations = [Path(word) for word in words if Path(word).suffix.lower() in SUFFIXES]
    quantities = [word for word in words if Path(word).suffix.lower() not in SUFFIXES]
    animations = list(dict.fromkeys(animations))
    if not animations:
        raise click.UsageError("Name an animation, a .json, .npz or .imprec file.")
    if not quantities:
        raise click.UsageError(f"Name a quantity: {animations[0]} holds {_held(animations[0])}.")
    if as_difference and len(animations) != 2:
        raise click.UsageError("--difference needs two different animations.")
    check_outputs([output], inputs=animations, suffixes=(*FIGURE_SUFFIXES, ".csv", ".gp"))
    curves = {str(animation): _curves(animation, quantities, only) for animation in animations}
    if as_difference:
        first, second = curves
        curves = {f"{second} - {first}": difference(curves[first], curves[second])}
    axis = "time [s]"
    if as_spectrum:
        axis = "frequency [Hz]"
        for name, group in curves.items():
            with _of_file(name):
                curves[name] = [spectrum(curve) for curve in group]
    write_atomically(output, _written(curves, output.suffix.lower(), axis))
    say(f"wrote {output}")


def _written(curves: dict[str, list[Curve]], suffix: str, axis: str) -> bytes:
    """The file of curves in the format of a suffix."""
    from impulse_cli.plots.figure import draw
    from impulse_cli.plots.gnuplot import script
    from impulse_cli.plots.table import tabulate

    if suffix == ".csv":
        return tabulate(curves, axis)
    return script(curves, axis) if suffix == ".gp" else draw(curves, suffix, axis)


def _held(animation: Path) -> str:
    """What can be plotted of an animation."""
    from impulse_cli.plots.curves import quantities_of
    from impulse_core.recording import load_recording

    return ", ".join(quantities_of(load_recording(animation))) or "nothing"


def _curves(animation: Path, quantities: list[str], only: tuple[str, ...]) -> list[Curve]:
    """The curves of all quantities of one animation."""
    from impulse_cli.plots.curves import curves_of
    from impulse_core.recording import load_recording

    recording = load_recording(animation)
    with _of_file(str(animation)):
        return [
            curve
            for quantity in dict.fromkeys(quantities)
            for curve in curves_of(recording, quantity, only)
        ]


@contextmanager
def _of_file(name: str) -> Iterator[None]:
    """Errors of a recording name its file."""
    from impulse_core.recording import RecordingError

    try:
        yield
    except RecordingError as error:
        raise error.in_file(name) from None
