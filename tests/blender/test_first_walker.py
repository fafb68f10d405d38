"""The tutorial: what docs/first-walker.md tells to do gives a machine that walks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def walker(context, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import first_walker

    context.scene.render.fps = 24
    for step in first_walker.STEPS:
        step()
    return first_walker


@pytest.mark.slow
def test_it_walks_ahead(walker, context):
    """By two lengths of its torso in four seconds, upright, and its feet go with it."""
    assert bpy.ops.impulse.validate_scene() == {"FINISHED"}
    assert [row.message for row in context.scene.impulse.issues] == []
    assert bpy.ops.impulse.run_simulation() == {"FINISHED"}
    torso = bpy.data.objects["torso"]
    foot, shank = bpy.data.objects["foot front.R"], bpy.data.objects["shank front.R"]
    context.scene.frame_set(1)
    ankle = shank.matrix_world.inverted() @ foot.matrix_world.translation

    context.scene.frame_set(context.scene.frame_end)

    assert torso.matrix_world[0][3] > 1.6
    assert torso.matrix_world.to_3x3().normalized()[2][2] > 0.99
    moved = shank.matrix_world.inverted() @ foot.matrix_world.translation
    assert (moved - ankle).length < 1e-5


def test_the_page_has_the_steps_and_their_numbers(walker):
    """A heading and a picture for each step, and every number that the steps type."""
    text = (DOCS / "first-walker.md").read_text(encoding="utf-8")

    headings = re.findall(r"^## (\d+)\. ", text, re.MULTILINE)
    assert [int(number) for number in headings] == list(range(1, len(walker.STEPS) + 2))
    assert len(re.findall(r"images/first-walker/\d\d-", text)) == len(walker.STEPS) + 2
    for typed in (walker.HIP_TARGET, walker.KNEE_TARGET, f"{walker.PERIOD:g}", f"{walker.HIP:g}"):
        assert typed in text
