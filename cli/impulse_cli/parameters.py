"""Kinds of arguments that several commands take."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import click

__all__ = [
    "FILE",
    "allow_outside_option",
    "cluster_option",
    "folder_option",
    "json_option",
    "positive",
    "seed_option",
    "vary_option",
    "workers_option",
]

FILE = click.Path(path_type=Path)
"""A path, checked by what reads or writes it and not by click, so that the exit code is 1."""


def positive(unit: str) -> Callable[[str], float]:
    """Reads a positive number within the bounds of its unit."""

    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0.0 < value < math.inf:
            raise click.BadParameter(f"'{text}' is not a positive number.")
        from impulse_schema.bounds import beyond

        if message := beyond(value, unit, "positive"):
            raise click.BadParameter(f"'{text}' {message}.")
        return value

    return number


allow_outside_option = click.option(
    "--allow-outside",
    is_flag=True,
    help="Let mesh files lie outside the scene's folder.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for other programs."
)
vary_option = click.option(
    "--vary",
    metavar="PATH=RANGE",
    multiple=True,
    help="What differs between runs: LOW:HIGH or LOW:HIGH:log, with :N behind it for so many"
    " values, or A,B,C; may be repeated. * in a name stands for any letters; what it names varies"
    " together.",
)
folder_option = click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=FILE,
    required=True,
    help="Folder for the results; what is known in it is not computed again.",
)
workers_option = click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 1024),
    help="Processes on this computer; default one for each processor.",
)
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="In place of those a Dask cluster: tcp://HOST:PORT, or the file that its scheduler wrote.",
)
seed_option = click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, 2**31),
    default=0,
    show_default=True,
    help="Of what is drawn at random.",
)
