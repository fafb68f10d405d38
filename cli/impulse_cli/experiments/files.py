"""Results as files: numbers as JSON and CSV, figures as PNG."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from impulse_cli.experiments.computer import computer
from impulse_cli.experiments.figures import draw
from impulse_cli.experiments.result import Result
from impulse_core.recording import write_atomically

__all__ = ["write_figures", "write_result"]


def write_result(result: Result, folder: Path) -> list[Path]:
    """Write NAME.json, NAME.csv and the figures; return what was written."""
    numbers = folder / f"{result.name}.json"
    write_atomically(numbers, _json(result))
    records = folder / f"{result.name}.csv"
    write_atomically(records, _csv(result))
    return [numbers, records, *write_figures(result, folder)]


def write_figures(result: Result, folder: Path) -> Iterator[Path]:
    """Write NAME.png of each figure."""
    for figure in result.figures:
        path = folder / f"{figure.name}.png"
        write_atomically(path, draw(figure))
        yield path


def _json(result: Result) -> bytes:
    content = {
        "experiment": result.name,
        "title": result.title,
        "paper": result.paper,
        "computer": computer(),
        "setup": result.setup,
        "tables": [vars(table) for table in result.tables],
        "claims": [vars(claim) for claim in result.claims],
        "remarks": result.remarks,
        "data": [dict(record) for record in result.data],
    }
    return f"{json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)}\n".encode()


def _csv(result: Result) -> bytes:
    stream = io.StringIO()
    columns = list(dict.fromkeys(key for record in result.data for key in record))
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(result.data)
    return stream.getvalue().encode()
