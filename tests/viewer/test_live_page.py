"""A simulation in a real browser: pushed, changed, plotted, turned back, left and found again."""

from __future__ import annotations

import time
from typing import Any

import pytest

pytest.importorskip("viser")
pytest.importorskip("playwright")

from impulse_cli.viewer.live import LiveSource

from .browsing import changed, opened, picture, served, wait_for
from .machines import glider, swing

pytestmark = pytest.mark.xdist_group("browser")


def middle_of_the_scene(tab: Any) -> tuple[float, float]:
    """Where the box is: between what is docked at the left and the right end of the window."""
    canvas = max(
        (box for each in tab.locator("canvas").all() if (box := each.bounding_box())),
        key=lambda found: found["width"] * found["height"],
    )
    return canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2


def angle(source: LiveSource) -> float:
    """Of the hinge [rad], as the page plots it."""
    return float(source.curves("angle", ())[0].values[-1])


def test_a_simulation_in_the_browser(chromium: Any) -> None:
    """What the mouse and the inputs of the page do is simulated, and what is simulated is seen."""
    source = LiveSource(swing())
    with served(source) as (url, page):
        tab = opened(chromium, url)
        before = picture(tab, "live-start")
        assert abs(angle(source)) < 1e-12

        tab.mouse.click(*middle_of_the_scene(tab))
        wait_for(lambda: abs(angle(source)) > 0.05, "a click pushes the box, so that it swings")
        source.pause(True)
        wait_for(
            lambda: changed(before, picture(tab, "live-pushed")) > 0.02,
            "one sees that it has moved, and the plot of the energy with it",
        )
        swung = source.span[1]

        tab.get_by_role("tab", name="Change").click()
        down = tab.locator("input[value='-9.81']").element_handle()
        down.fill("-1.5")
        down.press("Enter")
        wait_for(lambda: source.scene.settings.gravity[2] == -1.5, "gravity is changed")

        tab.get_by_role("tab", name="Run").click()
        tab.get_by_role("button", name="One step").wait_for()  # the other tab's boxes are gone
        tab.get_by_role("textbox").first.fill("0")
        tab.get_by_role("textbox").first.press("Enter")
        wait_for(lambda: source.span[1] < swung, "the slider turns time back")
        assert source.span[1] == 0.0
        wait_for(lambda: abs(angle(source)) < 1e-12, "the box hangs as at the start")

        tab.get_by_role("button", name="Play").click()
        wait_for(lambda: not source.is_paused, "it goes on")
        x, y = middle_of_the_scene(tab)
        tab.mouse.move(x, y)
        tab.mouse.down()
        tab.mouse.move(x + 160.0, y, steps=3)
        wait_for(lambda: abs(angle(source)) > 0.1, "the mouse pulls the box")
        tab.mouse.up()

        tab.close()
        wait_for(lambda: not page.server.get_clients(), "the browser may be closed")
        again = opened(chromium, url)
        again.get_by_text("energy [").first.wait_for()
        picture(again, "live-again")


def test_a_followed_body_in_the_browser(chromium: Any) -> None:
    """It stays where it is on the page however far it flies, and is pushed and pulled there."""
    source = LiveSource(glider(4.0))
    with served(source) as (url, _):
        tab = opened(chromium, url)
        tab.get_by_role("tab", name="Show").click()
        tab.get_by_role("combobox", name="Follow").click()
        tab.get_by_role("option", name="box").click()
        wait_for(lambda: place(source)[1] > 20.0, "it flies out of the first picture")

        spot = middle_of_the_scene(tab)

        def pushed() -> bool:
            tab.mouse.click(*spot)
            return abs(place(source)[0]) > 0.1

        def pulled_up() -> bool:
            tab.mouse.move(*spot)
            tab.mouse.down()
            tab.mouse.move(spot[0], spot[1] - 100.0, steps=10)
            tab.mouse.up()
            return place(source)[2] > 0.2

        # again and again, as this browser may be slow to see what lies under the mouse
        wait_for(pushed, "a click pushes it where it is seen")
        source.seek(0.0)  # which pauses, with the box in the middle again
        source.pause(False)
        wait_for(lambda: place(source)[1] > 4.0, "it flies again")
        wait_for(pulled_up, "the mouse pulls it up")


@pytest.mark.parametrize("leave", ["close", "reload"])
def test_a_tab_that_goes_away_lets_go(chromium: Any, leave: str) -> None:
    """A box that a tab holds aside swings back past the middle once that tab is closed, or loaded
    anew, with the button of the mouse still down.
    """
    source = LiveSource(swing())
    with served(source) as (url, _):
        tab = opened(chromium, url)
        x, y = middle_of_the_scene(tab)

        def held_aside() -> bool:
            tab.mouse.move(x, y)
            tab.mouse.down()
            tab.mouse.move(x + 160.0, y, steps=3)
            time.sleep(1.0)
            if angle(source) > 0.1:
                return True
            tab.mouse.up()
            return False

        # again and again, as this browser may be slow to see what lies under the mouse
        wait_for(held_aside, "the mouse holds the box aside")
        getattr(tab, leave)()
        wait_for(lambda: angle(source) < -0.05, "it swings back")


def place(source: LiveSource) -> tuple[float, float, float]:
    """Of the body that flies along y [m]."""
    x, y, z = source.frame().positions[0].tolist()
    return x, y, z
