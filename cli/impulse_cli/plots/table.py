"""Curves as comma-separated values."""

from __future__ import annotations

import csv
import io

from impulse_cli.plots.curves import Curve

__all__ = ["tabulate"]


def tabulate(curves: dict[str, list[Curve]], axis: str) -> bytes:
    """A table with the columns animation, ``axis`` and one per curve, a row for each frame.

    Numbers have as many digits as it takes to read back the same float64. A cell stays empty
    where an animation does not have the curve.
    """
    columns = list(dict.fromkeys(_title(curve) for group in curves.values() for curve in group))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["animation", axis, *columns])
    for animation, group in curves.items():
        by_title = {_title(curve): curve.values.tolist() for curve in group}
        for frame, time in enumerate(group[0].times.tolist()):
            cells = [by_title[title][frame] if title in by_title else "" for title in columns]
            writer.writerow([animation, time, *cells])
    return stream.getvalue().encode(errors="backslashreplace")


def _title(curve: Curve) -> str:
    return f"{curve.name} {curve.panel}"
