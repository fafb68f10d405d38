"""One browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("viser")
pytest.importorskip("playwright")

from .browsing import CHROMIUM, browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Chromium without a window."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with browser() as started:
        yield started
