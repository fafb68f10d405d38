"""Curves as a script of gnuplot, with their numbers in it."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_cli.plots.curves import Curve
from impulse_cli.terminal import escaped

__all__ = ["script"]


def script(curves: dict[str, list[Curve]], axis: str) -> bytes:
    """What ``gnuplot -p FILE`` draws: one panel above the other, as in a figure.

    Numbers have as many digits as it takes to read back the same float64.

    Args:
        curves: Of each animation.
        axis: What they are drawn over, as in "time [s]".
    """
    everything = [(name, curve) for name, group in curves.items() for curve in group]
    panels = list(dict.fromkeys(curve.panel for _, curve in everything))
    lines = [
        "# gnuplot -p draws this; the numbers of each curve stand in a block of their own.",
        *(line for k, (_, curve) in enumerate(everything) for line in _block(k, curve)),
        "set encoding utf8",
        "set grid",
        "set key outside right top noenhanced",
        f"set xlabel {_quoted(axis)} noenhanced",
        f"set multiplot layout {len(panels)},1",
    ]
    for panel in panels:
        drawn = [
            f"$curve{k} using 1:2 with lines title {_quoted(_title(curves, name, curve))}"
            for k, (name, curve) in enumerate(everything)
            if curve.panel == panel
        ]
        lines += [f"set ylabel {_quoted(panel)} noenhanced", "plot " + ", \\\n     ".join(drawn)]
    lines += ["unset multiplot", ""]
    return "\n".join(lines).encode(errors="backslashreplace")


def _block(number: int, curve: Curve) -> Iterator[str]:
    yield f"$curve{number} << END"
    pairs = zip(curve.times.tolist(), curve.values.tolist(), strict=True)
    yield from (f"{time!r} {value!r}" for time, value in pairs)
    yield "END"


def _title(curves: dict[str, list[Curve]], animation: str, curve: Curve) -> str:
    return f"{animation}: {curve.name}" if len(curves) > 1 else curve.name


def _quoted(text: str) -> str:
    """A string in which gnuplot interprets nothing: in single quotes, these doubled."""
    return "'" + escaped(text).replace("'", "''") + "'"
