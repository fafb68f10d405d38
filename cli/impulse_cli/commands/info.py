"""``impulse info``: what a scene is made of."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from impulse_cli.parameters import FILE, allow_outside_option, json_option
from impulse_cli.terminal import complain, escaped, say, say_json

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table


@click.command()
@click.argument("scene", type=FILE)
@json_option
@allow_outside_option
def info(scene: Path, as_json: bool, allow_outside: bool) -> None:
    """Show masses, centres of mass, inertias, joints and degrees of freedom of SCENE.

    Also closed loops, and joints that are redundant: those that hold what others hold already.

    \b
    Example:
      impulse info crane.xml
      impulse info --json crane.xml
    """
    import impulse_core

    facts = impulse_core.describe(impulse_core.load_scene(scene, allow_outside=allow_outside))
    if as_json:
        say_json(facts)
    else:
        _print(facts)


def _print(facts: dict[str, Any]) -> None:
    from rich.console import Console

    # A pipe has no width, and names are worth more than short lines.
    width = None if sys.stdout.isatty() else 10_000
    console = Console(highlight=False, markup=False, emoji=False, width=width)
    say(facts["name"])
    say("")
    console.print(_bodies(facts["bodies"]))
    if facts["joints"]:
        console.print(_joints(facts["joints"]))
    for line in _totals(facts):
        say(line)
    for warning in facts["warnings"]:
        complain(f"Warning: {warning}.")


def _bodies(bodies: list[dict[str, Any]]) -> Table:
    table = _table("body", "motion", "mass [kg]", "centre of mass [m]", "main moments [kg m^2]")
    for body in bodies:
        if "mass_kg" not in body:
            table.add_row(escaped(body["name"]), body["motion"], "", "", "")
            continue
        table.add_row(
            escaped(body["name"]),
            body["motion"],
            _number(body["mass_kg"]),
            _numbers(body["center_of_mass_m"]),
            _numbers(body["principal_moments_kg_m2"]),
        )
    return table


def _joints(joints: list[dict[str, Any]]) -> Table:
    table = _table("joint", "type", "body 1", "body 2", "holds", "")
    for joint in joints:
        table.add_row(
            escaped(joint["name"]),
            joint["type"],
            escaped(joint["body1"]),
            escaped(joint["body2"]),
            str(joint["rows"]),
            "redundant" if joint["redundant"] else "",
        )
    return table


def _totals(facts: dict[str, Any]) -> list[str]:
    redundant = facts["redundant_joints"]
    return [
        f"mass                {_number(facts['total_mass_kg'])} kg",
        f"centre of mass      {_numbers(facts['center_of_mass_m'])} m",
        f"degrees of freedom  {facts['degrees_of_freedom']}",
        f"constraints         {facts['constraint_rows']}, of which {facts['rank']} independent",
        f"closed loops        {facts['loops']}",
        f"redundant joints    {', '.join(redundant) or 'none'}",
    ]


def _table(*titles: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for title in titles:
        justify: JustifyMethod = "right" if title in ("mass [kg]", "holds") else "left"
        table.add_column(title, justify=justify, overflow="fold")
    return table


def _numbers(values: list[float]) -> str:
    return "  ".join(_number(value) for value in values)


def _number(value: float) -> str:
    return f"{value:.6g}"
