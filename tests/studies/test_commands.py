"""``impulse sweep`` and ``impulse optimise``: words in, files, sentences and codes out."""

from __future__ import annotations

from pathlib import Path

import pytest

from impulse_cli.studies import cluster as cluster_module
from impulse_core import load_scene
from tests.cli.conftest import Cli

MASS = "bodies[bob].mass"
ENERGY = "recording.energy.total[-1]"


@pytest.mark.parametrize("command", ["sweep", "optimise"])
def test_without_the_extra_it_says_what_to_install(
    cli: Cli, pendulum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """One sentence, and no other command needs it."""
    monkeypatch.setattr(cluster_module, "find_spec", lambda _: None)
    aim = ("--measure", ENERGY) if command == "sweep" else ("--minimise", ENERGY)

    outcome = cli(command, pendulum, "--vary", f"{MASS}=1:2:2", *aim, "-o", tmp_path / "r")

    assert outcome.code == 1
    assert "pip install 'impulse-dynamics[sweep]'" in outcome.err


def test_a_sweep_leaves_a_table_and_a_figure(
    cli: Cli,
    pendulum: Path,
    tmp_path: Path,
    cluster: str,
) -> None:
    """And says where Dask's page is, and the second time that nothing was left to compute."""
    words = ("sweep", pendulum, "--vary", f"{MASS}=1:2:3", "--measure", ENERGY)
    words += ("-o", tmp_path / "r", "--cluster", cluster)
    first, second = cli(*words), cli(*words)

    assert (first.code, second.code) == (0, 0)
    assert "3 runs; Dask shows them at http" in first.err
    assert "3 runs, 3 computed now, 0 failed" in first.out
    assert "3 runs, 0 computed now, 0 failed" in second.out
    assert (tmp_path / "r" / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_a_sweep_of_which_every_run_fails_has_failed(
    cli: Cli,
    pendulum: Path,
    tmp_path: Path,
    cluster: str,
) -> None:
    """The code says so, and a line why."""
    outcome = cli(
        "sweep", pendulum, "--vary", "settings.duration=0.1,0.2", "--measure",
        "recording.energy.total[99]", "-o", tmp_path / "r", "--cluster", cluster,
    )  # fmt: skip

    assert outcome.code == 3
    assert "no [99]" in outcome.err


def test_a_search_leaves_the_best_scene(
    cli: Cli,
    pendulum: Path,
    tmp_path: Path,
    cluster: str,
) -> None:
    """It can be loaded, has the values that are printed, and stands beside two figures."""
    outcome = cli(
        "optimise", pendulum, "--vary", f"{MASS}=1:2", "--minimise",
        f"abs({MASS} - 1.5) + {ENERGY}*0", "--trials", "4", "-o", tmp_path / "r",
        "--cluster", cluster,
    )  # fmt: skip
    best = load_scene(tmp_path / "r" / "best.xml")

    assert outcome.code == 0
    assert f"{MASS} = {best.bodies[0].mass:.6g}" in outcome.out
    assert "at the start 0.5" in outcome.out
    for name in ("convergence.png", "parallel.png"):
        assert (tmp_path / "r" / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--vary", "bodies[bb].mass=1:2:3"), 1, "Did you mean 'bob'"),
        (("--vary", f"{MASS}=2:1:3"), 1, "empty"),
        (("--vary", f"{MASS}=1:2"), 1, f"{MASS}=1:2:10"),
        (("--vary", f"{MASS}=1:2:3", "--measure", "report.x"), 1, "report holds no 'x'"),
        (("--grid", "--sobol", "4"), 2, "exclude each other"),
        ((), 1, "nothing is varied"),
        (("--table", "gone.csv"), 1, "gone.csv: no such file"),
        (("--vary", f"{MASS}=1:2", "--table", "t.csv"), 1, "leave --vary"),
        (("--vary", f"{MASS}=1:2:3", "--cluster", "gone.json"), 1, "gone.json: no such file"),
        (
            ("--vary", f"{MASS}=1:2:3", "--cluster", "foo://bar"),
            1,
            "no Dask scheduler at foo://bar",
        ),
    ],
)
def test_bad_input_is_refused(
    cli: Cli, pendulum: Path, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    """In a sentence, before the first run."""
    pytest.importorskip("distributed")
    outcome = cli("sweep", pendulum, "--measure", ENERGY, "-o", tmp_path / "r", *words)

    assert outcome.code == code
    assert message in outcome.err
    assert "Traceback" not in outcome.err
