"""Settings of Hypothesis for all tests, and what a skipped test means.

No deadline: the first call of a kernel may compile it. In CI the examples are the same in every
run, so that a change is judged by what it did; at home they differ, to find new cases.

In CI everything is installed, so a test that is skipped there would never run anywhere: it fails.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

IN_CI = os.environ.get("CI") == "true"

settings.register_profile("developer", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if IN_CI else "developer")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """The report of a test."""
    return _failed_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """The report of a file, which may skip all its tests."""
    return _failed_if_skipped((yield))


def _failed_if_skipped(report: Any) -> Any:
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason}; in CI no test may be skipped"
    return report
