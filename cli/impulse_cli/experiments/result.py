"""What an experiment has to show: tables, claims, figures, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Claim", "Figure", "Line", "Panel", "Result", "Table"]

Number = float | int | str | None


@dataclass(frozen=True)
class Table:
    """A table as it is shown.

    Attributes:
        title: What it holds, with the place in the paper where it has a counterpart.
        columns: Headings; the first column names the row.
        rows: Cells as text.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and what is found here.

    Attributes:
        says: The claim, close to the paper's words.
        found: The numbers that bear on it.
        holds: Whether they agree.
    """

    says: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Line:
    """A line of a panel; ``None`` leaves a gap, as where a run failed.

    Attributes:
        label: In the legend.
        x: Abscissae.
        y: Ordinates, as many.
        style: Of matplotlib, as in "o-".
        color: Of matplotlib; the next of the cycle if empty.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float | None]
    style: str = "o-"
    color: str = ""


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    logarithmic: bool = True


@dataclass(frozen=True)
class Figure:
    """Panels side by side.

    Attributes:
        name: Stem of the file.
        caption: What is to be seen.
        panels: From left to right.
    """

    name: str
    caption: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Result:
    """An experiment that has been run.

    Attributes:
        name: As on the command line.
        title: A heading.
        paper: Which paper, which section.
        setup: What was simulated and how, in a few sentences.
        tables: What is shown.
        claims: Sentences of the paper, each beside what is found here.
        figures: Pictures.
        remarks: What to know when comparing.
        data: One record per simulation, for other programs; same keys in all.
    """

    name: str
    title: str
    paper: str
    setup: str
    tables: tuple[Table, ...]
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    remarks: tuple[str, ...] = ()
    data: tuple[Mapping[str, Number], ...] = field(default=(), repr=False)
