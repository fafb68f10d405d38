"""``impulse experiment``: the papers' tables and figures, simulated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from impulse_cli.exit_codes import GOOD, INTERRUPTED
from impulse_cli.parameters import FILE
from impulse_cli.terminal import complain, say

if TYPE_CHECKING:
    from impulse_cli.experiments.result import Result

_ALL = "all"


@click.command()
@click.argument("name", required=False)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=FILE,
    default=Path("experiments"),
    show_default=True,
    help="Folder for numbers (NAME.json, NAME.csv) and figures.",
)
@click.option(
    "--page", metavar="FILE", type=FILE, help="Also write a Markdown page, figures in images/."
)
@click.option("--quick", is_flag=True, help="A few short simulations, to see that it works.")
def experiment(name: str | None, output: Path, page: Path | None, quick: bool) -> int:
    """Simulate what the source papers tabulate and plot, beside their numbers.

    Without NAME this lists the experiments. NAME all runs every one, which takes minutes. Each
    prints its tables, the paper's claims with what is found here, and what to know when comparing.

    \b
    Examples:
      impulse experiment
      impulse experiment sb05
      impulse experiment all -o results
    """
    from impulse_cli.experiments import EXPERIMENTS

    if name is None:
        _list_experiments(EXPERIMENTS)
        return GOOD
    names = list(EXPERIMENTS) if name == _ALL else [_known(name, [*EXPERIMENTS, _ALL])]
    return _run(names, output, page, quick)


def _list_experiments(experiments: dict[str, str]) -> None:
    width = max(map(len, experiments))
    for name, summary in experiments.items():
        say(f"{name:{width}}  {summary}")
    say(f"{_ALL:{width}}  Every one of them.")


def _known(name: str, names: list[str]) -> str:
    if name in names:
        return name
    from impulse_schema.suggest import did_you_mean

    raise click.UsageError(f"There is no experiment '{name}'. {did_you_mean(name, names)}")


def _run(names: list[str], output: Path, page: Path | None, quick: bool) -> int:
    from rich.console import Console

    from impulse_cli.experiments import run_experiment
    from impulse_cli.experiments.figures import require_matplotlib
    from impulse_cli.experiments.files import write_result
    from impulse_cli.experiments.terminal import show
    from impulse_cli.progress import show_tasks

    require_matplotlib()
    output.mkdir(parents=True, exist_ok=True)
    console = Console()
    results: list[Result] = []
    try:
        for name in names:
            with show_tasks(name) as meter:
                results.append(run_experiment(name, meter, quick=quick))
            show(results[-1], console)
            written = write_result(results[-1], output)
            say(f"wrote {', '.join(map(str, written))}")
    except KeyboardInterrupt:
        done = ", ".join(result.name for result in results)
        complain(f"Interrupted; {f'{done} is' if done else 'nothing is'} written.")
        return INTERRUPTED
    if page is not None:
        _write_page(results, page)
    return GOOD


def _write_page(results: list[Result], page: Path) -> None:
    from impulse_cli.experiments import page as pages
    from impulse_cli.experiments.files import write_figures
    from impulse_core.recording import write_atomically

    images = page.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    for result in results:
        list(write_figures(result, images))
    write_atomically(page, pages.page(results, images.name).encode())
    say(f"wrote {page}")
