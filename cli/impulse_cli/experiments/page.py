"""Results as a Markdown page, docs/experiments.md of this project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from impulse_cli.experiments.computer import computer
from impulse_cli.experiments.result import Claim, Result, Table

__all__ = ["page"]


def page(results: Sequence[Result], images: str) -> str:
    """The page of these results; ``images`` is the folder of the figures as seen from it."""
    introduction = f"""# Experiments: the papers' numbers beside ours

Written by `make experiments`, which runs `impulse experiment all`. Times were taken on
{computer()}; one thread, compilation apart.
"""
    return "\n".join([introduction, *(_section(result, images) for result in results)])


def _section(result: Result, images: str) -> str:
    parts = [f"## {result.name}: {result.title}", f"*{result.paper}*", result.setup]
    parts += [
        f"![{figure.caption}]({images}/{figure.name}.png)\n\n{figure.caption}"
        for figure in result.figures
    ]
    parts += [_table(table) for table in result.tables]
    if result.claims:
        parts.append(_claims(result.claims))
    if result.remarks:
        parts.append("\n".join(f"- {remark}" for remark in result.remarks))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    return f"**{table.title}**\n\n{_grid(table.columns, table.rows)}"


def _claims(claims: Iterable[Claim]) -> str:
    rows = [(c.says, c.found, "holds" if c.holds else "**differs**") for c in claims]
    return f"**Claims**\n\n{_grid(('the paper says', 'found here', ''), rows)}"


def _grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
