"""A look at a moment between two steps leaves no trace: neither in what follows nor in the report.

Frames that fall between steps are reached by such looks, so they must not change the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.jit.repeated import RepeatedCall
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from tests.contact.scenes import crowd, rubber, scene, wall
from tests.core.gears import geared_machine
from tests.core.scenes import chain
from tests.determinism.runs import busy_ground, driven_tree, swinging_loop, tumbling_stack

Arrays = dict[str, NDArray[Any]]

NO_CONTACT = {
    "free": lambda: chain(3, ["hinge", "ball", "fixed"]),
    "loop": swinging_loop,
    "driven": lambda: driven_tree(3),
    "limited": lambda: driven_tree(7, time_of_impact=True),
    "coupled": geared_machine,
}
CONTACT = {
    "wall": (lambda: wall(12, 12, 4), 0.1),
    "tumbling": (lambda: tumbling_stack(5), 0.6),
    "machine": (busy_ground, 1.0),
    "sleep-and-impacts": (lambda: busy_ground(time_of_impact=True, sleeping=True), 1.5),
    "groups-apart": (
        lambda: scene(*crowd(), materials=(rubber(0.8, 0.3),), time_of_impact=True),
        0.6,
    ),
}
METHODS = [
    *((name, "imp2", "direct") for name in NO_CONTACT),
    ("loop", "imp6", "direct"),
    ("loop", "lm4", "direct"),
    ("loop", "lmbs4", "direct"),
    ("loop", "lmvd4", "direct"),
    ("coupled", "lmvd8", "direct"),
    ("free", "imp2", "sle"),
    ("loop", "imp2", "iterative"),
]

# What does not change of bodies in contact.
OF_BODIES = ("jointed", "articulation", "inverse_mass", "inverse_mass_alone", "inverse_inertia")

# What means nothing between two steps, by the path from the Engine. Everything else must be the
# same after a look, to the last bit.
SCRATCH = (
    "work",
    "times",  # that were measured
    "tally.failure",
    *(
        f"comparison.stages.{name}.{part}"
        for name in ("bodies", "axes", "terms")
        for part in ("start", "slope", "slopes", "present")
    ),
    *(f"comparison.stages.stage.{name}" for name in ("bodies", "axes", "terms")),
    *(f"comparison.stages.{name}" for name in ("rate.bodies", "work", "bounded")),
    *(f"comparison.scratch.{name}" for name in ("coordinates", "present", "sum", "stage", "rate")),
    "runner.sweeps",
    "runner.setup.solver_bodies",
    "runner.setup.found",
    "runner.setup.staged",
    "runner.setup.contacts",
    "runner.setup.earlier",
    "runner.setup.own",
    "runner._crew",
    "runner.setup.batches",
    "runner.setup.team",
    "runner.setup.delassus",
    "runner.setup.needed",
    *("runner.setup.closed", "runner.setup.again"),
    "runner.setup.hit",
    "runner.setup.suspect",
    "runner.setup.sleep.verdict",
    "runner.setup.sleep.quiet",
    *(
        f"runner.setup.sweep.{name}"
        for name in (
            *("low", "high", "turning", "box", "cell", "slot", "cell_level", "cell_x", "cell_y"),
            *("cell_first", "scratch", "on_level", "overlaps", "pair_count", "pair_first", "way"),
            *("pair_second", "key", "key_before", "cache_before", "histogram"),
            "cache_begun",
        )
    ),
    *(f"runner.setup.events.{name}" for name in ("time", "what", "pair")),
    "runner._apart",
)
# Lies among scratch, but is constant, or for signals.
CONSTANT = (
    *("runner.sweeps.limit", "runner.sweeps.padding", "runner.setup.batches.lanes"),
    "work.stop",
)
# Scratch that is not spoiled: what others look into.
SPARED = (
    "runner.setup.team.open",
    *(f"comparison.stages.{name}.present" for name in ("bodies", "axes", "terms")),
    "runner.setup.delassus.probe_rate",
    # what is constant of the small scene
    *("runner._apart.model", "runner._apart.structure", "runner._apart.nobody"),
    *("runner._apart.first_shape", "runner._apart.shape", "runner._apart.grounds"),
    *(
        f"runner._apart.contact.{name}"
        for name in (
            *("shapes", "sleep", "solver_bodies", "batches.lanes", "delassus", "team"),
            *(f"sweep.{name}" for name in ("given", "bound", "planes", "kept")),
        )
    ),
)
# Is found out at every step where bodies can touch.
STILL = "runner.setup.sleep.still"
# Only the first so many rows mean anything.
IN_USE = {
    "runner.setup.memory.mark": "runner.setup.memory.used",
    "runner.setup.memory.row": "runner.setup.memory.used",
    "runner.setup.sleep.frozen.mark": "runner.setup.sleep.frozen.used",
    "runner.setup.sleep.frozen.row": "runner.setup.sleep.frozen.used",
    "runner.setup.sleep.points": "runner.setup.sleep.frozen.used",
    "runner.setup.sweep.old_key": "runner.setup.sweep.old_count",
    "runner.setup.sweep.cache": "runner.setup.sweep.old_count",
}


def new_engine(scene: ic.Scene, **options: Any) -> Engine:
    compiled = compile_scene(scene)
    engine = Engine(compiled, choose_options(compiled, **options))
    engine.start_segment(0.0, np.ones(len(engine.model.loads), dtype=np.int64))
    return engine


def arrays_of(engine: Engine) -> Arrays:
    """Every array that an engine reaches, by its path; not the copies that looks are undone by."""
    roots = {
        k: v
        for k, v in vars(engine).items()
        if k not in ("compiled", "names", "_present", "_known_layout")
    }
    first = {name: roots.pop(name) for name in ("state", "work")}
    return dict(_walk(first | roots, "", set()))


def _walk(value: Any, path: str, seen: set[int]) -> Iterator[tuple[str, NDArray[Any]]]:
    if isinstance(value, np.ndarray):
        if id(value) in seen:  # what is handed on under another name, as the probe's work
            return
        seen.add(id(value))
        fields = value.dtype.names
        yield from (
            [(f"{path}.{name}", value[name]) for name in fields] if fields else [(path, value)]
        )
        return
    if id(value) in seen or isinstance(value, RepeatedCall):  # which only knows its objects again
        return
    seen.add(id(value))
    inner: dict[str, Any] = {}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        inner = value._asdict()
    elif isinstance(value, dict):
        inner = value
    elif isinstance(value, list | tuple):
        inner = {str(k): item for k, item in enumerate(value)}
    elif type(value).__module__.startswith("impulse_core."):
        inner = vars(value)
    for name, item in inner.items():
        yield from _walk(item, f"{path}.{name}" if path else name, seen)


def lies_in(path: str, names: tuple[str, ...]) -> bool:
    return any(path == name or path.startswith(f"{name}.") for name in names)


def is_scratch(path: str) -> bool:
    return path not in CONSTANT and lies_in(path, SCRATCH)


def in_use(path: str) -> str:
    """Where it is said how many rows of an array, or of a field of its records, are in use."""
    return IN_USE.get(path) or IN_USE.get(path.rpartition(".")[0], "")


def meaning(arrays: Arrays) -> dict[str, bytes]:
    """The bits of all that is not scratch."""
    found = {}
    for path, array in arrays.items():
        if not is_scratch(path) and path != STILL:
            used = int(arrays[in_use(path)][0]) if in_use(path) else len(array)
            found[path] = array[:used].tobytes()
    return found


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The paths at which two of these differ."""
    return [path for path in one if one[path] != other[path]]


def spoil(arrays: Arrays) -> None:
    """Fill scratch, and rows that are not in use, with what no number can come from.

    What is constant in them stays: what is known of bodies in contact.
    """
    dynamic = np.count_nonzero(arrays["runner.model.bodies.mass"])
    for path, array in arrays.items():
        nothing = np.nan if array.dtype == float else 3
        owner, _, field = path.rpartition(".")
        if owner in ("runner.setup.solver_bodies.row", "runner.setup.solver_bodies.mark"):
            if field not in OF_BODIES:
                array[:dynamic] = nothing
        elif is_scratch(path) and not lies_in(path, SPARED):
            array[...] = nothing
        elif in_use(path):
            array[int(arrays[in_use(path)][0]) :] = nothing


def compare(plain: Engine, looking: Engine, duration: float, step: float = 0.01) -> None:
    """Let one of two equal runs look ahead now and then, and destroy its scratch."""
    steps = round(duration / step)
    for first in range(0, steps, 5):
        before = meaning(arrays_of(looking))
        for part in (0.37, 0.0021, 1.0):
            assert looking.peek(part * step, looking.find_reactions)
        assert differing(meaning(arrays_of(looking)), before) == []
        spoil(arrays_of(looking))
        assert plain.advance(step, 5, first)
        assert looking.advance(step, 5, first)
        assert differing(meaning(arrays_of(looking)), meaning(arrays_of(plain))) == []
    assert looking.events == plain.events


@pytest.mark.parametrize(("name", "method", "solver"), METHODS)
def test_a_look_leaves_no_trace(name, method, solver):
    """After a look every array is as it was, but for scratch; a run goes on with the same bits
    even if all scratch is destroyed.
    """
    options = {"method": method, "solver": solver}
    compare(*(new_engine(NO_CONTACT[name](), **options) for _ in range(2)), duration=0.2)


@pytest.mark.parametrize("name", CONTACT)
def test_a_look_leaves_no_trace_where_bodies_touch(name):
    """The same of all that is remembered of contacts, of pairs of shapes, and of who sleeps."""
    build, duration = CONTACT[name]
    plain, looking = (new_engine(build()) for _ in range(2))

    compare(plain, looking, duration)

    assert len(plain.events) >= 2
    if name == "sleep-and-impacts":
        assert {"break", "touch", "lift-off"} <= {event["kind"] for event in plain.events}
        assert plain.runner.contact_figures(plain.tally.totals[0])["divisions"] > 0


@pytest.mark.parametrize("name", ["loop", "driven", "coupled"])
def test_a_look_that_fails_is_told_and_leaves_no_trace(name):
    """Where no joint can be as accurate as asked, a look fails by name, and all is as before."""
    engine = new_engine(NO_CONTACT[name]())
    before = meaning(arrays_of(engine))
    engine.runner.options = replace(engine.runner.options, tolerance=-1.0)

    assert not engine.peek(0.01, lambda: None)

    assert differing(meaning(arrays_of(engine)), before) == []
    assert engine.failure(1.0, 0.01)["time"] == 1.0
    assert engine.tally.failure["error"][0] > 0.0
