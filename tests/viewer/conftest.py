"""A browser for each test of the page: one that stays draws all the time, on a whole core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("viser")
pytest.importorskip("playwright")

from .browsing import CHROMIUM, browser


@pytest.fixture
def chromium() -> Iterator[Any]:
    """Chromium without a window."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with browser() as started:
        yield started
