"""The table of features says how far each goes, and leads to what proves it."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_feature_is_answered_and_proven() -> None:
    """Each row has an answer in words, or a y, and a link to a test that is there."""
    page = (DOCS / "blender-features.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")][2:]

    assert len(rows) >= 25
    for feature, answer, proof in rows:
        assert answer.strip() not in {"", "n", "p"}, feature
        tests = re.findall(r"\]\((.*?\.py)\)", proof)
        assert tests, feature
        assert all((DOCS / test).is_file() for test in tests), feature
