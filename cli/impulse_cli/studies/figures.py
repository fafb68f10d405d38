"""Figures of many runs: how a search went on, and which values go with which measures."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from impulse_cli.studies.runs import DONE, Row
from impulse_cli.terminal import escaped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["convergence", "curves", "parallel"]

Floats = NDArray[np.float64]

_DECADES = 1.5  # from how many on an axis has equal ratios
_LABEL = 26  # letters on a line


def convergence(
    rows: Sequence[Row], start: Row, objectives: Sequence[str], maximised: Sequence[bool]
) -> bytes:
    """A PNG of each objective over the trials, the best so far, and the scene as it stands."""
    figure = _figure(8.0, 1.0 + 2.6 * len(objectives))
    grid = figure.subplots(len(objectives), 1, sharex=True, squeeze=False)
    for axes, text, more in zip(grid[:, 0], objectives, maximised, strict=True):
        values = _measured(rows, text)
        best = (np.fmax if more else np.fmin).accumulate(values)
        axes.plot(values, ".", markersize=4, alpha=0.5, label="trial")
        axes.step(range(len(best)), best, where="post", label="best so far")
        if text in start.measures:
            axes.axhline(start.measures[text], color="0.4", linestyle="--", label="at the start")
        axes.set_ylabel("\n".join(_lines(text)), parse_math=False, fontsize="small")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    grid[-1, 0].set_xlabel("trial")
    return _png(figure)


def curves(rows: Sequence[Row], path: str, measures: Sequence[str]) -> bytes:
    """A PNG of each measure over the one number that was varied."""
    done = sorted((row for row in rows if row.status == DONE), key=lambda row: row.values[path])
    figure = _figure(8.0, 1.0 + 2.6 * len(measures))
    grid = figure.subplots(len(measures), 1, sharex=True, squeeze=False)
    values = np.array([row.values[path] for row in done], float)
    for axes, text in zip(grid[:, 0], measures, strict=True):
        axes.plot(values, _measured(done, text), ".-", linewidth=1.2)
        axes.set_ylabel("\n".join(_lines(text)), parse_math=False, fontsize="small")
        axes.grid(alpha=0.3)
        if _is_wide(values):
            axes.set_xscale("log")
    grid[-1, 0].set_xlabel(escaped(path), parse_math=False)
    return _png(figure)


def parallel(rows: Sequence[Row], paths: Sequence[str], measures: Sequence[str]) -> bytes:
    """A PNG with an axis for each value and measure, and a line for each run across them.

    Lines have the colour of the last measure; those of its greatest and least values lie on top of
    the others.
    """
    import matplotlib as mpl

    done = [row for row in rows if row.status == DONE]
    columns = [(path, [row.values[path] for row in done]) for path in paths]
    columns += [(text, [row.measures[text] for row in done]) for text in measures]
    figure = _figure(1.6 + 1.7 * len(columns), 5.0)
    axes = figure.subplots()
    heights = np.array([_heights(axes, x, *column) for x, column in enumerate(columns)])
    colours = mpl.colormaps["viridis"]
    for number in np.argsort(np.abs(heights[-1] - 0.5)):
        line = heights[:, number]
        axes.plot(line, color=colours(float(line[-1])), linewidth=0.9, alpha=0.7)
    axes.set_xlim(-0.3, len(columns) - 0.7)
    axes.set_ylim(-0.05, 1.05)
    axes.set_xticks(range(len(columns)), ["\n".join(_lines(name)) for name, _ in columns])
    for label in axes.get_xticklabels():
        label.set(parse_math=False, fontsize=7)
    axes.set_yticks([])
    for side in ("left", "right", "top", "bottom"):
        axes.spines[side].set_visible(False)
    return _png(figure)


def _heights(axes: Axes, x: int, _name: str, values: list[Any]) -> Floats:
    """Where the values of a column lie on its axis, from 0 to 1; the axis is drawn."""
    axes.axvline(x, color="0.6", linewidth=0.8)
    if not all(isinstance(value, (int, float)) for value in values) or not values:
        words = sorted(set(map(str, values)))
        heights = [words.index(str(value)) / max(len(words) - 1, 1) for value in values]
        for number, word in enumerate(words):
            _mark(axes, x, number / max(len(words) - 1, 1), word)
        return np.array(heights)
    numbers = np.array(values, float)
    is_wide = _is_wide(numbers)
    scaled = np.log(numbers) if is_wide else numbers
    low, high = float(scaled.min()), float(scaled.max())
    for height in (0.0, 0.5, 1.0) if high > low else (0.5,):
        value = low + height * (high - low) if high > low else low
        _mark(axes, x, height, f"{math.exp(value) if is_wide else value:.4g}")
    return (scaled - low) / (high - low) if high > low else np.full(len(scaled), 0.5)


def _mark(axes: Axes, x: float, height: float, word: str) -> None:
    text = axes.text(x + 0.03, height, escaped(word), fontsize=7, va="center", parse_math=False)
    text.set_bbox({"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.5})


def _measured(rows: Sequence[Row], text: str) -> Floats:
    return np.array([row.measures.get(text, math.nan) for row in rows], float)


def _is_wide(values: Floats) -> bool:
    """Whether values spread over so many decades that an even axis would hide the small ones."""
    return bool(len(values) and values.min() > 0 and values.max() / values.min() > 10**_DECADES)


def _lines(text: str) -> list[str]:
    """A path or a measure on lines that are not too long, broken where a key begins."""
    lines = [""]
    for piece in escaped(text).replace(".", "\0.").replace(" ", "\0 ").split("\0"):
        if len(lines[-1]) + len(piece) > _LABEL:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=110)
    return stream.getvalue()
