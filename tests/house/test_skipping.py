"""What a skipped test means."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = Path(__file__).parents[1] / "conftest.py"
WAYS = {
    "in a test": "def test_it():\n    pytest.skip('because')",
    "by a mark": "@pytest.mark.skip(reason='because')\ndef test_it(): pass",
    "of a file": "pytest.importorskip('no_such_library')\ndef test_it(): pass",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("in_ci", "code"), [("true", {1, 2}), ("", {0, 5})])
def test_a_skipped_test_fails_in_ci(tmp_path, way, in_ci, code):
    """At home a test may be skipped, as where Blender is not installed; in CI that is a failure."""
    shutil.copy(SETTINGS, tmp_path)
    (tmp_path / "test_it.py").write_text(f"import pytest\n\n{WAYS[way]}\n")

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        env=os.environ | {"CI": in_ci},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode in code, done.stdout
    assert ("no test may be skipped" in done.stdout) == bool(in_ci)
