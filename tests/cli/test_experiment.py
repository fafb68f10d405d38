"""``impulse experiment``: the papers' tables and figures, simulated."""

from __future__ import annotations

import csv
import importlib.util
import json
import math
from pathlib import Path

import pytest

from impulse_cli.experiments import EXPERIMENTS, bfs05_chain, bs06_tree, sb05
from impulse_cli.experiments.numbers import milliseconds, power
from impulse_cli.experiments.sb05_claims import claims
from impulse_cli.experiments.sb05_runs import Run, Runs
from tests.references import pendulum

from .conftest import Cli

NAMES = tuple(EXPERIMENTS)


def run_quickly(cli: Cli, folder: Path, name: str) -> dict:
    """The content of NAME.json after a quick run."""
    outcome = cli("experiment", name, "--quick", "-o", folder)
    assert outcome.code == 0, outcome.err
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def test_without_a_name_it_lists_the_experiments(cli: Cli) -> None:
    """``impulse experiment`` names every experiment with a sentence, and runs none."""
    outcome = cli("experiment")

    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert [line.split()[0] for line in lines] == [*NAMES, "all"]
    assert all(line.endswith(".") for line in lines)


def test_unknown_name(cli: Cli, tmp_path: Path) -> None:
    """A misspelt name is exit code 2 with the nearest one, and writes nothing."""
    outcome = cli("experiment", "bs06-trees", "-o", tmp_path / "out")

    assert outcome.code == 2
    assert "There is no experiment 'bs06-trees'. Did you mean 'bs06-tree'?" in outcome.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_shows_and_writes(cli: Cli, tmp_path: Path, name: str) -> None:
    """Tables on the terminal; numbers as JSON and CSV, and every figure, in the folder."""
    outcome = cli("experiment", name, "--quick", "-o", tmp_path / "new" / "folder")

    assert outcome.code == 0, outcome.err
    assert outcome.out.lstrip().startswith(f"{name}: ")
    folder = tmp_path / "new" / "folder"
    content = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert content["experiment"] == name
    for table in content["tables"]:
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    with (folder / f"{name}.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(content["data"]) > 0
    figures = list(folder.glob("*.png"))
    assert {figure.stem.startswith(name) for figure in figures} <= {True}
    assert all(figure.read_bytes().startswith(b"\x89PNG") for figure in figures)
    written = outcome.out.splitlines()[-1]
    assert all(path.name in written for path in folder.iterdir())


def test_sb05_simulates_all_methods_on_all_models(cli: Cli, tmp_path: Path) -> None:
    """Errors are those of the methods: orders apart, no drift but that of the LM methods."""
    data = run_quickly(cli, tmp_path, "sb05")["data"]

    def value(model: str, method: str, nominal: float, key: str) -> float:
        (found,) = [
            record[key]
            for record in data
            if (record["model"], record["method"]) == (model, method)
            and math.isclose(record["step_s"], nominal, rel_tol=0.03)
        ]
        return found

    assert {record["method"] for record in data} == set(sb05.METHODS)
    assert {record["model"] for record in data} == {model.name for model in sb05.MODELS}
    assert [record for record in data if record["failure"]] == []
    for key in ("energy_drift_j", "oscillation_time_drift_m"):
        assert value("Pendulum90", "imp8", 0.04, key) <= 1e-9
        assert 1e-7 < value("Pendulum90", "imp4", 0.04, key) < 1e-3
        assert 1e-3 < value("Pendulum90", "imp2", 0.04, key) < 1e0
    assert value("Pendulum90", "lm4", 0.08, "constraint_drift_m") > 1e-4
    for record in data:
        if record["method"] not in ("lm4", "lmbs4", "lmv4"):
            assert record["constraint_drift_m"] <= 1e-12


def test_sb05_uses_the_step_sizes_of_the_paper() -> None:
    """Twelve from 0.08 to 0.00125 s, whole parts of the period, T/59 among them."""
    (model,) = [model for model in sb05.MODELS if model.name == "Pendulum90"]
    assert model.period is not None
    steps = sb05.step_sizes(model.period)

    assert len(steps) == 12
    assert max(steps) == pytest.approx(0.08, rel=0.02)
    assert min(steps) == pytest.approx(0.00125, rel=0.02)
    parts = [model.period / step for step in steps]
    assert parts == pytest.approx([round(part) for part in parts], abs=1e-9)
    assert 59 in [round(part) for part in parts]


def test_published_periods_are_the_exact_ones() -> None:
    """T10 and T90 as the paper prints them agree with 4 √(l/g) K(sin²(φ/2)) to all digits."""
    for model, degrees in zip(sb05.MODELS[:2], (10.0, 90.0), strict=True):
        assert model.period == pytest.approx(pendulum.period(math.radians(degrees)), abs=2e-14)


def test_published_times_agree_with_the_papers_words(cli: Cli, tmp_path: Path) -> None:
    """The numbers copied from tables and figures say what the papers' sentences say of them."""
    ratio = bs06_tree.PAPER_ITERATIVE[127][2] / bs06_tree.PAPER_SLE[127][2]
    assert 11.0 < ratio < 12.0  # "more than eleven times faster"
    for times in (bs06_tree.PAPER_ITERATIVE, bs06_tree.PAPER_SLE):
        assert list(times) == [31, 63, 127, 255]
        for row in times.values():
            assert list(row) == sorted(row)  # the finer the tolerance, the longer
    least, mean, most = bfs05_chain.PAPER_SECONDS
    assert 6.0 < 0.01 / mean < 7.0  # "in the average more than six times faster than real-time"
    assert 2.7 < 0.01 / most < 3.3  # "even in the worst case about three times faster"
    assert least < mean < most

    tables = run_quickly(cli, tmp_path, "bs06-tree")["tables"]
    (sle,) = [table for table in tables if table["title"].startswith("Table 3")]
    for row in sle["rows"]:
        published = [
            float(cell)
            for column, cell in zip(sle["columns"], row, strict=True)
            if "paper" in column
        ]
        assert published == list(bs06_tree.PAPER_SLE[int(row[0])])


def test_chain_holds_to_its_tolerance(cli: Cli, tmp_path: Path) -> None:
    """Every solver keeps nine joints closed to 1e-12 m, within the correction counts it reports."""
    data = run_quickly(cli, tmp_path, "bfs05-chain")["data"]

    assert {record["solver"] for record in data} == {"iterative", "sle", "direct"}
    for record in data:
        assert record["failure"] == ""
        assert record["max_joint_error_m"] <= 1e-12
        assert 0 < record["corrections_per_step"] <= record["max_corrections"]


def test_leg_is_the_papers(cli: Cli, tmp_path: Path) -> None:
    """One servo, two hinges, one slider, one loop, one freedom; the servo follows its target."""
    content = run_quickly(cli, tmp_path, "bs06-leg")

    (claim,) = content["claims"]
    assert claim["holds"], claim["found"]
    assert claim["found"].endswith("1 closed loop, 1 degree of freedom")
    (motors,) = [table for table in content["tables"] if table["title"].startswith("Motors")]
    ((joint, kind, _, deviation, drive, limit),) = motors["rows"]
    assert (joint, kind) == ("servo", "servo")
    assert float(deviation.removesuffix(" rad")) < 0.05
    assert float(drive) <= float(limit)


def test_car_keeps_its_joints(cli: Cli, tmp_path: Path) -> None:
    """Steps of any length hold the joints to 1e-6 m, and the steering follows its sine."""
    content = run_quickly(cli, tmp_path, "bs06-car")

    assert [record["step_s"] for record in content["data"]] == [0.01, 0.005, 0.0025]
    assert all(record["max_joint_error_m"] <= 1e-6 for record in content["data"])
    assert all(record["failure"] == "" for record in content["data"])
    (motors,) = [table for table in content["tables"] if table["title"].startswith("Motors")]
    (steering,) = [row for row in motors["rows"] if row[0] == "steering"]
    assert float(steering[3].removesuffix(" m")) < 0.005


def make_runs(errors: dict[str, float], failing: tuple[str, ...] = ()) -> Runs:
    """Three steps of every method on every model with ED, EID and OTD ∝ error · h^order."""
    orders = {"imp2": 2, "imp4": 4, "imp6": 6, "imp8": 8, "imp10": 10}
    runs = []
    for model in sb05.MODELS:
        for method in sb05.METHODS:
            for step in (0.08, 0.04, 0.02):
                error = errors.get(method, 1.0) * step ** orders.get(method, 4)
                failed = method in failing and step == 0.08
                drift = 1e-3 if method in ("lm4", "lmbs4", "lmv4") else 1e-14
                values = {"ED": error, "EID": error, "OTD": error, "drift": drift}
                runs.append(
                    Run(
                        model=model.name,
                        method=method,
                        nominal_step=step,
                        step=step,
                        failure="the constraint error passed 1 m" if failed else "",
                        values={} if failed else values,
                        halvings=0,
                        corrections=1.0,
                    )
                )
    return Runs(runs)


def test_claims_name_a_failure_the_paper_does_not_have() -> None:
    """An impulse method that fails breaks the first claim and is named with model and step."""
    good, bad = make_runs({}), make_runs({}, failing=("imp4",))

    assert claims(good)[0].holds
    assert not claims(bad)[0].holds
    assert "Pendulum10 imp4 at 0.08 s" in claims(bad)[0].found


def test_claims_measure_orders() -> None:
    """The claim on orders holds for errors ∝ h^order, and not where one method loses its order."""

    def orders(runs: Runs) -> bool:
        (claim,) = [claim for claim in claims(runs) if "accordance with their orders" in claim.says]
        return claim.holds

    good = make_runs({})
    spoilt = [
        Run(**{**vars(run), "values": {**run.values, "ED": run.step**3}})
        if run.method == "imp4"
        else run
        for run in good
    ]

    assert orders(good)
    assert not orders(Runs(spoilt))


def test_page(cli: Cli, tmp_path: Path) -> None:
    """``--page`` writes Markdown whose pictures lie in images beside it."""
    page = tmp_path / "docs" / "experiments.md"
    page.parent.mkdir()

    outcome = cli("experiment", "bs06-tree", "--quick", "-o", tmp_path / "numbers", "--page", page)

    assert outcome.code == 0, outcome.err
    text = page.read_text(encoding="utf-8")
    assert "## bs06-tree: " in text
    assert "![" in text
    assert "(images/bs06-tree.png)" in text
    assert (page.parent / "images" / "bs06-tree.png").read_bytes().startswith(b"\x89PNG")


def test_folder_that_cannot_be_made(cli: Cli, tmp_path: Path) -> None:
    """An output that is a file is said in words before anything is computed."""
    (tmp_path / "taken").write_text("")

    outcome = cli("experiment", "sb05", "-o", tmp_path / "taken")

    assert outcome.code == 1
    assert "taken: file exists." in outcome.err


def test_missing_matplotlib(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib the extra is named before anything is computed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "matplotlib" else find(name, *rest),
    )

    outcome = cli("experiment", "sb05", "-o", tmp_path)

    assert outcome.code == 1
    assert "impulse-dynamics[plots]" in outcome.err


def test_interruption_keeps_what_is_done(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in a later experiment is exit code 130 and says what is written."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("impulse_cli.experiments.bs06_hub.run", interrupt)
    monkeypatch.setattr(
        "impulse_cli.experiments.EXPERIMENTS", {"bfs05-chain": "One.", "bs06-hub": "Two."}
    )

    outcome = cli("experiment", "all", "--quick", "-o", tmp_path)

    assert outcome.code == 130
    assert "Interrupted; bfs05-chain is written." in outcome.err
    assert (tmp_path / "bfs05-chain.json").exists()


def test_interrupted_simulations_stop_the_pool(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulation that Ctrl-C ends takes the others of its experiment with it."""
    started = []

    def interrupt(*_: object, **options: object) -> None:
        started.append(options["method"])
        if len(started) > len(sb05.METHODS):  # past the loading of kernels
            raise KeyboardInterrupt

    monkeypatch.setattr("impulse_cli.experiments.sb05.measure", interrupt)

    outcome = cli("experiment", "sb05", "-o", tmp_path)

    assert outcome.code == 130
    assert "Interrupted; nothing is written." in outcome.err
    assert len(started) < 2 * len(sb05.METHODS)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.26e-10, "1e-10"), (0.096, "1e-1"), (3.0, "3e0"), (None, "–")],
)
def test_powers_of_ten(value: float | None, text: str) -> None:
    """One digit and an exponent without padding."""
    assert power(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0000514, "0.051"), (0.00154, "1.54"), (0.02009, "20.1"), (0.70348, "703"), (None, "–")],
)
def test_milliseconds(seconds: float | None, text: str) -> None:
    """Three digits at most, never a power of ten."""
    assert milliseconds(seconds) == text
