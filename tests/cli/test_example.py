"""``impulse example``: lists the samples and writes them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from impulse_cli.samples import sample_scenes, summary
from impulse_schema import load_scene

from .conftest import Cli

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
CARRIED = {
    file.stem: file
    for file in SAMPLES.glob("*/*.xml")
    if not file.stem.startswith(("cubes-1000", "rubble-"))
}


def test_list_names_every_sample_with_its_description(cli: Cli) -> None:
    """Each sample has a line with its name and the first sentence of its own description."""
    outcome = cli("example")

    assert outcome.code == 0
    lines = [line.split(maxsplit=1) for line in outcome.out.splitlines() if line[0] == " "]
    listed = dict(lines)
    assert listed.keys() == CARRIED.keys()
    for name, sentence in listed.items():
        description = load_scene(CARRIED[name]).description
        assert sentence.endswith(".")
        assert description.startswith(sentence), name


def test_list_fits_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal no line is wrapped: what does not fit ends in an ellipsis."""
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", "60")
    with subprocess.Popen([sys.executable, "-m", "impulse_cli", "example"], stdout=theirs):
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    lines = shown.decode().splitlines()

    assert len(lines) > len(CARRIED)
    assert max(map(len, lines)) == 60
    assert "…" in shown.decode()


@pytest.mark.parametrize("name", sorted(sample_scenes()))
def test_every_sample_is_written_as_it_is(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """NAME.xml in the current folder holds the sample's bytes, and loads with its meshes."""
    monkeypatch.chdir(tmp_path)

    outcome = cli("example", name)

    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"wrote {name}.xml")
    assert Path(f"{name}.xml").read_bytes() == CARRIED[name].read_bytes()
    assert load_scene(f"{name}.xml") == load_scene(CARRIED[name])


def test_samples_may_be_written_as_json(cli: Cli, tmp_path: Path) -> None:
    """With -o the ending says the format; mesh files lie beside the scene and are named."""
    output = tmp_path / "my-crane.json"

    outcome = cli("example", "crane", "-o", output)

    mesh = tmp_path / "crane-jib_truss.ply"
    assert outcome.out == f"wrote {output}, {mesh}\n"
    assert load_scene(output) == load_scene(CARRIED["crane"])
    assert mesh.read_bytes() == CARRIED["crane"].with_name(mesh.name).read_bytes()


@pytest.mark.parametrize("in_the_way", ["crane.xml", "crane-jib_truss.ply"])
def test_a_file_that_is_there_stays(cli: Cli, tmp_path: Path, in_the_way: str) -> None:
    """Neither a scene nor a mesh file is replaced without --force, and nothing else is written."""
    (tmp_path / in_the_way).write_text("mine")

    refused = cli("example", "crane", "-o", tmp_path / "crane.xml")

    assert refused.code == 1
    assert refused.err.startswith(f"{tmp_path / in_the_way}: is ")
    assert "--force" in refused.err
    assert [file.name for file in tmp_path.iterdir()] == [in_the_way]
    assert (tmp_path / in_the_way).read_text() == "mine"

    assert cli("example", "crane", "-o", tmp_path / "crane.xml", "--force").code == 0
    assert load_scene(tmp_path / "crane.xml") == load_scene(CARRIED["crane"])


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("four_bar",), 2, "There is no sample scene 'four_bar'. Did you mean 'four-bar'?"),
        (("Pendulum",), 2, "Did you mean 'pendulum'?"),
        (("zzz",), 2, "There is no sample scene 'zzz'. impulse example lists them."),
        (("-o", "a.xml"), 2, "Name the sample to write"),
        (("--force",), 2, "Name the sample to write"),
        (("pendulum", "-o", "a.txt"), 1, "write a name that ends in .xml or .json"),
        (("pendulum", "-o", "no/a.xml"), 1, "no/a.xml"),
        (("pendulum", "-o", "."), 1, "write a name that ends in .xml or .json"),
    ],
)
def test_what_cannot_be_done(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    """A wrong name or output is one sentence that says what to write instead."""
    monkeypatch.chdir(tmp_path)

    outcome = cli("example", *words)

    assert outcome.code == code
    assert message in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_summary_needs_no_description(tmp_path: Path) -> None:
    """A scene without a description has an empty summary."""
    (tmp_path / "a.xml").write_text('<scene version="1"/>')

    assert summary(tmp_path / "a.xml") == ""
