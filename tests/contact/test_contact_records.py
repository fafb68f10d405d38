"""Records of contacts: what passes read together lies together, and no field is read of a contact
that another one has left there.
"""

from __future__ import annotations

import numpy as np
import pytest

from impulse_core.collision.contacts import ContactRow
from impulse_core.compile import compile_scene
from impulse_core.jit.atomics import LINE
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, Joint, Material
from tests.contact.scenes import ball, bricks, scene, solid, turned

TOGETHER = (  # what batches write; what they read besides; what iterations change; who was before
    ("normal", "impulse", "friction", "min_impulse"),
    ("arm1", "arm2", "target", "gap"),
    ("offset", "applied", "resists", "lacking"),
    ("first", "second", "earlier", "least"),
)
TORQUES = ("torque", "torque_applied", "turn_offset", "turn_before", "roll_first", "roll_second")
SELDOM = ("start", "given", "block", "block_inverse", "before_sweep", "search")
CURVED = ("rim", "lowest", "frame")
FELT = Material(name="felt", static_friction=0.6, rolling_friction=0.02, torsional_friction=0.01)
SLICK = Material(name="slick", static_friction=0.3, kinetic_friction=0.2, restitution=0.4)
STEPS, STEP = 60, 0.01


def started(made: Scene) -> Engine:
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=STEP))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    return engine


def mixed(seed: int) -> Scene:
    """Solids that fall onto each other, half of which resist turning, and a pair on a hinge."""
    random = np.random.default_rng(seed)
    bodies = []
    for k in range(24):
        column, layer = k % 6, k // 6
        material = ("felt", "slick")[k % 2]
        bodies.append(
            Body(
                name=f"{k}",
                mass=float(10.0 ** random.uniform(-1.0, 1.0)),
                position=(0.85 * (column % 2), 0.85 * (column // 2), 0.6 + 0.95 * layer),
                orientation=turned(random),
                geometry=[solid(random, 0.8, material)],
            )
        )
    pair = [ball(f"wheel-{k}", (4.0 + 1.5 * k, 0.0, 0.6), material="felt") for k in range(2)]
    made = scene(*bodies, *pair, materials=(SLICK, FELT))
    hinge = Joint(
        name="hinge", type="hinge", body1="wheel-0", body2="wheel-1", axis=(0.0, 1.0, 0.0),
        anchor=(4.75, 0.0, 0.6),
    )  # fmt: skip
    return made.model_copy(update={"joints": [hinge]})


def test_what_is_read_together_lies_in_one_line():
    """Records are whole lines, of which a sweep's impulse and its cone are one. An odd number of
    them: of an even one the first lines of all records lie in part of a cache's sets only.
    """
    dtype = ContactRow.dtype
    assert dtype.itemsize % LINE == 0
    assert dtype.itemsize // LINE % 2 == 1
    lines = []
    for names in TOGETHER:
        fields = [dtype.fields[name] for name in names]
        first = min(at for _, at, *_ in fields)
        assert first % LINE == 0
        assert max(at + kind.itemsize for kind, at, *_ in fields) <= first + LINE
        lines.append(first // LINE)
    assert lines[:3] == [0, 1, 2]  # which batches ask for ahead


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("build", [mixed, lambda seed: bricks(6, 0.02, 1.0, turned=seed)])
def test_nothing_is_read_that_another_contact_has_left(build, seed):
    """Where every field that only few contacts have is spoilt before each step, all goes on with
    the same bits: torques only of what resists turning, points of what is curved, W of what is
    swept one by one. So do torques that are remembered: there are none of others.
    """
    plain, spoilt = started(build(seed)), started(build(seed))
    contacts, memory = spoilt.runner.setup.contacts, spoilt.runner.setup.memory
    resisting = 0
    for taken in range(STEPS):
        contacts.noted[...] = np.nan
        for name in (*TORQUES, *SELDOM, *CURVED):
            contacts.row[name] = np.nan
        assert plain.advance(STEP, 1, taken)
        assert spoilt.advance(STEP, 1, taken)
        assert plain.digest() == spoilt.digest()
        used = int(contacts.used[0])
        turns = contacts.row["resists"][:used] > 0.0
        if used == int(memory.used[0]):
            for name in ("roll_first", "roll_second"):
                assert not memory.row[name][:used][~turns].any()
        resisting += int(turns.sum())
    assert (resisting > 0) == (build is mixed)
