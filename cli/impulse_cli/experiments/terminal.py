"""Results on the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from impulse_cli.experiments.computer import computer
from impulse_cli.experiments.result import Claim, Result, Table

__all__ = ["show"]


def show(result: Result, console: Console) -> None:
    """Print tables, claims and remarks."""
    console.print()
    console.print(Text(f"{result.name}: {result.title}", style="bold"))
    console.print(Text(result.paper, style="italic"))
    console.print(Text(result.setup))
    for table in result.tables:
        console.print()
        console.print(Text(table.title, style="bold"))
        console.print(_table(table))
    if result.claims:
        console.print(Text("Claims", style="bold"))
        console.print(_claims(result.claims))
    for remark in result.remarks:
        console.print(Text(f"• {remark}"))
    console.print(Text(f"Computer: {computer()}"))


def _table(table: Table) -> RichTable:
    shown = RichTable(box=box.SIMPLE, padding=(0, 0))
    for index, column in enumerate(table.columns):
        shown.add_column(column, justify="right" if index else "left")
    for row in table.rows:
        shown.add_row(*(Text(cell) for cell in row))
    return shown


def _claims(claims: tuple[Claim, ...]) -> RichTable:
    shown = RichTable("the paper says", "found here", "", box=box.SIMPLE, padding=(0, 1))
    for claim in claims:
        verdict = Text("holds", "green") if claim.holds else Text("differs", "yellow")
        shown.add_row(Text(claim.says), Text(claim.found), verdict)
    return shown
