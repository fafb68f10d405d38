"""Curves as a figure: one panel per quantity, one above the other."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import numpy as np

from impulse_cli.plots.curves import Curve
from impulse_cli.terminal import escaped
from impulse_core.recording import RecordingError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FIGURE_SUFFIXES", "draw"]

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")

_MOST_NAMES = 12  # in a legend; more would hide the curves
_LARGEST = 1e300
_DASHES = ("-", "--", ":", "-.")


def draw(curves: dict[str, list[Curve]], suffix: str, axis: str) -> bytes:
    """The file of a figure of the curves of each animation, in the format of ``suffix``.

    ``axis`` is what they are drawn over, as in "time [s]".
    """
    try:
        import matplotlib as mpl
    except ImportError:
        raise click.ClickException(
            "Figures need matplotlib: pip install 'impulse-dynamics[plots]', or write a .csv."
        ) from None
    from matplotlib.figure import Figure

    _refuse_huge([curve for group in curves.values() for curve in group])
    panels = list(dict.fromkeys(curve.panel for group in curves.values() for curve in group))
    figure = Figure(figsize=(8.0, 1.0 + 2.8 * len(panels)), layout="constrained")
    grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False)
    for axes, panel in zip(grid[:, 0], panels, strict=True):
        lines = _lines(curves, panel)
        for _, curve, dash in lines:
            axes.plot(curve.times, curve.values, dash, linewidth=1.2)
        axes.set_ylabel(escaped(panel), parse_math=False)
        axes.grid(alpha=0.3)
        if len(lines) <= _MOST_NAMES:
            _add_legend(axes, [label for label, _, _ in lines])
    grid[-1, 0].set_xlabel(axis)
    stream = io.BytesIO()
    # Neither a date nor random names, so that the same animation gives the same file.
    with mpl.rc_context({"svg.hashsalt": "impulse"}):
        metadata = {".png": None, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
        figure.savefig(stream, format=suffix[1:], dpi=150, metadata=metadata)
    return stream.getvalue()


def _refuse_huge(curves: list[Curve]) -> None:
    """Numbers whose axis would reach beyond the largest there is."""
    for curve in curves:
        if not np.all(np.abs(curve.values) <= _LARGEST):
            raise RecordingError(
                f"the curve {curve.name} of {curve.panel} goes beyond {_LARGEST:g}, which cannot be"
                " drawn; write a .csv."
            )


def _add_legend(axes: Axes, labels: list[str]) -> None:
    """Names as they are: neither is a dollar sign mathematics nor an underscore a secret."""
    legend = axes.legend(
        axes.lines,
        ["curve"] * len(labels),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        fontsize="small",
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(escaped(label))


def _lines(curves: dict[str, list[Curve]], panel: str) -> Sequence[tuple[str, Curve, str]]:
    """Label, curve and dash of all lines of a panel; each animation has a dash of its own."""
    several = len(curves) > 1
    return [
        (f"{animation}: {curve.name}" if several else curve.name, curve, _DASHES[index % 4])
        for index, (animation, group) in enumerate(curves.items())
        for curve in group
        if curve.panel == panel
    ]
