"""Kinds of arguments that several commands take."""

from __future__ import annotations

import math
from pathlib import Path

import click

__all__ = ["FILE", "allow_outside_option", "json_option", "positive"]

FILE = click.Path(path_type=Path)
"""A path, checked by what reads or writes it and not by click, so that the exit code is 1."""


def positive(text: str) -> float:
    """A positive, finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 < number < math.inf:
        raise click.BadParameter(f"'{text}' is not a positive number.")
    return number


allow_outside_option = click.option(
    "--allow-outside",
    is_flag=True,
    help="Let mesh files lie outside the scene's folder.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for other programs."
)
