"""Curves as a figure: one panel per quantity, one above the other."""

from __future__ import annotations

import io
from collections.abc import Sequence

import click

from impulse_cli.plots.curves import Curve

__all__ = ["FIGURE_SUFFIXES", "draw"]

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")

_MOST_NAMES = 12  # in a legend; more would hide the curves
_DASHES = ("-", "--", ":", "-.")


def draw(curves: dict[str, list[Curve]], suffix: str) -> bytes:
    """The file of a figure of the curves of each animation, in the format of ``suffix``."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise click.ClickException(
            "Figures need matplotlib: pip install 'impulse-dynamics[plots]', or write a .csv."
        ) from None
    from matplotlib.figure import Figure

    panels = list(dict.fromkeys(curve.panel for group in curves.values() for curve in group))
    figure = Figure(figsize=(8.0, 1.0 + 2.8 * len(panels)), layout="constrained")
    grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False)
    for axes, panel in zip(grid[:, 0], panels, strict=True):
        for label, curve, dash in _lines(curves, panel):
            axes.plot(curve.times, curve.values, dash, label=label, linewidth=1.2)
        axes.set_ylabel(panel)
        axes.grid(alpha=0.3)
        if len(axes.lines) <= _MOST_NAMES:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    grid[-1, 0].set_xlabel("time [s]")
    stream = io.BytesIO()
    # Neither a date nor random names, so that the same animation gives the same file.
    with mpl.rc_context({"svg.hashsalt": "impulse"}):
        metadata = {".png": None, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
        figure.savefig(stream, format=suffix[1:], dpi=150, metadata=metadata)
    return stream.getvalue()


def _lines(curves: dict[str, list[Curve]], panel: str) -> Sequence[tuple[str, Curve, str]]:
    """Label, curve and dash of all lines of a panel; each animation has a dash of its own."""
    several = len(curves) > 1
    return [
        (f"{animation}: {curve.name}" if several else curve.name, curve, _DASHES[index % 4])
        for index, (animation, group) in enumerate(curves.items())
        for curve in group
        if curve.panel == panel
    ]
