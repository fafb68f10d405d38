"""``impulse plot``: figures and tables of what a recording holds."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from impulse_cli.plots.curves import curves_of, quantities_of
from impulse_core.recording import Recording, load_recording

from .conftest import Cli


@pytest.fixture
def animation(tmp_path: Path) -> Path:
    """Two bodies and a hinge over five frames."""
    times = np.arange(5) / 25
    positions = np.arange(30.0).reshape(5, 2, 3) / 7
    path = tmp_path / "anim.npz"
    Recording(
        scene="s",
        fps=25,
        step=0.01,
        method="imp2",
        solver="direct",
        times=times,
        body_names=("hook", "boom"),
        positions=positions,
        orientations=np.tile([1.0, 0.0, 0.0, 0.0], (5, 2, 1)),
        joints={
            "pin": {"angle": np.sin(times), "force": np.outer(times, [3.0, 0.0, 4.0])},
            "weld": {"force": np.ones((5, 3))},
        },
        energy={"kinetic": times, "potential": -times, "total": 0 * times},
        momentum={"linear": np.ones((5, 3)), "angular": np.zeros((5, 3))},
    ).save(path)
    return path


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open() as file:
        return list(csv.DictReader(file))


def test_forces_are_shown_by_length(cli: Cli, animation: Path) -> None:
    """Vectors of joints give a curve each, and their components where one joint is asked for."""
    output = animation.with_name("out.csv")

    assert cli("plot", animation, "force", "-o", output).code == 0
    assert [*rows(output)[0]][2:] == ["pin force [N]", "weld force [N]"]
    assert float(rows(output)[4]["pin force [N]"]) == pytest.approx(5.0 * 4 / 25, rel=1e-15)

    assert cli("plot", animation, "force", "--only", "pin", "-o", output).code == 0
    columns = ["pin force [N]", "pin x force [N]", "pin y force [N]", "pin z force [N]"]
    assert [*rows(output)[0]][2:] == columns
    assert float(rows(output)[1]["pin z force [N]"]) == 4.0 / 25


def test_table_holds_the_exact_values(cli: Cli, animation: Path) -> None:
    """A .csv has a row per frame and reads back to the same numbers."""
    output = animation.with_name("out.csv")

    assert cli("plot", animation, "positions", "angle", "energy", "-o", output).code == 0

    table = rows(output)
    assert len(table) == 5
    assert list(table[0])[:4] == [
        "animation",
        "time [s]",
        "hook x position [m]",
        "hook y position [m]",
    ]
    assert float(table[4]["boom z position [m]"]) == 29.0 / 7
    assert float(table[3]["pin angle [rad]"]) == np.sin(3 / 25)
    assert float(table[2]["potential energy [J]"]) == -2 / 25


def test_only(cli: Cli, animation: Path) -> None:
    """``--only`` keeps the named bodies."""
    output = animation.with_name("out.csv")

    assert cli("plot", animation, "positions", "--only", "boom", "-o", output).code == 0

    assert [title.split()[0] for title in rows(output)[0]] == ["animation", "time", *["boom"] * 3]


def test_several_animations(cli: Cli, animation: Path) -> None:
    """Several animations follow one another in a table, each with its name."""
    second = animation.with_name("second.npz")
    second.write_bytes(animation.read_bytes())
    output = animation.with_name("out.csv")

    assert cli("plot", animation, second, "momentum", "-o", output).code == 0

    assert [row["animation"] for row in rows(output)] == [str(animation)] * 5 + [str(second)] * 5


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_figures(cli: Cli, animation: Path, suffix: str, start: bytes) -> None:
    """Figures are files of their kind, the same bytes each time."""
    pytest.importorskip("matplotlib")
    first, second = animation.with_name(f"a{suffix}"), animation.with_name(f"b{suffix}")

    for output in (first, second):
        assert cli("plot", animation, "energy", "momentum", "-o", output).code == 0

    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()


def test_svg_shows_panels_and_curves(cli: Cli, animation: Path) -> None:
    """The axes carry quantity and unit, the legend the names of the curves."""
    pytest.importorskip("matplotlib")
    output = animation.with_name("out.svg")

    assert cli("plot", animation, "energy", "angle", "-o", output).code == 0

    text = output.read_text()
    for label in ("energy [J]", "angle [rad]", "time [s]", "potential", "pin"):
        assert f"<!-- {label} -->" in text


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ("anim.npz", "speed"),
            1,
            "holds no 'speed'; it holds energy, momentum, positions, orient",
        ),
        (("anim.npz", "positions", "--only", "hok"), 1, "of hok; there are hook, boom"),
        (("gone.npz", "energy"), 1, "cannot be read"),
        (("anim.npz",), 2, "Name a quantity: "),
        (("anim.npz", "energy", "--difference"), 2, "needs two different animations"),
        (("anim.npz", "energy", "--spectrum"), 1, "5 frames; a spectrum needs eight"),
        (("energy",), 2, "Name an animation"),
    ],
)
def test_wrong_requests(
    cli: Cli, animation: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    """What a recording does not hold is said with what it does hold."""
    output = animation.with_name("out.csv")
    paths = [animation.with_name(word) if word.endswith("npz") else word for word in words]

    outcome = cli("plot", *paths, "-o", output)

    assert outcome.code == code
    assert message in outcome.err
    assert not output.exists()


def test_unknown_kind_of_figure(cli: Cli, animation: Path) -> None:
    """Another ending lists the ones there are."""
    outcome = cli("plot", animation, "energy", "-o", animation.with_name("out.gif"))

    assert outcome.code == 1
    assert ".png, .svg, .pdf, .csv or .gp" in outcome.err


def test_contact_forces_add_up_for_each_body(animation: Path, tmp_path: Path, cli: Cli) -> None:
    """Two points between hook and boom: action and reaction, component by component."""
    recording = load_recording(animation)
    contacts = {
        "frame": [1, 1, 4],
        "body1": [0, 0, 1],
        "body2": [1, 1, 0],
        "point": np.zeros((3, 3)),
        "normal": np.tile([0.0, 0.0, 1.0], (3, 1)),
        "force": [(0.0, 0.0, 2.0), (1.0, 0.0, 3.0), (0.0, 0.0, 7.0)],
    }
    touched = tmp_path / "touched.npz"
    replace(recording, contacts=contacts).save(touched)

    out = tmp_path / "f.csv"
    assert cli("plot", touched, "contact_force", "--only", "boom", "-o", out).code == 0

    boom = curves_of(load_recording(touched), "contact_force", ["boom"])
    length, x, _, z = (curve.values for curve in boom)
    assert x.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert z.tolist() == [0.0, 5.0, 0.0, 0.0, -7.0]
    assert length == pytest.approx(np.hypot(x, z))
    assert len(rows(out)) > 0


def test_no_contacts_no_contact_force(animation: Path) -> None:
    assert "contact_force" not in quantities_of(load_recording(animation))


def oscillation(path: Path, amplitude: float, *, shift: float = 0.0) -> Path:
    """A hinge that swings 3 times a second for 8 s, sampled 40 times a second."""
    times = np.append(np.arange(320) / 40, 320 / 40 + 0.003)  # a run ends between two frames
    Recording(
        scene="s",
        fps=40,
        step=0.01,
        method="imp2",
        solver="direct",
        times=times,
        body_names=(),
        positions=np.zeros((321, 0, 3)),
        orientations=np.zeros((321, 0, 4)),
        joints={"pin": {"angle": shift + amplitude * np.sin(2 * np.pi * 3 * times)}},
    ).save(path)
    return path


def test_spectrum_of_a_sine(cli: Cli, tmp_path: Path) -> None:
    """A sine stands at its frequency with its amplitude; its mean, and all else, is not there."""
    output = tmp_path / "out.csv"
    animation = oscillation(tmp_path / "a.npz", 0.25, shift=7.0)

    assert cli("plot", animation, "angle", "--spectrum", "-o", output).code == 0

    height = {
        float(row["frequency [Hz]"]): float(row["pin amplitude of angle [rad]"])
        for row in rows(output)
    }
    assert max(height, key=height.__getitem__) == 3.0
    assert height[3.0] == pytest.approx(0.25, rel=1e-12)
    assert max(value for f, value in height.items() if abs(f - 3.0) > 0.3) < 1e-12


def test_difference_is_the_second_minus_the_first(cli: Cli, tmp_path: Path) -> None:
    """Curve by curve, at the frames that both have and at no others."""
    first = oscillation(tmp_path / "a.npz", 0.25)
    whole = load_recording(oscillation(tmp_path / "b.npz", 0.75, shift=1.0))
    second = tmp_path / "c.npz"
    every = slice(0, 320, 2)
    replace(
        whole,
        times=whole.times[every],
        positions=whole.positions[every],
        orientations=whole.orientations[every],
        joints={"pin": {"angle": whole.joints["pin"]["angle"][every]}},
    ).save(second)
    output = tmp_path / "out.csv"

    assert cli("plot", first, second, "angle", "--difference", "-o", output).code == 0

    table = rows(output)
    assert [float(row["time [s]"]) for row in table] == (np.arange(160) / 20).tolist()
    for row in table:
        expected = 1.0 + 0.5 * np.sin(2 * np.pi * 3 * float(row["time [s]"]))
        found = float(row["pin difference of angle [rad]"])
        assert found == pytest.approx(expected, abs=1e-14)


def test_difference_needs_common_times(cli: Cli, tmp_path: Path) -> None:
    """Nothing is interpolated: two frame rates that never meet are refused."""
    first = oscillation(tmp_path / "a.npz", 1.0)
    second = tmp_path / "b.npz"
    recording = load_recording(first)
    replace(recording, times=recording.times + 0.01).save(second)

    outcome = cli("plot", first, second, "angle", "--difference", "-o", tmp_path / "out.csv")

    assert outcome.code == 1
    assert "the same --fps" in outcome.err


def test_script_of_gnuplot_holds_every_number(cli: Cli, animation: Path) -> None:
    """Each curve is a block of numbers that read back exactly, and is drawn under its name."""
    output = animation.with_name("out.gp")

    assert cli("plot", animation, "angle", "energy", "-o", output).code == 0

    text = output.read_text()
    blocks = {
        block.partition(" ")[0]: block.split("\n")[1:]
        for block in text.split("\nEND\n")
        for block in [block.rpartition("$curve")[2]]
        if " << END" in block
    }
    angles = [float(line.split()[1]) for line in blocks["0"]]
    assert angles == np.sin(np.arange(5) / 25).tolist()
    assert len(blocks) == 4
    assert "$curve3 using 1:2 with lines title 'total'" in text


def test_names_cannot_act_in_gnuplot(cli: Cli, animation: Path) -> None:
    """A name with quotes and backquotes stays a name."""
    recording = load_recording(animation)
    evil = "a' . system('id') . '`id`"
    named = animation.with_name("evil.npz")
    replace(recording, joints={evil: recording.joints["pin"]}).save(named)
    output = animation.with_name("out.gp")

    assert cli("plot", named, "angle", "-o", output).code == 0

    titled = output.read_text().rpartition("title ")[2].partition("\n")[0]
    assert titled == "'a'' . system(''id'') . ''`id`'"
