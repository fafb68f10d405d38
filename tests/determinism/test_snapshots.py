"""A state that was copied, or written to a file, goes on as if nothing had happened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from impulse_core.checkpoints import OtherModelError, OtherOptionsError
from impulse_core.compile import compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from tests.core.scenes import chain
from tests.determinism.going_on import CALLS, STEPS, ends_with, go_on, new_engine
from tests.determinism.runs import busy_ground, driven_tree, geared_arm, swinging_loop

ROOT = Path(__file__).resolve().parents[2]
LARGE = ("cubes-1000-brick", "cubes-1000-heap", "cubes-1000-wall")
SAMPLES = [p for p in sorted(ROOT.glob("sample_scenes/*/*.xml")) if p.stem not in LARGE]
GROUPS = {
    "contact": [p for p in SAMPLES if p.parent.name in ("contact", "walking")],
    "joints": [p for p in SAMPLES if p.parent.name not in ("contact", "walking")],
}


@pytest.mark.parametrize(
    "group", [pytest.param(g, marks=pytest.mark.xdist_group(g)) for g in GROUPS]
)
def test_another_process_goes_on_from_a_file_bit_for_bit(group, tmp_path):
    """Every sample ends with the same bits, contacts, sleep and servos included, whether its steps
    are taken at once or the second half in a process of its own.
    """
    expected = {}
    for sample in GROUPS[group]:
        engine = new_engine(sample)
        go_on(engine, 0)
        engine.save(tmp_path / f"{sample.stem}.state")
        (tmp_path / f"{sample.stem}.txt").write_text(str(sample), encoding="utf-8")
        engine.events.clear()
        go_on(engine, CALLS * STEPS)
        expected[sample.stem] = ends_with(engine)

    run = subprocess.run(
        [sys.executable, "-m", "tests.determinism.going_on", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
    )

    assert dict(line.split(" ", 1) for line in run.stdout.splitlines()) == expected


def engine_of(scene: Scene, **options) -> Engine:
    compiled = compile_scene(scene)
    return Engine(compiled, choose_options(compiled, **options))


SCENES = {
    "driven": lambda: driven_tree(11, 6),
    "limited": lambda: driven_tree(7, 6, time_of_impact=True),
    "loop": swinging_loop,
    "smooth": lambda: geared_arm(method="lmvd8"),
    "ground": lambda: busy_ground(time_of_impact=True, sleeping=True),
}


@pytest.mark.parametrize("name", SCENES)
def test_rewinding_is_exact(name):
    """Whenever a snapshot is put back, the same steps lead to the same digest and totals; joints
    that broke meanwhile are whole again, and islands that fell asleep awake.
    """
    engine = engine_of(SCENES[name]())
    loads = np.ones(len(engine.model.loads), dtype=np.int64)
    kept = []
    for k in range(30):
        engine.start_segment(0.05 * k, loads)
        kept.append((engine.snapshot(), engine.digest()))
        assert engine.advance(0.01, 5, 5 * k)
    last = engine.digest(), engine.tally.totals.tobytes()

    for k in (20, 3, 11):
        snapshot, digest = kept[k]
        engine.restore(snapshot)
        assert engine.digest() == digest
    for k in range(11, 30):
        engine.start_segment(0.05 * k, loads)
        assert engine.digest() == kept[k][1]
        assert engine.advance(0.01, 5, 5 * k)

    assert (engine.digest(), engine.tally.totals.tobytes()) == last


def test_a_digest_tells_of_all_that_is_read():
    """One bit of any number of the state changes the digest."""
    engine = engine_of(driven_tree(2))
    before, told = engine.digest(), 0
    for array in engine.state:
        if len(array) == 0:
            continue
        first = array[:1].view(np.uint8)
        for _, offset in array.dtype.fields.values():
            first[offset] ^= 1
            assert engine.digest() != before
            first[offset] ^= 1
            told += 1
    assert engine.digest() == before
    assert told > 12


def test_a_state_of_another_scene_or_other_options_is_refused(tmp_path):
    """It is named, and the state that is there stays."""
    engine = engine_of(chain(3, ["hinge"] * 3))
    engine.save(tmp_path / "state")
    other = engine_of(chain(3, ["hinge", "hinge", "ball"]))
    before = other.digest()

    with pytest.raises(OtherModelError, match="another scene"):
        other.load(tmp_path / "state")
    with pytest.raises(OtherOptionsError, match="other options"):
        engine_of(chain(3, ["hinge"] * 3), step=0.002).load(tmp_path / "state")

    assert other.digest() == before
