"""Figures as files; the only place of the experiments that draws."""

from __future__ import annotations

import importlib.util
import io
import math

import click

from impulse_cli.experiments.result import Figure, Panel

__all__ = ["draw", "require_matplotlib"]

_PANEL_INCHES = (4.3, 3.4)
_DOTS_PER_INCH = 110
_MOST_NAMES = 6  # in one column of a legend


def require_matplotlib() -> None:
    """Say what is missing before anything is computed.

    Raises:
        ClickException: Where matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise click.ClickException(
            "Experiments draw figures with matplotlib: pip install 'impulse-dynamics[plots]'."
        )


def draw(figure: Figure) -> bytes:
    """A figure as PNG."""
    from matplotlib.figure import Figure as Canvas

    width, height = _PANEL_INCHES
    canvas = Canvas(figsize=(width * len(figure.panels), height), layout="constrained")
    grid = canvas.subplots(1, len(figure.panels), squeeze=False)
    for axes, panel in zip(grid[0], figure.panels, strict=True):
        _draw_panel(axes, panel)
    labels = {line.label for panel in figure.panels for line in panel.lines}
    columns = 1 if len(labels) <= _MOST_NAMES else 2
    if all({line.label for line in panel.lines} == labels for panel in figure.panels):
        grid[0, -1].legend(
            loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False
        )
    else:
        for axes in grid[0]:
            axes.legend(fontsize="small", frameon=False, ncols=columns)
    stream = io.BytesIO()
    canvas.savefig(stream, format="png", dpi=_DOTS_PER_INCH)
    return stream.getvalue()


def _draw_panel(axes, panel: Panel) -> None:  # type: ignore[no-untyped-def]  # matplotlib's Axes
    from matplotlib.ticker import LogLocator, NullLocator

    for line in panel.lines:
        y = [math.nan if value is None else value for value in line.y]
        color = {"color": line.color} if line.color else {}
        axes.plot(line.x, y, line.style, label=line.label, linewidth=1.2, markersize=3.5, **color)
    if panel.logarithmic:
        axes.set(xscale="log", yscale="log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_title(panel.title, fontsize="medium")
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    axes.grid(alpha=0.3)
