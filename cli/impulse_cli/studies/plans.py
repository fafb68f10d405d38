"""Which runs a sweep has: a grid, points of a Sobol sequence, or the lines of a table."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.ranges import MOST_RUNS, Range, checked_values, value_of
from impulse_core import ParameterError, find_parameters
from impulse_schema import Scene

__all__ = ["grid", "sobol", "table"]

Values = dict[str, Any]
"""What is changed for a run, by path."""


def grid(ranges: Sequence[Range]) -> list[Values]:
    """Every combination of the values, the last range first through.

    Raises:
        StudyError: A range has no number of values, or there are too many runs.
    """
    for each in ranges:
        if not each.values:
            ends = f"{each.low:g}:{each.high:g}{':log' if each.is_log else ''}"
            raise StudyError(f"{each.path}={ends} needs a number of values: {each.path}={ends}:10.")
    count = math.prod(len(each.values) for each in ranges)
    if count > MOST_RUNS:
        raise StudyError(f"the grid has {count} runs, and the limit is {MOST_RUNS}; try --sobol.")
    paths = [each.path for each in ranges]
    return [
        dict(zip(paths, values, strict=True))
        for values in itertools.product(*(each.values for each in ranges))
    ]


def sobol(ranges: Sequence[Range], count: int, seed: int) -> list[Values]:
    """So many points that fill the ranges evenly, the same for a seed.

    Raises:
        StudyError: There are too many runs or ranges.
    """
    from scipy.stats import qmc

    if not 1 <= count <= MOST_RUNS:
        raise StudyError(f"--sobol is {count}; it must be from 1 to {MOST_RUNS}.")
    if not 1 <= len(ranges) <= qmc.Sobol.MAXDIM:
        raise StudyError(f"--sobol needs 1 to {qmc.Sobol.MAXDIM} ranges; there are {len(ranges)}.")
    sequence = qmc.Sobol(len(ranges), rng=seed)
    # Whole powers of two are balanced, and others are the beginning of one.
    points = sequence.random_base2(math.ceil(math.log2(count)))[:count]
    return [
        {each.path: each.at(float(x)) for each, x in zip(ranges, point, strict=True)}
        for point in points
    ]


def table(scene: Scene, path: Path) -> list[Values]:
    """The runs of a CSV file: its first line names paths, and each further one is a run.

    Raises:
        StudyError: It cannot be read, or a value in it cannot be used; the line is named.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(itertools.islice(csv.reader(file, strict=True), MOST_RUNS + 2))
    except (csv.Error, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: is no table in CSV: {error}.") from None
    if len(lines) < 2:
        raise StudyError(f"{path}: holds no run; write paths in the first line and a run in each.")
    if len(lines) > MOST_RUNS + 1:
        raise StudyError(f"{path}: holds more than {MOST_RUNS} runs, which is the limit.")
    paths = [name.strip() for name in lines[0]]
    if twice := {name for name in paths if paths.count(name) > 1}:
        raise StudyError(f"{path}: {min(twice)} names two columns.")
    try:
        kinds = [find_parameters(scene, name)[0].kind for name in paths]
    except ParameterError as error:
        raise StudyError(f"{path}: {error}") from None
    return [
        _run_of(scene, paths, kinds, line, f"{path}:{number}")
        for number, line in enumerate(lines[1:], start=2)
        if line
    ]


def _run_of(
    scene: Scene, paths: list[str], kinds: list[str], line: list[str], place: str
) -> Values:
    if len(line) != len(paths):
        raise StudyError(f"{place}: has {len(line)} values for {len(paths)} columns.")
    try:
        values = {
            name: value_of(name, kind, text)
            for name, kind, text in zip(paths, kinds, line, strict=True)
        }
        checked_values(scene, values)
    except (StudyError, ParameterError) as error:
        raise StudyError(f"{place}: {error}") from None
    return values
