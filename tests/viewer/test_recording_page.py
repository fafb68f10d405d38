"""A recording in a real browser: it plays, stops, is sought, plotted and photographed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser")
pytest.importorskip("playwright")

import av

from impulse_cli.viewer.player import Player
from impulse_core.recording import Recording
from impulse_schema import Body, Geometry, Scene

from .browsing import changed, opened, picture, served, wait_for

pytestmark = pytest.mark.xdist_group("browser")

DURATION = 4.0  # s


def player() -> Player:
    """A ball that flies over a plane from left to right, and whose energy falls."""
    times = np.linspace(0.0, DURATION, 101)
    positions = np.zeros((101, 2, 3))
    positions[:, 0, 0] = times - 2.0
    recording = Recording(
        scene="flight",
        fps=25,
        step=0.01,
        method="imp2",
        solver="direct",
        times=times,
        body_names=("ball", "ground"),
        positions=positions,
        orientations=np.tile([1.0, 0.0, 0.0, 0.0], (101, 2, 1)),
        energy={"total": 5.0 - times},
    )
    ball = Geometry(shape="sphere", radius=0.4)
    ground = Geometry(shape="plane", position=(0, 0, -0.4))
    scene = Scene(
        version=1,
        name="flight",
        bodies=[
            Body(name="ball", mass=1.0, geometry=[ball]),
            Body(name="ground", motion="static", geometry=[ground]),
        ],
    )
    return Player(recording, scene, paused=True)


def test_a_recording_in_the_browser(chromium: Any, tmp_path: Path) -> None:
    """It plays and stops by its button, goes where the slider says; a picture can be saved, and a
    film up to where it was stopped.
    """
    source = player()
    with served(source) as (url, _):
        tab = opened(chromium, url)
        wait_for(lambda: tab.get_by_text("0.000 s").count(), "the time is shown")
        still = picture(tab, "recording-start")

        def sought() -> bool:
            # again where the page was not yet listening, as people would
            tab.get_by_role("textbox").first.fill("3")
            tab.get_by_role("textbox").first.press("Enter")
            return source.frame().time == 3.0

        wait_for(sought, "the slider seeks")
        wait_for(lambda: tab.get_by_text("3.000 s").count(), "the page shows the time")
        wait_for(
            lambda: changed(still, picture(tab, "recording-sought")) > 0.01, "the ball has moved"
        )

        tab.get_by_role("button", name="Play").click()
        wait_for(lambda: not source.is_paused, "it plays")
        tab.get_by_role("button", name="Pause").click()
        wait_for(lambda: source.is_paused, "it stops")

        tab.get_by_role("tab", name="Keep").click()
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Save a picture").click()
            tab.get_by_text("flight.png").last.click()
        download.value.save_as(tmp_path / "flight.png")
        assert (tmp_path / "flight.png").read_bytes().startswith(b"\x89PNG")

        with tab.expect_download() as download:
            tab.get_by_role("button", name="Make a film").click()
            tab.get_by_role("button", name="Stop here").click()
            tab.get_by_text("flight.webm").last.click()
        download.value.save_as(tmp_path / "flight.webm")
        with av.open(tmp_path / "flight.webm") as film:
            pictures = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
        assert 0 < len(pictures) <= 25 * DURATION + 1
        assert pictures[0].std() > 10.0, "something is seen"
