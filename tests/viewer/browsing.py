"""A real browser without a window in front of the page of ``impulse view``."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from impulse_cli.viewer.address import ANY_PORT, Address, open_server
from impulse_cli.viewer.page import Page
from impulse_cli.viewer.stage import Stage

PICTURES = Path(__file__).resolve().parents[2] / "build" / "browser"
CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)
# Without a graphics card, and as root in a container.
_FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
PATIENCE = 30.0  # s


@contextmanager
def served(source: Any) -> Iterator[tuple[str, Page]]:
    """The page of a source at an address, in this process."""
    address = Address("127.0.0.1", ANY_PORT)
    server = open_server(address, "test")
    page = Page(server, source, Stage(server, source.scene))
    ended = threading.Event()
    loop = threading.Thread(target=page.run, args=(ended,), daemon=True)
    loop.start()
    try:
        yield address.url, page
    finally:
        ended.set()
        loop.join(PATIENCE)
        page.source.close()
        server.stop()


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        try:
            yield chromium
        finally:
            chromium.close()


def opened(chromium: Any, url: str) -> Any:
    """A tab with the page, when its first picture is there."""
    tab = chromium.new_page(viewport={"width": 1000, "height": 460})
    tab.set_default_timeout(1000 * PATIENCE)
    tab.goto(url)
    tab.get_by_text("Run", exact=True).wait_for()
    tab.locator("canvas").first.wait_for()
    # It lies over the page, and is right: this browser has no graphics card.
    tab.locator("#webgl-software-rendering button").click()
    return tab


def wait_for(what: Callable[[], Any], promise: str) -> Any:
    """What a function finds at last; it fails with the promise that was not kept."""
    end = time.monotonic() + PATIENCE
    while not (found := what()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE:g} s: {promise}")
        time.sleep(0.05)
    return found


def picture(tab: Any, name: str) -> Any:
    """What the browser shows, as an array of colours; kept in build/browser."""
    import imageio.v3 as images

    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.png"
    tab.screenshot(path=path)
    return images.imread(path)[..., :3].astype(int)


def changed(before: Any, after: Any) -> float:
    """Share of the pixels that differ."""
    return float(np.mean(np.abs(before - after).max(axis=-1) > 8))
